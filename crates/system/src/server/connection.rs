//! One connection: reads one request, passes it on, and sends the answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use super::listen::ServerState;
use super::route::{ReplyChannel, RequestKind, Route, ServerReply, ServerRequest, route};
use crate::http_request::{read_body, read_head};
use crate::local_socket::AsyncStream;
use hookbench_core::live::RequestRefusal;
use hookbench_core::live::http::{write_processing, write_response};

/// The time limit for a client to send its request.
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for a client to receive a message.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// The interval of keep-alive messages on an idle stream. A failed one shows that the client is gone.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

const JSON: &str = "application/json";

/// Handles one connection until it is closed.
pub(super) async fn serve(mut stream: AsyncStream, connection: u64, shared: Arc<ServerState>) {
    let place = match shared.gate.enter().await {
        Ok(place) => place,
        Err(refusal) => return refuse(&mut stream, &refusal).await,
    };
    let asked = match timeout(READ_TIMEOUT, read_and_route(&mut stream)).await {
        Ok(Ok(Some(asked))) => asked,
        // The client has hung up without a request.
        Ok(Ok(None)) => return,
        Ok(Err(refusal)) => return refuse(&mut stream, &refusal).await,
        Err(_) => return refuse(&mut stream, &RequestRefusal::Slow).await,
    };
    let asked = match asked {
        RequestKind::Hook(hook) => RequestKind::Hook(shared.summarize_event(hook)),
        asked => asked,
    };
    let (line, replies) = ReplyChannel::new(connection);
    let gone = line.clone();
    if shared.requests.send(ServerRequest { kind: asked, channel: line }).await.is_err() {
        return refuse(&mut stream, &RequestRefusal::ShuttingDown).await;
    }
    if answer(&mut stream, replies, place, &shared).await == ConnectionEnd::Gone {
        let _ = shared.requests.send(ServerRequest { kind: RequestKind::HungUp, channel: gone }).await;
    }
}

async fn read_and_route(stream: &mut AsyncStream) -> Result<Option<RequestKind>, RequestRefusal> {
    let Some(head) = read_head(stream).await? else { return Ok(None) };
    let (head, before_body) = head;
    match route(&head)? {
        Route::Ready(asked) => Ok(Some(asked)),
        Route::Body(then) => {
            let Some(body) = read_body(stream, &head, before_body).await? else { return Ok(None) };
            then.complete(&head, body).map(Some)
        }
    }
}

async fn refuse(stream: &mut AsyncStream, refusal: &RequestRefusal) {
    let allow;
    let mut headers = Vec::new();
    if let RequestRefusal::Method(methods) = refusal {
        allow = *methods;
        headers.push(("Allow", allow));
    }
    let bytes = write_response(refusal.status(), JSON, &headers, refusal.body().as_bytes());
    let _ = timeout(WRITE_TIMEOUT, stream.write_all(&bytes)).await;
}

#[derive(Debug, PartialEq, Eq)]
enum ConnectionEnd {
    Answered,
    /// The client did not wait for the answer.
    Gone,
}

/// Sends the replies to the client. While a client waits, its permit moves from the request limit to the waiting
/// limit, if there is room, and its hang-up is noticed.
async fn answer(
    stream: &mut AsyncStream,
    mut replies: mpsc::Receiver<ServerReply>,
    mut place: OwnedSemaphorePermit,
    shared: &ServerState,
) -> ConnectionEnd {
    let mut waits = false;
    loop {
        let reply = tokio::select! {
            biased;
            reply = replies.recv() => reply,
            () = hung_up(stream), if waits => return ConnectionEnd::Gone,
        };
        match reply {
            Some(ServerReply::Processing { headers, written }) => {
                if !waits && let Ok(another) = Arc::clone(&shared.waiting).try_acquire_owned() {
                    place = another;
                }
                waits = true;
                let bytes = write_processing(&headers);
                if !matches!(timeout(WRITE_TIMEOUT, stream.write_all(&bytes)).await, Ok(Ok(()))) {
                    return ConnectionEnd::Gone;
                }
                if let Some(written) = written {
                    let _ = written.send(());
                }
            }
            Some(ServerReply::Answer { status, headers, body, written }) => {
                let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let bytes = write_response(status, JSON, &headers, &body);
                let _ = timeout(WRITE_TIMEOUT, stream.write_all(&bytes)).await;
                if let Some(written) = written {
                    let _ = written.send(());
                }
                return ConnectionEnd::Answered;
            }
            Some(ServerReply::Stream(news)) => {
                let Ok(another) = Arc::clone(&shared.streams).try_acquire_owned() else {
                    refuse(stream, &RequestRefusal::Busy).await;
                    return ConnectionEnd::Answered;
                };
                drop(place);
                write_stream(stream, news).await;
                drop(another);
                return ConnectionEnd::Answered;
            }
            // The hub stopped without a reply.
            None => {
                refuse(stream, &RequestRefusal::Internal).await;
                return ConnectionEnd::Answered;
            }
        }
    }
}

/// Returns when the client closes its end. Anything it sends is discarded.
async fn hung_up(stream: &mut AsyncStream) {
    let mut scrap = [0; 1024];
    while !matches!(stream.read(&mut scrap).await, Ok(0) | Err(_)) {}
}

/// Writes a stream of events. The response has no `Content-Length`; the end of the connection ends it.
async fn write_stream(stream: &mut AsyncStream, mut news: mpsc::Receiver<String>) {
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
    let mut next = head.to_owned();
    loop {
        if !matches!(timeout(WRITE_TIMEOUT, stream.write_all(next.as_bytes())).await, Ok(Ok(()))) {
            return;
        }
        next = tokio::select! {
            some = news.recv() => match some {
                Some(text) => text,
                None => return,
            },
            () = hung_up(stream) => return,
            () = tokio::time::sleep(KEEP_ALIVE_INTERVAL) => ": here\n\n".to_owned(),
        };
    }
}
