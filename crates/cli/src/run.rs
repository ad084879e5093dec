//! Runs the jobs of a session until none is pending, and prints their stream as JSON lines.

use std::collections::VecDeque;
use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::args::FireArgs;
use super::consent::{ask_consent, ask_model_consent, read_consent};
use super::error::CliError;
use super::print;
use super::print::text_page::agent_name;
use super::progress::ProgressLine;
use super::signals::stop_signals;
use hookbench_app::{
    Command, Driver, ExitStatus, FiringRecord, Job, RunLogSettings, RunRecord, Session, SessionEffect, StateDir,
    StreamEntry, StreamEntryKind, any_group_is_live, configured_model, configured_run_log, document, make_place,
    remove_abandoned_directories, write_stderr,
};
use hookbench_core::config::Place;
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::Agent;
use hookbench_core::hook::{DefinitionId, Layer};
use hookbench_core::run::{Exit, Launch, RunId, Stream, milliseconds};
use hookbench_core::text::pluralize;
use hookbench_core::verification::Verification;

/// The time in which the log of runs has to be written.
const LOG_LIMIT: Duration = Duration::from_secs(5);

/// The number of runs from which a firing takes long enough to say so at once.
const MANY_RUNS: usize = 500;
/// The number of jobs that are performed before the next signal or fact is looked at.
const JOBS_AT_ONCE: usize = 32;
/// The size in bytes from which reading and planning settings takes long enough to say so at once.
const LARGE_SETTINGS: u64 = 64 * 1024;
/// How long the reports of stopped runs are waited for when no process runs.
const STOP_LIMIT: Duration = Duration::from_millis(100);
/// The same if each run that is known to have started has its report: one more may have started just before the signal.
const QUIET: Duration = Duration::from_millis(20);
/// The number of hooks that are named of those that ran and of those that did not.
const NAMED: usize = 5;

/// Creates the runtime of a command. Whatever earlier ones left behind when they were killed is removed meanwhile.
pub fn runtime(threads: usize) -> Result<Runtime, CliError> {
    remove_abandoned_directories();
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    built.map_err(|why| CliError::Internal(format!("cannot start threads: {why}")))
}

/// The user's settings of the log of runs. A mistake in them is printed, and the event is fired without the log.
pub fn log_settings() -> RunLogSettings {
    let (settings, mistake) = configured_run_log();
    if let Some(mistake) = mistake {
        write_stderr(mistake);
    }
    settings
}

/// Applies a command that fires, after asking for consent where hooks lack it, and runs it to its end.
pub fn fire(session: &mut Session, command: Command, args: &FireArgs) -> Result<ExitStatus, CliError> {
    let runtime = runtime(2)?;
    let mut start = if session.options().yes { Some(AnnouncedFiring::announce(session, &runtime)) } else { None };
    let mut jobs = session.apply(command).jobs;
    if let Some(items) = session.bench().consent.clone() {
        read_consent(&StateDir::of(session.place()));
        ask_consent(&items)?;
        start = Some(AnnouncedFiring::announce(session, &runtime));
        jobs = session.apply(Command::GiveConsent).jobs;
    }
    let start = start.unwrap_or_else(|| AnnouncedFiring::announce(session, &runtime));
    Ok(runtime.block_on(drive(session, jobs, args, start)))
}

/// Says that an agent's settings are read, before anything is read, if they are large. The next line replaces it.
pub fn announce_reading(place: &Place, dialect: &Agent) -> ProgressLine {
    let layers = [Layer::User, Layer::Project, Layer::Local].into_iter();
    let files = layers.flat_map(|layer| dialect.hook_files(place, layer));
    let bytes: u64 = files.filter_map(|file| fs::metadata(file.path).ok()).map(|metadata| metadata.len()).sum();
    if bytes < LARGE_SETTINGS {
        return ProgressLine::new();
    }
    let mut line = ProgressLine::for_long_work();
    line.show(|| format!("reading {} KiB of settings", bytes / 1024));
    line
}

/// The progress line of a firing, and its stop signals.
struct AnnouncedFiring {
    line: ProgressLine,
    stops: mpsc::UnboundedReceiver<()>,
}

