//! Translation of events between agents: tables, and every recorded payload there and back.
#![allow(clippy::disallowed_methods, reason = "reads the recordings")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::fs;
use std::path::PathBuf;

use hookbench::core::config::Place;
use hookbench::core::dialects::{self, by_id, default_version, find_event, held_payload};
use hookbench::core::hook::HookInput;
use hookbench::core::port::{AgentVersion, MissingEvent, TranslatedEvent, TranslationNoteKind, mapping, translate};
use serde_json::{Value, json};

fn place() -> Place {
    Place { project: "/hb/project".to_owned(), home: "/hb/home".to_owned(), ..Place::default() }
}

fn side(agent: &str) -> AgentVersion {
    let dialect = by_id(agent).unwrap();
    AgentVersion { dialect, version: default_version(dialect) }
}

fn input(agent: &str, body: Value) -> HookInput {
    let side = side(agent);
    let event = body["hook_event_name"].as_str().unwrap().to_owned();
    let spec = find_event(side.dialect, &side.version, &event).unwrap();
    let subject = side.dialect.subject(spec, &body, &side.version);
    HookInput { event, subject, body }
}

fn translate_to(from: &str, there: &str, body: Value) -> Result<TranslatedEvent, MissingEvent> {
    translate(&input(from, body), &side(from), &side(there), &place())
}

/// Returns the translated event, tool and tool input.
fn translate_call(from: &str, there: &str, tool: &str, given: &Value) -> Result<(String, String, Value), String> {
    let event = if from == "gemini" { "BeforeTool" } else { "PreToolUse" };
    let body = json!({"hook_event_name": event, "tool_name": tool, "tool_input": given});
    let done = translate_to(from, there, body).map_err(|missing| missing.message)?;
    let body = done.input.body;
    let text = |key: &str| body[key].as_str().unwrap().to_owned();
    Ok((text("hook_event_name"), text("tool_name"), body["tool_input"].clone()))
}

