//! `test`: suites of events with expected outcomes. `report merge`: merges the reports of several machines.

mod formats;
mod replay_rows;
mod text;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::args::{CommonArgs, warn_of_arguments};
use super::consent::{ask_and_store_consent, read_consent};
use super::containment::{confirm_copy, prepare_containment};
use super::error::CliError;
use super::print::{self, print_json};
use super::run::runtime;
use super::setup::{self, warn_if_unreleased};
use super::signals::stop_signals;
use hookbench_app::suite::{
    Case, CaseResult, Isolate, MergeError, Shard, SuiteError, TestDoc, TestRunOptions, consent_of, find_suites, merge,
    read_suite, run_cases, test_doc, updates, user_suite,
};
use hookbench_app::{
    Consent, ExitStatus, Home, InputRequest, LinkPolicy, SessionOptions, StateDir, make_place, write_stderr,
};
use hookbench_core::dialects::{self, Agent};
use hookbench_core::names::AgentId;
use replay_rows::{has_rows, merge_rows};

/// `test`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Suites, payloads, JSON lines of recorded events, or directories of them [default: every hooks.test.yaml of the project]
    pub suites: Vec<PathBuf>,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Only cases with this text in their name
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Only one of several equal parts, such as 2/4
    #[arg(long, value_parser = shard, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Number of cases that run at the same time
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub jobs: usize,
    /// Answer yes: run the commands without asking, and write the changes of --update
    #[arg(long)]
    pub yes: bool,
    /// Run the hooks in a copy of the project, with an empty home directory, few variables and no network if possible
    #[arg(long)]
    pub contain: bool,
    /// Multiply every timeout by this factor
    #[arg(long, default_value_t = 1.0, value_parser = super::args::factor, value_name = "X")]
    pub timeout_scale: f64,
    /// Change the suites so that they expect the current results; hookbench undo restores the files
    #[arg(long, conflicts_with = "watch")]
    pub update: bool,
    /// Show the changes of --update and write nothing
    #[arg(long, requires = "update")]
    pub dry_run: bool,
    /// Writes the changes, and still asks before commands run.
    #[arg(long, requires = "update", conflicts_with = "dry_run", hide = true)]
    pub write: bool,
    /// Write even if a suite is a link to a file outside the project
    #[arg(long, requires = "update")]
    pub follow_links: bool,
    /// Run again when a suite, the settings or a script is saved
    #[arg(long)]
    pub watch: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    pub format: TestFormat,
}

/// The output formats of `test` and `report merge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    Text,
    Json,
    Junit,
    Tap,
    /// Annotations for a GitHub workflow log
    Github,
}

/// `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(subcommand)]
    pub command: ReportCommand,
}

/// The commands of `report`.
#[derive(Debug, clap::Subcommand)]
pub enum ReportCommand {
    /// Merge the JSON reports of the parts of one run
    Merge(MergeArgs),
}

/// `report merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Reports that `hookbench test --format json` has printed, or rows of `hookbench replay --format jsonl`
    #[arg(required = true)]
    pub reports: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    pub format: TestFormat,
}

pub(super) fn shard(text: &str) -> Result<Shard, String> {
    Shard::parse(text).ok_or_else(|| "write a part as 2/4, for the second of four".to_owned())
}

impl From<SuiteError> for CliError {
    fn from(why: SuiteError) -> CliError {
        CliError::BadInput(why.to_string())
    }
}

impl From<MergeError> for CliError {
    fn from(why: MergeError) -> CliError {
        CliError::BadInput(why.to_string())
    }
}

/// Runs `test`.
pub fn test(args: &TestArgs) -> Result<ExitStatus, CliError> {
    let runtime = runtime(2)?;
    if args.watch {
        return runtime.block_on(watch::watch(args));
    }
    let (cases, mut options) = read_cases(args)?;
    confirm_copies(&cases, &options, args)?;
    options.approved = ask_missing_consent(&cases, &options, args)?;
    let results = runtime.block_on(until_stopped(&cases, &options, args))?;
    // The interruption was already reported.
    let Some(results) = results else { return Ok(ExitStatus::Interrupted) };
    if args.update {
        return update(&results, args);
    }
    if results.is_empty() && args.shard.is_none() {
        let filter = args.filter.as_deref().unwrap_or_default();
        return Err(CliError::BadInput(format!("no test case has {filter:?} in its name")));
    }
    let part = args.shard.map(|shard| format!("{}/{}", shard.index, shard.of));
    finish(&TestDoc { part, ..test_doc(&results) }, args.format)
}

