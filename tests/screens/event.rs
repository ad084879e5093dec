//! The event pane, driven by keys: folding, searching, editing values, and the keys that the selected script reads.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use hookbench::app::Command;
use hookbench::core::config::MemoryFiles;
use hookbench::tui::{LoopRequest, Msg, Theme};
use screen::{MEDIUM, PROJECT, TestScreen, WIDE, picture, picture_at, sample_files};
use serde_json::{Value, json};

const SIZES: [(u16, u16); 4] = [(120, 40), (90, 50), (80, 24), (40, 12)];

/// A screen with the focus on the event.
fn focused(size: (u16, u16)) -> TestScreen {
    let mut screen = TestScreen::new(size, "claude", sample_files());
    screen.keys("Tab Tab");
    screen
}

fn body(screen: &TestScreen) -> &Value {
    screen.model.session.bench().body().unwrap()
}

fn shows(screen: &TestScreen, wanted: &str) -> bool {
    screen.text().contains(wanted)
}

#[test]
fn the_event_s_own_keys_are_what_one_sees() {
    for size in SIZES {
        let screen = focused(size);
        let text = screen.text();
        let is_command = |line: &str| line.contains("  command  ") && line.contains("  \"rm -rf build\"");
        assert!(text.lines().any(is_command), "{text}");
        // The common keys are unfolded only where everything fits.
        assert_eq!(text.contains("session_id"), size.1 >= 50, "{text}");
        picture_at("event", size, text);
    }
    picture("event-80x24-styles", focused(MEDIUM).styles());
    let bare = Theme { colour: false, unicode: false };
    let mut screen = TestScreen::with(MEDIUM, "claude", sample_files(), bare, false);
    screen.keys("Tab Tab");
    assert!(screen.text().is_ascii(), "{}", screen.text());
    picture("event-ascii-80x24", screen.text());
}

#[test]
fn rows_fold_and_unfold() {
    let mut screen = focused(WIDE);
    screen.keys("h h");
    assert!(shows(&screen, "{ 2 keys }") && !shows(&screen, "rm -rf build\""), "{}", screen.text());
    screen.keys("l l");
    assert!(shows(&screen, "description"));
    screen.keys("G");
    assert!(!shows(&screen, "session_id"));
    screen.keys("Enter");
    assert!(shows(&screen, "session_id"));
    picture("event-common-120x40", screen.text());
    screen.keys("Space");
    assert!(!shows(&screen, "session_id"));
    // In the outermost row the key moves the focus as usual.
    screen.keys("g h");
    assert_eq!(screen.model.focus, hookbench::tui::Focus::Hooks);
}

#[test]
fn a_long_text_is_shown_in_full_under_the_cursor() {
    for size in SIZES {
        let mut screen = focused(size);
        let command = format!("echo one\nif true; then\n\techo {}\nfi", "word ".repeat(40));
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command, "description": "several lines"}, "tool_use_id": "toolu_01"});
        screen.send(Msg::Edited(payload.to_string()));
        assert!(shows(&screen, "if true; then"), "{}", screen.text());
        let end = |l: &str| l.trim_matches(['│', ' ']) == "fi" || l.contains("more lines");
        assert!(screen.text().lines().any(end), "{}", screen.text());
        picture_at("event-long", size, screen.text());
        screen.keys("j");
        assert!(!screen.text().lines().any(|l| l.trim_matches(['│', ' ']) == "if true; then"), "{}", screen.text());
    }
}

#[test]
fn finding_unfolds_what_it_finds() {
    let mut screen = focused(WIDE);
    screen.keys("/");
    screen.keys("sess");
    assert!(shows(&screen, "1 of 1") && shows(&screen, "session_id"), "{}", screen.text());
    picture("event-find-120x40", screen.text());
    // Typed letters are text, not keys.
    screen.keys("fq");
    assert!(shows(&screen, "not found"));
    screen.keys("Esc");
    assert!(!shows(&screen, "not found"));
    screen.keys("/ build Enter");
    assert!(shows(&screen, "1 of 2") && shows(&screen, "n next"), "{}", screen.text());
    screen.keys("n");
    assert!(shows(&screen, "2 of 2"));
    screen.keys("(");
    assert!(shows(&screen, "1 of 2"));
    screen.keys("Esc");
    assert!(!shows(&screen, "1 of 2"));
    assert_eq!(screen.model.focus, hookbench::tui::Focus::Event);
}

#[test]
fn a_value_is_changed_in_place() {
    for size in SIZES {
        let mut screen = focused(size);
        screen.keys("Enter");
        assert!(shows(&screen, "tool_input.command   string"), "{}", screen.text());
        picture_at("event-change", size, screen.text());
        screen.keys("2 Enter");
        assert_eq!(body(&screen)["tool_input"]["command"], "rm -rf build2");
        // Also in the middle of the line.
        screen.keys("Enter Left Left x Enter");
        assert_eq!(body(&screen)["tool_input"]["command"], "rm -rf builxd2");
        // After the text is deleted, typing still edits the same value.
        screen.keys("Enter C-u ls Space a=b Enter");
        assert_eq!(body(&screen)["tool_input"]["command"], "ls a=b", "{}", screen.text());
        screen.keys("s C-u");
        assert!(shows(&screen, "an empty text"), "{}", screen.text());
        screen.keys("Enter");
        assert_eq!(body(&screen)["tool_input"]["command"], "");
    }
}