#[test]
fn tool_calls_are_translated() {
    let edit = json!({"file_path": "a", "old_string": "x", "new_string": "y"});
    let gemini_edit = json!({"file_path": "a", "old_string": "x", "new_string": "y", "instruction": ""});
    let patch = json!({"command": "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n"});
    let write = json!({"file_path": "a", "content": "x\n"});
    let added = json!({"command": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"});
    let q = json!({"q": 1});
    for (from, tool, given, there, name, want) in [
        (
            "claude",
            "Bash",
            json!({"command": "ls", "description": "d"}),
            "qwen",
            "run_shell_command",
            json!({"command": "ls", "description": "d"}),
        ),
        ("claude", "Bash", json!({"command": "ls", "description": "d"}), "codex", "Bash", json!({"command": "ls"})),
        (
            "claude",
            "Bash",
            json!({"command": "ls", "run_in_background": true}),
            "gemini",
            "run_shell_command",
            json!({"command": "ls", "is_background": true}),
        ),
        ("claude", "Edit", edit.clone(), "qwen", "edit", edit.clone()),
        ("claude", "Edit", edit.clone(), "gemini", "replace", gemini_edit.clone()),
        ("claude", "Edit", edit.clone(), "codex", "apply_patch", patch.clone()),
        ("claude", "Write", write.clone(), "codex", "apply_patch", added.clone()),
        ("gemini", "replace", gemini_edit, "codex", "apply_patch", patch.clone()),
        ("codex", "apply_patch", patch, "claude", "Edit", edit),
        ("codex", "apply_patch", added, "gemini", "write_file", write),
        (
            "claude",
            "Grep",
            json!({"pattern": "x", "glob": "*.rs"}),
            "gemini",
            "grep_search",
            json!({"pattern": "x", "include_pattern": "*.rs"}),
        ),
        (
            "codex",
            "spawn_agent",
            json!({"message": "m", "agent_type": "worker"}),
            "claude",
            "Agent",
            json!({"prompt": "m", "subagent_type": "worker"}),
        ),
        ("claude", "mcp__a_b__c", q.clone(), "gemini", "mcp_a_b_c", q.clone()),
        ("claude", "mcp__a__b__c", q.clone(), "codex", "mcp__a__b__c", q.clone()),
        ("gemini", "mcp_a_b_c", q.clone(), "claude", "mcp__a__b_c", q.clone()),
        ("claude", "Nonsense", q.clone(), "gemini", "Nonsense", q.clone()),
        // Another agent's tool name, as users write it.
        ("gemini", "Bash", q.clone(), "claude", "Bash", q.clone()),
        ("claude", "run_shell_command", json!({"command": "x"}), "qwen", "run_shell_command", json!({"command": "x"})),
    ] {
        let event = if there == "gemini" { "BeforeTool" } else { "PreToolUse" };
        let want = Ok((event.to_owned(), name.to_owned(), want));
        assert_eq!(translate_call(from, there, tool, &given), want, "{tool} of {from} in {there}");
    }
    for (from, tool, there, part) in [
        ("claude", "Read", "codex", "no such tool in Codex"),
        ("qwen", "lsp", "claude", "no such tool in Claude Code"),
        ("codex", "view_image", "gemini", "no such tool in Gemini CLI"),
    ] {
        let says = translate_call(from, there, tool, &json!({})).unwrap_err();
        assert!(says.contains(part), "{says}");
    }
}

#[test]
fn values_are_translated() {
    for (from, body, there, pointer, want) in [
        (
            "claude",
            json!({"hook_event_name": "Stop", "permission_mode": "acceptEdits"}),
            "qwen",
            "/permission_mode",
            json!("auto_edit"),
        ),
        (
            "qwen",
            json!({"hook_event_name": "Stop", "permission_mode": "yolo"}),
            "codex",
            "/permission_mode",
            json!("bypassPermissions"),
        ),
        (
            "claude",
            json!({"hook_event_name": "Stop", "permission_mode": "dontAsk"}),
            "qwen",
            "/permission_mode",
            json!("default"),
        ),
        (
            "claude",
            json!({"hook_event_name": "Stop", "last_assistant_message": "done"}),
            "gemini",
            "/prompt_response",
            json!("done"),
        ),
        (
            "gemini",
            json!({"hook_event_name": "AfterAgent", "prompt_response": "done"}),
            "codex",
            "/last_assistant_message",
            json!("done"),
        ),
        (
            "claude",
            json!({"hook_event_name": "SessionEnd", "reason": "prompt_input_exit"}),
            "gemini",
            "/reason",
            json!("exit"),
        ),
        ("gemini", json!({"hook_event_name": "SessionEnd", "reason": "exit"}), "codex", "/reason", json!("other")),
        (
            "qwen",
            json!({"hook_event_name": "Notification", "notification_type": "permission_prompt"}),
            "gemini",
            "/notification_type",
            json!("ToolPermission"),
        ),
        ("claude", json!({"hook_event_name": "UserPromptSubmit", "prompt_id": "p"}), "codex", "/turn_id", json!("p")),
        (
            "claude",
            json!({"hook_event_name": "SessionStart", "source": "startup"}),
            "gemini",
            "/source",
            json!("startup"),
        ),
        // An unknown value, such as one that a user tries.
        (
            "claude",
            json!({"hook_event_name": "SessionStart", "source": "Startup"}),
            "gemini",
            "/source",
            json!("Startup"),
        ),
        ("claude", json!({"hook_event_name": "Stop", "mine": 1}), "codex", "/mine", json!(1)),
        (
            "claude",
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}, "tool_response": {"stdout": "out"}}),
            "codex",
            "/tool_response",
            json!("out"),
        ),
        (
            "codex",
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}, "tool_response": "out"}),
            "gemini",
            "/tool_response",
            json!({"llmContent": "out", "returnDisplay": "out"}),
        ),
        (
            "gemini",
            json!({"hook_event_name": "BeforeTool", "tool_name": "mcp_a_b_c", "tool_input": {}, "mcp_context": {"server_name": "a_b", "tool_name": "c"}}),
            "qwen",
            "/tool_name",
            json!("mcp__a_b__c"),
        ),
    ] {
        let label = format!("{body} of {from} in {there}");
        let done = translate_to(from, there, body).unwrap();
        assert_eq!(done.input.body.pointer(pointer), Some(&want), "{label}: {}", done.input.body);
    }
    for (from, body, there, says, nearest) in [
        (
            "claude",
            json!({"hook_event_name": "PostToolBatch", "tool_calls": []}),
            "gemini",
            "Gemini CLI has no event after all tool calls of one answer",
            Some("AfterTool"),
        ),
        (
            "claude",
            json!({"hook_event_name": "TaskCreated"}),
            "qwen",
            "Qwen Code has no event when a task was added",
            Some("TodoCreated"),
        ),
        (
            "claude",
            json!({"hook_event_name": "Elicitation"}),
            "codex",
            "Codex has no event when an MCP server asks the user",
            None,
        ),
        (
            "claude",
            json!({"hook_event_name": "SessionStart", "source": "compact"}),
            "gemini",
            "Gemini CLI has no SessionStart with source \"compact\"; its values are startup, resume, clear",
            None,
        ),
        (
            "claude",
            json!({"hook_event_name": "Notification", "notification_type": "idle_prompt"}),
            "gemini",
            "Gemini CLI has no Notification with notification_type \"idle_prompt\"; its values are ToolPermission",
            None,
        ),
    ] {
        let missing = translate_to(from, there, body).unwrap_err();
        assert_eq!((missing.message.as_str(), missing.nearest.as_deref()), (says, nearest));
    }
}

