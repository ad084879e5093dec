//! Output of misbehaving hooks on the screen: driven by keys, at three sizes.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use std::time::Duration;

use hookbench::app::Fact;
use hookbench::core::config::MemoryFiles;
use hookbench::core::run::{Exit, RunReport, Stream, Timing};
use hookbench::tui::Theme;
use screen::{MEDIUM, PROJECT, TINY, TestScreen, WIDE, picture, picture_at};

const COLOUR: Theme = Theme { colour: true, unicode: true };

// Values that depend on the clock: the time of a run.
/// A project with one hook whose command has a variable, a space and an argument.
fn project() -> MemoryFiles {
    let handler = r#"{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/my hooks/talk.sh --all", "timeout": 5}"#;
    let settings = format!("{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"Bash\", \"hooks\": [{handler}]}}]}}}}");
    let mut files = MemoryFiles::default();
    files.put(format!("{PROJECT}/.claude/settings.json"), settings);
    files.put("/bin/sh", "#!");
    files
}

/// A screen whose hook runs and has written this output.
fn running(size: (u16, u16), theme: Theme, stdout: &[u8]) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", project(), theme, true);
    screen.keys("f");
    let (firing, request) = screen.started.first().cloned().unwrap();
    screen.begin(firing, request.run);
    write(&mut screen, stdout);
    screen
}

fn write(screen: &mut TestScreen, stdout: &[u8]) {
    let (firing, request) = screen.started.first().cloned().unwrap();
    for bytes in stdout.chunks(64 << 10) {
        let (stream, bytes) = (Stream::Stdout, bytes.to_vec());
        screen.fact(Fact::Output { firing, run: request.run, stream, bytes, skipped: 0, at: Duration::ZERO });
    }
}

fn end(screen: &mut TestScreen, code: i32, stdout: &[u8]) {
    let (firing, request) = screen.started.remove(0);
    let mut report = RunReport::new(request.run, Exit::Code(code), stdout, "");
    report.timing = Timing { started: Duration::from_millis(1), ended: Duration::from_millis(39) };
    report.stdin_read = 400;
    screen.fact(Fact::Ended { firing, report: Box::new(report) });
}

const NOISE: &[u8] = b"\x1b]0;a title\x07\x1b[1mchecking\x1b[0m the \x1b[38;5;208mworkspace\x1b[0m\n\
    \x1b[2J\x1b[H\x1b]52;c;cm0gLXJm\x07 nothing of this is obeyed\n\
    [##        ]  20 %\r[#####     ]  50 %\r[##########] 100 %\n\
    \x1b[31merror\x1b[0m: 3 files\tand a tab\n\
    \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7 and \xff\xfe are bytes\n\
    a long line, because paths are long: /home/dev/shop/node_modules/.cache/one/two/three/four/five/six/seven/index.js\n\
    \x1b[7mreversed\x1b[27m \x1b[4munderlined\x1b[0m \x1b[30mblack\x1b[0m\n";

#[test]
fn noise_is_shown_and_not_obeyed() {
    for size in [WIDE, MEDIUM, TINY] {
        let mut screen = running(size, COLOUR, NOISE);
        screen.keys("Enter");
        end(&mut screen, 0, NOISE);
        screen.keys("] [");
        let text = screen.text();
        assert!(!text.contains('\u{1b}') && (size == TINY || text.contains("2 rewrites")), "{text}");
        picture_at("noise", size, text);
        if size == MEDIUM {
            picture("noise-80x24-styles", screen.styles());
        }
    }
    let mut bare = running(MEDIUM, Theme { colour: false, unicode: false }, NOISE);
    bare.keys("Enter");
    let styles = bare.styles();
    assert!(styles.contains('b') && !styles.contains(['r', 'q', 'c', 'm']), "attributes without colours:\n{styles}");
}

