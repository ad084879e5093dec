//! Verifications without processes: settings whose hooks are recorded, and the model's script for an event.

use hookbench::core::config::{MemoryFiles, Place};
use hookbench::core::dialects::{self, default_version};
use hookbench::core::hook::{CommandHandler, HookInput, Subject};
use hookbench::core::model_interface::ModelTurn;
use hookbench::core::text::quote_literal;
use hookbench::core::verification::{RecordedSettings, Recorder, VerificationScript, hook_name, verification_script};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn recorded(agent: &str, path: &str, text: &str) -> RecordedSettings {
    let dialect = dialects::by_id(agent).unwrap();
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    let mut files = MemoryFiles::default();
    files.put(path, text);
    let loaded = dialect.load(&place, &files, &default_version(dialect));
    let recorder = Recorder { program: "/b".to_owned(), directory: "/d".to_owned() };
    recorder.record(&loaded, dialect)
}

#[test]
fn only_commands_change() {
    let settings = r#"{ "hooks": { "Stop": [{ "hooks": [
        { "type": "command", "command": "echo 'a b'", "timeout": 5 },
        { "type": "command", "command": "node", "args": ["x.js"] },
        { "type": "command", "command": "y", "args": [] } ] }] } }"#;
    let found = recorded("claude", "/p/.claude/settings.json", settings);
    let name = |command: &str, args: Option<&[&str]>| {
        let args = args.map(|args| args.iter().map(|arg| (*arg).to_owned()).collect());
        hook_name(&CommandHandler { command: command.to_owned(), args, ..CommandHandler::default() })
    };
    let line = format!("exec '/b' record '/d' {} -- \"$0\" -c 'echo '\\''a b'\\'''", name("echo 'a b'", None));
    let want = settings
        .replace("\"echo 'a b'\"", &quote_literal(&line))
        .replace("\"node\"", "\"/b\"")
        .replace(
            "[\"x.js\"]",
            &format!("[\"record\", \"/d\", \"{}\", \"--\", \"node\", \"x.js\"]", name("node", Some(&["x.js"]))),
        )
        .replace(
            "\"y\", \"args\": []",
            &format!("\"/b\", \"args\": [\"record\", \"/d\", \"{}\", \"--\", \"y\"]", name("y", Some(&[]))),
        );
    assert_eq!(found.files["/p/.claude/settings.json"], want);
    assert_eq!(found.written_text(&format!("[{line}]: no")), "[echo 'a b']: no");
    assert_eq!(found.unrecorded, Vec::<String>::new());
}

#[test]
fn toml_settings_are_recorded() {
    let text = "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = 'b \"c\"' }]\n";
    let found = recorded("codex", "/h/.codex/config.toml", text);
    let after = &found.files["/h/.codex/config.toml"];
    assert!(after.contains("record '/d' ") && after.contains("hooks = [{ type = \"command\", command = \""), "{after}");
}

fn script(agent: &str, body: &Value) -> Result<VerificationScript, String> {
    let dialect = dialects::by_id(agent).unwrap();
    let event = body.get("hook_event_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let input = HookInput { event, subject: Subject::default(), body: body.clone() };
    verification_script(dialect, &input, |path| path == "/p/there.txt")
}

fn calls(script: &VerificationScript) -> Vec<(String, Value)> {
    let calls = script.turns.iter().flat_map(ModelTurn::calls);
    calls.map(|call| (call.tool.clone(), call.input.clone())).collect()
}

/// Keys that an agent leaves out of an event are no difference.
#[test]
fn keys_that_an_event_does_not_have() {
    for (agent, event, pointer, omitted) in [
        ("copilot", "PermissionRequest", "/tool_input/description", true),
        ("copilot", "PermissionRequest", "/tool_input/command", false),
        ("copilot", "PermissionRequest", "/tool_input/diff", false),
        ("copilot", "PermissionRequest", "/description", false),
        ("copilot", "PreToolUse", "/tool_input/description", false),
        ("claude", "PermissionRequest", "/tool_input/description", false),
    ] {
        let format = dialects::by_id(agent).unwrap().verification_format();
        assert_eq!(format.omits(event, pointer), omitted, "{agent} {event} {pointer}");
    }
}

#[test]
fn every_event_has_a_way_or_a_reason() {
    for dialect in dialects::ALL {
        let version = default_version(dialect);
        let known: Vec<&str> = dialect.events(&version).iter().map(|event| event.name).collect();
        let listed: Vec<&str> = dialect.verification_format().triggers.iter().map(|(name, _)| *name).collect();
        let sorted = |mut names: Vec<&'static str>| {
            names.sort_unstable();
            names
        };
        assert_eq!(sorted(listed), sorted(known), "{dialect:?}");
    }
}

