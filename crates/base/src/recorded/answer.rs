//! The answer that hookbench gave to a running agent about an event.

use serde::{Deserialize, Serialize};

use super::event::{format_time, parse_time};

/// An answer of a breakpoint, a handler or the user. Events that passed at once have none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedAnswer {
    /// `allow`, `deny`, `ask`, `observe`, …
    pub decision: String,
    /// The source of the answer: `user`, `timeout`, `shutdown`, `rule:NAME` or `handler:NAME`.
    pub by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Milliseconds since 1970; in documents a time.
    #[serde(default, with = "time", skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// The time that the agent waited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_ms: Option<u64>,
}

impl RecordedAnswer {
    /// The words for decisions and for those who give them. A rule or a handler is followed by a colon and its name.
    pub const WORDS: [&'static str; 13] = [
        "observe", "replace", "allow", "deny", "ask", "modify", "halt", "raw", "user", "timeout", "shutdown", "rule",
        "handler",
    ];

    /// The reason in a stored decision.
    pub fn reason_in(decision_json: &str) -> Option<String> {
        #[derive(Deserialize)]
        struct WithReason {
            reason: Option<String>,
        }
        serde_json::from_str::<WithReason>(decision_json).ok()?.reason
    }
}

mod time {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::{format_time, parse_time};

    #[expect(clippy::ref_option, reason = "the signature of serde")]
    pub fn serialize<S: Serializer>(at: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
        match at.and_then(format_time) {
            Some(text) => serializer.serialize_some(&text),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.as_deref().and_then(parse_time))
    }
}
