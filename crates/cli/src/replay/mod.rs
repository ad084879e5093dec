//! `replay`: fires recorded events against a configuration, and compares the results with a baseline.

mod events;
pub mod text;

use std::io::Stdout;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use indexmap::IndexMap;

use self::events::for_each_event;
use self::text::NumberedResult;
use super::args::CommonArgs;
use super::consent::{ask_and_store_consent, read_consent};
use super::containment::prepare_containment;
use super::error::CliError;
use super::formats::{SharingArgs, StreamFormat};
use super::import::LineSink;
use super::print::{self, print_json, print_page};
use super::progress::ProgressLine;
use super::run::runtime;
use super::signals::stop_signals;
use hookbench_app::document::{ReplayDoc, replayed_doc};
use hookbench_app::replay::{
    ConcurrentReplay, ReadyEvent, ReplayBaseline, ReplayError, ReplayOptions, ReplayReport, ReplayReportDoc, ReplayRow,
    ReplaySummary, ReplayTally, ReplayedEvent, Replayer, UnmaskedValues, WaitPolicy,
};
use hookbench_app::suite::Shard;
use hookbench_app::{
    ConsentItem, ExitStatus, OpenMode, Sink, SinkError, StateDir, keep_row, make_place, open_store, write_stderr,
};
use hookbench_core::dialects;

/// Number of events whose hooks run before the next ones are read, if the results are written as rows.
const BATCH: usize = 256;

/// `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Recorded events: numbers (127), ids, sessions, or files with events
    pub events: Vec<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Recorded events that match this filter; hookbench db filters explains it
    #[arg(long, value_name = "FILTER")]
    pub filter: Option<String>,
    /// Fire all events in this directory instead of their own
    #[arg(long, value_name = "DIR")]
    pub against: Option<PathBuf>,
    /// Compare with the recorded results (recorded), a commit (git:REV) or a directory [default: recorded, or git:HEAD
    /// for events without results]
    #[arg(long, value_parser = baseline, value_name = "WHAT")]
    pub baseline: Option<ReplayBaseline>,
    /// Run the hooks and store the results as new events, except with --format jsonl [default: only plan them, and
    /// reuse recorded results]
    #[arg(long)]
    pub run: bool,
    /// Answer yes: run the commands without asking
    #[arg(long, requires = "run")]
    pub yes: bool,
    /// Run the hooks in a copy of the project, with an empty home directory, few variables and no network if possible
    #[arg(long, requires = "run")]
    pub contain: bool,
    /// Exit with 1 if something differs
    #[arg(long)]
    pub diff: bool,
    /// Number of events that run at the same time
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub jobs: usize,
    /// Only the sessions in one of several equal parts, such as 2/4
    #[arg(long, value_parser = super::test::shard, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Answer permission questions as the agent does without a user
    #[arg(long)]
    pub headless: bool,
    /// Multiply every timeout by this factor
    #[arg(long, default_value_t = 1.0, value_parser = super::args::factor, value_name = "X")]
    pub timeout_scale: f64,
    #[command(flatten)]
    pub sharing: SharingArgs,
    /// Show the users that telemetry names, instead of pseudonyms
    #[arg(long)]
    pub show_people: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = StreamFormat::Text)]
    pub format: StreamFormat,
}

