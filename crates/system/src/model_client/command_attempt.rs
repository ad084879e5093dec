//! One attempt with a command that answers as the model.

use std::process::Command;
use std::time::Duration;

use hookbench_core::model_client::{
    AttemptFailure, FailureKind, MAX_RESPONSE, ModelPrompt, RECURSION_VARIABLE, command_input,
};
use hookbench_core::run::{Exit, FinishCondition};

use crate::child_process::{ChildProcess, SignalPipes};

/// The number of characters of stderr that a message repeats.
const MAX_STDERR: usize = 200;

/// The end of a command.
pub enum CommandEnd {
    Printed(String),
    Failed { kind: FailureKind, message: String },
}

/// Asks the command once.
pub fn ask(
    words: &[String],
    prompt: &ModelPrompt,
    limit: Duration,
    signals: &SignalPipes,
) -> Result<String, AttemptFailure> {
    match run_words(words, command_input(prompt).as_bytes(), limit, signals) {
        CommandEnd::Printed(text) if text.trim().is_empty() => {
            Err(AttemptFailure::new(FailureKind::Transient, "the command printed nothing"))
        }
        CommandEnd::Printed(text) => Ok(text),
        CommandEnd::Failed { kind, message } => Err(AttemptFailure::new(kind, message)),
    }
}

/// Runs a program with its arguments in a new session, and ends all its processes with it.
pub fn run_words(words: &[String], stdin: &[u8], limit: Duration, signals: &SignalPipes) -> CommandEnd {
    let failed = |kind, message: String| CommandEnd::Failed { kind, message };
    let Some((program, args)) = words.split_first() else {
        return failed(FailureKind::Configuration, "model.command is empty".to_owned());
    };
    let mut command = Command::new(program);
    command.args(args).env(RECURSION_VARIABLE, "1");
    let process = ChildProcess {
        command,
        stdin,
        keep: MAX_RESPONSE + 1,
        finish: FinishCondition::AtExit,
        limit: Some(limit),
        has_own_session: true,
    };
    let output = match process.run(signals, || {}) {
        Ok(output) => output,
        Err(why) => return failed(FailureKind::Configuration, format!("{program} did not start: {why}")),
    };
    if output.killed_by_caller.is_some() {
        return failed(FailureKind::Permanent, "a signal ended the call".to_owned());
    }
    match output.exit {
        Exit::Code(0) if output.stdout.len() > MAX_RESPONSE => {
            failed(FailureKind::Permanent, format!("{program} printed more than 1 MiB"))
        }
        Exit::Code(0) => CommandEnd::Printed(String::from_utf8_lossy(&output.stdout).into_owned()),
        Exit::TimedOut { after } => {
            failed(FailureKind::Transient, format!("{program} did not answer within {} ms", after.as_millis()))
        }
        exit => {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let last = stderr.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
            let text: String = last.chars().filter(|c| !c.is_control()).take(MAX_STDERR).collect();
            let says = if text.is_empty() { String::new() } else { format!(": {text}") };
            failed(FailureKind::Transient, format!("{program} ended with {}{says}", exit.describe()))
        }
    }
}
