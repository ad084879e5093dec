//! `replay`: fires recorded events against a configuration, and compares the results with a baseline.

mod text;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use indexmap::IndexMap;

use super::args::{CommonArgs, Format};
use super::db::filter;
use super::error::CliError;
use super::fire::ask_consent;
use super::inspect::print_json;
use super::setup::report_refused_consent;
use super::signals::stop_signals;
use hookbench_app::document::{ReplayDoc, replayed_doc, summary_doc};
use hookbench_app::replay::{
    ConcurrentReplay, ReadyEvent, ReplayBaseline, ReplayError, ReplayOptions, ReplaySummary, ReplayTally,
    ReplayedEvent, Replayer, WaitPolicy,
};
use hookbench_app::suite::Shard;
use hookbench_app::{
    Consent, ConsentItem, ExitStatus, ImportCounts, ListDirection, OpenMode, Sink, SinkError, StateDir, Store, import,
    keep_row, make_place, now_ms, open_store, write_stderr,
};
use hookbench_core::dialects;
use hookbench_core::filter::{Filter, parse};
use hookbench_core::recorded::{RecordedEvent, RecordedSession};
use hookbench_core::text::pluralize;

/// Number of events read from the store at a time.
const PAGE: usize = 256;

/// `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Recorded events: numbers (127), ids, sessions, or files of them
    #[arg(required_unless_present = "filter")]
    pub events: Vec<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Recorded events that pass this filter, without replays of others; hookbench db filters explains it
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<String>,
    /// Fire everything in this directory, wherever it happened
    #[arg(long, value_name = "DIR")]
    pub against: Option<PathBuf>,
    /// What to hold it against: recorded, git:REV or a directory [default: recorded, where nothing was git:HEAD]
    #[arg(long, value_parser = baseline, value_name = "WHAT")]
    pub baseline: Option<ReplayBaseline>,
    /// Run the hooks, and keep each firing as a new row; without it they are only planned, and recorded reports answer
    #[arg(long)]
    pub run: bool,
    /// Do not ask before running commands
    #[arg(long, requires = "run")]
    pub yes: bool,
    /// Keep the hooks apart: a copy of the project, a home of their own, few variables, no network where that can be
    #[arg(long, requires = "run")]
    pub contain: bool,
    /// Exit with 1 when something is not the same
    #[arg(long)]
    pub diff: bool,
    /// Events that run at once
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub jobs: usize,
    /// One part of several, always the same one, such as 2/4
    #[arg(long, value_parser = super::test::shard, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Answer as the agent does when nobody can be asked
    #[arg(long)]
    pub headless: bool,
    /// Stretch every timeout by this factor
    #[arg(long, default_value_t = 1.0, value_parser = super::args::factor, value_name = "X")]
    pub timeout_scale: f64,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

fn baseline(text: &str) -> Result<ReplayBaseline, String> {
    match text {
        "" | "git:" => Err("write it as recorded, git:HEAD~1 or a directory".to_owned()),
        text => Ok(ReplayBaseline::parse(text)),
    }
}

impl From<ReplayError> for CliError {
    fn from(why: ReplayError) -> CliError {
        match why {
            ReplayError::Place(why) => CliError::Place(why),
            ReplayError::Baseline(why) => CliError::BadInput(why.to_string()),
        }
    }
}

/// Runs `replay`.
pub fn replay(args: &ReplayArgs) -> Result<ExitStatus, CliError> {
    if args.common.is_all_agents() {
        return Err(CliError::Usage("--agent all: name one agent, or none for the one that was recorded".to_owned()));
    }
    let project = args.common.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let options = ReplayOptions {
        // An explicit project applies to every event, wherever it was recorded.
        against: args.against.clone().or_else(|| args.common.project.clone()),
        project,
        home: args.common.home.clone(),
        agent: args.common.single_agent().and_then(dialects::by_id),
        version: args.common.agent_version.clone(),
        baseline: args.baseline.clone(),
        run: args.run,
        headless: args.headless,
        contain: args.contain,
        timeout_scale: args.timeout_scale,
    };
    let mut replayer = Replayer::new(options)?;
    let mut result = ReplayCollector { keep_same: args.format == Format::Json, ..ReplayCollector::default() };
    let stopped = if args.run {
        let mut ready = Vec::new();
        let mut numbers = Vec::new();
        for_each_event(args, &mut |seq, event| match replayer.prepare(event) {
            Ok(one) => {
                ready.push(one);
                numbers.push(seq);
            }
            Err(unready) => result.add(seq, *unready),
        })?;
        ask_missing_consent(&ready, args)?;
        run_all(ready, &numbers, args, &mut result)?
    } else {
        for_each_event(args, &mut |seq, event| match replayer.prepare(event) {
            Ok(one) => result.add(seq, one.plan()),
            Err(unready) => result.add(seq, *unready),
        })?;
        false
    };
    let (all, flags, summary) = result.finish();
    let changed = summary.same != summary.events;
    match args.format {
        Format::Json => {
            print_json(&ReplayDoc {
                schema: "replay/1",
                events: all.iter().map(|(_, one)| replayed_doc(one)).collect(),
                summary: summary_doc(&summary),
            })?;
        }
        Format::Text => text::replay(&all, &flags, &summary, args),
    }
    Ok(match (stopped, changed && args.diff) {
        (true, _) => ExitStatus::Interrupted,
        (false, true) => ExitStatus::NotAsExpected,
        (false, false) => ExitStatus::Ok,
    })
}