/// Reads the selected cases and the options of the run.
fn read_cases(args: &TestArgs) -> Result<(Vec<Arc<Case>>, TestRunOptions), CliError> {
    let project = args.common.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let suites = find_suites(&args.suites, &project)?;
    if suites.is_empty() {
        let place = make_place(Some(&project), args.common.home.as_deref())?;
        let own = user_suite(&place);
        let help = if Path::new(&own).exists() {
            format!("hookbench test {} tests your own hooks", place.display_path(&own))
        } else {
            "write a suite to hooks.test.yaml; `hookbench schema suite` describes its format".to_owned()
        };
        return Err(CliError::BadInput(format!("no test suites in {}\n  help: {help}", project.display())));
    }
    let mut cases = Vec::new();
    for suite in &suites {
        for mut case in read_suite(suite)? {
            match (&case.home, &args.common.home) {
                (Home::Scratch, Some(home)) => case.home = Home::CopyOf(home.clone()),
                (Home::Real, Some(home)) => case.home = Home::Itself(home.clone()),
                _ => {}
            }
            cases.push(Arc::new(case));
        }
    }
    let agents = match (args.common.single_agent(), args.common.is_all_agents()) {
        (Some(id), _) => {
            let dialect = dialects::by_id(id.as_str());
            warn_if_unreleased(dialect);
            dialect.into_iter().collect()
        }
        (None, true) => agents_in_use(args)?,
        (None, false) => Vec::new(),
    };
    let mut place = make_place(Some(&project), args.common.home.as_deref())?;
    let of_cases = args.common.single_agent().or_else(|| only_agent(&cases));
    let environment = args.common.environment(&place, of_cases)?;
    place.arguments = args.common.arguments(of_cases)?;
    warn_of_arguments(&place);
    let options = TestRunOptions {
        arguments: place.arguments,
        as_trusted: args.common.as_trusted,
        project,
        agents,
        version: args.common.agent_version.clone(),
        jobs: args.jobs,
        contain: args.contain,
        timeout_scale: args.timeout_scale,
        environment,
        filter: args.filter.clone(),
        shard: args.shard,
        approved: None,
    };
    Ok((cases, options))
}

/// The agents of `--agent all`. Says which are left out.
fn agents_in_use(args: &TestArgs) -> Result<Vec<&'static Agent>, CliError> {
    let request = InputRequest::default();
    let mut session = setup::open(&args.common, &request, SessionOptions::default())?;
    session.load(None);
    if let Some(says) = session.left_out("--agent with a name tests one") {
        write_stderr(format!("left out: {says}"));
    }
    Ok(session.agents().iter().map(|agent| agent.dialect).collect())
}

/// The agent of all cases, if all have the same one.
fn only_agent(cases: &[Arc<Case>]) -> Option<AgentId> {
    let mut agents = cases.iter().map(|case| match case.agents.as_slice() {
        [one] => Some(one.id()),
        _ => None,
    });
    let first = agents.next()??;
    agents.all(|agent| agent == Some(first)).then_some(first)
}

/// Asks before large projects and home directories are copied.
fn confirm_copies(cases: &[Arc<Case>], options: &TestRunOptions, args: &TestArgs) -> Result<(), CliError> {
    prepare_containment(options.contain, &options.project, args.yes)?;
    let mut copied: Vec<&Path> = Vec::new();
    for case in cases.iter().filter(|case| case.skip.is_none()) {
        let project = (case.isolate == Isolate::Copy).then(|| case.project.as_deref().unwrap_or(&options.project));
        let home = if let Home::CopyOf(home) = &case.home { Some(home.as_path()) } else { None };
        copied.extend(project.into_iter().chain(home));
    }
    copied.sort_unstable();
    copied.dedup();
    copied.into_iter().try_for_each(|directory| confirm_copy(directory, args.yes))
}

