//! The record of a finding.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::GuardEvent;
use super::finding::GuardFinding;
use crate::recorded::{digest, redact_text};

/// The maximum number of characters of a recorded text.
pub const MAX_EVIDENCE: usize = 200;

/// The size above which a payload is not recorded, in bytes.
const MAX_RECORDED_PAYLOAD: usize = 16 * 1024;

/// A recorded finding: one line of JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardHit {
    pub id: String,
    /// The time, as text.
    pub at: String,
    pub guard: String,
    pub rule: String,
    /// The mode of the rule.
    pub mode: String,
    /// The answer that the agent received: `pass`, `warn` or `deny`.
    pub answer: String,
    pub agent: String,
    /// The wire name of the event.
    pub event: String,
    #[serde(default)]
    pub tool: String,
    #[serde(default)]
    pub session: String,
    #[serde(default)]
    pub project: String,
    #[serde(default)]
    pub place: String,
    pub what: String,
    #[serde(default)]
    pub evidence: String,
    /// The reason of the allowance, if the user allows the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// The payload with masked secrets, from which a test case is made. `None` if it is large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
}

impl GuardHit {
    /// Fills in a finding. Secrets are masked.
    #[must_use]
    pub fn with_finding(self, finding: &GuardFinding, key: &str) -> GuardHit {
        let masked = |text: &str| {
            let clean = redact_text(text);
            let text = clean.as_deref().unwrap_or(text);
            text.chars().take(MAX_EVIDENCE).collect::<String>()
        };
        GuardHit {
            id: hit_id(finding, key),
            rule: finding.rule.to_owned(),
            place: finding.place.clone(),
            what: masked(&finding.what),
            evidence: masked(&finding.evidence),
            ..self
        }
    }
}

/// Returns the recorded form of a payload, with masked secrets. `None` if it is large.
pub fn recorded_payload(body: &Value) -> Option<Value> {
    let mut text = SmallText::default();
    serde_json::to_writer(&mut text, body).ok()?;
    let text = String::from_utf8(text.0).ok()?;
    serde_json::from_str(&redact_text(&text).unwrap_or(text)).ok()
}

/// A text that a payload is written to, until it is larger than what is recorded.
#[derive(Default)]
struct SmallText(Vec<u8>);

impl std::io::Write for SmallText {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_RECORDED_PAYLOAD {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns a text that identifies an event in its session: the id of its call, else its message.
pub fn hit_key(event: &GuardEvent<'_>) -> String {
    let own = event.call_id().or_else(|| event.last_message().or_else(|| event.text(&["todo_id"])));
    format!("{}\n{}\n{}", event.session.unwrap_or_default(), event.event, own.unwrap_or_default())
}

/// Returns the id of a finding. `key` identifies the event, so that the same finding has the same id again.
pub fn hit_id(finding: &GuardFinding, key: &str) -> String {
    let text = format!("{}\n{}\n{}\n{key}", finding.rule, finding.place, finding.evidence);
    digest(text.as_bytes()).chars().take(12).collect()
}
