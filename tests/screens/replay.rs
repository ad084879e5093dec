//! Replay on the screen: planning, consent, running, results; and the impact of changed settings. The store and the
//! hooks are real; the test passes each of their answers to the screen.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::recorded_screen;
use crate::screen;
use hookbench::core::names::AgentId;

use std::fs;
use std::path::Path;

use crate::screen_states::{ScreenState, hold_states};
use hookbench::app::impact::Impact;
use hookbench::app::replay::{ReplayRule, ReplaySummary};
use hookbench::app::{
    Consent, EventReplay, EventStoreRequest, EventStoreResponse, EventStoreThread, Fact, Job, ListDirection,
    LongJobProgress, OpenMode, PageEdge, ReplayOrder, ReplayPace, ReplaySelection, StateDir, TaskUpdate, now_ms,
    open_store, run_long_job,
};
use hookbench::core::filter::parse;
use hookbench::core::recorded::RecordedEvent;
use hookbench::tui::{LoopRequest, Page, Theme, resize};
use recorded_screen::{COLOUR, RecordedScreen, event, six};
use screen::{MEDIUM, WIDE};

const SETTINGS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "command": "sh hooks/guard.sh"},
    {"type": "command", "command": "sh hooks/log.sh"}]}]}}"#;

/// Creates a project with two hooks, of which one denies every `rm` command, and returns its events.
fn project(directory: &Path) -> Vec<RecordedEvent> {
    let shop = directory.join("shop");
    fs::create_dir_all(shop.join(".claude")).unwrap();
    fs::create_dir_all(shop.join("hooks")).unwrap();
    fs::write(shop.join(".claude/settings.json"), SETTINGS).unwrap();
    fs::write(shop.join("hooks/guard.sh"), "grep -q 'rm -rf' && { echo 'not here' >&2; exit 2; }\nexit 0\n").unwrap();
    fs::write(shop.join("hooks/log.sh"), "cat > /dev/null; echo ran >> \"$HOME/ran\"\n").unwrap();
    let here = |mut event: RecordedEvent| {
        event.project = Some(shop.to_str().unwrap().to_owned());
        let text = String::from_utf8(event.payload.clone()).unwrap();
        event.payload = text.replace(screen::PROJECT, shop.to_str().unwrap()).into_bytes();
        event
    };
    six().into_iter().filter(|event| event.agent == "claude").map(here).collect()
}

/// Opens the page on the project and its events.
fn desk(size: (u16, u16), theme: Theme) -> RecordedScreen {
    let directory = tempfile::tempdir().unwrap();
    let events = project(directory.path());
    let shop = directory.path().canonicalize().unwrap().join("shop");
    let mut desk = RecordedScreen::at(size, theme, Some(&events), directory, shop);
    // The screen's own project is another one.
    desk.keys("P");
    desk
}

fn run_count(desk: &RecordedScreen) -> usize {
    fs::read_to_string(desk.directory.path().join("ran")).map_or(0, |text| text.lines().count())
}

/// Reports the impact of a change.
fn impact(screen: &mut screen::TestScreen) {
    let rule = |newly: bool, hook: &str, subject: &str, why: &str, count: usize| ReplayRule {
        newly,
        hook: hook.to_owned(),
        event: "PreToolUse".to_owned(),
        subject: Some(subject.to_owned()),
        why: why.to_owned(),
        count,
        events: Vec::new(),
    };
    let summary = ReplaySummary {
        events: 790,
        same: 375,
        newly_run: 412,
        verdict_changed: 3,
        unknown: 409,
        rules: vec![
            rule(true, "audit.js", "Bash", "\"Bash\" is in the list", 400),
            rule(true, "audit.js", "Edit", "\"Edit\" is in the list", 12),
        ],
        ..ReplaySummary::default()
    };
    let impact =
        Impact { agent: AgentId::new("claude"), project: Some("/home/dev/shop".to_owned()), summary, at_least: false };
    let file = ".claude/settings.json";
    let settings = screen.read(file).unwrap();
    screen.save(file, &format!("{settings}\n"));
    let update = TaskUpdate::Impact { previewed: false, impact: Box::new(impact) };
    screen.fact(Fact::Task { number: 1, update });
}

