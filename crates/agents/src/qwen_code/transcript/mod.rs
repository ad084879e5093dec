//! Qwen Code's session files in three formats: JSON Lines (current versions,
//! `<user>/projects/<slug>/chats/<session>.jsonl`), one JSON object (older versions), and the format of an early
//! specification that no released version writes.
//!
//! `../NOTES.md` lists the events that are reconstructed, and the sources of the formats.

mod jsonl;
mod legacy;
mod seed001;

use crate::shared::conversation;
use crate::shared::reconstruction::{slug, text};
use serde_json::Value;

use hookbench_base::config::{Files, Place};
use hookbench_base::recorded::{
    FileContext, FileHead, FileShape, FormatFit, MessagePart, SessionDirectory, TranscriptFormat, TranscriptReader,
    digest,
};

/// The transcript formats.
pub static FORMATS: [&dyn TranscriptFormat; 3] = [&JsonlFormat, &LegacyFormat, &Seed001Format];

struct JsonlFormat;

impl TranscriptFormat for JsonlFormat {
    fn kind(&self) -> &'static str {
        "qwen-transcript"
    }
    fn shape(&self) -> FileShape {
        FileShape::Lines
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        FormatFit::certain(head.records.iter().any(|record| {
            let kind = matches!(text(record, "type"), Some("user" | "assistant" | "tool_result" | "system"));
            let own = record.pointer("/message/parts").is_some()
                || record.get("provenance").is_some()
                || record.get("systemPayload").is_some();
            kind && own && text(record, "uuid").is_some() && text(record, "sessionId").is_some()
        }))
    }
    fn message(&self, record: &Value) -> Vec<MessagePart> {
        jsonl::parts(record)
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(jsonl::JsonlReader::new(about))
    }
}

struct LegacyFormat;

impl TranscriptFormat for LegacyFormat {
    fn kind(&self) -> &'static str {
        "qwen-session"
    }
    fn shape(&self) -> FileShape {
        FileShape::Whole
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        FormatFit::certain(conversation::fit(head, "qwen", "/.qwen/") == FormatFit::Certain)
    }
    fn message(&self, record: &Value) -> Vec<MessagePart> {
        conversation::message_parts(record, "qwen")
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(legacy::LegacyReader::new(about))
    }
}

struct Seed001Format;

impl TranscriptFormat for Seed001Format {
    fn kind(&self) -> &'static str {
        "seed001-transcript"
    }
    fn shape(&self) -> FileShape {
        FileShape::Lines
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        head.records.iter().map(seed001::fit).max().unwrap_or(FormatFit::No)
    }
    fn message(&self, record: &Value) -> Vec<MessagePart> {
        seed001::message(record)
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(seed001::Seed001Reader::new(about))
    }
}

/// Returns the session directories of a project.
pub fn directories(place: &Place, _files: &dyn Files) -> Vec<SessionDirectory> {
    let user = super::layers::user_dir(place);
    let chats = format!("{user}/projects/{}/chats", slug(&place.project));
    let before = format!("{user}/tmp/{}/chats", project_hash(&place.project));
    [chats, before].map(|path| SessionDirectory { path, shared: false }).into()
}

/// Returns the project's id in older versions: the SHA-256 of its path.
fn project_hash(project: &str) -> String {
    digest(project.as_bytes())
}
