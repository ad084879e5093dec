//! Files that a script includes: `source lib.sh`, `from lib import refuse`, `require('./lib')`.

use crate::steps::ByteRange;

/// A file as a statement names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Include<'a> {
    /// The word of a shell, with its quotes; the name of a module in Python; the path in JavaScript.
    pub written: &'a str,
    /// The path of the file with the statement. `None` if the script itself includes it.
    pub from: Option<&'a str>,
    /// The statement of the script that includes the file, or the one with the statement.
    pub start: usize,
    pub end: usize,
}

impl Include<'_> {
    /// The place of the statement in the script.
    pub fn at(&self) -> ByteRange {
        self.start..self.end
    }
}

/// A file that a script includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncludedFile {
    pub path: String,
    pub text: String,
}

/// Finds the file that a statement includes. `None` if it is not known or cannot be read.
pub type FileLookup<'a> = &'a dyn Fn(&Include<'_>) -> Option<IncludedFile>;

/// A lookup that knows no file.
pub fn no_files(_: &Include<'_>) -> Option<IncludedFile> {
    None
}
