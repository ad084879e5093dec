//! Invalid input: the error message and the exit status for each kind. Messages are snapshots; statuses and
//! positions are asserted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hookbench::core::dialects;
use serde_json::{Value, json};

use crate::sandbox::{ProgramOutput, Sandbox};
use crate::{agent_words, for_each_agent, outputs, project, settings_file};

#[test]
fn payloads() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let fire = |line: &str| sandbox.run(&format!("plan {line}"));
        let with = |text: &[u8]| {
            sandbox.file("payload.json", text);
            fire(&format!("--agent {agent} --payload payload.json"))
        };
        let words = agent_words::words_of(agent);
        let named = |rest: &str| words.in_agent_words(&format!("{{\"hook_event_name\": \"@tool{rest}"));
        let meant = format!("did you mean {}?", words.tool);
        let all = [
            with(b"").assert_status(5),
            with(b"{\"a\": 1,}").assert_status(5).assert_stderr(&["payload.json:1:", "help: "]),
            with(b"{\n  'hook_event_name': 'Stop'\n}").assert_status(5).assert_stderr(&["payload.json:2:3"]),
            with(named("\", \"tool_name\": \"x").as_bytes()).assert_status(5),
            with(b"[1, 2]").assert_status(5).assert_stderr(&["a list", "must be a JSON object"]),
            with(b"\"Stop\"").assert_status(5).assert_stderr(&["a string"]),
            with(b"{\"a\": \"\xff\"}").assert_status(5).assert_stderr(&["not UTF-8", "offset 7"]),
            with(b"{}").assert_status(5).assert_stderr(&["the payload has no \"hook_event_name\""]),
            with(named("d\"}").as_bytes()).assert_status(5).assert_stderr(&[&meant]),
            with(br#"{"hook_event_name": 7}"#).assert_status(5),
            fire(&format!("--agent {agent} --payload nowhere.json")).assert_status(5).assert_stderr(&["nowhere.json"]),
            fire(&format!("--agent {agent} --payload hooks")).assert_status(5).assert_stderr(&["hooks"]),
            sandbox
                .run_with(&format!("plan --agent {agent} --payload -"), b"{")
                .assert_status(5)
                .assert_stderr(&["<stdin>:1:2"]),
            sandbox.run_with("plan --payload -", br#"{"hook_event_name": "NobodyHasThis"}"#).assert_status(5),
        ];
        insta::assert_snapshot!("payloads", outputs(&all));
        // Some editors write a byte-order mark. It is accepted.
        let whole = named("\", \"tool_name\": \"@shell-id\", \"tool_input\": {}}");
        with(format!("\u{feff}{}", words.in_agent_words(&whole)).as_bytes()).assert_status(0);
    });
}

/// The subject of an event is never invented silently: a payload without it is refused, and every format lists the
/// keys that a template filled in.
#[test]
fn the_subject_is_never_made_up() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let words = agent_words::words_of(agent);
        let plan = |text: &str| {
            sandbox.file("payload.json", words.in_agent_words(text));
            sandbox.run(&format!("plan --agent {agent} --payload payload.json"))
        };
        for (payload, says) in [
            ("{\"hook_event_name\": \"@tool\", \"session_id\": \"s\"}", "no \"tool_name\" and no \"tool_input\""),
            ("{\"hook_event_name\": \"@tool\", \"tool_name\": \"@shell-id\"}", "no \"tool_input\""),
        ] {
            plan(payload).assert_status(5).assert_stderr(&[says, "help: "]);
        }
        plan("{\"hook_event_name\": \"@tool\", \"tool_name\": \"@shell-id\", \"tool_input\": {\"command\": \"ls\"}}")
            .assert_status(0);
        sandbox.file("payload.json", words.in_agent_words("{\"hook_event_name\": \"@tool\"}"));
        let given = format!(
            "plan --agent {agent} --payload payload.json --tool {} --input {{}}",
            words.in_agent_words("@shell-id")
        );
        sandbox.run(&given).assert_status(0);
        let bare = format!("plan {} --agent {agent}", words.tool);
        let page = sandbox.run(&bare).assert_status(0);
        assert!(page.stdout.contains("filled   tool_name, tool_input (not given"), "{page}");
        let doc = sandbox.run(&format!("{bare} --format json")).assert_status(0).json();
        assert_eq!(doc["filled"], json!(["tool_name", "tool_input"]));
        let lines = sandbox.run(&format!("fire {} --agent {agent} --yes --format jsonl", words.tool));
        let first: Value = serde_json::from_str(lines.raw.lines().next().unwrap()).unwrap();
        assert_eq!(first["filled"], json!(["tool_name", "tool_input"]), "{}", lines.raw);
    });
}

