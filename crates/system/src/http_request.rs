//! Reads HTTP requests from a connection.

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use hookbench_core::live::RequestRefusal;
use hookbench_core::live::http::{CONTINUE, RequestHead, read_request};

/// The size of a read.
const PIECE: usize = 64 * 1024;
/// The size of the first buffer, because the length that a client announces is not trusted.
const ROOM: usize = 256 * 1024;

/// Reads the head, and the part of the body that came with it. `None` if the client hung up before its end.
///
/// # Errors
/// Returns an error if it is not HTTP/1.1, or too long.
pub(crate) async fn read_head(
    stream: &mut (impl AsyncRead + Unpin),
) -> Result<Option<(RequestHead, Vec<u8>)>, RequestRefusal> {
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

/// Reads the body. `None` if the client hung up before its end.
///
/// # Errors
/// Returns an error if its length is missing or too large.
pub(crate) async fn read_body(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    head: &RequestHead,
    mut bytes: Vec<u8>,
) -> Result<Option<Vec<u8>>, RequestRefusal> {
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

async fn more(stream: &mut (impl AsyncRead + Unpin), bytes: &mut Vec<u8>) -> bool {
    if bytes.capacity() - bytes.len() < PIECE / 8 {
        bytes.reserve(PIECE);
    }
    matches!(stream.read_buf(bytes).await, Ok(count) if count > 0)
}
