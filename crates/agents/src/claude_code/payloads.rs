//! Sample payloads of every event, with the agent's keys and their order (recorded on 2.1.329), and the values
//! that complete a payload with missing keys.

use serde_json::{Map, Value, json};

use super::events::{self, EVENTS};
use super::layer_reader::config_dir;
use super::skills;
use hookbench_base::config::Place;
use hookbench_base::decide::Outcome;
use hookbench_base::dialects::{SessionMemory, SessionState};
use hookbench_base::hook::{EventSpec, ExamplePayload, HookInput};

const SESSION: &str = "00000000-0000-4000-8000-000000000001";
const PROMPT: &str = "00000000-0000-4000-8000-000000000002";

/// Returns all sample payloads of an event, the most useful first.
pub fn examples(event: &EventSpec, place: &Place) -> impl Iterator<Item = ExamplePayload> {
    // Omits session starts that this version does not have.
    let known = move |example: &ExamplePayload| {
        let source = example.body.get("source").and_then(Value::as_str).unwrap_or_default();
        event.name != "SessionStart" || event.subjects.contains(&source)
    };
    let examples = EVENTS.examples(event.name, place, &config_dir(place)).filter(known);
    examples.map(|ExamplePayload { label, body }| {
        let fields = body.as_object().cloned().unwrap_or_default();
        ExamplePayload { label, body: complete_payload(event.name, &fields, place) }
    })
}

/// Returns the keys that the agent would have sent and that `body` lacks: the common keys of the event, and its
/// own required keys.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value, place: &Place) -> Vec<(String, Value)> {
    let session = body.get("session_id").and_then(Value::as_str).unwrap_or(SESSION);
    let mut out: Vec<(String, Value)> = Vec::new();
    for (key, value) in common_fields(event.name, session, place) {
        if body.get(&key).is_none() {
            out.push((key, value));
        }
    }
    let tool = body.get("tool_name");
    let fitting = examples.iter().find(|example| tool.is_none() || example.body.get("tool_name") == tool);
    for field in event.fields.iter().filter(|f| !f.optional && body.get(f.name).is_none()) {
        if out.iter().any(|(key, _)| key == field.name) {
            continue;
        }
        let value = match (fitting, field.name) {
            (Some(example), name) => example.body.get(name).cloned(),
            // A list of parts, unless the tool has an output schema. Measured on Claude Code 2.1.332.
            (None, "tool_response") if tool.and_then(Value::as_str).is_some_and(|tool| tool.starts_with("mcp__")) => {
                Some(json!([{"type": "text", "text": "ok"}]))
            }
            // Without a sample for this tool, its input and response are unknown.
            (None, "tool_input" | "tool_response") => Some(json!({})),
            (None, name) => examples.first().and_then(|example| example.body.get(name).cloned()),
        };
        if let Some(value) = value {
            out.push((field.name.to_owned(), value));
        }
    }
    out
}