#[test]
fn tools_are_called_as_the_agent_offers_them() {
    let patch = "*** Begin Patch\n*** End Patch";
    for (agent, event, tool, input, want) in [
        ("claude", "PreToolUse", "Bash", json!({ "command": "ls" }), vec![("Bash", json!({ "command": "ls" }))]),
        ("codex", "PreToolUse", "Bash", json!({ "command": "ls" }), vec![("exec_command", json!({ "cmd": "ls" }))]),
        ("codex", "PostToolUse", "apply_patch", json!({ "command": patch }), vec![("apply_patch", json!(patch))]),
        (
            "codex",
            "PermissionRequest",
            "Bash",
            json!({ "command": "ls", "description": "to see" }),
            vec![(
                "exec_command",
                json!({ "cmd": "ls", "sandbox_permissions": "require_escalated", "justification": "to see" }),
            )],
        ),
        (
            "codex",
            "PermissionRequest",
            "Bash",
            json!({ "command": "ls" }),
            vec![("exec_command", json!({ "cmd": "ls", "sandbox_permissions": "require_escalated" }))],
        ),
        (
            "claude",
            "PreToolUse",
            "Write",
            json!({ "file_path": "/p/there.txt", "content": "x" }),
            vec![
                ("Read", json!({ "file_path": "/p/there.txt" })),
                ("Write", json!({ "file_path": "/p/there.txt", "content": "x" })),
            ],
        ),
    ] {
        let body = json!({ "hook_event_name": event, "tool_name": tool, "tool_input": input });
        let want: Vec<(String, Value)> = want.into_iter().map(|(name, input)| (name.to_owned(), input)).collect();
        assert_eq!(calls(&script(agent, &body).unwrap()), want, "{agent} {tool}");
    }
}

#[test]
fn the_model_waits_for_a_subagent_that_the_agent_does_not_wait_for() {
    let body = json!({ "hook_event_name": "SubagentStart", "agent_type": "worker" });
    for (agent, want, tool) in
        [("claude", vec!["Agent"], Some("Agent")), ("codex", vec!["spawn_agent", "wait_agent"], None)]
    {
        let script = script(agent, &body).unwrap();
        let names: Vec<String> = calls(&script).into_iter().map(|(name, _)| name).collect();
        assert_eq!((names, script.turns.len()), (want.iter().map(|name| (*name).to_owned()).collect(), want.len()));
        assert_eq!(script.tool.as_deref(), tool, "{agent}");
    }
}

#[test]
fn a_missing_file_is_created_for_an_edit() {
    let edit = json!({ "file_path": "/p/new.txt", "old_string": "a", "new_string": "b" });
    let body = json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": edit });
    let script = script("claude", &body).unwrap();
    assert_eq!(script.files, [("/p/new.txt".to_owned(), "a\n".to_owned())]);
    assert_eq!(calls(&script).len(), 2);
}

#[test]
fn reasons_are_given() {
    let body = |event: &str, key: &str, value: &str| json!({ "hook_event_name": event, key: value });
    for (agent, body, why) in [
        ("claude", body("SessionStart", "source", "resume"), "\"startup\", not \"resume\""),
        ("claude", body("TeammateIdle", "x", "y"), "a team of agents in terminals"),
        ("gemini", body("BeforeAgent", "prompt", " "), "an empty prompt is not sent"),
        ("codex", body("PreToolUse", "x", "y"), "the payload names no tool"),
    ] {
        let found = script(agent, &body).unwrap_err();
        assert!(found.contains(why), "{agent}: {found}");
    }
}
