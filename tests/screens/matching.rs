//! The match page: its states at every size, keys, typing, and writing a matcher.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;
use hookbench::core::names::AgentId;

use std::sync::Arc;

use crate::screen_states::{ScreenState, hold_states};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use hookbench::app::impact::Impact;
use hookbench::app::lint::FileChange;
use hookbench::app::replay::ReplaySummary;
use hookbench::app::{EventStoreRequest, EventStoreResponse, Fact, Job, SubjectCount, SubjectCounts, Task, TaskUpdate};
use hookbench::core::config::MemoryFiles;
use hookbench::core::matching::RecordedSubject;
use hookbench::tui::{LoopRequest, Msg, Page, Theme};
use screen::{COLOUR, MEDIUM, PROJECT, TINY, TestScreen, WIDE};

const SETTINGS: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Edit.*|bash",
        "hooks": [
          { "type": "command", "command": "sh hooks/audit.sh" },
          { "type": "command", "command": "sh hooks/log.sh" }
        ]
      },
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "sh hooks/guard.sh" }] }
    ],
    "SessionStart": [{ "matcher": "Startup", "hooks": [{ "type": "command", "command": "sh hooks/start.sh" }] }],
    "Stop": [{ "hooks": [{ "type": "command", "command": "sh hooks/stop.sh" }] }]
  }
}
"#;
const FILE: &str = ".claude/settings.json";

fn files() -> MemoryFiles {
    let mut files = MemoryFiles::default();
    files.put("/bin/sh", "#!");
    for script in ["audit", "log", "guard", "start", "stop"] {
        files.put(format!("{PROJECT}/hooks/{script}.sh"), "exit 0\n");
    }
    files.put(format!("{PROJECT}/{FILE}"), SETTINGS);
    files
}

fn open(size: (u16, u16), theme: Theme) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", files(), theme, false);
    screen.keys("2 n");
    assert_eq!(screen.model.page, Page::Match);
    screen
}

/// Recorded events of two agents.
fn recorded(screen: &mut TestScreen) {
    let of = |agent: &str, event: &str, subject: &str, events| SubjectCount {
        seen: RecordedSubject { agent: agent.into(), event: event.into(), subject: subject.into(), events },
        project: Some(PROJECT.to_owned()),
    };
    let kinds = SubjectCounts(vec![
        of("claude", "PreToolUse", "Bash", 412),
        of("claude", "PreToolUse", "Read", 230),
        of("claude", "PreToolUse", "Edit", 88),
        of("claude", "PreToolUse", "Write", 41),
        of("claude", "PreToolUse", "mcp__github__create", 12),
        of("claude", "PreToolUse", "Agent", 7),
        of("codex", "PreToolUse", "Bash", 3),
    ]);
    screen.fact(Fact::EventList(EventStoreResponse::SubjectCounts(Arc::new(kinds))));
}

/// Returns the number of the last requested impact computation.
fn asked_for(screen: &TestScreen) -> Option<u64> {
    let jobs = screen.asks.iter().filter_map(|ask| if let LoopRequest::Jobs(jobs) = ask { Some(jobs) } else { None });
    let impact = |job: &Job| match job {
        Job::Task { number, task: Task::Impact { previewed: true, .. } } => Some(*number),
        _ => None,
    };
    jobs.flatten().filter_map(impact).next_back()
}

/// Reports the impact of the shown change.
fn foreseen(screen: &mut TestScreen) {
    let summary = ReplaySummary {
        events: 790,
        same: 378,
        newly_run: 412,
        verdict_changed: 3,
        unknown: 409,
        ..ReplaySummary::default()
    };
    let impact = Impact { agent: AgentId::new("claude"), project: Some(PROJECT.to_owned()), summary, at_least: false };
    let update = TaskUpdate::Impact { previewed: true, impact: Box::new(impact) };
    screen.fact(Fact::Task { number: asked_for(screen).unwrap(), update });
}

