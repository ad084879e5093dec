//! The older formats: the agent that was specified and never released, its files as sources of a conversion, its payloads,
//! and what a hook could have read at the moment of a recorded event.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hookbench::core::dialects;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const BANNER: &str = "specified, never released";

const YAML: &str = "\
version: '2.0.0'
hooks:
  - event: PreToolUse
    matcher: [Bash, Write]
    command: ./hooks/guard.sh
    timeout: 30
    priority: 10
  - event: tool.before
    matcher: replace
    command: hooks/first.sh --strict 'a b'
    priority: -1
  - event: BeforeResponse
    command: hooks/guard.sh
";

const INTERNAL: &str = r#"{"id":"tool_before_c1","timestamp":1700000000000,"callId":"c1","toolName":"run_shell_command","args":{"command":"rm -rf x"}}"#;

/// A project with `hooks.yaml`.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("hooks.yaml", YAML).file("internal.json", INTERNAL);
    sandbox.script("hooks/guard.sh", "#!/bin/sh\ngrep -q 'rm -rf' && { echo refused >&2; exit 2; }\nexit 0\n");
    sandbox.script("hooks/first.sh", "#!/bin/sh\nexit 0\n");
    sandbox
}

#[test]
fn the_label_is_everywhere() {
    let sandbox = project();
    sandbox.file(
        "hooks.test.yaml",
        "agent: qwen-legacy\ncases:\n  - name: one\n    event: Stop\n    expect: { verdict: not_run }\n",
    );
    for line in [
        "list",
        "plan PreToolUse",
        "fire Stop --yes",
        "fire PreToolUse --yes",
        "lint",
        "why h1",
        "events",
        "tools",
        "tools Edit",
        "test",
    ] {
        let done = sandbox.run(&format!("{line} --agent qwen-legacy")).assert_status(0);
        assert!(done.stdout.contains(BANNER) || done.stderr.contains(BANNER), "{line}: {done}");
    }
    for line in ["plan PreToolUse", "fire PreToolUse --yes"] {
        let doc = sandbox.run(&format!("{line} --agent qwen-legacy --format json")).assert_status(0).json();
        assert_eq!(doc["basis"]["kind"], "assumed", "{doc}");
        let diagnostics = doc["diagnostics"].as_array().unwrap();
        assert!(diagnostics.iter().any(|one| one["code"] == "agent/unreleased"), "{doc}");
    }
    sandbox.run("fire Stop --agent qwen-legacy --yes --strict").assert_status(3);
}

/// The agent appears only where a user names it.
#[test]
fn it_is_left_out_elsewhere() {
    let sandbox = project();
    for line in [
        "list --format json",
        "plan PreToolUse --agent all --format json",
        "events --format json",
        "tools --format json",
        "tools Edit --format json",
        "doctor --format json",
        "lint --format json --agent codex",
        "fire --help",
        "events",
        "tools",
    ] {
        let done = sandbox.run(line);
        assert!(!done.raw.contains("qwen-legacy"), "{line}: {done}");
    }
    for line in ["install --agent qwen-legacy", "calibrate --agent qwen-legacy", "import --agent qwen-legacy"] {
        sandbox.run(line).assert_status(2);
    }
    let adapted = sandbox.run_with("adapt --from qwen-legacy -- true", INTERNAL.as_bytes());
    assert!(adapted.stderr.contains("unknown agent qwen-legacy"), "{adapted}");
    assert!(dialects::ALL.iter().all(|dialect| dialect.is_released()));
}

