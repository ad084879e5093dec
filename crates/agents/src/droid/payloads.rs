//! Example payloads, recognition of Droid's payloads, and completion of partial ones (spec §3).

use serde_json::{Map, Value, json};

use super::events::{self, EVENTS};
use super::{examples, layers};
use crate::shared::missing_keys::fill_missing;
use hookbench_base::config::Place;
use hookbench_base::dialects::Confidence;
use hookbench_base::hook::{EventSpec, ExamplePayload};

const SESSION: &str = "00000000-0000-4000-8000-000000000001";

/// The tools whose names only this agent has.
const OWN_TOOLS: [&str; 2] = ["Execute", "Create"];

/// Returns the keys before an event's own keys.
fn common(event: &EventSpec, place: &Place) -> Map<String, Value> {
    // The agent names a project after its path.
    let name = place.project.replace('/', "-");
    let path = format!("{}/sessions/{name}/{SESSION}.jsonl", layers::user_dir(place));
    // The mode is set only after the session has started.
    let mode = if event.name == "SessionStart" { "off" } else { "auto-low" };
    let pairs = [
        ("session_id", json!(SESSION)),
        ("transcript_path", json!(path)),
        ("cwd", json!(place.project)),
        ("permission_mode", json!(mode)),
        ("hook_event_name", json!(event.name)),
    ];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Returns the example payloads of an event.
pub fn examples(event: &EventSpec, place: &Place) -> impl Iterator<Item = ExamplePayload> {
    let whole = move |sample: examples::Sample| {
        let mut body = common(event, place);
        body.extend(sample.fields);
        ExamplePayload { label: sample.label.to_owned(), body: Value::Object(body) }
    };
    examples::samples(event.name, place).into_iter().map(whole)
}

/// Returns the missing keys that the agent would have sent, taken from the closest example.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
    let needed = |key: &str| EVENTS.common.iter().chain(event.fields).any(|f| f.name == key && !f.optional);
    fill_missing(event, body, examples, needed, Some(&json!("")))
}

/// Returns how likely it is that Droid sent this payload. Its event names are those of other agents.
pub fn recognise(payload: &Value) -> Confidence {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    if text("hook_event_name").and_then(|name| events::EVENTS.by_name(name)).is_none() {
        return Confidence::No;
    }
    let path = text("transcript_path").unwrap_or("");
    let mode = text("permission_mode").unwrap_or("");
    let own = path.contains("/.factory/")
        || payload.get("CLAUDE_ENV_FILE").is_some()
        || payload.get("tool_execution_count").is_some()
        || mode.starts_with("auto-")
        || text("tool_name").is_some_and(|tool| OWN_TOOLS.contains(&tool));
    if own { Confidence::Certain } else { Confidence::No }
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::place;
    use super::*;

    #[test]
    fn every_event_has_complete_examples() {
        for event in events::EVENTS.events {
            let templates: Vec<ExamplePayload> = examples(event, &place()).collect();
            assert!(!templates.is_empty(), "{}", event.name);
            for example in &templates {
                assert_eq!(fill(&templates, event, &example.body), vec![], "{}", event.name);
                assert_eq!(recognise(&example.body), Confidence::Certain, "{}", event.name);
                let known = |key: &String| EVENTS.common.iter().chain(event.fields).any(|f| f.name == key);
                assert!(example.body.as_object().unwrap().keys().all(known), "{}", event.name);
                for field in event.fields.iter().filter(|f| !f.optional) {
                    assert!(example.body.get(field.name).is_some(), "{} lacks {}", event.name, field.name);
                }
            }
        }
    }

    #[test]
    fn payloads_of_others_are_not_ours() {
        for (path, want) in
            [("/h/.claude/projects/x.jsonl", Confidence::No), ("/h/.factory/x.jsonl", Confidence::Certain)]
        {
            let payload = json!({"hook_event_name": "Stop", "transcript_path": path});
            assert_eq!(recognise(&payload), want, "{path}");
        }
    }
}