fn baseline(text: &str) -> Result<ReplayBaseline, String> {
    match text {
        "" | "git:" => Err("write recorded, git:HEAD~1 or a directory".to_owned()),
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
    args.common.reject_all_agents("replay")?;
    if args.events.is_empty() && args.filter.is_none() {
        let says = "no events are chosen: name them, or give --filter\n  help: `hookbench replay --filter ''` replays \
                    every event of the store, `hookbench replay --filter '~t Bash'` those of a tool; `hookbench db list` \
                    lists them";
        return Err(CliError::Usage(says.to_owned()));
    }
    let project = args.common.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let place = make_place(Some(&project), args.common.home.as_deref())?;
    let environment = args.common.environment(&place, args.common.single_agent())?;
    let options = ReplayOptions {
        // An explicit project applies to every event, wherever it was recorded.
        against: args.against.clone().or_else(|| args.common.project.clone()),
        project,
        home: args.common.home.clone(),
        as_trusted: args.common.as_trusted,
        agent: args.common.single_agent().and_then(|id| dialects::by_id(id.as_str())),
        version: args.common.agent_version.clone(),
        baseline: args.baseline.clone(),
        run: args.run,
        headless: args.headless,
        contain: args.contain,
        timeout_scale: args.timeout_scale,
        environment,
        arguments: args.common.arguments(args.common.single_agent())?,
    };
    let project = options.against.clone().unwrap_or_else(|| options.project.clone());
    prepare_containment(args.run && args.contain, &project, args.yes)?;
    let mut replayer = Replayer::new(options)?;
    let rows = args.format == StreamFormat::Jsonl;
    let mut result = ReplayCollector {
        keep_same: args.format == StreamFormat::Json,
        unmasked: UnmaskedValues { people: args.show_people, secrets: args.sharing.show_secrets },
        rows: rows.then(|| LineSink::harmless(std::io::stdout())),
        ..ReplayCollector::default()
    };
    let stopped = if args.run {
        let mut ready = Vec::new();
        let mut numbers = Vec::new();
        for_each_event(args, &mut |seq, event| {
            match replayer.prepare(event) {
                Ok(one) => {
                    ready.push(one);
                    numbers.push(seq);
                }
                Err(unready) => result.add(seq, *unready)?,
            }
            // The question for consent needs all events.
            if rows && args.yes && ready.len() >= BATCH {
                let batch = (std::mem::take(&mut ready), std::mem::take(&mut numbers));
                if run_all(batch.0, &batch.1, args, &mut result)? {
                    result.write_last()?;
                    return Err(CliError::Interrupted);
                }
            }
            Ok(())
        })?;
        ask_missing_consent(&ready, args)?;
        run_all(ready, &numbers, args, &mut result)?
    } else {
        for_each_event(args, &mut |seq, event| {
            if rows {
                let planned = replayer.plan_row(event, result.unmasked);
                return result.write(planned.row, planned.differs);
            }
            result.add(seq, replayer.prepare(event).map_or_else(|unready| *unready, ReadyEvent::plan))
        })?;
        false
    };
    let changed = result.differs;
    let (all, flags, summary, report) = result.finish(args, stopped)?;
    match args.format.form() {
        None if rows => {}
        None => {
            print_json(&ReplayDoc {
                schema: "replay/1",
                events: all.iter().map(|(_, one)| replayed_doc(one)).collect(),
                summary,
                refusals: report.refusals,
            })?;
        }
        Some(form) => {
            print_page(args.sharing.style(form), |page| {
                text::replay(&all, &flags, &summary, (args.run, args.baseline.as_ref()), page);
                print::refusals(&report.refusals, page);
            });
        }
    }
    Ok(match (stopped, changed && args.diff) {
        (true, _) => ExitStatus::Interrupted,
        (false, true) => ExitStatus::NotAsExpected,
        (false, false) => ExitStatus::Ok,
    })
}

/// The results so far.
#[derive(Default)]
struct ReplayCollector {
    /// Keep results without a difference too. They are always counted.
    keep_same: bool,
    results: Vec<NumberedResult>,
    /// Notes about facts that could not be restored, each with its number of events.
    flags: IndexMap<String, usize>,
    tally: ReplayTally,
    report: ReplayReport,
    /// Whether a result differs.
    differs: bool,
    unmasked: UnmaskedValues,
    /// The output for rows. Results that are written as rows are not kept.
    rows: Option<LineSink<Stdout>>,
    /// The latest row, which is not written yet, and the number of rows.
    last: Option<ReplayRow>,
    written: u64,
}

/// The different results, the notes, and the summaries.
type CollectedReplay = (Vec<NumberedResult>, IndexMap<String, usize>, ReplaySummary, ReplayReportDoc);

impl ReplayCollector {
    fn add(&mut self, seq: Option<i64>, one: ReplayedEvent) -> Result<(), CliError> {
        let row = ReplayRow::of(&one, self.unmasked);
        if self.rows.is_some() {
            return self.write(row, !one.is_same());
        }
        self.differs |= !one.is_same();
        self.report.add(row);
        self.tally.add(&one);
        for flag in &one.flags {
            *self.flags.entry(flag.clone()).or_default() += 1;
        }
        if self.keep_same || !one.is_same() {
            self.results.push((seq, one));
        }
        Ok(())
    }

    /// Writes the row before this one, which may be the last.
    fn write(&mut self, row: ReplayRow, differs: bool) -> Result<(), CliError> {
        self.differs |= differs;
        self.written += 1;
        self.write_last()?;
        self.last = Some(row);
        Ok(())
    }

    fn write_last(&mut self) -> Result<(), CliError> {
        self.last.take().map_or(Ok(()), |row| self.write_now(&row))
    }

    fn write_now(&mut self, row: &ReplayRow) -> Result<(), CliError> {
        let Some(lines) = &mut self.rows else { return Ok(()) };
        let line = serde_json::to_string(row).map_err(|why| CliError::Internal(why.to_string()))?;
        lines.line(&line).map_err(rows_failure)
    }

    /// Ends the results. The last row of an interrupted replay ends no part.
    fn finish(mut self, args: &ReplayArgs, is_stopped: bool) -> Result<CollectedReplay, CliError> {
        if is_stopped {
            self.write_last()?;
        } else {
            let input: Vec<&str> = args.events.iter().chain(&args.filter).map(String::as_str).collect();
            let shard = args.shard.map_or("1/1".to_owned(), |shard| shard.to_string());
            let last = ReplayRow::ending(self.last.take(), &shard, &input.join(" "), self.written);
            self.write_now(&last)?;
        }
        if let Some(rows) = &mut self.rows {
            rows.commit().map_err(rows_failure)?;
        }
        Ok((self.results, self.flags, self.tally.finish(), self.report.finish()))
    }
}

fn rows_failure(why: SinkError) -> CliError {
    CliError::File { file: "standard output".to_owned(), why: why.0 }
}

/// Asks for consent for hooks that do not have it, with the number of events that each runs for.
fn ask_missing_consent(ready: &[ReadyEvent], args: &ReplayArgs) -> Result<(), CliError> {
    if args.yes {
        return Ok(());
    }
    let place = make_place(args.common.project.as_deref(), args.common.home.as_deref())?;
    let state = StateDir::of(&place);
    let consent = read_consent(&state);
    let mut counts: Vec<(ConsentItem, usize)> = Vec::new();
    for item in ready.iter().flat_map(|one| one.consent_missing(&consent)) {
        match counts.iter_mut().find(|(known, _)| known.key == item.key) {
            Some((_, count)) => *count += 1,
            None => counts.push((item, 1)),
        }
    }
    let shown: Vec<ConsentItem> = counts
        .iter()
        .map(|(item, count)| ConsentItem {
            source: format!("{}, for {count} of {} events", item.source, ready.len()),
            ..item.clone()
        })
        .collect();
    let items: Vec<ConsentItem> = counts.into_iter().map(|(item, _)| item).collect();
    ask_and_store_consent(&state, &items, &shown)
}

/// Fires the events, up to `--jobs` at once, and stores each firing as a new event unless it becomes a row. Returns true if the user
/// interrupted it; firings up to then are kept.
fn run_all(
    ready: Vec<ReadyEvent>,
    numbers: &[Option<i64>],
    args: &ReplayArgs,
    result: &mut ReplayCollector,
) -> Result<bool, CliError> {
    let stores = result.rows.is_none();
    let mut store = stores.then(|| open_store(&StateDir::for_process(), OpenMode::Write)).transpose()?;
    let runtime = runtime(2)?;
    let all = ready.len();
    let (since, mut progress) = (Instant::now(), ProgressLine::new());
    let mut done: Vec<(usize, ReplayedEvent)> = Vec::new();
    let mut failed = None;
    let stopped = runtime.block_on(async {
        let mut stops = stop_signals();
        let mut abreast = ConcurrentReplay::new(ready, args.jobs, WaitPolicy::Never);
        let stopped = loop {
            tokio::select! {
                came = abreast.next() => {
                    let Some((index, one, row)) = came else { break false };
                    let stored = store.as_mut().zip(row).map(|(store, row)| keep_row(store, &row));
                    if let Some(Err(why)) = stored {
                        failed = Some(why);
                        hookbench_app::kill_every_group();
                        break false;
                    }
                    done.push((index, one));
                    if stores {
                        progress.show(|| text::progress(done.len(), all, since.elapsed()));
                    }
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
            "{kept} of {all} events were fired and stored; the result of the next one is lost, and the others were not fired"
        ));
        return Err(why.into());
    }
    done.sort_by_key(|(index, _)| *index);
    for (index, one) in done {
        result.add(numbers.get(index).copied().flatten(), one)?;
    }
    Ok(stopped)
}
