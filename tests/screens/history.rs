//! The history on the screen: the list of runs, going back, comparing two runs, and runs that were shortened. Driven
//! by keys.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use hookbench::app::FiringId;
use hookbench::core::config::MemoryFiles;
use screen::{MEDIUM, TINY, TestScreen, WIDE, picture, picture_at, sample_files};

fn quiet(_: &str) -> (i32, &'static str, &'static str) {
    (0, "", "")
}

/// The hooks' answers in the nth run. Every verdict occurs, some more often.
fn nth(n: usize) -> impl Fn(&str) -> (i32, &'static str, &'static str) {
    move |label| match (n % 5, label) {
        (0, "guard.sh") => (2, "", "refusing\n"),
        (1, "policy.py") => {
            (0, r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}"#, "")
        }
        (2, "policy.py") => {
            (0, r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}"#, "")
        }
        (3, "protect.py") => (1, "", "Traceback\n"),
        _ => (0, "", ""),
    }
}

/// Thirty-four runs: two commands in turn, one without hooks, and one with a what-if result.
fn used(size: (u16, u16)) -> TestScreen {
    let mut screen = TestScreen::new(size, "claude", sample_files());
    screen.keys("f G Y");
    screen.report(quiet);
    for n in 0..30 {
        if n == 15 {
            set_command(&mut screen, "git push --force origin main");
        }
        screen.keys("f");
        screen.report(nth(n));
    }
    screen.keys("o Enter");
    screen.keys("t");
    screen.type_text("Notification").keys("Enter f");
    screen.keys("t");
    screen.type_text("Bash").keys("Enter f");
    screen.report(nth(0));
    screen
}

fn set_command(screen: &mut TestScreen, command: &str) {
    // The first Ctrl+U clears the value, the second the path.
    screen.keys("s C-u C-u");
    screen.type_text(&format!("tool_input.command={command}")).keys("Enter");
}

fn text_after(screen: &mut TestScreen, keys: &str) -> String {
    screen.keys(keys);
    screen.text()
}

/// A project whose only hook is for another event, so `PreToolUse` settles at once.
fn nobody(size: (u16, u16)) -> TestScreen {
    TestScreen::new(size, "claude", MemoryFiles::default())
}

#[test]
fn the_list_of_runs_at_every_size() {
    for size in [WIDE, MEDIUM, TINY] {
        let mut screen = used(size);
        assert!(screen.model.session.history().len() >= 30);
        picture_at("history", size, text_after(&mut screen, "H"));
    }
}

#[test]
fn words_narrow_the_list_and_can_be_taken_back() {
    let mut screen = used(WIDE);
    let all = screen.model.session.history().len();
    let text = text_after(&mut screen, "H /");
    assert!(text.contains(&format!("{all} of {all}")), "{text}");
    let text = screen.type_text("push ask").text();
    assert!(text.contains(&format!("3 of {all}")), "{text}");
    assert!(text.contains("ASK") && !text.contains("DENY  "), "{text}");
    picture("history-filter-120x40", text);
    assert!(text_after(&mut screen, "Backspace Backspace Backspace Backspace").contains(&format!("16 of {all}")));
    screen.type_text(" nosuch");
    assert!(screen.text().contains("no match"));
    // Esc clears the filter before it closes the list.
    assert!(text_after(&mut screen, "Esc").contains(&format!("{all} of {all}")));
    assert!(!text_after(&mut screen, "Esc").contains("verdict  "));
}

#[test]
fn letters_that_are_keys_are_typed_while_something_is_looked_for() {
    let mut screen = used(WIDE);
    let text = text_after(&mut screen, "H / d e n y j k q");
    assert!(text.contains("/ denyjkq"), "{text}");
}

#[test]
fn keys_lead_through_the_list() {
    let mut screen = used(MEDIUM);
    let newest = screen.model.session.history().len();
    screen.keys("H G Enter");
    assert_eq!(screen.model.shown_firing, Some(FiringId(1)));
    screen.keys("H g j j k Enter");
    assert_eq!(screen.model.shown_firing, Some(FiringId(newest as u64 - 1)));
    screen.keys("H / ask Enter G Enter");
    assert_eq!(screen.model.shown_firing, Some(FiringId(3)), "the oldest that asked");
}

