//! The events of 2.1.0, the text that matchers are compared with, and payloads.

use serde_json::Value;

use crate::kernel::events::event_table;
use hookbench_base::dialects::Confidence;
use hookbench_base::hook::Subject;

event_table!("kimi");

/// The text that matchers are compared with. A prompt is a list of parts, of which only the texts count.
pub fn subject(event: &EventSpec, body: &Value) -> Subject {
    let value = event.subject.and_then(|key| body.get(key)).and_then(|value| match value {
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("text"));
            let texts: Vec<&str> = texts.filter_map(|part| part.get("text")?.as_str()).collect();
            Some(texts.join(" "))
        }
        other => other.as_str().map(str::to_owned),
    });
    Subject { value, aliases: Vec::new() }
}

/// How likely Kimi Code sent this payload. Its event names are those of another agent.
pub fn recognise(payload: &Value) -> Confidence {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let is_known = text("hook_event_name").and_then(|name| EVENTS.by_name(name)).is_some();
    let is_own = text("client_type").is_some_and(|client| client.starts_with("kimi_"));
    if is_known && is_own { Confidence::Named } else { Confidence::No }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_subjects_and_senders() {
        for (name, want) in [("preToolUse", Some("PreToolUse")), ("post_agent", Some("Stop")), ("x", None)] {
            assert_eq!(EVENTS.suggest(name), want, "{name}");
        }
        let parts = json!([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]);
        let subject_of =
            |prompt: Value| subject(EVENTS.by_name("UserPromptSubmit").unwrap(), &json!({"prompt": prompt}));
        assert_eq!(subject_of(parts).value.as_deref(), Some("a b"));
        assert_eq!(subject_of(json!("c")).value.as_deref(), Some("c"));
        let sender = |client: &str| recognise(&json!({"hook_event_name": "Stop", "client_type": client}));
        assert_eq!((sender("kimi_code_cli"), sender("x")), (Confidence::Named, Confidence::No));
    }
}
