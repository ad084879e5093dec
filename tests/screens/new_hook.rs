//! The sheet for a new hook: from an empty project to two pinned events.

use hookbench::app::{Fact, Job, Task, TaskUpdate, TrialResult};
use hookbench::core::config::MemoryFiles;
use hookbench::core::decide::Verdict;
use hookbench::core::dialects::{self, Agent};
use hookbench::core::run::{Exit, Launch, RunReport};
use hookbench::tui::{LoopRequest, Msg, Theme};

use crate::screen::{COLOUR, MEDIUM, SMALL, TestScreen, WIDE};
use crate::screen_states::{ScreenState, hold_states};

fn empty(size: (u16, u16), theme: Theme) -> TestScreen {
    TestScreen::with(size, "claude", programs(), theme, false)
}

fn programs() -> MemoryFiles {
    let mut files = MemoryFiles::default();
    for program in ["/bin/sh", "/usr/bin/env", "/usr/bin/python3"] {
        files.put(program, "#!");
    }
    files
}

/// The user trusts the project and reviews its hooks in the agent, which hookbench never does.
fn trust(screen: &mut TestScreen, dialect: &Agent) {
    let files = dialect.trust_files(screen.model.session.place(), screen.model.session.files());
    for (path, text) in files {
        screen.put_at(&path, &text);
    }
    screen.load();
}

/// An empty project that the user has trusted in the agent.
fn trusted(dialect: &'static Agent, yes: bool) -> TestScreen {
    let mut screen = TestScreen::with(WIDE, dialect.id().as_str(), programs(), COLOUR, yes);
    trust(&mut screen, dialect);
    screen
}

/// Ends every run as a guard does that refuses events with this text.
fn guard_refuses(screen: &mut TestScreen, text: &str) {
    // Pinned events run one after the other.
    while let Some((firing, request)) = screen.started.pop() {
        let Launch::Process(process) = &request.launch else { panic!("{request:#?}") };
        let refuses = String::from_utf8_lossy(&process.stdin).contains(text);
        screen.begin(firing, request.run);
        let exit = Exit::Code(if refuses { 2 } else { 0 });
        let report = RunReport::new(request.run, exit, "", if refuses { "refused\n" } else { "" });
        screen.fact(Fact::Ended { firing, report: Box::new(report) });
    }
}

/// The files that the editor was asked to open.
fn opened(screen: &TestScreen) -> Vec<&str> {
    let paths = screen.asks.iter().filter_map(|ask| match ask {
        LoopRequest::OpenFile { path, .. } => Some(path.as_str()),
        _ => None,
    });
    paths.collect()
}

fn keys(mut screen: TestScreen, keys: &str) -> TestScreen {
    screen.keys(keys);
    screen
}

const STATES: [ScreenState; 5] = [
    ("new-hook", |size, theme| keys(empty(size, theme), "N")),
    ("new-hook-filtered", |size, theme| keys(empty(size, theme), "N todo Tab")),
    ("new-hook-own", |size, theme| keys(empty(size, theme), "N Enter Down Down Down")),
    ("new-hook-own-context", |size, theme| keys(empty(size, theme), "N Enter Right Down Down Right Right Tab")),
    ("new-hook-patch", |size, theme| keys(empty(size, theme), "N push Enter")),
];

#[test]
fn the_sheet_in_every_terminal() {
    hold_states("", &STATES);
}

/// Six keys and a word: the script, the settings and the tests are written, and the two events are pinned.
#[test]
fn an_empty_project_gets_a_guard() {
    let mut screen = empty(WIDE, COLOUR);
    screen.keys("N outside Enter Y");
    let settings = screen.read(".claude/settings.json").unwrap();
    assert!(settings.contains(".claude/hooks/rm-outside-project.py"), "{settings}");
    assert!(screen.read(".claude/hooks/rm-outside-project.py").unwrap().starts_with("#!/usr/bin/env python3"));
    assert!(screen.read(".claude/hooks/shell_words.py").is_some());
    let suite = screen.read("hooks.test.yaml").unwrap();
    assert_eq!(suite.matches("- name:").count(), 2, "{suite}");
    let pins = screen.model.session.auto_fire();
    assert_eq!((pins.pins.len(), pins.armed), (2, true));
    let command = screen.model.session.bench().body().unwrap()["tool_input"]["command"].clone();
    assert_eq!(command, "rm -rf /srv/data", "the event that must be refused is on the bench");
    // Both pinned events start, and the verdict is that of the event on the bench.
    screen.keys("f Y");
    assert_eq!(screen.started.len(), 2);
    screen.report(|_| (2, "", "refused\n"));
    let shown = screen.model.firing().unwrap();
    assert_eq!(Some(&shown.input), screen.model.session.bench().payload.input.as_ref());
    screen.keys("N outside Enter");
    assert!(screen.text().contains("rm-outside-project.py is there already"), "{}", screen.text());
}

fn tried_fact(result: TrialResult) -> Fact {
    Fact::Task { number: 1, update: TaskUpdate::HookTried(Some(result)) }
}

