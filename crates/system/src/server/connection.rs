//! One connection: reads one request, passes it on, and sends the answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use super::listen::Shared;
use super::read::read;
use super::request::{Asked, Line, Reply, Request};
use super::route::{Way, route};
use hookbench_core::live::Refusal;
use hookbench_core::live::http::{PROCESSING, write_response};

/// The time limit for a client to send its request.
const SLOWEST: Duration = Duration::from_secs(5);
/// The time limit for a client to receive a message.
const DEAF: Duration = Duration::from_secs(5);
/// The interval of keep-alive messages on an idle stream, which detect that its client is gone.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

const JSON: &str = "application/json";

/// Serves one connection to its end.
pub(super) async fn serve(mut stream: UnixStream, connection: u64, shared: Arc<Shared>) {
    let place = match shared.gate.enter().await {
        Ok(place) => place,
        Err(refusal) => return refuse(&mut stream, &refusal).await,
    };
    let asked = match timeout(SLOWEST, ask(&mut stream)).await {
        Ok(Ok(Some(asked))) => asked,
        // The client has hung up without a request.
        Ok(Ok(None)) => return,
        Ok(Err(refusal)) => return refuse(&mut stream, &refusal).await,
        Err(_) => return refuse(&mut stream, &Refusal::Slow).await,
    };
    let asked = match asked {
        Asked::Hook(hook) => Asked::Hook(shared.arrived(hook)),
        asked => asked,
    };
    let (line, replies) = Line::new(connection);
    let gone = line.clone();
    if shared.requests.send(Request { asked, line }).await.is_err() {
        return refuse(&mut stream, &Refusal::ShuttingDown).await;
    }
    if answer(&mut stream, replies, place, &shared).await == End::Gone {
        let _ = shared.requests.send(Request { asked: Asked::Gone, line: gone }).await;
    }
}

async fn ask(stream: &mut UnixStream) -> Result<Option<Asked>, Refusal> {
    let Some(head) = read(stream).await? else { return Ok(None) };
    let (head, before_body) = head;
    match route(&head)? {
        Way::Ready(asked) => Ok(Some(asked)),
        Way::Body(then) => {
            let Some(body) = super::read::body(stream, &head, before_body).await? else { return Ok(None) };
            then.with(&head, body).map(Some)
        }
    }
}

async fn refuse(stream: &mut UnixStream, refusal: &Refusal) {
    let allow;
    let mut headers = Vec::new();
    if let Refusal::Method(methods) = refusal {
        allow = *methods;
        headers.push(("Allow", allow));
    }
    let bytes = write_response(refusal.status(), JSON, &headers, refusal.body().as_bytes());
    let _ = timeout(DEAF, stream.write_all(&bytes)).await;
}

#[derive(Debug, PartialEq, Eq)]
enum End {
    Answered,
    /// The client did not wait for the answer.
    Gone,
}

/// Sends the replies to the client. A client that has to wait gives up its place for other requests, and is watched
/// in case it hangs up.
async fn answer(
    stream: &mut UnixStream,
    mut replies: mpsc::Receiver<Reply>,
    mut place: OwnedSemaphorePermit,
    shared: &Shared,
) -> End {
    let mut waits = false;
    loop {
        let reply = tokio::select! {
            biased;
            reply = replies.recv() => reply,
            () = hung_up(stream), if waits => return End::Gone,
        };
        match reply {
            Some(Reply::Processing) => {
                if !waits && let Ok(another) = Arc::clone(&shared.waiting).try_acquire_owned() {
                    place = another;
                }
                waits = true;
                if !matches!(timeout(DEAF, stream.write_all(PROCESSING)).await, Ok(Ok(()))) {
                    return End::Gone;
                }
            }
            Some(Reply::Answer { status, headers, body, written }) => {
                let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let bytes = write_response(status, JSON, &headers, &body);
                let _ = timeout(DEAF, stream.write_all(&bytes)).await;
                if let Some(written) = written {
                    let _ = written.send(());
                }
                return End::Answered;
            }
            Some(Reply::Stream(news)) => {
                let Ok(another) = Arc::clone(&shared.streams).try_acquire_owned() else {
                    refuse(stream, &Refusal::Busy).await;
                    return End::Answered;
                };
                drop(place);
                pour(stream, news).await;
                drop(another);
                return End::Answered;
            }
            // The hub is gone without a reply.
            None => {
                refuse(stream, &Refusal::Internal).await;
                return End::Answered;
            }
        }
    }
}

/// Returns when the client closes its end. Anything it sends is discarded.
async fn hung_up(stream: &mut UnixStream) {
    let mut scrap = [0; 1024];
    while !matches!(stream.read(&mut scrap).await, Ok(0) | Err(_)) {}
}

/// Writes a stream of events. It has no length, and ends with the connection.
async fn pour(stream: &mut UnixStream, mut news: mpsc::Receiver<String>) {
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
    let mut next = head.to_owned();
    loop {
        if !matches!(timeout(DEAF, stream.write_all(next.as_bytes())).await, Ok(Ok(()))) {
            return;
        }
        next = tokio::select! {
            some = news.recv() => match some {
                Some(text) => text,
                None => return,
            },
            () = hung_up(stream) => return,
            () = tokio::time::sleep(SIGN_OF_LIFE) => ": here\n\n".to_owned(),
        };
    }
}
