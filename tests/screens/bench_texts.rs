//! The texts of the bench: every failure is named or counted, every mistake is shown at its place, and terms are
//! used consistently.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use hookbench::app::{Fact, OwnModelAnswer};
use hookbench::core::config::MemoryFiles;
use hookbench::core::run::{Exit, RunReport};
use hookbench::tui::{LoopRequest, Theme};
use screen::{MEDIUM, PROJECT, TINY, TestScreen, WIDE, picture, picture_at};

/// Scripts that exist and are executable.
const SCRIPTS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "fmt", "badjson"];

/// A project whose settings have these hooks: event, matcher, handlers (the name of a script, or an object).
fn files(hooks: &[(&str, &str, &[&str])]) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    for program in ["/bin/sh", "/bin/bash"] {
        files.put(program, "#!");
    }
    for name in SCRIPTS {
        files.put(format!("{PROJECT}/{name}.sh"), "#!/bin/sh\n");
    }
    files.put(format!("{PROJECT}/noexec.sh"), "no run bit\n");
    files.put(format!("{PROJECT}/.claude/settings.json"), settings(hooks));
    files
}

fn settings(hooks: &[(&str, &str, &[&str])]) -> String {
    let handler = |h: &&str| {
        let command = || format!("{{\"type\": \"command\", \"command\": \"./{h}.sh\"}}");
        if h.starts_with('{') { (*h).to_owned() } else { command() }
    };
    let group = |matcher: &str, handlers: &[&str]| {
        let all: Vec<String> = handlers.iter().map(handler).collect();
        format!("{{\"matcher\": \"{matcher}\", \"hooks\": [\n  {}\n ]}}", all.join(",\n  "))
    };
    let event = |(event, matcher, handlers): &(&str, &str, &[&str])| {
        let groups: Vec<String> = matcher.split(' ').map(|m| group(m, handlers)).collect();
        format!(" \"{event}\": [{}]", groups.join(", "))
    };
    let events: Vec<String> = hooks.iter().map(event).collect();
    format!("{{\"hooks\": {{\n{}\n}}}}\n", events.join(",\n"))
}

fn opened(size: (u16, u16), hooks: &[(&str, &str, &[&str])]) -> TestScreen {
    TestScreen::with(size, "claude", files(hooks), hookbench::tui::Theme { colour: true, unicode: true }, true)
}