/// The keys that come before the event's own keys, in the agent's order.
fn common_fields(event: &str, session: &str, place: &Place) -> Vec<(String, Value)> {
    let carries = events::common_keys(event);
    // The name of a project's transcript directory: its path, with all characters except letters and digits replaced.
    let slug: String = place.project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let transcript = format!("{}/projects/{slug}/{session}.jsonl", config_dir(place));
    let mut keys =
        vec![("session_id", json!(session)), ("transcript_path", json!(transcript)), ("cwd", json!(place.project))];
    if carries.prompt_id {
        keys.push(("prompt_id", json!(PROMPT)));
    }
    if carries.permission_mode {
        keys.push(("permission_mode", json!("default")));
    }
    if carries.effort {
        keys.push(("effort", json!({"level": "medium"})));
    }
    keys.push(("hook_event_name", json!(event)));
    keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Returns a complete payload. `agent_id` and `agent_type` come before `effort`, at whatever position the sample
/// has them.
fn complete_payload(event: &str, fields: &Map<String, Value>, place: &Place) -> Value {
    let mut body = Map::new();
    let early = ["agent_id", "agent_type"];
    for (key, value) in common_fields(event, SESSION, place) {
        if key == "effort" || key == "hook_event_name" {
            for name in early {
                if let Some(value) = fields.get(name).filter(|_| !body.contains_key(name)) {
                    body.insert(name.to_owned(), value.clone());
                }
            }
        }
        body.insert(key, value);
    }
    for (key, value) in fields.iter().filter(|(key, _)| !early.contains(&key.as_str())) {
        body.insert(key.clone(), value.clone());
    }
    Value::Object(body)
}

/// Updates the session state after an event. A prompt or a tool call between two stops resets the count of blocked
/// stops.
pub fn remember(state: &mut SessionState, input: &HookInput, before: &SessionMemory, outcome: &Outcome) {
    let starts = |source: &str| input.body.get("source").is_none_or(|value| value != source);
    skills::remember(state, input, outcome.blocked);
    match input.event.as_str() {
        "SessionStart" if starts("compact") => *state = SessionState::default(),
        "Stop" | "SubagentStop" => state.count_stop(&input.event, before, outcome),
        "SubagentStart" => state.forget_stops("SubagentStop"),
        "UserPromptSubmit" => state.forget_stops("Stop"),
        "PreToolUse" | "PermissionRequest" => {
            state.restart_count("Stop");
            match &outcome.updated_input {
                Some(updated) if !outcome.blocked => state.record_rewrite(input, updated),
                _ if input.event == "PreToolUse" => state.forget_rewrite(),
                _ => {}
            }
        }
        "PostToolUse" | "PostToolUseFailure" => {
            state.restart_count("Stop");
            state.forget_rewrite();
        }
        _ => {}
    }
}

/// Applies the session state to an input. A tool call continues with the input that a hook rewrote:
/// PermissionRequest hooks see the input that PreToolUse hooks wrote.
pub fn recall(state: &SessionState, input: &mut HookInput, filled: &[String]) -> Vec<&'static str> {
    match input.event.as_str() {
        "Stop" | "SubagentStop" => state.mark_stop(input, filled),
        "PermissionRequest" | "PostToolUse" | "PostToolUseFailure" => state.recall_rewrite(input),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn place() -> Place {
        Place { project: "/home/user/project".to_owned(), home: "/home/user".to_owned(), ..Place::default() }
    }

    #[test]
    fn as_recorded() {
        let first = |name: &str| {
            hookbench_base::text::stringify(&examples(events::find(name).unwrap(), &place()).next().unwrap().body)
        };
        assert_eq!(
            first("PreToolUse"),
            r#"{"session_id":"00000000-0000-4000-8000-000000000001","transcript_path":"/home/user/.claude/projects/-home-user-project/00000000-0000-4000-8000-000000000001.jsonl","cwd":"/home/user/project","prompt_id":"00000000-0000-4000-8000-000000000002","permission_mode":"default","effort":{"level":"medium"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf build","description":"Remove build output"},"tool_use_id":"toolu_01"}"#
        );
        assert_eq!(
            first("SubagentStop"),
            r#"{"session_id":"00000000-0000-4000-8000-000000000001","transcript_path":"/home/user/.claude/projects/-home-user-project/00000000-0000-4000-8000-000000000001.jsonl","cwd":"/home/user/project","prompt_id":"00000000-0000-4000-8000-000000000002","permission_mode":"default","agent_id":"a0123456789abcdef","agent_type":"general-purpose","effort":{"level":"medium"},"hook_event_name":"SubagentStop","stop_hook_active":false,"agent_transcript_path":"/home/user/.claude/projects/-home-user-project/00000000-0000-4000-8000-000000000001/subagents/agent-a0123456789abcdef.jsonl","last_assistant_message":"Done.","background_tasks":[],"session_crons":[]}"#
        );
        assert_eq!(
            first("SessionStart"),
            r#"{"session_id":"00000000-0000-4000-8000-000000000001","transcript_path":"/home/user/.claude/projects/-home-user-project/00000000-0000-4000-8000-000000000001.jsonl","cwd":"/home/user/project","hook_event_name":"SessionStart","source":"startup"}"#
        );
    }

    #[test]
    fn fills_what_the_agent_would_have_sent() {
        for (event, body, want) in [
            (
                "Stop",
                json!({"hook_event_name": "Stop"}),
                vec![
                    "session_id",
                    "transcript_path",
                    "cwd",
                    "prompt_id",
                    "permission_mode",
                    "effort",
                    "stop_hook_active",
                ],
            ),
            (
                "Setup",
                json!({"hook_event_name": "Setup", "trigger": "init"}),
                vec!["session_id", "transcript_path", "cwd"],
            ),
            (
                "StopFailure",
                json!({"hook_event_name": "StopFailure", "error": "unknown", "cwd": "/x"}),
                vec!["session_id", "transcript_path", "prompt_id", "effort"],
            ),
            (
                "PreToolUse",
                json!({"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {}}),
                vec!["session_id", "transcript_path", "cwd", "prompt_id", "permission_mode", "effort", "tool_use_id"],
            ),
            (
                "PermissionRequest",
                json!({"hook_event_name": "PermissionRequest", "tool_name": "Glob", "tool_input": {}}),
                vec!["session_id", "transcript_path", "cwd", "prompt_id", "permission_mode", "effort"],
            ),
        ] {
            let (event_spec, place) = (events::find(event).unwrap(), place());
            let filled = fill(&examples(event_spec, &place).collect::<Vec<_>>(), event_spec, &body, &place);
            let got: Vec<String> = filled.into_iter().map(|(k, _)| k).collect();
            assert_eq!(got, want, "{event}");
        }
    }

    #[test]
    fn an_unknown_tool_answers_with_an_object_and_that_of_a_server_with_parts() {
        let (event, place) = (events::find("PostToolUse").unwrap(), place());
        for (tool, want) in [("Unknown", json!({})), ("mcp__notes__put", json!([{"type": "text", "text": "ok"}]))] {
            let body = json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {}});
            let filled = fill(&examples(event, &place).collect::<Vec<_>>(), event, &body, &place);
            assert!(filled.contains(&("tool_response".to_owned(), want)), "{tool}: {filled:?}");
        }
    }
}
