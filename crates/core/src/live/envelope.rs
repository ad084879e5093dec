//! Writing of the envelope. The payload is inserted unchanged, with its key order and number spelling.

use jiff::Timestamp;
use serde_json::value::RawValue;

use super::payload_fields::is_event_name;
use super::raw_json::{ObjectText, RawObject, decoded_string};
use super::{MAX_PAYLOAD, PayloadFields, RequestRefusal, SCHEMA_VERSION, SUPPORTED};
use crate::text::is_absolute_path;

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

impl<'a> Envelope<'a> {
    /// Returns the body in three parts, to be written in order. A JSON payload is not copied.
    pub fn parts(&self) -> (String, std::borrow::Cow<'a, str>, &'static str) {
        let fields =
            ObjectText::default().put("schemaVersion", Some(SCHEMA_VERSION)).put("provider", Some(self.provider));
        let fields = fields.put("event", Some(self.event)).put("providerRef", Some(self.provider_ref));
        let fields = fields.put("projectPath", Some(self.project_path)).put("receivedAt", Some(self.received_at));
        let mut head = fields.end();
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

/// A parsed envelope. Whether the provider and the event are known is not checked here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedEnvelope<'a> {
    pub schema_version: u64,
    pub provider: String,
    pub event: String,
    pub provider_ref: String,
    pub project_path: String,
    /// The original text.
    pub received_at: String,
    /// The same in milliseconds since 1970.
    pub received_ms: i64,
    /// The original text of the payload.
    pub payload: &'a str,
    /// Fields that this version does not know.
    pub extra: Vec<(String, &'a str)>,
}

const FIELDS: [&str; 7] = ["schemaVersion", "provider", "event", "providerRef", "projectPath", "receivedAt", "payload"];

/// Parses the body of a request.
///
/// # Errors
/// Returns an error if it is not an envelope of a supported version. The version is checked first, because the
/// meaning of the other fields depends on it.
pub fn parse_envelope(body: &[u8]) -> Result<ReceivedEnvelope<'_>, RequestRefusal> {
    let top: RawObject<'_> = serde_json::from_slice(body).map_err(|why| RequestRefusal::BadJson(why.to_string()))?;
    let schema_version = version(required(&top, "schemaVersion")?)?;
    for field in FIELDS {
        if top.0.iter().filter(|(name, _)| name == field).count() > 1 {
            return bad(field, "it occurs more than once");
        }
    }
    let text = |field| match required(&top, field) {
        Ok(value) => decoded_string(value).ok_or(RequestRefusal::BadField { field, message: "it must be a string" }),
        Err(why) => Err(why),
    };
    let provider = text("provider")?;
    if provider.is_empty() || provider.chars().count() > 64 || provider.chars().any(char::is_control) {
        return bad("provider", "it must be a short name");
    }
    let event = text("event")?;
    if !is_event_name(&event) {
        return bad("event", "it must look like pre_tool_use: lower-case letters, digits, underscores, at most 64");
    }
    let provider_ref = clean_reference(&text("providerRef")?);
    let project_path = text("projectPath")?;
    if !is_absolute_path(&project_path) {
        return bad("projectPath", "it must be an absolute path");
    }
    let received_at = text("receivedAt")?;
    let Ok(at) = received_at.parse::<Timestamp>() else {
        return bad("receivedAt", "it must look like 2026-11-20T12:00:00.000Z");
    };
    let payload = required(&top, "payload")?.get();
    let extra = top.0.into_iter().filter(|(name, _)| !FIELDS.contains(&name.as_str()));
    Ok(ReceivedEnvelope {
        schema_version,
        provider,
        event,
        provider_ref,
        project_path,
        received_ms: at.as_millisecond(),
        received_at,
        payload,
        extra: extra.map(|(name, value)| (name, value.get())).collect(),
    })
}

fn bad<T>(field: &'static str, message: &'static str) -> Result<T, RequestRefusal> {
    Err(RequestRefusal::BadField { field, message })
}

fn required<'a>(top: &RawObject<'a>, field: &'static str) -> Result<&'a RawValue, RequestRefusal> {
    top.last(field).ok_or(RequestRefusal::BadField { field, message: "it is missing" })
}

/// Parses the version. Whole numbers of any size are valid versions, but may not be supported.
fn version(value: &RawValue) -> Result<u64, RequestRefusal> {
    let text = value.get();
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return bad("schemaVersion", "it must be a whole number");
    }
    text.parse().ok().filter(|version| SUPPORTED.contains(version)).ok_or(RequestRefusal::Version)
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

#[cfg(test)]
mod envelope_parser_tests {
    use super::*;
    use serde_json::{Value, json};

