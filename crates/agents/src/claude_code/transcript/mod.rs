//! Session files: `<config>/projects/<slug>/<session>.jsonl`, and those of sub-agents beside them (spec §12).
//!
//! What is rebuilt, and what is left out because no record tells it, stands in `NOTES.md`.

mod hooks;
mod payload;
mod reader;

use serde_json::Value;

use super::layers::config_dir;
use crate::shared::rebuilt::{slug, text};
use hookbench_base::config::{Files, Place};
use hookbench_base::recorded::{
    FileContext, FileHead, FileShape, FormatFit, SessionFolder, TranscriptFormat, TranscriptReader,
};

/// The kinds of files.
pub static FORMATS: [&dyn TranscriptFormat; 1] = [&Transcript];

/// Longer names of folders are cut, and a hash follows.
const LONGEST_SLUG: usize = 200;

struct Transcript;

impl TranscriptFormat for Transcript {
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
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(reader::Transcript::new(about))
    }
}

fn fit(record: &Value) -> FormatFit {
    let has = |key: &str| record.get(key).is_some();
    let conversation = matches!(text(record, "type"), Some("user" | "assistant" | "attachment" | "system"));
    // Another agent has the same envelope around messages in parts.
    let own = has("userType") || has("attachment") || record.pointer("/message/content").is_some();
    if conversation && has("uuid") && has("sessionId") && own {
        return FormatFit::Certain;
    }
    let named = text(record, "type").is_some_and(reader::is_bookkeeping);
    if named && (has("sessionId") || has("leafUuid")) { FormatFit::Possible } else { FormatFit::No }
}

/// Where the sessions of a project lie.
pub fn folders(place: &Place, files: &dyn Files) -> Vec<SessionFolder> {
    let root = format!("{}/projects", config_dir(place));
    let name = slug(&place.project);
    let names = if name.len() <= LONGEST_SLUG {
        vec![name]
    } else {
        let beginning = name.get(..LONGEST_SLUG).unwrap_or_default();
        files.list(&root).into_iter().filter(|folder| folder.starts_with(beginning)).collect()
    };
    names.into_iter().map(|name| SessionFolder { path: format!("{root}/{name}"), shared: false }).collect()
}
