//! The comparison page: the same event in every agent, at every size, with keys, the mouse and saved files.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::agent_words;
use crate::screen;
use hookbench::core::names::AgentId;

use crate::screen_states::{ScreenState, hold_states};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use hookbench::app::{Command, Job};
use hookbench::core::config::MemoryFiles;
use hookbench::core::dialects;
use hookbench::tui::{LoopRequest, Msg, Page, Theme};
use screen::{BESIDE, COLOUR, MEDIUM, PROJECT, SMALL, TINY, TestScreen, WIDE};

const HOME: &str = "/home/dev";

/// One guard for all agents, and an audit hook whose matcher agents interpret differently.
const SETTINGS: &str = r#"{"hooks": {
  "@tool": [
    {"matcher": "@shell", "hooks": [{"type": "command", "command": "sh hooks/guard.sh"}]},
    {"matcher": "@audit", "hooks": [{"type": "command", "command": "sh hooks/audit.sh"}]}
  ],
  "@prompt": [{"hooks": [{"type": "command", "command": "sh hooks/context.sh"}]}]
}}
"#;

/// A matcher that agents interpret differently.
fn audit(agent: &str) -> &'static str {
    match agent {
        "claude" | "qwen" => "bash",
        _ => "run_.*|Bash",
    }
}

/// Settings of these agents in one project. Agents in `trusted` trust it, if they require trust.
fn project(agents: &[&str], trusted: &[&str]) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    for program in ["/bin/sh", "/bin/bash", "/usr/bin/bash"] {
        files.put(program, "#!");
    }
    for script in ["guard", "audit", "context"] {
        files.put(format!("{PROJECT}/hooks/{script}.sh"), "exit 0\n");
    }
    for agent in agents {
        let words = agent_words::words_of(agent);
        let settings = words.in_agent_words(SETTINGS).replace("@audit", audit(agent));
        files.put(format!("{PROJECT}/{}", words.settings), settings.as_str());
        if trusted.contains(agent) {
            for (path, text) in words.reviewed_files(PROJECT, HOME, &settings) {
                files.put(path, text);
            }
        }
    }
    files
}

const ALL: [&str; 4] = ["claude", "qwen", "gemini", "codex"];

fn four() -> MemoryFiles {
    project(&ALL, &ALL)
}

/// Opens the comparison page.
fn compared(size: (u16, u16), theme: Theme, files: MemoryFiles) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", files, theme, false);
    screen.keys("5");
    screen
}

/// Fires, with consent for all commands.
fn fired(size: (u16, u16), theme: Theme, files: MemoryFiles) -> TestScreen {
    let mut screen = compared(size, theme, files);
    screen.keys("f G Y");
    screen
}

/// Denies without a reason.
fn silent(label: &str) -> (i32, &'static str, &'static str) {
    if label == "guard.sh" { (2, "", "") } else { (0, "", "seen\n") }
}

fn loud(label: &str) -> (i32, &'static str, &'static str) {
    if label == "guard.sh" { (2, "", "rm is not allowed here\n") } else { (0, "", "") }
}

/// A refusal in the words of one agent.
const NESTED: &str = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}"#;

const STATES: [ScreenState; 10] = [
    ("planned", |size, theme| compared(size, theme, four())),
    ("running", |size, theme| {
        let mut screen = fired(size, theme, four());
        let first = screen.started.first().map(|(firing, request)| (*firing, request.run)).unwrap();
        screen.begin(first.0, first.1);
        screen
    }),
    ("fired", |size, theme| {
        let mut screen = fired(size, theme, four());
        screen.report(silent);
        screen
    }),
    ("fired-alike", |size, theme| {
        let mut screen = fired(size, theme, four());
        screen.report(loud);
        screen
    }),
    ("difference", |size, theme| {
        let mut screen = fired(size, theme, four());
        screen.report(silent);
        // Moves down to the outcomes of the agents, and past the agents if they are rows.
        screen.keys(if size.0 >= 110 { "j j" } else { "j j j j j" });
        screen
    }),
    ("missing", |size, theme| {
        let mut screen = TestScreen::with(size, "claude", four(), theme, false);
        screen.keys("t").type_text("PostToolBatch");
        screen.keys("Enter 5");
        screen
    }),
    ("lost", |size, theme| compared(size, theme, project(&ALL, &["claude", "qwen"]))),
    ("alone", |size, theme| compared(size, theme, project(&["claude"], &["claude"]))),
    ("portable", |size, theme| {
        let mut files = project(&["claude"], &["claude"]);
        files.put(format!("{PROJECT}/hooks/guard.sh"), format!("grep -q rm || exit 0\necho '{NESTED}'\n"));
        let mut screen = compared(size, theme, files);
        screen.keys(if size.0 >= 110 { "j j" } else { "j j j j j" });
        screen
    }),
    ("detail", |size, theme| {
        let mut screen = fired(size, theme, four());
        screen.report(silent);
        screen.keys("l l Enter");
        screen
    }),
];