/// The hook is tried after it is written, and its result is one line with what to press.
#[test]
fn a_written_hook_is_tried() {
    let mut screen = empty(WIDE, COLOUR);
    screen.keys("N push Enter");
    assert!(screen.text().contains("Y write it and try it"), "{}", screen.text());
    screen.keys("Y");
    let tried = screen.asks.iter().find_map(|ask| match ask {
        LoopRequest::Jobs(jobs) => jobs.iter().find_map(|job| match job {
            Job::Task { task: Task::WriteHook(new), .. } => Some((new.hook.composed.name.clone(), new.agents.len())),
            _ => None,
        }),
        _ => None,
    });
    assert_eq!(tried, Some(("git-force-push.py".to_owned(), 1)));
    let name = "git-force-push.py".to_owned();
    screen.fact(tried_fact(TrialResult::Failed { name, why: "Claude Code PreToolUse x: it fails".to_owned() }));
    let says = "git-force-push.py does not do what it should; u undoes it. Claude Code PreToolUse x: it fails";
    assert!(screen.text().contains(says), "{}", screen.text());
    screen.keys("?");
    screen.keys("Esc");
    screen.fact(tried_fact(TrialResult::Passed("git-force-push.py acts on x; tried in Claude Code".to_owned())));
    let says = "git-force-push.py acts on x; tried in Claude Code";
    assert!(screen.text().contains(says), "{}", screen.text());
    // What happens by itself goes into the list, and the result stays until the next key.
    screen.fact(Fact::Problem { message: "the store is closed".to_owned() });
    assert!(screen.text().contains(says), "{}", screen.text());
    assert_eq!(screen.model.messages.last().map(String::as_str), Some(says));
}

/// On small screens the result takes several rows.
#[test]
fn the_result_of_a_trial_is_shown_whole() {
    let failed = "claude-md-guard.py does not do what it should; u undoes it. Claude Code PreToolUse rm -rf /srv/data from a \
                  subdirectory: it does not refuse";
    let passed =
        "rm-outside-project.py acts on rm -rf /srv/data and allows rm -rf build; tried in Claude Code, Qwen Code";
    for size in [SMALL, MEDIUM] {
        let mut screen = empty(size, COLOUR);
        screen.keys("N push Enter Y");
        let (name, why) = failed.split_once(" does not do what it should; u undoes it. ").unwrap();
        let results = [
            (failed, TrialResult::Failed { name: name.to_owned(), why: why.to_owned() }),
            (passed, TrialResult::Passed(passed.to_owned())),
        ];
        for (says, result) in results {
            screen.fact(tried_fact(result));
            let text = screen.text();
            let words: Vec<&str> = text.split_whitespace().collect();
            let wanted: Vec<&str> = says.split(' ').collect();
            let rows = |line: &str| line.chars().count() <= usize::from(size.0);
            assert!(text.lines().all(rows), "{text}");
            let mut at = words.iter();
            assert!(wanted.iter().all(|word| at.any(|shown| shown == word)), "{size:?}: {says}\n{text}");
            screen.keys("?");
            screen.keys("Esc");
        }
    }
}

/// The form writes the hook that `hookbench new` would write from the same answers.
#[test]
fn a_hook_of_ones_own() {
    let mut screen = empty(WIDE, COLOUR);
    screen.keys("N Enter Down Down Down");
    screen.keys("Enter");
    assert!(screen.text().contains("needs a pattern"), "{}", screen.text());
    screen.keys("g i t Space p u s h Enter");
    // The editor does not open by surprise.
    assert!(screen.text().contains("Y write it, try it and open the editor"), "{}", screen.text());
    screen.keys("Y");
    let script = screen.read(".claude/hooks/refuse-git-push.py").unwrap();
    assert!(script.contains("git push"), "{script}");
    let settings = screen.read(".claude/settings.json").unwrap();
    assert!(settings.contains("\"matcher\": \"Bash\""), "{settings}");
    assert_eq!(screen.model.session.auto_fire().pins.len(), 2);
    screen.keys("N Enter Esc Esc");
    assert!(screen.model.popups.is_empty());
}

/// The keys from an empty project to a guard that refuses `rm -rf` outside the project, lets `make test` through, and is
/// saved as a test.
#[test]
fn a_guard_takes_seven_keys_in_every_agent() {
    const KEYS: &str = "N r m Enter Y f Y";
    assert_eq!(KEYS.split(' ').count(), 7);
    for dialect in dialects::ALL {
        let mut screen = trusted(dialect, false);
        let (write, fire) = KEYS.split_at(KEYS.find('f').unwrap());
        screen.keys(write.trim_end());
        trust(&mut screen, dialect);
        screen.keys(fire);
        guard_refuses(&mut screen, "/srv/data");
        let pins = &screen.model.session.auto_fire().pins;
        let told: Vec<_> =
            pins.iter().map(|pin| (pin.input.body["tool_input"]["command"].as_str().unwrap(), pin.verdict)).collect();
        let wanted =
            [("rm -rf build && make test", Some(Verdict::NoObjection)), ("rm -rf /srv/data", Some(Verdict::Deny))];
        assert_eq!(told, wanted, "{}: {}", dialect.id(), screen.text());
        assert!(screen.text().contains("DENY"), "{}: {}", dialect.id(), screen.text());
        let suite = screen.read("hooks.test.yaml").unwrap();
        assert!(suite.contains("refuses rm -rf /srv/data") && suite.contains("make test"), "{suite}");
        assert_eq!(opened(&screen), Vec::<&str>::new(), "a recipe is complete");
        // The suite has this test already.
        screen.keys("S");
        assert!(screen.text().contains("hooks.test.yaml tests this event already"), "{}", screen.text());
        assert_eq!(screen.read("hooks.test.yaml"), Some(suite));
    }
}

