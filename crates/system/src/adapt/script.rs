//! Starts the script as its own agent would: with that agent's variables and limits.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::Command;

use hookbench_core::run::{Exit, FinishCondition, ProcessSpec};

use crate::child_process::{ChildOutput, ChildProcess, SignalPipes};

/// The number of bytes kept of each stream if the script's agent is unknown.
const KEEP: usize = 1 << 20;
/// The exit status of a shell for a command that is missing.
const NOT_FOUND: i32 = 127;
/// The exit status of a shell for a file that cannot be run.
const NOT_EXECUTABLE: i32 = 126;

/// Runs a script to its end. `spec` is how the script's agent would start it. `meanwhile` is called once it has started.
pub fn run_script(
    words: &[OsString],
    stdin: &[u8],
    spec: Option<&ProcessSpec>,
    signals: &SignalPipes,
    meanwhile: impl FnOnce(),
) -> ChildOutput {
    let process = command(words, spec).map(|command| ChildProcess {
        command,
        stdin,
        keep: spec.map_or(KEEP, |spec| spec.keep),
        finish: spec.map_or(FinishCondition::AtEof, |spec| spec.finish),
        limit: None,
        has_own_session: false,
    });
    process.and_then(|process| process.run(signals, meanwhile)).unwrap_or_else(|why| not_started(words, &why))
}

fn command(words: &[OsString], spec: Option<&ProcessSpec>) -> std::io::Result<Command> {
    let (program, args) =
        words.split_first().ok_or_else(|| std::io::Error::new(ErrorKind::NotFound, "there is no command"))?;
    let mut command = Command::new(program);
    command.args(args);
    if let Some(spec) = spec {
        for name in &spec.env.remove {
            command.env_remove(name);
        }
        command.envs(spec.env.pairs());
        // What the script writes there would only have an effect in its own agent.
        command.envs(spec.env.scratch_files.iter().map(|name| (name, "/dev/null")));
    }
    Ok(command)
}

/// The exit status of a shell for a program that cannot be started.
fn not_started(words: &[OsString], why: &std::io::Error) -> ChildOutput {
    let status = if why.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
    let program = words.first().map(|program| program.to_string_lossy()).unwrap_or_default();
    let stderr = format!("hookbench adapt: {program} did not start: {why}\n").into_bytes();
    ChildOutput { exit: Exit::Code(status), stdout: Vec::new(), stderr, killed_by_caller: None }
}
