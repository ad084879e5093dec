//! Statements about Droid 0.225.2 that neither the recorded sessions nor the recorded firings hold: files that are read,
//! the launch of a hook, matchers of every event, the texts that the model gets, stops without a limit.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use hookbench::app::InputRequest;
use hookbench::core::config::Place;
use hookbench::core::decide::{Outcome, Verdict};
use hookbench::core::dialects;
use serde_json::{Value, json};

use crate::settled_event::fire_over;

fn place() -> Place {
    Place { project: "/r/p".to_owned(), home: "/h".to_owned(), home_given: true, ..Place::default() }
}

fn event(name: &str) -> InputRequest {
    InputRequest { event: Some(name.to_owned()), ..InputRequest::default() }
}

fn started(files: &[(&str, Value)], name: &str) -> Vec<String> {
    let none = |_: &str| (0, String::new(), String::new());
    fire_over("droid", place(), files, &event(name), 0, none).0.into_iter().map(|(command, _)| command).collect()
}

fn groups(matcher: Option<&str>, command: &str) -> Value {
    let mut group = json!({"hooks": [{"type": "command", "command": command}]});
    if let Some(matcher) = matcher {
        group["matcher"] = json!(matcher);
    }
    json!([group])
}

fn outcome(name: &str, stops: u32, answers: &[(i32, Value, &str)]) -> Outcome {
    let hooks: Vec<Value> =
        (0..answers.len()).map(|number| json!({"type": "command", "command": number.to_string()})).collect();
    let files = [("/r/p/.factory/settings.json", json!({"hooks": {name: [{"hooks": hooks}]}}))];
    fire_over("droid", place(), &files, &event(name), stops, |command| {
        let (code, stdout, stderr) = &answers[command.parse::<usize>().unwrap()];
        let stdout = stdout.as_str().map_or_else(|| stdout.to_string(), str::to_owned);
        (*code, stdout, (*stderr).to_owned())
    })
    .1
}

/// §1, §2: the files of both scopes, switches that have no effect, and files that are not read.
#[test]
fn which_files_are_read() {
    let top = |command: &str| json!({"PreToolUse": groups(None, command)});
    let nested = |command: &str| json!({"hooks": top(command)});
    let git = ("/r/.git/HEAD", json!("ref: refs/heads/main"));
    for (files, want) in [
        (vec![("/r/p/.factory/hooks.json", top("p")), ("/h/.factory/hooks.json", top("u"))], vec!["p", "u"]),
        (
            vec![("/r/p/.factory/settings.json", nested("p")), ("/h/.factory/settings.json", nested("u"))],
            vec!["p", "u"],
        ),
        (vec![("/h/.factory/hooks/hooks.json", top("u"))], vec!["u"]),
        (
            vec![git.clone(), ("/r/.factory/hooks.json", top("r")), ("/r/p/.factory/hooks.json", top("p"))],
            vec!["p", "r"],
        ),
        (vec![("/r/.factory/hooks.json", top("r"))], vec![]),
        (vec![("/r/p/.factory/hooks.json", nested("w")), ("/r/p/.factory/settings.json", nested("s"))], vec!["s"]),
    ] {
        assert_eq!(started(&files, "PreToolUse"), want, "{files:?}");
    }
    for path in [
        "/r/p/.factory/settings.local.json",
        "/h/.factory/settings.local.json",
        "/r/p/.factory/hooks.local.json",
        "/h/.factory/config.json",
        "/r/p/.claude/settings.json",
        "/r/p/.claude/settings.local.json",
        "/h/.claude/settings.json",
    ] {
        assert_eq!(started(&[(path, nested("x"))], "PreToolUse"), Vec::<String>::new(), "{path}");
        assert_eq!(started(&[(path, top("x"))], "PreToolUse"), Vec::<String>::new(), "{path}");
    }
    for (key, value) in [("hooksDisabled", true), ("disableAllHooks", true), ("enableHooks", false)] {
        for path in ["/r/p/.factory/settings.json", "/h/.factory/settings.json"] {
            let mut settings = nested("x");
            settings[key] = json!(value);
            assert_eq!(started(&[(path, settings)], "PreToolUse"), ["x"], "{key} in {path}");
        }
    }
}

/// §3: the keys of each payload, and the events that `droid exec` does not have.
#[test]
fn payloads() {
    let common = ["session_id", "transcript_path", "cwd", "permission_mode", "hook_event_name"];
    for (name, own) in [
        ("SessionStart", &["source", "CLAUDE_ENV_FILE"][..]),
        ("PreToolUse", &["tool_name", "tool_input"]),
        ("PostToolUse", &["tool_name", "tool_input", "tool_response"]),
        ("Stop", &["stop_hook_active", "message_id", "tool_execution_count", "elapsed_time"]),
        ("SessionEnd", &["reason", "message_id", "session_duration_ms", "message_count"]),
    ] {
        let files = [("/r/p/.factory/hooks.json", json!({name: groups(None, "x")}))];
        let (runs, _) = fire_over("droid", place(), &files, &event(name), 0, |_| (0, String::new(), String::new()));
        let mut keys: Vec<&str> = runs[0].1.as_object().unwrap().keys().map(String::as_str).collect();
        let mut want: Vec<&str> = common.iter().chain(own).copied().collect();
        keys.sort_unstable();
        want.sort_unstable();
        assert_eq!(keys, want, "{name}");
        assert!(runs[0].1.get("tool_response").is_none_or(Value::is_string), "{name}");
    }
    let dialect = dialects::by_id("droid").unwrap();
    let version = dialects::default_version(dialect);
    for name in ["PermissionRequest", "PostToolUseFailure", "SubagentStart", "Setup", "PostCompact", "StopFailure"] {
        assert!(dialects::find_event(dialect, &version, name).is_none(), "{name}");
    }
    // Their answers were not observed.
    for name in ["UserPromptSubmit", "Notification", "SubagentStop", "PreCompact"] {
        let block = json!({"decision": "block", "reason": "R"});
        assert_eq!(outcome(name, 0, &[(0, block, "")]).verdict, Verdict::Unknown, "{name}");
    }
}