const STATES: &[ScreenState] = &[
    ("match-open", |size, theme| {
        let mut screen = open(size, theme);
        recorded(&mut screen);
        screen
    }),
    ("match-nothing-recorded", open),
    ("match-typing", |size, theme| {
        let mut screen = open(size, theme);
        recorded(&mut screen);
        screen.keys("e").control('u').type_text("^(Edit|Bash)");
        screen
    }),
    ("match-changed", |size, theme| {
        let mut screen = open(size, theme);
        recorded(&mut screen);
        screen.keys("Enter");
        screen
    }),
    ("match-question", |size, theme| {
        let mut screen = open(size, theme);
        recorded(&mut screen);
        screen.keys("Enter x");
        foreseen(&mut screen);
        screen
    }),
    ("match-invalid", |size, theme| {
        let mut screen = open(size, theme);
        screen.keys("e").control('u').type_text("(Edit");
        screen
    }),
    ("match-why", |size, theme| {
        let mut screen = open(size, theme);
        screen.keys("/").type_text("Bash").keys("Enter w");
        screen
    }),
    ("match-filter", |size, theme| {
        let mut screen = open(size, theme);
        screen.keys("/").type_text("mcp__jira__");
        screen
    }),
    ("match-source", |size, theme| {
        let mut screen = open(size, theme);
        screen.keys("n");
        screen
    }),
    ("match-ignored", |size, theme| {
        let mut screen = open(size, theme);
        screen.keys("{");
        screen
    }),
];

#[test]
fn at_every_size_on_every_terminal() {
    hold_states("", STATES);
}

/// Returns the names that are shown as matching in the first agent.
fn passing(screen: &TestScreen) -> Vec<String> {
    let yes = |line: &str| {
        let mut words = line.trim_start_matches(['❯', '│', ' ']).split_whitespace();
        let name = words.next()?.to_owned();
        (words.next() == Some("YES")).then_some(name)
    };
    screen.text().lines().filter_map(yes).collect()
}

#[test]
fn every_letter_is_answered() {
    let mut screen = open(WIDE, COLOUR);
    assert_eq!(passing(&screen), ["Edit", "NotebookEdit"]);
    screen.keys("e").control('u');
    for (letters, want) in [
        ("W", vec![]),
        ("rite", vec!["Write"]),
        ("|", vec!["Write"]),
        ("Read", vec!["Read", "Write"]),
        ("x", vec!["Write"]),
    ] {
        screen.type_text(letters);
        assert_eq!(passing(&screen), want, "after {letters}");
    }
    screen.keys("Esc");
    assert_eq!(passing(&screen), ["Edit", "NotebookEdit"], "Esc keeps the old");
    screen.keys("e").type_text("x").keys("Enter");
    assert!(screen.text().contains("Edit.*|bashx"), "{}", screen.text());
    assert!(screen.text().contains("changed, not written"), "{}", screen.text());
}

#[test]
fn a_name_that_nobody_has_is_tried_too() {
    let mut screen = open(WIDE, COLOUR);
    screen.keys("e").control('u').type_text("mcp__jira__.*").keys("Enter /").type_text("mcp__jira__open").keys("Enter");
    let row = screen.text().lines().find(|line| line.contains("❯mcp__jira__open")).unwrap().to_owned();
    assert!(row.contains("❯mcp__jira__open") && row.contains("YES") && row.contains("typed"), "{row}");
    let copied = screen.keys("c").asks.iter().rev().find_map(|ask| match ask {
        LoopRequest::Copy(text) => Some(text.clone()),
        _ => None,
    });
    let line = "hookbench match 'mcp__jira__.*' --hook .claude/settings.json:7:11 --value mcp__jira__open";
    assert_eq!(copied.as_deref(), Some(line));
}

#[test]
fn the_hook_of_the_bench_comes_first_and_problems_one_after_the_other() {
    let top = |screen: &TestScreen| screen.text().lines().nth(2).unwrap().to_owned();
    let mut screen = TestScreen::new(WIDE, "claude", files());
    screen.keys("2");
    assert!(top(&screen).contains("guard.sh"), "{}", screen.text());
    screen.keys("n");
    assert!(top(&screen).starts_with(" Edit.*|bash"), "{}", top(&screen));
    screen.keys("n");
    assert!(top(&screen).starts_with(" Startup"), "{}", top(&screen));
}

