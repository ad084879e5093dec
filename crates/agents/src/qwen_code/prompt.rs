//! Prompt hooks: the question to the model, and how its answer is read (spec §9).

use serde_json::{Map, Value, json};

use crate::shared::javascript::trim;
use hookbench_base::text::{parse_value, stringify_pretty};

/// Returns the user message of the request.
pub fn user_message(prompt: &str, body: &Value) -> String {
    prompt.replace("$ARGUMENTS", &stringify_pretty(body))
}

/// Interprets the model's answer: the output, and whether it blocks. An empty answer means that the request
/// failed.
pub fn read_answer(text: &str) -> (Value, bool) {
    let text = trim(text);
    if text.is_empty() {
        return (json!({"continue": true}), false);
    }
    let allow = |reason: &str| (json!({"continue": true, "decision": "allow", "reason": reason}), false);
    let Ok(answer) = parse_value(fenced_block(text)) else {
        return allow("Failed to parse LLM response, defaulting to allow");
    };
    let Some(answer) = parse_answer(&answer) else { return allow("Response validation failed, defaulting to allow") };
    let mut out = Map::new();
    out.insert("continue".to_owned(), Value::from(answer.ok));
    if answer.ok {
        out.insert("decision".to_owned(), Value::from("allow"));
        if let Some(reason) = answer.reason {
            out.insert("reason".to_owned(), Value::from(reason));
        }
    } else {
        let reason = answer.reason.filter(|r| !r.is_empty()).unwrap_or("Blocked by prompt hook");
        out.insert("stopReason".to_owned(), Value::from(reason));
        out.insert("decision".to_owned(), Value::from("block"));
        out.insert("reason".to_owned(), Value::from(reason));
    }
    if let Some(context) = answer.context.filter(|c| !c.is_empty()) {
        out.insert("hookSpecificOutput".to_owned(), json!({"additionalContext": context}));
    }
    (Value::Object(out), !answer.ok)
}

struct PromptAnswer<'a> {
    ok: bool,
    reason: Option<&'a str>,
    context: Option<&'a str>,
}

/// Returns the answer if all keys have the right types.
fn parse_answer(value: &Value) -> Option<PromptAnswer<'_>> {
    let object = value.as_object()?;
    let text = |key: &str| match object.get(key) {
        None => Some(None),
        Some(Value::String(text)) => Some(Some(text.as_str())),
        Some(_) => None,
    };
    Some(PromptAnswer {
        ok: object.get("ok")?.as_bool()?,
        reason: text("reason")?,
        context: text("additionalContext")?,
    })
}

/// Returns the content of the first fenced block; without one, the whole text.
fn fenced_block(text: &str) -> &str {
    let Some((_, after)) = text.split_once("```") else { return text };
    let after = after.strip_prefix("json").unwrap_or(after);
    after.split_once("```").map_or(text, |(inner, _)| trim(inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_programs_table() {
        for line in include_str!("../../../../tests/tables/qwen/prompt_parse.jsonl").lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let (output, blocks) = read_answer(row["in"]["text"].as_str().unwrap());
            assert_eq!(output, row["out"]["output"], "{line}");
            assert_eq!(
                blocks,
                row["out"]["success"] == json!(false) && row["out"]["outcome"] == json!("blocking"),
                "{line}"
            );
        }
    }

    #[test]
    fn arguments_are_the_pretty_payload() {
        assert_eq!(
            user_message("a $ARGUMENTS b $ARGUMENTS", &json!({"x": 1})),
            "a {\n  \"x\": 1\n} b {\n  \"x\": 1\n}"
        );
    }
}
