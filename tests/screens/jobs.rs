//! The jobs of a user, and the number of keys that each takes: to read the cause of a problem, to fix it, and to find
//! what a session of an agent would be denied now.

use std::fs;
use std::path::PathBuf;

use hookbench::app::{AgentSession, EventStoreResponse, Fact, Job};
use hookbench::core::config::MemoryFiles;
use hookbench::core::recorded::RecordedSession;
use hookbench::tui::LoopRequest;

use crate::recorded_screen::{COLOUR, RecordedScreen};
use crate::screen::{MEDIUM, PROJECT, TestScreen, sample_files};

const SETTINGS: &str = ".claude/settings.json";
const SCRIPT: &str = "hooks/guard.sh";

/// A mistake that keeps a hook from its work.
struct Mistake {
    name: &'static str,
    /// The settings and the script.
    settings: String,
    script: &'static str,
    executable: bool,
    /// The keys that run the hook, if its mistake shows only then.
    fire: &'static str,
    /// The sentence that names the cause.
    cause: &'static str,
    /// The keys of the fix, and the text that the fixed file has.
    fix: &'static str,
    fixed: (&'static str, &'static str),
}

fn mistakes() -> Vec<Mistake> {
    let settings = |before: &str, event: &str, matcher: &str, after: &str| {
        format!(
            "{{{before}\"hooks\": {{\"{event}\": [{{\"matcher\": \"{matcher}\", \"hooks\": [\
             {{\"type\": \"command\", \"command\": \"$CLAUDE_PROJECT_DIR/{SCRIPT}\"}}]}}{after}]}}}}"
        )
    };
    let usual = Mistake {
        name: "",
        settings: settings("", "PreToolUse", "Bash", ""),
        script: "#!/bin/sh\nexit 2\n",
        executable: true,
        fire: "",
        cause: "",
        fix: "x Y",
        fixed: (SETTINGS, ""),
    };
    vec![
        Mistake {
            name: "wrong case in a matcher",
            settings: settings("", "PreToolUse", "bash", ""),
            cause: "\"bash\" is not \"Bash\" (case)",
            fixed: (SETTINGS, "\"Bash\""),
            ..usual
        },
        Mistake {
            name: "script not executable",
            executable: false,
            settings: usual.settings.clone(),
            cause: "guard.sh is not executable",
            ..usual
        },
        Mistake {
            name: "wrong event",
            settings: settings("", "preToolUse", "Bash", ""),
            cause: "the event `preToolUse` is unknown",
            fixed: (SETTINGS, "\"PreToolUse\""),
            ..usual
        },
        Mistake {
            name: "disableAllHooks",
            settings: settings("\"disableAllHooks\": true, ", "PreToolUse", "Bash", ""),
            cause: "`disableAllHooks` is true",
            fixed: (SETTINGS, "{\"hooks\""),
            ..usual
        },
        Mistake {
            name: "trailing comma",
            settings: settings("", "PreToolUse", "Bash", ","),
            cause: "a comma before `]`",
            fixed: (SETTINGS, "}]}]}}"),
            ..usual
        },
        Mistake {
            name: "exit 1 in place of exit 2",
            settings: usual.settings.clone(),
            script: "#!/bin/sh\necho no >&2\nexit 1\n",
            fire: "f Y",
            cause: "exit 1 does not block",
            fixed: (SCRIPT, "exit 2"),
            ..usual
        },
    ]
}

fn opened(mistake: &Mistake) -> TestScreen {
    let mut files: MemoryFiles = sample_files();
    files.put(format!("{PROJECT}/{SETTINGS}"), &mistake.settings);
    files.put(format!("{PROJECT}/.claude/settings.local.json"), "{}");
    let script = format!("{PROJECT}/{SCRIPT}");
    // In memory, a file with an interpreter line is executable.
    files.put(script, if mistake.executable { mistake.script } else { "exit 2\n" });
    TestScreen::new(MEDIUM, "claude", files).with_lint("")
}

fn count(keys: &str) -> usize {
    keys.split(' ').filter(|key| !key.is_empty()).count()
}