#[test]
fn nothing_is_written_but_by_y() {
    for (keys, written) in [("Enter x Y", true), ("Enter x n", false), ("Enter x Enter Esc", false), ("x Y", false)] {
        let mut screen = open(WIDE, COLOUR);
        screen.keys(keys);
        let writes = screen.asks.iter().filter_map(|ask| match ask {
            LoopRequest::Jobs(jobs) => jobs.iter().find_map(|job| match job {
                Job::WriteFiles(files) => Some(files.clone()),
                _ => None,
            }),
            _ => None,
        });
        let change = FileChange {
            file: FILE.to_owned(),
            path: format!("{PROJECT}/{FILE}"),
            before: Some(SETTINGS.into()),
            after: SETTINGS.replace("Edit.*|bash", "Edit|Bash").into(),
            executable: false,
        };
        assert_eq!(writes.collect::<Vec<_>>(), if written { vec![vec![change]] } else { Vec::new() }, "{keys}");
    }
    let mut screen = open(WIDE, COLOUR);
    screen.keys("u");
    let undo = |ask: &LoopRequest| matches!(ask, LoopRequest::Jobs(jobs) if jobs.contains(&Job::ReadUndo));
    assert!(screen.asks.iter().any(undo));
}

/// The effect on recorded events is shown before anything is written, and leads to the events.
#[test]
fn what_follows_is_said_before_it_is_written() {
    let mut screen = open(WIDE, COLOUR);
    recorded(&mut screen);
    screen.keys("Enter x");
    let says = |screen: &TestScreen, what: &str| assert!(screen.text().contains(what), "{what}\n{}", screen.text());
    says(&screen, "of 790 recorded events: +412 Bash");
    says(&screen, "computing the effect");
    screen.keys("v");
    says(&screen, "the affected events are not known yet");
    says(&screen, "Y write it");
    foreseen(&mut screen);
    says(&screen, "412 gain a hook, 3 verdicts change, 409 unknown until run");
    assert!(screen.model.session.agents().iter().all(|agent| agent.impact.is_none()), "nothing has changed");
    screen.keys("v");
    assert_eq!(screen.model.page, Page::Events);
    says(&screen, "412 gain a hook");
    // The impact of an earlier change is ignored.
    let mut screen = open(WIDE, COLOUR);
    recorded(&mut screen);
    screen.keys("Enter x");
    let old = asked_for(&screen).unwrap();
    screen.keys("Esc e").control('u').type_text("Read").keys("Enter x");
    assert_ne!(asked_for(&screen), Some(old));
    foreseen(&mut screen);
    says(&screen, "412 gain a hook");
    // Without recorded events, nothing is shown about them.
    let mut screen = open(WIDE, COLOUR);
    screen.keys("Enter x");
    assert!(!screen.text().contains("recorded events"), "{}", screen.text());
}

/// If the workbench opens on this page, the page requests recorded events, and selects a hook once hooks are loaded.
#[test]
fn the_page_that_was_left_open() {
    let mut screen = TestScreen::with(WIDE, "claude", files(), COLOUR, false);
    screen.model.page = Page::Match;
    screen.load();
    let kinds = |ask: &LoopRequest| matches!(ask, LoopRequest::Jobs(jobs) if jobs.contains(&Job::EventList(EventStoreRequest::SubjectCounts)));
    assert!(screen.asks.iter().any(kinds));
    assert!(screen.model.matching.owner.is_some());
}

#[test]
fn what_was_written_is_what_the_hook_has() {
    let mut screen = open(WIDE, COLOUR);
    screen.keys("Enter");
    screen.put(FILE, &SETTINGS.replace("Edit.*|bash", "Edit|Bash"));
    screen.fact(Fact::FileWritten { message: format!("{FILE} is written") });
    assert!(screen.text().contains("is written"), "{}", screen.text());
    screen.load();
    assert!(!screen.text().contains("changed, not written"), "{}", screen.text());
    assert!(screen.text().lines().nth(2).unwrap().starts_with(" Edit|Bash"));
}

