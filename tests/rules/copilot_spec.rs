//! Statements about Copilot CLI 1.0.102 that neither the recorded sessions nor the recorded firings hold: files that are
//! read, the launch of a hook, tool names, matchers of other events, the texts that the model gets, limits, merging.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use hookbench::app::InputRequest;
use hookbench::core::config::{MemoryFiles, Place};
use hookbench::core::decide::Outcome;
use hookbench::core::dialects::{self, SessionMemory};
use hookbench::core::run::Launch;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::settled_event::{fire_over, scene_of};

fn place() -> Place {
    Place { project: "/p".to_owned(), home: "/h".to_owned(), home_given: true, ..Place::default() }
}

fn event(name: &str) -> InputRequest {
    InputRequest { event: Some(name.to_owned()), ..InputRequest::default() }
}

fn trust() -> (&'static str, Value) {
    ("/h/.copilot/config.json", json!({"trustedFolders": ["/p"]}))
}

const OWN: &str = "/h/.copilot/hooks/h.json";

/// The commands that start before a call of `bash`, with these files.
fn started(place: Place, files: &[(&str, Value)]) -> Vec<String> {
    let (runs, _) = fire_over("copilot", place, files, &event("preToolUse"), 0, |_| (0, String::new(), String::new()));
    runs.into_iter().map(|(command, _)| command).collect()
}

/// The outcome of hooks that exit with a status and print to stdout and stderr, and the payloads that they get.
fn outcome(name: &str, tool: Option<&str>, stops: u32, answers: &[(i32, Value, &str)]) -> (Vec<Value>, Outcome) {
    let hooks: Vec<Value> = (0..answers.len()).map(|number| json!({"command": number.to_string()})).collect();
    let files = [(OWN, json!({"hooks": {name: hooks}}))];
    let request = InputRequest { tool: tool.map(str::to_owned), ..event(name) };
    let (runs, outcome) = fire_over("copilot", place(), &files, &request, stops, |command| {
        let (code, stdout, stderr) = &answers[command.parse::<usize>().unwrap()];
        let stdout = stdout.as_str().map_or_else(|| stdout.to_string(), str::to_owned);
        (*code, stdout, (*stderr).to_owned())
    });
    (runs.into_iter().map(|(_, payload)| payload).collect(), outcome)
}

fn hook(command: &str) -> Value {
    json!({"hooks": {"preToolUse": [{"command": command}]}})
}

/// §2: every file, in the order in which its hooks run, and the files that look alike and are not read.
#[test]
fn which_files_are_read() {
    let read = [
        (OWN, "1"),
        ("/h/.copilot/settings.json", "2"),
        ("/p/.github/hooks/h.json", "3"),
        ("/p/.claude/settings.json", "4"),
        ("/p/.claude/settings.local.json", "5"),
        ("/p/.github/copilot/settings.json", "6"),
        ("/p/.github/copilot/settings.local.json", "7"),
    ];
    let mut files: Vec<(&str, Value)> = read.iter().rev().map(|(path, name)| (*path, hook(name))).collect();
    files.push(trust());
    assert_eq!(started(place(), &files), read.map(|(_, name)| name));
    for path in [
        "/h/.claude/settings.json",
        "/h/.copilot/hooks.json",
        "/p/.copilot/hooks/h.json",
        "/p/.github/hooks.json",
        "/p/hooks.json",
        "/p/.github/hooks/h.jsonc",
        "/p/.github/hooks/h.txt",
        "/p/.github/hooks/h.JSON",
        "/p/.github/hooks/.h.json",
        "/p/.github/hooks/.h/h.json",
        "/.github/hooks/h.json",
    ] {
        assert_eq!(started(place(), &[trust(), (path, hook("x"))]), Vec::<String>::new(), "{path}");
    }
    let config = json!({"trustedFolders": ["/p"], "hooks": hook("x")["hooks"]});
    assert_eq!(started(place(), &[("/h/.copilot/config.json", config)]), Vec::<String>::new());
    // COPILOT_HOME replaces the directory.
    let mut moved = place();
    moved.env.insert("COPILOT_HOME".to_owned(), "/c".to_owned());
    assert_eq!(started(moved, &[("/c/hooks/a.json", hook("c")), (OWN, hook("h"))]), ["c"]);
    // Nothing is deduplicated.
    let same = json!({"hooks": {"preToolUse": [{"command": "a"}, {"command": "a"}]}});
    assert_eq!(started(place(), &[(OWN, same.clone()), ("/h/.copilot/settings.json", same)]), ["a"; 4]);
}

