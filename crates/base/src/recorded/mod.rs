//! Recorded events: one event as an agent sent it or must have sent it, with the results of its hooks; its form as
//! a line of JSON; and the trait for transcript formats.
//!
//! The list of formats and the storage of events are elsewhere.

mod event;
mod format;
mod line;
mod outcome;
mod redact;
mod run;

pub use event::{Made, RecordedEvent, RecordedSession, SourceLine, event_id, parse_time, time_text};
pub use format::{About, Fit, HEAD, Head, Read, Reader, SessionFolder, Shape, TranscriptFormat};
pub use line::{LineError, read_line, write_line};
pub use outcome::RecordedOutcome;
pub use redact::{redact, redact_text, secrets};
pub use run::{RecordedRun, definition_key, digest};
