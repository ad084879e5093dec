//! Recorded events on the screen: the list and its filter, one event in full, marks and comments, what is taken in and
//! fired again. The store is a real one; its answers are handed in one by one.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

#[path = "support/screen.rs"]
mod screen;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hookbench::app::{
    Fact, Incoming, Job, Mode, ShelfAsk, ShelfNews, ShelfWork, StateDir, Store, at_length, open_store, what_of,
};
use hookbench::core::config::{Os, Place};
use hookbench::core::recorded::{Made, RecordedEvent, RecordedRun, RecordedSession};
use hookbench::core::run::{Exit, RunId, RunReport};
use hookbench::tui::{Ask, Msg, Page, Theme};
use screen::{MEDIUM, PROJECT, Screen, TINY, WIDE, sample};

const BESIDE: (u16, u16) = (90, 50);
const COLOUR: Theme = Theme { colour: true, unicode: true };

/// A screen, the store behind it and the folder that both live in.
struct Desk {
    screen: Screen,
    work: ShelfWork,
    place: Arc<Place>,
    _folder: tempfile::TempDir,
}

fn event(n: i64, agent: &str, name: &str, tool: Option<&str>, command: &str, verdict: Option<&str>) -> RecordedEvent {
    let payload = match tool {
        Some(tool) => serde_json::json!({"hook_event_name": name, "tool_name": tool, "cwd": PROJECT,
            "tool_input": {"command": command}}),
        None => serde_json::json!({"hook_event_name": name, "cwd": PROJECT, "prompt": command}),
    };
    let run = RecordedRun {
        hook: "guard.sh".to_owned(),
        command: Some("sh hooks/guard.sh".to_owned()),
        definition: None,
        layer: None,
        stdin: None,
        report: RunReport::of(RunId(0), Exit::Code(2), "", "refusing: \u{1b}[2Jrm\n"),
        partial: false,
    };
    RecordedEvent {
        id: format!("e{n}"),
        agent: agent.to_owned(),
        version: None,
        session: format!("session-{}", if agent == "claude" { "one" } else { "two" }),
        agent_id: None,
        project: Some(PROJECT.to_owned()),
        event: name.to_owned(),
        subject: tool.map(str::to_owned),
        at: Some(1_795_185_062_000 + n * 1_000),
        made: Made::ALL[usize::try_from(n).unwrap() % 4],
        origin: None,
        source: None,
        payload: serde_json::to_vec(&payload).unwrap(),
        runs: if verdict == Some("deny") { vec![run] } else { Vec::new() },
        verdict: verdict.map(str::to_owned),
        outcome: None,
        diagnostics: Vec::new(),
        marked: false,
        comment: None,
    }
}

/// Six events of two agents.
fn six() -> Vec<RecordedEvent> {
    vec![
        event(1, "claude", "UserPromptSubmit", None, "clean up", None),
        event(2, "claude", "PreToolUse", Some("Bash"), "rm -rf build", Some("deny")),
        event(3, "claude", "PreToolUse", Some("Edit"), "src/app.rs", Some("no_objection")),
        event(4, "gemini", "BeforeTool", Some("run_shell_command"), "git push \u{1b}]52;c;x\u{7}", Some("ask")),
        event(5, "gemini", "AfterTool", Some("replace"), "日本語のファイル", Some("failed_open")),
        event(6, "claude", "Stop", None, "", Some("allow")),
    ]
}

fn keep(store: &mut Store, events: &[RecordedEvent]) {
    let what: Vec<Option<String>> = events.iter().map(what_of).collect();
    let session = |agent: &str, name: &str| RecordedSession {
        agent: agent.to_owned(),
        session: name.to_owned(),
        project: Some(PROJECT.to_owned()),
        ..RecordedSession::default()
    };
    let sessions = [session("claude", "session-one"), session("gemini", "session-two")];
    let incoming: Vec<Incoming<'_>> =
        events.iter().zip(&what).map(|(event, what)| Incoming::imported(event, what.as_deref())).collect();
    store.add(&sessions, &incoming, false).unwrap();
    store.index_some(std::time::Duration::from_secs(60)).unwrap();
}