#[track_caller]
fn assert_shows(screen: &TestScreen, parts: &[&str]) {
    let text = screen.text();
    for part in parts {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

#[track_caller]
fn assert_hides(screen: &TestScreen, parts: &[&str]) {
    let text = screen.text();
    for part in parts {
        assert!(!text.contains(part), "{part}:\n{text}");
    }
}

/// Returns the rows of the band: between the second and the third rule, or above the list.
fn band(screen: &TestScreen) -> String {
    let text = screen.text();
    let rows = text.lines().skip_while(|l| !l.starts_with(" ▌")).take_while(|l| !l.starts_with('╭'));
    rows.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn an_unknown_event_is_said_on_opening() {
    let hooks: &[(&str, &str, &[&str])] = &[
        ("PreToolUse", "Bash", &["a"]),
        ("PreToolUes", "Bash", &["b"]),
        ("Stopp", "", &["c"]),
        ("Sesionstart", "", &["d"]),
    ];
    for size in [WIDE, MEDIUM] {
        let mut screen = opened(size, hooks);
        assert_shows(
            &screen,
            &["error", "settings.json:5:2", "the event `PreToolUes` is unknown", "did you mean `PreToolUse`?"],
        );
        assert_shows(&screen, &["+ 1 more"]);
        picture_at("said-unknown-event", size, band(&screen));
        screen.keys("f");
        screen.report(|_| (0, "", ""));
        assert_shows(&screen, &["NO OBJECTION", "the event `PreToolUes` is unknown", " more"]);
    }
    // The ladder also has the suggestion.
    let mut screen = opened(WIDE, hooks);
    screen.keys("G Enter j j w");
    assert_shows(&screen, &["b.sh does not run here: the event `PreToolUes` is unknown; did you"]);
}

#[test]
fn everyone_who_fails_is_named_or_counted() {
    let missing = |n: usize| format!("{{\"type\": \"command\", \"command\": \"./gone{n}.sh\"}}");
    let (one, two) = (missing(1), missing(2));
    let hooks: &[(&str, &str, &[&str])] = &[("PreToolUse", "*", &["a", "b", &one, &two])];
    let mut screen = opened(MEDIUM, hooks);
    assert_shows(
        &screen,
        &["4 hooks will run, 2 of them will fail", "gone1.sh   does not exist", "gone2.sh   does not exist"],
    );
    screen.keys("f");
    screen.report(|label| if label.starts_with("gone") { (127, "", "not found") } else { (0, "", "") });
    assert_shows(&screen, &["NOT CHECKED", "2 of 4 failed", "gone1.sh does not exist (exit 127)"]);
    assert_shows(&screen, &["gone2.sh  settings.json:6  gone2.sh does not exist (exit 127)"]);
    assert_hides(&screen, &["could not run", "exit status 127"]);
    picture("said-failed-80x24", band(&screen));
    // With a verdict they are counted too.
    let all: &[(&str, &str, &[&str])] = &[("PreToolUse", "*", &["a", "b", "c", "d", "e", "f"])];
    let mut screen = opened(MEDIUM, all);
    screen.keys("f");
    screen.report(|label| if label == "a.sh" { (2, "", "no\n") } else { (1, "", "") });
    assert_shows(&screen, &["DENY", "by        a.sh", "b.sh and 4 more", "5 of 6 failed"]);
    picture("said-failed-behind-80x24", band(&screen));
    let mut screen = opened(TINY, all);
    screen.keys("f");
    screen.report(|_| (1, "", ""));
    assert_shows(&screen, &["NOT CHECKED", "a.sh and 5 more"]);
}

/// With every kind of mistake at once, each kind of message has its row, and no number is truncated.
#[test]
fn all_that_is_wrong_has_room_at_once() {
    let one = "{\"type\": \"command\", \"command\": \"./gone.sh\"}";
    let hooks: &[(&str, &str, &[&str])] = &[
        ("PreToolUse", "Bash", &["a", "noexec", one, ASKS]),
        ("PreToolUes", "", &["b"]),
        ("Stopp", "", &["c"]),
        ("PreToolUse2", "", &["d"]),
    ];
    let mut text = settings(hooks);
    let dead = "{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}], \"matcher\": \"bash\"}";
    text = text.replacen("\"PreToolUse\": [", &format!("\"PreToolUse\": [{dead}, {dead}, {dead}, "), 1);
    for size in [MEDIUM, WIDE] {
        let mut files = files(hooks);
        files.put(format!("{PROJECT}/.claude/settings.json"), &text);
        let mut screen = TestScreen::new(size, "claude", files);
        assert_shows(
            &screen,
            &["3 never", "needs the", "f fire", "noexec.sh   is not executable", "gone.sh does not exist"],
        );
        picture_at("said-all-wrong", size, band(&screen));
        let rows = band(&screen).lines().count();
        screen.keys("f Y");
        screen.report(|label| if label == "a.sh" { (2, "", "no\n") } else { (127, "", "") });
        // Rows that do not fit are counted.
        let counted: &[&str] = if size == WIDE {
            &["DENY", "error ", "failed ", "2 of 4", "+ 3 never"]
        } else {
            &["DENY", "error ", "+ 2 failed, + 3 never"]
        };
        assert_shows(&screen, counted);
        assert_eq!(band(&screen).lines().count(), rows);
    }
}

#[test]
fn everyone_who_never_runs_is_named_or_counted() {
    for (count, more) in [(3, None), (6, Some("+ 3 more"))] {
        let dead = &["bash", "BASH", "bAsh", "baSh", "basH", "BASh"][..count];
        let matchers = format!("Bash {}", dead.join(" "));
        let hooks: &[(&str, &str, &[&str])] = &[("PreToolUse", &matchers, &["a"])];
        let mut screen = opened(MEDIUM, hooks);
        assert_shows(&screen, &[&format!("1 hook will run, {count} never run")]);
        let rows = band(&screen);
        assert_eq!(rows.matches("▌ never ").count(), 3, "{rows}");
        assert!(more.is_none_or(|more| rows.contains(more)), "{rows}");
        let before = rows.lines().count();
        screen.keys("f");
        assert_eq!(band(&screen).lines().count(), before);
        screen.report(|_| (2, "", "no\n"));
        let after = band(&screen);
        assert_eq!(after.lines().count(), before, "{after}");
        assert!(after.contains("more"), "{after}");
    }
}

/// A cause that affects several hooks has one row in the band and one sentence in the list.
#[test]
fn a_common_cause_is_shown_once() {
    let hooks: &[(&str, &str, &[&str])] = &[("PreToolUse", "Bash", &["a", "b", "c"])];
    for size in [MEDIUM, WIDE] {
        let once = |screen: &TestScreen, sentence: &str, hooks: &str| {
            let (band, text) = (band(screen), screen.text());
            assert_eq!(band.matches(sentence).count(), 1, "{text}");
            assert!(band.contains(hooks), "{text}");
            let list = text.lines().skip_while(|line| !line.starts_with('╭')).skip(1);
            let list: String = list.take_while(|line| !line.starts_with('╰')).map(|l| &l[..l.len().min(60)]).collect();
            assert_eq!(list.matches("never: ").count() + list.matches("will run and fail: ").count(), 1, "{text}");
        };
        let mut screen = opened(size, hooks);
        let off = settings(hooks).replacen('{', "{\"disableAllHooks\": true, ", 1);
        screen.save(".claude/settings.json", &off);
        once(&screen, "`disableAllHooks` is true", "3 hooks will not run");
        picture_at("said-once-off", size, screen.text());
        let missing = |n: u8| format!("{{\"type\": \"command\", \"command\": \"./gone.sh {n}\"}}");
        let missing = [missing(1), missing(2), missing(3)];
        let hooks: &[(&str, &str, &[&str])] = &[("PreToolUse", "Bash", &[&missing[0], &missing[1], &missing[2]])];
        let mut screen = opened(size, hooks);
        once(&screen, "   does not exist", "gone.sh (3 hooks)");
        picture_at("said-once-missing", size, screen.text());
        screen.save(".claude/settings.json", "{\n  \"hooks\": {,}\n}\n");
        assert_eq!(band(&screen).matches("this is not valid JSON").count(), 1, "{}", screen.text());
        assert_eq!(screen.text().matches("its file is skipped").count(), 1, "{}", screen.text());
    }
}

/// One exit status, and its meaning on each event.
#[test]
fn exit_2_is_worded_by_its_event() {
    for (event, says, not) in [
        ("PreToolUse", vec!["DENY", "deny", "exit 2 blocks; its stderr is the reason"], vec!["blocks nothing"]),
        (
            "PostToolUse",
            vec!["NO OBJECTION", "feedback", "exit 2: the model receives its stderr"],
            vec!["exit 2 blocks", "  block "],
        ),
        (
            "PermissionRequest",
            vec!["NOT CHECKED", "failed    fmt.sh", "exit 2 does not block PermissionRequest"],
            vec!["exit 2 blocks", "Nothing:", "fmt.sh        no objection"],
        ),
        ("Stop", vec!["DENY", "block", "exit 2 blocks; its stderr is the reason"], vec![]),
    ] {
        let mut screen = opened(WIDE, &[(event, "", &["fmt"])]);
        screen.keys("f");
        screen.report(|_| (2, "", "E: bad format\n"));
        assert_shows(&screen, &says);
        assert_hides(&screen, &not);
        picture(format!("said-exit-2-{event}"), screen.text());
    }
}

#[test]
fn mistakes_in_an_answer_stand_in_the_hooks_row() {
    for (name, stdout, says) in [
        (
            "text-before",
            "debug: hi\n{\"decision\":\"block\",\"reason\":\"r\"}",
            "stdout has 10 bytes before the JSON, so all",
        ),
        (
            "top-level",
            "{\"permissionDecision\":\"deny\"}",
            "`permissionDecision` at the top of the answer does nothing",
        ),
        (
            "unterminated",
            "{\"decision\": \"block\", \"reason\": 1",
            "stdout begins like JSON but is not valid: line 1, col",
        ),
    ] {
        let mut screen = opened(MEDIUM, &[("PreToolUse", "Bash", &["a"])]);
        screen.keys("f");
        screen.report(|_| (0, stdout, ""));
        assert_shows(&screen, &["NO OBJECTION"]);
        let text = screen.text();
        let (y, row) = text.lines().enumerate().find(|(_, l)| l.contains("❯") && l.contains(" a.sh ")).unwrap();
        assert!(row.contains(&says[..30]) && !row.contains("no objection"), "{name}: {row}");
        screen.keys("Tab G");
        // When the row is not selected, its colour is visible.
        let styles = screen.styles();
        assert!(styles.lines().nth(y).unwrap().contains("mmmmmmmm"), "{name}:\n{styles}");
        screen.keys("] ]");
        let flat = screen.text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(name != "unterminated" || flat.contains("is not valid: line 1, column 34"), "{flat}");
    }
}

/// A mistake that no rule names.
#[test]
fn an_answer_of_which_nothing_counts_says_so() {
    for (event, stdout, says) in [
        ("PostToolUse", "{\"permissionDecision\":\"deny\"}", "`permissionDecision` in the answer"),
        ("Stop", "{\"additionalContext\":\"x\"}", "`additionalContext` at the top"),
        ("Stop", "{\"systemMessage\":\"x\",\"foo\":1}", "no objection"),
        ("Stop", "{}", "no objection"),
    ] {
        let mut screen = opened(WIDE, &[(event, "", &["a"])]);
        screen.keys("f");
        screen.report(|_| (0, stdout, ""));
        let text = screen.text();
        let row = text
            .lines()
            .skip_while(|l| !(l.contains("❯") && l.contains(" a.sh ")))
            .take(2)
            .collect::<Vec<_>>()
            .join(" ");
        assert!(row.contains(says), "{event} {stdout}: {row}");
    }
}

/// An answer that is lost looks like a failure, and an event without a lost answer does not.
#[test]
fn a_lost_answer_is_not_drawn_like_no_objection() {
    let chip = |stdout: &'static str, code: i32, word: &str| {
        let mut screen = opened(MEDIUM, &[("PreToolUse", "Bash", &["a"])]);
        screen.model.theme = Theme { colour: true, unicode: true };
        screen.keys("f");
        screen.report(|_| (code, stdout, ""));
        let text = screen.text();
        let row = text.lines().position(|line| line.contains(word)).unwrap_or_else(|| panic!("{word}:\n{text}"));
        let buffer = screen.draw();
        let cell = &buffer[(5, u16::try_from(row).unwrap())];
        (cell.fg, cell.bg, cell.modifier)
    };
    let failed = chip("", 1, "NOT CHECKED");
    let lost = "hello\n{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\"}}";
    assert_eq!(chip(lost, 0, "NO OBJECTION"), failed);
    assert_ne!(chip("", 0, "NO OBJECTION"), failed);
}

/// An answer that stops the agent is no objection about the call, but it must not read as if the hook had said nothing.
#[test]
fn an_answer_that_stops_the_agent_says_so() {
    for (stdout, says) in [
        (r#"{"continue": false, "stopReason": "enough"}"#, "stops the agent"),
        (r#"{"decision": "block", "reason": "no", "continue": false}"#, "deny, and stops the agent"),
        (r#"{"continue": true}"#, "no objection"),
    ] {
        let mut screen = opened(MEDIUM, &[("PreToolUse", "Bash", &["a"])]);
        screen.keys("f");
        screen.report(|_| (0, stdout, ""));
        let text = screen.text();
        let row = text.lines().find(|line| line.contains("❯")).unwrap_or_default();
        assert!(row.contains(says), "{stdout}: {text}");
        assert!(says == "no objection" || !row.contains("no objection"), "{stdout}: {row}");
    }
}

const ASKS: &str = r#"{"type": "prompt", "prompt": "is it safe?"}"#;

#[test]
fn what_needs_the_model_does_not_run_here() {
    let hooks: &[(&str, &str, &[&str])] = &[("PreToolUse", "Bash", &["a", "b", ASKS])];
    let mut screen = TestScreen::new(MEDIUM, "claude", files(hooks));
    assert_shows(
        &screen,
        &["READY", "2 hooks will run, 1 needs the agent's model", "not run here: needs the agent's model"],
    );
    assert_hides(&screen, &["3 hooks will run"]);
    screen.keys("f");
    assert_shows(&screen, &["Run these 2 commands? 1 needs the agent's model"]);
    screen.keys("Y");
    for (firing, request) in screen.started.clone() {
        screen.fact(Fact::Ended { firing, report: Box::new(RunReport::new(request.run, Exit::Code(0), "", "")) });
    }
    screen.keys("G w [ [");
    assert_hides(&screen, &["its exit status alone counts"]);
    assert_shows(&screen, &["nothing yet: it needs the agent's model"]);
    assert_hides(&screen, &["because   The "]);
    picture("said-needs-model-80x24", screen.text());
}

#[test]
fn the_users_model_answers_for_the_agents() {
    let hooks: &[(&str, &str, &[&str])] = &[("PreToolUse", "Bash", &[ASKS])];
    let mut screen = TestScreen::new(MEDIUM, "claude", files(hooks));
    let ask = |screen: &mut TestScreen| {
        screen.keys(":").type_text("ask-model").keys("Enter");
    };
    ask(&mut screen);
    assert_shows(&screen, &["select a hook that only the agent's model can answer"]);
    screen.keys("f");
    ask(&mut screen);
    assert_shows(&screen, &["asking your model"]);
    let firing = screen.model.session.history().newest_record().unwrap();
    let (firing, run) = (firing.id, firing.runs[0].run);
    let text = r#"{"ok": false, "reason": "tests are red"}"#.to_owned();
    let reply = OwnModelAnswer::Answered { by: "judge-1".to_owned(), text };
    screen.fact(Fact::ModelReplied { firing, run, reply });
    assert_shows(&screen, &["DENY", "tests are red"]);
}

#[test]
fn a_broken_file_is_not_shown_as_empty() {
    let hooks: &[(&str, &str, &[&str])] = &[("PreToolUse", "Bash", &["a", "b", "c"])];
    let mut screen = opened(MEDIUM, hooks);
    screen.save(".claude/settings.json", "{\n  \"hooks\": {,}\n}\n");
    assert_shows(
        &screen,
        &["FILE SKIPPED", ".claude/settings.json is skipped, so its 3 hooks do not run", "its file is skipped"],
    );
    screen.keys("f");
    assert_shows(
        &screen,
        &["NO HOOK RUNS", "because   PreToolUse has no hook: .claude/settings.json could not be read"],
    );
    assert_hides(&screen, &["no hook is configured"]);
    let mut files = files(hooks);
    files.put(format!("{PROJECT}/.claude/settings.json"), "{\n  \"hooks\": {,}\n}\n");
    let screen = TestScreen::new(MEDIUM, "claude", files);
    assert_shows(&screen, &["FILE SKIPPED", ".claude/settings.json cannot be read, so its hooks are unknown"]);
    assert_hides(&screen, &["Hooks are read from", "hookbench demo"]);
    picture("said-broken-first-80x24", screen.text());
}

#[test]
fn skipped_hooks_are_not_called_never() {
    let mut screen = opened(MEDIUM, &[("PreToolUse", "Bash bash", &["a", "b"])]);
    assert_shows(&screen, &["2 hooks will run, 2 never run"]);
    screen.keys("Space");
    assert_shows(&screen, &["1 hook will run, 2 never run, 1 excluded", "excluded by you, for this run only"]);
    assert_hides(&screen, &["never: left out", "3 never"]);
}

#[test]
fn a_known_reason_outlives_the_run() {
    let mut screen = opened(MEDIUM, &[("PreToolUse", "Bash", &["noexec"])]);
    assert_shows(&screen, &["noexec.sh is not executable"]);
    screen.keys("f");
    screen.report(|_| (126, "", "permission denied\n"));
    assert_shows(&screen, &["NOT CHECKED", "noexec.sh is not executable (exit 126)"]);
    assert_hides(&screen, &["exit status 126"]);
    // If no reason was known before the run, the agent's message is shown, and the status once.
    for (code, says) in [(126, "the command could not run (exit 126)"), (127, "the command was not found (exit 127)")] {
        let mut screen = opened(MEDIUM, &[("PreToolUse", "Bash", &["a"])]);
        screen.keys("f");
        screen.report(|_| (code, "", ""));
        let rows = band(&screen);
        assert!(rows.contains(says) && rows.matches("exit 12").count() == 1, "{rows}");
    }
}

/// A verdict that the agent may not come to says why, at once.
#[test]
fn the_band_names_what_the_agent_may_not_find() {
    let mut screen = opened(MEDIUM, &[("PreToolUse", "Bash", &["a"])]);
    screen.keys("f");
    for (firing, request) in std::mem::take(&mut screen.started) {
        screen.fact(Fact::Ended { firing, report: Box::new(RunReport::new(request.run, Exit::Code(2), "", "no")) });
    }
    assert_shows(&screen, &["DENY"]);
    assert_hides(&screen, &["is not on the PATH"]);
    let facts = screen.model.definition_facts.as_mut().unwrap();
    facts.missing_for_agent = Some("jq is not on the PATH that Claude Code was last seen with: /bin".to_owned());
    assert_shows(&screen, &["env       jq is not on the PATH that Claude Code was last seen with: /bin"]);
}

#[test]
fn texts_follow_the_state() {
    // After the request to end.
    let mut screen = opened(MEDIUM, &[("PreToolUse", "Bash", &["a"])]);
    screen.keys("f");
    assert_shows(&screen, &["RUNNING", "Ctrl+C ends it"]);
    screen.control('c');
    assert_shows(&screen, &["ENDING", "Ctrl+C again kills"]);
    assert_hides(&screen, &["Ctrl+C ends it"]);
    // A second Ctrl+C that comes too late for the hooks does not quit.
    for (firing, request) in std::mem::take(&mut screen.started) {
        screen.fact(Fact::Ended { firing, report: Box::new(RunReport::new(request.run, Exit::Cancelled, "", "")) });
    }
    assert_shows(&screen, &["the hooks have ended"]);
    assert_hides(&screen, &["again to kill"]);
    screen.control('c');
    assert_shows(&screen, &["the hooks have ended; Ctrl+C again quits"]);
    assert!(!screen.asks.contains(&LoopRequest::Quit));
    screen.control('c');
    assert!(screen.asks.contains(&LoopRequest::Quit));
    // A continued sentence starts with a lower-case letter.
    let mut screen = opened(MEDIUM, &[("Stop", "", &[ASKS])]);
    screen.keys("f");
    assert_shows(&screen, &["UNKNOWN", "because   "]);
    let rows = band(&screen);
    let because = rows.lines().find_map(|row| row.trim().strip_prefix("▌ because   ")).unwrap();
    assert!(because.starts_with(char::is_lowercase), "{rows}");
    // Equal times are shown once.
    let mut screen = opened(MEDIUM, &[("PreToolUse", "Bash", &["a"])]);
    screen.keys("f");
    let (firing, request) = screen.started.remove(0);
    let mut report = RunReport::new(request.run, Exit::Code(2), "", "no\n");
    report.timing.ended = std::time::Duration::from_micros(55_600);
    screen.fact(Fact::Ended { firing, report: Box::new(report) });
    assert_eq!(screen.text().matches("55 ms").count(), 2, "{}", screen.text());
    // After the first run.
    let mut screen = TestScreen::new(MEDIUM, "claude", files(&[("PreToolUse", "Bash", &["a"])]));
    assert_shows(&screen, &["f fire (asks first)"]);
    screen.keys("f Y");
    screen.report(|_| (0, "", ""));
    screen.save(".claude/settings.json", &settings(&[("PreToolUse", "Bash", &["a", "b"])]));
    assert_shows(&screen, &["READY", "f fire (asks first)"]);
    // The name of the hook is shown once.
    let mut screen = opened(MEDIUM, &[("PreToolUse", "Bash", &["badjson"])]);
    screen.keys("f");
    screen.report(|_| {
        (0, "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}", "")
    });
    assert_shows(&screen, &["by        badjson.sh", "answers with `permissionDecision`"]);
    assert_eq!(band(&screen).matches("badjson.sh").count(), 1, "{}", band(&screen));
    // A summary without words shows its key.
    let mut screen = opened(MEDIUM, &[("PostToolUse", "*", &["a"])]);
    screen.send(hookbench::tui::Msg::Paste(
        r#"{"hook_event_name":"PostToolUse","tool_name":"mcp__mem__get","tool_input":{"id":"1"},"tool_response":{}}"#
            .to_owned(),
    ));
    assert_shows(&screen, &["PostToolUse  mcp__mem__get  id 1"]);
}

#[test]
fn hooks_of_other_events_have_the_room_there_is() {
    let hooks: &[(&str, &str, &[&str])] =
        &[("PreToolUse", "*", &["a"]), ("PostToolUse", "Bash", &["guard-the-branch", "escalate-it"])];
    for size in [WIDE, MEDIUM, TINY] {
        let mut screen = opened(size, hooks);
        screen.keys("G Enter j j j");
        assert_shows(&screen, &["guard-the-branch.sh", "escalate-it.sh", "project:7"]);
        if size != TINY {
            assert_shows(&screen, &["Bash"]);
        }
    }
}

/// A hook that fails where the agent then blocks says that it denies, in the decision and in the ladder.
#[test]
fn a_hook_that_fails_closed_denies() {
    let mut files = files(&[]);
    let hooks = r#"{"hooks": {"preToolUse": [{"type": "command", "bash": "./a.sh"}]}}"#;
    files.put(format!("{PROJECT}/.github/copilot/settings.json"), hooks);
    files.put("/home/dev/.copilot/config.json", format!("{{\"trustedFolders\": [\"{PROJECT}\"]}}"));
    let theme = Theme { colour: true, unicode: true };
    let mut screen = TestScreen::with(WIDE, "copilot", files, theme, true);
    screen.keys("f");
    screen.report(|_| (1, "", "boom\n"));
    let shown = |screen: &mut TestScreen, words: &[&str]| {
        let text = screen.text();
        assert!(words.iter().all(|words| text.contains(words)), "{words:?}\n{text}");
    };
    shown(&mut screen, &["FAILED CLOSED"]);
    screen.model.tab = Some(hookbench::tui::Tab::Decision);
    screen.keys("Down");
    shown(&mut screen, &["decides   deny: the agent blocks because the hook failed"]);
    screen.keys("w");
    shown(&mut screen, &["the agent blocks because the hook failed: "]);
}
