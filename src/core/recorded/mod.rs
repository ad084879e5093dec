//! Recorded events: one event as some agent sent it or must have sent it, with what its hooks did, and the line of JSON
//! in which it travels.
//!
//! Where events come from (a transcript, a payload, the live path) and where they are kept is not this module's business.

mod event;
mod line;
mod run;

pub use event::{Made, RecordedEvent, RecordedSession, SourceLine, event_id, parse_time, time_text};
pub use line::{LineError, read_line, write_line};
pub use run::{RecordedRun, definition_key, digest};
