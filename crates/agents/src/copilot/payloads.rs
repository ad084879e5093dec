//! Example payloads, recognition of the agent's payloads in both spellings, and completion of partial ones (spec §3).

use serde_json::{Value, json};

use super::events::{self, EVENTS};
use super::layers;
use super::spelling::{camel_event, held_payload};
use crate::shared::missing_keys::fill_missing;
use hookbench_base::config::Place;
use hookbench_base::dialects::Confidence;
use hookbench_base::hook::{EventSpec, ExamplePayload};

/// Returns the example payloads of an event, with the keys that hookbench holds.
pub fn examples(event: &EventSpec, place: &Place) -> impl Iterator<Item = ExamplePayload> {
    // They are stated with camelCase keys.
    let sent = EVENTS.examples(&camel_event(event.name), place, &layers::user_dir(place));
    sent.map(|ExamplePayload { label, body }| ExamplePayload { label, body: held_payload(event.name, &body) })
}

/// Returns the missing keys that the agent would have sent, taken from the closest example.
pub fn fill(examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
    let needed = |key: &str| !event.fields.iter().any(|field| field.name == key && field.optional);
    let empty = json!({"result_type": "success", "text_result_for_llm": ""});
    let missing = fill_missing(event, body, examples, needed, None);
    let fits = |example: &ExamplePayload| example.body.get("tool_name") == body.get("tool_name");
    let other_tool = body.get("tool_name").is_some() && !examples.iter().any(fits);
    let value = |key: &str, value: Value| if key == "tool_result" && other_tool { empty.clone() } else { value };
    missing.into_iter().map(|(key, of)| (key.clone(), value(&key, of))).collect()
}

/// Returns how likely it is that this agent sent the payload.
pub fn recognise(payload: &Value) -> Confidence {
    let has = |key: &str| payload.get(key).is_some();
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let names_itself = has("notification_type");
    if (event_of(payload).is_some() || names_itself)
        && has("sessionId")
        && payload.get("timestamp").is_some_and(Value::is_number)
    {
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
    // Payloads in older formats have an id.
    if !has("sessionId") || !has("cwd") || has("hook_event_name") || has("id") {
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
    use super::super::spelling::sent_payload;
    use super::*;
    use crate::kernel::test::place;

    /// The payload of every event in both spellings is recognised without being told.
    #[test]
    fn sent_payloads_tell_their_event() {
        for event in EVENTS.events.iter().chain(EVENTS.others) {
            for example in examples(event, &place()) {
                let sent = sent_payload(event.name, &example.body);
                let named = sent.get("hook_event_name").and_then(Value::as_str).and_then(events::by_name);
                let found = named.or_else(|| event_of(&sent)).map(|event| event.name);
                assert_eq!(found.map(camel_event), Some(camel_event(event.name)), "{sent}");
                assert_eq!(recognise(&sent), Confidence::Certain, "{sent}");
                assert_eq!(held_payload(event.name, &sent), example.body, "{}", event.name);
            }
        }
    }
}
