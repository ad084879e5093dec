//! One recorded event.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::hook::HookDefinition;
use crate::run::RunReport;
use crate::text::stringify;

crate::words! {
    /// The origin of a payload. Every view of an event shows it.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PayloadSource {
        /// The bytes that an agent sent to a hook.
        Recorded = "recorded",
        /// Reconstructed from a transcript, as the agent would have sent it.
        #[default]
        Rebuilt = "rebuilt",
        /// A recorded or rebuilt payload that was edited by hand.
        Edited = "edited",
        /// Created from a template or by hand.
        Synthetic = "synthetic",
        /// Fired by the user of hookbench, and stored by the log of runs.
        Fired = "fired",
    }
    /// The word in documents.
    fn word; const ALL; fn from_word;
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EventSourceDoc"))]
pub struct SourceLine {
    pub file: String,
    // Counted from 1. In a file that is a single JSON value, the line where the record begins.
    pub line: u64,
}

/// One event, and the known results of its hooks. The keys of a line are in this order; the line holds the runs and the
/// payload in another form.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedEvent {
    /// The id from [`event_id`]. Importing the same event again gives the same id.
    pub id: String,
    /// The agent's id, as in `--agent`.
    pub agent: String,
    #[serde(rename = "agent_version", skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The agent's name for the session; `unknown` if there is none. For a fired event, hookbench's own session.
    pub session: String,
    /// The sub-agent in which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The directory in which the agent worked, absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The repository that the agent's telemetry names. The store does not keep it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The user that the agent's telemetry names. The store does not keep it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The event's name in the agent's spelling.
    pub event: String,
    /// The value that matchers are matched against, if the event has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Milliseconds since 1970, UTC.
    #[serde(default, with = "time", skip_serializing_if = "time::is_unwritable")]
    pub at: Option<i64>,
    #[serde(rename = "made")]
    pub payload_source: PayloadSource,
    /// The event of which this one is a replay or an edited copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLine>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub marked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The verdict, as a word of the contract, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The answer that hookbench gave to the agent, if it did not let the event pass at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<RecordedAnswer>,
    /// The rest of the outcome, if hookbench fired the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RecordedOutcome>,
    /// The codes of findings while the event was fired (`HW301`), sorted, without duplicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// The known runs of hooks, in the order in which they ended.
    #[serde(skip)]
    pub runs: Vec<RecordedRun>,
    /// The object that hooks read on stdin, exactly as sent.
    #[serde(skip)]
    pub payload: Vec<u8>,
}

impl RecordedEvent {
    /// An event of which only these facts are known.
    pub fn new(agent: &str, session: &str, event: &str, payload: Vec<u8>) -> RecordedEvent {
        RecordedEvent {
            agent: agent.to_owned(),
            session: session.to_owned(),
            event: event.to_owned(),
            payload,
            ..RecordedEvent::default()
        }
    }
}

/// The metadata of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedSession {
    /// The agent's id, as in `--agent`.
    pub agent: String,
    /// As in [`RecordedEvent::session`].
    pub session: String,
    pub version: Option<String>,
    pub project: Option<String>,
    /// The topic: the first prompt of the user, on one line.
    pub title: Option<String>,
    /// The times of its first and last record, in milliseconds since 1970, UTC.
    pub started: Option<i64>,
    pub ended: Option<i64>,
}

/// The id of an event: 16 hexadecimal digits of a hash over the agent, the session, and a key that is unique in the
/// session (a tool call's id with the event's name, a message's id, or a place in a file).
pub fn event_id(agent: &str, session: &str, key: &str) -> String {
    let mut hash = Sha256::new();
    for part in [agent, session, key] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().get(..8).map(hex).unwrap_or_default()
}

/// Parses an instant as agents write it (`2026-11-20T12:35:36.323Z`, with any offset), to milliseconds since 1970.
/// `None` if the format differs.
pub fn parse_time(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(|at| at.as_millisecond())
}