#[test]
fn every_state_at_every_size_on_every_terminal() {
    hold_states("compare-", &STATES);
}

/// The layout does not move when a planned event is fired, nor when the firing ends.
#[test]
fn nothing_jumps() {
    for size in [WIDE, (110, 30), BESIDE, MEDIUM, (60, 15), TINY] {
        // Agent names are column headers, or start a row.
        let is = |line: &str, word: &str| match word {
            "Codex" => line.contains("Codex  0.") || line.trim_start_matches([' ', '>']).starts_with(word),
            word => line.contains(word),
        };
        let place = |screen: &TestScreen, word: &str| screen.text().lines().position(|line| is(line, word));
        let mut screen = compared(size, COLOUR, four());
        let words = ["Codex", "Differences", "? help"];
        let before = words.map(|word| place(&screen, word));
        screen.keys("f G Y");
        assert_eq!(words.map(|word| place(&screen, word)), before, "running at {size:?}\n{}", screen.text());
        screen.report(silent);
        assert_eq!(words.map(|word| place(&screen, word)), before, "fired at {size:?}\n{}", screen.text());
    }
}

#[test]
fn nothing_breaks_at_any_size() {
    for (name, make) in STATES {
        for size in [(120, 40), (110, 16), (109, 15), (80, 15), (60, 15), (59, 15), (30, 8), (20, 5), (8, 3), (1, 1)] {
            let screen = make(size, COLOUR);
            assert!(screen.text().lines().count() == usize::from(size.1), "{name}");
        }
    }
}

fn says(screen: &TestScreen, words: &[&str]) {
    let text = screen.text();
    for word in words {
        assert!(text.contains(word), "{word} is not here:\n{text}");
    }
}

/// One consent covers all listed commands, and only these.
#[test]
fn consent_is_asked_for_what_was_listed() {
    let mut screen = compared(WIDE, COLOUR, four());
    screen.keys("f");
    says(&screen, &["Run these 2 commands?", ".claude/settings.json", ".qwen/", ".gemini/", ".codex/"]);
    assert!(screen.started.is_empty());
    // The settings of another agent change while the question is shown.
    let words = agent_words::words_of("qwen");
    let other = words.in_agent_words(SETTINGS).replace("@audit", "Bash");
    screen.save(words.settings, &other);
    says(&screen, &["the settings have changed"]);
    screen.keys("Y");
    assert!(screen.started.is_empty(), "what was listed is not what would run");
    screen.keys("f G Y");
    assert_eq!(screen.started.len(), 7);
    screen.report(silent);
    screen.keys("f");
    assert_eq!(screen.started.len(), 7, "it is asked once");
}

#[test]
fn a_save_in_any_agent_plans_anew_at_once() {
    let mut screen = fired(WIDE, COLOUR, four());
    screen.report(silent);
    says(&screen, &["DIFFER", "1 of 4 agents blocks"]);
    let words = agent_words::words_of("qwen");
    screen.save(words.settings, "{}");
    says(&screen, &["READY", "5 hooks will run, in 3 of 4 agents", "no hook runs"]);
    // Saving equivalent settings keeps the result of the firing.
    screen.save(words.settings, &words.in_agent_words(SETTINGS).replace("@audit", audit("qwen")));
    says(&screen, &["DIFFER"]);
    // Another payload has its own comparison; the first comes back with its payload.
    screen.keys("s").type_text("C-u");
    screen.keys("Esc }");
    assert!(!screen.text().contains("DIFFER"), "{}", screen.text());
    screen.keys("{");
    says(&screen, &["DIFFER"]);
}

