//! Why a file of the user's was not written.

use std::path::Path;

use crate::disk::cause::io_cause;
use crate::disk::state_dir::StateError;

/// The reason why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{0} has changed in the meantime; nothing was written")]
    Changed(String),
    #[error(
        "{path} has changed twice in the meantime: one version is there, the other is now in {kept}; hookbench changed nothing in them"
    )]
    ChangedTwice { path: String, kept: String },
    #[error("not undone: {0} has changed since")]
    ChangedSince(String),
    #[error("{path} cannot be written: {}", io_cause(source))]
    Io { path: String, source: std::io::Error },
    #[error("{0}, so the change could not be undone later; nothing was written")]
    Journal(#[from] StateError),
    #[error("nothing to undo")]
    Nothing,
    #[error("the last change was made in {0}: undo it with --project {0}")]
    Elsewhere(String),
    #[error("{0}: the record of the change cannot be read")]
    Record(String),
    #[error(
        "{path} is a link out of the project, to {real}; nothing was written. To write there, add --follow-links, or run hookbench in the directory of that file"
    )]
    LeadsOut { path: String, real: String },
}

/// The error of a system call on a file.
pub(super) fn io(path: &Path, source: std::io::Error) -> WriteError {
    WriteError::Io { path: path.display().to_string(), source }
}
