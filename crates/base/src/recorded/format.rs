//! Transcript formats: how a file's format is detected, and the reader for it.
//!
//! The agents' formats are in their dialects; the others are in `core::transcript`.

use serde_json::Value;

use super::event::{RecordedEvent, RecordedSession};

/// The number of bytes that are read to detect a file's format.
pub const HEAD_BYTES: usize = 64 << 10;

/// The beginning of a file.
#[derive(Debug)]
pub struct FileHead<'a> {
    /// Absolute.
    pub path: &'a str,
    /// At most [`HEAD_BYTES`] bytes.
    pub text: &'a str,
    /// The records of its first lines, if they are complete and valid JSON. Empty for a file that is one JSON value
    /// over many lines.
    pub records: Vec<Value>,
}

/// The likelihood that a file has a certain format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FormatFit {
    No,
    /// The structure fits, and nothing contradicts it.
    Possible,
    Certain,
}

impl FormatFit {
    /// `Certain` if `is` is true, otherwise `No`.
    pub fn certain(is: bool) -> FormatFit {
        if is { FormatFit::Certain } else { FormatFit::No }
    }
}

/// The structure of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileShape {
    /// Each line is one JSON record.
    Lines,
    /// JSON objects one after the other, each of which begins at the start of a line.
    Objects,
    /// The whole file is one JSON value.
    Whole,
}

/// The context for reading a file.
#[derive(Debug, Clone, Default)]
pub struct FileContext {
    /// Absolute.
    pub path: String,
    /// The text of the file that [`TranscriptFormat::companion`] names, if it exists.
    pub companion: Option<String>,
    /// The home directory, for paths that begin with `~`.
    pub home: String,
    /// The open project: some files identify their project only by a hash.
    pub project: String,
}

/// A result of reading a record.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptItem {
    /// The known metadata of a session. Emitted before its first event, and again when more is known.
    Session(RecordedSession),
    /// An event. The caller fills in its `subject`.
    Event(Box<RecordedEvent>),
    /// A line that gave no result but should have.
    Skipped { line: u64, why: String },
}

/// A transcript format.
pub trait TranscriptFormat: Sync {
    /// The word in documents.
    fn kind(&self) -> &'static str;
    /// The structure of the file.
    fn shape(&self) -> FileShape;
    /// Whether a file has this format.
    fn detect(&self, head: &FileHead<'_>) -> FormatFit;
    /// The path of a small file with additional facts about this one.
    fn companion(&self, _path: &str) -> Option<String> {
        None
    }
    /// The directory of the sessions that this session started.
    fn nested(&self, _path: &str) -> Option<String> {
        None
    }
    /// The parts of the message that one record holds. Empty for a record of another format, and for one without a
    /// message. A record of a whole file is one item of its list of messages.
    fn message(&self, _record: &Value) -> Vec<MessagePart> {
        Vec::new()
    }
    /// A reader for one file.
    fn reader(&self, about: &FileContext) -> Box<dyn TranscriptReader>;
}

/// Reads one file, record by record. Keeps only the state that later records need, and never fails.
pub trait TranscriptReader: Send {
    /// Reads one record with its text, in file order. Lines are counted from 1.
    fn record(&mut self, line: u64, text: &str, record: Value, out: &mut Vec<TranscriptItem>);
    /// Reads one record from its text alone, for formats with very many records. False if it must be parsed.
    fn text_record(&mut self, _line: u64, _text: &str, _out: &mut Vec<TranscriptItem>) -> bool {
        false
    }
    /// Ends the input. The file may still grow later.
    fn end(&mut self, out: &mut Vec<TranscriptItem>);
}

/// A directory in which an agent stores its sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionDirectory {
    /// Absolute.
    pub path: String,
    /// Whether the directory holds the sessions of all projects, sorted by date, so that each file names its project.
    pub shared: bool,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum MessagePart {
    /// A prompt that a user wrote.
    UserText(String),
    /// A text of the model.
    ModelText(String),
    Call(CalledTool),
    Result(CallOutput),
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct CalledTool {
    pub id: Option<String>,
    /// The tool's name in the agent.
    pub tool: String,
    pub input: Value,
}

/// The output of a tool call, as the model received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOutput {
    /// The id of the call. `None` if the format does not record it.
    pub call: Option<String>,
    pub text: String,
    /// Whether the agent marked the call as failed. `None` if the format does not record it.
    pub failed: Option<bool>,
}
