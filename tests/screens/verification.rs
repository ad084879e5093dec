//! `V`: the comparison of the event on the bench with the installed agent, from the question to the result.

use hookbench::app::{Fact, RunState, TaskUpdate, VerificationUpdate};
use hookbench::core::calibration::NotedRun;
use hookbench::core::hook::Handler;
use hookbench::core::model_interface::ModelRequest;
use hookbench::core::run::Launch;
use hookbench::core::verification::{VerifiedSession, hook_name};
use hookbench::tui::Theme;
use serde_json::{Value, json};

use crate::screen::{MEDIUM, TestScreen, sample_files};
use crate::screen_states::{ScreenState, hold_states};

const STATES: [ScreenState; 5] = [
    ("verification-running", asked),
    ("verification-agrees", |size, theme| verified(size, theme, 2)),
    ("verification-differs", |size, theme| verified(size, theme, 0)),
    ("verification-fails", |size, theme| {
        let mut screen = asked(size, theme);
        screen.fact(Fact::Task { number: 1, update: TaskUpdate::Verification(VerificationUpdate::Prepared) });
        screen.report(answer);
        let why = "the agent neither ran a hook nor asked its model; it printed: Please run /login";
        screen.fact(Fact::Task {
            number: 1,
            update: TaskUpdate::Verification(VerificationUpdate::Failed(why.to_owned())),
        });
        screen
    }),
    ("verification-on-bench", |size, theme| {
        let mut screen = verified(size, theme, 0);
        screen.keys("Esc");
        screen
    }),
];

fn answer(label: &str) -> (i32, &'static str, &'static str) {
    if label == "guard.sh" { (2, "", "rm -rf needs a path below build") } else { (0, "", "") }
}

/// A screen on which the agent runs.
fn asked(size: (u16, u16), theme: Theme) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", sample_files(), theme, false);
    screen.keys("V");
    assert!(screen.text().contains("Y run"), "{}", screen.text());
    screen.keys("Y");
    screen
}

/// A screen with the result of a session in which guard.sh ended with this status.
fn verified(size: (u16, u16), theme: Theme, status: i32) -> TestScreen {
    let mut screen = asked(size, theme);
    screen.fact(Fact::Task { number: 1, update: TaskUpdate::Verification(VerificationUpdate::Prepared) });
    screen.report(answer);
    let session = session(&screen, status);
    screen
        .fact(Fact::Task { number: 1, update: TaskUpdate::Verification(VerificationUpdate::Ended(Box::new(session))) });
    screen
}

/// The session of an agent in which the hooks of the last firing ran as here, but for the status of guard.sh.
fn session(screen: &TestScreen, status: i32) -> VerifiedSession {
    let record = screen.model.session.history().newest_record().unwrap();
    let noted = record.runs.iter().filter_map(|run| {
        let definition = record.loaded.definition(&run.hook)?;
        let (Handler::Command(handler), Launch::Process(spec)) = (&definition.handler, &run.launch) else {
            return None;
        };
        let code = if definition.label() == "guard.sh" { status } else { 0 };
        assert!(matches!(run.state, RunState::Ended(_)));
        Some(NotedRun {
            hook: hook_name(handler),
            stdin: serde_json::from_slice(&spec.stdin).unwrap(),
            environment: spec.env.pairs().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            finished: true,
            exit: Some(format!("exit {code}")),
        })
    });
    let told = if status == 2 { "hook error: [guard.sh]: rm -rf needs a path below build" } else { "removed" };
    let message = |role: &str, text: &str| json!({ "role": role, "content": text });
    let first = json!([Value::Null, [message("user", "run it")]]);
    let second = json!([Value::Null, [message("user", "run it"), message("user", told)]]);
    let request = |turns, conversation| ModelRequest {
        tools: vec!["Bash".to_owned()],
        turns,
        opening: String::new(),
        conversation,
        streamed: true,
    };
    VerifiedSession {
        version: "2.1.331".to_owned(),
        runs: noted.map(with_entrypoint).collect(),
        requests: vec![request(0, first), request(1, second)],
        observed: status == 2,
        isolated: true,
        notes: vec!["the agent completes the input of the tool: /tool_input/description is \"d\"".to_owned()],
    }
}

/// The variable by which this agent's hooks see that there is no terminal.
fn with_entrypoint(run: NotedRun) -> NotedRun {
    let mut environment = run.environment;
    if let Some(entrypoint) = environment.get_mut("CLAUDE_CODE_ENTRYPOINT") {
        "sdk-cli".clone_into(entrypoint);
    }
    NotedRun { environment, ..run }
}

#[test]
fn every_state_of_a_verification_on_every_terminal() {
    hold_states("", &STATES);
}

#[test]
fn v_shows_the_result_again_and_a_new_firing_forgets_it() {
    let mut screen = verified(MEDIUM, Theme { colour: false, unicode: true }, 2);
    assert!(screen.text().contains("The model was told"), "{}", screen.text());
    assert!(!screen.text().contains("running Claude Code"), "{}", screen.text());
    screen.keys("Esc");
    assert!(!screen.text().contains("The model was told") && screen.text().contains("AGREES"), "{}", screen.text());
    screen.keys("V");
    assert!(screen.text().contains("The model was told"), "{}", screen.text());
    screen.keys("Esc f");
    screen.report(answer);
    assert!(!screen.text().contains("AGREES"), "{}", screen.text());
}

#[test]
fn control_c_stops_the_agent() {
    let mut screen = asked(MEDIUM, Theme { colour: false, unicode: true });
    screen.control('c');
    assert!(screen.text().contains("the verification is cancelled"), "{}", screen.text());
    assert!(screen.model.session.verifying().is_none());
}
