//! The failures of a command, and their exit statuses.

use std::io::ErrorKind;
use std::path::Path;

use hookbench_app::{ExitStatus, InputError, PlaceError, SettingsFileError, StoreError, WriteError, io_cause};

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
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
    #[error("{0}{help}", help = .0.kind.help().map(|help| format!("\n{help}")).unwrap_or_default())]
    Store(#[from] StoreError),
    #[error("{0}")]
    Consent(String),
    #[error("{0}")]
    Internal(String),
}

/// A failed write to a user's file.
impl From<WriteError> for CliError {
    fn from(why: WriteError) -> CliError {
        match why {
            WriteError::Nothing | WriteError::Elsewhere(_) => CliError::Usage(why.to_string()),
            _ => CliError::BadInput(why.to_string()),
        }
    }
}

/// A change of an agent's settings that is not possible.
impl From<SettingsFileError> for CliError {
    fn from(why: SettingsFileError) -> CliError {
        let says = why.to_string();
        match why {
            SettingsFileError::NoLayer(_) | SettingsFileError::Dollar(..) => CliError::Usage(says),
            SettingsFileError::Program(_) => CliError::Internal(says),
            SettingsFileError::Unreadable { .. } | SettingsFileError::NotEditable { .. } => CliError::BadInput(says),
        }
    }
}

impl CliError {
    /// A file that cannot be read or written.
    pub fn of_file(file: &Path, why: &std::io::Error) -> CliError {
        let directory = file.parent().filter(|directory| !directory.as_os_str().is_empty() && !directory.exists());
        let why = match directory.filter(|_| why.kind() == ErrorKind::NotFound) {
            Some(directory) => format!("the directory {} does not exist", directory.display()),
            None => io_cause(why),
        };
        CliError::File { file: file.display().to_string(), why }
    }

    /// Returns the exit status of this failure.
    pub fn status(&self) -> ExitStatus {
        match self {
            CliError::Usage(_) => ExitStatus::Usage,
            CliError::Input(why) if why.in_payload() => ExitStatus::BadFile,
            CliError::Input(_) => ExitStatus::Usage,
            CliError::Place(_) | CliError::File { .. } | CliError::BadInput(_) | CliError::Store(_) => {
                ExitStatus::BadFile
            }
            CliError::Consent(_) => ExitStatus::ConsentNeeded,
            CliError::Internal(_) => ExitStatus::Internal,
        }
    }
}
