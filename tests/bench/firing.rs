//! `cargo bench --bench firing`: the time to fire one hook, compared with starting the same command and waiting for
//! it.
//!
//! Both alternate in one process, because the time of a spawn varies from minute to minute by more than the
//! difference. criterion measures one function after the other, so this bench has its own loop. It reports medians,
//! and the ratio of the pairs.
//!
//! Budget, for comparison and never asserted: a ratio below 1.5, and less than 2 ms on top of the spawn. Measured on
//! two cores, release: 1.2 and 1.4, with 0.5 and 1 ms on top of 2.6 ms.
#![allow(clippy::disallowed_methods, reason = "measures real processes")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

#[path = "../support/agent_words.rs"]
mod agent_words;

use hookbench::app::Fact;
use hookbench::app::{
    Command, Consent, DiskFiles, Driver, InputRequest, Session, SessionOptions, build_input, make_place,
};
use hookbench::core::dialects::{self, Agent, default_version};
use tokio::sync::mpsc;

const PAIRS: usize = 300;
const SCRIPT: &str = "#!/bin/sh\ncat >/dev/null\nexit 0\n";

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for dialect in dialects::ALL.iter().copied() {
        let directory = tempfile::tempdir().unwrap();
        lay(dialect, directory.path());
        let mut session = session(dialect, directory.path());
        let mut pairs: Vec<(Duration, Duration)> = Vec::new();
        for _ in 0..PAIRS {
            pairs.push((bare(directory.path()), runtime.block_on(fired(&mut session))));
        }
        report(dialect.id().as_str(), &pairs);
    }
}

fn lay(dialect: &Agent, project: &std::path::Path) {
    std::fs::write(project.join("hook.sh"), SCRIPT).unwrap();
    let words = agent_words::words_of(dialect.id().as_str());
    let settings = serde_json::json!({
        "hooks": {words.prompt: [{"hooks": [{"type": "command", "command": "sh hook.sh"}]}]}
    });
    // The home directory differs from the project: some agents ignore project settings in the home directory.
    let home = project.join("home");
    let settings = settings.to_string();
    let mut files = words.reviewed_files(project.to_str().unwrap(), home.to_str().unwrap(), &settings);
    files.push((project.join(words.settings).to_str().unwrap().to_owned(), settings));
    std::fs::create_dir(&home).unwrap();
    for (path, text) in files {
        std::fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn session(dialect: &'static Agent, project: &std::path::Path) -> Session {
    let place = make_place(Some(project), Some(&project.join("home"))).unwrap();
    let prompt = agent_words::words_of(dialect.id().as_str()).prompt;
    let request = InputRequest { agent: Some(dialect.id()), event: Some(prompt.into()), ..InputRequest::default() };
    let version = default_version(dialect);
    let version_of = |_| default_version(dialect);
    let input = build_input(&request, &place, &DiskFiles, &version_of).unwrap();
    let loaded = dialect.load(&place, &DiskFiles, &version);
    let options = SessionOptions { yes: true, keep_firings: 1, ..SessionOptions::default() };
    let mut session = Session::new(options, place, Box::new(DiskFiles), dialect.id(), &[], Consent::default());
    session.absorb(Fact::Loaded { agent: dialect.id(), loaded });
    session.put_input(input);
    session
}

/// Starts the script in a shell, as an agent does.
fn bare(project: &std::path::Path) -> Duration {
    let start = Instant::now();
    let mut child = Process::new("/bin/sh")
        .args(["-c", "sh hook.sh"])
        .current_dir(project)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success());
    start.elapsed()
}

/// Fires through the session: plan, launch, run, read, decide.
async fn fired(session: &mut Session) -> Duration {
    let start = Instant::now();
    let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
    let mut driver = Driver::new(session.place().clone(), sender, 1.0);
    driver.perform(session.apply(Command::Fire).jobs);
    while session.busy() {
        let fact = facts.recv().await.unwrap();
        driver.perform(session.absorb(fact).jobs);
    }
    let took = start.elapsed();
    let last = session.history().newest_record().unwrap();
    assert_eq!(last.ended.len(), 1, "the hook ran");
    took
}

fn report(agent: &str, pairs: &[(Duration, Duration)]) {
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    let bare = median(pairs.iter().map(|(b, _)| ms(*b)).collect());
    let fired = median(pairs.iter().map(|(_, f)| ms(*f)).collect());
    let ratio = median(pairs.iter().map(|(b, f)| f.as_secs_f64() / b.as_secs_f64()).collect());
    println!("{agent}: bare {bare:.2} ms, fired {fired:.2} ms, ratio {ratio:.2} (medians of {} pairs)", pairs.len());
}
