//! Responses: written by the server, parsed by the client incrementally.

use super::{BodyLength, HttpHeaders, MAX_HEAD, MAX_HEADERS, find, length, owned, without_controls};
use crate::live::MAX_ANSWER;

/// Returns the announcement before a response that takes longer, which is sent again while it does.
pub fn write_processing(headers: &[(&str, &str)]) -> Vec<u8> {
    let mut head = "HTTP/1.1 102 Processing\r\n".to_owned();
    push_headers(&mut head, headers);
    head.into_bytes()
}

/// Sent to a client that asks before it sends its body.
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A complete response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    pub status: u16,
    headers: HttpHeaders,
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// Returns the first header with this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }
}

/// The state of parsing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseProgress {
    /// More bytes are needed.
    Incomplete,
    /// The server has announced that the response takes longer.
    Processing,
    Done(HttpResponse),
}

/// The reason why the received bytes are not a valid response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseError {
    NotHttp,
    HeadTooLong,
    /// No length, or chunked.
    NoLength,
    BodyTooLong,
    /// The connection ended before the response was complete.
    ConnectionClosed,
}

impl ResponseError {
    /// Describes the error for the log.
    pub fn message(self) -> &'static str {
        match self {
            ResponseError::NotHttp => "the server does not speak HTTP/1.1",
            ResponseError::HeadTooLong => "the headers of the answer are too long",
            ResponseError::NoLength => "the answer does not state its length",
            ResponseError::BodyTooLong => "the answer is longer than the limit",
            ResponseError::ConnectionClosed => "the connection closed before the end of the answer",
        }
    }
}

/// An incremental parser of a response.
#[derive(Debug)]
pub struct ResponseReader {
    /// The maximum length of the body, in bytes.
    most: usize,
    bytes: Vec<u8>,
    /// The final head, once it is complete, with the length of the body.
    head: Option<(u16, HttpHeaders, usize)>,
    /// The headers of the last announcement.
    announcement: HttpHeaders,
}

impl Default for ResponseReader {
    /// Creates a parser for the response to a hook.
    fn default() -> ResponseReader {
        ResponseReader::with_limit(MAX_ANSWER)
    }
}

impl ResponseReader {
    /// Creates a parser for a response whose body has at most `most` bytes.
    pub fn with_limit(most: usize) -> ResponseReader {
        ResponseReader { most, bytes: Vec::new(), head: None, announcement: Vec::new() }
    }

    /// Returns a header of the last announcement that the response takes longer.
    pub fn announced(&self, name: &str) -> Option<&str> {
        find(&self.announcement, name)
    }

    /// Parses received bytes. After [`ResponseProgress::Processing`], call it again, with no bytes if necessary: the buffer may
    /// already contain more.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a valid response.
    pub fn push(&mut self, came: &[u8]) -> Result<ResponseProgress, ResponseError> {
        self.bytes.extend_from_slice(came);
        if self.head.is_none() {
            match self.head()? {
                Some(ResponseProgress::Processing) => return Ok(ResponseProgress::Processing),
                Some(_) => {}
                None => return Ok(ResponseProgress::Incomplete),
            }
        }
        let Some((status, headers, length)) = &mut self.head else { return Ok(ResponseProgress::Incomplete) };
        if self.bytes.len() < *length {
            return Ok(ResponseProgress::Incomplete);
        }
        self.bytes.truncate(*length);
        let body = std::mem::take(&mut self.bytes);
        Ok(ResponseProgress::Done(HttpResponse { status: *status, headers: std::mem::take(headers), body }))
    }

