//! The record of a finding.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::GuardEvent;
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

/// A finding of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GuardFinding {
    /// The id of the rule.
    pub rule: &'static str,
    /// A file with a line, such as `src/a.py:3`, or a line of the transcript. Empty for a command and a message.
    pub place: String,
    /// The finding as a sentence without a full stop.
    pub what: String,
    /// The text that shows it: a command with its result, or a line.
    pub evidence: String,
}

impl GuardFinding {
    /// Creates a finding. Evidence is one line, without control characters.
    pub fn new(rule: &'static str, place: &str, what: impl Into<String>, evidence: &str) -> GuardFinding {
        GuardFinding { rule, place: line(place), what: line(&what.into()), evidence: line(evidence) }
    }
}

/// Returns a text as one line of limited length.
pub(super) fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean: String = words.chars().filter(|c| !c.is_control()).collect();
    if clean.chars().count() <= MAX_EVIDENCE {
        return clean;
    }
    let cut: String = clean.chars().take(MAX_EVIDENCE - 1).collect();
    format!("{cut}…")
}

const DOCUMENTS: [&str; 9] = [".md", ".mdx", ".rst", ".txt", ".adoc", ".svg", ".csv", ".lock", ".snap"];

/// Whether a file is documentation or generated data, which runs nowhere.
pub fn is_documentation(path: &str) -> bool {
    let base = path.rsplit('/').next().unwrap_or(path);
    let lower = base.to_ascii_lowercase();
    DOCUMENTS.iter().any(|extension| lower.ends_with(extension)) || base.starts_with("LICENSE")
}

/// Whether a file belongs to tests.
pub fn is_test(path: &str) -> bool {
    let directories = ["tests", "test", "__tests__", "spec", "fixtures", "testdata"];
    let mut parts: Vec<&str> = path.split('/').collect();
    let base = parts.pop().unwrap_or_default();
    let stem = base.split('.').next().unwrap_or_default();
    parts.iter().any(|part| directories.contains(part))
        || base == "conftest.py"
        || base.starts_with("test_") && base.rsplit_once('.').is_some_and(|(_, extension)| extension == "py")
        || stem.ends_with("_test")
        || base.contains(".test.")
        || base.contains(".spec.")
}

/// Returns a place as `path:line`, where the line is the first one that contains the beginning of a text.
pub fn line_of(path: &str, content: &str, text: &str) -> String {
    let first = text.lines().next().unwrap_or_default().trim();
    let line = content.lines().position(|line| !first.is_empty() && line.contains(first));
    line.map_or_else(|| path.to_owned(), |line| format!("{path}:{}", line + 1))
}

/// Returns a place as `path:line` for an offset in the content.
pub fn place_at(path: &str, content: &str, offset: usize) -> String {
    let before = content.get(..offset).unwrap_or_default();
    format!("{path}:{}", before.matches('\n').count() + 1)
}

/// Returns the line that contains an offset.
pub fn line_at(content: &str, offset: usize) -> &str {
    let start = content.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    content.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default()
}
