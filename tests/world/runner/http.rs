//! HTTP hooks against a small server controlled by the test.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hookbench::core::run::{Exit, HttpSpec, Launch, Network, RunReport, Stream};
use pretty_assertions::assert_eq;

use crate::fake_hooks::{RunnerHarness, text};

/// The server's reaction to its one request.
enum ServerBehaviour {
    Answer(String),
    /// Reads the request and sends nothing until the client closes the connection.
    Hang,
    /// Sends this and then nothing until the client closes the connection.
    Stall(&'static str),
}

fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("its address");
    (listener, address)
}

/// Starts a server for one request. The thread returns the request.
fn serve(does: ServerBehaviour) -> (SocketAddr, JoinHandle<String>) {
    let (listener, address) = listen();
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a client");
        let mut reader = BufReader::new(stream);
        let mut request = String::new();
        while !request.ends_with("\r\n\r\n") {
            reader.read_line(&mut request).expect("a header");
        }
        let length = request.to_lowercase();
        let length = length.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
        let mut body = vec![0; length.parse().expect("a number")];
        reader.read_exact(&mut body).expect("a body");
        request += &String::from_utf8(body).expect("text");
        let (answer, wait) = match does {
            ServerBehaviour::Answer(answer) => (answer, false),
            ServerBehaviour::Hang => (String::new(), true),
            ServerBehaviour::Stall(answer) => (answer.to_owned(), true),
        };
        reader.get_mut().write_all(answer.as_bytes()).expect("the client listens");
        if wait {
            let _ = reader.read(&mut [0]);
        }
        request
    });
    (address, server)
}

fn answer(status: &str, headers: &str, body: &str) -> ServerBehaviour {
    let length = body.len();
    ServerBehaviour::Answer(format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    ))
}

fn post(url: String) -> HttpSpec {
    HttpSpec {
        url,
        headers: vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("x-hook".to_owned(), "1".to_owned()),
        ],
        body: Arc::from(*b"{\"a\":1}\n"),
        timeout: None,
        forbidden_networks: Vec::new(),
        keep: 1 << 20,
    }
}

async fn run(spec: HttpSpec) -> RunReport {
    let mut bench = RunnerHarness::new();
    bench.start(Launch::Http(spec));
    bench.next_report().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_and_the_request() {
    let (address, server) =
        serve(answer("200 OK", "content-type: application/json; charset=utf-8\r\n", "{\"ok\":true}"));
    let mut bench = RunnerHarness::new();
    let id = bench.start(Launch::Http(post(format!("http://{address}/hook?x=1"))));
    let report = bench.next_report().await;
    assert_eq!(report.exit, Exit::Http { status: 200 });
    assert_eq!(report.content_type.as_deref(), Some("application/json; charset=utf-8"));
    assert_eq!((text(&report.stdout), report.stdin_read), ("{\"ok\":true}", 8));
    assert_eq!(bench.output_of(id, Stream::Stdout), b"{\"ok\":true}");
    let request = server.join().unwrap();
    assert!(request.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("content-type: application/json\r\n") && request.contains("x-hook: 1\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"a\":1}\n"), "{request}");
}

#[tokio::test(flavor = "multi_thread")]
async fn any_status_is_an_answer() {
    for (status, headers, body) in [
        ("500 Internal Server Error", "", "sorry"),
        ("404 Not Found", "content-type: text/plain\r\n", ""),
        ("302 Found", "location: http://127.0.0.1:1/\r\n", "there"),
        ("307 Temporary Redirect", "location: http://127.0.0.1:1/\r\n", ""),
        ("204 No Content", "", ""),
    ] {
        let (address, server) = serve(answer(status, headers, body));
        let report = run(post(format!("http://{address}/"))).await;
        assert_eq!(report.exit, Exit::Http { status: status[..3].parse().unwrap() });
        assert_eq!(text(&report.stdout), body);
        server.join().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn too_slow() {
    let after = Duration::from_millis(300);
    for does in [ServerBehaviour::Hang, ServerBehaviour::Stall("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")] {
        let (address, server) = serve(does);
        let spec = HttpSpec { timeout: Some(after), ..post(format!("http://{address}/")) };
        assert_eq!(run(spec).await.exit, Exit::TimedOut { after });
        server.join().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled() {
    let (address, server) = serve(ServerBehaviour::Stall("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nline\n"));
    let mut bench = RunnerHarness::new();
    let spec = HttpSpec { timeout: Some(Duration::from_secs(2)), ..post(format!("http://{address}/")) };
    let id = bench.start(Launch::Http(spec));
    bench.lines(id, 1).await;
    bench.runner().kill(id);
    let report = bench.next_report().await;
    assert_eq!((report.exit, report.stdout.head.as_slice()), (Exit::Cancelled, &b"line\n"[..]));
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_there() {
    let (listener, address) = listen();
    drop(listener);
    let report = run(post(format!("http://user:secret@{address}/"))).await;
    assert_eq!(report.exit, Exit::FailedToStart { error: format!("{address}: Connection refused (os error 111)") });
    for url in ["", "nonsense", "http://", "ftp://127.0.0.1/"] {
        let report = run(post(url.to_owned())).await;
        assert!(matches!(report.exit, Exit::FailedToStart { .. }), "{url}: {:?}", report.exit);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_none() {
    let (address, server) = serve(ServerBehaviour::Answer("what?\r\n\r\n".to_owned()));
    assert!(matches!(run(post(format!("http://{address}/"))).await.exit, Exit::FailedToStart { .. }));
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_networks_are_not_connected_to() {
    let (listener, address) = listen();
    let port = address.port();
    let refuse = vec![
        Network { address: "127.0.0.0".parse().unwrap(), prefix: 8 },
        Network { address: "::1".parse().unwrap(), prefix: 128 },
    ];
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]"] {
        let spec = HttpSpec { forbidden_networks: refuse.clone(), ..post(format!("http://{host}:{port}/")) };
        let report = run(spec).await;
        let Exit::FailedToStart { error } = report.exit else { panic!("{host}: {:?}", report.exit) };
        assert!(error.ends_with("is in a blocked network"), "{error}");
    }
    listener.set_nonblocking(true).unwrap();
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "nobody came");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_is_cut() {
    let (address, server) = serve(answer("200 OK", "", &"x".repeat(100_000)));
    let report = run(HttpSpec { keep: 1000, ..post(format!("http://{address}/")) }).await;
    assert_eq!((report.stdout.head.len(), report.stdout.total), (1000, 100_000));
    server.join().unwrap();
}
