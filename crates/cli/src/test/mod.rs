//! `test`: suites of events with expected outcomes. `report merge`: merges the reports of several machines.

mod formats;
mod pretty;
mod watch;

pub(super) use formats::{annotation, xml};

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::args::Common;
use super::convert::not_written;
use super::exit::Failure;
use super::fire::ask;
use super::look::print_json;
use super::print;
use super::setup::tell_refused;
use super::stops::stop_signals;
use hookbench_app::suite::{
    Case, CaseResult, MergeError, RunOptions, Shard, SuiteError, TestDoc, consent_of, find_suites, merge, read_suite,
    run, test_doc, updates,
};
use hookbench_app::{Consent, Home, Links, StateDir, Status, complain, make_place};
use hookbench_core::dialects;

/// `test`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Suites, payloads, lines of recorded events, or folders of them [default: every hooks.test.yaml of the project]
    pub suites: Vec<PathBuf>,
    #[command(flatten)]
    pub common: Common,
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

impl From<SuiteError> for Failure {
    fn from(why: SuiteError) -> Failure {
        Failure::BadInput(why.to_string())
    }
}

impl From<MergeError> for Failure {
    fn from(why: MergeError) -> Failure {
        Failure::BadInput(why.to_string())
    }
}

/// Runs `test`.
pub fn test(args: &TestArgs) -> Result<Status, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|why| Failure::Internal(format!("cannot start: {why}")))?;
    if args.watch {
        return runtime.block_on(watch::watch(args));
    }
    let (cases, options) = gather(args)?;
    agree(&cases, &options, args)?;
    let results = runtime.block_on(until_stopped(&cases, &options, args))?;
    // The interruption was already reported.
    let Some(results) = results else { return Ok(Status::Interrupted) };
    if args.update {
        return update(&results, args);
    }
    if results.is_empty() && args.shard.is_none() {
        let filter = args.filter.as_deref().unwrap_or_default();
        return Err(Failure::BadInput(format!("no case has {filter:?} in its name")));
    }
    let part = args.shard.map(|shard| format!("{}/{}", shard.index, shard.of));
    finish(&TestDoc { part, ..test_doc(&results) }, args.format)
}

/// Reads the selected cases and the options of the run.
fn gather(args: &TestArgs) -> Result<(Vec<Arc<Case>>, RunOptions), Failure> {
    let project = args.common.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let suites = find_suites(&args.suites, &project)?;
    if suites.is_empty() {
        let help = "a suite is a file hooks.test.yaml; hookbench schema suite describes it";
        return Err(Failure::BadInput(format!("no suite in {}\n  help: {help}", project.display())));
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
    let agents = match (args.common.one(), args.common.all()) {
        (Some(id), _) => dialects::by_id(id).into_iter().collect(),
        (None, true) => dialects::ALL.to_vec(),
        (None, false) => Vec::new(),
    };
    let options = RunOptions {
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
fn agree(cases: &[Arc<Case>], options: &RunOptions, args: &TestArgs) -> Result<(), Failure> {
    if args.yes {
        return Ok(());
    }
    let state = StateDir::of(&make_place(Some(&options.project), None)?);
    let consent = Consent::read(&state);
    tell_refused(&consent);
    let missing = consent_of(cases, options, &consent);
    if missing.is_empty() {
        return Ok(());
    }
    ask(&missing)?;
    let given: Vec<(String, String)> = missing.into_iter().map(|item| (item.key, item.command)).collect();
    if let Err(why) = Consent::keep(&state, &given) {
        complain(format!("consent holds for this run only: {why}"));
    }
    Ok(())
}

/// Runs the cases. Returns `None` if the user interrupted the run, which kills every hook.
async fn until_stopped(
    cases: &[Arc<Case>],
    options: &RunOptions,
    args: &TestArgs,
) -> Result<Option<Vec<CaseResult>>, Failure> {
    let mut stops = stop_signals();
    let mut lines = pretty::Lines::new();
    let tell = |result: &CaseResult| {
        if args.format == TestFormat::Text {
            lines.case(result);
        }
    };
    tokio::select! {
        results = run(cases, options, tell) => Ok(Some(results)),
        Some(()) = stops.recv() => {
            hookbench_app::kill_every_group();
            Ok(None)
        }
    }
}

fn finish(doc: &TestDoc, format: TestFormat) -> Result<Status, Failure> {
    match format {
        TestFormat::Text => pretty::summary(doc),
        TestFormat::Json => {
            print_json(doc)?;
        }
        TestFormat::Junit => print::out(&formats::junit(doc)),
        TestFormat::Tap => print::out(&formats::tap(doc)),
        TestFormat::Github => print::out(&formats::github(doc)),
    }
    Ok(if doc.failed == 0 { Status::Ok } else { Status::NotAsExpected })
}

fn update(results: &[CaseResult], args: &TestArgs) -> Result<Status, Failure> {
    let changes = updates(results, |file| hookbench_system::disk::read_text(file).ok());
    let project = args.common.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut left = false;
    for change in &changes {
        pretty::change(change, &change.shown(&project));
        left |= !change.left.is_empty();
        if args.write && change.before != change.after {
            change.write(&StateDir::here(), &project, Links::of(args.follow_links)).map_err(|why| not_written(&why))?;
        }
    }
    let differs = changes.iter().any(|c| c.before != c.after);
    let pending = differs && !args.write;
    match (differs, pending) {
        (true, true) => print::out("nothing was written; --update --write writes it\n"),
        (true, false) => print::out("written; hookbench undo takes it back\n"),
        (false, _) if !left => print::out("all is as the files say: nothing to update\n"),
        (false, _) => {}
    }
    Ok(if left || pending { Status::NotAsExpected } else { Status::Ok })
}

/// Runs `report`.
pub fn report(args: &ReportArgs) -> Result<Status, Failure> {
    let ReportCommand::Merge(args) = &args.command;
    let mut parts = Vec::new();
    for path in &args.reports {
        let name = path.display().to_string();
        let text = hookbench_system::disk::read_text(path)
            .map_err(|why| Failure::File { file: name.clone(), why: why.to_string() })?;
        parts.push((name, text));
    }
    let doc = merge(&parts)?;
    if args.format == TestFormat::Text {
        pretty::cases(&doc);
    }
    finish(&doc, args.format)
}