/// Payloads in older formats, in the agent that they belong to and in others.
#[test]
fn older_payloads_are_fired() {
    let sandbox = project();
    let fire = |line: &str| sandbox.run(&format!("fire {line} --yes --format json")).assert_status(0).json();
    let own = fire("--payload internal.json");
    assert_eq!(
        (&own["agent"], &own["event"], &own["subject"]),
        (&json!("qwen-legacy"), &json!("PreToolUse"), &json!("Bash"))
    );
    assert_eq!((&own["outcome"]["verdict"], &own["outcome"]["reason"]), (&json!("deny"), &json!("refused")));
    let internal: Value = serde_json::from_str(INTERNAL).unwrap();
    let mut back = own["outcome"]["extra"]["internal_payload"].clone();
    back.as_object_mut().unwrap().remove("_legacy");
    assert_eq!(back, internal);
    for (agent, event, tool) in [
        ("claude", "PreToolUse", "Bash"),
        ("qwen", "PreToolUse", "run_shell_command"),
        ("gemini", "BeforeTool", "run_shell_command"),
        ("codex", "PreToolUse", "Bash"),
    ] {
        let there = fire(&format!("--payload internal.json --agent {agent}"));
        assert_eq!((&there["event"], &there["subject"]), (&json!(event), &json!(tool)), "{agent}");
        assert_eq!(there["input"]["tool_input"]["command"], "rm -rf x", "{agent}");
    }
    // The mixed shape of one document belongs to the agent whose event names it has.
    let mixed = json!({"session_id": "s", "hook_event_name": "PreToolUse", "callId": "c", "toolName": "write_file", "args": {"file_path": "/a", "content": "x"}});
    sandbox.file("mixed.json", mixed.to_string());
    let mixed = fire("--payload mixed.json");
    assert_eq!(
        (&mixed["agent"], &mixed["input"]["tool_name"], &mixed["input"]["tool_use_id"]),
        (&json!("claude"), &json!("Write"), &json!("c"))
    );
    let says: Vec<&str> =
        mixed["diagnostics"].as_array().unwrap().iter().filter_map(|one| one["message"].as_str()).collect();
    assert!(says.contains(&"read toolName as tool_name, args as tool_input, callId as tool_use_id"), "{says:?}");
    // A flag wins over the payload, and the difference is named.
    let qwen =
        json!({"hook_event_name": "Stop", "transcript_path": "/h/.qwen/x.jsonl", "timestamp": "2026-01-01T00:00:00Z"});
    sandbox.file("qwen.json", qwen.to_string());
    let done = fire("--payload qwen.json --agent claude");
    assert!(done["diagnostics"].as_array().unwrap().iter().any(|one| one["code"] == "payload/agent"), "{done}");
}

