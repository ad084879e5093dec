//! Writing of the envelope. The payload is inserted unchanged, with its key order and number spelling.

use serde::Serialize;
use serde_json::value::RawValue;

use super::{MAX_PAYLOAD, PayloadFields, SCHEMA_VERSION};

/// The content of stdin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StdinPayload<'a> {
    /// One JSON value, without surrounding whitespace.
    Json(&'a str),
    /// Anything else. It is sent as a JSON string.
    Text(&'a [u8]),
    Empty,
    /// More bytes than can be sent, with their number.
    Oversize(u64),
}

impl<'a> StdinPayload<'a> {
    /// Classifies the retained bytes of a stream with `total` bytes, and extracts the few fields that the envelope
    /// repeats. Parses an object only once, because it may be large.
    pub fn classify(kept: &'a [u8], total: u64) -> (StdinPayload<'a>, PayloadFields) {
        if total > MAX_PAYLOAD as u64 {
            return (StdinPayload::Oversize(total), PayloadFields::default());
        }
        if kept.is_empty() {
            return (StdinPayload::Empty, PayloadFields::default());
        }
        let Ok(text) = std::str::from_utf8(kept) else { return (StdinPayload::Text(kept), PayloadFields::default()) };
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        if let Ok(top) = serde_json::from_str(text) {
            return (StdinPayload::Json(text), PayloadFields::of(&top));
        }
        match serde_json::from_str::<&RawValue>(text) {
            Ok(value) => (StdinPayload::Json(value.get()), PayloadFields::default()),
            Err(_) => (StdinPayload::Text(kept), PayloadFields::default()),
        }
    }
}

/// One event on its way to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope<'a> {
    pub provider: &'a str,
    pub event: &'a str,
    pub provider_ref: &'a str,
    pub project_path: &'a str,
    pub received_at: &'a str,
    pub payload: StdinPayload<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EnvelopeFields<'a> {
    schema_version: u64,
    provider: &'a str,
    event: &'a str,
    provider_ref: &'a str,
    project_path: &'a str,
    received_at: &'a str,
}

impl<'a> Envelope<'a> {
    /// Returns the body in three parts, to be written in order. A JSON payload is not copied.
    pub fn parts(&self) -> (String, std::borrow::Cow<'a, str>, &'static str) {
        let before = EnvelopeFields {
            schema_version: SCHEMA_VERSION,
            provider: self.provider,
            event: self.event,
            provider_ref: self.provider_ref,
            project_path: self.project_path,
            received_at: self.received_at,
        };
        let mut head = serde_json::to_string(&before).unwrap_or_default();
        head.pop();
        head.push_str(",\"payload\":");
        let payload = match self.payload {
            StdinPayload::Json(text) => text.into(),
            StdinPayload::Text(bytes) => {
                serde_json::to_string(&String::from_utf8_lossy(bytes)).unwrap_or_default().into()
            }
            StdinPayload::Empty | StdinPayload::Oversize(_) => "null".into(),
        };
        (head, payload, "}")
    }
}

/// Returns a session id for the envelope: at most 256 characters and no control characters; `unknown` if nothing
/// is left.
pub fn clean_reference(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control()).take(256).collect();
    if clean.is_empty() { "unknown".to_owned() } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(stdin: &[u8], total: u64) -> String {
        let envelope = Envelope {
            provider: "x",
            event: "stop",
            provider_ref: "a\"b",
            project_path: "/p",
            received_at: "2026-11-20T12:00:00.000Z",
            payload: StdinPayload::classify(stdin, total).0,
        };
        let (head, payload, tail) = envelope.parts();
        format!("{head}{payload}{tail}")
    }

    #[test]
    fn the_payload_is_spliced_in_as_it_came() {
        let odd = "{\"b\":1.0,\"a\":12345678901234567890,\r\n\"a\":\"\\ud83d\\u00e9\"}";
        let too_long = MAX_PAYLOAD as u64 + 1;
        for (stdin, total, payload) in [
            (format!(" \n{odd}\n").as_bytes(), 60, odd),
            (b"".as_slice(), 0, "null"),
            (b"hello", 5, "\"hello\""),
            (b"{\"a\":1} x", 9, "\"{\\\"a\\\":1} x\""),
            (b"\xff\n", 2, "\"\u{fffd}\\n\""),
            (b"7", 1, "7"),
            (b"{}", too_long, "null"),
        ] {
            let head = r#"{"schemaVersion":1,"provider":"x","event":"stop","providerRef":"a\"b","projectPath":"/p","receivedAt":"2026-11-20T12:00:00.000Z","payload":"#;
            assert_eq!(body(stdin, total), format!("{head}{payload}}}"));
        }
    }

    #[test]
    fn a_reference_is_short_and_harmless() {
        assert_eq!(clean_reference("a\u{1b}[2Jb\nc"), "a[2Jbc");
        assert_eq!(clean_reference("\u{7}"), "unknown");
        assert_eq!(clean_reference(&"é".repeat(300)).chars().count(), 256);
    }
}
