//! The part of HTTP/1.1 that the live path speaks: one request on a connection, both bodies with their length, nothing
//! chunked, nothing compressed, no redirects. Client and server read and write it with these.

mod request;
mod response;

pub use request::{RequestHead, read_request, write_request};
pub use response::{Broken, CONTINUE, PROCESSING, Progress, Response, ResponseReader, write_response};

/// Bytes of a request's or an answer's first line and headers.
pub const MAX_HEAD: usize = 16 * 1024;
const MAX_HEADERS: usize = 64;

/// The name of the only host.
pub const HOST: &str = "hookbench";

/// Names and values in the order in which they came.
type Headers = Vec<(String, String)>;

/// How many bytes follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Absent,
    Known(u64),
    /// Chunked, or said twice and differently, or no number.
    Unusable,
}

fn find<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn owned(headers: &[httparse::Header<'_>]) -> Headers {
    let text = |value: &[u8]| String::from_utf8_lossy(value).trim().to_owned();
    headers.iter().map(|h| (h.name.to_owned(), text(h.value))).collect()
}

fn length(headers: &Headers) -> Length {
    if find(headers, "Transfer-Encoding").is_some() {
        return Length::Unusable;
    }
    let mut said = headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case("Content-Length"));
    let Some((_, first)) = said.next() else { return Length::Absent };
    let digits = !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit());
    match first.parse() {
        Ok(number) if digits && said.all(|(_, other)| other == first) => Length::Known(number),
        _ => Length::Unusable,
    }
}

/// A value that cannot begin another header.
fn harmless(value: &str) -> impl Iterator<Item = char> + '_ {
    value.chars().filter(|c| !c.is_control())
}