const STATES: [ScreenState<RecordedScreen>; 7] = [
    ("summary", |size, theme| {
        let mut desk = desk(size, theme);
        desk.keys("g Space j Space j Space r marked Enter");
        desk
    }),
    ("list", |size, theme| {
        let mut desk = desk(size, theme);
        desk.keys("g Space j Space j Space r marked Enter Enter");
        desk
    }),
    ("one", |size, theme| {
        let mut desk = desk(size, theme);
        desk.keys("g j r Enter");
        desk
    }),
    ("question", |size, theme| {
        let mut desk = desk(size, theme);
        desk.keys("g j r Enter R");
        desk
    }),
    ("running", |size, theme| {
        let mut desk = desk(size, theme);
        let pace = ReplayPace { all: 790, in_ten: 126, left: Some(62), contained: false };
        desk.screen.fact(Fact::EventList(EventStoreResponse::Progress(LongJobProgress {
            activity: "running",
            subject: "790 events".to_owned(),
            percent: Some(1),
            events: 12,
            pace: Some(pace),
        })));
        desk
    }),
    ("ran", |size, theme| {
        let mut desk = desk(size, theme);
        desk.keys("g j r Enter R Y");
        desk
    }),
    ("impact", |size, theme| {
        let mut desk = desk(size, theme);
        impact(&mut desk.screen);
        desk.keys("L");
        desk
    }),
];

#[test]
fn every_state_at_every_size_on_every_terminal() {
    for (name, make) in STATES {
        let desk = make(WIDE, COLOUR);
        assert!(desk.screen.model.session.event_list().progress.is_none() || name == "running", "{name}");
    }
    hold_states("replay-", &STATES);
}

#[test]
fn nothing_breaks_at_any_size() {
    for (name, make) in STATES {
        let mut desk = make(WIDE, COLOUR);
        for size in [(120, 40), (109, 15), (80, 15), (60, 15), (59, 15), (30, 8), (20, 5), (8, 3), (1, 1)] {
            desk.screen.size = size;
            resize(&mut desk.screen.model, size);
            assert!(desk.text().lines().count() == usize::from(size.1), "{name}");
        }
    }
}

#[test]
fn planning_runs_nothing_and_leads_from_the_summary_to_the_event() {
    let mut desk = desk(WIDE, COLOUR);
    desk.keys("r marked Enter");
    desk.assert_shows(&["no event is marked"]);
    desk.keys("g Space j Space j Space r marked Enter");
    desk.assert_shows(&[
        "1 of 3 unknown until their hooks run; no other verdict changes",
        "dry run",
        "2 unchanged or not decided by a hook · Enter expand",
        "log.sh  runs in 1 more event",
        "replay of 3 events",
    ]);
    desk.keys("Enter");
    desk.assert_shows(&["› 1 of 3 unknown", "#2", "PreToolUse Bash", "rm -rf build", "DENY -> unknown until run"]);
    desk.keys("Enter");
    desk.assert_shows(&["recorded", "now", "? verdict", "! log.sh", "does not run", "would run"]);
    desk.keys("Esc Esc");
    desk.assert_shows(&["PLANNED", "1 of 3"]);
    desk.keys("Esc");
    desk.assert_shows(&["4 events", "rm -rf build"]);
    assert_eq!(run_count(&desk), 0);
    assert!(desk.screen.started.is_empty());
}

#[test]
fn an_event_leads_back_to_the_list_of_all() {
    let mut desk = desk(WIDE, COLOUR);
    desk.keys("g j r Enter");
    desk.keys("g Enter");
    assert_eq!(desk.selected(), 2);
    desk.assert_shows(&["4 events"]).assert_hides("PLANNED");
}