#[test]
fn two_runs_are_compared() {
    let mut screen = used(WIDE);
    // Compares with the shown run, whichever is older.
    let text = text_after(&mut screen, "H G j Up d");
    assert!(text.contains("run 34 against run 2"), "{text}");
    // The list is still open below the comparison.
    assert!(text_after(&mut screen, "Esc").contains("d compare with 34"));
    screen.keys("Enter H g j d");
    let text = screen.text();
    assert!(text.contains("run 33 against run 2"), "{text}");
    assert!(text.contains("- event     PreToolUse  Bash  rm -rf build"), "{text}");
    assert!(text.contains("+ event     Notification"), "{text}");
    picture("history-compare-120x40", text);
    // The shown run is compared with the previous run of the same event.
    assert!(text_after(&mut screen, "Esc Esc H").contains("d compare with 2"));
    let text = text_after(&mut screen, "G k d");
    assert!(text.contains("run 2 against run 1"), "{text}");
}

#[test]
fn a_run_that_ends_is_found_by_what_it_came_to() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys("f G Y H / running");
    assert!(screen.text().contains("1 of 1"));
    screen.report(quiet);
    assert!(screen.text().contains("no match"), "{}", screen.text());
}

/// More runs than are kept in full.
#[test]
fn a_shortened_run_keeps_its_outcome() {
    for size in [WIDE, MEDIUM, TINY] {
        let mut screen = TestScreen::new(size, "claude", sample_files());
        screen.keys("f G Y");
        screen.report(nth(0));
        set_command(&mut screen, "ls");
        for _ in 0..60 {
            screen.keys("f");
            screen.report(quiet);
        }
        assert!(text_after(&mut screen, "H G").contains("the output of run 1 was dropped"), "{}", screen.text());
        picture_at("history-old", size, screen.text());
        screen.keys("Enter");
        assert_eq!(screen.model.shown_firing, Some(FiringId(1)));
        assert!(screen.model.firing().is_none());
        let text = screen.text();
        assert!(text.contains("DENY") && text.contains("guard.sh") && text.contains("of run 1 is no lon"), "{text}");
        picture_at("history-gone", size, text);
        // Removed output is not invented.
        assert!(text_after(&mut screen, "o").contains("no longer kept"));
        // Its event is on the bench and can be fired again as a new row.
        screen.keys("f");
        assert_eq!(screen.started.len(), 3);
        screen.report(nth(0));
        assert_eq!(screen.model.shown_firing, Some(FiringId(62)));
        if size == WIDE {
            let text = screen.text();
            assert!(text.contains("run 62 · same verdict as before"), "{text}");
            let text = text_after(&mut screen, "d");
            assert!(
                text.contains("run 62 against run 1") && text.contains("the output of run 1 was dropped"),
                "{text}"
            );
        }
    }
}

/// The shown run stays in full, however many runs follow.
#[test]
fn what_is_shown_is_not_shrunk() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("f G Y");
    screen.report(nth(0));
    screen.keys("p W");
    for n in 0..80 {
        screen.put("hooks/guard.sh", &format!("#!/bin/sh\n# {n}\n"));
        let file = std::path::PathBuf::from(format!("{}/hooks/guard.sh", screen::PROJECT));
        let at = std::time::Duration::from_secs(n + 1);
        screen.fact(hookbench::app::Fact::FilesChanged { paths: vec![file], calm: true, at });
        screen.load();
        screen.report(quiet);
        screen.model.shown_firing = Some(FiringId(1));
        screen.fact(hookbench::app::Fact::WatcherFlushed);
    }
    assert!(screen.model.session.history().len() > 60, "{}", screen.model.session.history().len());
    assert!(screen.model.firing().is_some());
    assert!(text_after(&mut screen, "H").contains("auto"), "{}", screen.text());
}

#[test]
fn before_the_first_run_there_is_nothing_to_list() {
    let mut screen = nobody(MEDIUM);
    assert!(text_after(&mut screen, "H").contains("no runs yet; f fires"));
}
