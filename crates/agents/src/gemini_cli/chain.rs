//! The changes that one hook of a sequential firing makes to the next hook's input (spec §4.3).

use serde_json::Value;

use super::aggregate::odd;
use super::output::answer;
use crate::shared::objects::spread;
use hookbench_base::decide::HookRun;
use hookbench_base::dialects::{Next, Scene};
use hookbench_base::text::truthy;

/// Returns the input of the next hook. Only a successful hook changes it.
pub fn after(run: &HookRun, scene: &Scene) -> Next {
    let event = scene.input.event.as_str();
    if let Some(why) = throws(event, run) {
        return Next::Abort(why);
    }
    let Some(value) = output(run) else { return Next::Same };
    changed(event, &run.input.body, &value).map_or(Next::Same, Next::Body)
}

/// Returns why the agent throws after this run of a chain, which loses the outputs of all its hooks.
pub fn throws(event: &str, run: &HookRun) -> Option<String> {
    breaks_off(event, &output(run)?)
}

fn output(run: &HookRun) -> Option<Value> {
    let answer = answer(&run.report);
    answer.value.filter(|_| answer.success)
}

/// Returns why the agent throws while it builds the next input from this output.
fn breaks_off(event: &str, output: &Value) -> Option<String> {
    matches!(event, "BeforeAgent" | "BeforeModel" | "BeforeTool").then(|| odd(output)).flatten()
}

fn changed(event: &str, body: &Value, output: &Value) -> Option<Value> {
    let specific = output.get("hookSpecificOutput").filter(|s| truthy(s))?;
    let mut body = body.as_object()?.clone();
    match event {
        "BeforeAgent" => {
            let context = specific.get("additionalContext").and_then(Value::as_str)?;
            let prompt = body.get_mut("prompt")?;
            *prompt = Value::from(format!("{}\n\n{context}", hookbench_base::text::to_js_string(prompt)));
        }
        "BeforeModel" => lay_over(body.get_mut("llm_request")?, specific.get("llm_request")?)?,
        "BeforeTool" => lay_over(body.get_mut("tool_input")?, specific.get("tool_input")?)?,
        _ => return None,
    }
    Some(Value::Object(body))
}

/// Applies `{...old, ...new}`.
fn lay_over(old: &mut Value, new: &Value) -> Option<()> {
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
            assert_eq!(changed(event, &body, &json!({"hookSpecificOutput": output})), want, "{event} {output}");
        }
        let text = json!({"hookSpecificOutput": "x"});
        assert!(breaks_off("BeforeTool", &text).is_some() && breaks_off("AfterTool", &text).is_none());
    }
}