impl AnnouncedFiring {
    /// Listens for signals, and says so if the firing takes long.
    fn announce(session: &Session, runtime: &Runtime) -> AnnouncedFiring {
        let _inside = runtime.enter();
        let stops = stop_signals();
        let planned = session.bench().plan.as_ref().map_or(0, |plan| plan.firing().count());
        if planned < MANY_RUNS {
            return AnnouncedFiring { line: ProgressLine::new(), stops };
        }
        let mut line = ProgressLine::for_long_work();
        line.show(|| format!("starting {}", pluralize(planned, "hook")));
        AnnouncedFiring { line, stops }
    }
}

/// Checks that the configured model may answer for hooks, before anything runs. Returns whether `--yes` allows it, so that
/// the stored consent does not matter.
pub fn model_to_ask(args: &FireArgs) -> Result<bool, CliError> {
    let place = make_place(args.common.project.as_deref(), args.common.home.as_deref())?;
    let model = configured_model(&place).ready().map_err(CliError::BadInput)?;
    match model.check_consent() {
        Ok(()) => Ok(false),
        Err(_) if args.yes => Ok(true),
        Err(_) => {
            ask_model_consent(&model, false)?;
            if let Err(why) = model.give_consent() {
                write_stderr(format!("your approval holds for this run only: {why}"));
            }
            Ok(true)
        }
    }
}

/// Lets the configured model answer each hook of the last firing that only the agent's model could answer.
pub fn ask_model(session: &mut Session, allowed: bool, args: &FireArgs) -> Result<(), CliError> {
    let runs: Vec<RunId> = session.history().newest_record().map_or_else(Vec::new, |firing| {
        let open = firing.runs.iter().filter(|run| matches!(&run.launch, Launch::ByHand(asks) if asks.is_for_model()));
        open.map(|run| run.run).collect()
    });
    let runtime = runtime(2)?;
    for run in runs {
        // Each answer is a new firing, which keeps the answers before it.
        let Some(firing) = session.history().newest_record().map(|record| record.id) else { break };
        let update = session.apply(Command::AskModel { firing, run, allowed });
        let start = AnnouncedFiring::announce(session, &runtime);
        runtime.block_on(drive(session, update.jobs, args, start));
    }
    Ok(())
}

/// Runs until no job is pending. The first Ctrl-C cancels the running hooks, the second kills them.
async fn drive(session: &mut Session, jobs: Vec<Job>, args: &FireArgs, start: AnnouncedFiring) -> ExitStatus {
    let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
    // Signals are heard before any job starts, so that Ctrl-C never leaves a hook running.
    let AnnouncedFiring { mut line, mut stops } = start;
    let mut driver = Driver::new(session.place().clone(), sender, args.timeout_scale);
    // In order, and a few at a time: starting thousands of hooks takes seconds, in which a signal would not be heard.
    let mut waiting = VecDeque::from(jobs);
    print_entries(session);
    let mut interrupted: Option<Instant> = None;
    let mut stopped = Vec::new();
    // Runs are stored after the outcome; a store that another process locks is not waited for without end.
    loop {
        driver.perform(waiting.drain(..waiting.len().min(JOBS_AT_ONCE)).collect());
        if waiting.is_empty() && !session.busy() && !session.is_logging() {
            break;
        }
        line.show(|| match session.verifying() {
            Some(agent) => format!("running {} on a copy of the project", agent_name(agent.as_str())),
            None => progress(session),
        });
        let abandoned = interrupted.map_or_else(Instant::now, |at: Instant| {
            let is_open = session.history().running().any(has_open_run);
            if is_open { at + STOP_LIMIT } else { (at + STOP_LIMIT).min(Instant::now() + QUIET) }
        });
        tokio::select! {
            biased;
            () = tokio::time::sleep_until(abandoned), if interrupted.is_some() && !any_group_is_live() => break,
            Some(()) = stops.recv() => {
                line.clear();
                if interrupted.is_some() {
                    hookbench_app::kill_every_group();
                    break;
                }
                interrupted = Some(Instant::now());
                stopped.extend(session.history().running().map(|firing| firing.id));
                // From here on, no hook starts.
                waiting.clear();
                driver.kill_runs();
                write_stderr("stopping the hooks; press Ctrl-C again to kill them");
                let jobs = session.apply(Command::Cancel).jobs;
                driver.perform(jobs);
            }
            () = tokio::time::sleep(LOG_LIMIT), if !session.busy() => {
                write_stderr("the run is not in the log yet: another process uses the store");
                break;
            }
            fact = facts.recv() => {
                let Some(fact) = fact else { break };
                let update = session.absorb(fact);
                for effect in &update.effects {
                    if let SessionEffect::RunNotLogged(why) | SessionEffect::ModelFailed(why) = effect {
                        write_stderr(why);
                    }
                }
                waiting.extend(update.jobs);
                print_entries(session);
            }
            () = std::future::ready(()), if !waiting.is_empty() => {}
        }
    }
    line.clear();
    if interrupted.is_none() {
        return ExitStatus::Ok;
    }
    stopped.into_iter().filter_map(|id| unfinished(session.firing(id)?)).for_each(write_stderr);
    ExitStatus::Interrupted
}

