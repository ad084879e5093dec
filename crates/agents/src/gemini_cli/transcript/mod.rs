//! Session files: `<user>/tmp/<project>/chats/session-….jsonl`; older versions write `.json` with the same
//! messages in one object.
//!
//! `../NOTES.md` lists the events that are reconstructed, and the sources of the formats.

mod messages;

use serde_json::Value;

use self::messages::MessageReader;
use super::layers::user_dir;
use crate::shared::conversation;
use crate::shared::reconstruction::text;
use hookbench_base::config::{Files, Place};
use hookbench_base::recorded::{
    FileContext, FileHead, FileShape, FormatFit, MessagePart, SessionDirectory, TranscriptFormat, TranscriptItem,
    TranscriptReader, digest,
};

/// The transcript formats.
pub static FORMATS: [&dyn TranscriptFormat; 2] = [&JsonlFormat, &LegacyFormat];

/// The file in a project's directory that holds its path.
const PROJECT_FILE: &str = ".project_root";

struct JsonlFormat;

impl TranscriptFormat for JsonlFormat {
    fn kind(&self) -> &'static str {
        "gemini-transcript"
    }
    fn shape(&self) -> FileShape {
        FileShape::Lines
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        let first = |record: &Value| {
            text(record, "sessionId").is_some()
                && text(record, "projectHash").is_some()
                && record.get("messages").is_none()
        };
        FormatFit::certain(head.records.iter().any(first))
    }
    fn companion(&self, path: &str) -> Option<String> {
        project_file(path)
    }
    fn message(&self, record: &Value) -> Vec<MessagePart> {
        conversation::message_parts(record, "gemini")
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(JsonlReader { messages: MessageReader::new(about), has_message: false })
    }
}

struct LegacyFormat;

impl TranscriptFormat for LegacyFormat {
    fn kind(&self) -> &'static str {
        "gemini-session"
    }
    fn shape(&self) -> FileShape {
        FileShape::Whole
    }
    fn detect(&self, head: &FileHead<'_>) -> FormatFit {
        conversation::fit(head, "gemini", "/.gemini/")
    }
    fn companion(&self, path: &str) -> Option<String> {
        project_file(path)
    }
    fn message(&self, record: &Value) -> Vec<MessagePart> {
        conversation::message_parts(record, "gemini")
    }
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader> {
        Box::new(LegacyReader(MessageReader::new(about)))
    }
}

fn project_file(path: &str) -> Option<String> {
    let (project, _) = path.rsplit_once("/chats/")?;
    Some(format!("{project}/{PROJECT_FILE}"))
}

struct JsonlReader {
    messages: MessageReader,
    /// Whether a message was read.
    has_message: bool,
}

impl TranscriptReader for JsonlReader {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        if record.get("$rewindTo").is_some() {
            // Messages that were rewound have still happened.
        } else if let Some(set) = record.get("$set") {
            self.messages.read_session_facts(set);
            // The whole history again, rewritten. It is read only if the file has no other messages.
            let again = set.get("messages").and_then(Value::as_array).filter(|_| !self.has_message);
            for message in again.into_iter().flatten() {
                self.messages.message(line, message, out);
            }
        } else if text(&record, "id").is_some() {
            self.has_message = true;
            self.messages.message(line, &record, out);
        } else if text(&record, "sessionId").is_some() {
            self.messages.read_session_facts(&record);
        } else {
            out.push(TranscriptItem::Skipped { line, why: "neither a message nor data of the session".to_owned() });
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.messages.end(out);
    }
}

struct LegacyReader(MessageReader);

impl TranscriptReader for LegacyReader {
    fn record(&mut self, line: u64, text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        let Some(file) = conversation::parse(text) else {
            return out
                .push(TranscriptItem::Skipped { line, why: "its messages are not a list of objects".to_owned() });
        };
        self.0.read_session_facts(&record);
        for (line, message) in &file.messages {
            self.0.message(*line, message, out);
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.0.end(out);
    }
}

/// Returns the session directories of a project: the one named in the registry, the one named by the hash of the path,
/// and any that are marked with its path.
pub fn directories(place: &Place, files: &dyn Files) -> Vec<SessionDirectory> {
    let user = user_dir(place);
    let registry = files.read(&format!("{user}/projects.json")).ok();
    let registry = registry.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let registered = registry.as_ref().and_then(|known| text(known.get("projects")?, &place.project));
    let marked = files.list(&format!("{user}/tmp")).into_iter().filter(|name| {
        let owner = files.read(&format!("{user}/tmp/{name}/{PROJECT_FILE}")).unwrap_or_default();
        String::from_utf8_lossy(&owner).trim() == place.project
    });
    let hash = Some(project_hash(&place.project));
    let mut names: Vec<String> = registered.map(str::to_owned).into_iter().chain(hash).chain(marked).collect();
    names.sort();
    names.dedup();
    let directory = |name| SessionDirectory { path: format!("{user}/tmp/{name}/chats"), shared: false };
    names.into_iter().map(directory).collect()
}

/// Returns the project's id in session files: the SHA-256 of its path.
fn project_hash(project: &str) -> String {
    digest(project.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::MemoryFiles;

    #[test]
    fn a_project_has_more_than_one_directory() {
        let place = Place { project: "/p/a".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let mut files = MemoryFiles::default();
        files.put("/h/.gemini/projects.json", r#"{"projects": {"/p/a": "a-1", "/p/b": "b"}}"#);
        files.put("/h/.gemini/tmp/a/.project_root", "/p/a\n");
        files.put("/h/.gemini/tmp/b/.project_root", "/p/b");
        let found: Vec<String> = directories(&place, &files).into_iter().map(|f| f.path).collect();
        let hash = project_hash("/p/a");
        let mut want = ["a".to_owned(), "a-1".to_owned(), hash];
        want.sort();
        assert_eq!(found, want.map(|name| format!("/h/.gemini/tmp/{name}/chats")));
    }
}