/// The result of an event, with its number if it comes from the store.
type NumberedResult = (Option<i64>, ReplayedEvent);

/// The results so far.
#[derive(Default)]
struct ReplayCollector {
    /// Keep results without a difference too. They are always counted.
    keep_same: bool,
    results: Vec<NumberedResult>,
    /// Notes about facts that could not be restored, each with its number of events.
    flags: IndexMap<String, usize>,
    tally: ReplayTally,
}

impl ReplayCollector {
    fn add(&mut self, seq: Option<i64>, one: ReplayedEvent) {
        self.tally.add(&one);
        for flag in &one.flags {
            *self.flags.entry(flag.clone()).or_default() += 1;
        }
        if self.keep_same || !one.is_same() {
            self.results.push((seq, one));
        }
    }

    fn finish(self) -> (Vec<NumberedResult>, IndexMap<String, usize>, ReplaySummary) {
        (self.results, self.flags, self.tally.finish())
    }
}

/// A callback that receives an event, with its number if it comes from the store.
type EventCallback<'a> = dyn FnMut(Option<i64>, RecordedEvent) + 'a;

/// Passes each selected event to `take`, in the order of the arguments. Events of a session or filter are in the
/// order in which they happened.
fn for_each_event(args: &ReplayArgs, take: &mut EventCallback<'_>) -> Result<(), CliError> {
    let mut part = |seq: Option<i64>, event: RecordedEvent| {
        if args.shard.is_none_or(|shard| shard.has(&event.id)) {
            take(seq, event);
        }
    };
    let store = || open_store(&StateDir::for_process(), OpenMode::Read);
    if let Some(text) = &args.filter {
        let filter = filter(text)?;
        if !for_each_match(&store()?, &filter, &mut part)? {
            let help = "hookbench db list --filter shows what passes";
            return Err(CliError::BadInput(format!("no recorded event passes {text}\n  help: {help}")));
        }
    }
    for name in &args.events {
        if Path::new(name).exists() {
            from_file(Path::new(name), args, &mut part)?;
            continue;
        }
        let store = store()?;
        let number = name.trim_start_matches('#').parse::<i64>().ok();
        let seq = match number {
            Some(seq) => Some(seq),
            None => store.find(name)?,
        };
        if let Some(event) = seq.map(|seq| store.event(seq)).transpose()?.flatten() {
            part(seq, event);
            continue;
        }
        let session = parse(&format!("~session {name}")).ok();
        let any = match &session {
            Some(filter) => for_each_match(&store, filter, &mut part)?,
            None => false,
        };
        if !any {
            let help = "hookbench import reads them from the agents' own sessions; hookbench db stat counts them";
            return Err(CliError::BadInput(format!(
                "{name}: neither a file nor the number, id or session of a recorded event\n  help: {help}"
            )));
        }
    }
    Ok(())
}

/// Passes each event that matches the filter to `take`, oldest first. Returns true if there was at least one.
/// Replayed events are separate rows; they are skipped unless the filter asks for them, because their originals are
/// fired.
fn for_each_match(store: &Store, filter: &Filter, take: &mut EventCallback<'_>) -> Result<bool, CliError> {
    let replays = filter.to_string().contains("~replay");
    let (now, mut place, mut any) = (now_ms(), None, false);
    loop {
        let rows = store.page(filter, now, ListDirection::Forward, place, PAGE)?;
        let Some(last) = rows.last() else { return Ok(any) };
        place = Some(last.position());
        for row in &rows {
            any = true;
            if row.origin.is_some() && !replays {
                continue;
            }
            if let Some(event) = store.event(row.seq)? {
                take(Some(row.seq), event);
            }
        }
    }
}