/// Event names from old configurations are accepted.
#[test]
fn old_names_of_events() {
    for (agent, event) in [("qwen", "PreToolUse"), ("gemini", "BeforeTool"), ("claude", "PreToolUse")] {
        let sandbox = project(agent);
        let done = sandbox.run(&format!("plan tool.before --agent {agent}")).assert_status(0);
        assert!(done.stdout.contains(&format!("tool.before is an old name of {event}")), "{done}");
    }
}

#[test]
fn a_settings_file_that_no_agent_reads() {
    let sandbox = project("claude");
    sandbox.file(".claude/hooks.json", "{\"hooks\": {}}");
    let done = sandbox.run("why .claude/hooks.json --agent claude").assert_status(2);
    done.assert_stderr(&[".claude/hooks.json is not read: hooks are read from .claude/settings.json, not from here"]);
}

#[test]
fn a_payload_over_64_mib() {
    let sandbox = Sandbox::new();
    let file = fs::File::create(sandbox.project.join("large.json")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    sandbox.run("plan --payload large.json").assert_status(5).assert_stderr(&["large.json", "over 64 MiB", "help: "]);
    file.set_len(64 << 20).unwrap();
    // A file that is one byte shorter is read and fails as invalid JSON.
    sandbox.run("plan --payload large.json").assert_status(5).assert_stderr(&["large.json:1:1", "not JSON"]);
}

#[test]
fn arguments() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let plan = |line: &str| sandbox.run(&format!("plan {line} --agent {agent}"));
        let tool = agent_words::words_of(agent).tool;
        let small = |c: char| if c.is_uppercase() { format!("_{}", c.to_lowercase()) } else { c.to_string() };
        let snake = tool.chars().map(small).collect::<String>().trim_start_matches('_').to_owned();
        let (short, meant) = (&tool[..tool.len() - 1], format!("did you mean {tool}?"));
        let all = [
            plan("").assert_status(2).assert_stderr(&["the event is missing"]),
            plan(&snake.replace('_', "-")).assert_status(2).assert_stderr(&[&meant]),
            plan(short).assert_status(2).assert_stderr(&[&meant]),
            plan("Xyzzy").assert_status(2).assert_stderr(&["has no event \"Xyzzy\""]),
            sandbox.run("plan @stop --agent nobody").assert_status(2).assert_stderr(&["possible values"]),
            plan("@stop --agent-version soon").assert_status(2).assert_stderr(&["1.2.3"]),
            plan("@stop --set nonsense").assert_status(2).assert_stderr(&["FIELD=VALUE"]),
            plan("@stop --set =1").assert_status(2).assert_stderr(&["the path is empty"]),
            plan("@tool --set tool_name.deep=1").assert_status(2).assert_stderr(&["tool_name.deep"]),
            plan("@tool --input '{\"a\":}'").assert_status(2).assert_stderr(&["--input is not JSON", "character"]),
            sandbox
                .run(&format!("fire @stop --agent {agent} --expect maybe"))
                .assert_status(2)
                .assert_stderr(&["possible values"]),
            sandbox
                .run(&format!("fire @stop --agent {agent} --timeout-scale 0"))
                .assert_status(2)
                .assert_stderr(&["above 0"]),
            sandbox.run("nonsense --agent x").assert_status(2),
        ];
        insta::assert_snapshot!("arguments", outputs(&all));
    });
}

