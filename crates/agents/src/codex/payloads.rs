//! Example payloads, recognition of Codex's payloads, and completion of partial ones (spec §3).

use serde_json::{Map, Value, json};

use super::events;
use super::examples::{self, Sample};
use super::layers::user_dir;
use crate::shared::missing_keys::fill_missing;
use hookbench_base::config::Place;
use hookbench_base::dialects::Confidence;
use hookbench_base::hook::{EventSpec, ExamplePayload};

const SESSION: &str = "00000000-0000-7000-8000-000000000001";
const TURN: &str = "00000000-0000-7000-8000-000000000002";
const AGENT: &str = "00000000-0000-7000-8000-000000000003";
const MODEL: &str = "gpt-5.5";
const REQUEST: &str = "00000000-0000-4000-8000-000000000004";

fn rollout(place: &Place, thread: &str) -> Value {
    json!(format!("{}/sessions/2026/01/01/rollout-2026-01-01T00-00-00-{thread}.jsonl", user_dir(place)))
}

/// Returns the keys before an event's own keys, in the order of the wire format.
fn common(event: &EventSpec, place: &Place) -> Map<String, Value> {
    let has = |name: &str| event.fields.iter().any(|f| f.name == name);
    let inside = event.name == "SubagentStart";
    let path = rollout(place, if inside { AGENT } else { SESSION });
    let mut pairs: Vec<(&str, Value)> = vec![("session_id", json!(SESSION))];
    if has("turn_id") {
        pairs.push(("turn_id", json!(TURN)));
    }
    let cwd = ("cwd", json!(place.project));
    if matches!(event.name, "PreModelRequest" | "PostModelRequest") {
        // These two events use another order.
        let request = [("kind", json!("sampling")), ("request_id", json!(REQUEST)), ("attempt_number", json!(1))];
        pairs = request.into_iter().chain([("session_id", json!(SESSION)), ("thread_id", json!(SESSION))]).collect();
        pairs.push(("turn_id", json!(TURN)));
        pairs.extend([cwd, ("transcript_path", path), ("model", json!(MODEL)), ("hook_event_name", json!(event.name))]);
        return pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    }
    pairs.push(("transcript_path", path));
    if has("agent_transcript_path") {
        pairs.push(("agent_transcript_path", rollout(place, AGENT)));
    }
    pairs.extend([cwd, ("hook_event_name", json!(event.name))]);
    if has("model") {
        pairs.push(("model", json!(MODEL)));
    }
    if has("permission_mode") {
        pairs.push(("permission_mode", json!("default")));
    }
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Returns the example payloads of an event.
pub fn examples(event: &EventSpec, place: &Place) -> impl Iterator<Item = ExamplePayload> {
    examples::samples(event.name).map(move |sample| example(event, place, sample))
}

fn example(event: &EventSpec, place: &Place, sample: Sample) -> ExamplePayload {
    let mut body = common(event, place);
    if let Value::Object(fields) = sample.fields {
        body.extend(fields);
    }
    ExamplePayload { label: sample.label, body: Value::Object(body) }
}

/// Returns the missing keys that Codex would have sent, taken from the closest example.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
    // A payload of a turn is complete; before 0.171.0 it had no keys of its request.
    let is_of_request =
        |key: &str| matches!(key, "kind" | "request_id" | "attempt_number" | "thread_id" | "response_id");
    let is_older = body.get("turn_id").is_some() && body.get("kind").is_none();
    fill_missing(event, body, examples, |key| !(is_older && is_of_request(key)), Some(&json!("")))
}

/// Returns how likely it is that Codex sent this payload.
pub fn recognise(payload: &Value) -> Confidence {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let Some(event) = text("hook_event_name").and_then(|name| events::EVENTS.by_name(name)) else {
        return Confidence::No;
    };
    let path = text("transcript_path").unwrap_or("");
    if ["/.claude/", "/.qwen/", "/.gemini/"].iter().any(|directory| path.contains(directory)) {
        return Confidence::No;
    }
    let rollout = path.rsplit('/').next().is_some_and(|name| name.starts_with("rollout-"));
    let only_here = matches!(event.name, "Interrupt" | "PreModelRequest" | "PostModelRequest");
    let turn = text("turn_id").is_some() && text("model").is_some();
    if path.contains("/.codex/") || rollout || only_here || turn { Confidence::Certain } else { Confidence::Possible }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place { project: "/home/user/project".to_owned(), home: "/home/user".to_owned(), ..Place::default() }
    }

    #[test]
    fn every_event_has_complete_examples() {
        for event in events::EVENTS.events {
            let examples: Vec<ExamplePayload> = examples(event, &place()).collect();
            assert!(!examples.is_empty(), "{}", event.name);
            for example in &examples {
                assert_eq!(fill(&examples, event, &example.body), vec![], "{}", event.name);
                assert_eq!(recognise(&example.body), Confidence::Certain);
                let needed = event.fields.iter().filter(|f| !f.optional);
                for field in needed {
                    assert!(example.body.get(field.name).is_some(), "{} lacks {}", event.name, field.name);
                }
            }
        }
    }

    #[test]
    fn a_short_payload_is_completed() {
        let event = events::EVENTS.by_name("PostToolUse").unwrap();
        let short = json!({"hook_event_name": "PostToolUse", "tool_name": "mcp__a__b"});
        let filled: Map<String, Value> =
            fill(&examples(event, &place()).collect::<Vec<_>>(), event, &short).into_iter().collect();
        assert_eq!((filled.get("tool_input"), filled.get("tool_response")), (Some(&json!({})), Some(&json!(""))));
        assert_eq!(filled.keys().next().map(String::as_str), Some("session_id"));
    }

    #[test]
    fn payloads_of_others_are_not_ours() {
        for (path, want) in [
            ("/h/.claude/projects/x.jsonl", Confidence::No),
            ("/h/.codex/sessions/x.jsonl", Confidence::Certain),
            ("/elsewhere/rollout-1.jsonl", Confidence::Certain),
            ("", Confidence::Possible),
        ] {
            let payload = json!({"hook_event_name": "SessionStart", "transcript_path": path, "source": "startup"});
            assert_eq!(recognise(&payload), want, "{path}");
        }
    }
}