#[test]
fn three_ways_to_show_bytes() {
    let mut screen = running(MEDIUM, COLOUR, NOISE);
    screen.keys("Enter g v");
    assert!(screen.text().contains("unwrapped"));
    screen.keys("l l");
    picture("unwrapped-80x24", screen.text());
    screen.keys("h h");
    assert!(screen.text().contains("checking the"), "back at the first column");
    screen.keys("v");
    picture("hex-80x24", screen.text());
    screen.keys("v h");
    assert!(screen.text().contains("wrapped"));
    assert_eq!(screen.model.focus, hookbench::tui::Focus::Hooks, "h leaves where nothing is sideways");
}

#[test]
fn ten_megabytes_without_a_line_end() {
    let mut screen = running(MEDIUM, COLOUR, &vec![b'x'; 10 << 20]);
    screen.keys("Enter");
    let text = screen.text();
    assert!(text.contains(&"x".repeat(76)), "{text}");
    screen.keys("g");
    picture("endless-80x24", screen.text());
    screen.keys("G");
    assert!(!screen.text().contains("following stopped"));
}

#[test]
fn following_stops_and_goes_on() {
    let lines: Vec<String> = (1..=200).map(|n| format!("step {n}\n")).collect();
    let mut screen = running(MEDIUM, COLOUR, lines.concat().as_bytes());
    screen.keys("Enter k k k");
    write(&mut screen, b"step 201\n");
    let text = screen.text();
    assert!(text.contains("not following, G follow") && !text.contains("step 201"), "{text}");
    picture("stopped-80x24", text);
    screen.keys("G");
    assert!(screen.text().contains("step 201"));
    write(&mut screen, b"step 202\n");
    assert!(screen.text().contains("step 202"));
}

#[test]
fn searching() {
    let mut screen = running(WIDE, COLOUR, NOISE);
    screen.keys("/ are");
    picture("search-120x40", screen.text());
    screen.keys("Enter n");
    assert!(screen.text().contains("2 of 2") || screen.text().contains("1 of 2"), "{}", screen.text());
    screen.keys("/ nowhere Enter");
    assert!(screen.text().contains("not found"));
    screen.keys("Esc");
    assert!(!screen.text().contains("not found"));
    screen.keys("q");
    assert!(screen.text().contains("Hooks are running"), "q is q again");
}

#[test]
fn process_decision_and_ladder() {
    let answer = br#"{"decision": "approve", "suppressOutput": true, "foo": 1, "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": "it only lists"}}"#;
    for size in [WIDE, MEDIUM, TINY] {
        let mut screen = TestScreen::with(size, "claude", project(), COLOUR, true);
        screen.keys("Enter [");
        picture_at("would-start", size, screen.text());
        screen.keys("f");
        let (firing, request) = screen.started.first().cloned().unwrap();
        screen.begin(firing, request.run);
        write(&mut screen, answer);
        end(&mut screen, 0, answer);
        screen.keys("Enter z w [ [");
        picture_at("decision", size, screen.text());
        screen.keys("w");
        picture_at("ladder", size, screen.text());
    }
}

#[test]
fn the_environment_is_shown_as_a_difference_and_without_secrets() {
    let handler = r#"{"type": "command", "command": "./talk.sh", "timeout": 5000, "env": {"API_TOKEN": "correct-horse-7-battery", "PATH": "/opt/bin", "MODE": "strict"}}"#;
    let settings = format!("{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{handler}]}}]}}}}");
    let mut files = MemoryFiles::default();
    files.put(format!("{PROJECT}/.qwen/settings.json"), settings);
    let mut screen = TestScreen::with(WIDE, "qwen", files, COLOUR, true);
    screen.keys("Enter z [");
    let text = screen.text();
    assert!(!text.contains("horse") && text.contains("API_TOKEN=[masked]"), "{text}");
    assert!(text.contains("PATH=/opt/bin   .qwen/settings.json:1, was /bin:/usr/bin"), "{text}");
    picture("environment-120x40", text);
}