/// Several events always need consent. Every run is a new row with its origin, and recorded rows do not change.
#[test]
fn really_running_asks_first_and_keeps_new_rows() {
    let mut desk = desk(WIDE, COLOUR);
    desk.keys("g j Space j Space r marked Enter R");
    desk.assert_shows(&["Run 2 commands for 2 events?", "sh hooks/guard.sh", "for 1 of 2 events", "not contained"]);
    // No is the default, and a key that the question does not offer does nothing.
    desk.keys("Enter Space n");
    assert_eq!(run_count(&desk), 0);
    desk.assert_shows(&["PLANNED"]).assert_hides("commands for");
    desk.keys("R Y");
    desk.assert_shows(&[
        "REPLAYED",
        "2 events",
        "not contained, against the current configuration",
        "kept as new rows",
    ]);
    assert_eq!(run_count(&desk), 1);
    let store = open_store(&StateDir::of(&desk.place), OpenMode::Read).unwrap();
    let before: Vec<RecordedEvent> = project(desk.directory.path());
    for (seq, was) in (1..).zip(&before) {
        let now = store.event(seq).unwrap().unwrap();
        assert_eq!((&now.payload, &now.verdict, now.at, now.origin), (&was.payload, &was.verdict, was.at, None));
    }
    let new = store.event(5).unwrap().unwrap();
    assert_eq!((new.origin.as_deref(), new.verdict.as_deref(), new.runs.len()), (Some("e2"), Some("deny"), 2));
    // The list shows what was recorded; a filter lists the stored replays.
    desk.keys("Esc");
    let kept = "the results are kept: / ~replay Enter lists them";
    desk.assert_shows(&["4 events   2 replays hidden (~replay)", kept]).assert_hides("replay of #");
    desk.keys("/").type_text("~replay").keys("Enter g");
    desk.assert_shows(&["2 of 6 shown", "replay of #2", "replay of #3", "replays  #2"]);
    desk.keys("Esc");
    desk.assert_shows(&["4 events   2 replays hidden (~replay)"]);
    // Several events need consent again, one event does not.
    desk.keys("g j Space r marked Enter R");
    desk.assert_hides("commands for");
    desk.keys("Esc");
}

/// An event that was recorded without a verdict shows the verdict of its replay, with a sign that it is not the recorded
/// one.
#[test]
fn an_event_without_a_verdict_shows_that_of_its_replay() {
    for size in [WIDE, MEDIUM] {
        let directory = tempfile::tempdir().unwrap();
        let mut events = project(directory.path());
        let denied = RecordedEvent { id: "e9".to_owned(), verdict: None, runs: Vec::new(), ..events[1].clone() };
        events.push(RecordedEvent { at: denied.at.map(|at| at + 60_000), ..denied });
        let shop = directory.path().canonicalize().unwrap().join("shop");
        let mut desk = RecordedScreen::at(size, COLOUR, Some(&events), directory, shop);
        desk.keys("P G");
        desk.assert_shows(&["NO VERDICT"]).assert_hides("~DENY");
        desk.keys("r selected Enter Esc");
        desk.assert_shows(&["NO VERDICT"]).assert_hides("~DENY");
        desk.keys("r selected Enter R Y Esc");
        desk.assert_shows(&["NO VERDICT", "~DENY", "replayed  DENY   in the replay, kept as #6"]);
        // A recorded verdict stays what it was.
        desk.keys("g j r selected Enter R Esc");
        assert_eq!(desk.text().matches("~DENY").count(), 1, "{}", desk.text());
    }
}

/// For one event, only definitions without consent are listed.
#[test]
fn one_event_asks_once_for_a_definition() {
    let mut desk = desk(WIDE, COLOUR);
    desk.keys("g j r Enter R");
    desk.assert_shows(&["Run 2 commands for 1 event?"]);
    desk.screen.asks.clear();
    desk.screen.keys("Y");
    let job = |ask: &LoopRequest| matches!(ask, LoopRequest::Jobs(jobs) if jobs.iter().any(|job| matches!(job, Job::SaveConsent(items) if items.len() == 2)));
    assert!(desk.screen.asks.iter().any(job), "the driver keeps it");
    desk.answer_requests();
    desk.assert_shows(&["REPLAYED", "kept as #5", "! log.sh", "! guard.sh stderr", "+ not here", "exit 2"]);
    assert_eq!(run_count(&desk), 1);
    desk.keys("R");
    assert_eq!(run_count(&desk), 2);
    // Another command is another definition.
    let settings = desk.directory.path().join("shop/.claude/settings.json");
    fs::write(settings, SETTINGS.replace("log.sh", "log.sh 2")).unwrap();
    desk.keys("R");
    desk.assert_shows(&["Run 1 command for 1 event?", "sh hooks/log.sh 2"]);
    assert_eq!(run_count(&desk), 2);
}

/// Consent applies to the shown definitions: a definition that changed meanwhile needs another consent.
#[test]
fn what_has_changed_since_the_question_is_asked_for() {
    let mut desk = desk(WIDE, COLOUR);
    desk.keys("g j r Enter R");
    let settings = desk.directory.path().join("shop/.claude/settings.json");
    fs::write(settings, SETTINGS.replace("guard.sh", "guard.sh --hard")).unwrap();
    desk.keys("Y");
    desk.assert_shows(&["Run 1 command for 1 event?", "--hard"]);
    assert_eq!(run_count(&desk), 0);
}

