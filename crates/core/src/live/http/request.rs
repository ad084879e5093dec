//! Requests: written by the client, parsed by the server.

use super::{BodyLength, HOST, HttpHeaders, MAX_HEAD, MAX_HEADERS, find, length, owned, without_controls};
use crate::live::{MAX_BODY, RequestRefusal};

/// The request line and the headers of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHead {
    pub method: String,
    /// The path and query, unchanged.
    pub target: String,
    headers: HttpHeaders,
}

impl RequestHead {
    /// Returns the first header with this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// Returns the length of the body in bytes.
    ///
    /// # Errors
    /// Returns an error if a body is expected but its length is missing or above the limit.
    pub fn body_length(&self) -> Result<usize, RequestRefusal> {
        match length(&self.headers) {
            BodyLength::Absent if matches!(self.method.as_str(), "GET" | "HEAD" | "DELETE") => Ok(0),
            BodyLength::Absent | BodyLength::Unusable => Err(RequestRefusal::NoLength),
            BodyLength::Known(bytes) => {
                usize::try_from(bytes).ok().filter(|bytes| *bytes <= MAX_BODY).ok_or(RequestRefusal::TooLarge)
            }
        }
    }

    /// Whether the content type is JSON.
    pub fn is_json(&self) -> bool {
        let kind = self.header("Content-Type").and_then(|kind| kind.split(';').next());
        kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    }

    /// Whether the client waits for [`super::CONTINUE`] before it sends the body.
    pub fn expects_continue(&self) -> bool {
        self.header("Expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    }
}

/// Parses the head of a request from the bytes received so far. Returns the head and its length, or `None` if it
/// is not complete.
///
/// # Errors
/// Returns an error if it is not HTTP/1.1 or exceeds the size limit.
pub fn read_request(bytes: &[u8]) -> Result<Option<(RequestHead, usize)>, RequestRefusal> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(taken)) if taken <= MAX_HEAD => {
            let head = RequestHead {
                method: request.method.unwrap_or_default().to_owned(),
                target: request.path.unwrap_or_default().to_owned(),
                headers: owned(request.headers),
            };
            Ok(Some((head, taken)))
        }
        Ok(httparse::Status::Partial) if bytes.len() <= MAX_HEAD => Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => Err(RequestRefusal::BadRequest("the headers are too long")),
        Err(_) => Err(RequestRefusal::BadRequest("this is not an HTTP/1.1 request")),
    }
}

/// Returns the head of a request with a body of `length` bytes.
pub fn write_request(method: &str, target: &str, headers: &[(&str, &str)], length: usize) -> Vec<u8> {
    let mut head = format!("{method} {target} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n");
    head += &format!("Content-Length: {length}\r\n");
    for (name, value) in headers {
        head += name;
        head += ": ";
        head.extend(without_controls(value));
        head += "\r\n";
    }
    head += "\r\n";
    head.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_round_trip() {
        let written = write_request("POST", "/v1/hooks", &[("Content-Type", "application/json"), ("X", "a\r\nb")], 5);
        for end in 0..written.len() {
            assert_eq!(read_request(&written[..end]), Ok(None), "{end} bytes");
        }
        let (head, taken) = read_request(&[&written, b"hello".as_slice()].concat()).unwrap().unwrap();
        assert_eq!((head.method.as_str(), head.target.as_str(), taken), ("POST", "/v1/hooks", written.len()));
        assert_eq!((head.header("host"), head.header("x"), head.header("y")), (Some("hookbench"), Some("ab"), None));
        assert_eq!((head.body_length(), head.is_json(), head.expects_continue()), (Ok(5), true, false));
    }

    #[test]
    fn unsupported_requests_are_refused() {
        let post = |headers: &str| format!("POST /v1/hooks HTTP/1.1\r\n{headers}\r\n");
        for (request, expected) in [
            (post("Content-Length: 7\r\nContent-Length: 7\r\n"), Ok(7)),
            (post("content-length: 11534336\r\n"), Ok(MAX_BODY)),
            (post("Content-Length: 11534337\r\n"), Err(RequestRefusal::TooLarge)),
            (post("Content-Length: 99999999999999999999\r\n"), Err(RequestRefusal::NoLength)),
            (post("Content-Length: 7\r\nContent-Length: 8\r\n"), Err(RequestRefusal::NoLength)),
            (post("Content-Length: +7\r\n"), Err(RequestRefusal::NoLength)),
            (post("Content-Length: 7\r\nTransfer-Encoding: chunked\r\n"), Err(RequestRefusal::NoLength)),
            (post(""), Err(RequestRefusal::NoLength)),
            ("GET /v1/health HTTP/1.1\r\n\r\n".to_owned(), Ok(0)),
        ] {
            let (head, _) = read_request(request.as_bytes()).unwrap().unwrap();
            assert_eq!(head.body_length(), expected, "{request}");
        }
        let long = post(&format!("X: {}\r\n", "x".repeat(MAX_HEAD)));
        let many = post(&"X: x\r\n".repeat(MAX_HEADERS + 1));
        for broken in ["hello\r\n\r\n", "GET /\r\n\r\n", "\u{0}", &long, &long[..=MAX_HEAD], &many] {
            let refused = read_request(broken.as_bytes()).unwrap_err();
            assert_eq!(refused.status(), 400, "{}", broken.len());
        }
    }
}
