//! The formats that can be imported: those of all agents and agent-independent ones. They are recognized by
//! content and read line by line.

mod cut;
mod file_reader;
mod otlp_batch;
mod payloads;
mod telemetry;
mod telemetry_records;

pub use cut::TranscriptCut;
pub use file_reader::{FileKind, TranscriptFileReader, recognise};
pub use telemetry::{event_gaps, gaps_in_body};

use crate::dialects;
use crate::recorded::TranscriptFormat;

/// Returns all formats, agent-independent ones first.
pub fn formats() -> impl Iterator<Item = &'static dyn TranscriptFormat> {
    static PAYLOADS: [&dyn TranscriptFormat; 3] =
        [&telemetry::Telemetry, &payloads::PayloadLines, &payloads::PayloadFile];
    let events: &dyn TranscriptFormat = &cut::EventLines;
    let agents = dialects::released().flat_map(|dialect| dialect.transcripts().iter().copied());
    // A record of a session can look like a payload.
    std::iter::once(events).chain(agents).chain(PAYLOADS)
}
