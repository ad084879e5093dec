//! `fire --repeat`: how long the hooks of an event take.

use super::args::FireArgs;
use super::error::CliError;
use super::formats::StreamFormat;
use super::print::{self, print_json, print_json_line, print_page};
use super::run::{self, runtime};
use super::signals::stop_signals;
use hookbench_app::document::repeat_doc;
use hookbench_app::{
    Command, ExitStatus, FiringRecord, RepeatedHook, Session, add_firing, bare_command, kill_every_group,
    measure_bare_starts,
};
use hookbench_core::run::ProcessSpec;

/// Fires the event of the last firing again, measures bare starts, and prints the times.
pub fn repeat(session: &mut Session, times: u16, args: &FireArgs) -> Result<ExitStatus, CliError> {
    let mut hooks = Vec::new();
    add_last(session, &mut hooks)?;
    for _ in 0..times {
        if run::fire(session, Command::Fire, args)? == ExitStatus::Interrupted {
            return Ok(ExitStatus::Interrupted);
        }
        run::print_entries(session);
        add_last(session, &mut hooks)?;
    }
    let bare: Vec<(usize, ProcessSpec, &'static str)> = hooks
        .iter()
        .enumerate()
        .filter_map(|(index, hook)| Some((index, hook.process.clone()?, bare_command_of(session, hook))))
        .collect();
    let measured = runtime(2)?.block_on(async {
        let mut stops = stop_signals();
        let measure = async {
            let mut measured = Vec::new();
            for (index, spec, command) in bare {
                measured.push((index, command, measure_bare_starts(&spec, command, times.into()).await));
            }
            measured
        };
        tokio::select! {
            measured = measure => Some(measured),
            Some(()) = stops.recv() => None,
        }
    });
    let Some(measured) = measured else {
        kill_every_group();
        return Ok(ExitStatus::Interrupted);
    };
    for (index, command, times) in measured {
        if let Some(hook) = hooks.get_mut(index).filter(|_| !times.is_empty()) {
            hook.bare = Some((command, times));
        }
    }
    let firing = last(session)?;
    let doc = repeat_doc(firing, times.into(), &hooks);
    match args.format.form() {
        Some(form) => print_page(args.sharing.style(form), |page| print::repeated(page, &doc)),
        None if args.format == StreamFormat::Json => {
            print_json(&doc)?;
        }
        None => {
            print_json_line(&doc)?;
        }
    }
    Ok(run::verdict_status(firing, args))
}

fn last(session: &Session) -> Result<&FiringRecord, CliError> {
    session.history().newest_record().ok_or_else(|| CliError::Internal("the event was not fired".to_owned()))
}

fn add_last(session: &Session, hooks: &mut Vec<RepeatedHook>) -> Result<(), CliError> {
    add_firing(hooks, last(session)?);
    Ok(())
}

/// The command that only starts the interpreter of a hook's script.
fn bare_command_of(session: &Session, hook: &RepeatedHook) -> &'static str {
    let definition = session.loaded().and_then(|loaded| loaded.definition(&hook.hook));
    let script = definition.zip(session.current()).and_then(|(one, agent)| session.hook_script(agent, one));
    bare_command(script.as_ref().and_then(|script| Some((script.path.as_deref()?, script.text.as_deref()?))))
}
