//! `fire`: runs the hooks of one event and prints the outcome.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::all_agents;
use super::args::{FireArgs, StreamFormat};
use super::error::CliError;
use super::fire_session;
use super::inspect::print_json;
use super::print;
use super::setup;
use super::signals::stop_signals;
use hookbench_app::document;
use hookbench_app::{
    Command, ConsentItem, Driver, ExitStatus, FiringId, FiringRecord, Job, Session, SessionOptions, StreamEntry,
    StreamEntryKind, write_stderr,
};
use hookbench_core::decide::Verdict;
use hookbench_core::run::{RunId, Stream};

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
    let request = setup::request(args.event.as_ref(), &args.common, &args.event_args)?;
    let options = SessionOptions {
        headless: args.event_args.headless,
        yes: args.yes,
        keep_entries: args.format == StreamFormat::Jsonl,
        keep_firings: 8,
        ..SessionOptions::default()
    };
    let mut session = setup::open(&args.common, &request, options)?;
    let built = session.build(&request)?;
    session.load(Some(built.dialect.id()));
    session.put_input(built);
    for name in &args.without {
        let Some(hook) = find_hook(&session, name) else {
            return Err(CliError::Usage(format!("--without: no hook called \"{name}\" is configured for this event")));
        };
        session.apply(Command::ToggleHook(hook));
    }
    session.apply(Command::SetContained(args.contain));
    let jobs = session.apply(Command::Fire).jobs;
    let jobs = match session.bench().consent.clone() {
        Some(items) => {
            ask_consent(&items)?;
            session.apply(Command::GiveConsent).jobs
        }
        None => jobs,
    };
    let status = run(&mut session, jobs, args)?;
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
        return Err(CliError::Internal("nothing was fired".to_owned()));
    };
    match args.format {
        StreamFormat::Text => print::firing(firing, &session),
        StreamFormat::Json => {
            print_json(&document::firing_doc(firing))?;
        }
        StreamFormat::Jsonl => {}
    }
    Ok(if status == ExitStatus::Interrupted { status } else { verdict_status(firing, args) })
}

pub(super) fn verdict_status(firing: &FiringRecord, args: &FireArgs) -> ExitStatus {
    let verdict = firing.outcome.as_ref().map_or(Verdict::Unknown, |o| o.verdict);
    if args.expect.is_some_and(|wanted| wanted != verdict) {
        return ExitStatus::NotAsExpected;
    }
    if args.strict && (verdict == Verdict::Unknown || firing.basis.is_assumed()) {
        ExitStatus::Unknown
    } else {
        ExitStatus::Ok
    }
}

/// Performs the jobs and the jobs that follow from their results.
pub(super) fn run(session: &mut Session, jobs: Vec<Job>, args: &FireArgs) -> Result<ExitStatus, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|why| CliError::Internal(format!("cannot start: {why}")))?;
    Ok(runtime.block_on(drive(session, jobs, args)))
}

/// Runs until no job is pending. The first Ctrl-C cancels the running hooks, the second kills them.
async fn drive(session: &mut Session, jobs: Vec<Job>, args: &FireArgs) -> ExitStatus {
    let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
    // Registered before any job starts, so that Ctrl-C never leaves a hook running.
    let mut stops = stop_signals();
    let mut driver = Driver::new(session.place().clone(), sender, args.timeout_scale);
    driver.perform(jobs);
    print_entries(session);
    let mut interrupted = false;
    while session.busy() {
        tokio::select! {
            fact = facts.recv() => {
                let Some(fact) = fact else { break };
                let jobs = session.absorb(fact).jobs;
                driver.perform(jobs);
                print_entries(session);
            }
            Some(()) = stops.recv() => {
                if interrupted {
                    hookbench_app::kill_every_group();
                    return ExitStatus::Interrupted;
                }
                interrupted = true;
                write_stderr("ending the hooks; once more to kill them");
                let jobs = session.apply(Command::Cancel).jobs;
                driver.perform(jobs);
            }
        }
    }
    if interrupted { ExitStatus::Interrupted } else { ExitStatus::Ok }
}

