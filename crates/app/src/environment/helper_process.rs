//! Helper programs that hookbench starts for itself, outside the project and independent of its hooks.

use std::time::Duration;

use hookbench_core::run::{EnvChange, FinishCondition, KillSpec, ProcessSpec};
use hookbench_system::own_directories::temporary_directory;

/// The time between the request to terminate and the kill.
const GRACE: Duration = Duration::from_millis(200);

/// A program with arguments, a time limit, and the number of output bytes to keep.
pub(crate) fn helper_process(program: String, args: Vec<String>, limit: Duration, keep: usize) -> ProcessSpec {
    ProcessSpec {
        program,
        args,
        // Not the project's directory, so that the project's files do not influence the program.
        cwd: temporary_directory().display().to_string(),
        env: EnvChange::default(),
        stdin: Vec::new().into(),
        timeout: Some(limit),
        finish: FinishCondition::AtExit,
        kill: KillSpec { grace: GRACE },
        keep,
        names_directory: false,
        runs_plain_files: false,
    }
}