/// Lines of internal payloads are imported and fired again.
#[test]
fn older_payloads_are_imported() {
    let sandbox = project();
    let lines = [INTERNAL, r#"{"id":"session_end_s1","timestamp":1700000001,"sessionId":"s1","reason":"logout"}"#];
    sandbox.file("lines.jsonl", lines.join("\n"));
    let done = sandbox.run("import lines.jsonl --to - ").assert_status(0);
    let events: Vec<Value> = done.raw.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let told: Vec<(&str, &str)> =
        events.iter().map(|event| (event["agent"].as_str().unwrap(), event["event"].as_str().unwrap())).collect();
    assert_eq!(told, [("qwen-legacy", "PreToolUse"), ("qwen-legacy", "SessionEnd")], "{done}");
    // Large times are milliseconds, small ones are seconds.
    let times: Vec<&Value> = events.iter().map(|event| &event["at"]).collect();
    assert_eq!(times, ["2023-11-14T22:13:20.000Z", "2023-11-14T22:13:21.000Z"]);
    sandbox.file("events.jsonl", &done.raw);
    let doc = sandbox.run("replay events.jsonl --format json").assert_status(0).json();
    assert_eq!(doc["summary"]["unready"].as_u64().unwrap_or(0), 0, "{doc}");
}

/// `hooks.yaml` becomes the settings of every agent: hooks in the order of their priorities, losses by name.
#[test]
fn yaml_is_converted() {
    for (agent, file, event, edit) in [
        ("claude", ".claude/settings.json", "PreToolUse", "Edit"),
        ("qwen", ".qwen/settings.json", "PreToolUse", "replace"),
        ("gemini", ".gemini/settings.json", "BeforeTool", "replace"),
        ("codex", ".codex/hooks.json", "PreToolUse", "apply_patch"),
    ] {
        let sandbox = project();
        let done = sandbox.run(&format!("convert --from qwen-legacy --to {agent} --yes")).assert_status(1);
        for lost in ["`priority` (-1)", "has no event before an answer is shown"] {
            assert!(done.stdout.contains(lost), "{agent}: {done}");
        }
        assert!(!done.stdout.contains("nothing above explains this"), "{done}");
        let settings: Value = serde_json::from_str(&fs::read_to_string(sandbox.project.join(file)).unwrap()).unwrap();
        let groups = settings["hooks"][event].as_array().unwrap();
        let matcher = groups[0]["matcher"].as_str().unwrap();
        assert!(matcher == edit || matcher.contains(edit), "{agent}: {settings}");
        let first = groups[0]["hooks"][0]["command"].as_str().unwrap();
        assert!(first.contains("hooks/first.sh"), "the lowest priority is first: {settings}");
        let again = sandbox.run(&format!("convert --from qwen-legacy --to {agent} --yes")).assert_status(1);
        assert!(again.stdout.contains("nothing to do"), "{again}");
    }
}

/// Names of the documents: what they are called in the page of an event, and the nearest event of a released agent.
#[test]
fn names_of_the_documents_lead_to_events() {
    let sandbox = project();
    let page = |event: &str| {
        sandbox.run(&format!("events {event} --agent qwen-legacy")).assert_status(0).stdout.replace('\n', " ")
    };
    assert!(page("InputReceived").contains("UserPromptSubmit"), "{}", page("InputReceived"));
    assert!(page("UserPromptSubmit").contains("the documents call it InputReceived"), "{}", page("UserPromptSubmit"));
    assert!(page("Stop").contains("When the agent stops, once a turn."), "{}", page("Stop"));
    // An event without a tool has nothing to match.
    sandbox.file("hooks.yaml", "version: 2\nhooks:\n  - event: Stop\n    matcher: Bash\n    command: hooks/guard.sh\n");
    let found = sandbox.run("lint --agent qwen-legacy --format json").json()["diagnostics"].clone();
    assert!(found.as_array().unwrap().iter().any(|one| one["code"] == "HW310"), "{found}");
    for (agent, event, nearest) in
        [("claude", "BeforeResponse", "MessageDisplay"), ("claude", "InputReceived", "UserPromptSubmit")]
    {
        let sandbox = Sandbox::for_agent(agent);
        let hook = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "true"}]}]}});
        sandbox.settings(&hook.to_string());
        let found = sandbox.run(&format!("lint --agent {agent} --format json")).json()["diagnostics"].clone();
        assert_eq!(found[0]["code"], "HW201", "{found}");
        assert!(found[0].to_string().contains(nearest), "{event}: {found}");
    }
}

/// One finding for one block of the fork, and the command in it does what it says.
#[test]
fn a_block_of_the_fork_has_one_finding() {
    let block = json!({"hooks": {"enabled": true, "timeoutMs": 10000, "claudeHooks": [
        {"event": "PreToolUse", "matcher": ["Write", "Edit"], "command": "./hooks/first.sh", "timeout": 30},
        {"event": "input.received", "command": "./hooks/first.sh"}]}});
    let sandbox = Sandbox::for_agent("qwen");
    sandbox.settings(&block.to_string());
    sandbox.script("hooks/first.sh", "#!/bin/sh\nexit 0\n");
    let lint = || sandbox.run("lint --agent qwen --format json").json();
    let found = lint()["diagnostics"].clone();
    let codes: Vec<&str> = found.as_array().unwrap().iter().filter_map(|one| one["code"].as_str()).collect();
    assert_eq!(codes, ["HW104"], "{found}");
    let help = found[0]["help"].as_str().unwrap();
    let command = help.strip_prefix("hookbench ").unwrap().split(" writes").next().unwrap();
    sandbox.run(command).assert_status(0);
    let text = fs::read_to_string(sandbox.project.join(".qwen/settings.json")).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    let hook = &written["hooks"]["PreToolUse"][0]["hooks"][0];
    assert_eq!((&hook["command"], &hook["timeout"]), (&json!("./hooks/first.sh"), &json!(30)), "{text}");
    assert_eq!(written["hooks"]["UserPromptSubmit"][0]["hooks"][0]["timeout"], 10, "the timeout of all: {text}");
    // A file that no agent reads: the finding names the conversion, for the agent that it is about.
    let yaml = project();
    let found = yaml.run("lint --format json").json()["diagnostics"].clone();
    let told: Vec<(&str, &str)> = found
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| Some((one["code"].as_str()?, one["help"].as_str()?)))
        .collect();
    assert_eq!(told.len(), 1, "{found}");
    assert!(
        told[0].0 == "HW107" && told[0].1.starts_with("hookbench convert --from qwen-legacy --to claude --yes"),
        "{found}"
    );
}