/// Asks on the terminal whether the commands may run.
pub(super) fn ask_consent(items: &[ConsentItem]) -> Result<(), CliError> {
    let mut text = String::from("these commands would run, and have not been agreed to yet:\n");
    for item in items {
        text.push_str(&format!(
            "  {}\n    {}\n",
            hookbench_core::text::escape_for_terminal(&item.command),
            item.source
        ));
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(CliError::Consent(format!("{text}  help: look at them, then say --yes")));
    }
    text.push_str(
        "Consent is remembered for this content of the settings; later edits of the scripts run too.\nRun them? [y/N] ",
    );
    let mut stderr = std::io::stderr().lock();
    // If the prompt cannot be shown, the answer counts as No.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    if read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes") {
        return Ok(());
    }
    Err(CliError::Consent("nothing was run".to_owned()))
}

/// Splits `h2={"ok":false}`. Checked before anything runs.
fn split_answer(text: &str) -> Result<(&str, &str), CliError> {
    text.split_once('=').ok_or_else(|| {
        CliError::Usage(format!("--answer {text}: write it as HOOK=ANSWER, such as h2={{\"ok\":false}}"))
    })
}

/// Splits `guard.sh=2 text`. Checked before anything runs.
fn split_what_if(text: &str) -> Result<(&str, i32, &str), CliError> {
    let parts = text.split_once('=').and_then(|(hook, end)| {
        let (code, stdout) = end.split_once(' ').unwrap_or((end, ""));
        Some((hook, code.parse().ok()?, stdout))
    });
    parts
        .ok_or_else(|| CliError::Usage(format!("--what-if {text}: write it as HOOK=STATUS, with stdout after a space")))
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
    run.ok_or_else(|| CliError::Usage(format!("{flag}: no hook called \"{hook}\" was reached")))
}

/// Prints the new entries, one JSON object a line.
pub(super) fn print_entries(session: &mut Session) {
    for entry in session.take_entries() {
        let Some(firing) = session.firing(entry.firing) else { continue };
        if let Some(mut line) = entry_line(&entry, firing) {
            if session.compared().is_some() {
                line["agent"] = Value::from(firing.agent);
            }
            if session.options().in_order {
                line["number"] = Value::from(firing.id.0);
            }
            print::write_stdout(&format!("{}\n", hookbench_core::text::escape_json_for_terminal(&line.to_string())));
        }
    }
}

fn entry_line(entry: &StreamEntry, firing: &FiringRecord) -> Option<Value> {
    let at_ms = (entry.at.as_secs_f64() * 1e6).round() / 1e3;
    let hook = |run| firing.run(run).map(|r| r.hook.clone());
    Some(match &entry.kind {
        StreamEntryKind::Planned => {
            let plan = document::plan_hooks(&firing.plan, &firing.loaded);
            json!({ "at_ms": at_ms, "kind": "planned", "filled": firing.filled, "plan": plan })
        }
        StreamEntryKind::Started { run } => json!({ "at_ms": at_ms, "kind": "started", "hook": hook(*run) }),
        StreamEntryKind::Output { run, stream, bytes, skipped } => {
            let kind = if *stream == Stream::Stderr { "stderr" } else { "stdout" };
            let text = String::from_utf8_lossy(bytes);
            json!({ "at_ms": at_ms, "kind": kind, "hook": hook(*run), "text": text, "skipped": skipped })
        }
        StreamEntryKind::Ended { run } => {
            let record = firing.run(*run)?;
            let doc = document::run_doc(record, &firing.loaded)?;
            json!({ "at_ms": at_ms, "kind": "ended", "hook": record.hook, "run": doc })
        }
        StreamEntryKind::Settled => {
            json!({ "at_ms": at_ms, "kind": "settled", "firing": document::firing_doc(firing) })
        }
    })
}