    /// Parses heads up to the final one. Returns `Held` for a 102 interim response, `More` if the final head was
    /// found, and `None` if no head is complete.
    fn head(&mut self) -> Result<Option<ResponseProgress>, ResponseError> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
            let mut response = httparse::Response::new(&mut headers);
            let taken = match response.parse(&self.bytes) {
                Ok(httparse::Status::Complete(taken)) if taken <= MAX_HEAD => taken,
                Ok(httparse::Status::Partial) if self.bytes.len() <= MAX_HEAD => return Ok(None),
                Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(ResponseError::HeadTooLong),
                Err(_) => return Err(ResponseError::NotHttp),
            };
            if response.version != Some(1) {
                return Err(ResponseError::NotHttp);
            }
            let status = response.code.unwrap_or(0);
            let headers = owned(response.headers);
            self.bytes.drain(..taken);
            match status {
                102 => {
                    self.announcement = headers;
                    return Ok(Some(ResponseProgress::Processing));
                }
                100..=199 => {}
                _ => {
                    let length = match length(&headers) {
                        BodyLength::Known(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
                        BodyLength::Absent | BodyLength::Unusable => return Err(ResponseError::NoLength),
                    };
                    if length > self.most {
                        return Err(ResponseError::BodyTooLong);
                    }
                    self.head = Some((status, headers, length));
                    return Ok(Some(ResponseProgress::Incomplete));
                }
            }
        }
    }
}

/// Returns a complete response, to be written at once.
pub fn write_response(status: u16, kind: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\n", reason(status));
    head += &format!("Content-Length: {}\r\nConnection: close\r\n", body.len());
    push_headers(&mut head, headers);
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

fn push_headers(head: &mut String, headers: &[(&str, &str)]) {
    for (name, value) in headers {
        *head += name;
        *head += ": ";
        head.extend(without_controls(value));
        *head += "\r\n";
    }
    *head += "\r\n";
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &[u8]) -> Vec<u8> {
        write_response(200, "application/json", &[("Hookbench-Stored", "yes")], body)
    }

    /// Reads these pieces until the response is complete.
    fn read(pieces: &[&[u8]]) -> Result<(usize, HttpResponse), ResponseError> {
        let mut reader = ResponseReader::default();
        let mut held = 0;
        for piece in pieces {
            let mut progress = reader.push(piece)?;
            while progress == ResponseProgress::Processing {
                held += 1;
                progress = reader.push(b"")?;
            }
            if let ResponseProgress::Done(response) = progress {
                return Ok((held, response));
            }
        }
        Err(ResponseError::ConnectionClosed)
    }

    #[test]
    fn responses_round_trip_in_any_pieces() {
        let processing = write_processing(&[("X", "a")]);
        let bytes = [CONTINUE, &processing, &processing, &answer(b"{}"), b"more"].concat();
        let (held, response) = read(&[&bytes]).unwrap();
        assert_eq!((held, response.status, response.body.as_slice()), (2, 200, b"{}".as_slice()));
        assert_eq!(response.header("hookbench-stored"), Some("yes"));
        let pieces: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(&pieces), Ok((2, response)));
    }

    #[test]
    fn an_announcement_can_have_headers() {
        let mut reader = ResponseReader::default();
        assert_eq!(
            reader.push(&write_processing(&[("Hookbench-Announced", "deny")])),
            Ok(ResponseProgress::Processing)
        );
        assert_eq!(reader.announced("hookbench-announced"), Some("deny"));
        assert_eq!(reader.push(&write_processing(&[])), Ok(ResponseProgress::Processing));
        assert_eq!(reader.announced("hookbench-announced"), None);
    }

    #[test]
    fn invalid_responses_are_rejected() {
        let with = |headers: &str| format!("HTTP/1.1 200 OK\r\n{headers}\r\nbody");
        let long = with(&format!("X: {}\r\n", "x".repeat(MAX_HEAD)));
        for (bytes, expected) in [
            ("hello", ResponseError::NotHttp),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", ResponseError::NotHttp),
            ("<html>", ResponseError::NotHttp),
            (&with(""), ResponseError::NoLength),
            (&with("Transfer-Encoding: chunked\r\n"), ResponseError::NoLength),
            (&with("Content-Length: x\r\n"), ResponseError::NoLength),
            (&with("Content-Length: 1048577\r\n"), ResponseError::BodyTooLong),
            (&with("Content-Length: 5\r\n"), ResponseError::ConnectionClosed),
            (&long, ResponseError::HeadTooLong),
            (&long[..=MAX_HEAD], ResponseError::HeadTooLong),
            ("HTTP/1.1 102 Processing\r\n\r\n", ResponseError::ConnectionClosed),
            ("", ResponseError::ConnectionClosed),
        ] {
            assert_eq!(read(&[bytes.as_bytes()]), Err(expected), "{bytes:.60}");
        }
    }
}
