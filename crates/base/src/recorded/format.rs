//! A kind of file from which events are read: how it is told from others, and what reads it.
//!
//! The formats of the agents lie in their dialects; those that belong to nobody in `core::transcript`.

use serde_json::Value;

use super::event::{RecordedEvent, RecordedSession};

/// How many bytes of a file decide what it is.
pub const HEAD: usize = 64 << 10;

/// The beginning of a file.
#[derive(Debug)]
pub struct Head<'a> {
    /// Absolute.
    pub path: &'a str,
    /// At most [`HEAD`] bytes.
    pub text: &'a str,
    /// The records of its first lines, as far as they are whole and JSON. None in a file that is one value over many
    /// lines.
    pub records: Vec<Value>,
}

/// How sure a format is that a file is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    No,
    /// It has the shape, and nothing speaks against it.
    Possible,
    Certain,
}

impl Fit {
    /// Certain or not at all.
    pub fn certain(is: bool) -> Fit {
        if is { Fit::Certain } else { Fit::No }
    }
}

/// How a file is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A record is a line of JSON.
    Lines,
    /// The whole file is one JSON value.
    Whole,
}

/// What a reader is told of its file.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// Absolute.
    pub path: String,
    /// The text of the [`TranscriptFormat::companion`], when there is one.
    pub beside: Option<String>,
    /// The home folder, for paths that begin with `~`.
    pub home: String,
    /// The project that is open: some files tell theirs by a hash only.
    pub project: String,
}

/// What comes of a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    /// What is known of a session by now. Comes before its first event, and again when more is known.
    Session(RecordedSession),
    /// Its `subject` is filled in by the caller.
    Event(Box<RecordedEvent>),
    /// Nothing came of this line, and something could have.
    Skipped { line: u64, why: String },
}

/// A kind of file.
pub trait TranscriptFormat: Sync {
    /// The word for it, as in the documents.
    fn kind(&self) -> &'static str;
    /// How it is put together.
    fn shape(&self) -> Shape;
    /// Whether a file is of this kind.
    fn fits(&self, head: &Head<'_>) -> Fit;
    /// A small file that says more about this one.
    fn companion(&self, _path: &str) -> Option<String> {
        None
    }
    /// The folder in which the sessions lie that this one has started.
    fn nested(&self, _path: &str) -> Option<String> {
        None
    }
    /// What reads one file.
    fn reader(&self, about: &About) -> Box<dyn Reader>;
}

/// Reads one file, record by record. Remembers only what later records need; never fails.
pub trait Reader: Send {
    /// One record with its text, in the order of the file; lines are counted from 1.
    fn record(&mut self, line: u64, text: &str, record: Value, out: &mut Vec<Read>);
    /// There are no more records; those that were read may be all that there are so far.
    fn end(&mut self, out: &mut Vec<Read>);
}

/// Where an agent keeps its sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFolder {
    /// Absolute.
    pub path: String,
    /// Its files are those of every project, below it by date: each says which project it is about.
    pub shared: bool,
}