#[test]
fn a_mistake_is_named_without_a_key_and_fixed_with_two() {
    let mut table = String::new();
    for mistake in mistakes() {
        let name = mistake.name;
        let mut screen = opened(&mistake);
        if !mistake.fire.is_empty() {
            screen.keys(mistake.fire);
            screen.report(|_| (1, "", "no\n"));
        }
        let shown = screen.text().replace("│\n│", " ");
        assert!(shown.contains(mistake.cause), "{name}: {}\n{shown}", mistake.cause);
        screen.keys(mistake.fix);
        let (file, text) = mistake.fixed;
        let after = screen.model.session.files().read(&format!("{PROJECT}/{file}")).unwrap();
        assert!(String::from_utf8(after).unwrap().contains(text), "{name}:\n{}", screen.text());
        let written = screen.asks.iter().filter_map(|ask| match ask {
            LoopRequest::Jobs(jobs) => jobs.iter().find_map(|job| match job {
                Job::WriteFiles(files) => Some(files.clone()),
                _ => None,
            }),
            _ => None,
        });
        let written: Vec<_> = written.flatten().collect();
        assert_eq!(written.len(), 1, "{name}");
        assert_eq!(written[0].executable, !mistake.executable, "{name}");
        assert!(count(mistake.fix) <= 2);
        table.push_str(&format!("{name:<26} fire {}   cause 0   fix {}\n", count(mistake.fire), count(mistake.fix)));
    }
    let measured = "\
wrong case in a matcher    fire 0   cause 0   fix 2
script not executable      fire 0   cause 0   fix 2
wrong event                fire 0   cause 0   fix 2
disableAllHooks            fire 0   cause 0   fix 2
trailing comma             fire 0   cause 0   fix 2
exit 1 in place of exit 2  fire 2   cause 0   fix 2
";
    assert_eq!(table, measured);
}

/// Agents that run no hook of a project without trust: the id, the settings file, its text.
const UNTRUSTED: [(&str, &str, &str); 2] = [
    (
        "gemini",
        ".gemini/settings.json",
        r#"{"hooks": {"BeforeTool": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "true"}]}]}}"#,
    ),
    (
        "codex",
        ".codex/hooks.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}"#,
    ),
];

/// A hook that waits for trust or a review is tried here all the same; the agent's own files do not change.
#[test]
fn a_project_without_trust_is_tried_as_if_it_were_trusted() {
    for (agent, file, text) in UNTRUSTED {
        let mut files = MemoryFiles::default();
        files.put(format!("{PROJECT}/{file}"), text);
        let mut screen = TestScreen::new(MEDIUM, agent, files);
        let before = screen.text();
        assert!(before.contains("NO HOOK RUNS") && before.contains(",t as if trusted"), "{before}");
        // The payload begins with what the agent does, not with the number of a turn.
        assert!(before.contains("payload  tool_name: "), "{before}");
        screen.keys(", t").load();
        let after = screen.text();
        assert!(after.contains("1 hook will run") && after.contains("as if trusted"), "{after}");
        screen.keys(", t").load();
        assert!(screen.text().contains("NO HOOK RUNS"), "{}", screen.text());
    }
}

/// The switches of agents whose switch is not `disableAllHooks`.
#[test]
fn every_switch_of_hooks_is_named_and_fixed_with_two_keys() {
    let off = r#"{"hooksConfig": {"enabled": false}, "#;
    let gemini = UNTRUSTED[0].2.replacen('{', off, 1);
    let trust = format!("{{\"{PROJECT}\": \"TRUST_FOLDER\"}}");
    let codex = "[features]\nhooks = false\n";
    let hooks = UNTRUSTED[1].2.to_owned();
    for (agent, files, fixed) in [
        (
            "gemini",
            [
                (format!("{PROJECT}/.gemini/settings.json"), gemini),
                ("/home/dev/.gemini/trustedFolders.json".to_owned(), trust),
            ],
            (format!("{PROJECT}/.gemini/settings.json"), "\"enabled\": true"),
        ),
        (
            "codex",
            [
                ("/home/dev/.codex/config.toml".to_owned(), codex.to_owned()),
                ("/home/dev/.codex/hooks.json".to_owned(), hooks),
            ],
            ("/home/dev/.codex/config.toml".to_owned(), "hooks = true"),
        ),
    ] {
        let mut all = MemoryFiles::default();
        for (path, text) in &files {
            all.put(path, text);
        }
        let mut screen = TestScreen::new(MEDIUM, agent, all).with_lint("");
        let shown = screen.text();
        assert!(shown.contains("NO HOOK RUNS") && shown.contains("x switch hooks on"), "{agent}:\n{shown}");
        screen.keys("x Y");
        let after = screen.model.session.files().read(&fixed.0).unwrap();
        assert!(String::from_utf8(after).unwrap().contains(fixed.1), "{agent}:\n{}", screen.text());
    }
}

