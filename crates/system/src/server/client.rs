//! A client of the server, for a user interface that follows a server in another process. `forward` has its own
//! client without a runtime.

use std::io::{Error, ErrorKind};
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::local_socket::{AsyncStream, connect_async};
use hookbench_core::live::http::{HttpResponse, ResponseProgress, ResponseReader, write_request};
use hookbench_core::live::{MAX_ANSWER, MAX_PAYLOAD};

/// The timeout for an immediate answer of the server.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest answer: a payload with every byte escaped, and its metadata.
const LONGEST_ANSWER: usize = 6 * MAX_PAYLOAD + 2 * MAX_ANSWER;
/// The longest event of a stream.
const LONGEST_EVENT: usize = 1024 * 1024;
/// The capacity of the queue of unread events.
const QUEUE: usize = 256;

/// Sends a request and returns the response.
///
/// # Errors
/// Returns an error if there is no server of this user, or if it does not answer.
pub async fn ask(
    socket: &Path,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> std::io::Result<HttpResponse> {
    let exchange = async {
        let mut stream = connect_async(socket).await?;
        stream.write_all(&write_request(method, target, headers, body.len())).await?;
        stream.write_all(body).await?;
        let (mut reader, mut bytes) = (ResponseReader::with_limit(LONGEST_ANSWER), vec![0; 64 * 1024]);
        loop {
            let count = stream.read(&mut bytes).await?;
            if count == 0 {
                return Err(Error::new(ErrorKind::UnexpectedEof, "the server closed the connection"));
            }
            let broken =
                |why: hookbench_core::live::http::ResponseError| Error::new(ErrorKind::InvalidData, why.message());
            if let ResponseProgress::Done(response) =
                reader.push(bytes.get(..count).unwrap_or_default()).map_err(broken)?
            {
                return Ok(response);
            }
        }
    };
    timeout(ANSWER_TIMEOUT, exchange).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}

/// Follows the event stream: returns the data of every event, until the server ends.
///
/// # Errors
/// Returns an error if there is no server of this user, or if it refuses.
pub async fn follow(socket: &Path) -> std::io::Result<mpsc::Receiver<String>> {
    let mut stream = connect_async(socket).await?;
    stream.write_all(&write_request("GET", "/v1/events", &[], 0)).await?;
    let (events, coming) = mpsc::channel(QUEUE);
    let mut bytes = Vec::new();
    let head = timeout(ANSWER_TIMEOUT, until_blank(&mut stream, &mut bytes, b"\r\n\r\n"));
    let head = head.await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))?;
    if !head.is_some_and(|head| head.starts_with("HTTP/1.1 200 ")) {
        return Err(Error::other("the server does not stream events"));
    }
    tokio::spawn(async move {
        while let Ok(Some(event)) = until_blank(&mut stream, &mut bytes, b"\n\n").await {
            let Some(data) = event.lines().find_map(|line| line.strip_prefix("data: ")) else { continue };
            if events.send(data.to_owned()).await.is_err() {
                return;
            }
        }
    });
    Ok(coming)
}

/// Reads up to a blank line. `None` at the end of the stream.
async fn until_blank(stream: &mut AsyncStream, bytes: &mut Vec<u8>, blank: &[u8]) -> std::io::Result<Option<String>> {
    let mut looked = 0;
    loop {
        let found = bytes.get(looked..).unwrap_or_default().windows(blank.len()).position(|part| part == blank);
        if let Some(at) = found {
            let rest = bytes.split_off(looked + at + blank.len());
            let text = String::from_utf8_lossy(&std::mem::replace(bytes, rest)).into_owned();
            return Ok(Some(text));
        }
        looked = bytes.len().saturating_sub(blank.len());
        if bytes.len() > LONGEST_EVENT {
            return Err(ErrorKind::InvalidData.into());
        }
        if stream.read_buf(bytes).await? == 0 {
            return Ok(None);
        }
    }
}
