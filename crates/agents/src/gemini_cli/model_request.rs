//! The request to the model after hooks have changed it (spec §7.1), in the form that hooks see.

use serde_json::{Map, Value};

use crate::shared::javascript::trim;
use hookbench_base::text::{to_js_string, truthy};

/// The parameters that hooks can set.
const PARAMETERS: [&str; 4] = ["temperature", "maxOutputTokens", "topP", "topK"];

/// Returns the request that is sent instead of `base`, or `None` if it is unchanged or the agent fails on it.
pub fn rewrite(base: &Value, written: &Value) -> Option<Value> {
    let mut out = base.as_object()?.clone();
    if let Some(model) = written.get("model").filter(|m| truthy(m)) {
        // Of a list, the last item counts.
        let last = model.as_array().map_or(Some(model), |all| all.last());
        // A number stays one.
        let name = match last {
            Some(Value::Number(number)) => Value::Number(number.clone()),
            last => Value::from(trim(&last.map(to_js_string).unwrap_or_default())),
        };
        out.insert("model".to_owned(), name);
    }
    if let Some(list) = written.get("messages").filter(|m| truthy(m)) {
        let base = out.get("messages").and_then(Value::as_array).cloned().unwrap_or_default();
        out.insert("messages".to_owned(), Value::from(messages(&base, list)?));
    }
    if let Some(config) = written.get("config").filter(|c| truthy(c)) {
        let set = |key: &str| Some((key.to_owned(), config.get(key)?.clone()));
        let config: Map<String, Value> = PARAMETERS.iter().filter_map(|key| set(key)).collect();
        out.insert("config".to_owned(), Value::Object(config));
    }
    let out = Value::Object(out);
    (out != *base).then_some(out)
}

/// Merges the messages by position: written ones replace existing ones, the rest stay, and additional ones are
/// appended. Returns `None` if the agent throws.
fn messages(base: &[Value], written: &Value) -> Option<Vec<Value>> {
    let written: Vec<Value> = match written {
        Value::Array(items) => items.clone(),
        // Each character counts as a message without role or text.
        Value::String(text) => text.encode_utf16().map(|_| Value::Object(Map::new())).collect(),
        _ => return Some(base.to_vec()),
    };
    if written.iter().any(Value::is_null) {
        return None;
    }
    let kept = base.iter().skip(written.len()).cloned();
    let all = written.iter().map(message).chain(kept);
    // Hooks do not see messages without text.
    Some(all.filter(|m| m.get("content").and_then(Value::as_str) != Some("")).collect())
}

fn message(written: &Value) -> Value {
    let role = written.get("role").and_then(Value::as_str).filter(|r| matches!(*r, "model" | "system"));
    let role = role.unwrap_or("user");
    let content = written.get("content").map_or_else(|| "undefined".to_owned(), to_js_string);
    serde_json::json!({"role": role, "content": content})
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_sent() {
        let user = |text: &str| json!({"role": "user", "content": text});
        let base = json!({"model": "m", "messages": [user("1"), user("2")], "config": {"topK": 64, "topP": 1}});
        let with = |messages: Value| json!({"model": "m", "messages": messages, "config": {"topK": 64, "topP": 1}});
        for (written, want) in [
            (json!({}), None),
            (json!("x"), None),
            (json!({"model": null, "messages": [], "extra": 1}), None),
            (
                json!({"messages": [{"role": "model", "content": "A"}]}),
                Some(with(json!([{"role": "model", "content": "A"}, user("2")]))),
            ),
            (
                json!({"messages": [user("1"), user("2"), {"role": "tool", "content": ["a", 5]}]}),
                Some(with(json!([user("1"), user("2"), user("a,5")]))),
            ),
            (
                json!({"model": 5}),
                Some(json!({"model": 5, "messages": [user("1"), user("2")], "config": {"topK": 64, "topP": 1}})),
            ),
            (json!({"messages": [null]}), None),
            (
                json!({"config": {"topK": 3, "stopSequences": []}}),
                Some(json!({"model": "m", "messages": [user("1"), user("2")], "config": {"topK": 3}})),
            ),
        ] {
            assert_eq!(rewrite(&base, &written), want, "{written}");
        }
    }
}
