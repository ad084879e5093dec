//! The sheet for a new hook: from an empty project to two pinned events.

use hookbench::core::config::MemoryFiles;
use hookbench::tui::Theme;

use crate::screen::{COLOUR, ScreenState, TestScreen, WIDE, snapshot_every_terminal};

fn empty(size: (u16, u16), theme: Theme) -> TestScreen {
    let mut files = MemoryFiles::default();
    for program in ["/bin/sh", "/usr/bin/env", "/usr/bin/python3"] {
        files.put(program, "#!");
    }
    TestScreen::with(size, "claude", files, theme, false)
}

fn keys(mut screen: TestScreen, keys: &str) -> TestScreen {
    screen.keys(keys);
    screen
}

const STATES: [ScreenState; 5] = [
    ("new-hook", |size, theme| keys(empty(size, theme), "N")),
    ("new-hook-filtered", |size, theme| keys(empty(size, theme), "N todo Tab")),
    ("new-hook-own", |size, theme| keys(empty(size, theme), "N Enter Down Down Down")),
    ("new-hook-own-context", |size, theme| keys(empty(size, theme), "N Enter Right Down Down Right Right Tab")),
    ("new-hook-patch", |size, theme| keys(empty(size, theme), "N push Enter")),
];

#[test]
fn the_sheet_in_every_terminal() {
    snapshot_every_terminal(&STATES, str::to_owned, |name, text| insta::assert_snapshot!(name, text));
}

/// Six keys and a word: the script, the settings and the tests are written, and the two events are pinned.
#[test]
fn an_empty_project_gets_a_guard() {
    let mut screen = empty(WIDE, COLOUR);
    screen.keys("N outside Enter Y");
    let settings = screen.read(".claude/settings.json").unwrap();
    assert!(settings.contains(".claude/hooks/rm-outside-project.py"), "{settings}");
    assert!(screen.read(".claude/hooks/rm-outside-project.py").unwrap().starts_with("#!/usr/bin/env python3"));
    assert!(screen.read(".claude/hooks/shell_words.py").is_some());
    let suite = screen.read("hooks.test.yaml").unwrap();
    assert_eq!(suite.matches("- name:").count(), 2, "{suite}");
    let pins = screen.model.session.auto_fire();
    assert_eq!((pins.pins.len(), pins.armed), (2, true));
    let command = screen.model.session.bench().body().unwrap()["tool_input"]["command"].clone();
    assert_eq!(command, "rm -rf /srv/data", "the event that must be refused is on the bench");
    // Both pinned events start, and the verdict is that of the event on the bench.
    screen.keys("f Y");
    assert_eq!(screen.started.len(), 2);
    screen.report(|_| (2, "", "refused\n"));
    let shown = screen.model.firing().unwrap();
    assert_eq!(Some(&shown.input), screen.model.session.bench().payload.input.as_ref());
    screen.keys("N outside Enter");
    assert!(screen.text().contains("rm-outside-project.py is there already"), "{}", screen.text());
}

/// The form writes the hook that `hookbench new` would write from the same answers.
#[test]
fn a_hook_of_ones_own() {
    let mut screen = empty(WIDE, COLOUR);
    screen.keys("N Enter Down Down Down");
    screen.keys("Enter");
    assert!(screen.text().contains("needs a pattern"), "{}", screen.text());
    screen.keys("g i t Space p u s h Enter Y");
    let script = screen.read(".claude/hooks/refuse-git-push.py").unwrap();
    assert!(script.contains("git push"), "{script}");
    let settings = screen.read(".claude/settings.json").unwrap();
    assert!(settings.contains("\"matcher\": \"Bash\""), "{settings}");
    assert_eq!(screen.model.session.auto_fire().pins.len(), 2);
    screen.keys("N Enter Esc Esc");
    assert!(screen.model.popups.is_empty());
}
