//! Recorded events: one event as an agent sent it or must have sent it, with the results of its hooks; its form as
//! a line of JSON; and the trait for transcript formats.
//!
//! The list of formats and the storage of events are elsewhere.

mod client_passwords;
mod event;
mod event_line;
mod format;
mod redact;
mod telemetry;

pub use event::{
    PayloadSource, RecordedAnswer, RecordedEnvironment, RecordedEvent, RecordedOutcome, RecordedRun, RecordedSession,
    SourceLine, definition_key, digest, event_id, format_time, parse_time,
};
pub use event_line::{EventLineError, format_event_line, parse_event_line};
pub use format::{
    CallOutput, CalledTool, FileContext, FileHead, FileShape, FormatFit, HEAD_BYTES, MessagePart, SessionDirectory,
    TranscriptFormat, TranscriptItem, TranscriptReader,
};
pub use redact::{MASK, find_secrets, redact, redact_text};
pub use telemetry::{
    Attributes, CallOutcome, CallSpans, HookRunRecord, PayloadGap, TelemetryCall, TelemetryFormat, is_cut, payload_gaps,
};
