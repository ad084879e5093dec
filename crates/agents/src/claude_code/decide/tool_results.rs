//! PostToolUse, PostToolUseFailure and PostToolBatch (spec §10.3, §11): feedback next to an existing tool result.

use serde_json::Value;

use super::super::answer::BlockCause;
use super::{AnsweredRun, OutcomeBuilder, tool_schema};
use hookbench_base::dialects::Scene;

/// Combines the answers in the order in which the hooks ended.
pub fn fold(tally: &mut OutcomeBuilder, said: &[AnsweredRun<'_>], scene: &Scene) {
    let event = scene.input.event.as_str();
    let batch = event == "PostToolBatch";
    for one in said.iter().filter(|s| s.is_awaited()) {
        tally.add_system_message(one, scene);
        tally.add_additional_context(one, scene);
        // After a failed call the agent does not read `continue`.
        if event != "PostToolUseFailure" {
            tally.apply_stop(one);
        }
        if event == "PostToolUse" {
            updated_output(tally, one, scene);
        }
        if let Some(block) = one.answer.block() {
            tally.add_reason(one, &block.text);
            if batch {
                tally.outcome.blocked = true;
                tally.parts.denied |= block.cause != BlockCause::OnFailure;
                tally.parts.failed_closed |= block.cause == BlockCause::OnFailure;
            }
        }
        if let Some(objection) = &one.answer.objection
            && (batch || (event == "PostToolUse" && !objection.turn_continues))
        {
            tally.end_turn(Some(objection.reason.clone()));
        }
    }
    let feedback = tally.outcome.reason.is_some();
    let (does, seen_by) = if !tally.outcome.continues || (batch && tally.outcome.blocked) {
        ("the turn ends before the next request to the model", Some("the user"))
    } else if tally.outcome.extra.contains_key("updated_output") {
        ("the model gets the result of a hook instead of the real one", Some("the model"))
    } else if feedback {
        ("the model gets the feedback in addition to the result", Some("the model"))
    } else {
        ("the model gets the unchanged result", None)
    };
    tally.set_action(does, seen_by);
}

/// Applies `updatedToolOutput`, and for MCP tools `updatedMCPToolOutput`. The last hook to finish wins.
fn updated_output(tally: &mut OutcomeBuilder, one: &AnsweredRun<'_>, scene: &Scene) {
    let body = &scene.input.body;
    let tool = body.get("tool_name").and_then(Value::as_str).unwrap_or("");
    let real = body.get("tool_response").unwrap_or(&Value::Null);
    let mcp = one.answer.specific_output("updatedMCPToolOutput").filter(|_| tool.starts_with("mcp__"));
    let offered = one.answer.specific_output("updatedToolOutput").or(mcp);
    let Some(output) = offered else { return };
    // The last hook to finish counts even if the agent cannot use its result; then the real one stays (2.1.332).
    if tool_schema::is_valid_output(tool, output, real) {
        tally.set_extra("updated_output", output.clone());
    } else if tally.outcome.extra.shift_remove("updated_output").is_some() {
        // It takes the result of an earlier hook back.
        tally.outcome.decided_by.push(one.run.hook.clone());
    }
}
