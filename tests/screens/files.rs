//! The files page, with the settings files of every agent, driven by keys.
#![allow(clippy::disallowed_methods, reason = "lays out and reads real files")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::screen;

use crate::screen_states::{ScreenState, hold_states};
use hookbench::core::config::MemoryFiles;
use hookbench::tui::{LoopRequest, Page, Theme};
use screen::{COLOUR, MEDIUM, PROJECT, TINY, TestScreen, WIDE};

const HOOKS: &str = r#"{"hooks": {
  "PreToolUse": [
    {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]},
    {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./protect.py", "timeout": 5}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "./gate.py"}]}]
}}"#;

/// Settings of two agents in two layers, a broken file, a file that no agent reads, and a switch.
fn mixed() -> MemoryFiles {
    let mut files = MemoryFiles::default();
    files.put(format!("{PROJECT}/.claude/settings.json"), HOOKS);
    files.put(format!("{PROJECT}/.claude/settings.local.json"), r#"{"disableAllHooks": true}"#);
    files.put(format!("{PROJECT}/.claude/hooks.json"), HOOKS);
    files.put("/home/dev/.claude/settings.json", "{\"hooks\": ");
    files.put(format!("{PROJECT}/.codex/hooks.json"), HOOKS);
    files
}

fn open(size: (u16, u16), theme: Theme, files: MemoryFiles) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", files, theme, false);
    screen.keys("6");
    screen
}

const STATES: [ScreenState; 6] = [
    ("files", |size, theme| open(size, theme, mixed())),
    ("files-unfolded", |size, theme| {
        let mut screen = open(size, theme, mixed());
        screen.keys("/").type_text("codex/hooks.json");
        screen.keys("Enter j j j l Esc j");
        screen
    }),
    ("files-switch", |size, theme| {
        let mut screen = open(size, theme, mixed());
        screen.keys("/").type_text("disableAll");
        screen.keys("Enter j Enter");
        screen
    }),
    ("files-not-read", |size, theme| {
        let mut screen = open(size, theme, mixed());
        screen.keys("/").type_text(".claude/hooks.json");
        screen.keys("Enter j Enter");
        screen
    }),
    ("files-searched", |size, theme| {
        let mut screen = open(size, theme, mixed());
        screen.keys("/").type_text("protect");
        screen
    }),
    ("files-nothing", |size, theme| open(size, theme, MemoryFiles::default())),
];

#[test]
fn every_state_on_every_terminal() {
    hold_states("", &STATES);
}

fn says(screen: &TestScreen, all: &[&str]) {
    let text = screen.text();
    for part in all {
        assert!(text.contains(part), "\"{part}\" is not shown:\n{text}");
    }
}

#[test]
fn a_hook_leads_to_the_bench_and_to_the_editor() {
    let mut screen = open(WIDE, COLOUR, mixed());
    screen.keys("/").type_text("protect");
    screen.keys("Enter j j");
    says(&screen, &["hook     protect.py"]);
    screen.keys("E");
    let opened = |ask: &LoopRequest| matches!(ask, LoopRequest::OpenFile { path, line, .. } if path.ends_with(".claude/settings.json") && *line == 4);
    assert!(screen.asks.iter().any(opened), "{:?}", screen.asks);
    screen.keys("w");
    assert_eq!(screen.model.page, Page::Bench);
    says(&screen, &["protect.py"]);
}

/// If the list fills the page, the selected file can be expanded and closed again.
#[test]
fn a_small_screen_shows_one_thing_at_a_time() {
    let mut screen = open(TINY, COLOUR, mixed());
    screen.keys("Enter");
    says(&screen, &["agent", "hooks"]);
    screen.keys("Esc");
    says(&screen, &["❯Claude"]);
    screen.keys("Esc");
    assert_eq!(screen.model.page, Page::Bench);
}

#[test]
fn agents_are_a_key_apart() {
    let mut screen = open(MEDIUM, COLOUR, mixed());
    let names = ["Qwen Code", "Gemini CLI", "Codex"];
    for name in names {
        screen.keys("Tab");
        says(&screen, &[&format!("❯{name}")]);
    }
    screen.keys("BackTab BackTab BackTab BackTab");
    says(&screen, &["❯Claude Code"]);
}

/// Changes on disk are shown, and the selection stays.
#[test]
fn settings_that_change_are_shown() {
    let mut screen = open(WIDE, COLOUR, mixed());
    says(&screen, &["user"]);
    screen.keys("/").type_text("project");
    screen.keys("Enter j");
    says(&screen, &["brings   3 hooks, none runs"]);
    screen.save(".claude/settings.local.json", "{}");
    says(&screen, &["brings   3 hooks"]);
    assert!(!screen.text().contains("brings   3 hooks, none runs"), "{}", screen.text());
}
