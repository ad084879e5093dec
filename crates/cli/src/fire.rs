//! `fire`: runs the hooks of one event and prints the outcome.

use std::path::Path;

use super::args::FireArgs;
use super::containment::prepare_containment;
use super::error::CliError;
use super::formats::StreamFormat;
use super::print::{self, print_json, print_page};
use super::run::{self, print_entries, verdict_status};
use super::{all_agents, fire_session, repeat, setup};
use hookbench_app::suite::{DEFAULT_SUITE, KeptFiring, keep_firing};
use hookbench_app::{
    Command, ExitStatus, FiringId, FiringRecord, LinkPolicy, RunLogSettings, Session, SessionOptions, document,
    write_all,
};
use hookbench_core::run::RunId;

/// The text below the options in the help of `fire`.
pub const FIRE_HELP: &str = "\
When the firing ends, hookbench ends the processes that its hooks left in their own sessions. A process that moved to another \
session, as with setsid, keeps running, because it may be a daemon; hookbench only names it. With --contain, it ends, too, \
where the system can isolate hooks.";

/// Runs `fire`.
pub fn fire(args: &FireArgs) -> Result<ExitStatus, CliError> {
    if let Some(file) = &args.session {
        return fire_session::fire(args, file);
    }
    if args.common.is_all_agents() {
        return all_agents::fire(args);
    }
    let answers = args.answer.iter().map(|text| split_answer(text)).collect::<Result<Vec<_>, _>>()?;
    let supposed = args.what_if.iter().map(|text| split_what_if(text)).collect::<Result<Vec<_>, _>>()?;
    let model = if args.ask_model { Some(run::model_to_ask(args)?) } else { None };
    let request = setup::request(args.event.as_ref(), &args.common, &args.event_args)?;
    let options = SessionOptions {
        headless: args.event_args.headless,
        yes: args.yes,
        keep_entries: args.format == StreamFormat::Jsonl,
        keep_firings: 8,
        // The log keeps the firings of a user, and repetitions only measure.
        run_log: if args.repeat.is_some() { RunLogSettings::default() } else { run::log_settings() },
        ..SessionOptions::default()
    };
    let mut session = setup::open(&args.common, &request, options)?;
    let built = session.build(&request)?;
    let reading = run::announce_reading(session.place(), built.dialect);
    session.load(Some(built.dialect.id()));
    session.put_input(built);
    reading.clear();
    for name in &args.without {
        let Some(hook) = find_hook(&session, name) else {
            return Err(CliError::Usage(format!("--without {name}: this event has no hook with this id or name")));
        };
        session.apply(Command::ToggleHook(hook));
    }
    prepare_containment(args.contain, Path::new(&session.place().project), args.yes)?;
    session.apply(Command::SetContained(args.contain));
    let command = if args.verify { Command::Verify { insists: args.verify_anyway } } else { Command::Fire };
    let status = run::fire(&mut session, command, args)?;
    // The firing was stopped before all hooks ended, so it does not have an outcome.
    if status == ExitStatus::Interrupted && session.busy() {
        return Ok(status);
    }
    if let Some(times) = args.repeat {
        return if status == ExitStatus::Interrupted { Ok(status) } else { repeat::repeat(&mut session, times, args) };
    }
    if let Some(allowed) = model {
        run::ask_model(&mut session, allowed, args)?;
    }
    for (hook, answer) in answers {
        let (firing, run) = find_run(&session, "--answer", hook)?;
        session.apply(Command::Answer { firing, run, text: answer.to_owned() });
    }
    for (hook, code, stdout) in supposed {
        let (firing, run) = find_run(&session, "--what-if", hook)?;
        session.apply(Command::WhatIf { firing, run, code, stdout: stdout.to_owned() });
    }
    print_entries(&mut session);
    let Some(firing) = session.history().newest_record() else {
        return Err(CliError::Internal("the event was not fired".to_owned()));
    };
    if let Some(form) = args.format.form() {
        print_page(args.sharing.style(form), |page| print::firing(page, firing, &session));
    } else if args.format == StreamFormat::Json {
        print_json(&document::firing_doc(firing))?;
    }
    if args.save_test {
        save_test(firing, &session, args.format)?;
    }
    Ok(if status == ExitStatus::Interrupted { status } else { verdict_status(firing, args) })
}

/// Keeps the firing as a case of the project's suite, and prints the change.
fn save_test(firing: &FiringRecord, session: &Session, format: StreamFormat) -> Result<(), CliError> {
    let place = session.place();
    let kept = keep_firing(firing, place, session.files()).map_err(|why| CliError::BadInput(why.to_string()))?;
    let change = match kept {
        KeptFiring::Change(change) => change,
        KeptFiring::Known { case } if format == StreamFormat::Text => {
            let says = format!("\n{DEFAULT_SUITE} tests this event already: {case}\n");
            return {
                print::write_stdout(&says);
                Ok(())
            };
        }
        KeptFiring::Known { .. } => return Ok(()),
    };
    let diff = change.diff();
    write_all(place, &[change], LinkPolicy::Refuse)?;
    if format == StreamFormat::Text {
        print::write_stdout(&format!("\n{diff}written; hookbench test runs it, hookbench undo removes it\n"));
    }
    Ok(())
}

/// Splits `h2={"ok":false}`. Checked before anything runs.
fn split_answer(text: &str) -> Result<(&str, &str), CliError> {
    text.split_once('=')
        .ok_or_else(|| CliError::Usage(format!("--answer {text}: write HOOK=ANSWER, such as h2={{\"ok\":false}}")))
}

/// Splits `guard.sh=2 text`. Checked before anything runs.
fn split_what_if(text: &str) -> Result<(&str, i32, &str), CliError> {
    let parts = text.split_once('=').and_then(|(hook, end)| {
        let (code, stdout) = end.split_once(' ').unwrap_or((end, ""));
        Some((hook, code.parse().ok()?, stdout))
    });
    parts.ok_or_else(|| CliError::Usage(format!("--what-if {text}: write HOOK=STATUS, and stdout after a space")))
}

/// Finds the hook with this id or name, among those of the event on the bench.
fn find_hook(session: &Session, name: &str) -> Option<String> {
    let loaded = session.loaded()?;
    let plan = session.bench().plan.as_ref()?;
    let called = |hook: &str| hook == name || loaded.definition(hook).is_some_and(|d| d.label() == name);
    plan.entries.iter().find(|e| called(&e.hook)).map(|e| e.hook.clone())
}

/// Finds the run of a hook in the last firing.
fn find_run(session: &Session, flag: &str, hook: &str) -> Result<(FiringId, RunId), CliError> {
    let last = session.history().newest_record();
    let run = last.and_then(|f| {
        let called = |name: &str| f.loaded.definition(name).is_some_and(|d| d.label() == hook);
        f.runs.iter().find(|r| r.hook == hook || called(&r.hook)).map(|r| (f.id, r.run))
    });
    run.ok_or_else(|| CliError::Usage(format!("{flag} {hook}: no hook with this id or name has run")))
}
