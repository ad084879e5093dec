//! Session files: `<home>/sessions/<year>/<month>/<day>/rollout-….jsonl`, one `{timestamp, type, payload}` per
//! line.
//!
//! `../NOTES.md` lists the events that are reconstructed, and the sources of the formats.

mod calls;
mod reader;

pub use calls::{CallItem, CallResult, read_item, read_result};

use serde_json::Value;

use crate::shared::reconstruction::text;
use hookbench_base::config::{Files, Place};
use hookbench_base::recorded::{
    FileContext, FileHead, FileShape, FormatFit, MessagePart, SessionDirectory, TranscriptFormat, TranscriptReader,
};

/// The transcript formats.
pub static FORMATS: [&dyn TranscriptFormat; 1] = [&RolloutFormat];

struct RolloutFormat;

impl TranscriptFormat for RolloutFormat {
    fn kind(&self) -> &'static str {
        "codex-rollout"
    }
    fn shape(&self) -> FileShape {
        FileShape::Lines
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        let own = |record: &Value| {
            let kind = matches!(
                text(record, "type"),
                Some("session_meta" | "turn_context" | "response_item" | "event_msg" | "compacted")
            );
            kind && record.get("payload").is_some_and(Value::is_object)
        };
        FormatFit::certain(head.records.iter().any(|record| own(record) || reader::is_bare_head(record)))
    }
    fn message(&self, record: &Value) -> Vec<MessagePart> {
        calls::parts(record)
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(reader::RolloutReader::new(about))
    }
}

/// Returns the session directories, which all projects share.
pub fn directories(place: &Place, _files: &dyn Files) -> Vec<SessionDirectory> {
    let home = super::layers::user_dir(place);
    ["sessions", "archived_sessions"]
        .map(|name| SessionDirectory { path: format!("{home}/{name}"), shared: true })
        .into()
}
