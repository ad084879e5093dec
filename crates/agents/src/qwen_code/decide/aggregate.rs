//! Merges several outputs into one (spec §13).

use serde_json::{Map, Value};

use super::super::typed_output::artifacts;
use crate::shared::gemini_fork::answer::{AgentException, check_specific_outputs};
use hookbench_base::text::{to_js_string, truthy};

/// The keys that the aggregator keeps.
const KEYS: [&str; 8] = [
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "terminalSequence",
    "decision",
    "reason",
    "hookSpecificOutput",
];

/// Merges the outputs into the one object that the agent's client receives. Returns `None` if there are no
/// outputs.
///
/// # Errors
///
/// Returns an error if the agent itself throws on these outputs.
pub fn aggregate(event: &str, outputs: &[&Value]) -> Result<Option<Value>, AgentException> {
    let merged = match outputs {
        [] => return Ok(None),
        [one] => (*one).clone(),
        many => match event {
            "PreToolUse"
            | "PostToolUse"
            | "PostToolUseFailure"
            | "PostToolBatch"
            | "Stop"
            | "SubagentStop"
            | "UserPromptSubmit"
            | "UserPromptExpansion"
            | "TodoCreated"
            | "TodoCompleted" => merge_any_block(many)?,
            "PermissionRequest" => merge_permission(many)?,
            "StopFailure" => return Ok(None),
            _ => merge_simple(many)?,
        },
    };
    let mut out = Map::new();
    for key in KEYS {
        if let Some(value) = merged.get(key) {
            out.insert(key.to_owned(), value.clone());
        }
    }
    if event == "PostToolUse" {
        for (key, value) in [("decision", "allow"), ("reason", "No reason provided")] {
            if out.get(key).is_none_or(Value::is_null) {
                out.insert(key.to_owned(), Value::from(value));
            }
        }
    }
    Ok(Some(Value::Object(out)))
}

/// Returns the text contexts of all outputs in order, including empty ones.
fn contexts(outputs: &[&Value]) -> Vec<String> {
    let context = |o: &&Value| o.get("hookSpecificOutput")?.get("additionalContext")?.as_str().map(str::to_owned);
    outputs.iter().filter_map(context).collect()
}

/// Concatenates the terminal sequences of all outputs.
fn terminal_sequence(outputs: &[&Value], merged: &mut Map<String, Value>) {
    let sequence: String = outputs.iter().filter_map(|o| o.get("terminalSequence")).filter_map(Value::as_str).collect();
    if !sequence.is_empty() {
        merged.insert("terminalSequence".to_owned(), Value::from(sequence));
    }
}

/// Returns the entries of a list or object, as `Object.entries` does.
fn entries(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), v)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(k, v)| (k.to_string(), v)).collect(),
        _ => Vec::new(),
    }
}

fn merge_any_block(outputs: &[&Value]) -> Result<Value, AgentException> {
    check_specific_outputs(outputs)?;
    let mut merged = Map::new();
    let mut specific = Map::new();
    let mut kept = Vec::new();
    let mut reasons = Vec::new();
    let mut stops = false;
    let mut stop_reason = None;
    for output in outputs {
        if let Some(reason) = output.get("reason").filter(|r| truthy(r)) {
            reasons.push(to_js_string(reason));
        }
        if output.get("continue") == Some(&Value::Bool(false)) {
            stops = true;
            stop_reason = output.get("stopReason").filter(|r| truthy(r)).cloned().or(stop_reason);
        }
        for (key, value) in output.get("hookSpecificOutput").map(entries).unwrap_or_default() {
            match key.as_str() {
                "artifacts" => kept.extend(artifacts(value)),
                // Assigning to `__proto__` changes the object's prototype and adds no key.
                "additionalContext" | "__proto__" => {}
                _ => {
                    specific.insert(key, value.clone());
                }
            }
        }
        for key in ["suppressOutput", "systemMessage"] {
            if let Some(value) = output.get(key) {
                merged.insert(key.to_owned(), value.clone());
            }
        }
    }
    terminal_sequence(outputs, &mut merged);
    let decides = |words: &[&str]| {
        outputs.iter().any(|o| o.get("decision").and_then(Value::as_str).is_some_and(|d| words.contains(&d)))
    };
    let mut set = |key: &str, value: Value| merged.insert(key.to_owned(), value);
    if decides(&["block", "deny"]) {
        set("decision", Value::from("block"));
    } else if decides(&["allow"]) {
        set("decision", Value::from("allow"));
    }
    if !reasons.is_empty() {
        set("reason", Value::from(reasons.join("\n")));
    }
    if stops {
        set("continue", Value::Bool(false));
        if let Some(stop_reason) = stop_reason {
            set("stopReason", stop_reason);
        }
    }
    let contexts = contexts(outputs);
    if !contexts.is_empty() {
        specific.insert("additionalContext".to_owned(), Value::from(contexts.join("\n")));
    }
    if !kept.is_empty() {
        specific.insert("artifacts".to_owned(), Value::from(kept));
    }
    if !specific.is_empty() {
        merged.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    }
    Ok(Value::Object(merged))
}