/// Both pages show one event: the bench shows the selected agent's part of a firing in every agent.
#[test]
fn the_bench_shows_its_own_part() {
    let mut screen = fired(WIDE, COLOUR, four());
    screen.report(silent);
    screen.keys("Esc");
    assert_eq!(screen.model.page, Page::Bench);
    says(&screen, &["DENY", "run 1", "The command does not run"]);
    // Another agent's side is moved to the bench with its result, and back.
    screen.keys("5 l Enter Enter");
    assert_eq!((screen.model.page, screen.model.session.bench().payload.agent.as_str()), (Page::Bench, "qwen"));
    says(&screen, &["NOT CHECKED", "run 2", "run_shell_command", "from Claude Code"]);
    screen.keys("5");
    says(&screen, &["DIFFER"]);
    screen.keys("1 U");
    assert_eq!(screen.model.session.bench().payload.agent, "claude");
}

#[test]
fn a_missing_event_cannot_be_moved_to_the_bench() {
    let mut screen = TestScreen::with(WIDE, "claude", four(), COLOUR, false);
    screen.keys("t").type_text("PostToolBatch");
    screen.keys("Enter 5 l l Enter Enter");
    assert_eq!((screen.model.page, screen.model.session.bench().payload.agent.as_str()), (Page::Compare, "claude"));
    says(&screen, &["no event after all tool calls", "nearest is AfterTool"]);
}

#[test]
fn an_agent_is_removed_and_added() {
    let mut screen = compared(WIDE, COLOUR, four());
    screen.keys("a").type_text("gemini");
    screen.keys("Enter");
    assert!(!screen.text().contains("Gemini CLI"), "{}", screen.text());
    says(&screen, &["4 hooks will run, in all 3 agents"]);
    screen.keys("f G Y");
    assert_eq!(screen.started.len(), 4, "who is left out is not fired");
    screen.report(silent);
    says(&screen, &["1 of 3 agents blocks"]);
    screen.keys("c");
    let Some(LoopRequest::Copy(text)) = screen.asks.last() else { panic!("{:?}", screen.asks.last()) };
    assert_eq!(text.matches("hookbench fire --agent ").count(), 3, "{text}");
    // With a column that was not fired, the page shows a plan again.
    screen.keys("a").type_text("gemini");
    screen.keys("Enter");
    says(&screen, &["READY", "Gemini CLI"]);
    screen.keys("c");
    let Some(LoopRequest::Copy(text)) = screen.asks.last() else { panic!("{:?}", screen.asks.last()) };
    assert!(text.ends_with("| hookbench fire --agent all --payload -"), "{text}");
    screen.keys("a").type_text("claude");
    screen.keys("Enter");
    says(&screen, &["Claude Code", "the others are compared with it"]);
}

#[test]
fn keys_and_mouse_navigate() {
    let mut screen = fired(WIDE, COLOUR, four());
    screen.report(silent);
    screen.keys("l l w");
    says(&screen, &["Gemini CLI  why  input  runs", "exit 2 without text or JSON does not block"]);
    screen.keys("]");
    says(&screen, &["not sent", "\"hook_event_name\": \"BeforeTool\""]);
    screen.keys("]");
    says(&screen, &["stderr    seen", "audit.sh   exit 0"]);
    screen.keys("Esc /").type_text("audit");
    says(&screen, &["Differences   /audit", "1 of 4"]);
    screen.keys("Enter Esc");
    says(&screen, &["Differences   4"]);
    // Keys of the bench show a message and change nothing.
    for key in ["d", "o", "Space", "v", "z", "+", "-"] {
        screen.keys(key);
        says(&screen, &["works on the bench; 1 goes there"]);
    }
    let at = |screen: &TestScreen, word: &str| {
        let text = screen.text();
        let row = text.lines().position(|line| line.contains(word)).unwrap();
        let before = text.lines().nth(row).unwrap().split(word).next().unwrap().chars().count();
        (u16::try_from(before).unwrap(), u16::try_from(row).unwrap())
    };
    let click = |screen: &mut TestScreen, (column, row): (u16, u16)| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        screen.send(Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
    };
    let asked = screen.asks.len();
    for (word, shows) in [("Codex  0", "Codex  why"), ("Qwen Code  0", "Qwen Code  why")] {
        let place = at(&screen, word);
        click(&mut screen, place);
        screen.keys("Enter");
        says(&screen, &[shows]);
        screen.keys("Esc");
    }
    let place = at(&screen, "agent's reaction");
    click(&mut screen, place);
    says(&screen, &["❯agent's reaction", "decide.silent"]);
    let place = at(&screen, "1 Bench");
    click(&mut screen, place);
    assert_eq!(screen.model.page, Page::Bench);
    let place = at(&screen, "5 Compare");
    click(&mut screen, place);
    assert_eq!(screen.model.page, Page::Compare);
    let jobs = |ask: &LoopRequest| matches!(ask, LoopRequest::Jobs(jobs) if jobs.iter().any(|job| matches!(job, Job::Start { .. })));
    assert!(!screen.asks[asked..].iter().any(jobs), "a click only looks");
}

