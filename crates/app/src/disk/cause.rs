//! The words for a failure of the file system.

use std::io::{Error, ErrorKind};

/// The cause of an error of the file system, without the path and the number that the system adds.
pub fn io_cause(why: &Error) -> String {
    match why.kind() {
        ErrorKind::NotFound => "the file does not exist".to_owned(),
        ErrorKind::IsADirectory => "it is a directory".to_owned(),
        kind @ (ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::StorageFull) => {
            kind.to_string()
        }
        _ => why.to_string(),
    }
}
