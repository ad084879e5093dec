//! Programs of the machine that are asked something of our own: apart from the project and from its hooks.

use std::time::Duration;

use hookbench_core::run::{EnvChange, Finish, KillSpec, ProcessSpec};

/// Between asking it to end and ending it.
const GRACE: Duration = Duration::from_millis(200);

/// A program with arguments, with so much time, of whose output so many bytes are looked at.
pub(super) fn question(program: String, args: Vec<String>, limit: Duration, keep: usize) -> ProcessSpec {
    ProcessSpec {
        program,
        args,
        // Not in the project: what lies there is none of its business now.
        cwd: std::env::temp_dir().display().to_string(),
        env: EnvChange::default(),
        stdin: Vec::new().into(),
        timeout: Some(limit),
        finish: Finish::AtExit,
        kill: KillSpec { grace: GRACE },
        keep,
        names_folder: false,
    }
}
