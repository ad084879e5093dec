//! `test`: suites of events with expected outcomes. `report merge`: merges the reports of several machines.

mod formats;
mod text;
mod watch;

pub(super) use formats::{annotation, xml};

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::args::CommonArgs;
use super::convert::write_error;
use super::error::CliError;
use super::fire::ask_consent;
use super::inspect::print_json;
use super::print;
use super::setup::report_refused_consent;
use super::signals::stop_signals;
use hookbench_app::suite::{
    Case, CaseResult, MergeError, Shard, SuiteError, TestDoc, TestRunOptions, consent_of, find_suites, merge,
    read_suite, run_cases, test_doc, updates,
};
use hookbench_app::{Consent, ExitStatus, Home, LinkPolicy, StateDir, make_place, write_stderr};
use hookbench_core::dialects;

/// `test`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Suites, payloads, lines of recorded events, or folders of them [default: every hooks.test.yaml of the project]
    pub suites: Vec<PathBuf>,
    #[command(flatten)]
    pub common: CommonArgs,
    /// Only cases with this in their name
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// One part of several, always the same one, such as 2/4
    #[arg(long, value_parser = shard, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Cases that run at once
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub jobs: usize,
    /// Do not ask before running commands
    #[arg(long)]
    pub yes: bool,
    /// Keep the hooks apart: a copy of the project, a home of their own, few variables, no network where that can be
    #[arg(long)]
    pub contain: bool,
    /// Stretch every timeout by this factor
    #[arg(long, default_value_t = 1.0, value_parser = super::args::factor, value_name = "X")]
    pub timeout_scale: f64,
    /// Show what would change in the suites so that they expect what came of it
    #[arg(long, conflicts_with = "watch")]
    pub update: bool,
    /// Write what --update shows; undo takes it back
    #[arg(long, requires = "update")]
    pub write: bool,
    /// Write also where a suite of the project is a link that leads out of it
    #[arg(long, requires = "write")]
    pub follow_links: bool,
    /// Run again whenever a suite, the settings or a script is saved
    #[arg(long)]
    pub watch: bool,
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
    /// Annotations for a workflow log
    Github,
}

/// `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(subcommand)]
    pub command: ReportCommand,
}

/// What can be done with reports.
#[derive(Debug, clap::Subcommand)]
pub enum ReportCommand {
    /// Put the JSON reports of the parts of one run together
    Merge(MergeArgs),
}

/// `report merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Reports, as test --format json prints them
    #[arg(required = true)]
    pub reports: Vec<PathBuf>,
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    pub format: TestFormat,
}

pub(super) fn shard(text: &str) -> Result<Shard, String> {
    Shard::parse(text).ok_or_else(|| "a part looks like 2/4: the second of four".to_owned())
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
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|why| CliError::Internal(format!("cannot start: {why}")))?;
    if args.watch {
        return runtime.block_on(watch::watch(args));
    }
    let (cases, options) = read_cases(args)?;
    ask_missing_consent(&cases, &options, args)?;
    let results = runtime.block_on(until_stopped(&cases, &options, args))?;
    // The interruption was already reported.
    let Some(results) = results else { return Ok(ExitStatus::Interrupted) };
    if args.update {
        return update(&results, args);
    }
    if results.is_empty() && args.shard.is_none() {
        let filter = args.filter.as_deref().unwrap_or_default();
        return Err(CliError::BadInput(format!("no case has {filter:?} in its name")));
    }
    let part = args.shard.map(|shard| format!("{}/{}", shard.index, shard.of));
    finish(&TestDoc { part, ..test_doc(&results) }, args.format)
}