/// The launch of the only hook of a file.
fn launch(path: &str, spelling: &str, hook: &Value, variables: &[(&str, &str)]) -> Launch {
    let dialect = dialects::by_id("copilot").unwrap();
    let mut files = MemoryFiles::default();
    files.put("/h/.copilot/config.json", trust().1.to_string());
    files.put(path, json!({"hooks": {spelling: [hook]}}).to_string());
    let mut place = place();
    place.env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let loaded = dialect.load(&place, &files, &dialects::default_version(dialect));
    let request = InputRequest { agent: Some(dialect.id()), ..event(spelling) };
    let scene = scene_of(dialect, &Arc::new(place), &files, &loaded, &request, 0);
    assert_eq!(scene.memory, SessionMemory::default());
    dialect.launch(&loaded.definitions[0], &scene)
}

/// §2.1, §5: shells, directories, variables, the payload without a newline.
#[test]
fn how_a_hook_is_launched() {
    let secrets = [("COPILOT_PROVIDER_API_KEY", "k"), ("COPILOT_OFFLINE", "true"), ("SHELL", "/bin/zsh")];
    for (path, directory) in [
        (OWN, Some("/h/.copilot/hooks")),
        ("/p/.github/hooks/sub/h.json", Some("/p/.github/hooks/sub")),
        ("/h/.copilot/settings.json", None),
        ("/p/.claude/settings.json", None),
        ("/p/.github/copilot/settings.local.json", None),
    ] {
        let hook = json!({"command": "x $A", "env": {"A": "$HOME"}});
        let Launch::Process(spec) = launch(path, "preToolUse", &hook, &secrets) else { panic!("a command") };
        let value = |name: &str| spec.env.value(name);
        assert_eq!((spec.program.as_str(), spec.cwd.as_str()), ("/bin/bash", "/p"), "{path}");
        assert_eq!(spec.args, ["--norc", "--noprofile", "-c", "x $A"], "{path}");
        for (name, want) in [
            ("COPILOT_HOOK_DIR", directory),
            ("COPILOT_PROJECT_DIR", Some("/p")),
            ("CLAUDE_PROJECT_DIR", Some("/p")),
            ("COPILOT_CLI", Some("1")),
            ("A", Some("$HOME")),
        ] {
            assert_eq!(value(name), want, "{path} {name}");
        }
        let mut removed = spec.env.remove.clone();
        removed.sort();
        assert_eq!(removed, ["COPILOT_OFFLINE", "COPILOT_PROVIDER_API_KEY"], "{path}");
        assert_eq!(spec.timeout.map(|limit| limit.as_secs()), Some(30), "{path}");
        assert_eq!(spec.stdin.last(), Some(&b'}'), "{path}");
    }
    // Loopback is refused unless a variable allows it.
    let request = json!({"type": "http", "url": "https://127.0.0.1/x", "headers": {"X": "a$B"}});
    for (variables, refuses) in [
        (&[][..], true),
        (&[("COPILOT_HOOK_ALLOW_LOCALHOST", "1")], false),
        (&[("COPILOT_HOOK_ALLOW_LOCALHOST", "true")], true),
    ] {
        let Launch::Http(spec) = launch(OWN, "PreToolUse", &request, variables) else { panic!("a request") };
        assert_eq!(!spec.forbidden_networks.is_empty(), refuses, "{variables:?}");
        assert!(spec.headers.contains(&("X".to_owned(), "a".to_owned())), "{:?}", spec.headers);
        let body: Value = serde_json::from_slice(&spec.body).unwrap();
        assert_eq!((&body["tool_name"], body.get("toolName")), (&json!("Bash"), None));
    }
}

/// §3.1: the name of each tool for hooks in both spellings, with the same arguments.
#[test]
fn names_of_tools() {
    for (tool, pascal) in [
        ("bash", "Bash"),
        ("view", "Read"),
        ("create", "Write"),
        ("edit", "Edit"),
        ("grep", "Grep"),
        ("glob", "Glob"),
        ("task", "Agent"),
        ("sql", "sql"),
        ("nonesuch", "nonesuch"),
    ] {
        let input = json!({"path": "/p/a", "file_text": "x", "old_str": "a", "new_str": "b"});
        let both = json!({"hooks": {"preToolUse": [{"command": "c"}], "PreToolUse": [{"command": "p"}]}});
        let payload = json!({"sessionId": "s", "timestamp": 1, "cwd": "/p", "toolName": tool, "toolArgs": input});
        let request = InputRequest { payload: Some(payload), ..event("preToolUse") };
        let (runs, _) =
            fire_over("copilot", place(), &[(OWN, both)], &request, 0, |_| (0, String::new(), String::new()));
        let [(_, camel), (_, other)] = runs.as_slice() else { panic!("{runs:?}") };
        assert_eq!((&camel["toolName"], &camel["toolArgs"]), (&json!(tool), &input));
        assert_eq!((&other["tool_name"], &other["tool_input"]), (&json!(pascal), &input));
        for absent in ["transcript_path", "permission_mode", "tool_use_id", "transcriptPath"] {
            assert_eq!((camel.get(absent), other.get(absent)), (None, None), "{tool} {absent}");
        }
    }
}

