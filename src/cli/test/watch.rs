//! `test --watch`: the same again whenever something that counts was saved.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tokio::sync::mpsc;

use super::{TestArgs, agree, gather, pretty};
use crate::app::suite::{find_suites, fixtures, run, test_doc};
use crate::app::{Driver, InputRequest, Job, Session, SessionOptions, Status, WatchOptions};
use crate::cli::exit::Failure;
use crate::cli::setup;
use crate::cli::stops::stop_signals;

/// Watches until the user has enough.
pub(super) async fn watch(args: &TestArgs) -> Result<Status, Failure> {
    let mut stops = stop_signals();
    let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
    let mut driver: Option<Driver> = None;
    loop {
        let mut session = session(args)?;
        let loaded = setup::load(&mut session, None);
        let files = suites(args);
        // Each reader of settings makes the list longer; the last one is whole.
        let list = loaded.into_iter().rev().find(|job| matches!(job, Job::Watch(_)));
        let jobs: Vec<Job> = list.into_iter().map(|job| also(job, &files)).collect();
        let paths = watched_files(&jobs);
        // Taken before anything is read, so that no save falls between.
        let before = stamps(&paths);
        let driver = driver
            .get_or_insert_with(|| Driver::new(session.place.clone(), sender.clone(), args.timeout_scale).watching());
        driver.perform(jobs);
        match gather(args) {
            Err(why) => crate::app::complain(&why),
            Ok((cases, options)) => {
                agree(&cases, &options, args)?;
                let mut lines = pretty::Lines::new();
                let running = run(&cases, &options, |result| lines.case(result));
                tokio::select! {
                    results = running => pretty::summary(&test_doc(&results)),
                    Some(()) = stops.recv() => {
                        crate::app::kill_every_group();
                        return Ok(Status::Interrupted);
                    }
                }
            }
        }
        crate::cli::print::out("waiting for a save; Ctrl+C ends\n\n");
        // A hook's own writes are no saves: only another content counts, whoever reports it.
        while stamps(&paths) == before && suites(args) == files {
            tokio::select! {
                fact = facts.recv() => if fact.is_none() { return Ok(Status::Ok) },
                Some(()) = stops.recv() => return Ok(Status::Interrupted),
            }
        }
    }
}

fn session(args: &TestArgs) -> Result<Session, Failure> {
    let watch = WatchOptions { enabled: true, ..WatchOptions::default() };
    let options = SessionOptions { keep_firings: 1, watch, ..SessionOptions::default() };
    setup::open(&args.common, &InputRequest::default(), options)
}

/// The files of cases and what these are made from, readable or not.
fn suites(args: &TestArgs) -> Vec<PathBuf> {
    let project = args.common.project.as_deref().unwrap_or(Path::new("."));
    let mut files = find_suites(&args.suites, project).unwrap_or_default();
    let made_from: Vec<PathBuf> = files.iter().flat_map(|suite| fixtures(suite)).collect();
    files.extend(made_from);
    files
}

fn also(job: Job, files: &[PathBuf]) -> Job {
    match job {
        Job::Watch(mut list) => {
            let files = files.iter().filter_map(|f| std::path::absolute(f).ok());
            let files: Vec<PathBuf> = files.collect();
            list.folders.extend(files.iter().filter_map(|f| f.parent()).map(Path::to_owned));
            list.files.extend(files);
            Job::Watch(list)
        }
        other => other,
    }
}

fn watched_files(jobs: &[Job]) -> Vec<PathBuf> {
    let of = |job: &Job| if let Job::Watch(list) = job { list.files.clone() } else { Vec::new() };
    jobs.iter().flat_map(of).collect()
}

/// What the files hold, near enough.
fn stamps(paths: &[PathBuf]) -> BTreeMap<PathBuf, Option<String>> {
    let of = |path: &PathBuf| std::fs::read(path).ok().map(|bytes| crate::core::recorded::digest(&bytes));
    paths.iter().map(|path| (path.clone(), of(path))).collect()
}
