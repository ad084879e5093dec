//! Merges several outputs into one (spec §6). A single output goes through the same merge.

use serde_json::{Map, Value, json};

use crate::gemini_cli::answer::TypedOutput;
use crate::shared::gemini_fork::answer::{AgentException, check_specific_outputs};
use crate::shared::javascript::spread;
use hookbench_base::text::{spell_out_numbers, to_js_string, truthy};

/// The keys that the aggregator keeps.
const KEYS: [&str; 7] =
    ["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"];

/// Merges the outputs into the one object that the agent's client receives. Returns `None` if there are no
/// outputs.
///
/// # Errors
///
/// Returns an error if the agent itself throws on these outputs.
pub fn aggregate(event: &str, outputs: &[&Value]) -> Result<Option<Value>, AgentException> {
    if outputs.is_empty() {
        return Ok(None);
    }
    let merged = match event {
        "BeforeTool" | "AfterTool" | "BeforeAgent" | "AfterAgent" | "SessionStart" => merge_any_block(outputs)?,
        "BeforeModel" | "AfterModel" => merge_replacing(outputs),
        "BeforeToolSelection" => merge_tool_selection(outputs)?,
        _ => outputs.iter().fold(Map::new(), |mut merged, output| {
            merged.extend(spread(output));
            merged
        }),
    };
    let known = |(key, _): &(String, Value)| KEYS.contains(&key.as_str());
    Ok(Some(Value::Object(merged.into_iter().filter(known).collect())))
}

/// Merges outputs of events on which one block is enough; texts are joined.
fn merge_any_block(outputs: &[&Value]) -> Result<Map<String, Value>, AgentException> {
    check_specific_outputs(outputs)?;
    let mut merged = Map::new();
    let mut set = |key: &str, value: Value| merged.insert(key.to_owned(), value);
    set("continue", json!(!outputs.iter().any(|o| TypedOutput(o).stops())));
    let quiet = outputs.iter().any(|o| o.get("suppressOutput").is_some_and(truthy));
    set("suppressOutput", json!(quiet));
    let joined = |key: &str, among: &dyn Fn(&Value) -> bool| {
        let all = outputs.iter().filter(|o| among(o)).filter_map(|o| o.get(key)).filter(|v| truthy(v));
        let all: Vec<String> = all.map(to_js_string).collect();
        (!all.is_empty()).then(|| Value::from(all.join("\n")))
    };
    for (key, value) in [
        ("stopReason", joined("stopReason", &|o| TypedOutput(o).stops())),
        ("reason", joined("reason", &|_| true)),
        ("systemMessage", joined("systemMessage", &|_| true)),
    ] {
        if let Some(value) = value {
            set(key, value);
        }
    }
    let blocks = outputs.iter().rev().find(|o| TypedOutput(o).blocks()).and_then(|o| o.get("decision"));
    let stops = outputs.iter().any(|o| TypedOutput(o).stops());
    let asks = outputs.iter().any(|o| TypedOutput(o).asks());
    match blocks {
        Some(decision) => drop(set("decision", decision.clone())),
        None if asks => drop(set("decision", json!("ask"))),
        None if !stops => drop(set("decision", json!("allow"))),
        None => {}
    }
    if let Some(mut specific) = merge_specific_output(outputs) {
        // The tool gets these arguments, so they are written as the agent writes them.
        specific.get_mut("tool_input").into_iter().for_each(spell_out_numbers);
        set("hookSpecificOutput", Value::Object(specific));
    }
    Ok(merged)
}

/// Merges every `hookSpecificOutput`: later keys win, contexts are joined, `clearContext` is kept only if true.
fn merge_specific_output(outputs: &[&Value]) -> Option<Map<String, Value>> {
    let mut specific = Map::new();
    let mut contexts = Vec::new();
    let given = outputs.iter().filter_map(|o| o.get("hookSpecificOutput")).filter(|s| truthy(s));
    let mut any = false;
    for one in given {
        any = true;
        for (key, value) in spread(one) {
            if key != "clearContext" || value == Value::Bool(true) {
                specific.insert(key, value);
            }
        }
        contexts.extend(one.get("additionalContext").and_then(Value::as_str));
    }
    if !contexts.is_empty() {
        specific.insert("additionalContext".to_owned(), Value::from(contexts.join("\n")));
    }
    any.then_some(specific)
}

/// Merges outputs so that later keys replace earlier ones. The result always has a `hookSpecificOutput`.
fn merge_replacing(outputs: &[&Value]) -> Map<String, Value> {
    let mut merged = Map::new();
    let mut specific = Map::new();
    for output in outputs {
        merged.extend(spread(output));
        specific.extend(output.get("hookSpecificOutput").map(spread).unwrap_or_default());
    }
    merged.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    merged
}