/// Reads the selected cases and the options of the run.
fn read_cases(args: &TestArgs) -> Result<(Vec<Arc<Case>>, TestRunOptions), CliError> {
    let project = args.common.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let suites = find_suites(&args.suites, &project)?;
    if suites.is_empty() {
        let help = "a suite is a file hooks.test.yaml; hookbench schema suite describes it";
        return Err(CliError::BadInput(format!("no suite in {}\n  help: {help}", project.display())));
    }
    let mut cases = Vec::new();
    for suite in &suites {
        for mut case in read_suite(suite)? {
            if let (Home::Scratch, Some(home)) = (&case.home, &args.common.home) {
                case.home = Home::CopyOf(home.clone());
            }
            cases.push(Arc::new(case));
        }
    }
    let agents = match (args.common.single_agent(), args.common.is_all_agents()) {
        (Some(id), _) => dialects::by_id(id).into_iter().collect(),
        (None, true) => dialects::ALL.to_vec(),
        (None, false) => Vec::new(),
    };
    let options = TestRunOptions {
        project,
        agents,
        version: args.common.agent_version.clone(),
        jobs: args.jobs,
        contain: args.contain,
        timeout_scale: args.timeout_scale,
        filter: args.filter.clone(),
        shard: args.shard,
    };
    Ok((cases, options))
}

/// Asks for consent for hooks that do not have it, and remembers the answer.
fn ask_missing_consent(cases: &[Arc<Case>], options: &TestRunOptions, args: &TestArgs) -> Result<(), CliError> {
    if args.yes {
        return Ok(());
    }
    let state = StateDir::of(&make_place(Some(&options.project), None)?);
    let consent = Consent::read(&state);
    report_refused_consent(&consent);
    let missing = consent_of(cases, options, &consent);
    if missing.is_empty() {
        return Ok(());
    }
    ask_consent(&missing)?;
    let given: Vec<(String, String)> = missing.into_iter().map(|item| (item.key, item.command)).collect();
    if let Err(why) = Consent::save(&state, &given) {
        write_stderr(format!("consent holds for this run only: {why}"));
    }
    Ok(())
}

/// Runs the cases. Returns `None` if the user interrupted the run, which kills every hook.
async fn until_stopped(
    cases: &[Arc<Case>],
    options: &TestRunOptions,
    args: &TestArgs,
) -> Result<Option<Vec<CaseResult>>, CliError> {
    let mut stops = stop_signals();
    let mut lines = text::CasePrinter::new();
    let tell = |result: &CaseResult| {
        if args.format == TestFormat::Text {
            lines.case(result);
        }
    };
    tokio::select! {
        results = run_cases(cases, options, tell) => Ok(Some(results)),
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
    let mut left = false;
    for change in &changes {
        text::change(change, &change.shown(&project));
        left |= !change.remaining.is_empty();
        if args.write && change.before != change.after {
            change
                .write(&StateDir::for_process(), &project, LinkPolicy::from_flag(args.follow_links))
                .map_err(|why| write_error(&why))?;
        }
    }
    let differs = changes.iter().any(|c| c.before != c.after);
    let pending = differs && !args.write;
    match (differs, pending) {
        (true, true) => print::write_stdout("nothing was written; --update --write writes it\n"),
        (true, false) => print::write_stdout("written; hookbench undo takes it back\n"),
        (false, _) if !left => print::write_stdout("all is as the files say: nothing to update\n"),
        (false, _) => {}
    }
    Ok(if left || pending { ExitStatus::NotAsExpected } else { ExitStatus::Ok })
}

/// Runs `report`.
pub fn report(args: &ReportArgs) -> Result<ExitStatus, CliError> {
    let ReportCommand::Merge(args) = &args.command;
    let mut parts = Vec::new();
    for path in &args.reports {
        let name = path.display().to_string();
        let text = hookbench_system::disk::read_text(path)
            .map_err(|why| CliError::File { file: name.clone(), why: why.to_string() })?;
        parts.push((name, text));
    }
    let doc = merge(&parts)?;
    if args.format == TestFormat::Text {
        text::cases(&doc);
    }
    finish(&doc, args.format)
}