/// A session of an agent is imported and replayed to its deny.
#[test]
fn the_deny_of_a_session_takes_six_keys() {
    let directory = tempfile::tempdir().unwrap();
    let shop: PathBuf = directory.path().canonicalize().unwrap().join("shop");
    fs::create_dir_all(shop.join(".claude")).unwrap();
    let hook = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [\
                {\"type\": \"command\", \"command\": \"grep -q 'rm -rf' && { echo not here >&2; exit 2; }; exit 0\"}]}]}}";
    fs::write(shop.join(SETTINGS), hook).unwrap();
    let line = |number: usize, role: &str, content: &str| {
        format!(
            "{{\"type\": \"{role}\", \"sessionId\": \"5f2a\", \"cwd\": \"{}\", \"version\": \"2.1.330\", \
             \"uuid\": \"u{number}\", \"timestamp\": \"2026-11-23T10:00:0{number}.000Z\", \
             \"message\": {{\"role\": \"{role}\", \"content\": {content}}}}}\n",
            shop.display()
        )
    };
    let call = |id: &str, command: &str| {
        format!(
            "[{{\"type\": \"tool_use\", \"id\": \"{id}\", \"name\": \"Bash\", \"input\": {{\"command\": \"{command}\"}}}}]"
        )
    };
    let answer =
        |id: &str| format!("[{{\"type\": \"tool_result\", \"tool_use_id\": \"{id}\", \"content\": \"done\"}}]");
    let session = [
        line(1, "user", "\"clean up\""),
        line(2, "assistant", &call("toolu_1", "ls /opt")),
        line(3, "user", &answer("toolu_1")),
        line(4, "assistant", &call("toolu_2", "rm -rf /opt/x")),
        line(5, "user", &answer("toolu_2")),
    ];
    let file = directory.path().join("5f2a.jsonl");
    fs::write(&file, session.concat()).unwrap();
    // The page is opened with `3`.
    let mut desk = RecordedScreen::at(MEDIUM, COLOUR, None, directory, shop);
    let own = AgentSession {
        file,
        kind: "claude-transcript",
        session: RecordedSession { agent: "claude".to_owned(), ..RecordedSession::default() },
        bytes: 2_000,
        debug_log: None,
        written: Some(1_795_185_062_000),
    };
    desk.screen.fact(Fact::EventList(EventStoreResponse::AgentSessions(vec![own])));
    let (import, replay) = ("Enter", "r Enter R Y");
    desk.keys(import);
    desk.assert_shows(&["rm -rf /opt/x"]);
    desk.keys(replay);
    desk.assert_shows(&["1 of", "would now be DENIED", "rm -rf /opt/x"]);
    assert!(count("3") + count(import) + count(replay) <= 6);
}

/// A hook of a project: its agent, its settings file and their text.
struct OwnHook {
    name: &'static str,
    agent: &'static str,
    file: &'static str,
    settings: &'static str,
    /// The texts that the screen shows, and one that it does not.
    shown: &'static [&'static str],
    hidden: &'static str,
}

/// What the screen says before a run, about a hook that is not run for a reason outside of it.
#[test]
fn the_band_names_what_stops_a_hook_and_the_key_that_fixes_it() {
    let cases = [
        OwnHook {
            name: "a tool of a server",
            agent: "claude",
            file: SETTINGS,
            settings: "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"mcp__github__.*\", \"hooks\": [\
                       {\"type\": \"command\", \"command\": \"true\"}]}]}}",
            shown: &["The hook here is for other input: t chooses another", "not for this"],
            hidden: "never",
        },
        OwnHook {
            name: "a switch of an agent that reports it with the hook",
            agent: "qwen",
            file: ".qwen/settings.json",
            settings: "{\"disableAllHooks\": true, \"hooks\": {\"PreToolUse\": [{\"matcher\": \"run_shell_command\", \
                       \"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}",
            shown: &["disableAllHooks is set", "x delete disableAllHooks"],
            hidden: "also",
        },
        OwnHook {
            name: "a directory without trust, and a matcher in the wrong case",
            agent: "gemini",
            file: ".gemini/settings.json",
            settings: "{\"hooks\": {\"BeforeTool\": [{\"matcher\": \"Run_Shell_Command\", \"hooks\": [\
                       {\"type\": \"command\", \"command\": \"true\"}]}]}}",
            shown: &["never", "is not trusted", "also", "differs from", "x fix settings.json:1"],
            hidden: "READY",
        },
        OwnHook {
            name: "a broken file in a directory without trust",
            agent: "codex",
            file: ".codex/hooks.json",
            settings: "{\"hooks\": {},}",
            shown: &["FILE SKIPPED", ".codex/hooks.json is skipped", "x remove comma"],
            hidden: "No hooks are configured here",
        },
        OwnHook {
            name: "hooks of another agent",
            agent: "claude",
            file: ".qwen/settings.json",
            settings: "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"run_shell_command\", \"hooks\": [\
                       {\"type\": \"command\", \"command\": \"true\"}]}]}}",
            shown: &["NO HOOKS", "Qwen Code has 1 hook", "a change the agent"],
            hidden: "FILE SKIPPED",
        },
    ];
    for case in cases {
        let mut files = MemoryFiles::default();
        files.put(format!("{PROJECT}/{}", case.file), case.settings);
        let screen = TestScreen::new(MEDIUM, case.agent, files).with_lint("");
        let shown = screen.text();
        for text in case.shown {
            assert!(shown.contains(text), "{}: {text}\n{shown}", case.name);
        }
        let band: String = shown.lines().take_while(|line| !line.contains('╭')).collect();
        assert!(!band.contains(case.hidden), "{}: {}\n{shown}", case.name, case.hidden);
    }
}

/// A fixed matcher that does not match the input on the bench leads to the input that it matches.
#[test]
fn a_fixed_matcher_leads_to_its_input() {
    let mut files = MemoryFiles::default();
    let settings = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"edit\", \"hooks\": [\
                    {\"type\": \"command\", \"command\": \"true\"}]}]}}";
    files.put(format!("{PROJECT}/{SETTINGS}"), settings);
    let mut screen = TestScreen::new(MEDIUM, "claude", files).with_lint("");
    assert!(screen.text().contains("did you mean \"Edit\"?"), "{}", screen.text());
    screen.keys("x Y");
    let shown = screen.text();
    assert!(shown.contains("The hook here is for other input: t chooses another"), "{shown}");
    screen.keys("t Enter");
    let shown = screen.text();
    assert!(shown.contains("PreToolUse  Edit") && shown.contains("1 hook will run"), "{shown}");
    // Where a hook runs, the list begins with the event's first template.
    screen.keys("t Enter");
    assert!(screen.text().contains("template 1 of"), "{}", screen.text());
}

/// An answer that the agent ignores because of a text before it is named beside the verdict.
#[test]
fn an_ignored_answer_is_named_beside_the_verdict() {
    let mut files = sample_files();
    let settings = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [\
                    {\"type\": \"command\", \"command\": \"$CLAUDE_PROJECT_DIR/hooks/guard.sh\"}]}]}}";
    files.put(format!("{PROJECT}/{SETTINGS}"), settings);
    files.put(format!("{PROJECT}/.claude/settings.local.json"), "{}");
    let mut screen = TestScreen::new(MEDIUM, "claude", files).with_lint("");
    screen.keys("f Y");
    let answer =
        "checking\n{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\"}}\n";
    screen.report(|_| (0, answer, ""));
    let shown = screen.text();
    for text in ["NO OBJECTION", "ignored", "before the JSON answer", "❯! guard.sh"] {
        assert!(shown.contains(text), "{text}\n{shown}");
    }
    assert!(!shown.contains("because"), "{shown}");
}
