//! A session requests the impact of a change, and uses the answer to the last request only.

use hookbench::core::names::AgentId;
use std::path::Path;
use std::sync::Arc;

use hookbench::app::impact::Impact;
use hookbench::app::{
    Consent, DiskFiles, Driver, Fact, Job, STORE_FILE, Session, SessionEffect, SessionOptions, StateDir, Task,
    TaskUpdate,
};
use hookbench::store::{OpenMode, Store};
use tokio::sync::mpsc;

use super::impact::{ImpactProject, SettingsLocation, claude, hook, insert_seven_events};

fn session(world: &ImpactProject) -> Session {
    let state = world.path("state");
    let mut place = world.stage("one", None).place;
    place.env.insert("XDG_STATE_HOME".to_owned(), state);
    let mut session = Session::new(
        SessionOptions::default(),
        place,
        Box::new(DiskFiles),
        AgentId::new("claude"),
        &[],
        Consent::default(),
    );
    session.absorb(loaded(world));
    session
}

fn loaded(world: &ImpactProject) -> Fact {
    Fact::Loaded { agent: AgentId::new("claude"), loaded: Arc::clone(&world.stage("one", None).loaded) }
}

/// Returns the job after a change.
fn after(session: &mut Session, world: &ImpactProject, command: &str) -> Job {
    world.write(SettingsLocation::Project, Some(&hook("PreToolUse", "Bash", command)));
    let jobs = session.absorb(loaded(world)).jobs;
    let asked: Vec<Job> =
        jobs.into_iter().filter(|job| matches!(job, Job::Task { task: Task::Impact { .. }, .. })).collect();
    assert_eq!(asked.len(), 1);
    asked.into_iter().next().unwrap()
}

/// Performs the jobs and returns the first `facts` facts.
fn facts(session: &Session, jobs: Vec<Job>, facts: usize) -> Vec<Fact> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (sender, mut incoming) = mpsc::channel(Driver::QUEUE);
        let mut driver = Driver::new(Arc::clone(session.place()), sender, 1.0);
        driver.perform(jobs);
        let mut all = Vec::new();
        while all.len() < facts {
            all.extend(incoming.recv().await);
        }
        all
    })
}

fn fact(number: u64, newly: usize) -> Fact {
    let summary = hookbench::app::replay::ReplaySummary { newly_run: newly, ..Default::default() };
    let impact = Impact { agent: AgentId::new("claude"), project: None, summary, at_least: false };
    Fact::Task { number, update: TaskUpdate::Impact { previewed: false, impact: Box::new(impact) } }
}

fn newly(session: &Session) -> Option<usize> {
    session.agent("claude").unwrap().impact.as_ref().map(|impact| impact.summary.newly_run)
}

fn known(message: &str) -> SessionEffect {
    SessionEffect::ImpactKnown(message.to_owned())
}

#[test]
fn the_last_change_is_what_counts() {
    let world = ImpactProject::new();
    let mut session = session(&world);
    let Job::Task { number: first, .. } = after(&mut session, &world, "a.sh") else { unreachable!() };
    assert_eq!(session.absorb(fact(first, 1)).effects, [known("recorded events: 1 gains a hook")]);
    assert_eq!(newly(&session), Some(1));
    let Job::Task { number: second, .. } = after(&mut session, &world, "b.sh") else { unreachable!() };
    assert_eq!(newly(&session), None);
    assert_eq!(session.absorb(fact(first, 1)).effects, []);
    assert_eq!(newly(&session), None);
    assert_eq!(session.absorb(fact(second, 2)).effects, [known("recorded events: 2 gain a hook")]);
    assert_eq!(newly(&session), Some(2));
    // Loading the same settings is not a change.
    assert!(!session.absorb(loaded(&world)).jobs.iter().any(|job| matches!(job, Job::Task { .. })));
    assert_eq!(newly(&session), Some(2));
}

#[test]
fn a_change_is_planned_behind_the_session() {
    let mut world = ImpactProject::new();
    let directory = Path::new(&world.path("state")).join("hookbench");
    std::fs::create_dir_all(&directory).unwrap();
    world.store = Store::open(&directory.join(STORE_FILE), OpenMode::Write).unwrap();
    insert_seven_events(&mut world);
    let mut session = session(&world);
    let job = after(&mut session, &world, "a.sh");
    let Ok([fact]) = <[Fact; 1]>::try_from(facts(&session, vec![job], 1)) else { panic!() };
    let effects = session.absorb(fact).effects;
    assert_eq!(effects, [known("recorded events: 3 gain a hook, 3 unknown until run")]);
}

/// A missing store gives neither an impact nor an error: the returned fact belongs to the other job.
#[test]
fn a_missing_store_is_not_an_error() {
    let world = ImpactProject::new();
    let mut session = session(&world);
    assert!(!StateDir::of(session.place()).file(STORE_FILE).exists());
    let job = after(&mut session, &world, "a.sh");
    let version = session.agent("claude").unwrap().version.clone();
    let load = Job::Load { agent: claude().id(), version };
    let all = facts(&session, vec![job, load], 1);
    assert!(matches!(all.as_slice(), [Fact::Loaded { .. }]), "{all:?}");
}