#[test]
fn places() {
    let sandbox = Sandbox::new();
    sandbox.file("file", "");
    sandbox
        .run("plan Stop --project nowhere")
        .assert_status(5)
        .assert_stderr(&["project directory nowhere does not exist"]);
    sandbox.run("plan Stop --project file").assert_status(5).assert_stderr(&["file is not a directory"]);
    let closed = sandbox.project.join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // Root can read every directory, so the check is skipped for root.
    if fs::read_dir(&closed).is_err() {
        sandbox.run("plan Stop --project closed").assert_status(5).assert_stderr(&["closed is not readable"]);
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    sandbox.run("plan Stop --home nowhere").assert_status(5).assert_stderr(&["home directory nowhere does not exist"]);
}

/// Returns the findings of a plan with invalid settings, as text and as JSON.
fn findings(sandbox: &Sandbox, agent: &str, settings: &str) -> (ProgramOutput, Vec<Value>) {
    sandbox.settings(settings);
    let json = sandbox.run(&format!("plan @tool --agent {agent} --format json")).assert_status(0).json();
    let findings = json["diagnostics"].as_array().unwrap().clone();
    let mut text = sandbox.run(&format!("plan @tool --agent {agent}")).assert_status(0);
    text.stdout = format!("{}\n---\n{}", sandbox.in_agent_words(settings), text.stdout);
    (text, findings)
}

/// The agents with settings in JSON.
fn for_each_json_agent(check: impl Fn(&'static str)) {
    for_each_agent(|agent| {
        if hookbench::core::dialects::by_id(agent).unwrap().settings_format().list.is_none() {
            check(agent);
        }
    });
}

#[test]
fn settings_that_do_not_parse() {
    for_each_json_agent(|agent| {
        let sandbox = project(agent);
        let file = settings_file(agent);
        let mut all = Vec::new();
        for (settings, line) in [
            ("{\n  \"hooks\": {\n    \"@tool\": [\n  }\n}", 4),
            ("{\n  hooks: {}\n}", 2),
            ("{\"hooks\": {}", 1),
            ("{\n  \"hooks\": { \"@stop\": [] },\n  \"model\": 'x'\n}", 3),
        ] {
            let (text, findings) = findings(&sandbox, agent, settings);
            let lints = findings.iter().filter(|f| f["code"] != "agent/refuses");
            let broken = lints.filter(|f| f["file"] == file).find(|f| f["severity"] == "error");
            let Some(broken) = broken else { panic!("nothing is said about {file}:\n{text}") };
            assert_eq!(broken["line"], line, "{broken}\n{text}");
            assert!(broken["column"].is_u64() && broken["help"].is_string(), "{broken}");
            assert!(text.stdout.contains(&format!("{file}:{line}:")), "{text}");
            all.push(text);
        }
        sandbox.file(file, b"{\"hooks\": \"\xff\"}");
        all.push(sandbox.run(&format!("plan @tool --agent {agent}")).assert_status(0));
        insta::assert_snapshot!("broken_settings", outputs(&all));
    });
}

#[test]
fn settings_of_the_wrong_type_at_every_level() {
    for_each_json_agent(|agent| {
        let sandbox = project(agent);
        let hook = json!({"type": "command", "command": "true"});
        let good = json!({"hooks": [hook]});
        let of_event = |value: Value| json!({"hooks": {"@tool": value}});
        let of_group = |value: Value| of_event(json!([value]));
        let of_hook = |value: Value| of_group(json!({"hooks": [value]}));
        let mut all = Vec::new();
        // Agents that accept these settings, or treat them as an empty list, without a message.
        let nobody: &[&str] = &[];
        for (silent, settings) in [
            (nobody, json!([])),
            (nobody, json!({"hooks": []})),
            (nobody, json!({"hooks": "x"})),
            (nobody, json!({"hooks": {"@tool": "x"}})),
            (&["gemini"], json!({"hooks": {"@tool": good}})),
            (nobody, json!({"hooks": {"NoSuchEvent": [good]}})),
            (nobody, of_group(json!(7))),
            (&["copilot"], of_group(hook.clone())),
            (nobody, of_group(json!({"hooks": hook}))),
            (nobody, of_group(json!({"matcher": 7, "hooks": [hook]}))),
            (nobody, of_group(json!({"matcher": ["@shell"], "hooks": [hook]}))),
            (
                &["claude", "qwen", "gemini", "codex", "droid", "codebuddy"],
                of_group(json!({"matcher": "", "hooks": [hook]})),
            ),
            (nobody, of_hook(json!("sh x"))),
            (nobody, of_hook(json!({"type": "command"}))),
            (&["qwen"], of_hook(json!({"type": "command", "command": 7}))),
            (&["codebuddy"], of_hook(json!({"type": "comand", "command": "true"}))),
            (nobody, of_hook(json!({"type": "command", "command": "true", "timeout": "soon"}))),
        ] {
            let (text, findings) = findings(&sandbox, agent, &settings.to_string());
            let said = findings.iter().any(|f| f["severity"] != "info");
            assert_eq!(said, !silent.contains(&agent), "{text}");
            all.push(text);
        }
        insta::assert_snapshot!("wrong_types", outputs(&all));
    });
}

#[test]
fn patterns() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let mut all = Vec::new();
        let tool = format!("mcp__memory__{}", "a".repeat(40));
        let prefix = dialects::by_id(agent).unwrap().settings_format().pattern_prefix.unwrap_or_default();
        for pattern in ["[", "*Edit", "(?i)bash", "(?=m)(mcp|[a-z_]+)*", "(?!x)mcp__.*"] {
            let settings = json!({"hooks": {"@tool": [
                {"matcher": format!("{prefix}{pattern}"), "hooks": [{"type": "command", "command": "true"}]},
            ]}});
            sandbox.settings(&serde_json::to_string_pretty(&settings).unwrap());
            all.push(sandbox.run(&format!("plan @tool --set tool_name={tool} --agent {agent}")).assert_status(0));
            let json = sandbox.run(&format!("plan @tool --set tool_name={tool} --agent {agent} --format json")).json();
            let verdict = json["plan"][0]["verdict"].as_str().unwrap_or("none").to_owned();
            match pattern {
                _ if !agent_words::words_of(agent).looks_around => assert_eq!(verdict, "skipped", "{pattern}"),
                "(?!x)mcp__.*" => assert_eq!(verdict, "fires"),
                // Running this pattern could take forever: it is not run, and the verdict is unknown.
                "(?=m)(mcp|[a-z_]+)*" => assert_eq!(verdict, "unknown"),
                _ => assert_ne!(verdict, "unknown", "{pattern}"),
            }
        }
        insta::assert_snapshot!("patterns", outputs(&all));
    });
}

