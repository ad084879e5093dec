//! Warnings and questions before hooks run in a copy of the project: the limits of this system, the size of a large copy.

use std::path::Path;

use super::consent::{can_ask, confirm};
use super::error::CliError;
use super::progress::warn;
use hookbench_app::{allow_large_copies, copy_limit, isolation_warning, large_copy_question};

/// Prepares the user for contained runs, if they are. `yes` answers the question.
pub fn prepare_containment(contained: bool, project: &Path, yes: bool) -> Result<(), CliError> {
    if !contained {
        return Ok(());
    }
    if let Some(warning) = isolation_warning() {
        warn(&warning);
    }
    confirm_copy(project, yes)
}

/// Asks before a large directory is copied. `yes` answers the question.
pub fn confirm_copy(directory: &Path, yes: bool) -> Result<(), CliError> {
    let Some(size) = large_copy_question(directory) else { return Ok(()) };
    if !yes && !can_ask() {
        return Err(CliError::Consent(format!("{size}\n  help: {}", copy_limit())));
    }
    if !yes && !confirm(&format!("{size}\nCopy it?")) {
        return Err(CliError::Consent("nothing was copied and nothing was run".to_owned()));
    }
    allow_large_copies();
    Ok(())
}