impl Desk {
    /// A screen on this page, over a store with these events; none: there is no store.
    fn with(size: (u16, u16), theme: Theme, events: Option<&[RecordedEvent]>) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let place = Arc::new(Place {
            project: text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-hooks/shop")),
            home: text(folder.path()),
            home_given: true,
            env: BTreeMap::from([
                ("XDG_STATE_HOME".to_owned(), text(folder.path())),
                ("PATH".to_owned(), "/bin:/usr/bin".to_owned()),
            ]),
            os: Os::Linux,
        });
        if let Some(events) = events {
            std::fs::create_dir_all(folder.path().join("hookbench")).unwrap();
            keep(&mut open_store(&StateDir::of(&place), Mode::Write).unwrap(), events);
        }
        let screen = Screen::with(size, "claude", sample(), theme, false);
        let work = ShelfWork::new(Arc::clone(&place));
        let mut desk = Desk { screen, work, place, _folder: folder };
        desk.keys("3");
        desk
    }

    fn new(size: (u16, u16)) -> Desk {
        Desk::with(size, COLOUR, Some(&six()))
    }

    /// Presses keys, and lets the store answer after each.
    fn keys(&mut self, keys: &str) -> &mut Desk {
        for key in keys.split(' ') {
            self.screen.keys(key);
            self.answer();
        }
        self
    }

    fn type_text(&mut self, text: &str) -> &mut Desk {
        for c in text.chars() {
            self.screen.type_text(&c.to_string());
            self.answer();
        }
        self
    }

    /// What the store was asked and nobody has answered yet.
    fn asked(&mut self) -> Vec<ShelfAsk> {
        let asks = std::mem::take(&mut self.screen.asks);
        let (jobs, other): (Vec<Ask>, Vec<Ask>) = asks.into_iter().partition(|ask| matches!(ask, Ask::Jobs(_)));
        self.screen.asks = other;
        let jobs = jobs.into_iter().flat_map(|ask| if let Ask::Jobs(jobs) = ask { jobs } else { Vec::new() });
        jobs.filter_map(|job| if let Job::Shelf(ask) = job { Some(ask) } else { None }).collect()
    }

    fn answer(&mut self) {
        loop {
            let asked = self.asked();
            if asked.is_empty() {
                return;
            }
            for ask in asked {
                let mut told = Vec::new();
                let over = at_length(ask.clone(), &self.place, &mut |news| told.push(news), &|| false);
                let answer = over.or_else(|| self.work.answer(ask));
                for news in told.into_iter().chain(answer) {
                    self.screen.fact(Fact::Shelf(news));
                }
            }
        }
    }

    fn text(&self) -> String {
        self.screen.text()
    }

    fn says(&self, words: &[&str]) -> &Desk {
        for word in words {
            assert!(self.text().contains(word), "{word} is not here:\n{}", self.text());
        }
        self
    }

    fn says_not(&self, word: &str) -> &Desk {
        assert!(!self.text().contains(word), "{word} is here:\n{}", self.text());
        self
    }

    fn selected(&self) -> i64 {
        self.screen.model.session.shelf.list.row().unwrap().seq
    }
}

