//! `doctor`: the installed agents, the state of hookbench's own files, and the terminal.

use super::args::DoctorArgs;
use super::error::CliError;
use super::print::{self, emit};
use super::run::runtime;
use super::signals::stop_signals;
use hookbench_app::document::{TerminalDoc, doctor_doc};
use hookbench_app::{ExitStatus, examine, kill_every_group, make_place, write_stderr};

/// Runs `doctor`. `terminal` comes from the screen crate.
pub fn doctor(args: &DoctorArgs, terminal: TerminalDoc) -> ExitStatus {
    run_doctor(args, terminal).unwrap_or_else(|failure| {
        write_stderr(&failure);
        failure.status()
    })
}

fn run_doctor(args: &DoctorArgs, terminal: TerminalDoc) -> Result<ExitStatus, CliError> {
    let place = make_place(None, None)?;
    let runtime = runtime(2)?;
    let found = runtime.block_on(async {
        let mut stops = stop_signals();
        tokio::select! {
            found = examine(&place) => Some(found),
            Some(()) = stops.recv() => None,
        }
    });
    let Some(found) = found else {
        kill_every_group();
        return Ok(ExitStatus::Interrupted);
    };
    // Dropping the runtime ends every child process that is still running.
    drop(runtime);
    let doc = doctor_doc(found, terminal);
    emit(args.format, &doc, || print::doctor(&doc))
}
