//! Recorded events on the screen: list, filter, one event in full, marks, comments, import and replay. The store is
//! real; the test passes each of its answers to the screen.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::recorded_screen;
use crate::screen;

use std::path::Path;

use crate::screen_states::{ScreenState, hold_states};
use hookbench::app::{EventStoreResponse, Fact, OpenMode, StateDir, open_store};
use hookbench::core::recorded::{RecordedEvent, RecordedSession};
use hookbench::tui::{LoopRequest, Msg, Page, resize};
use recorded_screen::{COLOUR, RecordedScreen, event, insert, six};
use screen::{MEDIUM, TINY, WIDE};

const STATES: [ScreenState<RecordedScreen>; 5] = [
    ("list", |size, theme| {
        let mut desk = RecordedScreen::with(size, theme, Some(&six()));
        desk.keys("k k k k Space m").type_text("ask Ann").keys("Enter");
        desk
    }),
    ("open", |size, theme| {
        let mut desk = RecordedScreen::with(size, theme, Some(&six()));
        desk.keys("g j Enter");
        desk
    }),
    ("filter", |size, theme| {
        let mut desk = RecordedScreen::with(size, theme, Some(&six()));
        desk.keys("/").type_text("~v deny");
        desk
    }),
    ("wrong", |size, theme| {
        let mut desk = RecordedScreen::with(size, theme, Some(&six()));
        desk.keys("/").type_text("~a claude ~verdict deny");
        desk
    }),
    ("empty", |size, theme| RecordedScreen::with(size, theme, None)),
];

#[test]
fn every_state_at_every_size_on_every_terminal() {
    for (name, make) in STATES {
        let desk = make(WIDE, COLOUR);
        assert!(!desk.screen.model.session.event_list().is_waiting(), "{name}: every question was answered");
    }
    hold_states("events-", &STATES);
}

#[test]
fn nothing_breaks_at_any_size() {
    for (name, make) in STATES {
        let mut desk = make(WIDE, COLOUR);
        for size in [(120, 40), (110, 16), (109, 15), (80, 15), (60, 15), (59, 15), (30, 8), (20, 5), (8, 3), (1, 1)] {
            desk.screen.size = size;
            resize(&mut desk.screen.model, size);
            assert!(desk.text().lines().count() == usize::from(size.1), "{name}");
        }
    }
}

#[test]
fn what_was_recorded_does_nothing_to_the_terminal() {
    for size in [WIDE, MEDIUM] {
        let mut desk = RecordedScreen::new(size);
        desk.keys("g j Enter");
        assert!(!desk.text().contains('\u{1b}') && desk.text().contains("refusing"), "{}", desk.text());
    }
}

#[test]
fn a_filter_holds_while_it_is_typed() {
    let mut desk = RecordedScreen::new(MEDIUM);
    desk.assert_shows(&["6 events", "follow on", "❯ ", "Stop"]);
    desk.keys("/").type_text("~v deny");
    desk.assert_shows(&["1 of 6 shown", "rm -rf build"]).assert_hides("src/app.rs");
    // An invalid filter shows an error, and the last valid one still applies.
    desk.type_text(" ~tol");
    desk.assert_shows(&["unknown operator ~tol", "Did you mean ~t?", "1 of 6 shown"]);
    desk.keys("Enter");
    assert!(desk.screen.model.events.typing.is_some(), "a mistake is not taken");
    desk.keys("Esc");
    desk.assert_shows(&["6 events"]).assert_hides("~v deny");
    // Words of the payload: Enter keeps the filter, Esc clears it.
    desk.keys("/").type_text("push").keys("Enter");
    desk.assert_shows(&["1 of 6 shown", "git push"]);
    desk.keys("Esc");
    desk.assert_shows(&["6 events"]);
    desk.keys("Esc");
    assert_eq!(desk.screen.model.page, Page::Bench);
}

#[test]
fn an_answer_that_nobody_waits_for_is_dropped() {
    let mut desk = RecordedScreen::new(MEDIUM);
    desk.screen.keys("/").type_text("~a claude");
    let old = desk.take_requests();
    desk.screen.type_text("x");
    desk.answer_requests();
    desk.assert_shows(&["0 of 6 shown", "no event matches this filter"]);
    for ask in old {
        let news = desk.store_worker.answer(ask).unwrap();
        desk.screen.fact(Fact::EventList(news));
    }
    desk.assert_shows(&["0 of 6 shown", "no event matches this filter"]);
}

/// Only a part of a long list is in memory, and every event can be reached.
#[test]
fn a_long_list_is_held_in_part() {
    let many: Vec<RecordedEvent> =
        (0..1_100).map(|n| event(n, "claude", "PreToolUse", Some("Bash"), &format!("command {n}"), None)).collect();
    let mut desk = RecordedScreen::with(MEDIUM, COLOUR, Some(&many));
    desk.assert_shows(&["1100 events", "command 1099"]);
    let mut seen = Vec::new();
    for _ in 0..1_100 {
        seen.push(desk.selected());
        desk.keys("k");
        assert!(desk.screen.model.session.event_list().window.rows.len() <= 800);
    }
    let all: Vec<i64> = (1..=1_100).rev().collect();
    assert_eq!(seen, all, "each once, in its order");
    desk.assert_shows(&["command 0 "]);
    desk.keys("G");
    desk.assert_shows(&["command 1099"]);
    desk.keys("g");
    assert_eq!(desk.selected(), 1);
    for _ in 0..250 {
        desk.keys("j");
    }
    assert_eq!(desk.selected(), 251);
}