/// §4: a matcher counts before and after a tool and at the start of a session.
#[test]
fn matchers_by_event() {
    for (name, matcher, fires) in [
        ("PreToolUse", "Execute", true),
        ("PostToolUse", "xecu", true),
        ("PostToolUse", "Bash", false),
        ("PreToolUse", "Write", false),
        ("SessionStart", "start", true),
        ("SessionStart", "resume", false),
        ("Stop", "zz", true),
        ("Stop", "(", true),
        ("SessionEnd", "(", true),
    ] {
        let files = [("/r/p/.factory/hooks.json", json!({name: groups(Some(matcher), "x")}))];
        assert_eq!(!started(&files, name).is_empty(), fires, "{name} {matcher}");
    }
}

/// §5.1: every text that the specification quotes, whole.
#[test]
fn texts_that_the_model_gets() {
    let specific = |value: Value| json!({"hookSpecificOutput": value});
    let deny = |reason: Value| specific(json!({"permissionDecision": "deny", "permissionDecisionReason": reason}));
    for (name, code, answer, stderr, told, reason) in [
        ("PreToolUse", 0, deny(json!(" R ")), "", Some("Error:  R "), Some(" R ")),
        ("PreToolUse", 0, deny(json!(5)), "", Some("Error: 5"), Some("5")),
        (
            "PreToolUse",
            0,
            specific(json!({"permissionDecision": "deny"})),
            "",
            Some("Error: Tool execution denied by hook"),
            Some("Tool execution denied by hook"),
        ),
        ("PreToolUse", 2, json!(""), " E\n", Some("Error:  E\n"), Some(" E\n")),
        (
            "PreToolUse",
            2,
            json!(""),
            "",
            Some("Error: Tool execution blocked by hook"),
            Some("Tool execution blocked by hook"),
        ),
        (
            "PreToolUse",
            0,
            specific(json!({"updatedInput": {"command": 5}})),
            "",
            Some("Error: command is required and must be a string"),
            Some("command is required and must be a string"),
        ),
        ("PreToolUse", 0, json!({"decision": "block", "reason": "R"}), "", None, None),
        ("PostToolUse", 2, json!(""), "E2", Some("[Hook Feedback] E2"), Some("E2")),
        (
            "PostToolUse",
            2,
            json!(""),
            "",
            Some("[Hook Feedback] PostToolUse hook reported an issue"),
            Some("PostToolUse hook reported an issue"),
        ),
        ("PostToolUse", 0, json!({"decision": "block", "reason": "R"}), "", None, None),
        ("Stop", 2, json!(""), "", None, Some("Stop hook requested continuation")),
        ("Stop", 0, json!({"decision": "block", "reason": "R"}), "", None, Some("R")),
    ] {
        let outcome = outcome(name, 0, &[(code, answer.clone(), stderr)]);
        let got = (outcome.extra.get("told").and_then(Value::as_str), outcome.reason.as_deref());
        assert_eq!(got, (told, reason), "{name} {code} {answer} {stderr}");
    }
}

/// §5.1, §5.2: stops have no limit, and which of two hooks counts.
#[test]
fn stops_and_merging() {
    let block = |reason: &str| (0, json!({"decision": "block", "reason": reason}), "");
    let exit_2 = |stderr: &'static str| (2, json!(""), stderr);
    let context = |text: &str| (0, json!({"hookSpecificOutput": {"additionalContext": text}}), "");
    for (name, stops, answers, blocked, reason, text) in [
        ("Stop", 130, vec![block("R")], true, Some("R"), None),
        ("Stop", 0, vec![block("a"), block("b")], true, Some("a"), None),
        ("Stop", 0, vec![exit_2("E"), block("b")], true, Some("b"), None),
        ("PostToolUse", 0, vec![context("a"), context("b")], false, None, Some("a")),
        ("PostToolUse", 0, vec![exit_2("E1"), exit_2("E2"), context("c")], false, Some("E1"), Some("c")),
        ("SessionStart", 0, vec![context("a"), context("b")], false, None, Some("a\n\nb")),
    ] {
        let outcome = outcome(name, stops, &answers);
        let got = (outcome.blocked, outcome.reason.as_deref(), outcome.additional_context.as_deref());
        assert_eq!(got, (blocked, reason, text), "{name} {answers:?}");
    }
}
