//! One recorded event.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::answer::RecordedAnswer;
use super::outcome::RecordedOutcome;
use super::run::RecordedRun;

/// The origin of a payload. Every view of an event shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PayloadSource {
    /// The bytes that an agent sent to a hook.
    Recorded,
    /// Reconstructed from a transcript, as the agent would have sent it.
    Rebuilt,
    /// A recorded or rebuilt payload that was edited by hand.
    Edited,
    /// Created from a template or by hand.
    Synthetic,
    /// Fired by the user of hookbench, and stored by the log of runs.
    Fired,
}

impl PayloadSource {
    /// All of them, the most reliable first.
    pub const ALL: [PayloadSource; 5] = [
        PayloadSource::Recorded,
        PayloadSource::Rebuilt,
        PayloadSource::Edited,
        PayloadSource::Synthetic,
        PayloadSource::Fired,
    ];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            PayloadSource::Recorded => "recorded",
            PayloadSource::Rebuilt => "rebuilt",
            PayloadSource::Edited => "edited",
            PayloadSource::Synthetic => "synthetic",
            PayloadSource::Fired => "fired",
        }
    }

    /// The origin for a word.
    pub fn from_word(word: &str) -> Option<PayloadSource> {
        PayloadSource::ALL.into_iter().find(|made| made.word() == word)
    }
}

/// The line of a file from which an event was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    pub file: String,
    /// Counted from 1. In a file that is a single JSON value, the line where the record begins.
    pub line: u64,
}

/// One event, and the known results of its hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    /// The id from [`event_id`]. Importing the same event again gives the same id.
    pub id: String,
    /// The agent's id, as in `--agent`.
    pub agent: String,
    pub version: Option<String>,
    /// The agent's name for the session; `unknown` if there is none. For a fired event, hookbench's own session.
    pub session: String,
    /// The sub-agent in which it happened.
    pub agent_id: Option<String>,
    /// The directory in which the agent worked, absolute.
    pub project: Option<String>,
    /// The event's name in the agent's spelling.
    pub event: String,
    /// The value that matchers are matched against, if the event has one.
    pub subject: Option<String>,
    /// Milliseconds since 1970, UTC.
    pub at: Option<i64>,
    pub payload_source: PayloadSource,
    /// The event of which this one is a replay or an edited copy.
    pub origin: Option<String>,
    pub source: Option<SourceLine>,
    /// The object that hooks read on stdin, exactly as sent.
    pub payload: Vec<u8>,
    /// The known runs of hooks, in the order in which they ended.
    pub runs: Vec<RecordedRun>,
    /// The verdict, as a word of the contract, if it is known.
    pub verdict: Option<String>,
    /// The answer that hookbench gave to the agent, if it did not let the event pass at once.
    pub answer: Option<RecordedAnswer>,
    /// The rest of the outcome, if hookbench fired the event.
    pub outcome: Option<RecordedOutcome>,
    /// The codes of findings while the event was fired (`HW301`), sorted, without duplicates.
    pub diagnostics: Vec<String>,
    pub marked: bool,
    pub comment: Option<String>,
}

impl RecordedEvent {
    /// An event of which only these facts are known.
    pub fn new(agent: &str, session: &str, event: &str, payload: Vec<u8>) -> RecordedEvent {
        RecordedEvent {
            id: String::new(),
            agent: agent.to_owned(),
            version: None,
            session: session.to_owned(),
            agent_id: None,
            project: None,
            event: event.to_owned(),
            subject: None,
            at: None,
            payload_source: PayloadSource::Rebuilt,
            origin: None,
            source: None,
            payload,
            runs: Vec::new(),
            verdict: None,
            answer: None,
            outcome: None,
            diagnostics: Vec::new(),
            marked: false,
            comment: None,
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
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
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