/// Formats an instant for event lines: UTC with milliseconds. `None` outside the years -9999 to 9999.
pub fn format_time(at: i64) -> Option<String> {
    let at = jiff::Timestamp::from_millisecond(at).ok()?;
    Some(format!("{at:.3}"))
}

/// The fields of an outcome that are compared with another outcome. The verdict is a field of the event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedOutcome {
    pub blocked: bool,
    /// The names of the hooks that decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decided_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_message: Option<String>,
    #[serde(rename = "continue")]
    pub continues: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    pub suppress_output: bool,
    /// One sentence that describes the agent's action.
    pub agent_does: String,
    /// Fields that only this agent has, under the agent's keys.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// The environment of the hooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<RecordedEnvironment>,
}

/// The environment in which the hooks of a fired event ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedEnvironment {
    /// `shell`, `login` or `agent`.
    pub source: String,
    /// The PATH that the hooks got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The origin of that PATH, if it is not that of the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_from: Option<String>,
}

/// The agent continues as if there were no hooks.
impl Default for RecordedOutcome {
    fn default() -> RecordedOutcome {
        RecordedOutcome {
            blocked: false,
            decided_by: Vec::new(),
            reason: None,
            additional_context: None,
            updated_input: None,
            system_message: None,
            continues: true,
            stop_reason: None,
            suppress_output: false,
            agent_does: String::new(),
            extra: Map::new(),
            environment: None,
        }
    }
}

/// One run of one hook. The report of a complete run can replace a run in a firing; a partial one is only for
/// display.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    /// The name of the hook.
    pub hook: String,
    /// Its command line, URL or prompt, if known.
    pub command: Option<String>,
    /// The [`definition_key`] of the definition that ran. `None` if only the agent knew it.
    pub definition: Option<String>,
    /// The layer of that definition, as a word of the contract, if known.
    pub layer: Option<String>,
    /// The [`digest`] of its stdin.
    pub stdin: Option<String>,
    /// The end and the output of the run. Its `run` has no meaning here.
    pub report: RunReport,
    /// Whether the run comes from a transcript: streams may be truncated, times and definition may be missing.
    pub partial: bool,
}

/// A key that is equal for equal definitions, independent of their place: a hash of the agent, the event and the
/// handler as written.
pub fn definition_key(agent: &str, definition: &HookDefinition) -> String {
    let mut hash = Sha256::new();
    for part in [agent, &definition.event, &stringify(&definition.raw)] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}

/// The SHA-256 of some bytes, in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

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

    #[expect(clippy::ref_option, reason = "the signature of serde")]
    pub fn is_unwritable(at: &Option<i64>) -> bool {
        at.and_then(format_time).is_none()
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.as_deref().and_then(parse_time))
    }
}

#[cfg(test)]
mod tests {
    use super::{PayloadSource, event_id, format_time, parse_time};

    #[test]
    fn times_are_read_and_written() {
        for (text, written) in [
            ("2026-11-20T12:35:36.323Z", "2026-11-20T12:35:36.323Z"),
            ("2026-11-20T12:35:36Z", "2026-11-20T12:35:36.000Z"),
            ("2026-11-20T14:35:36.5+02:00", "2026-11-20T12:35:36.500Z"),
        ] {
            let at = parse_time(text);
            assert_eq!(at.and_then(format_time).as_deref(), Some(written), "{text}");
        }
        assert_eq!(parse_time("yesterday"), None);
        assert_eq!(format_time(i64::MAX), None);
    }

    #[test]
    fn ids_tell_parts_apart() {
        assert_ne!(event_id("a", "bc", "d"), event_id("ab", "c", "d"));
        assert_eq!(event_id("a", "b", "c").len(), 16);
    }

    #[test]
    fn words_name_their_kind() {
        for made in PayloadSource::ALL {
            assert_eq!(PayloadSource::from_word(made.word()), Some(made));
        }
        assert_eq!(PayloadSource::from_word("real"), None);
    }
}