/// Settings of an agent as entries of the block, and back: the same hooks.
#[test]
fn there_and_back() {
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "./hooks/x.sh", "timeout": 5}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "./hooks/x.sh"}]}]}});
    let sandbox = Sandbox::for_agent("claude");
    sandbox.settings(&settings.to_string()).script("hooks/x.sh", "#!/bin/sh\nexit 0\n");
    sandbox.file(".qwen/settings.json", "{ // mine\n  \"hooks\": { \"enabled\": true, },\n}\n");
    sandbox.run("convert --from claude --to qwen-legacy --yes");
    let text = fs::read_to_string(sandbox.project.join(".qwen/settings.json")).unwrap();
    assert!(text.starts_with("{ // mine\n") && text.contains("\"claudeHooks\""), "{text}");
    sandbox.file(".claude/settings.json", "{}");
    sandbox.run("convert --from qwen-legacy --to claude --yes").assert_status(0);
    let back: Value =
        serde_json::from_str(&fs::read_to_string(sandbox.project.join(".claude/settings.json")).unwrap()).unwrap();
    let hooks = |settings: &Value| {
        let hook = |event: &str| {
            (settings["hooks"][event][0]["matcher"].clone(), settings["hooks"][event][0]["hooks"][0]["command"].clone())
        };
        [hook("PreToolUse"), hook("Stop")]
    };
    assert_eq!(
        (hooks(&back), &back["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"]),
        (hooks(&settings), &json!(5)),
        "{back}"
    );
}

