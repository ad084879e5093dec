//! `test --watch`: runs the tests again when a relevant file is saved.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc;

use super::{TestArgs, agree, gather, pretty};
use crate::exit::Failure;
use crate::setup;
use crate::stops::stop_signals;
use hookbench_app::suite::{find_suites, fixtures, read_suite, run, test_doc};
use hookbench_app::{Driver, InputRequest, Job, SessionOptions, Status, WatchOptions};
use hookbench_core::config::{Place, Watchlist};

/// Runs the tests after each save until the user stops it.
pub(super) async fn watch(args: &TestArgs) -> Result<Status, Failure> {
    let mut stops = stop_signals();
    let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
    let mut driver: Option<Driver> = None;
    loop {
        let (place, mut list) = watchlist(args, None)?;
        let files = suites(args);
        // A missing project is reported by the cases that use it.
        for (_, more) in projects(&files).iter().filter_map(|project| watchlist(args, Some(project.as_path())).ok()) {
            list.folders.extend(more.folders);
            list.files.extend(more.files);
        }
        let jobs = vec![also(list, &files)];
        let paths = watched_files(&jobs);
        // Taken before the files are read, so that no save is missed.
        let before = stamps(&paths);
        let driver = driver
            .get_or_insert_with(|| Driver::new(Arc::clone(&place), sender.clone(), args.timeout_scale).watching());
        driver.perform(jobs);
        match gather(args) {
            Err(why) => hookbench_app::complain(&why),
            Ok((cases, options)) => {
                agree(&cases, &options, args)?;
                let mut lines = pretty::Lines::new();
                let running = run(&cases, &options, |result| lines.case(result));
                tokio::select! {
                    results = running => pretty::summary(&test_doc(&results)),
                    Some(()) = stops.recv() => {
                        hookbench_app::kill_every_group();
                        return Ok(Status::Interrupted);
                    }
                }
            }
        }
        crate::print::out("waiting for a save; Ctrl+C ends\n\n");
        // A notification alone is not a save, because hooks may touch files too: only a change of content starts a
        // new run.
        while stamps(&paths) == before && suites(args) == files {
            tokio::select! {
                fact = facts.recv() => if fact.is_none() { return Ok(Status::Ok) },
                Some(()) = stops.recv() => return Ok(Status::Interrupted),
            }
        }
    }
}

/// Returns the files that the hooks of a project depend on. `None` means the current project.
fn watchlist(args: &TestArgs, project: Option<&Path>) -> Result<(Arc<Place>, Watchlist), Failure> {
    let watch = WatchOptions { enabled: true, ..WatchOptions::default() };
    let options = SessionOptions { keep_firings: 1, watch, ..SessionOptions::default() };
    let mut common = args.common.clone();
    common.project = project.map(Path::to_owned).or(common.project);
    let mut session = setup::open_watching(&common, &InputRequest::default(), options)?;
    let loaded = setup::load(&mut session, None);
    // Each loaded agent adds to the list; the last list has everything.
    let list = loaded.into_iter().rev().find_map(|job| if let Job::Watch(list) = job { Some(list) } else { None });
    Ok((Arc::clone(&session.place), list.unwrap_or_default()))
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

fn also(mut list: Watchlist, files: &[PathBuf]) -> Job {
    let files: Vec<PathBuf> = files.iter().filter_map(|f| std::path::absolute(f).ok()).collect();
    list.folders.extend(files.iter().filter_map(|f| f.parent()).map(Path::to_owned));
    list.files.extend(files);
    Job::Watch(list)
}

fn watched_files(jobs: &[Job]) -> Vec<PathBuf> {
    let of = |job: &Job| if let Job::Watch(list) = job { list.files.clone() } else { Vec::new() };
    jobs.iter().flat_map(of).collect()
}

/// Hashes the content of the files.
fn stamps(paths: &[PathBuf]) -> BTreeMap<PathBuf, Option<String>> {
    let of =
        |path: &PathBuf| hookbench_system::disk::read(path).ok().map(|bytes| hookbench_core::recorded::digest(&bytes));
    paths.iter().map(|path| (path.clone(), of(path))).collect()
}
