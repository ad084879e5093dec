//! The log of runs on the screen: runs are stored, and the list of runs shows those of earlier sessions.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests read files, and fail by panicking")]

use hookbench::app::{ListDirection, OpenMode, StateDir, now_ms, open_store};
use hookbench::core::filter::parse;
use hookbench::core::recorded::{PayloadSource, RecordedEvent, RecordedOutcome};

use crate::recorded_screen::{COLOUR, RecordedScreen, event};
use crate::screen::{MEDIUM, TINY, TestScreen, WIDE, picture_at, sample_files};

/// Runs of yesterday: a denied push, and an allowed listing.
fn yesterday() -> Vec<RecordedEvent> {
    let fired = |n: i64, command: &str, verdict: &str, action: &str| RecordedEvent {
        session: "hookbench-2026-11-21T081500-77".to_owned(),
        payload_source: PayloadSource::Fired,
        outcome: Some(RecordedOutcome {
            agent_does: action.to_owned(),
            decided_by: vec!["guard.sh".to_owned()],
            ..RecordedOutcome::default()
        }),
        ..event(n, "claude", "PreToolUse", Some("Bash"), command, Some(verdict))
    };
    vec![
        fired(1, "git push --force", "deny", "the command does not run"),
        fired(2, "ls -l", "no_objection", "the command runs"),
    ]
}

fn desk(size: (u16, u16)) -> RecordedScreen {
    let mut desk = RecordedScreen::with(size, COLOUR, Some(&yesterday()));
    desk.screen.model.log_runs(true);
    desk.keys("1 f G Y");
    desk.screen.report(|_| (0, "", ""));
    desk.answer_requests();
    desk
}

fn logged(desk: &RecordedScreen) -> Vec<String> {
    let store = open_store(&StateDir::of(&desk.place), OpenMode::Read).unwrap();
    let rows = store.page(&parse("~fired").unwrap(), now_ms(), ListDirection::Forward, None, 9).unwrap();
    rows.into_iter().map(|row| row.verdict.unwrap_or_default()).collect()
}

#[test]
fn runs_of_the_screen_are_stored() {
    let mut desk = desk(MEDIUM);
    assert_eq!(logged(&desk).len(), 3);
    assert!(!desk.screen.model.session.is_logging());
    // A result that is only assumed is not a run.
    desk.keys("o Enter");
    assert_eq!(logged(&desk).len(), 3);
    desk.screen.model.log_runs(false);
    desk.keys("f");
    desk.screen.report(|_| (0, "", ""));
    desk.answer_requests();
    assert_eq!(logged(&desk).len(), 3);
}

#[test]
fn earlier_sessions_are_below_the_runs_of_this_one() {
    for size in [WIDE, MEDIUM, TINY] {
        let mut desk = desk(size);
        desk.keys("H");
        let text = desk.screen.text();
        assert!(text.contains("3 of 3"), "{text}");
        picture_at("run-log", size, text);
    }
}

#[test]
fn an_earlier_run_is_opened_with_its_verdict() {
    let mut desk = desk(WIDE);
    desk.keys("H / p u s h Enter");
    assert!(desk.screen.text().contains("1 of 3"), "{}", desk.screen.text());
    desk.keys("Enter");
    let text = desk.screen.text();
    for part in [
        "DENY",
        "The command does not run",
        "by",
        "guard.sh",
        "logged 20",
        "recorded event #1 has it",
        "git push --force",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // A new run of the event has its own verdict.
    desk.keys("f");
    desk.screen.report(|_| (0, "", ""));
    assert!(!desk.screen.text().contains("recorded event #1"), "{}", desk.screen.text());
    // The event that was on the bench before comes back.
    assert!(desk.screen.model.session.opened_run().is_none());
}

#[test]
fn without_a_run_of_this_session_the_list_has_the_earlier_ones() {
    let mut desk = RecordedScreen::with(MEDIUM, COLOUR, Some(&yesterday()));
    desk.screen.model.log_runs(true);
    desk.keys("1 H");
    assert!(desk.screen.text().contains("2 of 2"), "{}", desk.screen.text());
    desk.keys("Down Enter");
    assert!(desk.screen.text().contains("recorded event #1 has it"), "{}", desk.screen.text());
}

#[test]
fn the_palette_turns_the_log_on_and_keeps_the_choice() {
    let file = "/home/dev/.config/hookbench/config.toml";
    let mut files = sample_files();
    files.put(file, "mouse = false # no\n");
    let mut screen = TestScreen::new(MEDIUM, "claude", files);
    screen.model.config.file = Some(file.into());
    screen.keys(": log Space o n Enter");
    assert!(screen.model.config.log_runs && screen.model.session.options().run_log.runs);
    let kept = screen.model.session.files().read(file).unwrap();
    assert_eq!(String::from_utf8(kept).unwrap(), "mouse = false # no\n\n[log]\nruns = true\n");
    screen.keys(": log Space o f f Enter");
    assert!(!screen.model.session.options().run_log.runs);
}
