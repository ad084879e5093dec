//! A stress test through the session and the driver, as the screen runs it.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookbench::app::{
    Command, Consent, DiskFiles, Driver, Session, SessionEffect, SessionOptions, StressParts, StressTest,
    VariantResult, WorldResult, WorldRow, make_place, run_stress,
};
use hookbench::core::dialects;
use tokio::sync::mpsc;

const SETTINGS: &str =
    r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh guard.sh"}]}]}}"#;

/// A session with one guard, without consent.
fn session(project: &Path, home: &Path, guard: &str) -> Session {
    fs::create_dir_all(project.join(".claude")).unwrap();
    fs::write(project.join(".claude/settings.json"), SETTINGS).unwrap();
    fs::write(project.join("guard.sh"), guard).unwrap();
    let place = make_place(Some(project), Some(home)).unwrap();
    let agent = dialects::DEFAULT.id();
    let options = SessionOptions { keep_firings: 4, ..SessionOptions::default() };
    let mut session = Session::new(options, place, Box::new(DiskFiles), agent, &[], Consent::default());
    session.load(Some(agent));
    session
}

/// Runs until the test has ended, or has this many variants.
async fn run(session: &mut Session, jobs: Vec<hookbench::app::Job>, most: usize) -> (StressTest, Driver) {
    let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
    let mut driver = Driver::new(Arc::clone(session.place()), sender, 1.0);
    driver.perform(jobs);
    loop {
        let test = session.stress_test().unwrap();
        if test.report.finished || test.report.variants.len() >= most {
            return (test.clone(), driver);
        }
        let jobs = session.absorb(facts.recv().await.unwrap()).jobs;
        driver.perform(jobs);
    }
}

fn hook(session: &Session) -> String {
    session.loaded().unwrap().definitions.first().unwrap().id.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_asks_first_and_streams_its_rows() {
    let root = tempfile::tempdir().unwrap();
    let (project, home) = (root.path().join("p"), root.path().join("h"));
    fs::create_dir_all(&home).unwrap();
    let mut session = session(&project, &home, "grep -q 'rm -rf' || exit 0\necho no >&2\nexit 2\n");
    let command = Command::Stress { hook: hook(&session), in_place: false };
    let asked = session.apply(command);
    assert!(asked.jobs.is_empty());
    assert!(
        asked.effects.iter().any(|effect| matches!(effect, SessionEffect::ConsentNeeded(items) if items.len() == 1))
    );
    let jobs = session.apply(Command::GiveConsent).jobs;
    let (test, mut driver) = run(&mut session, jobs, 20).await;
    assert!(!test.report.finished && test.report.refuses);
    assert_eq!(test.report.deed.as_deref(), Some("rm -rf build"));
    assert!(test.report.expected_variants > 150);
    // Stopping keeps the rows, and a later step of the stopped test changes nothing.
    driver.perform(session.apply(Command::StopStress).jobs);
    let rows = session.stress_test().unwrap().report.variants.len();
    assert!(session.stress_test().unwrap().report.finished && rows >= 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unusable_hook_is_reported() {
    let root = tempfile::tempdir().unwrap();
    let (project, home) = (root.path().join("p"), root.path().join("h"));
    fs::create_dir_all(&home).unwrap();
    let mut session = session(&project, &home, "exit 0\n");
    let update = session.apply(Command::Stress { hook: "h99".to_owned(), in_place: false });
    assert!(update.jobs.is_empty() && session.stress_test().is_none());
    assert!(update.effects.iter().any(|effect| matches!(effect, SessionEffect::Message(_))));
    // A hook that refuses nothing has a report without variants.
    session.apply(Command::Stress { hook: hook(&session), in_place: true });
    let jobs = session.apply(Command::GiveConsent).jobs;
    let (test, _driver) = run(&mut session, jobs, usize::MAX).await;
    assert_eq!((test.report.refuses, test.report.variants.len()), (false, 0));
    assert!(test.report.world.len() > 15, "{:?}", test.report.headline());
}

/// A test whose time is over starts no further run, says so, and leaves nothing.
#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_a_test_is_limited() {
    let root = tempfile::tempdir().unwrap();
    let (project, home) = (root.path().join("p"), root.path().join("h"));
    fs::create_dir_all(&home).unwrap();
    let session = session(&project, &home, "echo run >> runs\nsleep 0.3\ngrep -q 'rm -rf' || exit 0\nexit 2\n");
    let before = names(&project);
    let definition = session.loaded().unwrap().definitions.first().unwrap().clone();
    let request = session.stress_request(session.current().unwrap(), &definition, None, StressParts::All).unwrap();
    assert_eq!(request.longest_test, Duration::from_secs(120));
    for (in_place, limit) in [(false, 0), (true, 0), (false, 1)] {
        let mut request = request.clone();
        (request.contain, request.longest_test) = (!in_place, Duration::from_secs(limit));
        let report = run_stress(request, &mut |_| {}).await.unwrap();
        assert!(report.refuses && report.finished && report.expected_variants > 150, "{report:?}");
        let untried = report.expected_variants - report.variants.len();
        let says = format!("; {untried} variants are not tried in the {limit} s of the test");
        // Each variant sleeps, so that no machine tries all of them in a second.
        assert!(untried > 0 && report.headline().contains(&says), "{}", report.headline());
        assert_eq!(
            (report.out_of_time, report.world.len()),
            (Some(Duration::from_secs(limit)), report.expected_conditions)
        );
        let reason = format!("the test ends after {limit} s");
        // What is left of the time is for the conditions.
        let is_cut = |row: &WorldRow| row.result == WorldResult::NotTried && row.explanation == reason;
        assert!(report.world.last().is_some_and(is_cut), "{:?}", report.world);
        if limit == 0 {
            assert!(report.world.iter().all(is_cut), "{:?}", report.world);
            assert_eq!(report.variants.len(), 0);
            assert!(report.coverage.is_none_or(|coverage| coverage.keys.is_empty()));
        } else {
            assert!(report.variants.iter().all(|row| row.result != VariantResult::FailedOpen));
        }
        let runs = fs::read_to_string(project.join("runs")).unwrap_or_default().lines().count();
        // Only the event itself ran, in the project.
        assert_eq!(runs, usize::from(in_place), "{limit}");
        let _ = fs::remove_file(project.join("runs"));
        assert_eq!(names(&project), before);
    }
}

/// The names of the files in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
