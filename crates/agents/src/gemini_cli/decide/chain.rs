//! The changes that one hook of a sequential firing makes to the next hook's input (spec §4.3).

use serde_json::Value;

use super::super::answer::read_answer;
use crate::shared::gemini_fork::answer::specific_output_error;
use crate::shared::javascript::spread;
use hookbench_base::decide::HookRun;
use hookbench_base::dialects::{NextStep, Scene};
use hookbench_base::text::truthy;

/// Returns the input of the next hook. Only a successful hook changes it.
pub fn after(run: &HookRun, scene: &Scene) -> NextStep {
    let event = scene.input.event.as_str();
    if let Some(why) = throws(event, run) {
        return NextStep::Abort(why);
    }
    let Some(value) = output(run) else { return NextStep::SameInput };
    next_body(event, &run.input.body, &value).map_or(NextStep::SameInput, NextStep::NewInput)
}

/// Returns why the agent throws after this run of a chain, which loses the outputs of all its hooks.
pub fn throws(event: &str, run: &HookRun) -> Option<String> {
    next_input_error(event, &output(run)?)
}

fn output(run: &HookRun) -> Option<Value> {
    let answer = read_answer(&run.report);
    answer.value.filter(|_| answer.success)
}

/// Returns why the agent throws while it builds the next input from this output.
fn next_input_error(event: &str, output: &Value) -> Option<String> {
    matches!(event, "BeforeAgent" | "BeforeModel" | "BeforeTool").then(|| specific_output_error(output)).flatten()
}

fn next_body(event: &str, body: &Value, output: &Value) -> Option<Value> {
    let specific = output.get("hookSpecificOutput").filter(|s| truthy(s))?;
    let mut body = body.as_object()?.clone();
    match event {
        "BeforeAgent" => {
            let context = specific.get("additionalContext").and_then(Value::as_str)?;
            let prompt = body.get_mut("prompt")?;
            *prompt = Value::from(format!("{}\n\n{context}", hookbench_base::text::to_js_string(prompt)));
        }
        "BeforeModel" => overlay(body.get_mut("llm_request")?, specific.get("llm_request")?)?,
        "BeforeTool" => overlay(body.get_mut("tool_input")?, specific.get("tool_input")?)?,
        _ => return None,
    }
    Some(Value::Object(body))
}

/// Applies `{...old, ...new}`.
fn overlay(old: &mut Value, new: &Value) -> Option<()> {
    if !truthy(new) {
        return None;
    }
    let mut merged = spread(old);
    merged.extend(spread(new));
    *old = Value::Object(merged);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inputs_change_shallowly() {
        let body = json!({"prompt": "p", "tool_input": {"a": 1, "b": {"c": 1}}, "llm_request": {"model": "m"}});
        let with = |key: &str, value: Value| {
            let mut body = body.clone();
            body[key] = value;
            Some(body)
        };
        for (event, output, want) in [
            ("BeforeTool", json!({"tool_input": {"b": {}}}), with("tool_input", json!({"a": 1, "b": {}}))),
            ("BeforeTool", json!({"tool_input": null}), None),
            ("BeforeTool", json!({"updatedInput": {"a": 3}}), None),
            ("BeforeAgent", json!({"additionalContext": "<x>"}), with("prompt", json!("p\n\n<x>"))),
            ("BeforeAgent", json!({"additionalContext": ""}), with("prompt", json!("p\n\n"))),
            ("BeforeAgent", json!({"additionalContext": 5}), None),
            (
                "BeforeModel",
                json!({"llm_request": {"extra": 1}}),
                with("llm_request", json!({"model": "m", "extra": 1})),
            ),
            ("AfterTool", json!({"tool_input": {"a": 2}}), None),
        ] {
            assert_eq!(next_body(event, &body, &json!({"hookSpecificOutput": output})), want, "{event} {output}");
        }
        let text = json!({"hookSpecificOutput": "x"});
        assert!(next_input_error("BeforeTool", &text).is_some() && next_input_error("AfterTool", &text).is_none());
    }
}