#[test]
fn the_mouse_selects_and_esc_goes_back_one_level_each() {
    let mut screen = open(WIDE, COLOUR);
    let row = screen.text().lines().position(|line| line.starts_with("│ NotebookEdit ")).unwrap();
    let event = |kind| MouseEvent { kind, column: 3, row: u16::try_from(row).unwrap(), modifiers: KeyModifiers::NONE };
    screen.send(Msg::Mouse(event(MouseEventKind::Down(MouseButton::Left))));
    assert!(screen.text().contains("Why: NotebookEdit"), "{}", screen.text());
    screen.keys("Tab z");
    assert!(!screen.text().contains("98 names"), "{}", screen.text());
    screen.keys("Esc Esc");
    assert_eq!(screen.model.page, Page::Match);
    screen.keys("Esc");
    assert_eq!(screen.model.page, Page::Bench);
}

/// Enter takes a suggestion and says so; Esc drops what is not written before it leaves the page.
#[test]
fn esc_drops_a_change_that_is_not_written() {
    let mut screen = open(WIDE, COLOUR);
    screen.keys("e").type_text("x").keys("Enter Enter");
    assert!(screen.text().contains("Enter took the suggestion"), "{}", screen.text());
    screen.keys("Esc");
    let text = screen.text();
    assert!(text.contains("the matcher is that of the file again"), "{text}");
    assert!(!text.contains("changed, not written") && text.contains(" Edit.*|bash"), "{text}");
    assert_eq!(screen.model.page, Page::Match);
    screen.keys("Esc");
    assert_eq!(screen.model.page, Page::Bench);
}

/// q asks before a matcher is lost that is not written.
#[test]
fn q_asks_before_it_loses_a_matcher() {
    let mut screen = open(WIDE, COLOUR);
    screen.keys("e").type_text("x").keys("Enter q");
    let text = screen.text();
    assert!(text.contains("Quit hookbench?") && text.contains("The matcher Edit.*|bashx is not written"), "{text}");
    screen.keys("n");
    assert!(screen.text().contains("changed, not written"), "{}", screen.text());
    screen.keys("q Y");
    assert!(screen.asks.contains(&hookbench::tui::LoopRequest::Quit));
}

#[test]
fn it_has_something_to_say_without_hooks_and_at_any_size() {
    for size in [WIDE, MEDIUM, TINY, (20, 5), (1, 1)] {
        let mut screen = TestScreen::new(size, "claude", MemoryFiles::default());
        screen.keys("2 e").type_text("Edit").keys("Enter x w Tab z j k / Enter n a Esc");
        let _ = screen.text();
        let mut screen = TestScreen::with(size, "gemini", files(), COLOUR, false);
        screen.keys("2 e x Enter Enter j w G");
        let _ = screen.text();
    }
    let mut screen = TestScreen::new(WIDE, "claude", MemoryFiles::default());
    screen.keys("2 e").type_text("Edit");
    assert_eq!(passing(&screen), ["Edit"]);
}

/// A hook without a matcher is shown as `*`, which is an invalid pattern in one agent if it is written.
#[test]
fn a_hook_without_a_matcher_matches_everything_in_every_agent() {
    let mut files = MemoryFiles::default();
    let hook = r#"{ "type": "command", "bash": "hooks/guard.sh" }"#;
    let settings = |hook: &str| format!(r#"{{"hooks": {{"preToolUse": [{hook}]}}}}"#);
    files.put(format!("{PROJECT}/.github/copilot/settings.json"), settings(hook));
    let mut screen = TestScreen::new(WIDE, "copilot", files);
    screen.keys("2");
    let text = screen.text();
    assert!(text.contains("guard.sh project .github/copilot/settings.json:1"), "{text}");
    assert!(text.contains(" ALL ") && !text.contains("INVALID") && !text.contains("HW308"), "{text}");
    // The titles do not touch each other.
    assert!(text.contains("Copilot Claude"), "{text}");
    // The same text is invalid when it is typed for a hook that has a matcher.
    screen.save(".github/copilot/settings.json", &settings(&hook.replace(" }", r#", "matcher": "*" }"#)));
    assert!(!screen.text().contains(" ALL "), "{}", screen.text());
    let claude =
        r#"{"hooks": {"PreToolUse": [{"matcher": "", "hooks": [{"type": "command", "command": "hooks/guard.sh"}]}]}}"#;
    screen.save(FILE, claude);
    screen.keys("5");
    let text = screen.text();
    assert!(text.contains("guard.sh") && !text.contains("on ``"), "{text}");
}