/// Translates there and back, and returns the differences: event, tool and every key without a note must be the
/// same.
fn there_and_back(first: &HookInput, from: &AgentVersion, other: &AgentVersion) -> Vec<String> {
    let Ok(there) = translate(first, from, other, &place()) else { return Vec::new() };
    let back = match translate(&there.input, other, from, &place()) {
        Ok(back) => back,
        Err(missing) => return vec![format!("no way back: {}", missing.message)],
    };
    let spec = find_event(other.dialect, &other.version, &there.input.event).unwrap();
    let mut wrong = Vec::new();
    for field in spec.fields.iter().filter(|f| !f.optional && there.input.body.get(f.name).is_none()) {
        wrong.push(format!("{} is not there", field.name));
    }
    let empty = there.notes.iter().chain(&back.notes).filter(|n| n.message.is_empty());
    wrong.extend(empty.map(|n| format!("nothing is said of {}", n.key)));
    if back.input.event != first.event {
        wrong.push(format!("event {}", back.input.event));
    }
    let named = |key: &str| {
        let says = |key: &str| {
            there.notes.iter().chain(&back.notes).any(|n| {
                n.key == key
                    && matches!(
                        n.kind,
                        TranslationNoteKind::Lost | TranslationNoteKind::NotSent | TranslationNoteKind::Own
                    )
            })
        };
        // In the other agent the key may have another name.
        let other_name = mapping().keys.iter().find(|row| row.keys.get(from.dialect.id().as_str()) == Some(key));
        says(key) || other_name.and_then(|row| row.keys.get(other.dialect.id().as_str())).is_some_and(&says)
    };
    for (key, value) in first.body.as_object().unwrap() {
        let got = back.input.body.get(key);
        if got == Some(value) || named(key) {
            continue;
        }
        if let (true, Some(before), Some(Value::Object(after))) = (key == "tool_input", value.as_object(), got) {
            let lost = |k: &&String| after.get(*k) != before.get(*k) && !named(&format!("tool_input.{k}"));
            wrong.extend(before.keys().filter(lost).map(|k| format!("tool_input.{k}: {after:?}")));
            continue;
        }
        wrong.push(format!("{key}: {value} became {got:?}"));
    }
    wrong
}

#[test]
fn recorded_payloads_come_back() {
    let (mut wrong, mut ways) = (Vec::new(), 0);
    for dialect in dialects::ALL {
        let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(dialect.id().as_str());
        let mut files: Vec<PathBuf> = fs::read_dir(directory).unwrap().flatten().map(|e| e.path()).collect();
        files.sort();
        for file in files {
            for line in fs::read_to_string(&file).unwrap().lines() {
                let value: Value = serde_json::from_str(line).unwrap();
                let body = value.get("stdin").cloned().unwrap_or(value);
                let body = held_payload(dialect, body);
                let first = input(dialect.id().as_str(), body);
                for other in dialects::ALL.iter().filter(|other| other.id() != dialect.id()) {
                    ways += 1;
                    let found = there_and_back(&first, &side(dialect.id().as_str()), &side(other.id().as_str()));
                    let label = format!("{}/{} by {}", dialect.id(), first.event, other.id());
                    wrong.extend(found.into_iter().map(|says| format!("{label}: {says}")));
                }
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{} of {ways}\n  {}\n", wrong.len(), wrong.join("\n  "));
    assert!(ways > 600, "{ways} ways");
}

/// Every template of an agent is translated, or there is a message why not.
#[test]
fn templates_come_back() {
    let (mut wrong, mut done) = (Vec::new(), 0);
    for dialect in dialects::ALL {
        let version = default_version(dialect);
        for event in dialect.events(&version) {
            for example in dialect.examples(event, &place(), &version) {
                let first = input(dialect.id().as_str(), example.body);
                for other in dialects::ALL.iter().filter(|other| other.id() != dialect.id()) {
                    let found = there_and_back(&first, &side(dialect.id().as_str()), &side(other.id().as_str()));
                    let label = format!("{}/{} {} by {}", dialect.id(), first.event, example.label, other.id());
                    wrong.extend(found.into_iter().map(|says| format!("{label}: {says}")));
                    if let Ok(there) =
                        translate(&first, &side(dialect.id().as_str()), &side(other.id().as_str()), &place())
                    {
                        done += 1;
                        let spec = find_event(other, &default_version(other), &there.input.event).unwrap();
                        let again = other.missing_keys(spec, &there.input.body, &place(), &default_version(other));
                        assert!(again.is_empty(), "{label}: {again:?}");
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n  {}\n", wrong.join("\n  "));
    assert!(done > 200, "{done} were translated");
}