#[test]
fn marks_and_comments_stay() {
    let mut desk = RecordedScreen::new(WIDE);
    desk.keys("g Space");
    desk.assert_shows(&["❯* "]);
    desk.keys("m").type_text("look at this").keys("Enter");
    desk.assert_shows(&["\"look at", "comment  look at this"]);
    let mut store = open_store(&StateDir::of(&desk.place), OpenMode::Write).unwrap();
    let kept = store.event(1).unwrap().unwrap();
    assert!(kept.marked && kept.comment.as_deref() == Some("look at this"));
    // Another process adds an event. Reopening the page shows it and keeps the position.
    insert(&mut store, &[event(7, "claude", "PreToolUse", Some("Bash"), "new", None)]);
    desk.keys("1 3");
    desk.assert_shows(&["7 events"]);
    assert_eq!(desk.selected(), 1);
    desk.keys("G");
    assert_eq!(desk.selected(), 7);
    desk.keys("/").type_text("~marked").keys("Enter");
    desk.assert_shows(&["1 of 7 shown"]);
    desk.keys("Space Esc");
    desk.assert_hides("* ");
}

#[test]
fn sessions_stand_above_events() {
    let mut desk = RecordedScreen::new(MEDIUM);
    desk.keys("[");
    desk.assert_shows(&["Sessions", "4 events   session-one", "2 events   session-two"]);
    desk.type_text("gemini").keys("Enter");
    desk.assert_shows(&["2 events", "all › project shop › session session-two"]);
    desk.keys("Esc");
    desk.assert_shows(&["6 events"]);
    desk.keys("]");
    desk.assert_shows(&["4 events", "all › project shop › session session-one"]);
}

#[test]
fn an_event_goes_to_the_bench() {
    let mut desk = RecordedScreen::new(MEDIUM);
    desk.keys("g j Enter Enter");
    assert_eq!(desk.screen.model.page, Page::Bench);
    let bench = desk.screen.model.session.bench();
    assert_eq!(bench.body().unwrap()["tool_input"]["command"], "rm -rf build");
    desk.assert_shows(&["recorded #2"]);
    desk.keys("s C-u").type_text("ls").keys("Enter");
    desk.assert_shows(&["edited"]).assert_hides("recorded #2");
    // An event of another agent switches the bench to that agent, and U reverts it.
    desk.keys("3 j j b");
    assert_eq!(desk.screen.model.session.bench().payload.agent, "gemini");
    desk.keys("U");
    assert_eq!(desk.screen.model.session.bench().payload.agent, "claude");
}

#[test]
fn an_event_can_be_copied() {
    let mut desk = RecordedScreen::new(MEDIUM);
    desk.keys("g j");
    for (key, part) in [
        ("j", "\"tool_name\": \"Bash\""),
        ("e", "{\"hook_event_name\":\"PreToolUse\""),
        ("f", "\"id\":\"e2\""),
        ("s", "cd /home/dev/shop && printf '%s' '{"),
        ("s", "| env CLAUDE"),
        ("c", "hookbench replay 2"),
    ] {
        desk.screen.asks.clear();
        desk.screen.keys("y").keys(key);
        let copied = |ask: &LoopRequest| matches!(ask, LoopRequest::Copy(text) if text.contains(part));
        assert!(desk.screen.asks.iter().any(copied), "{key}: {:?}", desk.screen.asks);
    }
    desk.screen.keys("c");
    assert!(matches!(desk.screen.asks.last(), Some(LoopRequest::Copy(line)) if line == "hookbench replay 2"));
}

/// Starts without a store: lists the agents' sessions, and imports one with Enter.
#[test]
fn an_own_session_is_imported() {
    let mut desk = RecordedScreen::with(MEDIUM, COLOUR, None);
    desk.assert_shows(&["NONE YET", "No agent sessions found", "or type :import"]);
    assert!(!desk.place.home.is_empty() && !StateDir::of(&desk.place).root().exists(), "looking makes no file");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/claude-transcript/recorded.jsonl");
    let own = hookbench::app::AgentSession {
        file: from,
        kind: "claude-transcript",
        session: RecordedSession {
            agent: "claude".to_owned(),
            title: Some("count the files".to_owned()),
            ..RecordedSession::default()
        },
        bytes: 40_000,
        debug_log: None,
        written: Some(1_795_185_062_000),
    };
    desk.screen.fact(Fact::EventList(EventStoreResponse::AgentSessions(vec![own])));
    desk.assert_shows(&["count the files", "Enter import", "❯Claude Code"]);
    desk.keys("Enter");
    desk.assert_shows(&["new events", "follow on"]).assert_hides("NONE YET");
}

