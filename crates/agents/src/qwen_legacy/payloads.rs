//! Example payloads, as hooks get them, and completion of partial ones.

use serde_json::{Map, Value, json};

use super::events::EVENTS;
use crate::shared::missing_keys::fill_missing;
use hookbench_base::config::Place;
use hookbench_base::hook::{EventSpec, ExamplePayload};

const SESSION: &str = "00000000-0000-4000-8000-000000000001";

/// The directory of the user's files: `$QWEN_HOME`, or `~/.qwen`.
pub fn user_dir(place: &Place) -> String {
    match place.var("QWEN_HOME").filter(|dir| !dir.is_empty()) {
        Some(dir) => place.absolute(&place.project, dir),
        None => format!("{}/.qwen", place.home),
    }
}

/// Returns the example payloads of an event.
pub fn examples(event: &EventSpec, place: &Place) -> impl Iterator<Item = ExamplePayload> {
    let samples = samples(event.name, place);
    samples.into_iter().map(move |(label, own)| ExamplePayload { label, body: example(event, place, own) })
}

fn example(event: &EventSpec, place: &Place, own: Value) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    set("session_id", json!(SESSION));
    set("hook_event_name", json!(event.name));
    let chats = format!("{}/tmp/project/chats", user_dir(place));
    set("transcript_path", json!(format!("{chats}/session-2026-01-01T00-00-00000000.json")));
    set("cwd", json!(place.project));
    set("permission_mode", json!("default"));
    if let Value::Object(own) = own {
        body.extend(own);
    }
    Value::Object(body)
}

fn samples(event: &str, place: &Place) -> Vec<(String, Value)> {
    let one = |label: &str, own: Value| vec![(label.to_owned(), own)];
    let file = format!("{}/src/main.rs", place.project);
    let call = |tool: &str, input: Value| json!({"tool_name": tool, "tool_input": input, "tool_use_id": "call_1"});
    let last = "All tests pass.";
    match event {
        "PreToolUse" => vec![
            ("Bash: rm -rf build".to_owned(), call("Bash", json!({"command": "rm -rf build"}))),
            ("Write: src/main.rs".to_owned(), call("Write", json!({"file_path": file, "content": "fn main() {}\n"}))),
            (
                "Edit: src/main.rs".to_owned(),
                call("Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"})),
            ),
        ],
        "PostToolUse" => {
            let mut own = call("Bash", json!({"command": "cargo test"}));
            own["tool_response"] = json!("ok");
            one("Bash: cargo test", own)
        }
        "UserPromptSubmit" => one("a prompt", json!({"prompt": "Fix the failing test."})),
        "BeforeResponse" | "AfterResponse" => one("a response", json!({"response": last})),
        "Stop" => one("the end of a turn", json!({"last_assistant_message": last})),
        "SubagentStop" => {
            let own = json!({"agent_id": "agent_1", "agent_type": "general-purpose", "last_assistant_message": last});
            one("general-purpose", own)
        }
        "SessionStart" | "AppStartup" => one("a start", json!({"config": {}})),
        "SessionEnd" => one("the end of a session", json!({"reason": "other"})),
        "AppShutdown" => one("the end of the program", json!({"state": {}})),
        "Notification" => one("a notification", json!({"message": "The agent needs your permission."})),
        _ => one("an event", json!({})),
    }
}

/// Returns the required keys that a payload lacks, taken from the closest example.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
    let needed = |key: &str| {
        let field = EVENTS.common.iter().chain(event.fields).find(|field| field.name == key);
        field.is_some_and(|field| !field.optional) || key == "permission_mode"
    };
    fill_missing(event, body, examples, needed, None)
}

#[cfg(test)]
mod tests {
    use super::super::events::EVENTS;
    use super::*;

    #[test]
    fn every_event_has_complete_examples() {
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        for event in EVENTS.events {
            let examples: Vec<ExamplePayload> = examples(event, &place).collect();
            assert!(!examples.is_empty(), "{}", event.name);
            for example in &examples {
                assert_eq!(fill(&examples, event, &example.body), vec![], "{}", event.name);
                let keys = example.body.as_object().unwrap().keys();
                let known = |key: &&String| EVENTS.common.iter().chain(event.fields).any(|field| field.name == **key);
                assert_eq!(keys.filter(|key| !known(key)).count(), 0, "{}", event.name);
            }
        }
    }
}
