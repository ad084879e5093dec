//! The live path on the screen: received events, held events and their answers. The tests supply the facts.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::recorded_screen;
use crate::screen;

mod messages;

use crate::screen_states::{ScreenState, StatefulScreen, hold_states};
use hookbench::app::live::{
    AnsweredFact, ArrivedFact, BearerToken, LiveCommand, LiveConnection, LiveFact, LiveJob, LiveRequest,
    PendingEventFact, StorageState,
};
use hookbench::app::{Command, Fact, Job, SessionEffect};
use hookbench::core::live::{Decision, RawJson};
use hookbench::tui::{LoopRequest, Msg, Theme};
use recorded_screen::{RecordedScreen, event};
use screen::{COLOUR, MEDIUM, MONO, PROJECT, TINY, TestScreen, WIDE, sample_files};

/// 2026-11-20 14:31:02 UTC.
const NOW: i64 = 1_795_185_062_000;

/// Malicious tool output: it sets the clipboard, rings the bell and reverses text.
const HOSTILE: &str = "echo \u{1b}]52;c;cm0gLXJm\u{7} \u{202e}fr- mr";

fn arrived(seq: u64, event: &str, wire: &str, subject: Option<&str>, what: &str) -> ArrivedFact {
    ArrivedFact {
        id: format!("0190-{seq}"),
        seq,
        at: NOW - 1_000,
        agent: "claude".to_owned(),
        event: event.to_owned(),
        wire: wire.to_owned(),
        session: "5f1c".to_owned(),
        project: PROJECT.to_owned(),
        subject: subject.map(str::to_owned),
        what: Some(what.to_owned()),
        agent_id: None,
        bytes: 260,
    }
}

fn bash(seq: u64, command: &str) -> ArrivedFact {
    arrived(seq, "PreToolUse", "pre_tool_use", Some("Bash"), command)
}

fn held(arrived: ArrivedFact, choices: &[&str]) -> PendingEventFact {
    PendingEventFact {
        arrived,
        breakpoint: "shell".to_owned(),
        since: NOW - 1_000,
        until: NOW + 289_000,
        on_timeout: "pass".to_owned(),
        choices: choices.iter().map(|word| (*word).to_owned()).collect(),
    }
}

const TOOL_CHOICES: [&str; 7] = ["observe", "allow", "deny", "ask", "modify", "replace", "halt"];

fn payload_of(command: &str) -> String {
    let input = serde_json::json!({ "command": command, "timeout": 1000 });
    let payload = serde_json::json!({
        "session_id": "5f1c", "transcript_path": "/tmp/t.jsonl", "cwd": PROJECT, "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": input, "tool_use_id": "toolu_01",
    });
    payload.to_string()
}

/// A screen that receives agents' events.
struct LiveScreen(TestScreen);

impl StatefulScreen for LiveScreen {
    fn screen(&self) -> &TestScreen {
        &self.0
    }

    fn screen_mut(&mut self) -> &mut TestScreen {
        &mut self.0
    }
}

impl LiveScreen {
    fn off(size: (u16, u16), theme: Theme) -> LiveScreen {
        let mut screen = TestScreen::with(size, "claude", sample_files(), theme, false);
        screen.model.now_ms = NOW;
        LiveScreen(screen)
    }

    fn serving(size: (u16, u16), theme: Theme) -> LiveScreen {
        let mut live = LiveScreen::off(size, theme);
        live.0.keys("C");
        live.tell(LiveFact::Serving { socket: "/run/user/1000/hookbench/hookbench.sock".to_owned(), pid: 4711 });
        live
    }

    /// Reports a fact. The user reacts to it a second later.
    fn tell(&mut self, fact: LiveFact) -> &mut LiveScreen {
        self.tell_now(fact);
        self.wait(1_000)
    }

    /// Reports a fact; the next key comes at the same moment.
    fn tell_now(&mut self, fact: LiveFact) -> &mut LiveScreen {
        self.0.fact(Fact::Live(Box::new(fact)));
        self
    }