/// A state: its name, and how it comes about.
type State = (&'static str, fn((u16, u16), Theme) -> Desk);

const STATES: [State; 6] = [
    ("list", |size, theme| {
        let mut desk = Desk::with(size, theme, Some(&six()));
        desk.keys("k k k k Space m").type_text("ask Ann").keys("Enter");
        desk
    }),
    ("open", |size, theme| {
        let mut desk = Desk::with(size, theme, Some(&six()));
        desk.keys("g j Enter");
        desk
    }),
    ("filter", |size, theme| {
        let mut desk = Desk::with(size, theme, Some(&six()));
        desk.keys("/").type_text("~v deny");
        desk
    }),
    ("wrong", |size, theme| {
        let mut desk = Desk::with(size, theme, Some(&six()));
        desk.keys("/").type_text("~a claude ~verdict deny");
        desk
    }),
    ("empty", |size, theme| Desk::with(size, theme, None)),
    ("replayed", |size, theme| {
        let mut desk = Desk::with(size, theme, Some(&six()));
        desk.keys("g j Space j Space R");
        desk
    }),
];

#[test]
fn every_state_at_every_size_on_every_terminal() {
    let project = env!("CARGO_MANIFEST_DIR");
    for (name, make) in STATES {
        for size in [WIDE, BESIDE, MEDIUM, TINY] {
            let own = make(size, COLOUR);
            assert!(!own.screen.model.session.shelf.waits(), "{name}: every question was answered");
            let text = own.text();
            let mono = make(size, Theme { colour: false, unicode: true });
            let ascii = make(size, Theme { colour: false, unicode: false });
            assert_eq!(mono.text(), text, "{name} {size:?}: colour carries no letter");
            // What was recorded may be written in any letters.
            let foreign = |c: char| !c.is_ascii() && !"日本語のファイル".contains(c);
            assert!(!ascii.text().contains(foreign), "{name} {size:?}:\n{}", ascii.text());
            if name == "replayed" {
                // Where the project lies is said, and that differs from machine to machine.
                assert!(project.starts_with('/') && text.contains("Replayed against"), "{text}");
                continue;
            }
            let whole = format!("{text}\n== in colour\n{}", own.screen.styles());
            screen::pictures(&[])
                .bind(|| insta::assert_snapshot!(format!("events-{name}-{}x{}", size.0, size.1), whole));
        }
    }
}

#[test]
fn nothing_breaks_at_any_size() {
    for (name, make) in STATES {
        let mut desk = make(WIDE, COLOUR);
        for size in [(120, 40), (110, 16), (109, 15), (80, 15), (60, 15), (59, 15), (30, 8), (20, 5), (8, 3), (1, 1)] {
            desk.screen.size = size;
            desk.screen.model.fit(size);
            assert!(desk.text().lines().count() == usize::from(size.1), "{name}");
        }
    }
}

#[test]
fn what_was_recorded_does_nothing_to_the_terminal() {
    for size in [WIDE, MEDIUM] {
        let mut desk = Desk::new(size);
        desk.keys("g j Enter");
        assert!(!desk.text().contains('\u{1b}') && desk.text().contains("refusing"), "{}", desk.text());
    }
}

#[test]
fn a_filter_holds_while_it_is_typed() {
    let mut desk = Desk::new(MEDIUM);
    desk.says(&["6 events", "follow on", "> ", "Stop"]);
    desk.keys("/").type_text("~v deny");
    desk.says(&["1 of 6 shown", "rm -rf build"]).says_not("src/app.rs");
    // What cannot be read is said, and the last that could be read still holds.
    desk.type_text(" ~tol");
    desk.says(&["^^^^", "there is no operator ~tol", "Did you mean ~t?", "1 of 6 shown"]);
    desk.keys("Enter");
    assert!(desk.screen.model.events.typing.is_some(), "a mistake is not taken");
    desk.keys("Esc");
    desk.says(&["6 events"]).says_not("~v deny");
    // Words of the payload, kept with Enter and forgotten with Esc.
    desk.keys("/").type_text("push").keys("Enter");
    desk.says(&["1 of 6 shown", "git push"]);
    desk.keys("Esc");
    desk.says(&["6 events"]);
    desk.keys("Esc");
    assert_eq!(desk.screen.model.page, Page::Bench);
}

#[test]
fn an_answer_that_nobody_waits_for_is_dropped() {
    let mut desk = Desk::new(MEDIUM);
    desk.screen.keys("/").type_text("~a claude");
    let old = desk.asked();
    desk.screen.type_text("x");
    desk.answer();
    desk.says(&["0 of 6 shown", "no event passes this filter"]);
    for ask in old {
        let news = desk.work.answer(ask).unwrap();
        desk.screen.fact(Fact::Shelf(news));
    }
    desk.says(&["0 of 6 shown", "no event passes this filter"]);
}

/// Of any number of events a part is held, and every one can be reached.
#[test]
fn a_long_list_is_held_in_part() {
    let many: Vec<RecordedEvent> =
        (0..1_100).map(|n| event(n, "claude", "PreToolUse", Some("Bash"), &format!("command {n}"), None)).collect();
    let mut desk = Desk::with(MEDIUM, COLOUR, Some(&many));
    desk.says(&["1100 events", "command 1099"]);
    let mut seen = Vec::new();
    for _ in 0..1_100 {
        seen.push(desk.selected());
        desk.keys("k");
        assert!(desk.screen.model.session.shelf.list.rows.len() <= 800);
    }
    let all: Vec<i64> = (1..=1_100).rev().collect();
    assert_eq!(seen, all, "each once, in its order");
    desk.says(&["command 0 "]);
    desk.keys("G");
    desk.says(&["command 1099"]);
    desk.keys("g");
    assert_eq!(desk.selected(), 1);
    for _ in 0..250 {
        desk.keys("j");
    }
    assert_eq!(desk.selected(), 251);
}

#[test]
fn marks_and_comments_stay() {
    let mut desk = Desk::new(WIDE);
    desk.keys("g Space");
    desk.says(&[">* "]);
    desk.keys("m").type_text("look at this").keys("Enter");
    desk.says(&["\"look at", "comment  look at this"]);
    let mut store = open_store(&StateDir::of(&desk.place), Mode::Write).unwrap();
    let kept = store.event(1).unwrap().unwrap();
    assert!(kept.marked && kept.comment.as_deref() == Some("look at this"));
    // Another process adds an event; who opens the page again sees it, and the place is kept.
    keep(&mut store, &[event(7, "claude", "PreToolUse", Some("Bash"), "new", None)]);
    desk.keys("1 3");
    desk.says(&["7 events"]);
    assert_eq!(desk.selected(), 1);
    desk.keys("F");
    assert_eq!(desk.selected(), 7);
    desk.keys("/").type_text("~marked").keys("Enter");
    desk.says(&["1 of 7 shown"]);
    desk.keys("Space Esc");
    desk.says_not("* ");
}

#[test]
fn sessions_stand_above_events() {
    let mut desk = Desk::new(MEDIUM);
    desk.keys("[");
    desk.says(&["Sessions", "4 events   session-one", "2 events   session-two"]);
    desk.type_text("gemini").keys("Enter");
    desk.says(&["2 of 6 shown", "session session-two"]);
    desk.keys("Esc");
    desk.says(&["6 events"]);
    desk.keys("]");
    desk.says(&["4 of 6 shown", "session session-one"]);
}

#[test]
fn an_event_goes_to_the_bench() {
    let mut desk = Desk::new(MEDIUM);
    desk.keys("g j Enter Enter");
    assert_eq!(desk.screen.model.page, Page::Bench);
    let bench = &desk.screen.model.session.bench;
    assert_eq!(bench.body().unwrap()["tool_input"]["command"], "rm -rf build");
    desk.says(&["recorded #2"]);
    desk.keys("s").type_text("tool_input.command=ls").keys("Enter");
    desk.says(&["edited"]).says_not("recorded #2");
    // An event of another agent brings that agent along, and U takes it back.
    desk.keys("3 j j b");
    assert_eq!(desk.screen.model.session.bench.agent, "gemini");
    desk.keys("U");
    assert_eq!(desk.screen.model.session.bench.agent, "claude");
}

#[test]
fn an_event_can_be_copied() {
    let mut desk = Desk::new(MEDIUM);
    desk.keys("g j");
    for (key, part) in [
        ("j", "\"tool_name\": \"Bash\""),
        ("e", "{\"hook_event_name\":\"PreToolUse\""),
        ("f", "\"id\":\"e2\""),
        ("s", "cd /home/dev/shop && printf '%s' '{"),
        ("c", "hookbench replay 2"),
    ] {
        desk.screen.asks.clear();
        desk.screen.keys("y").keys(key);
        let copied = |ask: &Ask| matches!(ask, Ask::Copy(text) if text.contains(part));
        assert!(desk.screen.asks.iter().any(copied), "{key}: {:?}", desk.screen.asks);
    }
    desk.screen.keys("c");
    assert!(matches!(desk.screen.asks.last(), Some(Ask::Copy(line)) if line == "hookbench replay 2"));
}

#[test]
fn marked_events_are_fired_again_without_running_anything() {
    let mut desk = Desk::new(WIDE);
    desk.keys("R");
    desk.says(&["nothing is marked"]);
    desk.keys("g j Space j Space R");
    desk.says(&["2 events", "Nothing was run", "PreToolUse  Bash", "recorded DENY", "PreToolUse  Edit"]);
    desk.keys("Esc r");
    desk.says(&["1 event "]);
    assert!(desk.screen.started.is_empty());
}

/// The whole way from nothing: what the agents have kept is listed, Enter imports it.
#[test]
fn an_own_session_is_imported() {
    let mut desk = Desk::with(MEDIUM, COLOUR, None);
    desk.says(&["NONE YET", "The agents have kept no session of this project", "hookbench import FILE"]);
    assert!(!desk.place.home.is_empty() && !StateDir::of(&desk.place).root().exists(), "looking makes no file");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/claude-transcript/recorded.jsonl");
    let own = hookbench::app::OwnSession {
        file: from,
        kind: "claude-transcript",
        session: RecordedSession {
            agent: "claude".to_owned(),
            title: Some("count the files".to_owned()),
            ..RecordedSession::default()
        },
        bytes: 40_000,
        written: Some(1_795_185_062_000),
    };
    desk.screen.fact(Fact::Shelf(ShelfNews::Own(vec![own])));
    desk.says(&["count the files", "Enter imports it", ">Claude Code"]);
    desk.keys("Enter");
    desk.says(&["new events", "follow on"]).says_not("NONE YET");
}

#[test]
fn a_store_that_cannot_be_used_is_said_with_its_cure() {
    let mut desk = Desk::with(WIDE, COLOUR, None);
    let file = StateDir::of(&desk.place).file("hookbench.db");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "no database at all, but long enough to be read as one").unwrap();
    desk.keys("1 3");
    desk.says(&["CLOSED", "not a store of hookbench", "Move it out of the way."]);
    std::fs::remove_file(&file).unwrap();
    keep(&mut open_store(&StateDir::of(&desk.place), Mode::Write).unwrap(), &six());
    desk.keys("1 3");
    desk.says(&["6 events"]);
}

#[test]
fn a_pasted_filter_is_taken() {
    let mut desk = Desk::new(MEDIUM);
    desk.keys("/");
    desk.screen.send(Msg::Paste("~v deny".to_owned()));
    desk.answer();
    desk.says(&["1 of 6 shown"]);
    desk.keys("Enter r Esc I");
    desk.says(&["kept no session of this project"]);
}