#[test]
fn it_is_said_whether_hooks_are_contained() {
    let mut desk = desk(WIDE, COLOUR);
    desk.keys("g j r Enter R !");
    desk.assert_shows(&["contained: a copy of the project"]).assert_hides("not contained:");
    desk.keys("Y");
    desk.assert_shows(&[" contained, against ", "kept as new rows"]).assert_hides("not contained");
    assert!(desk.screen.model.session.is_contained(), "the header says so too");
    assert_eq!(run_count(&desk), 0, "its home is another one");
    let store = open_store(&StateDir::of(&desk.place), OpenMode::Read).unwrap();
    assert!(store.event(5).unwrap().unwrap().comment.unwrap().contains("contained"));
}

/// The hooks of two sessions wait for each other, so they must run in parallel. Within a session, the second event
/// sees the effects of the first. Results are listed in the order of the events.
#[test]
fn sessions_run_side_by_side_and_each_in_its_order() {
    let directory = tempfile::tempdir().unwrap();
    let mut events = project(directory.path());
    let shop = directory.path().canonicalize().unwrap().join("shop");
    let script = "case \"$(cat)\" in\n*first*) touch one; other=two ;;\n*second*) touch two; other=one ;;\n\
        *third*) test -e one.done && exit 0; echo 'too early' >&2; exit 2 ;;\nesac\n\
        until test -e $other; do :; done\ntouch one.done\n";
    fs::write(shop.join("hooks/guard.sh"), script).unwrap();
    fs::write(shop.join("hooks/log.sh"), "exit 0\n").unwrap();
    let settings = SETTINGS.replace("guard.sh\"", "guard.sh\", \"timeout\": 20");
    fs::write(shop.join(".claude/settings.json"), settings).unwrap();
    events.truncate(3);
    for (event, (command, session)) in
        events.iter_mut().zip([("first", "session-one"), ("third", "session-one"), ("second", "session-two")])
    {
        (event.event, event.subject) = ("PreToolUse".to_owned(), Some("Bash".to_owned()));
        event.session = session.to_owned();
        let payload = serde_json::json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": shop,
            "tool_input": {"command": command}});
        event.payload = payload.to_string().into_bytes();
    }
    let desk = RecordedScreen::at(WIDE, COLOUR, Some(&events), directory, shop);
    let replay = |agreed| {
        let which = ReplaySelection::These(vec![1, 2, 3]);
        let order = ReplayOrder { run: true, ..ReplayOrder::planned(which) };
        let ask = EventStoreRequest::Replay { order, consent: Consent::default(), approved: agreed, may_ask: true };
        run_long_job(ask, &desk.place, &mut |_| {}, &|| false).unwrap()
    };
    let EventStoreResponse::Question(question) = replay(Vec::new()) else { panic!("nothing was asked") };
    let news = replay(question.items.iter().map(|item| (item.key.clone(), String::new())).collect());
    let EventStoreResponse::Replayed(result) = news else { panic!("{news:?}") };
    let verdict = |one: &EventReplay| one.replayed.after.as_ref().unwrap().outcome.as_ref().unwrap().verdict.word();
    let all: Vec<_> = result.events.iter().map(|one| (one.seq, verdict(one), one.row.is_some())).collect();
    assert_eq!(all, [1, 2, 3].map(|seq| (seq, "no_objection", true)));
    // The second event ran last because it waited for the first, but its row comes second.
    let store = open_store(&StateDir::of(&desk.place), OpenMode::Read).unwrap();
    let rows = store.page(&parse("~replay").unwrap(), now_ms(), ListDirection::Forward, None, 9).unwrap();
    assert_eq!(rows.iter().map(|row| row.origin_seq).collect::<Vec<_>>(), [1, 2, 3].map(Some));
}

