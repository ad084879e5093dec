//! Responses: written by the server, parsed by the client incrementally.

use super::{Headers, Length, MAX_HEAD, MAX_HEADERS, find, harmless, length, owned};
use crate::live::MAX_ANSWER;

/// Sent before a response that takes longer, and again while it does.
pub const PROCESSING: &[u8] = b"HTTP/1.1 102 Processing\r\n\r\n";
/// Sent to a client that asks before it sends its body.
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A complete response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    headers: Headers,
    pub body: Vec<u8>,
}

impl Response {
    /// Returns the first header with this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }
}

/// The state of parsing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// More bytes are needed.
    More,
    /// The server has announced that the response takes longer.
    Held,
    Done(Response),
}

/// The reason why the received bytes are not a valid response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    NotHttp,
    LongHead,
    /// No length, or chunked.
    NoLength,
    LongBody,
    /// The connection ended before the response was complete.
    Early,
}

impl Broken {
    /// Describes the error for the log.
    pub fn says(self) -> &'static str {
        match self {
            Broken::NotHttp => "the server does not speak HTTP/1.1",
            Broken::LongHead => "the headers of the answer are too long",
            Broken::NoLength => "the answer does not say its length",
            Broken::LongBody => "the answer is longer than what is taken",
            Broken::Early => "the connection ended before the answer did",
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
    head: Option<(u16, Headers, usize)>,
}

impl Default for ResponseReader {
    /// Creates a parser for the response to a hook.
    fn default() -> ResponseReader {
        ResponseReader::up_to(MAX_ANSWER)
    }
}

impl ResponseReader {
    /// Creates a parser for a response whose body has at most `most` bytes.
    pub fn up_to(most: usize) -> ResponseReader {
        ResponseReader { most, bytes: Vec::new(), head: None }
    }

    /// Parses received bytes. After [`Progress::Held`], call it again, with no bytes if necessary: the buffer may
    /// already contain more.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a valid response.
    pub fn push(&mut self, came: &[u8]) -> Result<Progress, Broken> {
        self.bytes.extend_from_slice(came);
        if self.head.is_none() {
            match self.head()? {
                Some(Progress::Held) => return Ok(Progress::Held),
                Some(_) => {}
                None => return Ok(Progress::More),
            }
        }
        let Some((status, headers, length)) = &mut self.head else { return Ok(Progress::More) };
        if self.bytes.len() < *length {
            return Ok(Progress::More);
        }
        self.bytes.truncate(*length);
        let body = std::mem::take(&mut self.bytes);
        Ok(Progress::Done(Response { status: *status, headers: std::mem::take(headers), body }))
    }

    /// Parses heads up to the final one. Returns `Held` for a 102 interim response, `More` if the final head was
    /// found, and `None` if no head is complete.
    fn head(&mut self) -> Result<Option<Progress>, Broken> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
            let mut response = httparse::Response::new(&mut headers);
            let taken = match response.parse(&self.bytes) {
                Ok(httparse::Status::Complete(taken)) if taken <= MAX_HEAD => taken,
                Ok(httparse::Status::Partial) if self.bytes.len() <= MAX_HEAD => return Ok(None),
                Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(Broken::LongHead),
                Err(_) => return Err(Broken::NotHttp),
            };
            if response.version != Some(1) {
                return Err(Broken::NotHttp);
            }
            let status = response.code.unwrap_or(0);
            let headers = owned(response.headers);
            self.bytes.drain(..taken);
            match status {
                102 => return Ok(Some(Progress::Held)),
                100..=199 => {}
                _ => {
                    let length = match length(&headers) {
                        Length::Known(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
                        Length::Absent | Length::Unusable => return Err(Broken::NoLength),
                    };
                    if length > self.most {
                        return Err(Broken::LongBody);
                    }
                    self.head = Some((status, headers, length));
                    return Ok(Some(Progress::More));
                }
            }
        }
    }
}

/// Returns a complete response, to be written at once.
pub fn write_response(status: u16, kind: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\n", reason(status));
    head += &format!("Content-Length: {}\r\nConnection: close\r\n", body.len());
    for (name, value) in headers {
        head += name;
        head += ": ";
        head.extend(harmless(value));
        head += "\r\n";
    }
    head += "\r\n";
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    bytes
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
    fn read(pieces: &[&[u8]]) -> Result<(usize, Response), Broken> {
        let mut reader = ResponseReader::default();
        let mut held = 0;
        for piece in pieces {
            let mut progress = reader.push(piece)?;
            while progress == Progress::Held {
                held += 1;
                progress = reader.push(b"")?;
            }
            if let Progress::Done(response) = progress {
                return Ok((held, response));
            }
        }
        Err(Broken::Early)
    }

    #[test]
    fn an_answer_is_read_as_it_is_written_however_it_comes() {
        let bytes = [CONTINUE, PROCESSING, PROCESSING, &answer(b"{}"), b"more"].concat();
        let (held, response) = read(&[&bytes]).unwrap();
        assert_eq!((held, response.status, response.body.as_slice()), (2, 200, b"{}".as_slice()));
        assert_eq!(response.header("hookbench-stored"), Some("yes"));
        let pieces: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(&pieces), Ok((2, response)));
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let with = |headers: &str| format!("HTTP/1.1 200 OK\r\n{headers}\r\nbody");
        let long = with(&format!("X: {}\r\n", "x".repeat(MAX_HEAD)));
        for (bytes, expected) in [
            ("hello", Broken::NotHttp),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", Broken::NotHttp),
            ("<html>", Broken::NotHttp),
            (&with(""), Broken::NoLength),
            (&with("Transfer-Encoding: chunked\r\n"), Broken::NoLength),
            (&with("Content-Length: x\r\n"), Broken::NoLength),
            (&with("Content-Length: 1048577\r\n"), Broken::LongBody),
            (&with("Content-Length: 5\r\n"), Broken::Early),
            (&long, Broken::LongHead),
            (&long[..=MAX_HEAD], Broken::LongHead),
            ("HTTP/1.1 102 Processing\r\n\r\n", Broken::Early),
            ("", Broken::Early),
        ] {
            assert_eq!(read(&[bytes.as_bytes()]), Err(expected), "{bytes:.60}");
        }
    }
}
