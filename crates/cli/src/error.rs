//! The failures of a command, and their exit statuses.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;

use super::print::{document_is_printed, print_json, print_json_line};
use hookbench_app::document::error_doc;
use hookbench_app::{
    ExitStatus, InputError, PlaceError, SettingsFileError, StoreError, StoreErrorKind, WriteError, io_cause,
    write_stderr,
};

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
    #[error("{0}{help}", help = .0.kind.help().map(|help| format!("\n  help: {help}")).unwrap_or_default())]
    Store(#[from] StoreError),
    #[error("{0}")]
    Consent(String),
    #[error("interrupted")]
    Interrupted,
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

/// Reports a failure on stderr and, where the command line asks for JSON, as a document on stdout. Returns its status.
pub fn report(failure: &CliError) -> ExitStatus {
    write_stderr(failure);
    print_error(failure.status(), &failure.to_string());
    failure.status()
}

/// Reports a command line that clap does not accept, or prints the help or the version, which clap reports as errors.
pub fn report_usage(why: &clap::Error) -> ExitStatus {
    // Printing fails only if stdout is closed.
    let _ = why.print();
    if !why.use_stderr() {
        return ExitStatus::Ok;
    }
    let text = why.to_string();
    let mut parts = text.split("\n\n");
    let message = parts.next().unwrap_or_default().trim_start_matches("error: ");
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let tip = parts.find_map(|part| part.trim_start().strip_prefix("tip: "));
    print_error(ExitStatus::Usage, &tip.map_or_else(|| message.clone(), |tip| format!("{message}\n  help: {tip}")));
    ExitStatus::Usage
}

/// Prints the document of a failure if the command line asks for JSON. Stdout never has two documents: a command that has
/// printed its own says in it what was not done.
fn print_error(status: ExitStatus, text: &str) {
    let words: Vec<OsString> = std::env::args_os().collect();
    // Of the raw words, because a wrong command line has no parsed arguments.
    let asks = |format: &str| {
        let joined = format!("--format={format}");
        words.iter().any(|word| *word == *joined) || words.windows(2).any(|two| two == ["--format", format])
    };
    // Serialization cannot fail: the document has strings and a number.
    let _ = match (asks("jsonl"), asks("json")) {
        (true, _) => print_json_line(&error_doc(status, text)),
        (false, true) if !document_is_printed() => print_json(&error_doc(status, text)),
        _ => return,
    };
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
            CliError::Store(why) if matches!(why.kind, StoreErrorKind::NoEvent(_)) => ExitStatus::Usage,
            CliError::Place(_) | CliError::File { .. } | CliError::BadInput(_) | CliError::Store(_) => {
                ExitStatus::BadFile
            }
            CliError::Consent(_) => ExitStatus::ConsentNeeded,
            CliError::Interrupted => ExitStatus::Interrupted,
            CliError::Internal(_) => ExitStatus::Internal,
        }
    }
}