    /// Lets time pass on the clock of the model.
    fn wait(&mut self, ms: u64) -> &mut LiveScreen {
        self.0.model.now += std::time::Duration::from_millis(ms);
        self
    }

    fn arrive(&mut self, fact: ArrivedFact) -> &mut LiveScreen {
        self.tell(LiveFact::Arrived(fact))
    }

    /// Adds a held event with its payload.
    fn hold(&mut self, seq: u64, command: &str) -> &mut LiveScreen {
        self.hold_until(seq, command, "pass")
    }

    /// Adds a held event with this announced answer.
    fn hold_until(&mut self, seq: u64, command: &str, on_timeout: &str) -> &mut LiveScreen {
        let fact = bash(seq, command);
        let held = PendingEventFact { on_timeout: on_timeout.to_owned(), ..held(fact.clone(), &TOOL_CHOICES) };
        self.arrive(fact).tell(LiveFact::Held(held));
        self.tell(LiveFact::Payload { id: format!("0190-{seq}"), payload: Some(payload_of(command)) })
    }

    fn answered(&mut self, seq: u64, decision: &str, source: &str) -> &mut LiveScreen {
        self.answered_now(seq, decision, source).wait(1_000)
    }

    fn answered_now(&mut self, seq: u64, decision: &str, source: &str) -> &mut LiveScreen {
        self.tell_now(LiveFact::Answered(AnsweredFact {
            id: format!("0190-{seq}"),
            decision: decision.to_owned(),
            source: source.to_owned(),
            reason: None,
            held_ms: Some(1_000),
            suppressed: None,
            stored: StorageState::Yes,
        }))
    }

    fn keys(&mut self, keys: &str) -> &mut LiveScreen {
        self.0.keys(keys);
        self
    }

    /// Takes the jobs for the live path since the last call.
    fn asked(&mut self) -> Vec<LiveJob> {
        let asks = std::mem::take(&mut self.0.asks);
        let jobs = asks.into_iter().flat_map(|ask| if let LoopRequest::Jobs(jobs) = ask { jobs } else { Vec::new() });
        jobs.filter_map(|job| if let Job::Live(job) = job { Some(job) } else { None }).collect()
    }

    fn told(&mut self) -> Vec<LiveCommand> {
        self.asked()
            .into_iter()
            .filter_map(|job| if let LiveJob::Send(told) = job { Some(told) } else { None })
            .collect()
    }

    fn text(&self) -> String {
        self.0.text()
    }

    fn says(&self, what: &str) {
        assert!(self.text().contains(what), "no {what:?} in\n{}", self.text());
    }
}

fn decide(seq: u64, decision: Decision) -> LiveCommand {
    LiveCommand::Decide { id: format!("0190-{seq}"), decision }
}

