//! The facts that a guard requests from its caller: files, the end of the transcript, and the place in which the agent runs.

/// A file that a rule reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardFile {
    Missing,
    /// Bytes that are not UTF-8 are replaced.
    Text(String),
    /// It exists, but is not a regular file, or cannot be read.
    Unreadable,
}

/// The end of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranscriptEnd {
    pub bytes: Vec<u8>,
    /// Whether this is the whole file.
    pub whole: bool,
}

/// The files around an event.
pub trait Surroundings {
    /// Reads a file. The path is absolute.
    fn file(&self, path: &str) -> GuardFile;
    /// Reads the end of a transcript. `None` if it cannot be read.
    fn transcript(&self, path: &str) -> Option<TranscriptEnd>;
    /// The home directory. Empty if unknown.
    fn home(&self) -> &str;
    /// The directory for temporary files (`TMPDIR`), if it is set.
    fn temporary(&self) -> Option<&str>;
}
