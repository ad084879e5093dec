//! The document of a command that failed: with `--format json`, stdout has it in place of the command's own document.

use serde::Serialize;

use crate::environment::console::ExitStatus;

/// The top level of the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailureDoc {
    /// `error/1`.
    pub schema: &'static str,
    pub error: FailureDetailDoc,
}

/// The failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailureDetailDoc {
    /// `usage`, `consent`, `file` or `internal`: one kind for each exit status.
    pub kind: &'static str,
    /// The exit status of the program.
    pub status: u8,
    /// The cause, with its place.
    pub message: String,
    /// The next step for the user.
    pub help: Option<String>,
}

/// Builds the document of a failure. The message may end in a line that begins with `help:`.
pub fn error_doc(status: ExitStatus, text: &str) -> FailureDoc {
    let (message, help) = match text.split_once("\n  help: ") {
        Some((message, help)) => (message, Some(help.to_owned())),
        None => (text, None),
    };
    let kind = match status {
        ExitStatus::Usage => "usage",
        ExitStatus::ConsentNeeded => "consent",
        ExitStatus::BadFile => "file",
        _ => "internal",
    };
    let error = FailureDetailDoc { kind, status: status.code(), message: message.to_owned(), help };
    FailureDoc { schema: "error/1", error }
}
