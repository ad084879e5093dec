//! Session files: `~/.factory/sessions/<project>/<session>.jsonl`, with the hooks that ran and what they printed. A file
//! beside it has the mode of the session.
//!
//! `../NOTES.md` lists the events that are reconstructed.

mod reader;

use serde_json::Value;

use crate::shared::reconstruction::text;
use hookbench_base::config::{Files, Place};
use hookbench_base::recorded::{
    FileContext, FileHead, FileShape, FormatFit, MessagePart, SessionDirectory, TranscriptFormat, TranscriptReader,
};

/// The transcript formats.
pub static FORMATS: [&dyn TranscriptFormat; 1] = [&SessionFormat];

struct SessionFormat;

impl TranscriptFormat for SessionFormat {
    fn kind(&self) -> &'static str {
        "droid-session"
    }
    fn shape(&self) -> FileShape {
        FileShape::Lines
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        let is_start = |record: &Value| {
            text(record, "type") == Some("session_start")
                && text(record, "id").is_some()
                && text(record, "cwd").is_some()
        };
        FormatFit::certain(head.records.iter().any(is_start))
    }
    fn companion(&self, path: &str) -> Option<String> {
        Some(format!("{}.settings.json", path.strip_suffix(".jsonl")?))
    }
    fn message(&self, record: &Value) -> Vec<MessagePart> {
        reader::parts(record)
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(reader::SessionReader::new(about))
    }
}

/// Returns the directory of a project's sessions: its path with `-` in place of each `/`.
pub fn directories(place: &Place, _files: &dyn Files) -> Vec<SessionDirectory> {
    let name = place.project.replace('/', "-");
    vec![SessionDirectory { path: format!("{}/sessions/{name}", super::layers::user_dir(place)), shared: false }]
}
