//! Recorded events: one event as some agent sent it or must have sent it, with what its hooks did, and the line of JSON
//! in which it travels; and what a kind of file is from which they are read.
//!
//! Which kinds there are, and where events are kept, is not this module's business.

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