/// If agents are rows, one list has the agents and the differences, and the selected row can be expanded.
#[test]
fn rows_lead_through_agents_and_differences() {
    let mut screen = fired(TINY, COLOUR, four());
    screen.report(silent);
    screen.keys("j j j");
    says(&screen, &["❯Codex"]);
    screen.keys("j j");
    says(&screen, &["❯agent's reaction"]);
    screen.keys("Enter");
    says(&screen, &["Claude Code  DENY", "decide.blocked: The", "scroll"]);
    screen.keys("Esc k k");
    says(&screen, &["❯Codex"]);
    screen.keys("g");
    says(&screen, &["❯Claude"]);
}

/// Sixty differences: each can be reached.
#[test]
fn many_differences_can_be_reached() {
    let hooks: Vec<String> = (0..60)
        .map(|n| format!(r#"{{"matcher": "resume,startup", "hooks": [{{"type": "command", "command": "true {n}"}}]}}"#))
        .collect();
    let settings = format!(r#"{{"hooks": {{"SessionStart": [{}]}}}}"#, hooks.join(","));
    for size in [WIDE, BESIDE, MEDIUM, TINY] {
        let mut files = MemoryFiles::default();
        for agent in ["claude", "qwen"] {
            files.put(format!("{PROJECT}/{}", agent_words::words_of(agent).settings), settings.as_str());
        }
        let mut screen = TestScreen::with(size, "claude", files, COLOUR, false);
        screen.keys("t").type_text("SessionStart startup");
        screen.keys("Enter 5 G");
        says(&screen, &["❯true 59"]);
        screen.keys("/").type_text("true 31");
        says(&screen, &["❯true 31"]);
        screen.keys("Enter Esc g");
    }
}

/// Nothing is computed for this page while another page is open.
#[test]
fn only_the_open_page_is_computed() {
    let mut screen = TestScreen::with(WIDE, "claude", four(), COLOUR, false);
    assert!(screen.model.compare.shown.is_none());
    screen.keys("5");
    assert!(screen.model.compare.shown.is_some());
    // The comparison covers every agent with settings, and says if an agent has none.
    let agents: Vec<&str> =
        screen.model.compare.shown.as_ref().unwrap().all.agents.iter().map(|of| of.agent.as_str()).collect();
    assert_eq!(agents, dialects::ALL.iter().map(|d| d.id()).collect::<Vec<_>>());
    screen.model.session.apply(Command::ToggleCompared(AgentId::new("claude")));
    assert!(screen.model.session.compares("claude"), "the agent on the bench stays");
}

/// Where both sides of a difference do not fit, the exception is shown, and the number of sides if that does not fit.
#[test]
fn the_exception_is_shown_where_both_sides_do_not_fit() {
    let all = ["claude", "qwen", "gemini", "codex", "copilot", "droid"];
    let screen = compared(SMALL, COLOUR, project(&all, &all));
    let text = screen.text();
    for row in ["audit.sh  on `bash`  runs Copilot", "audit.sh  on `run_.*|Bash`  does not run Droid"] {
        assert!(text.contains(row), "{text}");
    }
}

/// Agents that are listed only where they are in use have their columns here.
#[test]
fn six_agents_side_by_side() {
    let all = ["claude", "qwen", "gemini", "codex", "copilot", "droid"];
    for size in [WIDE, MEDIUM] {
        let mut screen = fired(size, COLOUR, project(&all, &all));
        screen.report(|command| if command.contains("guard") { (2, "", "no rm\n") } else { (0, "", "") });
        screen::picture_at("compare-six", size, screen.text());
        for agent in all {
            let name = dialects::by_id(agent).unwrap().name();
            assert!(screen.text().contains(name), "{name} at {size:?}:\n{}", screen.text());
        }
        // Match has a column for each of them, too.
        screen.keys("2 n");
        screen::picture_at("match-six", size, screen.text());
    }
}