#[test]
fn known_values_are_offered() {
    let mut screen = focused(WIDE);
    screen.keys("t SessionStart Enter");
    screen.keys("Enter");
    picture("event-values-120x40", screen.text());
    screen.keys("compact Enter");
    assert_eq!(body(&screen)["source"], "compact");
    screen.keys("Enter");
    screen.keys("zzz Enter");
    assert_eq!(body(&screen)["source"], "zzz", "what is none of them is taken too");
    assert!(shows(&screen, "source must be one of"), "{}", screen.text());
    screen.keys("s C-u 5 Enter");
    assert_eq!(body(&screen)["source"], 5);
    assert!(shows(&screen, "source is a number here; the agent sends a string"), "{}", screen.text());
    picture("event-odd-120x40", screen.text());
}

#[test]
fn keys_with_dots_are_reached() {
    let mut screen = focused(WIDE);
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"a.b/c": "x"}});
    screen.send(Msg::Edited(payload.to_string()));
    screen.keys("/ a.b Enter Enter");
    assert!(shows(&screen, "/tool_input/a.b~1c   string"), "{}", screen.text());
    screen.keys("y Enter");
    assert_eq!(body(&screen)["tool_input"], json!({"a.b/c": "xy"}));
}

#[test]
fn the_value_under_the_cursor_is_copied() {
    let mut screen = focused(MEDIUM);
    screen.keys("y e");
    assert!(screen.asks.contains(&LoopRequest::Copy("rm -rf build".to_owned())), "{:?}", screen.asks);
    // The row of the common keys has no value.
    screen.keys("G y");
    assert!(!shows(&screen, "under the cursor"), "{}", screen.text());
}

#[test]
fn changes_are_taken_back_and_made_again() {
    let mut screen = focused(WIDE);
    screen.keys("Enter 2 Enter Enter 3 Enter");
    assert_eq!(body(&screen)["tool_input"]["command"], "rm -rf build23");
    screen.keys("U");
    assert_eq!(body(&screen)["tool_input"]["command"], "rm -rf build2");
    screen.keys("U U");
    assert_eq!(body(&screen)["tool_input"]["command"], "rm -rf build");
    assert!(shows(&screen, "the payload has no change to undo") && shows(&screen, "template 1 of"));
    screen.keys("C-r C-r");
    assert_eq!(body(&screen)["tool_input"]["command"], "rm -rf build23");
    // Selecting another event does not lose the edited one.
    screen.keys("t Stop Enter U");
    assert_eq!(body(&screen)["tool_input"]["command"], "rm -rf build23");
    // An invalid text can be restored.
    screen.send(Msg::Edited("{\"hook_event_name\": ".to_owned()));
    screen.keys("Esc U");
    assert!(screen.model.session.bench().payload.refused.is_none());
    screen.keys("C-r");
    assert_eq!(screen.model.session.bench().payload.refused.as_ref().unwrap().text, "{\"hook_event_name\": ");
}

#[test]
fn no_more_than_a_hundred_payloads_are_kept() {
    let mut screen = focused(MEDIUM);
    for n in 0..150 {
        screen.model.session.apply(Command::SetField { path: "n".to_owned(), text: n.to_string() });
    }
    for _ in 0..150 {
        screen.model.session.apply(Command::UndoPayload);
    }
    assert_eq!(body(&screen)["n"], 49);
}

#[test]
fn keys_that_the_script_reads_are_ticked_and_what_is_missing_is_named() {
    let settings = format!(
        "{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"{PROJECT}/check.sh\"}}]}}]}}}}"
    );
    let script = "#!/bin/sh\njq -r '.tool_input.command, .tool_input.path, .description'\n";
    for size in SIZES {
        let mut files = MemoryFiles::default();
        files.put(format!("{PROJECT}/.claude/settings.json"), settings.clone());
        files.put(format!("{PROJECT}/check.sh"), script);
        files.put("/bin/sh", "#!");
        let mut screen = TestScreen::new(size, "claude", files);
        screen.keys("Tab Tab");
        let text = screen.text();
        assert!(text.lines().any(|l| l.contains('✓') && l.contains("rm -rf build")), "{text}");
        picture_at("event-reads", size, &text);
        if size == WIDE {
            assert!(text.contains(".tool_input.path") && text.contains("MISSING"), "{text}");
            assert!(text.contains(".description (here it is .tool_input.description)"), "{text}");
        }
        // A key that the event has with other tools is not a mistake.
        screen.save("check.sh", "#!/bin/sh\njq -r '.tool_input.command // .tool_input.file_path'\n");
        assert!(!shows(&screen, "MISSING"), "{}", screen.text());
        assert!(size != WIDE || shows(&screen, "and .tool_input.file_path on other events"), "{}", screen.text());
        // The script is read again after a save.
        screen.save("check.sh", "#!/bin/sh\njq -r '.tool_name'\n");
        let text = screen.text();
        assert!(text.lines().any(|l| l.contains('✓') && l.contains("tool_name")), "{text}");
        assert!(!text.contains("MISSING"), "{text}");
    }
}
