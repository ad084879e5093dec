//! `doctor`: the installed agents, the state of hookbench's own files, and the terminal.

use super::args::DoctorArgs;
use super::consent::ask_model_consent;
use super::error::{CliError, report};
use super::print::{self, emit};
use super::run::runtime;
use super::signals::stop_signals;
use hookbench_app::document::{TerminalDoc, doctor_doc};
use hookbench_app::{ExitStatus, ModelHealth, configured_model, examine, kill_every_group, make_place, measure_model};
use hookbench_core::config::Place;

/// Runs `doctor`. `terminal` comes from the screen crate.
pub fn doctor(args: &DoctorArgs, terminal: TerminalDoc) -> ExitStatus {
    run_doctor(args, terminal).unwrap_or_else(|failure| report(&failure))
}

fn run_doctor(args: &DoctorArgs, terminal: TerminalDoc) -> Result<ExitStatus, CliError> {
    let place = make_place(None, None)?;
    if args.allow_model {
        allow_model(&place, args.yes)?;
    }
    let runtime = runtime(2)?;
    let found = runtime.block_on(async {
        let mut stops = stop_signals();
        tokio::select! {
            found = async { (examine(&place).await, measure(&place).await) } => Some(found),
            Some(()) = stops.recv() => None,
        }
    });
    let Some((found, model)) = found else {
        kill_every_group();
        return Ok(ExitStatus::Interrupted);
    };
    // Dropping the runtime ends every child process that is still running.
    drop(runtime);
    let doc = doctor_doc(found, terminal, model);
    emit(args.format, &doc, || print::doctor(&doc))
}

/// Measures the configured model on a separate thread, because the call blocks.
async fn measure(place: &Place) -> Option<ModelHealth> {
    let place = place.clone();
    tokio::task::spawn_blocking(move || measure_model(&place)).await.ok().flatten()
}

/// Asks whether the model may receive text of this project, and stores the approval.
fn allow_model(place: &Place, yes: bool) -> Result<(), CliError> {
    let model = configured_model(place).ready().map_err(CliError::BadInput)?;
    if model.check_consent().is_ok() {
        return Ok(());
    }
    ask_model_consent(&model, yes)?;
    model.give_consent().map_err(|why| CliError::BadInput(why.to_string()))
}