/// §4: events on which a matcher is ignored, and what its expressions can be.
#[test]
fn matchers_of_other_events() {
    const ALL: [&str; 16] = [
        "startup",
        "Startup",
        "start",
        "start.*",
        "^startup$",
        "tart",
        "zz|startup",
        "zz | startup",
        "zz,startup",
        " startup ",
        "*",
        "",
        ".*",
        "startup*",
        "(?!zz).*",
        "(startup",
    ];
    let fires = |name: &str, matcher: &str| {
        let files = [(OWN, json!({"hooks": {name: [{"command": "x", "matcher": matcher}]}}))];
        let none = |_: &str| (0, String::new(), String::new());
        !fire_over("copilot", place(), &files, &event(name), 0, none).0.is_empty()
    };
    for matcher in ALL {
        // An empty matcher is a bad entry in a file of hooks, unless its event has no matchers.
        for name in ["SessionStart", "sessionStart", "agentStop", "userPromptSubmitted", "preCompact", "sessionEnd"] {
            assert!(fires(name, matcher), "{name} {matcher:?}");
        }
    }
    for (name, matcher, runs) in [
        ("postToolUseFailure", "zz", true),
        ("preToolUse", "b(?=ash)ash", true),
        ("preToolUse", "(b)ash(?!\\1)", true),
        ("preToolUse", "(?<n>b)ash", true),
        ("preToolUse", "(?i)bash", false),
        ("postToolUse", "bash", true),
        ("postToolUse", "Bash", false),
        ("PostToolUse", "Bash(touch *)", false),
    ] {
        assert_eq!(fires(name, matcher), runs, "{name} {matcher:?}");
    }
}

/// §5.1: every text that the specification quotes, whole.
#[test]
fn texts_that_the_model_gets() {
    let context = json!({"additionalContext": "C"});
    let system = "<system_reminder>\nC\n</system_reminder>";
    let (told, message) = ("told", "context_message");
    for (name, tool, code, answer, stderr, key, want) in [
        (
            "preToolUse",
            "bash",
            0,
            json!({"permissionDecision": "deny", "permissionDecisionReason": " R "}),
            "",
            told,
            Some("Denied by preToolUse hook:  R "),
        ),
        (
            "preToolUse",
            "bash",
            0,
            json!({"permissionDecision": "deny"}),
            "",
            told,
            Some("Denied by preToolUse hook: No reason provided"),
        ),
        (
            "preToolUse",
            "bash",
            0,
            json!({"permissionDecision": "ask", "permissionDecisionReason": "R"}),
            "",
            told,
            Some("Denied by preToolUse hook (unable to ask user for confirmation): R"),
        ),
        ("preToolUse", "bash", 2, json!(""), "E", told, Some("Denied by preToolUse hook: hook exited with code 2")),
        (
            "preToolUse",
            "bash",
            1,
            json!(""),
            "E",
            told,
            Some("Denied by preToolUse hook from \"/h/.copilot/hooks/h.json\" (hook errored)"),
        ),
        ("preToolUse", "bash", 0, context.clone(), "", message, Some("Additional context from preToolUse hook:\nC")),
        (
            "permissionRequest",
            "",
            0,
            json!({"behavior": "deny", "message": "M"}),
            "",
            told,
            Some("Permission denied by a PermissionRequest hook: M"),
        ),
        (
            "permissionRequest",
            "",
            2,
            json!(""),
            "",
            told,
            Some("Permission denied by a PermissionRequest hook: Permission denied by hook."),
        ),
        (
            "permissionRequest",
            "",
            1,
            json!(""),
            "",
            told,
            Some("Permission denied by a PermissionRequest hook: Permission request hook failed"),
        ),
        (
            "postToolUse",
            "bash",
            0,
            context.clone(),
            "",
            message,
            Some("Tool \"bash\" succeeded. Additional guidance from postToolUse hooks:\nC"),
        ),
        (
            "PostToolUse",
            "Write",
            0,
            context.clone(),
            "",
            message,
            Some("Tool \"create\" succeeded. Additional guidance from postToolUse hooks:\nC"),
        ),
        (
            "postToolUse",
            "bash",
            0,
            json!({"decision": "block", "reason": "R"}),
            "",
            told,
            Some("Tool result blocked: R"),
        ),
        (
            "postToolUseFailure",
            "",
            2,
            json!(""),
            "C",
            message,
            Some("Tool \"view\" failed. Additional guidance from postToolUseFailure hooks:\nC"),
        ),
        ("userPromptSubmitted", "", 0, context.clone(), "", message, Some(system)),
        // The model gets these as they are.
        ("sessionStart", "", 0, context.clone(), "", message, None),
        ("subagentStart", "", 0, context.clone(), "", message, None),
    ] {
        let tool = Some(tool).filter(|tool| !tool.is_empty());
        let (_, outcome) = outcome(name, tool, 0, &[(code, answer.clone(), stderr)]);
        let got = outcome.extra.get(key).and_then(Value::as_str);
        assert_eq!(got, want, "{name} {code} {answer} {stderr}");
    }
    assert_eq!(
        outcome("preToolUse", Some("bash"), 0, &[(0, json!({"permissionDecision": "allow"}), "")]).1.extra.get("told"),
        None
    );
}

