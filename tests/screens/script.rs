//! The script of a hook: its tab, the way there from the question of consent, and the trial of a hook whose answer is unknown.

use std::sync::Arc;

use hookbench::app::lint::HookObservation;
use hookbench::app::{Fact, Job, Task, TaskUpdate};
use hookbench::core::diagnostic::{Code, Diagnostic};
use hookbench::tui::{LoopRequest, Theme};

use crate::screen::{COLOUR, MEDIUM, MONO, PROJECT, SMALL, TestScreen, WIDE, picture_at, sample_files};
use crate::screen_states::{ScreenState, hold_states};

const STATES: [ScreenState; 2] = [
    ("script-decided", |size, theme| {
        let mut screen = TestScreen::with(size, "claude", sample_files(), theme, true).with_lint("");
        screen.keys("f");
        let says = "refusing: rm -rf outside a scratch directory: build (scratch/ is fine)\n";
        screen.report(|hook| if hook == "guard.sh" { (2, "", says) } else { (0, "", "") });
        screen.keys("w ]");
        screen
    }),
    ("script-tried", |size, theme| {
        let mut screen = in_perl(size, theme);
        try_hook(&mut screen);
        screen
    }),
];

const PERL: &str =
    "#!/usr/bin/perl\nmy $text = join '', <STDIN>;\nprint '{\"decision\": \"reject\"}' if $text =~ /rm -rf/;\n";

/// A hook in a language that is not read, with the script's tab open.
fn in_perl(size: (u16, u16), theme: Theme) -> TestScreen {
    let mut files = sample_files();
    let hook = r#"{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/hooks/guard.pl"}"#;
    let settings = format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{hook}]}}]}}}}"#);
    files.put(format!("{PROJECT}/.claude/settings.json"), settings);
    files.put(format!("{PROJECT}/hooks/guard.pl"), PERL);
    files.put("/usr/bin/perl", "#!");
    let mut screen = TestScreen::with(size, "claude", files, theme, false).with_lint("");
    screen.keys("w ]");
    screen
}

fn trial(screen: &TestScreen) -> Option<&hookbench::app::LintTrial> {
    let jobs = screen.asks.iter().filter_map(|ask| if let LoopRequest::Jobs(jobs) = ask { Some(jobs) } else { None });
    jobs.flatten().find_map(|job| {
        if let Job::Task { task: Task::TryHook(trial), .. } = job { Some(trial.as_ref()) } else { None }
    })
}

/// Tries the hook with the key, agrees, and reports that its answer was rejected.
fn try_hook(screen: &mut TestScreen) {
    screen.keys("x Y");
    let trial = trial(screen).expect("a trial").clone();
    let script = trial.script.map(|script| (script.path, hookbench::core::recorded::digest(script.text.as_bytes())));
    let observed = HookObservation {
        agent: trial.request.dialect.id(),
        definition: trial.request.definition.clone(),
        loaded: Arc::clone(&trial.request.loaded),
        script,
        message: "not checked on `rm -rf build`: exit 0".to_owned(),
        line: Some(3),
        found: vec![Diagnostic::new(Code::HW624, "the answer is rejected: `decision` must be \"block\"")],
    };
    screen.fact(Fact::Task { number: 1, update: TaskUpdate::HookObserved(Ok(Box::new(observed))) });
    screen.load();
}

#[test]
fn every_state_of_a_script_on_every_terminal() {
    hold_states("", &STATES);
}

/// The tab begins at the line that decided, and says which keys of the payload the script reads.
#[test]
fn the_line_that_decided_is_marked() {
    for size in [WIDE, MEDIUM, SMALL] {
        for theme in [COLOUR, MONO] {
            let screen = STATES[0].1(size, theme);
            let text = screen.text();
            let line = text.lines().find(|line| line.contains("■ 90")).unwrap_or_else(|| panic!("{text}"));
            assert!(line.contains("refuse \"rm -rf"), "{line}");
            assert!(text.contains("✓ tool_input.command"), "{text}");
            assert!(size == SMALL || text.contains("decided: deny, exit 2"), "{text}");
        }
    }
}

/// A search moves through the script and never finds line numbers.
#[test]
fn a_script_is_searched_like_a_stream() {
    let mut screen = STATES[0].1(MEDIUM, COLOUR);
    screen.keys("Tab / scratch/* Enter");
    assert!(screen.text().contains("1 of 1"), "{}", screen.text());
    screen.keys("Esc / 90 Enter");
    assert!(screen.text().contains("not found"), "{}", screen.text());
}

/// Whoever reads the script in the question still has to answer it.
#[test]
fn the_question_of_consent_opens_the_script() {
    let mut screen = TestScreen::with(MEDIUM, "claude", sample_files(), COLOUR, false);
    screen.keys("f");
    assert!(screen.text().contains("Enter read script"), "{}", screen.text());
    screen.keys("Enter");
    let text = screen.text();
    assert!(text.contains("hooks/guard.sh") && text.contains(" 1  #!/bin/sh") && !text.contains("Y run"), "{text}");
    picture_at("script-asked", MEDIUM, text);
    screen.keys("Y Esc");
    assert!(screen.started.is_empty() && screen.text().contains("Y run"), "{}", screen.text());
    screen.keys("Y");
    assert_eq!(screen.started.len(), 3, "{}", screen.text());
}

/// A script cannot hide or colour its lines.
#[test]
fn escape_sequences_of_a_script_are_shown() {
    let mut files = sample_files();
    files.put(format!("{PROJECT}/hooks/guard.sh"), "#!/bin/sh\n\u{1b}[8mrm x\u{1b}[0m\recho y\r\n");
    let mut screen = TestScreen::with(WIDE, "claude", files, COLOUR, false);
    screen.keys("w ]");
    assert!(screen.text().contains("2  ^[[8mrm x^[[0m^Mecho y"), "{}", screen.text());
}

/// The key for fixes tries a hook whose answer reading cannot tell, and the real answer is judged at its step.
#[test]
fn a_trial_judges_the_real_answer() {
    let mut screen = in_perl(WIDE, COLOUR);
    assert!(screen.text().contains("? unknown: hookbench does not read perl   x try it once"), "{}", screen.text());
    screen.keys("x");
    assert!(screen.text().contains("Try this command, in a copy of the project?"), "{}", screen.text());
    screen.keys("n");
    assert!(trial(&screen).is_none());
    try_hook(&mut screen);
    assert!(trial(&screen).is_some_and(|trial| trial.request.contain));
    let text = screen.text();
    assert!(text.contains("■  3") && text.contains("error HW624 the answer is rejected"), "{text}");
    screen.keys("w");
    let text = screen.text();
    let started = text.lines().find(|line| line.contains("10 started")).unwrap_or_else(|| panic!("{text}"));
    assert!(started.contains("NO") && text.contains("tried in a copy of the project"), "{text}");
    // A changed script is another one.
    screen.save("hooks/guard.pl", "#!/usr/bin/perl\nexit 0;\n");
    assert!(screen.text().contains("not run yet; its answer is unknown"), "{}", screen.text());
}