/// A sink that passes events on instead of keeping them.
struct CallbackSink<'a>(&'a mut EventCallback<'a>);

impl Sink for CallbackSink<'_> {
    fn receive(&mut self, _session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        let new = events.len() as u64;
        for event in events {
            (self.0)(None, event);
        }
        Ok(ImportCounts { new, known: 0 })
    }
}

fn from_file(path: &Path, args: &ReplayArgs, take: &mut EventCallback<'_>) -> Result<(), CliError> {
    let place = make_place(args.common.project.as_deref(), args.common.home.as_deref())?;
    let done = import(path, &place, &mut CallbackSink(take), &mut |_| ControlFlow::Continue(()));
    let report = done.map_err(super::import::failure)?;
    let skipped: u64 = report.sources.iter().map(|source| source.skipped_lines).sum();
    if skipped > 0 {
        let lines = pluralize(skipped, "line");
        write_stderr(format!("{lines} skipped; hookbench import {} says why", path.display()));
    }
    Ok(())
}

/// Asks for consent for hooks that do not have it, with the number of events that each runs for.
fn ask_missing_consent(ready: &[ReadyEvent], args: &ReplayArgs) -> Result<(), CliError> {
    if args.yes {
        return Ok(());
    }
    let place = make_place(args.common.project.as_deref(), args.common.home.as_deref())?;
    let state = StateDir::of(&place);
    let consent = Consent::read(&state);
    report_refused_consent(&consent);
    let mut items: Vec<(ConsentItem, usize)> = Vec::new();
    for item in ready.iter().flat_map(|one| one.consent_missing(&consent)) {
        match items.iter_mut().find(|(known, _)| known.key == item.key) {
            Some((_, count)) => *count += 1,
            None => items.push((item, 1)),
        }
    }
    if items.is_empty() {
        return Ok(());
    }
    let given: Vec<(String, String)> = items.iter().map(|(i, _)| (i.key.clone(), i.command.clone())).collect();
    let shown = items.into_iter().map(|(item, count)| ConsentItem {
        source: format!("{}, for {count} of {} events", item.source, ready.len()),
        ..item
    });
    ask_consent(&shown.collect::<Vec<_>>())?;
    if let Err(why) = Consent::save(&state, &given) {
        write_stderr(format!("consent holds for this run only: {why}"));
    }
    Ok(())
}

/// Fires the events, up to `--jobs` at once, and stores each firing as a new row. Returns true if the user
/// interrupted it; firings up to then are kept.
fn run_all(
    ready: Vec<ReadyEvent>,
    numbers: &[Option<i64>],
    args: &ReplayArgs,
    result: &mut ReplayCollector,
) -> Result<bool, CliError> {
    let mut store = open_store(&StateDir::for_process(), OpenMode::Write)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|why| CliError::Internal(format!("cannot start: {why}")))?;
    let all = ready.len();
    let progress = text::ReplayProgressLine::new(all);
    let mut done: Vec<(usize, ReplayedEvent)> = Vec::new();
    let mut failed = None;
    let stopped = runtime.block_on(async {
        let mut stops = stop_signals();
        let mut abreast = ConcurrentReplay::new(ready, args.jobs, WaitPolicy::Never);
        let stopped = loop {
            tokio::select! {
                came = abreast.next() => {
                    let Some((index, one, row)) = came else { break false };
                    if let Some(Err(why)) = row.map(|row| keep_row(&mut store, &row)) {
                        failed = Some(why);
                        hookbench_app::kill_every_group();
                        break false;
                    }
                    done.push((index, one));
                    progress.show(done.len());
                }
                Some(()) = stops.recv() => {
                    hookbench_app::kill_every_group();
                    break true;
                }
            }
        };
        abreast.end().await;
        stopped
    });
    progress.clear();
    if let Some(why) = failed {
        let kept = done.len();
        write_stderr(format!(
            "{kept} of {all} events were fired and are kept; of the next one, what came of it is lost, and the rest was not \
             fired"
        ));
        return Err(why.into());
    }
    done.sort_by_key(|(index, _)| *index);
    for (index, one) in done {
        result.add(numbers.get(index).copied().flatten(), one);
    }
    Ok(stopped)
}
