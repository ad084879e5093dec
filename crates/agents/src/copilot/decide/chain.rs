//! The changes that one hook makes to the next one, and the answers that end the chain (spec §5, §5.2).

use serde_json::{Map, Value};

use super::super::answer::{HookAnswer, RunEnd, read_answer};
use super::super::spelling::{RESULT_KEYS, camel_event, held_payload};
use hookbench_base::decide::HookRun;
use hookbench_base::dialects::{NextStep, Scene};

/// Returns what follows a run.
pub fn after(run: &HookRun, scene: &Scene) -> NextStep {
    let Some(definition) = scene.loaded.definition(&run.hook) else { return NextStep::SameInput };
    let answer = read_answer(&definition.event, &run.report);
    let event = camel_event(&scene.input.event);
    if ends_chain(&event, &answer) {
        return NextStep::Abort(format!("{} ends the chain, so the hooks after it do not start", definition.label()));
    }
    next_body(&event, &run.input.body, &answer).map_or(NextStep::SameInput, NextStep::NewInput)
}

/// Whether the hooks after this answer do not start.
fn ends_chain(event: &str, answer: &HookAnswer) -> bool {
    match event {
        "preToolUse" => {
            matches!(answer.end, RunEnd::Failed | RunEnd::Blocks) || matches!(answer.permission(), Some("deny" | "ask"))
        }
        "permissionRequest" => answer.end == RunEnd::Failed,
        "postToolUse" => answer.blocks() && answer.has_string("reason"),
        _ => false,
    }
}

/// The result of a tool after one answer: only its two keys change.
fn changed_result(before: Option<&Value>, change: &Map<String, Value>) -> Value {
    let mut result = before.and_then(Value::as_object).cloned().unwrap_or_default();
    for (camel, held) in RESULT_KEYS {
        result.extend(change.get(camel).map(|value| (held.to_owned(), value.clone())));
    }
    Value::Object(result)
}

/// The payload of the next hook.
fn next_body(event: &str, body: &Value, answer: &HookAnswer) -> Option<Value> {
    let (key, value) = match event {
        "preToolUse" => ("tool_input", answer.new_arguments()?.clone()),
        "postToolUse" => ("tool_result", changed_result(body.get("tool_result"), answer.new_result()?)),
        _ => return None,
    };
    let mut next = body.clone();
    next.as_object_mut()?.insert(key.to_owned(), value);
    Some(held_payload(event, &next))
}
