//! The normalised fields of every recorded payload of every agent.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use hookbench::core::live::normalized_event::NormalizedEvent;
use hookbench::core::live::{agents, live_form, wire_event};
use serde_json::{Map, Value, json};

/// The lines of a snapshot: event and fields, without duplicates.
fn lines(agent: &str) -> BTreeSet<String> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(agent);
    let mut lines = BTreeSet::new();
    for file in fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()) {
        let native = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let event = wire_event(live_form(agent), &native);
        for line in fs::read_to_string(&file).unwrap().lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            let payload = value.get("stdin").unwrap_or(&value);
            let normal = serde_json::to_value(NormalizedEvent::read(agent, &event, 7, &payload.to_string())).unwrap();
            let fields = normal.as_object().unwrap().clone().into_iter();
            let said: Map<String, Value> =
                fields.filter(|(_, value)| !value.is_null()).map(|(key, value)| (key, brief(value))).collect();
            lines.insert(format!("{event} {}", Value::Object(said)));
        }
    }
    lines
}

/// Shortens a long text to its beginning and its length.
fn brief(value: Value) -> Value {
    match value.as_str().filter(|text| text.len() > 150) {
        Some(text) => json!(format!("{} … {} bytes", text.chars().take(60).collect::<String>(), text.len())),
        None => value,
    }
}

#[test]
fn what_every_agent_says_has_one_name() {
    for agent in agents() {
        let lines: Vec<String> = lines(agent.as_str()).into_iter().collect();
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => "normal" }, {
            insta::assert_snapshot!(agent.as_str(), lines.join("\n"));
        });
    }
}

#[test]
fn odd_payloads_say_what_they_can() {
    let read = |payload: &str| NormalizedEvent::read("claude", "pre_tool_use", 7, payload);
    for payload in ["", "null", "[1]", "\"text\"", "{", "{\"tool_name\": 5, \"tool_input\": [1]}"] {
        assert_eq!(read(payload), NormalizedEvent::default(), "{payload}");
    }
    let half = r#"{"tool_name":"Bash","tool_input":{"command":"a\ud83d"},"tool_input":{"command":"b\ud83d"}}"#;
    assert_eq!(read(half).command.as_deref(), Some("b\u{fffd}\u{fffd}\u{fffd}"));
    // Old spellings, and an unknown agent.
    let old = json!({"toolName": "x", "args": {"path": "/a"}, "callId": "c", "subagentId": "i", "subagentName": "n", "final_message": "m"});
    let normal = NormalizedEvent::read("nobody", "stop", 7, &old.to_string());
    let some = |text: &str| Some(text.to_owned());
    let want = NormalizedEvent {
        tool: some("x"),
        tool_native: some("x"),
        call_id: some("c"),
        agent_id: some("i"),
        agent_type: some("n"),
        last_message: some("m"),
        ..NormalizedEvent::default()
    };
    assert_eq!(normal, want);
    let patch =
        "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n";
    for (agent, tool, key) in [("codex", "apply_patch", "command"), ("droid", "ApplyPatch", "input")] {
        let payload = json!({"tool_name": tool, "tool_input": {key: patch}}).to_string();
        let normal = NormalizedEvent::read(agent, "pre_tool_use", 7, &payload);
        assert_eq!((normal.path.as_deref(), normal.content.as_deref()), (Some("a"), Some("x\n")), "{agent}");
        assert_eq!((normal.more_paths, normal.command), (vec!["b".to_owned()], None), "{agent}");
    }
}