/// Finished runs are kept.
#[test]
fn a_replay_is_broken_off() {
    let mut desk = desk(WIDE, COLOUR);
    desk.keys("g j Space j Space r marked Enter");
    desk.screen.keys("R");
    let asked = desk.take_requests();
    let question = run_long_job(asked[0].clone(), &desk.place, &mut |_| {}, &|| false).unwrap();
    let EventStoreResponse::Question(question) = question else { panic!("{question:?}") };
    let agreed = question.items.iter().map(|item| (item.key.clone(), String::new())).collect();
    let ask = EventStoreRequest::Replay {
        order: question.order,
        consent: Consent::default(),
        approved: agreed,
        may_ask: true,
    };
    let (running, told) = (std::cell::Cell::new(0), std::cell::RefCell::new(Vec::new()));
    let over = run_long_job(
        ask,
        &desk.place,
        &mut |news| {
            running.set(running.get() + 1);
            told.borrow_mut().push(news);
        },
        &|| running.get() >= 1,
    );
    let Some(EventStoreResponse::Replayed(result)) = &over else { panic!("{over:?}") };
    assert_eq!(result.stopped_of, Some(2));
    desk.screen.fact(Fact::EventList(over.unwrap()));
    desk.answer_requests();
    desk.assert_shows(&["REPLAYED", "stopped: "]);
}

/// On every page, Ctrl+C ends the replay, and a second Ctrl+C kills it.
#[test]
fn a_replay_is_ended_from_every_page() {
    for page in ["3", "1"] {
        let mut desk = STATES[4].1(MEDIUM, COLOUR);
        desk.screen.keys(page);
        desk.screen.asks.clear();
        desk.screen.keys("C-c");
        assert_eq!(desk.take_requests(), [EventStoreRequest::Stop]);
        desk.screen.keys("C-c");
        assert!(desk.screen.asks.contains(&LoopRequest::Kill), "{:?}", desk.screen.asks);
        desk.screen.keys("1 q");
        desk.assert_shows(&["Quitting ends them"]);
    }
}