#[test]
fn pictures_of_what_is_held() {
    let states: [ScreenState<LiveScreen>; 11] = [
        ("live-off", |size, theme| {
            let mut live = LiveScreen::off(size, theme);
            live.keys("i");
            live
        }),
        ("live-banner", |size, theme| {
            let mut live = LiveScreen::serving(size, theme);
            live.hold(1, "rm -rf build").hold(2, "git push --force");
            live.0.model.now_ms = NOW + 41_000;
            live.0.model.toast = None;
            live
        }),
        ("live-held", |size, theme| {
            let mut live = LiveScreen::serving(size, theme);
            live.hold(1, "rm -rf build").hold(2, "git push --force").keys("i");
            live
        }),
        ("live-hostile", |size, theme| {
            let mut live = LiveScreen::serving(size, theme);
            live.hold(1, HOSTILE).keys("i Tab");
            live
        }),
        ("live-greyed", |size, theme| {
            let mut live = LiveScreen::serving(size, theme);
            let fact = arrived(1, "Stop", "stop", None, "done");
            live.arrive(fact.clone()).tell(LiveFact::Held(held(fact, &["observe", "deny", "replace"])));
            live.keys("i Down");
            live
        }),
        ("live-modify", |size, theme| {
            let mut live = LiveScreen::serving(size, theme);
            live.hold(1, "rm -rf build").keys("i m C-u");
            live.0.type_text(r#"{"command":"rm -r build","timeout":1000}"#);
            live.keys("Enter Enter");
            live
        }),
        ("live-attached", |size, theme| {
            let mut live = LiveScreen::off(size, theme);
            live.keys("C").tell(LiveFact::Attached { socket: "/run/h.sock".to_owned(), pid: 912 });
            live.hold(1, "rm -rf build").keys("i");
            live
        }),
        ("live-deny", |size, theme| {
            let mut live = LiveScreen::serving(size, theme);
            live.hold(1, "git push --force").keys("i d").0.type_text("not on a Friday");
            live
        }),
        ("live-quit", |size, theme| {
            let mut live = LiveScreen::serving(size, theme);
            live.hold(1, "rm -rf build").hold_until(2, "git push --force", "deny").keys("q");
            live
        }),
        ("live-refused", |size, theme| {
            let mut live = LiveScreen::off(size, theme);
            let says = "the directory /tmp/x is not used for the socket: others can write to it".to_owned();
            live.keys("C").tell(LiveFact::NotServing { says }).keys("i");
            live
        }),
        ("live-points", |size, theme| {
            let mut live = LiveScreen::serving(size, theme);
            live.keys("i e").keys("PreToolUse Space Bash Enter e").0.type_text("timeout=deny command=^git push");
            live.keys("Enter Space");
            live.arrive(bash(1, "ls")).answered(1, "observe", "default").arrive(bash(2, "rm x"));
            live.answered(2, "deny", "rule:no rm");
            live
        }),
    ];
    hold_states("", &states);
}

#[test]
fn the_header_says_whether_events_are_taken_in() {
    let mut live = LiveScreen::off((160, 40), COLOUR);
    assert!(matches!(live.keys("C").asked().as_slice(), [LiveJob::Start { .. }]));
    live.tell(LiveFact::Serving { socket: "/s".to_owned(), pid: 1 }).says("REC 00:00 no agent is connected");
    live.0.model.now_ms += 41_000;
    live.says("REC 00:41");
    live.0.model.now_ms += 3_600_000;
    live.says("REC 1:00:41");
    live.tell(LiveFact::Paused { paused: true }).says("REC 1:00:41 paused");
    live.tell(LiveFact::StoreTrouble { errors: 3, says: "no space".to_owned() }).says("REC 1:00:41 paused !");
    live.says("events are not stored: no space");
    live.tell(LiveFact::Ended);
    assert!(!live.text().contains("REC"), "{}", live.text());
    live.tell(LiveFact::Attached { socket: "/s".to_owned(), pid: 912 }).says("REC @912");
    live.tell(LiveFact::NotServing { says: "no folder".to_owned() }).says("REC !");
    live.says("no folder");
    for size in [MEDIUM, TINY] {
        LiveScreen::serving(size, MONO).says("REC 00:00");
    }
}

#[test]
fn the_first_held_event_is_on_every_page() {
    for size in [WIDE, MEDIUM, TINY] {
        let mut live = LiveScreen::serving(size, MONO);
        live.hold(1, "rm -rf build").hold(2, "ls");
        for page in ["1", "2", "3", "4", "5", "6"] {
            live.keys(page);
            let text = live.text();
            let last = text.lines().last().unwrap_or_default();
            assert!(last.contains("HELD") && last.contains("PreToolUse") && last.contains("4:49"), "{page}:\n{text}");
            assert!(last.contains("+1"), "{last}");
        }
    }
}

#[test]
fn an_answer_is_chosen_and_then_sent() {
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.hold(1, "rm -rf build").keys("i").says("❯ deny");
    live.asked();
    // The text can be written before the answer is sent.
    live.keys("e").0.type_text("not here");
    live.keys("Enter").says("not here");
    assert_eq!(live.told(), []);
    live.keys("Enter").says("deny: PreToolUse  rm -rf build");
    assert_eq!(live.told(), []);
    live.keys("Enter");
    assert_eq!(live.told(), [decide(1, Decision::Deny { reason: Some("not here".to_owned()) })]);
    live.says("sending the answer");
    // A second Enter sends nothing.
    live.wait(1_000).keys("Enter");
    assert_eq!(live.told(), []);
    // A refused answer can be sent again.
    live.tell(LiveFact::Refused { id: Some("0190-1".to_owned()), says: "no".to_owned() }).keys("Enter Enter");
    assert_eq!(live.told().len(), 1);
    live.answered(1, "deny", "user").says("answered deny: PreToolUse  rm -rf build");
    live.says("nothing is held");
}

#[test]
fn nothing_is_answered_that_was_not_chosen_for_it() {
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.hold(1, "rm -rf build").hold(2, "ls").keys("i a").says("allow: PreToolUse  rm -rf build");
    live.asked();
    // The first event times out just before the user presses Enter.
    live.answered_now(1, "observe", "timeout").says("timed out; answered observe");
    live.keys("Enter");
    assert_eq!(live.told(), []);
    live.says("❯ deny");
    // An earlier event does not replace the shown one.
    live.wait(1_000).hold(3, "pwd").keys("}").says("2 of 2 held");
    live.hold(0, "first").says("3 of 3 held");
}

#[test]
fn another_input_is_shown_before_it_is_sent() {
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.hold(1, "rm -rf build").keys("i m").says("New input");
    live.keys("C-u").0.type_text("[1]");
    live.keys("Enter").says("the input must be a JSON object");
    live.keys("C-u").0.type_text("{\"command\":");
    live.keys("Enter");
    assert_eq!(live.0.model.popups.len(), 1, "what is no JSON is not taken");
    live.keys("C-u").0.type_text(r#"{"command":"rm -r build","timeout":1000}"#);
    live.asked();
    live.keys("Enter").says("2 lines differ");
    live.keys("Enter").says("Continue with this input?");
    live.says("-   \"command\": \"rm -rf build\",");
    live.says("+   \"command\": \"rm -r build\",");
    assert_eq!(live.told(), []);
    live.keys("Esc");
    assert_eq!(live.told(), []);
    live.keys("Enter Y");
    let updated_input = RawJson::parse(r#"{"command":"rm -r build","timeout":1000}"#).unwrap();
    assert_eq!(live.told(), [decide(1, Decision::Modify { updated_input, reason: None })]);
}

#[test]
fn the_editor_edits_the_input_and_nothing_else() {
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.hold(1, "rm -rf build").keys("i");
    live.asked();
    live.keys("E");
    let edit = live
        .0
        .asks
        .iter()
        .find_map(|ask| if let LoopRequest::EditPayload(text) = ask { Some(text.clone()) } else { None });
    assert_eq!(edit.as_deref(), Some("{\n  \"command\": \"rm -rf build\",\n  \"timeout\": 1000\n}\n"));
    let before = live.0.model.session.payload_revision();
    live.0.send(Msg::Edited("{\"command\": \"ls\"}\n".to_owned()));
    assert_eq!(live.0.model.session.payload_revision(), before, "the bench is as it was");
    live.says("3 lines differ");
    live.keys("E");
    live.0.send(Msg::Edited("nonsense".to_owned()));
    live.says("not taken");
    live.says("3 lines differ");
    // An unchanged text is not mistaken for the next edit.
    live.keys("E");
    live.0.send(Msg::Message("no change".to_owned()));
    live.0.send(Msg::Edited(payload_of("pwd")));
    assert_ne!(live.0.model.session.payload_revision(), before);
}

#[test]
fn unsupported_answers_are_skipped_with_a_reason() {
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    let fact = arrived(1, "Stop", "stop", None, "done");
    live.arrive(fact.clone()).tell(LiveFact::Held(held(fact, &["observe", "replace"]))).keys("i");
    live.says("ask       no: Claude Code does not support ask on Stop");
    live.says("deny      no: the waiting hook does not support deny");
    live.keys("d").says("deny cannot be answered: the waiting hook does not support deny");
    live.asked();
    live.keys("r").0.type_text("look again");
    live.keys("Enter");
    assert_eq!(live.told(), [decide(1, Decision::Replace { content: "look again".to_owned() })]);
}

#[test]
fn all_go_on_with_one_key_and_holding_pauses_with_one() {
    let mut live = LiveScreen::serving(MEDIUM, COLOUR);
    live.hold(1, "a").hold(2, "b").keys("3");
    live.asked();
    live.keys("C Enter C pause Enter");
    assert_eq!(live.told(), [LiveCommand::ReleaseAll, LiveCommand::Pause(true)]);
    live.tell(LiveFact::Paused { paused: true }).keys("C resume Enter");
    assert_eq!(live.told(), [LiveCommand::Pause(false)]);
    // Capture cannot be stopped while events are held.
    live.keys("C stop").says("no match");
    live.keys("Esc");
    live.answered(1, "observe", "user").answered(2, "observe", "user").keys("C stop Enter");
    assert_eq!(live.told(), [LiveCommand::Shutdown]);
}

#[test]
fn where_another_process_serves_it_decides() {
    let mut live = LiveScreen::off(WIDE, COLOUR);
    live.keys("C").tell(LiveFact::Attached { socket: "/s".to_owned(), pid: 912 });
    live.hold(1, "rm -rf build").keys("i");
    live.asked();
    live.says("only process 912 can decide; s enters its token");
    live.keys("C Enter C pause Enter");
    assert_eq!(live.told(), []);
    live.keys("Enter").0.type_text("abcdef");
    live.keys("Enter");
    assert_eq!(live.told(), [LiveCommand::Bearer(BearerToken("abcdef".to_owned()))]);
    assert!(!format!("{:?}", LiveCommand::Bearer(BearerToken("abcdef".to_owned()))).contains("abcdef"));
    live.keys("o Y");
    assert_eq!(live.told(), [decide(1, Decision::Observe)]);
    live.hold(2, "ls");
    live.asked();
    live.keys("C Enter");
    assert_eq!(live.told(), [LiveCommand::ReleaseAll]);
    live.tell(LiveFact::Ended).says("the server, process 912, has ended");
    // After detaching, later facts of the other process are not shown.
    live.keys("C").tell(LiveFact::Attached { socket: "/s".to_owned(), pid: 912 }).hold(3, "pwd");
    live.asked();
    live.keys("C stop Enter").tell(LiveFact::Ended);
    assert_eq!(live.told(), [LiveCommand::Shutdown]);
    assert_eq!(live.0.model.session.live().connection, LiveConnection::Off);
    assert!(live.0.model.session.live().pending.is_empty());
}

#[test]
fn breakpoints_are_added_switched_and_removed() {
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.asked();
    live.keys("i e").0.type_text("SessionStart");
    live.keys("Enter").says("SessionStart cannot be held");
    live.keys("C-u").0.type_text("hold PreToolUse Bash");
    live.keys("Enter").says("PreToolUse Bash");
    live.asked();
    let mut set = |keys: &str| {
        live.keys(keys);
        match live.told().as_slice() {
            [LiveCommand::SetBreakpoints(points)] => {
                points.iter().map(|point| (point.name.clone(), point.enabled)).collect::<Vec<_>>()
            }
            other => panic!("{keys}: {other:?}"),
        }
    };
    assert_eq!(set("Space"), [("PreToolUse Bash".to_owned(), false)]);
    assert_eq!(set("Enter"), [("PreToolUse Bash".to_owned(), true)]);
    assert_eq!(set("x"), []);
    live.says("no breakpoint, so nothing is held");
}

#[test]
fn an_event_is_in_the_list_once() {
    let mut live = LiveScreen::serving(MEDIUM, COLOUR);
    live.keys("3").arrive(bash(1, "cargo test")).answered(1, "observe", "default");
    assert_eq!(live.text().matches("cargo test").count(), 1, "{}", live.text());
    live.hold(2, "git push");
    let rows = live.text();
    assert_eq!(
        rows.lines().filter(|line| line.contains("git push") && !line.starts_with(" HELD")).count(),
        1,
        "{rows}"
    );
}

/// If an event is held while the user views breakpoints, it can be answered at once, after choosing an answer.
#[test]
fn an_agent_that_waits_comes_before_breakpoints() {
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.keys("i e").0.type_text("PreToolUse");
    live.keys("Enter").says("PreToolUse");
    live.hold(1, "ls");
    live.asked();
    live.keys("Enter").says("deny: PreToolUse  ls");
    live.keys("Enter");
    assert_eq!(live.told(), [decide(1, Decision::Deny { reason: None })]);
    live.wait(1_000);
    // Breakpoints are two panes further, and Esc returns to the answers.
    live.keys("Tab Tab").says("the first match counts");
    live.keys("Esc").says("1 of 1 held");
    live.answered(1, "observe", "user").says("the first match counts");
}

/// The store has the first event but not the second. Each is shown once.
#[test]
fn answers_are_listed_beside_the_hooks_verdict() {
    let kept = event(1, "claude", "PreToolUse", Some("Bash"), "rm -rf build", None);
    let mut desk = RecordedScreen::with(WIDE, COLOUR, Some(&[kept]));
    let mut tell = |fact| desk.screen.fact(Fact::Live(Box::new(fact)));
    tell(LiveFact::Serving { socket: "/s".to_owned(), pid: 1 });
    for (id, command) in [("e1", "rm -rf build"), ("e9", "git push")] {
        tell(LiveFact::Arrived(ArrivedFact { id: id.to_owned(), ..bash(1, command) }));
    }
    tell(LiveFact::Answered(AnsweredFact {
        id: "e1".to_owned(),
        decision: "deny".to_owned(),
        source: "user".to_owned(),
        reason: Some("not here".to_owned()),
        held_ms: Some(1_000),
        suppressed: None,
        stored: StorageState::Yes,
    }));
    desk.answer_requests();
    desk.assert_shows(&["answer   deny by user   not here", "would run too: unknown until run"]);
    let text = desk.text();
    let rows: Vec<&str> = text.lines().filter(|line| line.contains(" 11-20 14:31:0")).collect();
    assert_eq!(rows.len(), 2, "{text}");
    assert!(rows[0].contains("rm -rf build") && rows[0].contains("deny by user"), "{text}");
    assert!(rows[1].contains("git push") && rows[1].contains("waits") && rows[1].contains("live"), "{text}");
}

#[test]
fn what_is_held_can_be_put_on_the_bench_and_fired_there() {
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.hold(1, "rm -rf build").keys("i").says("would run too: unknown until run");
    live.keys("b").says("from a running agent");
    live.says("HELD");
    live.keys("i f").says("Run these");
    assert!(live.0.started.is_empty(), "nothing runs before its user has said yes");
}

#[test]
fn clients_of_the_socket_cannot_command_the_session() {
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.asked();
    let update = live
        .0
        .model
        .session
        .apply(Command::Live(LiveRequest::Decide { id: "gone".to_owned(), decision: Decision::Observe }));
    assert_eq!(update.jobs, []);
    assert_eq!(update.effects, [SessionEffect::Message("this event is no longer held".to_owned())]);
}

/// A letter opens a line for the reason, so that a reason typed at once is a reason; the next Enter sends the answer.
#[test]
fn letters_answer_and_what_is_typed_after_them_is_the_reason() {
    let reason = |text: &str| Some(text.to_owned());
    for (letter, decision) in [
        ("a", Decision::Allow { reason: reason("q: Ann, said so!") }),
        ("d", Decision::Deny { reason: reason("q: Ann, said so!") }),
        ("u", Decision::Ask { reason: reason("q: Ann, said so!") }),
        ("h", Decision::Halt { reason: reason("q: Ann, said so!") }),
        ("r", Decision::Replace { content: "q: Ann, said so!".to_owned() }),
    ] {
        let mut live = LiveScreen::serving(WIDE, COLOUR);
        live.hold(1, "git push").keys("i");
        live.asked();
        live.keys(letter).0.type_text("q: Ann, said so!");
        assert_eq!(live.told(), [], "{letter}");
        live.keys("Enter");
        assert_eq!(live.told(), [decide(1, decision)], "{letter}");
    }
    // What lets the event continue without a line is asked, and Enter does not agree.
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.hold(1, "git push").keys("i");
    live.asked();
    live.keys("o Enter").says("Let it continue as without a hook?");
    assert_eq!(live.told(), []);
    live.keys("Y");
    assert_eq!(live.told(), [decide(1, Decision::Observe)]);
}

/// The answer that does the least harm is chosen at first: no number of accidental Enters lets a command run.
#[test]
fn the_cursor_begins_on_the_safest_answer() {
    for (event, wire, choices, safest) in [
        ("PreToolUse", "pre_tool_use", TOOL_CHOICES.as_slice(), "deny"),
        ("PreToolUse", "pre_tool_use", &["observe", "allow", "ask"], "ask"),
        ("PermissionRequest", "permission_request", &["observe", "allow", "deny"], "deny"),
        ("Stop", "stop", &["observe", "deny", "replace"], "observe"),
        ("PostToolUse", "post_tool_use", &["observe", "deny"], "observe"),
    ] {
        let mut live = LiveScreen::serving(WIDE, COLOUR);
        let fact = arrived(1, event, wire, Some("Bash"), "ls");
        live.arrive(fact.clone()).tell(LiveFact::Held(held(fact, choices))).keys("i");
        live.says(&format!("❯ {safest}"));
    }
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.hold(1, "git push --force").keys("i");
    live.asked();
    live.keys("Enter Enter Enter Enter");
    assert_eq!(live.told(), [decide(1, Decision::Deny { reason: None })]);
}

/// A key that was meant for one event neither answers another nor runs as a command, until no key was pressed for half
/// a second.
#[test]
fn keys_are_ignored_after_the_event_has_changed() {
    let begin = || {
        let mut live = LiveScreen::serving(WIDE, COLOUR);
        live.hold(1, "rm -rf build").hold(2, "git push --force").keys("i");
        live.asked();
        live
    };
    let mut live = begin();
    live.answered_now(1, "observe", "timeout").says("keys pause");
    // Text for the first event goes nowhere, however long it is typed.
    for key in ["a", "Enter", "f", "x", "Space", "C", "Enter", "3"] {
        live.wait(400).keys(key);
    }
    live.0.send(Msg::Paste("pasted".to_owned()));
    assert_eq!((live.told(), live.0.model.popups.len()), (vec![], 0));
    live.says("1 of 1 held");
    live.wait(499).says("keys pause");
    live.wait(1);
    assert!(!live.text().contains("keys pause"), "{}", live.text());
    live.keys("d Enter");
    assert_eq!(live.told(), [decide(2, Decision::Deny { reason: None })]);
    // After the answer is sent, too.
    live.keys("3 q").says("1 of 1 held");
    assert!(!live.0.asks.contains(&LoopRequest::Quit));
    // An event that takes the focus by itself is not answered by a key that was pressed before it came.
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    live.keys("i");
    let fact = bash(1, "ls");
    live.arrive(fact.clone());
    live.asked();
    live.tell_now(LiveFact::Held(held(fact, &TOOL_CHOICES))).keys("Enter Enter");
    assert_eq!((live.told(), live.0.model.popups.len()), (vec![LiveCommand::Payload { id: "0190-1".to_owned() }], 0));
    // A line about an event that ends is closed, and the rest of the text is no command.
    let mut live = begin();
    live.keys("a").0.type_text("becau");
    live.answered_now(1, "observe", "timeout").0.type_text("se q");
    live.keys("Enter");
    assert_eq!((live.told(), live.0.model.popups.len()), (vec![], 0));
    assert!(!live.0.asks.contains(&LoopRequest::Quit));
}

/// Every way to quit names what is held and the answer that it gets, and does nothing before the user agrees.
#[test]
fn quitting_says_what_becomes_of_held_events() {
    for keys in ["q", "C-c"] {
        for size in [WIDE, MEDIUM, TINY] {
            let mut live = LiveScreen::serving(size, COLOUR);
            live.hold_until(1, "git push --force", "deny").keys(keys);
            live.says("held: PreToolUse  Bash  git push");
            live.says("quitting answers deny: it is");
            assert!(!live.0.asks.contains(&LoopRequest::Quit), "{keys}");
            live.keys("n");
            assert!(!live.0.asks.contains(&LoopRequest::Quit), "{keys}");
            live.keys(keys).keys("Y");
            assert!(live.0.asks.contains(&LoopRequest::Quit), "{keys}");
        }
    }
    let mut live = LiveScreen::serving(WIDE, COLOUR);
    for seq in 1..=5 {
        live.hold(seq, "ls");
    }
    live.keys("q").says("and 2 more held events, each with its announced answer");
    // Another process keeps holding them.
    let mut live = LiveScreen::off(WIDE, COLOUR);
    live.keys("C").tell(LiveFact::Attached { socket: "/s".to_owned(), pid: 912 });
    live.hold(1, "ls").keys("q");
    assert!(live.0.asks.contains(&LoopRequest::Quit));
}

/// Words that stand before a field are not doubled when they are typed again.
#[test]
fn a_prefix_stands_outside_the_field() {
    for typed in ["PreToolUse Bash", "hold PreToolUse Bash", "  hold  PreToolUse Bash"] {
        let mut live = LiveScreen::serving(WIDE, COLOUR);
        live.keys("i e").says("hold ");
        live.0.type_text(typed);
        live.asked();
        live.keys("Enter");
        match live.told().as_slice() {
            [LiveCommand::SetBreakpoints(points)] => assert_eq!(points[0].name, "PreToolUse Bash", "{typed}"),
            other => panic!("{typed}: {other:?}"),
        }
    }
    let input_after = |typed: &str| {
        let mut screen = TestScreen::with(WIDE, "claude", sample_files(), COLOUR, false);
        screen.keys("s").type_text(typed).keys("Enter");
        screen.model.session.bench().body().unwrap()["tool_input"].clone()
    };
    for (typed, want) in
        [("git push", "git push"), ("tool_input.command=git push", "git push"), ("FOO=1 make", "FOO=1 make")]
    {
        assert_eq!(input_after(typed)["command"], want, "{typed}");
    }
    let input = input_after("tool_input.timeout=5");
    assert_eq!((&input["timeout"], &input["command"]), (&5.into(), &"rm -rf build".into()));
}

#[test]
fn the_header_has_a_tab_for_what_is_held() {
    for (size, shown) in [(WIDE, "i Intercept 2"), (MEDIUM, "iIntercept!2"), (screen::SMALL, "i!2")] {
        let mut live = LiveScreen::serving(size, MONO);
        assert!(!live.text().contains(shown), "{}", live.text());
        live.hold(1, "rm -rf build").hold(2, "ls");
        let text = live.text();
        assert!(text.lines().next().unwrap().contains(shown), "{size:?}:\n{text}");
    }
}
