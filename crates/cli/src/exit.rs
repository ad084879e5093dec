//! The failures of a command, and their exit statuses.

use hookbench_app::{InputError, PlaceError, Status, StoreFault};

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{0}")]
    Place(#[from] PlaceError),
    #[error("{file}: {why}")]
    File { file: String, why: String },
    /// Invalid input that was named on the command line. The text includes its location.
    #[error("{0}")]
    BadInput(String),
    #[error("{0}{cure}", cure = .0.trouble.cure().map(|cure| format!("\n{cure}")).unwrap_or_default())]
    Store(#[from] StoreFault),
    #[error("{0}")]
    Consent(String),
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    /// Returns the exit status of this failure.
    pub fn status(&self) -> Status {
        match self {
            Failure::Usage(_) => Status::Usage,
            Failure::Input(why) if why.in_payload() => Status::BadFile,
            Failure::Input(_) => Status::Usage,
            Failure::Place(_) | Failure::File { .. } | Failure::BadInput(_) | Failure::Store(_) => Status::BadFile,
            Failure::Consent(_) => Status::ConsentNeeded,
            Failure::Internal(_) => Status::Internal,
        }
    }
}
