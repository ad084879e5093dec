//! Example payloads, recognition of the agent's payloads in both spellings, and completion of partial ones (spec §3).

use serde_json::{Map, Value, json};

use super::spelling::{Spelling, camel_event, payload_in};
use super::{events, examples, layers};
use crate::shared::missing_keys::fill_missing;
use hookbench_base::config::Place;
use hookbench_base::dialects::Confidence;
use hookbench_base::hook::{EventSpec, ExamplePayload};

const SESSION: &str = "00000000-0000-4000-8000-000000000001";
/// 2026-11-22T12:00:00.000Z
const WHEN: i64 = 1_795_348_800_000;

/// Returns the example payloads of an event, in the event's spelling.
pub fn examples(event: &EventSpec, place: &Place) -> Vec<ExamplePayload> {
    let camel = camel_event(event.name);
    let session = format!("{}/session-state/{SESSION}/events.jsonl", layers::user_dir(place));
    let whole = |sample: examples::Sample| {
        let mut body = Map::new();
        if camel == "permissionRequest" {
            body.insert("hookName".to_owned(), json!(camel));
        }
        body.extend([
            ("sessionId".to_owned(), json!(SESSION)),
            ("timestamp".to_owned(), json!(WHEN)),
            ("cwd".to_owned(), json!(place.project)),
        ]);
        if has_transcript(&camel) {
            body.insert("transcriptPath".to_owned(), json!(session));
        }
        body.extend(sample.fields);
        let body = payload_in(Spelling::of(event.name), event.name, &Value::Object(body));
        ExamplePayload { label: sample.label.to_owned(), body }
    };
    examples::samples(&camel, place).into_iter().map(whole).collect()
}

fn has_transcript(camel: &str) -> bool {
    matches!(camel, "agentStop" | "subagentStart" | "subagentStop" | "preCompact")
}

/// Returns the missing keys that the agent would have sent, taken from the closest example.
pub fn fill(event: &EventSpec, body: &Value, place: &Place) -> Vec<(String, Value)> {
    fill_missing(
        event,
        body,
        &examples(event, place),
        |key| key != "hook_event_name" || Spelling::of(event.name) == Spelling::Pascal,
        None,
    )
}

/// Returns how likely it is that this agent sent the payload.
pub fn recognise(payload: &Value) -> Confidence {
    let has = |key: &str| payload.get(key).is_some();
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let names_itself = has("notification_type");
    if (event_of(payload).is_some() || names_itself) && has("sessionId") && payload.get("timestamp").is_some_and(Value::is_number) {
        return Confidence::Certain;
    }
    let Some(event) = text("hook_event_name").and_then(events::by_name) else { return Confidence::No };
    let path = text("transcript_path").unwrap_or("");
    let own = path.contains("/.copilot/")
        || has("tool_result")
        || (event.name == "SessionStart" && text("source") == Some("new"));
    let bare = has("session_id") && has("timestamp") && !has("permission_mode") && !has("transcript_path");
    if own || bare { Confidence::Certain } else { Confidence::No }
}

/// Returns the event of a payload that does not name it, by its keys.
pub fn event_of(payload: &Value) -> Option<&'static EventSpec> {
    let has = |key: &str| payload.get(key).is_some();
    if !has("sessionId") || has("hook_event_name") {
        return None;
    }
    let name = match () {
        () if has("hookName") => "permissionRequest",
        () if has("toolResult") => "postToolUse",
        () if has("toolName") && has("error") => "postToolUseFailure",
        () if has("toolName") => "preToolUse",
        () if has("transformedPrompt") => "userPromptTransformed",
        () if has("prompt") => "userPromptSubmitted",
        () if has("errorContext") => "errorOccurred",
        () if has("stopReason") && has("response") => "subagentStop",
        () if has("stopReason") => "agentStop",
        () if has("agentType") => "subagentStart",
        () if has("agent_type") => "SubagentStart",
        () if has("trigger") => "preCompact",
        () if has("source") => "sessionStart",
        () if has("reason") => "sessionEnd",
        () => return None,
    };
    events::by_name(name)
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::place;
    use super::*;

    #[test]
    fn every_event_has_complete_examples() {
        for event in &events::EVENTS {
            let examples = examples(event, &place());
            assert!(!examples.is_empty(), "{}", event.name);
            let common = match Spelling::of(event.name) {
                _ if matches!(event.name, "PermissionRequest" | "SubagentStart" | "Notification") => events::CAMEL,
                Spelling::Camel => events::CAMEL,
                Spelling::Pascal => events::PASCAL,
            };
            for example in examples {
                assert_eq!(fill(event, &example.body, &place()), vec![], "{}", event.name);
                let known = |key: &String| common.iter().chain(event.fields).any(|f| f.name == key);
                let unknown: Vec<&String> =
                    example.body.as_object().unwrap().keys().filter(|key| !known(key)).collect();
                assert!(unknown.is_empty(), "{} has {unknown:?}", event.name);
                for field in common.iter().chain(event.fields).filter(|f| !f.optional) {
                    assert!(example.body.get(field.name).is_some(), "{} lacks {}", event.name, field.name);
                }
            }
        }
    }

    #[test]
    fn camel_payloads_tell_their_event() {
        for event in events::EVENTS.iter().filter(|event| Spelling::of(event.name) == Spelling::Camel) {
            for example in examples(event, &place()) {
                let found = event_of(&example.body).map(|event| event.name);
                // This payload names the event of the other spelling.
                let want = (event.name != "notification").then_some(event.name);
                assert_eq!(found, want, "{}", example.body);
                assert_eq!(recognise(&example.body), Confidence::Certain, "{}", event.name);
            }
        }
    }
}