fn merge_permission(outputs: &[&Value]) -> Result<Value, AgentException> {
    let mut merged = Map::new();
    let mut decision = Map::new();
    let (mut denies, mut allows, mut interrupts) = (false, false, false);
    let mut messages = Vec::new();
    let mut permissions: Vec<Value> = Vec::new();
    for (index, output) in outputs.iter().enumerate() {
        let said = output.get("hookSpecificOutput").and_then(|s| s.get("decision"));
        let Some(said) = said.filter(|d| truthy(d)) else { continue };
        denies |= said.get("behavior").and_then(Value::as_str) == Some("deny");
        allows |= said.get("behavior").and_then(Value::as_str) == Some("allow");
        interrupts |= said.get("interrupt") == Some(&Value::Bool(true));
        messages.extend(said.get("message").filter(|m| truthy(m)).map(to_js_string));
        if let Some(input) = said.get("updatedInput").filter(|i| truthy(i)) {
            decision.insert("updatedInput".to_owned(), input.clone());
        }
        match said.get("updatedPermissions").filter(|p| truthy(p)) {
            None => {}
            Some(Value::Array(list)) => permissions.extend(list.iter().cloned()),
            Some(Value::String(text)) => permissions.extend(text.chars().map(|c| Value::from(c.to_string()))),
            Some(_) => {
                let says = "its updatedPermissions is not a list, and the agent throws an error".to_owned();
                return Err(AgentException { culprit: index, message: says });
            }
        }
        for key in ["continue", "reason"] {
            if let Some(value) = output.get(key) {
                merged.insert(key.to_owned(), value.clone());
            }
        }
    }
    if denies || allows {
        decision.insert("behavior".to_owned(), Value::from(if denies { "deny" } else { "allow" }));
    }
    if !messages.is_empty() {
        decision.insert("message".to_owned(), Value::from(messages.join("\n")));
    }
    if interrupts {
        decision.insert("interrupt".to_owned(), Value::Bool(true));
    }
    if !permissions.is_empty() {
        decision.insert("updatedPermissions".to_owned(), Value::from(permissions));
    }
    let mut specific = Map::new();
    specific.insert("decision".to_owned(), Value::Object(decision));
    merged.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    terminal_sequence(outputs, &mut merged);
    Ok(Value::Object(merged))
}