#[test]
fn a_store_that_cannot_be_used_is_said_with_its_cure() {
    let mut desk = RecordedScreen::with(WIDE, COLOUR, None);
    let file = StateDir::of(&desk.place).file("hookbench.db");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "no database at all, but long enough to be read as one").unwrap();
    desk.keys("1 3");
    desk.assert_shows(&["CLOSED", "not a store of hookbench", "Move the file away with"]);
    std::fs::remove_file(&file).unwrap();
    insert(&mut open_store(&StateDir::of(&desk.place), OpenMode::Write).unwrap(), &six());
    desk.keys("1 3");
    desk.assert_shows(&["6 events"]);
}

/// A way to make a store unusable, by changing its file.
type DamagedStore = (&'static str, fn(&Path));

const SPOILT: [DamagedStore; 3] = [
    ("newer", |file| rusqlite::Connection::open(file).unwrap().execute_batch("PRAGMA user_version = 99").unwrap()),
    ("damaged", |file| {
        let mut bytes = std::fs::read(file).unwrap();
        bytes[4096..].fill(0xa5);
        std::fs::write(file, bytes).unwrap();
    }),
    ("foreign", |file| std::fs::write(file, "my notes, which are not a database at all, and rather long").unwrap()),
];

/// For every damaged store there is a message with a fix, the file does not change, and the rest still works.
#[test]
fn a_damaged_store() {
    for (name, spoil) in SPOILT {
        for size in [WIDE, MEDIUM, TINY] {
            let mut desk = RecordedScreen::with(size, COLOUR, None);
            let file = StateDir::of(&desk.place).file("hookbench.db");
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            insert(&mut open_store(&StateDir::of(&desk.place), OpenMode::Write).unwrap(), &six());
            spoil(&file);
            let before = std::fs::read(&file).unwrap();
            desk.keys("1 3 j Enter r R m I Esc 3");
            assert_eq!(std::fs::read(&file).unwrap(), before, "{name}");
            desk.screen.model.toast = None;
            let text = desk.text().replace(desk.directory.path().to_str().unwrap(), "/tmp/x");
            screen::picture_at(&format!("events-{name}"), size, text);
            desk.keys("1");
            assert_eq!(desk.screen.model.page, Page::Bench, "{name}");
        }
    }
}

/// While another process writes, the list can be read. Writing waits, and then reports why it failed.
#[test]
fn a_locked_store() {
    let mut desk = RecordedScreen::new(MEDIUM);
    let other = rusqlite::Connection::open(StateDir::of(&desk.place).file("hookbench.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    desk.keys("g Space");
    desk.assert_shows(&["6 events", "another process is"]);
    desk.keys("j k G");
    desk.assert_shows(&["6 events", "Stop"]).assert_hides("* ");
    other.execute_batch("COMMIT").unwrap();
    desk.keys("g Space");
    desk.assert_shows(&["* "]);
}

/// A read-only store can be read. Failed writes are reported.
#[test]
fn a_read_only_store() {
    let mut desk = RecordedScreen::new(MEDIUM);
    let says = "the store hookbench.db: it cannot be written: attempt to write a readonly database. Make it writable.";
    desk.screen.fact(Fact::EventList(EventStoreResponse::Trouble(says.to_owned())));
    desk.assert_shows(&["6 events", "it cannot be written"]);
}

#[test]
fn the_payload_folds() {
    let mut desk = RecordedScreen::new(MEDIUM);
    desk.keys("g j Enter G");
    desk.assert_shows(&["tool_input", "command", "\"rm -rf build\""]);
    desk.keys("h");
    desk.assert_shows(&["tool_input", "\"rm -rf build\""]);
    desk.keys("h");
    desk.assert_shows(&["tool_input", "{ 1 key }"]).assert_hides("\"rm -rf build\"");
    desk.keys("Enter");
    desk.assert_shows(&["\"rm -rf build\""]);
    desk.keys("Space");
    desk.assert_shows(&["{ 1 key }"]);
    // On any other row Enter puts the event on the bench.
    desk.keys("g Enter");
    assert_eq!(desk.screen.model.page, Page::Bench);
}

#[test]
fn the_help_counts_what_the_filter_would_find() {
    let mut desk = RecordedScreen::new(WIDE);
    desk.keys("? Tab");
    desk.assert_shows(&[
        "~v deny",
        "verdict: deny, ask, failed_open, ...   allow 1, ask 1, deny 1",
        "~marked",
        "marked   0",
        "agent   claude 4, gemini 2",
    ]);
    desk.keys("Esc / ");
    desk.assert_shows(&["agent   claude 4, gemini 2"]);
}

#[test]
fn a_pasted_filter_is_taken() {
    let mut desk = RecordedScreen::new(MEDIUM);
    desk.keys("/");
    desk.screen.send(Msg::Paste("~v deny".to_owned()));
    desk.answer_requests();
    desk.assert_shows(&["1 of 6 shown"]);
    desk.keys("Enter r Esc I");
    desk.assert_shows(&["no agent sessions found"]);
}