    fn whole() -> Value {
        json!({"schemaVersion": 1, "provider": "x", "event": "stop", "providerRef": "s", "projectPath": "/p",
               "receivedAt": "2026-11-20T12:00:00.500Z", "payload": {}})
    }

    #[test]
    fn errors_name_the_field() {
        let field = |field, status| (status, Some(field));
        for (key, value, expected) in [
            ("schemaVersion", json!(0), (422, None)),
            ("schemaVersion", json!(2), (422, None)),
            ("schemaVersion", json!(-1), (422, None)),
            ("schemaVersion", json!("1"), field("schemaVersion", 400)),
            ("schemaVersion", json!(1.0), field("schemaVersion", 400)),
            ("schemaVersion", Value::Null, field("schemaVersion", 400)),
            ("provider", json!(""), field("provider", 400)),
            ("provider", json!("a\nb"), field("provider", 400)),
            ("provider", json!("never-heard-of"), (200, None)),
            ("event", json!("Stop"), field("event", 400)),
            ("event", json!("a-b"), field("event", 400)),
            ("event", json!("a".repeat(65)), field("event", 400)),
            ("event", json!("never_heard_of"), (200, None)),
            ("providerRef", json!(5), field("providerRef", 400)),
            ("projectPath", json!("p"), field("projectPath", 400)),
            ("receivedAt", json!("today"), field("receivedAt", 400)),
            ("receivedAt", json!(17), field("receivedAt", 400)),
            ("payload", json!("text"), (200, None)),
            ("later", json!([1]), (200, None)),
        ] {
            let mut body = whole();
            body[key] = value.clone();
            let text = body.to_string();
            let got = match parse_envelope(text.as_bytes()) {
                Ok(_) => (200, None),
                Err(why @ RequestRefusal::BadField { field, .. }) => (why.status(), Some(field)),
                Err(why) => (why.status(), None),
            };
            assert_eq!(got, expected, "{key} {value}");
        }
        for key in FIELDS {
            let mut body = whole();
            body.as_object_mut().unwrap().remove(key);
            let refused = parse_envelope(body.to_string().as_bytes()).unwrap_err();
            assert_eq!(refused, RequestRefusal::BadField { field: key, message: "it is missing" });
            assert_eq!(refused.status(), 400);
        }
        for broken in ["", "[]", "{", "null", "{} x"] {
            assert_eq!(parse_envelope(broken.as_bytes()).unwrap_err().status(), 400, "{broken}");
        }
        let twice = r#"{"schemaVersion":1,"schemaVersion":1}"#;
        assert_eq!(parse_envelope(twice.as_bytes()).unwrap_err().code(), "bad_field");
    }

    #[test]
    fn refusal_bodies() {
        assert_eq!(RequestRefusal::Version.body(), r#"{"error":"schema_version","supported":[1]}"#);
        let field = RequestRefusal::BadField { field: "event", message: "it is missing" };
        assert_eq!(field.body(), r#"{"error":"bad_field","field":"event","message":"it is missing"}"#);
    }

    #[test]
    fn payload_and_unknown_fields_are_unchanged() {
        let body = r#"{"payload":{"a":1.0,"a":2} ,"schemaVersion":1,"provider":"x","event":"stop","later":[ 1 ],
            "providerRef":"s\u0007","projectPath":"/p","receivedAt":"2026-11-20T12:00:00.5Z"}"#;
        let expected = ReceivedEnvelope {
            schema_version: 1,
            provider: "x".to_owned(),
            event: "stop".to_owned(),
            provider_ref: "s".to_owned(),
            project_path: "/p".to_owned(),
            received_at: "2026-11-20T12:00:00.5Z".to_owned(),
            received_ms: 1_795_176_000_500,
            payload: r#"{"a":1.0,"a":2}"#,
            extra: vec![("later".to_owned(), "[ 1 ]")],
        };
        assert_eq!(parse_envelope(body.as_bytes()), Ok(expected));
    }
}