fn merge_simple(outputs: &[&Value]) -> Result<Value, AgentException> {
    check_specific_outputs(outputs)?;
    let mut merged = Map::new();
    for output in outputs {
        for (key, value) in entries(output) {
            if key != "terminalSequence" {
                merged.insert(key, value.clone());
            }
        }
    }
    let contexts = contexts(outputs);
    if !contexts.is_empty() {
        let mut specific = Map::new();
        for (key, value) in merged.get("hookSpecificOutput").map(entries).unwrap_or_default() {
            specific.insert(key, value.clone());
        }
        specific.insert("additionalContext".to_owned(), Value::from(contexts.join("\n")));
        merged.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    }
    terminal_sequence(outputs, &mut merged);
    Ok(Value::Object(merged))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn merge(event: &str, outputs: &[Value]) -> Result<Option<Value>, usize> {
        aggregate(event, &outputs.iter().collect::<Vec<_>>()).map_err(|thrown| thrown.culprit)
    }

    #[test]
    fn or_logic() {
        for (outputs, want) in [
            (vec![json!({"decision": "ask", "x": 1})], json!({"decision": "ask"})),
            (vec![json!({"decision": "ask"}), json!({})], json!({})),
            (
                vec![json!({"decision": "deny", "reason": ["a", "b"]}), json!({"decision": "allow", "reason": {}})],
                json!({"decision": "block", "reason": "a,b\n[object Object]"}),
            ),
            (
                vec![json!({"continue": false, "stopReason": "s"}), json!({"continue": "false", "stopReason": "t"})],
                json!({"continue": false, "stopReason": "s"}),
            ),
            (
                vec![
                    json!({"hookSpecificOutput": {"permissionDecision": "deny", "additionalContext": "a"}}),
                    json!({"hookSpecificOutput": {"permissionDecision": "allow", "additionalContext": ""}}),
                ],
                json!({"hookSpecificOutput": {"permissionDecision": "allow", "additionalContext": "a\n"}}),
            ),
            (
                vec![
                    json!({"terminalSequence": "a"}),
                    json!({"terminalSequence": ""}),
                    json!({"terminalSequence": "b"}),
                ],
                json!({"terminalSequence": "ab"}),
            ),
            (vec![json!({"suppressOutput": null}), json!({})], json!({"suppressOutput": null})),
        ] {
            assert_eq!(merge("PreToolUse", &outputs), Ok(Some(want)), "{outputs:?}");
        }
        assert_eq!(
            merge("PostToolUse", &[json!({"reason": null})]),
            Ok(Some(json!({"decision": "allow", "reason": "No reason provided"})))
        );
        assert_eq!(merge("Stop", &[]), Ok(None));
    }

    #[test]
    fn what_throws() {
        let odd = json!({"hookSpecificOutput": "x"});
        for (event, outputs, want) in [
            ("PreToolUse", vec![odd.clone()], Ok(Some(odd.clone()))),
            ("PreToolUse", vec![json!({}), odd.clone()], Err(1)),
            ("Stop", vec![odd.clone()], Ok(Some(odd.clone()))),
            ("Stop", vec![odd.clone(), json!({})], Err(0)),
            ("SessionStart", vec![json!({}), json!({"hookSpecificOutput": true})], Err(1)),
            (
                "SessionStart",
                vec![json!({}), json!({"hookSpecificOutput": [1]})],
                Ok(Some(json!({"hookSpecificOutput": [1]}))),
            ),
            ("PermissionRequest", vec![odd, json!({})], Ok(Some(json!({"hookSpecificOutput": {"decision": {}}})))),
        ] {
            assert_eq!(merge(event, &outputs), want, "{event} {outputs:?}");
        }
    }

    #[test]
    fn permissions() {
        let say = |decision: Value| json!({"reason": "r", "hookSpecificOutput": {"decision": decision}});
        let merged = merge(
            "PermissionRequest",
            &[
                say(json!({"behavior": "allow", "message": "a", "updatedInput": {"x": 1}, "updatedPermissions": [1]})),
                say(
                    json!({"behavior": "deny", "message": 5, "interrupt": true, "updatedInput": null, "updatedPermissions": "ab"}),
                ),
                json!({"continue": false, "terminalSequence": "t"}),
            ],
        );
        let decision = json!({"updatedInput": {"x": 1}, "behavior": "deny", "message": "a\n5", "interrupt": true, "updatedPermissions": [1, "a", "b"]});
        assert_eq!(
            merged,
            Ok(Some(json!({"reason": "r", "terminalSequence": "t", "hookSpecificOutput": {"decision": decision}})))
        );
    }
}
