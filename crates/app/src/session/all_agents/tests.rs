//! Runs that would start the same process start one process, and every firing receives its report.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc;

use super::*;
use crate::session::SessionOptions;
use crate::{Command, Consent, DiskFiles, Driver, InputRequest, RunState, build_input};
use hookbench_core::config::{MemoryFiles, Place};
use hookbench_core::dialects::{self, Agent};
use hookbench_core::hook::Layer;

/// A session of one agent with these commands for its first event with a tool name.
fn session(dialect: &'static Agent, project: &std::path::Path, commands: &[&str]) -> Session {
    let place = Place {
        project: project.to_str().unwrap().to_owned(),
        home: project.join("home").to_str().unwrap().to_owned(),
        ..Place::default()
    };
    let version = dialects::default_version(dialect);
    let mut files = MemoryFiles::default();
    let empty = dialect.load(&place, &files, &version);
    let layer = empty.layers.iter().find(|l| l.layer == Layer::Project).unwrap();
    let event = dialect.events(&version).into_iter().find(|e| e.subject == Some("tool_name")).unwrap();
    let hooks: Vec<_> = commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
    files.put(layer.path.clone(), json!({"hooks": {event.name: [{"hooks": hooks}]}}).to_string());
    let loaded = dialect.load(&place, &files, &version);
    let options = SessionOptions { yes: true, keep_firings: 8, ..SessionOptions::default() };
    let mut session = Session::new(options, place, Box::new(DiskFiles), dialect.id(), &[], Consent::default());
    session.absorb(Fact::Loaded { agent: dialect.id(), loaded });
    session.apply(Command::ChooseEvent(event.name.to_owned()));
    session
}

fn start(session: &Session, command: &str) -> FiringStart {
    let request = InputRequest {
        agent: Some(session.bench.payload.agent),
        event: Some(session.bench.payload.input.as_ref().unwrap().event.clone()),
        tool_input: Some(json!({"command": command})),
        ..InputRequest::default()
    };
    let version = session.current().unwrap().version.clone();
    let built = build_input(&request, &session.place, &DiskFiles, &|_| version.clone()).unwrap();
    let scene = session.scene_of(session.current().unwrap(), &built.input).unwrap();
    let plan = built.dialect.plan(&scene);
    let (filled, diagnostics) = (Vec::new(), Vec::new());
    FiringStart { dialect: built.dialect, scene, plan, filled, diagnostics, auto: false, transcript: None }
}

/// Starts these firings together and runs them to their end. Returns the exit statuses of each.
fn fire(session: &mut Session, starts: Vec<FiringStart>) -> Vec<Vec<Option<i32>>> {
    let (ids, jobs) = session.start_together(starts);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
        let mut driver = Driver::new(Arc::clone(&session.place), sender, 1.0);
        driver.perform(jobs);
        while session.busy() {
            let fact = tokio::time::timeout(Duration::from_secs(20), facts.recv()).await.unwrap().unwrap();
            let jobs = session.absorb(fact).jobs;
            driver.perform(jobs);
        }
    });
    assert!(session.shared_runs.is_empty(), "nothing is kept of what is over");
    let statuses = |id: &FiringId| {
        let firing = session.firing(*id).unwrap();
        assert!(firing.settled && firing.outcome.is_some());
        assert!(firing.runs.iter().all(|run| run.pid.is_some() && matches!(run.state, RunState::Ended(_))));
        assert!(firing.runs.iter().all(|run| run.stdout.total() > 0), "what it prints is shown in each");
        firing.runs.iter().map(|run| run.ended().and_then(|ended| ended.report.exit.code())).collect()
    };
    ids.iter().map(statuses).collect()
}

#[test]
fn the_same_process_is_started_once() {
    // The first agent requires no approval of hooks.
    let dialect = dialects::ALL.first().copied().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().canonicalize().unwrap();
    let mut session = session(dialect, &project, &["echo x | tee -a count; exit 3"]);
    let processes = |want: usize| {
        let count = fs::read_to_string(project.join("count")).unwrap();
        assert_eq!(count.lines().count(), want);
        fs::remove_file(project.join("count")).unwrap();
    };
    let starts = vec![start(&session, "a"), start(&session, "a"), start(&session, "a")];
    assert_eq!(fire(&mut session, starts), vec![vec![Some(3)]; 3]);
    processes(1);
    // Another payload needs another process.
    let starts = vec![start(&session, "a"), start(&session, "b"), start(&session, "a")];
    assert_eq!(fire(&mut session, starts), vec![vec![Some(3)]; 3]);
    processes(2);
}

#[test]
fn ending_one_ends_all() {
    let dialect = dialects::ALL.first().copied().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut session = session(dialect, &directory.path().canonicalize().unwrap(), &["exec sleep 60"]);
    let starts = vec![start(&session, "a"), start(&session, "a")];
    let (ids, jobs) = session.start_together(starts);
    assert_eq!(jobs.iter().filter(|job| matches!(job, Job::Start { .. })).count(), 1, "{jobs:?}");
    let jobs = session.apply(Command::Cancel).jobs;
    let kills: Vec<_> = jobs.iter().filter(|job| matches!(job, Job::Kill { .. })).collect();
    assert_eq!(kills.len(), 2);
    assert!(kills.iter().all(|job| matches!(job, Job::Kill { firing, .. } if *firing == ids[0])), "{kills:?}");
}