/// §5, §5.1: the length of a context after a tool, and the number of blocked stops.
#[test]
fn limits() {
    let long = "x".repeat(210_000);
    let length = |name: &str| {
        let (_, outcome) = outcome(name, None, 0, &[(0, json!({"additionalContext": long}), "")]);
        outcome.additional_context.map(|text| text.len())
    };
    assert_eq!((length("postToolUse"), length("sessionStart")), (Some(10_240), Some(210_000)));
    let block = json!({"decision": "block", "reason": "R", "continue": false});
    for (name, stops, blocks) in [
        ("agentStop", 0, true),
        ("agentStop", 7, true),
        ("agentStop", 8, false),
        ("Stop", 8, false),
        ("subagentStop", 671, true),
    ] {
        let (_, outcome) = outcome(name, None, stops, &[(0, block.clone(), "")]);
        assert_eq!(outcome.blocked, blocks, "{name} after {stops}");
    }
}

/// §5, §5.2: which hooks start, what the second of them gets, and whose answer counts.
#[test]
fn merging() {
    let deny = |message: &str| json!({"behavior": "deny", "message": message});
    let result = |text: &str| json!({"modifiedResult": {"textResultForLlm": text, "resultType": "success"}});
    let args = |command: &str| json!({"modifiedArgs": {"command": command}});
    let ask = json!({"permissionDecision": "ask"});
    let block = |reason: &str| json!({"decision": "block", "reason": reason});
    for (name, answers, starts, pointer, second, of_outcome, want) in [
        (
            "preToolUse",
            [args("a"), args("b")],
            2,
            "/toolArgs/command",
            json!("a"),
            "/updated_input/command",
            json!("b"),
        ),
        ("preToolUse", [ask, json!({})], 1, "", json!(null), "/blocked", json!(true)),
        ("permissionRequest", [deny("M1"), deny("M2")], 2, "/toolName", json!("bash"), "/reason", json!("M2")),
        (
            "permissionRequest",
            [deny("M1"), json!({"behavior": "allow"})],
            2,
            "/toolName",
            json!("bash"),
            "/blocked",
            json!(false),
        ),
        (
            "postToolUse",
            [result("a"), result("b")],
            2,
            "/toolResult/textResultForLlm",
            json!("a"),
            "/extra/updated_output",
            json!("b"),
        ),
        ("postToolUse", [block("a"), block("b")], 1, "", json!(null), "/reason", json!("a")),
        ("userPromptSubmitted", [block("a"), block("b")], 2, "/prompt/x", json!(null), "/reason", json!("b")),
        (
            "userPromptSubmitted",
            [json!({"modifiedPrompt": "a"}), json!({"modifiedPrompt": "b"})],
            2,
            "/modifiedPrompt",
            json!(null),
            "/extra/updated_prompt",
            json!("b"),
        ),
        ("agentStop", [block("a"), block("b")], 2, "/stopReason", json!("end_turn"), "/reason", json!("b")),
    ] {
        let shown = format!("{name} {answers:?}");
        let (payloads, outcome) = outcome(name, None, 0, &answers.map(|answer| (0, answer, "")));
        assert_eq!(payloads.len(), starts, "{shown}");
        let given = payloads.get(1).and_then(|payload| payload.pointer(pointer)).filter(|_| starts > 1);
        assert_eq!(given.unwrap_or(&Value::Null), &second, "{shown}");
        let document = json!({"blocked": outcome.blocked, "reason": outcome.reason, "extra": outcome.extra,
            "updated_input": outcome.updated_input});
        assert_eq!(document.pointer(of_outcome), Some(&want), "{shown}");
        // Every hook of a prompt gets the original.
        if name == "userPromptSubmitted" {
            assert_eq!(payloads[0]["prompt"], payloads[1]["prompt"], "{shown}");
        }
    }
}
