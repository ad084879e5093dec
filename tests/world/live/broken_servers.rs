//! Servers that are slow, silent or broken (S-T4 to S-T8). The settings have short deadlines, so that the tests are
//! fast.

use std::io::Write as _;
use std::os::unix::net::UnixStream;

use hookbench::core::live::http::{write_processing, write_response};

use crate::live::live_sandbox::{ForwardResult, LiveSandbox, STOP, ok, wait_for_client, wait_for_disconnect};

const DENY: &str = r#"{"decision":"deny","reason":"no"}"#;

fn denied() -> ForwardResult {
    ForwardResult { stdout: "{\"decision\":\"block\",\"reason\":\"no\"}\n".to_owned(), ..ForwardResult::passed(&[]) }
}

#[test]
fn a_silent_server_times_out() {
    let desk = LiveSandbox::with("ack_ms = 150");
    let serving = desk.serve(wait_for_disconnect);
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["ack"]));
    serving.join().unwrap();
}

/// A slow trickle of bytes does not extend the deadline, before and after the 102 response.
#[test]
fn a_dripping_server_times_out() {
    let drip = |stream: &mut UnixStream, bytes: &[u8]| {
        for byte in bytes.iter().cycle() {
            if stream.write_all(&[*byte]).is_err() || !wait_for_client(stream, 20) {
                return;
            }
        }
    };
    let desk = LiveSandbox::with("ack_ms = 200");
    let serving = desk.serve(move |stream| drip(stream, b"HTTP/1.1 200 OK\r\nX: "));
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["ack"]));
    serving.join().unwrap();

    let desk = LiveSandbox::with("hold_ms = 300");
    let serving = desk.serve(move |stream| {
        stream.write_all(&write_processing(&[])).unwrap();
        drip(stream, b"HTTP/1.1 200 OK\r\nX: ");
    });
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["hold"]));
    serving.join().unwrap();
}

#[test]
fn who_is_told_to_wait_waits_for_the_decision() {
    let desk = LiveSandbox::with("ack_ms = 150");
    let serving = desk.serve(|stream| {
        stream.write_all(&write_processing(&[])).unwrap();
        assert!(wait_for_client(stream, 400), "the client has not waited");
        stream.write_all(&write_processing(&[])).unwrap();
        stream.write_all(&ok(DENY)).unwrap();
    });
    assert_eq!(desk.forward("claude", STOP), denied());
    serving.join().unwrap();
}

/// The wait is bounded, and repeated 102 responses do not extend it.
#[test]
fn who_is_told_to_wait_does_not_wait_for_ever() {
    for again in [false, true] {
        let desk = LiveSandbox::with("hold_ms = 300");
        let serving = desk.serve(move |stream| {
            stream.write_all(&write_processing(&[])).unwrap();
            while again && wait_for_client(stream, 50) && stream.write_all(&write_processing(&[])).is_ok() {}
            wait_for_disconnect(stream);
        });
        assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["hold"]), "{again}");
        serving.join().unwrap();
    }
}

/// An event at the end of a session never waits, whatever the server responds.
#[test]
fn an_event_that_is_never_held_is_not_held() {
    let desk = LiveSandbox::with("ack_ms = 150\nhold_ms = 100000");
    let serving = desk.serve(|stream| {
        stream.write_all(&write_processing(&[])).unwrap();
        wait_for_disconnect(stream);
    });
    assert_eq!(desk.forward("claude", br#"{"hook_event_name":"SessionEnd"}"#), ForwardResult::passed(&["ack"]));
    serving.join().unwrap();
}

#[test]
fn invalid_answers_pass_through() {
    let json = "application/json";
    let status = |status| write_response(status, json, &[], DENY.as_bytes());
    let long = format!(r#"{{"decision":"deny","reason":"{}"}}"#, "x".repeat(2 * 1024 * 1024));
    let head = format!("HTTP/1.1 200 OK\r\nX: {}\r\n", "x".repeat(20_000));
    for (name, bytes, problem) in [
        ("400", status(400), "status"),
        ("408", status(408), "status"),
        ("413", status(413), "status"),
        ("422", status(422), "status"),
        ("429", status(429), "status"),
        ("500", status(500), "status"),
        ("503", status(503), "status"),
        ("204", status(204), "status"),
        ("redirect", write_response(302, json, &[("Location", "http://hookbench/")], b""), "status"),
        ("page", write_response(200, "text/html", &[], b"<html>"), "answer"),
        ("chunked", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n".to_vec(), "answer"),
        ("long body", ok(&long), "answer"),
        ("long head", head.into_bytes(), "answer"),
        ("no JSON", ok("nonsense"), "answer"),
        ("no decision", ok("{}"), "answer"),
        ("unknown decision", ok(r#"{"decision":"approve"}"#), "answer"),
        ("no HTTP", b"hello\n".to_vec(), "answer"),
        ("half", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_vec(), "answer"),
        ("nothing", Vec::new(), "answer"),
    ] {
        let desk = LiveSandbox::new();
        // The client closes the connection when it has read enough.
        let serving = desk.serve(move |stream| drop(stream.write_all(&bytes)));
        assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[problem]), "{name}");
        serving.join().unwrap();
    }
}

/// A server that responds early and closes the connection causes no failure.
#[test]
fn a_server_that_does_not_read_is_no_trouble() {
    let desk = LiveSandbox::new();
    let listener = std::os::unix::net::UnixListener::bind(desk.socket()).unwrap();
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(&write_response(413, "application/json", &[], b"{}")).unwrap();
    });
    let payload = format!(r#"{{"hook_event_name":"Stop","x":"{}"}}"#, "x".repeat(5_000_000));
    let ran = desk.forward("claude", payload.as_bytes());
    serving.join().unwrap();
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "{}\n", ""));
    // Depending on the system, the client may still receive the response.
    assert!(matches!(ran.problems[0].as_str(), "status" | "answer"), "{ran:?}");
}

/// After an announcement every failure gives the announced answer, and only an answer that keeps a command from running can
/// be announced.
#[test]
fn an_announced_answer_is_given_however_the_server_fails() {
    type Act = fn(&mut UnixStream);
    let ends: [(&str, Act, &str); 4] = [
        ("hangs up", |_| {}, "answer"),
        ("is silent", wait_for_disconnect, "hold"),
        ("answers nonsense", |stream| stream.write_all(&ok("<html>")).unwrap(), "answer"),
        ("fails", |stream| stream.write_all(&write_response(500, "text/plain", &[], b"no")).unwrap(), "status"),
    ];
    let block = "{\"decision\":\"block\",\"reason\":\"hookbench ended before you decided\"}\n";
    for (end, act, problem) in ends {
        for (word, told) in
            [("deny", block), ("ask", "{}\n"), ("pass", "{}\n"), ("allow", "{}\n"), ("raw", "{}\n"), ("", "{}\n")]
        {
            let desk = LiveSandbox::with("hold_ms = 300");
            let serving = desk.serve(move |stream| {
                stream.write_all(&write_processing(&[("Hookbench-Announced", word)])).unwrap();
                act(stream);
            });
            let expected = ForwardResult { stdout: told.to_owned(), ..ForwardResult::passed(&[problem]) };
            assert_eq!(desk.forward("claude", STOP), expected, "{end} {word}");
            serving.join().unwrap();
        }
    }
}