/// Fires one hook with this command. Returns its run, its `command` rung, and the whole document.
fn one_hook(agent: &str, command: &str, lay: impl Fn(&Sandbox)) -> (Value, Value, Value) {
    let sandbox = Sandbox::for_agent(agent);
    let settings = json!({"hooks": {"@prompt": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string();
    sandbox.settings(&settings);
    lay(&sandbox);
    let json = sandbox.run(&format!("fire @prompt --agent {agent} --yes --format json")).assert_status(0).json();
    let why = sandbox.run(&format!("why h1 --agent {agent} --format json")).assert_status(0).json();
    let rung = why["rungs"].as_array().unwrap().iter().find(|r| r["rung"] == "command").unwrap().clone();
    (json["runs"][0].clone(), rung, json)
}

#[test]
fn commands_that_cannot_start() {
    for_each_agent(|agent| {
        for (command, lay, code, says) in [
            ("hooks/missing.sh", None, 127, "does not exist"),
            ("no-such-program --x", None, 127, "no-such-program"),
            ("hooks/plain.sh", Some(("hooks/plain.sh", "#!/bin/sh\nexit 0\n", false)), 126, "hooks/plain.sh"),
            ("hooks/odd.sh", Some(("hooks/odd.sh", "#!/no/such/interpreter\n", true)), 127, "/no/such/interpreter"),
            ("sh hooks/missing.sh", None, 2, "hooks/missing.sh"),
            ("python3 hooks/missing.py", None, 2, "hooks/missing.py"),
        ] {
            let (run, rung, whole) = one_hook(agent, command, |sandbox| match lay {
                Some((path, text, true)) => drop(sandbox.script(path, text)),
                Some((path, text, false)) => drop(sandbox.file(path, text)),
                None => {}
            });
            // Shells print different messages but agree on the status. (For a missing interpreter dash exits with
            // 127 where bash exits with 126 or 127; for a script that cannot be opened dash exits with 2 and bash
            // with 127.)
            // Without a shell, the program itself does not start.
            let has_no_shell = dialects::by_id(agent).unwrap().settings_format().has_no_shell;
            let exit = run["exit"]["code"].as_i64().unwrap_or(if has_no_shell { 127 } else { -1 });
            if command == "hooks/plain.sh" && agent_words::words_of(agent).makes_executable {
                assert_eq!(exit, 0, "{whole:#}");
                assert_ne!(rung["state"], "no", "{command}: {rung}");
                continue;
            }
            assert!(exit == code || [126, 127].contains(&exit), "{command}: {whole:#}");
            assert_eq!(rung["state"], "no", "{command}: {rung}");
            assert!(rung["says"].as_str().unwrap().contains(says), "{command}: {rung}");
            // One agent does not take exit 2 on a prompt as a failure. Before a tool it denies.
            let is_no_failure = exit == 2 && agent == "copilot";
            let verdict = &whole["outcome"]["verdict"];
            assert_eq!(verdict == "no_objection", is_no_failure, "{command}: {verdict}");
        }
    });
}

/// A payload that names another event than the command line: both are named, and nothing is fired.
#[test]
fn an_event_that_contradicts_the_payload() {
    for agent in ["claude", "qwen", "gemini", "codex", "copilot", "droid"] {
        let (sandbox, words) = (Sandbox::for_agent(agent), agent_words::words_of(agent));
        let payload = words.in_agent_words(
            r#"{"hook_event_name": "@tool", "session_id": "s", "tool_name": "@shell-id", "tool_input": {"command": "ls"}}"#,
        );
        sandbox.file("payload.json", payload);
        for command in ["plan", "fire"] {
            let both = format!("the payload is of {}, but you asked for {}", words.tool, words.stop);
            sandbox
                .run(&format!("{command} @stop --agent {agent} --payload payload.json"))
                .assert_status(2)
                .assert_stderr(&[&both, &format!("leave out {}", words.stop)]);
            sandbox.run(&format!("{command} @tool --agent {agent} --payload payload.json")).assert_status(0);
            sandbox.run(&format!("{command} --agent {agent} --payload payload.json")).assert_status(0);
        }
    }
}