/// Returns the explained meaning of a timeout of an event's only hook.
fn timeout_meaning(agent: &'static str, event: &str, handler: &str) -> String {
    let settings = format!("{{\"hooks\": {{\"{event}\": [{{\"hooks\": [{handler}]}}]}}}}");
    let mut files = MemoryFiles::default();
    files.put(format!("{PROJECT}/.{agent}/settings.json"), settings);
    let screen = TestScreen::new(WIDE, agent, files);
    let agent = screen.model.session.agent(agent).unwrap();
    let definition = agent.loaded.as_ref().unwrap().definitions.first().unwrap();
    screen.model.session.prospect(agent, definition).unwrap().timeout_effect
}

#[test]
fn a_timeout_means_what_the_agent_makes_of_it() {
    let plain = r#"{"type": "command", "command": "x", "timeout": 5}"#;
    let long = r#"{"type": "command", "command": "x", "timeout": 600}"#;
    let http = r#"{"type": "http", "url": "https://example.org/x", "timeout": 5}"#;
    let strict = r#"{"type": "command", "command": "x", "onFailure": "block"}"#;
    let detached = r#"{"type": "command", "command": "x", "async": true}"#;
    let all: Vec<String> = [
        ("claude", "PreToolUse", plain),
        ("claude", "PreToolUse", strict),
        ("claude", "PreToolUse", detached),
        ("claude", "PostToolUse", strict),
        ("claude", "Stop", strict),
        ("claude", "PreModelSwitch", plain),
        ("claude", "SessionStart", plain),
        ("claude", "SessionEnd", plain),
        ("qwen", "PreToolUse", plain),
        ("qwen", "PreToolUse", http),
        ("qwen", "PreToolUse", long),
        ("qwen", "UserPromptSubmit", long),
        ("qwen", "SessionStart", long),
        ("gemini", "BeforeTool", plain),
        ("gemini", "SessionEnd", plain),
    ]
    .into_iter()
    .map(|(agent, event, handler)| format!("{agent} {event}: {}", timeout_meaning(agent, event, handler)))
    .collect();
    let thrown = ", and its output is discarded";
    let want = [
        format!("claude PreToolUse: a timeout here does not block{thrown}"),
        format!("claude PreToolUse: a timeout here blocks: the command does not run{thrown}"),
        "claude PreToolUse: a timeout here has no effect, because the agent does not wait for this hook".to_owned(),
        format!("claude PostToolUse: a timeout here has an effect: the model gets the feedback in addition to the result{thrown}"),
        format!("claude Stop: a timeout here does not block{thrown}"),
        format!("claude PreModelSwitch: a timeout here blocks: the model is not switched{thrown}"),
        format!("claude SessionStart: a timeout here has no effect{thrown}"),
        format!("claude SessionEnd: a timeout here has no effect{thrown}"),
        format!("qwen PreToolUse: a timeout here does not block{thrown}"),
        "qwen PreToolUse: a timeout here does not block".to_owned(),
        "qwen PreToolUse: the agent waits only 60 s; then: the tool runs; the answers arrive too late and are lost"
            .to_owned(),
        "qwen UserPromptSubmit: the agent waits only 60 s; then: a headless run would exit with 1; the reaction of an interactive one is unknown"
            .to_owned(),
        format!("qwen SessionStart: a timeout here has no effect{thrown}"),
        format!("gemini BeforeTool: a timeout here does not block{thrown}"),
        format!("gemini SessionEnd: a timeout here has no effect{thrown}"),
    ];
    assert_eq!(all, want);
}

#[test]
fn a_search_ends_with_what_was_searched() {
    let mut screen = running(MEDIUM, COLOUR, NOISE);
    screen.keys("/ err");
    end(&mut screen, 0, NOISE);
    screen.save(".claude/settings.json", "{}");
    screen.keys("?");
    assert!(screen.text().contains(" Bench keys "), "keys are keys again:\n{}", screen.text());
}

