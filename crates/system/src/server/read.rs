//! Reading a request as it comes.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use hookbench_core::live::Refusal;
use hookbench_core::live::http::{CONTINUE, RequestHead, read_request};

/// What is read at once.
const PIECE: usize = 64 * 1024;
/// Room that is made before anything has come: what a client says of its length is no reason to believe it.
const ROOM: usize = 256 * 1024;

/// The head, and what of the body came with it; none when the client has hung up before.
///
/// # Errors
/// When it is no HTTP/1.1, or longer than is read.
pub(super) async fn read(stream: &mut UnixStream) -> Result<Option<(RequestHead, Vec<u8>)>, Refusal> {
    let mut bytes = Vec::with_capacity(8 * 1024);
    loop {
        if let Some((head, taken)) = read_request(&bytes)? {
            bytes.drain(..taken);
            return Ok(Some((head, bytes)));
        }
        if !more(stream, &mut bytes).await {
            return Ok(None);
        }
    }
}

/// The body; none when the client has hung up before its end.
///
/// # Errors
/// When its length is not said, or is more than is read.
pub(super) async fn body(
    stream: &mut UnixStream,
    head: &RequestHead,
    mut bytes: Vec<u8>,
) -> Result<Option<Vec<u8>>, Refusal> {
    let length = head.body_length()?;
    if head.expects_continue() && bytes.len() < length && stream.write_all(CONTINUE).await.is_err() {
        return Ok(None);
    }
    bytes.reserve(length.min(ROOM).saturating_sub(bytes.len()));
    while bytes.len() < length {
        if !more(stream, &mut bytes).await {
            return Ok(None);
        }
    }
    bytes.truncate(length);
    Ok(Some(bytes))
}

async fn more(stream: &mut UnixStream, bytes: &mut Vec<u8>) -> bool {
    if bytes.capacity() - bytes.len() < PIECE / 8 {
        bytes.reserve(PIECE);
    }
    matches!(stream.read_buf(bytes).await, Ok(count) if count > 0)
}
