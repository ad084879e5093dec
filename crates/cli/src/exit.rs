//! Why a command could not be done, and the exit status that goes with it.

use hookbench_app::{InputError, PlaceError, Status, StoreFault};

/// Why a command could not be done.
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
    /// Something named on the command line is not what it should be; the text says where.
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
    /// The status that goes with it.
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