/// A hook whose ladder fails at its last rung.
#[test]
fn the_red_rung_is_seen_at_every_size() {
    for size in [WIDE, MEDIUM, TINY] {
        let mut files = project();
        let hook = |command: &str| format!(r#"{{"type": "command", "command": "{command}"}}"#);
        let settings = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"matcher": "bash", "hooks": [{}]}}, {{"matcher": "Bash", "hooks": [{}, {}, {}]}}]}}}}"#,
            hook("guard.sh"),
            hook("true"),
            hook("echo a"),
            hook("echo b")
        );
        files.put(format!("{PROJECT}/.claude/settings.json"), settings);
        let mut screen = TestScreen::with(size, "claude", files, COLOUR, true);
        screen.keys("G w");
        let text = screen.text();
        assert!(text.lines().any(|line| line.contains(">  7 matcher") && line.contains("NO")), "{text}");
        if size == TINY {
            assert!(text.contains(" below"), "{text}");
        }
    }
}

#[test]
fn a_long_name_gives_way_to_the_tabs() {
    let mut files = project();
    let hook = r#"{"type": "command", "command": "echo one two three four five six seven eight nine"}"#;
    let settings = format!("{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{hook},\n {hook}]}}]}}}}");
    // For two hooks with the same name, the position of the shown one is displayed.
    files.put(format!("{PROJECT}/.claude/settings.json"), settings.replacen("nine", "nine ten", 1));
    for size in [WIDE, MEDIUM] {
        let mut screen = TestScreen::with(size, "claude", files.clone(), COLOUR, true);
        screen.keys("f");
        screen.report(|_| (0, "text\n", ""));
        screen.keys("Enter v l l");
        let text = screen.text();
        let title =
            text.lines().find(|l| l.contains("stderr") && l.contains("why")).unwrap_or_else(|| panic!("{text}"));
        for tab in ["stdin", "stdout", "stderr", "decision", "process", "why", "project:1"] {
            assert!(title.contains(tab), "{tab}: {title}");
        }
    }
}

#[test]
fn what_is_not_kept_cannot_be_found() {
    let mut screen = running(MEDIUM, COLOUR, &b"some words\n".repeat(400_000));
    screen.keys("Enter / nowhere Enter");
    assert!(screen.text().contains("not found in the stored part"), "{}", screen.text());
}

#[test]
fn what_it_was_given_is_said_to_be_laid_out() {
    let mut screen = running(MEDIUM, COLOUR, b"");
    screen.keys("Enter [");
    assert!(screen.text().contains("pretty, more below"), "{}", screen.text());
    screen.keys("G");
    assert!(!screen.text().contains("more below"), "{}", screen.text());
    screen.keys("v g");
    let text = screen.text();
    assert!(text.contains("unwrapped") && text.contains(r#"{"session_id":"#), "its bytes: {text}");
}

/// Long lines are wrapped, and hex rows have sixteen bytes: a match may cross these boundaries.
#[test]
fn what_lies_across_a_cut_is_found() {
    for (before, mode) in [(4053, ""), (4093, "v"), (8190, "v"), (8109, ""), (12, "vv"), (30, "vv")] {
        let text = format!("{}needle{}\n", "x".repeat(before), "y".repeat(9_000));
        let mut screen = running(MEDIUM, COLOUR, text.as_bytes());
        screen.keys("Enter").keys(mode).keys("/ needle Enter");
        assert!(screen.text().contains("needle   1 of 1"), "{before} {mode}: {}", screen.text());
        screen.keys("Esc / ldeene Enter");
        assert!(screen.text().contains("not found"), "{before} {mode}: {}", screen.text());
    }
    // Also while output arrives; but a match cannot cross a line break.
    let mut screen = running(MEDIUM, COLOUR, format!("{}nee", "x".repeat(4093)).as_bytes());
    screen.keys("Enter v / needle Enter");
    write(&mut screen, b"dle\nnee\ndle\n");
    assert!(screen.text().contains("needle   1 of 1"), "{}", screen.text());
}