/// Whether the end of a started hook has not been reported yet.
fn has_open_run(firing: &FiringRecord) -> bool {
    firing.runs.iter().any(|run| run.pid.is_some() && run.ended().is_none())
}

/// How many hooks of the running firings have ended.
fn progress(session: &Session) -> String {
    let firings = || session.history().running();
    let all: usize = firings().map(FiringRecord::run_count).sum();
    format!("{} of {} ended", firings().map(|firing| firing.ended.len()).sum::<usize>(), pluralize(all, "hook"))
}

/// Says what a firing that was left before its end has run, and what not. `None` if each hook has ended.
fn unfinished(firing: &FiringRecord) -> Option<String> {
    let cancelled = |run: &&RunRecord| run.ended().is_none_or(|ended| ended.report.exit == Exit::Cancelled);
    let (open, ran): (Vec<&RunRecord>, Vec<&RunRecord>) = firing.runs.iter().partition(cancelled);
    let (stopped, unstarted): (Vec<&RunRecord>, Vec<&RunRecord>) = open.into_iter().partition(|run| run.pid.is_some());
    let hooks = |runs: Vec<&RunRecord>| runs.into_iter().map(|run| run.hook.clone()).collect::<Vec<_>>();
    // Hooks start in the order of the plan.
    let waiting = firing.plan.firing().skip(firing.runs.len()).map(|entry| entry.hook.clone());
    let unstarted: Vec<DefinitionId> = hooks(unstarted).into_iter().chain(waiting).collect();
    if unstarted.is_empty() && stopped.is_empty() {
        return None;
    }
    let named = |hooks: &[DefinitionId], said: &str| {
        let label = |hook: &DefinitionId| firing.loaded.definition(hook).map_or_else(|| hook.clone(), |d| d.label());
        let names: Vec<String> = hooks.iter().take(NAMED).map(label).collect();
        let more = hooks.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!hooks.is_empty()).then(|| format!("  {} {said}: {}{more}", pluralize(hooks.len(), "hook"), names.join(", ")))
    };
    let parts =
        [named(&hooks(ran), "ran"), named(&hooks(stopped), "stopped while running"), named(&unstarted, "not started")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Some(format!("stopped before the end; the agent's decision is unknown\n{}", parts.join("\n")))
}

/// Returns the exit status that `--expect` and `--strict` ask for.
pub fn verdict_status(firing: &FiringRecord, args: &FireArgs) -> ExitStatus {
    let agrees = |verification: &Result<Verification, String>| verification.as_ref().is_ok_and(Verification::agrees);
    if args.verify && !firing.verification.as_deref().is_some_and(agrees) {
        return ExitStatus::NotAsExpected;
    }
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

/// Prints the new entries, one JSON object a line.
pub fn print_entries(session: &mut Session) {
    for entry in session.take_entries() {
        let Some(firing) = session.firing(entry.firing) else { continue };
        if let Some(mut line) = entry_line(&entry, firing) {
            if session.compared().is_some() {
                line["agent"] = Value::from(firing.agent.as_str());
            }
            if session.options().in_order {
                line["number"] = Value::from(firing.id.0);
            }
            print::write_stdout(&format!("{}\n", hookbench_core::text::escape_json_for_terminal(&line.to_string())));
        }
    }
}

fn entry_line(entry: &StreamEntry, firing: &FiringRecord) -> Option<Value> {
    let at_ms = milliseconds(entry.at);
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
