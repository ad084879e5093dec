//! `test --watch`: runs the tests again when a relevant file is saved.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc;

use super::{TestArgs, ask_missing_consent, confirm_copies, read_cases, text};
use crate::error::CliError;
use crate::setup;
use crate::signals::stop_signals;
use hookbench_app::suite::{CaseResult, find_suites, fixtures, read_suite, run_cases, test_doc};
use hookbench_app::{Driver, ExitStatus, InputRequest, Job, SessionOptions, WatchOptions};
use hookbench_core::config::{Place, Watchlist};

/// Runs the tests after each save until the user stops it.
pub(super) async fn watch(args: &TestArgs) -> Result<ExitStatus, CliError> {
    let mut stops = stop_signals();
    let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
    let mut driver: Option<Driver> = None;
    loop {
        let (place, mut list) = watchlist(args, None)?;
        let files = suites(args);
        // A missing project is reported by the cases that use it.
        for (_, more) in projects(&files).iter().filter_map(|project| watchlist(args, Some(project.as_path())).ok()) {
            list.directories.extend(more.directories);
            list.files.extend(more.files);
        }
        let jobs = vec![watch_job(list, &files)];
        let paths = watched_files(&jobs);
        // Taken before the files are read, so that no save is missed.
        let before = hash_files(&paths);
        let driver = driver
            .get_or_insert_with(|| Driver::new(Arc::clone(&place), sender.clone(), args.timeout_scale).watching());
        driver.perform(jobs);
        match read_cases(args) {
            Err(why) => hookbench_app::write_stderr(&why),
            Ok((cases, mut options)) => {
                confirm_copies(&cases, &options, args)?;
                options.approved = ask_missing_consent(&cases, &options, args)?;
                let mut lines = text::CasePrinter::new();
                let mut tell = |result: &CaseResult| lines.case(result);
                let running = run_cases(&cases, &options, &mut tell);
                tokio::select! {
                    results = running => text::summary(&test_doc(&results)),
                    Some(()) = stops.recv() => {
                        hookbench_app::kill_every_group();
                        return Ok(ExitStatus::Interrupted);
                    }
                }
            }
        }
        crate::print::write_stdout("waiting for a saved file; Ctrl-C stops\n\n");
        // A notification alone is not a save, because hooks may touch files too: only a change of content starts a
        // new run.
        while hash_files(&paths) == before && suites(args) == files {
            tokio::select! {
                fact = facts.recv() => if fact.is_none() { return Ok(ExitStatus::Ok) },
                Some(()) = stops.recv() => return Ok(ExitStatus::Interrupted),
            }
        }
    }
}

/// Returns the files that the hooks of a project depend on. `None` means the current project.
fn watchlist(args: &TestArgs, project: Option<&Path>) -> Result<(Arc<Place>, Watchlist), CliError> {
    let watch = WatchOptions { enabled: true, ..WatchOptions::default() };
    let options = SessionOptions { keep_firings: 1, watch, ..SessionOptions::default() };
    let mut common = args.common.clone();
    common.project = project.map(Path::to_owned).or(common.project);
    let mut session = setup::open_watching(&common, &InputRequest::default(), options)?;
    let loaded = session.load(None);
    // Each loaded agent adds to the list; the last list has everything.
    let list = loaded.into_iter().rev().find_map(|job| if let Job::Watch(list) = job { Some(list) } else { None });
    Ok((Arc::clone(session.place()), list.unwrap_or_default()))
}

/// Returns the other projects that suites name.
fn projects(suites: &[PathBuf]) -> BTreeSet<PathBuf> {
    let cases = suites.iter().filter_map(|suite| read_suite(suite).ok()).flatten();
    cases.filter_map(|case| case.project).collect()
}

/// Returns the suites and the files that their cases are made from, readable or not.
fn suites(args: &TestArgs) -> Vec<PathBuf> {
    let project = args.common.project.as_deref().unwrap_or(Path::new("."));
    let mut files = find_suites(&args.suites, project).unwrap_or_default();
    let made_from: Vec<PathBuf> = files.iter().flat_map(|suite| fixtures(suite)).collect();
    files.extend(made_from);
    files
}

fn watch_job(mut list: Watchlist, files: &[PathBuf]) -> Job {
    let files: Vec<PathBuf> = files.iter().filter_map(|f| std::path::absolute(f).ok()).collect();
    list.directories.extend(files.iter().filter_map(|f| f.parent()).map(Path::to_owned));
    list.files.extend(files);
    Job::Watch(list)
}

fn watched_files(jobs: &[Job]) -> Vec<PathBuf> {
    let of = |job: &Job| if let Job::Watch(list) = job { list.files.clone() } else { Vec::new() };
    jobs.iter().flat_map(of).collect()
}

/// Hashes the content of the files.
fn hash_files(paths: &[PathBuf]) -> BTreeMap<PathBuf, Option<String>> {
    let of =
        |path: &PathBuf| hookbench_system::disk::read(path).ok().map(|bytes| hookbench_core::recorded::digest(&bytes));
    paths.iter().map(|path| (path.clone(), of(path))).collect()
}