/// Merges tool selections: the strictest mode and all names, sorted as JavaScript sorts them.
fn merge_tool_selection(outputs: &[&Value]) -> Result<Map<String, Value>, AgentException> {
    let mut names: Vec<Value> = Vec::new();
    let mut modes: Vec<&str> = Vec::new();
    for (culprit, output) in outputs.iter().enumerate() {
        let config = output.get("hookSpecificOutput").and_then(|s| s.get("toolConfig"));
        let Some(config) = config.filter(|c| truthy(c)) else { continue };
        modes.extend(config.get("mode").and_then(Value::as_str));
        let given: Vec<Value> = match config.get("allowedFunctionNames").filter(|n| truthy(n)) {
            None => continue,
            Some(Value::Array(items)) => items.clone(),
            Some(Value::String(text)) => text.chars().map(|c| Value::from(c.to_string())).collect(),
            Some(_) => {
                let says = "its allowedFunctionNames is not a list, and the agent throws an error".to_owned();
                return Err(AgentException { culprit, message: says });
            }
        };
        for name in given {
            if name.is_array() || name.is_object() || !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mode = ["NONE", "ANY"].into_iter().find(|mode| modes.contains(mode)).unwrap_or("AUTO");
    if mode == "NONE" {
        names.clear();
    }
    names.sort_by_cached_key(|name| to_js_string(name).encode_utf16().collect::<Vec<u16>>());
    let config = json!({"mode": mode, "allowedFunctionNames": names});
    let specific = json!({"hookEventName": "BeforeToolSelection", "toolConfig": config});
    Ok(Map::from_iter([("hookSpecificOutput".to_owned(), specific)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge(event: &str, outputs: &[Value]) -> Result<Option<Value>, usize> {
        aggregate(event, &outputs.iter().collect::<Vec<_>>()).map_err(|thrown| thrown.culprit)
    }

    #[test]
    fn one_block_is_enough() {
        let plain = |more: Value| {
            let mut all = json!({"continue": true, "suppressOutput": false, "decision": "allow"});
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            all
        };
        for (outputs, want) in [
            (vec![json!({"x": 1})], plain(json!({}))),
            (
                vec![
                    json!({"decision": "allow", "reason": "a"}),
                    json!({"decision": "deny", "reason": "d1"}),
                    json!({"decision": "block", "reason": "d2"}),
                ],
                plain(json!({"decision": "block", "reason": "a\nd1\nd2"})),
            ),
            (vec![json!({"decision": "deny"}), json!({"decision": "ask"})], plain(json!({"decision": "deny"}))),
            (vec![json!({"decision": "ask"}), json!({"decision": "allow"})], plain(json!({"decision": "ask"}))),
            (
                vec![json!({"continue": false, "stopReason": "s"}), json!({"continue": "false", "stopReason": "t"})],
                json!({"continue": false, "suppressOutput": false, "stopReason": "s"}),
            ),
            (
                vec![
                    json!({"hookSpecificOutput": {"additionalContext": "", "clearContext": true, "a": {"b": 1}}}),
                    json!({"hookSpecificOutput": {"additionalContext": "x", "clearContext": false, "a": {}}}),
                ],
                plain(json!({"hookSpecificOutput": {"additionalContext": "\nx", "clearContext": true, "a": {}}})),
            ),
            (
                vec![json!({"hookSpecificOutput": {"clearContext": false}, "suppressOutput": "yes"})],
                plain(json!({"hookSpecificOutput": {}, "suppressOutput": true})),
            ),
            (vec![json!({"hookSpecificOutput": ["a"]})], plain(json!({"hookSpecificOutput": {"0": "a"}}))),
        ] {
            assert_eq!(merge("BeforeTool", &outputs), Ok(Some(want)), "{outputs:?}");
        }
        assert_eq!(merge("BeforeTool", &[]), Ok(None));
    }

    #[test]
    fn later_fields_replace_earlier_ones() {
        let deny = json!({"decision": "deny", "hookSpecificOutput": {"a": 1, "b": 1}});
        for (outputs, want) in [
            (
                vec![deny.clone(), json!({"decision": null, "hookSpecificOutput": {"b": 2}})],
                json!({"decision": null, "hookSpecificOutput": {"a": 1, "b": 2}}),
            ),
            (vec![json!({"hookSpecificOutput": "ab"})], json!({"hookSpecificOutput": {"0": "a", "1": "b"}})),
            (vec![json!({}), json!([1])], json!({"hookSpecificOutput": {}})),
        ] {
            assert_eq!(merge("BeforeModel", &outputs), Ok(Some(want)), "{outputs:?}");
        }
        let simple = [deny, json!({"hookSpecificOutput": {"b": 2}, "other": 1})];
        assert_eq!(merge("SessionEnd", &simple), Ok(Some(json!({"decision": "deny", "hookSpecificOutput": {"b": 2}}))));
    }

    #[test]
    fn tools_are_joined() {
        let config = |config: Value| json!({"hookSpecificOutput": {"toolConfig": config}});
        let names = |list: Value| json!({"mode": "ANY", "allowedFunctionNames": list});
        for (outputs, want) in [
            (vec![json!({"decision": "deny"})], json!({"mode": "AUTO", "allowedFunctionNames": []})),
            (vec![config(names(json!(["b", "B"]))), config(names(json!(["a", "b"])))], names(json!(["B", "a", "b"]))),
            (vec![config(names(json!("ba")))], names(json!(["a", "b"]))),
            (
                vec![config(names(json!(["b"]))), config(json!({"mode": "NONE"}))],
                json!({"mode": "NONE", "allowedFunctionNames": []}),
            ),
        ] {
            let found = merge("BeforeToolSelection", &outputs).unwrap().unwrap();
            assert_eq!(found.pointer("/hookSpecificOutput/toolConfig"), Some(&want), "{outputs:?}");
        }
        assert_eq!(merge("BeforeToolSelection", &[config(names(json!(5)))]), Err(0));
    }

    #[test]
    fn what_throws() {
        for odd in [json!("x"), json!(5), json!(true)] {
            let outputs = [json!({}), json!({"hookSpecificOutput": odd})];
            assert_eq!(merge("SessionStart", &outputs), Err(1), "{odd}");
            assert!(merge("AfterModel", &outputs).is_ok());
            assert!(merge("PreCompress", &outputs).is_ok());
        }
    }
}