#[test]
fn events_are_fired_again_against_something_else() {
    let mut desk = desk(WIDE, COLOUR);
    desk.keys("g j r Enter a").type_text("nobody").keys("Enter");
    desk.assert_shows(&["Replay #2 against", "no directory, version or agent"]);
    let typed = |desk: &mut RecordedScreen, text: &str| {
        desk.screen.control('u');
        desk.type_text(text).keys("Enter");
    };
    typed(&mut desk, "gemini");
    desk.assert_shows(&["PLANNED", "against", "Gemini CLI"]);
    desk.screen.asks.clear();
    desk.screen.keys("c");
    let line = |desk: &RecordedScreen| match desk.screen.asks.last() {
        Some(LoopRequest::Copy(line)) => line.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(line(&desk), "hookbench replay 2 --agent gemini");
    desk.keys("a").type_text("1.0.0").keys("Enter");
    desk.assert_shows(&["against", "version 1.0.0"]);
    let other = desk.directory.path().canonicalize().unwrap();
    desk.keys("a").type_text(other.to_str().unwrap()).keys("Enter");
    desk.assert_shows(&["against", "does not run"]);
    desk.keys("a").type_text("git:nothing").keys("Enter");
    desk.assert_shows(&["git:nothing: "]);
}

/// One key opens the list behind the impact message. Each entry leads to its events.
#[test]
fn what_a_change_comes_to_leads_to_its_events() {
    let mut desk = desk(WIDE, COLOUR);
    desk.keys("1 L");
    desk.assert_shows(&["no recorded event is affected by a change of the settings"]);
    impact(&mut desk.screen);
    desk.assert_shows(&["412 gain a hook, 3 verdicts change, 409 unknown until run", "L lists them"]);
    desk.keys("L");
    assert_eq!(desk.screen.model.page, Page::Events);
    desk.assert_shows(&[
        "CHANGED",
        "790 events",
        "412  gain a hook",
        "audit.js  runs in 400 more events",
        "audit.js  runs in 12 more events",
        "PreToolUse Edit",
    ]);
    desk.keys("G Enter");
    assert_eq!(
        desk.screen.model.session.event_list().filter,
        "~a claude & ~e PreToolUse & ~t Edit & ~p /home/dev/shop"
    );
    desk.assert_hides("CHANGED");
}

/// The page's background thread notices writes by itself, from the store's log.
#[test]
fn what_others_write_is_heard_of() {
    let desk = desk(MEDIUM, COLOUR);
    let (facts, mut heard) = tokio::sync::mpsc::channel(64);
    let mut keeper = EventStoreThread::start(desk.place.clone(), facts, true);
    let filter = hookbench::core::filter::Filter::everything();
    keeper.ask(EventStoreRequest::Page { number: 1, filter, edge: PageEdge::Newest, limit: 10 });
    let mut news = || match heard.blocking_recv() {
        Some(Fact::EventList(news)) => news,
        other => panic!("{other:?}"),
    };
    while !matches!(news(), EventStoreResponse::Page { .. }) {}
    let mut other = open_store(&StateDir::of(&desk.place), OpenMode::Write).unwrap();
    recorded_screen::insert(&mut other, &[event(9, "claude", "Stop", None, "", None)]);
    while news() != EventStoreResponse::Changed {}
}

/// Rows that another process writes appear at once, and the position is kept.
#[test]
fn what_others_write_appears() {
    let mut desk = desk(MEDIUM, COLOUR);
    desk.keys("g");
    assert_eq!(desk.store_worker.answer(EventStoreRequest::Changed), None, "nobody has written");
    let mut other = open_store(&StateDir::of(&desk.place), OpenMode::Write).unwrap();
    recorded_screen::insert(&mut other, &[event(9, "claude", "PreToolUse", Some("Bash"), "from elsewhere", None)]);
    let news = desk.store_worker.answer(EventStoreRequest::Changed).unwrap();
    assert_eq!(news, EventStoreResponse::Changed);
    desk.screen.fact(Fact::EventList(news));
    desk.answer_requests();
    desk.assert_shows(&["5 events"]);
    assert_eq!(desk.selected(), 1);
    desk.keys("G");
    desk.assert_shows(&["from elsewhere"]);
    // Several notifications during a read cause only one further read.
    desk.screen.keys("/").type_text("elsewhere");
    for _ in 0..3 {
        desk.screen.fact(Fact::EventList(EventStoreResponse::Changed));
    }
    desk.answer_requests();
    desk.assert_shows(&["1 of 5 shown"]);
    assert_eq!(desk.store_worker.answer(EventStoreRequest::Changed), None);
}

/// Copied text works: the shell line gives the hook its recorded stdin, in the recorded directory; the fixture line is
/// the event.
#[test]
fn what_is_copied_runs() {
    let mut desk = desk(WIDE, COLOUR);
    let event = {
        let store = open_store(&StateDir::of(&desk.place), OpenMode::Read).unwrap();
        store.event(2).unwrap().unwrap()
    };
    desk.keys("g j");
    let mut copied = |key: &str| {
        desk.screen.asks.clear();
        desk.screen.keys("y").keys(key);
        let text = desk
            .screen
            .asks
            .iter()
            .find_map(|ask| if let LoopRequest::Copy(text) = ask { Some(text.clone()) } else { None });
        text.unwrap_or_else(|| panic!("{key}: {:?}", desk.screen.asks))
    };
    let (line, fixture) = (copied("s"), copied("f"));
    assert_eq!(hookbench::core::recorded::parse_event_line(&fixture).unwrap(), event);
    let shop = desk.directory.path().canonicalize().unwrap().join("shop");
    let script = "cat > seen; pwd > where; echo no >&2; exit 2\n";
    fs::write(shop.join("hooks/guard.sh"), script).unwrap();
    let done = std::process::Command::new("sh").args(["-c", &line]).current_dir("/").output().unwrap();
    assert_eq!((done.status.code(), done.stderr), (Some(2), b"no\n".to_vec()), "{line}");
    let left = |name: &str| fs::read(shop.join(name)).unwrap();
    assert_eq!(String::from_utf8_lossy(&left("seen")), String::from_utf8_lossy(&event.payload));
    assert_eq!(left("where"), format!("{}\n", shop.display()).into_bytes());
}

/// A run from a transcript is known only in part, so there is no earlier result. The list, the detail and the replay
/// still agree that a hook ran.
#[test]
fn the_recorded_run_is_the_same_in_list_detail_and_replay() {
    let directory = tempfile::tempdir().unwrap();
    let mut events = project(directory.path());
    let shop = directory.path().canonicalize().unwrap().join("shop");
    let mut one = events.remove(1);
    (one.event, one.verdict) = ("PostToolUse".to_owned(), None);
    one.payload = String::from_utf8(one.payload).unwrap().replace("PreToolUse", "PostToolUse").into_bytes();
    one.runs[0].partial = true;
    let mut desk = RecordedScreen::at(WIDE, COLOUR, Some(&[one]), directory, shop);
    desk.keys("P");
    desk.assert_shows(&["hooks    1 hook ran", "guard.sh   exit 2   partial record"]);
    desk.keys("g r selected Enter");
    desk.assert_shows(&["guard.sh              exit 2", "does not run"]).assert_hides("no hook runs");
}
