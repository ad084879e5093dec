//! Session files: `<config>/projects/<slug>/<session>.jsonl`, and the files of sub-agents next to them (spec §12).
//!
//! `NOTES.md` lists the events that are reconstructed, and those that are not because no record mentions them.

mod hook_runs;
mod payload;
mod reader;

use serde_json::Value;

use super::layer_reader::config_dir;
use crate::shared::reconstruction::{slug, text};
use hookbench_base::config::{Files, Place};
use hookbench_base::recorded::{
    FileContext, FileHead, FileShape, FormatFit, MessagePart, SessionDirectory, TranscriptFormat, TranscriptReader,
};

/// The supported file formats.
pub static FORMATS: [&dyn TranscriptFormat; 1] = [&JsonlFormat];

/// The maximum length of a directory name. Longer names are cut and followed by a hash.
const MAX_SLUG: usize = 200;

struct JsonlFormat;

impl TranscriptFormat for JsonlFormat {
    fn kind(&self) -> &'static str {
        "claude-transcript"
    }
    fn shape(&self) -> FileShape {
        FileShape::Lines
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        head.records.iter().map(fit).max().unwrap_or(FormatFit::No)
    }
    fn companion(&self, path: &str) -> Option<String> {
        Some(format!("{}.meta.json", path.strip_suffix(".jsonl")?))
    }
    fn nested(&self, path: &str) -> Option<String> {
        Some(format!("{}/subagents", path.strip_suffix(".jsonl")?))
    }
    fn message(&self, record: &Value) -> Vec<MessagePart> {
        payload::parts(record)
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(reader::JsonlReader::new(about))
    }
}

fn fit(record: &Value) -> FormatFit {
    let has = |key: &str| record.get(key).is_some();
    let conversation = matches!(text(record, "type"), Some("user" | "assistant" | "attachment" | "system"));
    // Another agent uses the same envelope for messages that consist of parts.
    let own = has("userType") || has("attachment") || record.pointer("/message/content").is_some();
    if conversation && has("uuid") && has("sessionId") && own {
        return FormatFit::Certain;
    }
    let named = text(record, "type").is_some_and(reader::is_bookkeeping);
    if named && (has("sessionId") || has("leafUuid")) { FormatFit::Possible } else { FormatFit::No }
}

/// Returns the session directories of a project.
pub fn session_directories(place: &Place, files: &dyn Files) -> Vec<SessionDirectory> {
    let root = format!("{}/projects", config_dir(place));
    let name = slug(&place.project);
    let names = if name.len() <= MAX_SLUG {
        vec![name]
    } else {
        let beginning = name.get(..MAX_SLUG).unwrap_or_default();
        files.list(&root).into_iter().filter(|directory| directory.starts_with(beginning)).collect()
    };
    names.into_iter().map(|name| SessionDirectory { path: format!("{root}/{name}"), shared: false }).collect()
}