/// The cases of a hook for every agent are written in the words of one; `S` finds them in each agent.
#[test]
fn a_case_for_every_agent_is_kept_once() {
    for dialect in dialects::ALL {
        let mut screen = trusted(dialect, true);
        screen.keys("N r m Tab Enter Y");
        trust(&mut screen, dialect);
        screen.keys("f");
        guard_refuses(&mut screen, "/srv/data");
        let suite = screen.read("hooks.test.yaml");
        screen.keys("S");
        let id = dialect.id();
        assert!(screen.text().contains("hooks.test.yaml tests this event already"), "{id}: {}", screen.text());
        assert_eq!(screen.read("hooks.test.yaml"), suite);
    }
}

/// A hook of one's own takes two keys more, besides the pattern and what is typed in the editor.
#[test]
fn a_hook_of_ones_own_takes_nine_keys_in_every_agent() {
    for dialect in dialects::ALL {
        let mut screen = trusted(dialect, false);
        screen.keys("N Enter Down Down Down").type_text("git push");
        screen.keys("Enter Y");
        let script = opened(&screen).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let [script] = script.as_slice() else { panic!("{script:?}") };
        assert!(script.ends_with("/refuse-git-push.py"), "{script}");
        screen.send(Msg::EditorClosed { changed: false });
        screen.load();
        trust(&mut screen, dialect);
        assert!(screen.text().contains("waits for your consent; f asks"), "{}: {}", dialect.id(), screen.text());
        assert!(screen.started.is_empty());
        screen.keys("f Y");
        guard_refuses(&mut screen, "git push");
        assert!(screen.text().contains("DENY"), "{}: {}", dialect.id(), screen.text());
    }
}

/// A pattern that is no plain text needs an example for the event that the hook must catch.
#[test]
fn a_pattern_asks_for_an_example() {
    let mut screen = empty(WIDE, COLOUR);
    screen.keys("N Enter Down Down Down").type_text("git (push|fetch)");
    assert!(screen.text().contains("a text that the pattern matches"), "{}", screen.text());
    screen.keys("Down").type_text("git pull");
    screen.keys("Enter");
    assert!(screen.text().contains("does not match the example git pull"), "{}", screen.text());
    screen.keys("Backspace Backspace Backspace Backspace").type_text("push");
    screen.keys("Enter Y");
    assert_eq!(screen.model.session.auto_fire().pins.len(), 2, "{}", screen.text());
    assert_eq!(screen.model.session.bench().body().unwrap()["tool_input"]["command"], "git push");
}

/// Where the commands have consent, the verdict is there as soon as the editor is closed.
#[test]
fn the_verdict_needs_no_key_after_the_editor() {
    let dialect = dialects::by_id("claude").unwrap();
    let mut screen = trusted(dialect, true);
    screen.keys("N Enter Down Down Down").type_text("git push");
    screen.keys("Enter Y");
    screen.send(Msg::EditorClosed { changed: true });
    screen.load();
    guard_refuses(&mut screen, "git push");
    assert!(screen.text().contains("DENY"), "{}", screen.text());
    // Later edits of the script: auto-fire watches the pinned events, so closing the editor starts nothing twice.
    screen.keys("E");
    screen.send(Msg::EditorClosed { changed: true });
    screen.load();
    assert!(screen.started.is_empty());
    // Without auto-fire, the event on the bench fires if the script has changed.
    screen.keys("W E");
    assert_eq!(opened(&screen).len(), 3);
    screen.send(Msg::EditorClosed { changed: false });
    screen.load();
    assert!(screen.started.is_empty());
    screen.send(Msg::EditorClosed { changed: true });
    screen.load();
    assert_eq!(screen.started.len(), 1);
    guard_refuses(&mut screen, "nothing");
    assert!(screen.text().contains("NO OBJECTION"), "{}", screen.text());
}

#[test]
fn a_hook_of_ones_own_goes_to_the_chosen_layer() {
    for (keys, file) in [("", "settings.json"), ("Right", "settings.local.json"), ("Left Left", "settings.local.json")]
    {
        let mut screen = empty(WIDE, COLOUR);
        screen.keys("N Enter Down Down Down x Down Down Down");
        if !keys.is_empty() {
            screen.keys(keys);
        }
        assert!(screen.text().contains(file), "{}", screen.text());
        screen.keys("Enter Y");
        let settings = screen.read(&format!(".claude/{file}"));
        assert!(settings.is_some_and(|text| text.contains("refuse-x.py")), "{keys}: {}", screen.text());
    }
}
