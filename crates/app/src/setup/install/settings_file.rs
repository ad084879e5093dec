//! The settings file of an agent that a change starts from, and the errors that prevent the change.

use super::own_program::OwnProgram;
use hookbench_core::config::{FileError, Files};
use hookbench_core::convert::SettingsEditError;
use hookbench_core::dialects::Agent;

/// Errors that prevent a change of an agent's settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFileError {
    #[error("{0} has no user-editable settings in that layer")]
    NoLayer(&'static str),
    #[error("{0} replaces $ in its settings, so they cannot contain {1}: put hookbench into a directory on PATH")]
    Dollar(&'static str, String),
    #[error("hookbench cannot find its own path: {0}")]
    Program(std::io::Error),
    #[error("{file} cannot be read: {why}; nothing was written")]
    Unreadable { file: String, why: String },
    #[error("{file}:{line}:{column}: {message}; fix the file first. Nothing was written")]
    NotEditable { file: String, line: usize, column: usize, message: String },
}

impl SettingsFileError {
    /// The error for a file that cannot be edited.
    pub fn not_editable(file: &str, why: SettingsEditError) -> SettingsFileError {
        SettingsFileError::NotEditable {
            file: file.to_owned(),
            line: why.line,
            column: why.column,
            message: why.message,
        }
    }
}

/// Checks that the settings of an agent can contain the program's name or path.
///
/// # Errors
/// Returns an error if the agent would replace a part of it.
pub fn check_program(program: &OwnProgram, dialect: &Agent) -> Result<(), SettingsFileError> {
    let format = dialect.settings_format();
    if (format.expands_on_load || format.replaces_text) && program.command_word.contains('$') {
        return Err(SettingsFileError::Dollar(dialect.name(), program.command_word.clone()));
    }
    Ok(())
}

/// Returns the text of a settings file, if the file exists. `file` is its displayed path.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read_settings(path: &str, file: &str, files: &dyn Files) -> Result<Option<String>, SettingsFileError> {
    let unreadable = |why: String| SettingsFileError::Unreadable { file: file.to_owned(), why };
    match files.read(path) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is not UTF-8".to_owned())),
        Err(FileError::Missing) => Ok(None),
        Err(FileError::Unreadable { why, help }) => Err(unreadable(format!("{why} ({help})"))),
    }
}
