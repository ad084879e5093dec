//! The changes that one hook of a sequential firing makes to the next hook's input (spec §12).

use serde_json::Value;

use super::super::hook_output::interpret_run;
use super::super::typed_output::expansion_text;
use crate::shared::gemini_fork::answer::specific_output_error;
use crate::shared::javascript::spread;
use hookbench_base::decide::HookRun;
use hookbench_base::dialects::{NextStep, Scene};
use hookbench_base::run::Exit;
use hookbench_base::text::truthy;

/// Returns the input of the next hook. Only a successful hook changes it.
pub fn after(run: &HookRun, scene: &Scene) -> NextStep {
    let Some(definition) = scene.loaded.definition(&run.hook) else { return NextStep::SameInput };
    let answer = interpret_run(definition, &run.report, scene);
    let Some(value) = answer.value.filter(|_| !definition.detached) else { return NextStep::SameInput };
    let event = scene.input.event.as_str();
    if specific_output_error(&value).is_some() && throws_at_once(event, &run.report.exit, true) {
        return NextStep::Abort("hookSpecificOutput is not an object, and the agent throws an error".to_owned());
    }
    if !answer.success {
        return NextStep::SameInput;
    }
    next_body(event, &run.input.body, &value).map_or(NextStep::SameInput, NextStep::NewInput)
}

/// Returns whether the agent throws immediately on a `hookSpecificOutput` that is not an object, so that no
/// further hook starts. On PreToolUse it throws while it reports a hook that succeeded or blocked (it ignores the
/// answer of a failed hook); on UserPromptExpansion while it builds the next input of a chain, which it does after
/// a successful hook.
pub fn throws_at_once(event: &str, exit: &Exit, sequential: bool) -> bool {
    match event {
        "PreToolUse" => matches!(exit, Exit::Code(0 | 2)),
        "UserPromptExpansion" => sequential && *exit == Exit::Code(0),
        _ => false,
    }
}

fn next_body(event: &str, body: &Value, output: &Value) -> Option<Value> {
    let specific = output.get("hookSpecificOutput").filter(|s| truthy(s))?;
    let mut body = body.as_object()?.clone();
    match event {
        "UserPromptSubmit" | "UserPromptExpansion" => {
            let raw = specific.get("additionalContext").and_then(Value::as_str)?;
            let context = if event == "UserPromptExpansion" { expansion_text(raw) } else { raw.to_owned() };
            let prompt = body.get_mut("prompt").filter(|_| !context.is_empty())?;
            *prompt = Value::from(format!("{}\n\n{context}", hookbench_base::text::to_js_string(prompt)));
        }
        "PreToolUse" => {
            let new = specific.get("tool_input").filter(|i| truthy(i))?;
            let old = body.get_mut("tool_input")?;
            let mut merged = spread(old);
            merged.extend(spread(new));
            *old = Value::Object(merged);
        }
        _ => return None,
    }
    Some(Value::Object(body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inputs_change_shallowly() {
        let body = json!({"prompt": "p", "tool_input": {"a": 1, "b": 2}});
        for (event, output, want) in [
            (
                "PreToolUse",
                json!({"tool_input": {"b": 3, "c": {}}}),
                Some(json!({"prompt": "p", "tool_input": {"a": 1, "b": 3, "c": {}}})),
            ),
            ("PreToolUse", json!({"updatedInput": {"b": 3}}), None),
            (
                "UserPromptSubmit",
                json!({"additionalContext": "<x>"}),
                Some(json!({"prompt": "p\n\n<x>", "tool_input": {"a": 1, "b": 2}})),
            ),
            ("UserPromptSubmit", json!({"additionalContext": ""}), None),
            (
                "UserPromptExpansion",
                json!({"additionalContext": "<&>"}),
                Some(json!({"prompt": "p\n\n&lt;&amp;&gt;", "tool_input": {"a": 1, "b": 2}})),
            ),
            ("Stop", json!({"additionalContext": "x"}), None),
        ] {
            assert_eq!(next_body(event, &body, &json!({"hookSpecificOutput": output})), want, "{event} {output}");
        }
    }
}
