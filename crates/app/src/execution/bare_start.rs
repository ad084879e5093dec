//! The start of a hook's shell and interpreter with nothing to do, to compare the times of the hook with.

use std::time::Duration;

use tokio::sync::mpsc;

use hookbench_core::names::RunId;
use hookbench_core::run::{Exit, Launch, ProcessSpec, RunRequest};
use hookbench_core::script_keys::interpreter_of;
use hookbench_system::runner::{RunEvent, Runner};

/// The size of the queue of a run's events.
const QUEUE: usize = 64;

/// The commands that start an interpreter with nothing to do.
const BARE_COMMANDS: [(&str, &str); 6] = [
    ("python", "python3 -c pass"),
    ("node", "node -e 0"),
    ("bash", "bash -c :"),
    ("zsh", "zsh -fc :"),
    ("perl", "perl -e 0"),
    ("ruby", "ruby -e 0"),
];

/// The command that only starts what a script needs: its interpreter, or else the shell.
pub fn bare_command(script: Option<(&str, &str)>) -> &'static str {
    let interpreter = script.map(|(path, text)| interpreter_of(None, path, text)).unwrap_or_default();
    BARE_COMMANDS.iter().find(|(name, _)| *name == interpreter).map_or(":", |(_, command)| command)
}

/// Runs a command in the shell, the directory and the environment of a hook, this many times in a row, and returns how long
/// each took. Empty if the hook has no shell, or if the command fails.
pub async fn measure_bare_starts(spec: &ProcessSpec, command: &str, times: usize) -> Vec<Duration> {
    let [.., flag, last] = spec.args.as_slice() else { return Vec::new() };
    if !flag.starts_with('-') || last.starts_with('-') {
        return Vec::new();
    }
    let mut spec = ProcessSpec { stdin: Vec::new().into(), names_directory: false, ..spec.clone() };
    if let Some(last) = spec.args.last_mut() {
        command.clone_into(last);
    }
    let (sender, mut events) = mpsc::channel(QUEUE);
    let runner = Runner::new(sender, 1.0);
    let mut took = Vec::new();
    for number in 0..times {
        let run = RunId(u32::try_from(number).unwrap_or(u32::MAX));
        let launch = Launch::Process(spec.clone());
        runner.start(RunRequest { run, hook: String::new(), launch, awaited: true });
        let report = loop {
            match events.recv().await {
                Some(RunEvent::Ended(report)) => break report,
                Some(_) => {}
                None => return Vec::new(),
            }
        };
        if report.exit != Exit::Code(0) {
            return Vec::new();
        }
        took.push(report.timing.duration());
    }
    took
}
