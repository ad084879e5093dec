//! The subset of HTTP/1.1 that the live path uses: one request per connection, bodies with a length, no chunked or
//! compressed bodies, no redirects. Both client and server use it.

mod request;
mod response;

pub use request::{RequestHead, read_request, write_request};
pub use response::{
    CONTINUE, HttpResponse, ResponseError, ResponseProgress, ResponseReader, write_processing, write_response,
};

/// Maximum size of the start line and the headers, in bytes.
pub const MAX_HEAD: usize = 16 * 1024;
const MAX_HEADERS: usize = 64;

/// The only host name.
pub const HOST: &str = "hookbench";

/// Header names and values in their order.
type HttpHeaders = Vec<(String, String)>;

/// The length of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyLength {
    Absent,
    Known(u64),
    /// Chunked, not a number, or given twice with different values.
    Unusable,
}

fn find<'a>(headers: &'a HttpHeaders, name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn owned(headers: &[httparse::Header<'_>]) -> HttpHeaders {
    let text = |value: &[u8]| String::from_utf8_lossy(value).trim().to_owned();
    headers.iter().map(|h| (h.name.to_owned(), text(h.value))).collect()
}

fn length(headers: &HttpHeaders) -> BodyLength {
    if find(headers, "Transfer-Encoding").is_some() {
        return BodyLength::Unusable;
    }
    let mut said = headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case("Content-Length"));
    let Some((_, first)) = said.next() else { return BodyLength::Absent };
    let digits = !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit());
    match first.parse() {
        Ok(number) if digits && said.all(|(_, other)| other == first) => BodyLength::Known(number),
        _ => BodyLength::Unusable,
    }
}

/// Removes control characters, so that a value cannot start another header.
fn without_controls(value: &str) -> impl Iterator<Item = char> + '_ {
    value.chars().filter(|c| !c.is_control())
}