/// Asks for consent for hooks that do not have it, and remembers the answer. Returns what is approved now; `None` if
/// everything is.
fn ask_missing_consent(
    cases: &[Arc<Case>],
    options: &TestRunOptions,
    args: &TestArgs,
) -> Result<Option<Consent>, CliError> {
    if args.yes {
        return Ok(None);
    }
    let state = StateDir::of(&make_place(Some(&options.project), None)?);
    let mut approved = read_consent(&state);
    let missing = consent_of(cases, options, &approved);
    ask_and_store_consent(&state, &missing, &missing)?;
    for item in missing {
        approved.give(item.key, item.command);
    }
    Ok(Some(approved))
}

/// Runs the cases. Returns `None` if the user interrupted the run, which kills every hook.
async fn until_stopped(
    cases: &[Arc<Case>],
    options: &TestRunOptions,
    args: &TestArgs,
) -> Result<Option<Vec<CaseResult>>, CliError> {
    let mut stops = stop_signals();
    let mut lines = text::CasePrinter::new();
    let mut tell = |result: &CaseResult| {
        if args.format == TestFormat::Text {
            lines.case(result);
        }
    };
    tokio::select! {
        results = run_cases(cases, options, &mut tell) => Ok(Some(results)),
        Some(()) = stops.recv() => {
            hookbench_app::kill_every_group();
            Ok(None)
        }
    }
}

fn finish(doc: &TestDoc, format: TestFormat) -> Result<ExitStatus, CliError> {
    match format {
        TestFormat::Text => text::summary(doc),
        TestFormat::Json => {
            print_json(doc)?;
        }
        TestFormat::Junit => print::write_stdout(&formats::junit(doc)),
        TestFormat::Tap => print::write_stdout(&formats::tap(doc)),
        TestFormat::Github => print::write_stdout(&formats::github(doc)),
    }
    Ok(if doc.failed == 0 { ExitStatus::Ok } else { ExitStatus::NotAsExpected })
}

fn update(results: &[CaseResult], args: &TestArgs) -> Result<ExitStatus, CliError> {
    let changes = updates(results, |file| hookbench_system::disk::read_text(file).ok());
    let project = args.common.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let writes = (args.yes || args.write) && !args.dry_run;
    let mut left = false;
    for change in &changes {
        text::change(change, &change.shown(&project));
        left |= !change.remaining.is_empty();
        if writes && change.before != change.after {
            change.write(&StateDir::for_process(), &project, LinkPolicy::from_flag(args.follow_links))?;
        }
    }
    let differs = changes.iter().any(|c| c.before != c.after);
    let pending = differs && !writes;
    match (differs, pending) {
        (true, true) => print::write_stdout("nothing was written; --update --yes writes the files\n"),
        (true, false) => print::write_stdout("written; `hookbench undo` restores the files\n"),
        (false, _) if !left => print::write_stdout("nothing to update: all results are as expected\n"),
        (false, _) => {}
    }
    Ok(if left || pending { ExitStatus::NotAsExpected } else { ExitStatus::Ok })
}

/// Runs `report`.
pub fn report(args: &ReportArgs) -> Result<ExitStatus, CliError> {
    let ReportCommand::Merge(args) = &args.command;
    if args.reports.iter().any(|path| has_rows(path)) {
        if !matches!(args.format, TestFormat::Text | TestFormat::Json) {
            let says = "the report on a replay has only the formats text and json".to_owned();
            return Err(CliError::Usage(says));
        }
        return merge_rows(&args.reports, args.format == TestFormat::Json);
    }
    let mut parts = Vec::new();
    for path in &args.reports {
        let name = path.display().to_string();
        let text = hookbench_system::disk::read_text(path).map_err(|why| CliError::of_file(path, &why))?;
        parts.push((name, text));
    }
    let doc = merge(&parts)?;
    if args.format == TestFormat::Text {
        text::cases(&doc);
    }
    finish(&doc, args.format)
}