/// A transcript of three prompts with todos, in the agent's directory, and a hook that copies what it reads.
fn recorded_session() -> (Sandbox, String) {
    let sandbox = Sandbox::for_agent("claude");
    let cwd = sandbox.project.to_str().unwrap().to_owned();
    let slug: String = cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let transcript = sandbox.home.join(format!(".claude/projects/{slug}/s-1.jsonl"));
    let path = transcript.to_str().unwrap().to_owned();
    let record = |second: u32, kind: &str, content: Value| {
        json!({"type": kind, "uuid": format!("u{second}"), "sessionId": "s-1", "cwd": cwd, "version": "2.1.330", "userType": "external",
            "timestamp": format!("2026-01-01T00:00:{second:02}.000Z"), "message": {"role": kind, "content": content}})
    };
    let todos = |second: u32, status: &str| {
        let input = json!({"todos": [{"content": "write the test", "status": status, "activeForm": "x"}]});
        record(
            second,
            "assistant",
            json!([{"type": "tool_use", "id": format!("toolu_{second}"), "name": "TodoWrite", "input": input}]),
        )
    };
    let lines = [
        record(1, "user", json!("Write the test.")),
        todos(2, "in_progress"),
        record(3, "assistant", json!([{"type": "text", "text": "The first part."}])),
        record(10, "user", json!("Finish it.")),
        todos(11, "completed"),
        record(12, "assistant", json!([{"type": "text", "text": "Done."}])),
    ];
    fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    fs::write(&transcript, lines.map(|line| line.to_string()).join("\n") + "\n").unwrap();
    let script = "#!/bin/sh\nfile=$(sed 's/.*\"transcript_path\":\"\\([^\"]*\\)\".*/\\1/')\nprintf '%s\\n' \"$file\" > seen.path\nls -l \"$file\" > seen.mode\ncat \"$file\" > seen.jsonl\n";
    sandbox.script("look.sh", script);
    sandbox
        .settings(&json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./look.sh"}]}]}}).to_string());
    let stop = json!({"session_id": "s-1", "transcript_path": path, "cwd": cwd, "hook_event_name": "Stop", "permission_mode": "default", "stop_hook_active": false, "last_assistant_message": "The first part, told late.", "prompt_id": "p", "effort": {"level": "medium"}});
    sandbox.file("stop.jsonl", json!({"schema": "event/1", "id": "00000000000000aa", "agent": "claude", "session": "s-1", "event": "Stop", "at": "2026-01-01T00:00:05.000Z", "payload_source": "recorded", "made": "recorded", "project": cwd, "payload": stop}).to_string());
    (sandbox, path)
}

#[test]
fn what_a_hook_could_have_read() {
    let (sandbox, path) = recorded_session();
    sandbox.run("import stop.jsonl").assert_status(0);
    let number = sandbox.run("db list --format json").assert_status(0).json()["events"][0]["number"].clone();
    let show = || sandbox.run(&format!("db show {number} --format json")).assert_status(0).json();
    let moment = show()["moment"].clone();
    assert_eq!(
        (&moment["transcript"]["lines"], &moment["transcript"]["later_lines"]),
        (&json!(3), &json!(3)),
        "{moment}"
    );
    assert_eq!(moment["todos"], json!([{"text": "write the test", "status": "in_progress"}]), "{moment}");
    assert_eq!(
        (&moment["goal"], &moment["last_message"]),
        (&json!("Write the test."), &json!("The first part, told late."))
    );
    // A todo file that has changed since does not decide; a file in another directory is not read at all.
    let todos = sandbox.home.join(".claude/todos");
    fs::create_dir_all(&todos).unwrap();
    fs::write(todos.join("s-1-agent-s-1.json"), r#"[{"content":"other","status":"pending"}]"#).unwrap();
    let moment = show()["moment"].clone();
    assert_eq!(moment["todos_from"], "transcript", "{moment}");
    assert!(moment["notes"][0].as_str().unwrap().contains("changed after the event"), "{moment}");
    let page = sandbox.run(&format!("db show {number}")).assert_status(0);
    assert!(page.stdout.contains("3 lines, 3 written later") && page.stdout.contains("in_progress"), "{page}");
    sandbox.run("db show 999").assert_status(2).assert_stderr(&["event 999 is not in the store"]);
    // The hook of the replayed event reads a copy that ends at the event, that only its owner can read, and that is gone.
    sandbox.program("sed").program("ls");
    sandbox.run(&format!("replay {number} --run --yes")).assert_status(0);
    let seen = |name: &str| fs::read_to_string(sandbox.project.join(name)).unwrap();
    assert_eq!(seen("seen.jsonl").lines().count(), 3, "{}", seen("seen.jsonl"));
    assert!(seen("seen.mode").starts_with("-rw-------"), "{}", seen("seen.mode"));
    let copy = seen("seen.path").trim().to_owned();
    assert!(copy != path && !std::path::Path::new(&copy).exists(), "{copy}");
    let kept = sandbox.run("db list --format json").json()["events"].clone();
    let newest = kept[0]["number"].as_i64().unwrap().max(kept[1]["number"].as_i64().unwrap());
    let stored = sandbox.run(&format!("db show {newest} --format json")).json();
    assert_eq!(stored["payload"]["transcript_path"].as_str(), Some(path.as_str()), "the row keeps the agent's path");
    // So does an exported event that is fired again.
    fs::remove_file(sandbox.project.join("seen.jsonl")).unwrap();
    sandbox.run("fire --session stop.jsonl --yes").assert_status(0);
    assert_eq!(seen("seen.jsonl").lines().count(), 3);
}

#[test]
fn transcripts_elsewhere_are_not_read() {
    let (sandbox, path) = recorded_session();
    let text = fs::read_to_string(sandbox.project.join("stop.jsonl")).unwrap();
    let other = sandbox.project.parent().unwrap().join("secret.jsonl");
    fs::copy(&path, &other).unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o600)).unwrap();
    let session = "../../../x";
    sandbox
        .file("stop.jsonl", text.replace(&path, other.to_str().unwrap()).replace("\"s-1\"", &format!("\"{session}\"")));
    sandbox.run("import stop.jsonl").assert_status(0);
    let number = sandbox.run("db list --format json").assert_status(0).json()["events"][0]["number"].clone();
    let moment = sandbox.run(&format!("db show {number} --format json")).assert_status(0).json()["moment"].clone();
    assert_eq!((&moment["transcript"], &moment["todos_from"]), (&Value::Null, &Value::Null), "{moment}");
    assert!(moment["unread"].as_str().unwrap().contains("neither in the project nor where agents keep"), "{moment}");
}
