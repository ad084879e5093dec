//! PermissionRequest (spec §10.2, §11): the first decision to finish wins. Exit status 2 and top-level decisions
//! have no effect.

use serde_json::Value;

use super::super::answer::{BlockCause, BlockDecision, ForcedBlock};
use super::super::plan;
use super::{AnsweredRun, OutcomeBuilder, tool_call, tool_schema};
use hookbench_base::decide::Verdict;
use hookbench_base::dialects::Scene;

/// Combines the answers in the order in which the hooks ended.
pub fn fold(tally: &mut OutcomeBuilder, said: &[AnsweredRun<'_>], scene: &Scene) {
    let what = tool_call::describe_call(scene);
    let open = if scene.headless { "is denied, because no user can be asked" } else { "waits for the user's answer" };
    tally.set_action(format!("{what} {open}"), None);
    let mut decided = false;
    for one in said.iter().filter(|s| s.is_awaited()) {
        tally.add_system_message(one, scene);
        if matches!(one.answer.forced_block, Some(ForcedBlock::Exit2(_))) {
            // The hook meant to block, but exit status 2 has no effect here.
            tally.parts.failed = true;
        }
        if decided {
            continue;
        }
        decided = decide(tally, one, &what, scene);
    }
}

fn decide(tally: &mut OutcomeBuilder, one: &AnsweredRun<'_>, what: &str, scene: &Scene) -> bool {
    if let Some(ForcedBlock::OnFailure(text)) = &one.answer.forced_block {
        tally.set_block(one, &BlockDecision { cause: BlockCause::OnFailure, text: text.clone() });
        tally.set_action(format!("{what} does not run"), Some("the model"));
        return true;
    }
    let Some(decision) = one.answer.specific_output("decision") else { return false };
    match decision.get("behavior").and_then(Value::as_str) {
        // A hook that sees a call of Monitor as one of Bash can only deny it (2.1.332).
        Some("allow") if plan::sees_bash(one.definition, scene) => false,
        Some("allow") => {
            let tool = scene.input.body.get("tool_name").and_then(Value::as_str).unwrap_or("");
            // The agent ignores an empty rewrite.
            let rewritten =
                decision.get("updatedInput").filter(|input| input.as_object().is_some_and(|o| !o.is_empty()));
            if let Some(wrong) = rewritten.and_then(|input| tool_schema::input_error(tool, input)) {
                let text = format!(
                    "PermissionRequest hook for {tool} returned updatedInput that failed schema validation: {wrong}"
                );
                tally.set_block(one, &BlockDecision { cause: BlockCause::Answer, text });
                tally
                    .set_action(format!("{what} does not run: the new input does not fit the tool"), Some("the model"));
                return true;
            }
            tally.parts.decision = Some(Verdict::Allow);
            tally.outcome.decided_by = vec![one.run.hook.clone()];
            tally.outcome.updated_input = rewritten.cloned();
            if let Some(permissions) = decision.get("updatedPermissions") {
                tally.set_extra("updated_permissions", permissions.clone());
            }
            tally.set_action(format!("{what} runs, as if the user had allowed it"), Some("nobody"));
            true
        }
        Some("deny") => {
            let message = decision.get("message").and_then(Value::as_str).filter(|m| !m.is_empty());
            let text = message.unwrap_or("Permission denied by hook").to_owned();
            tally.set_block(one, &BlockDecision { cause: BlockCause::Answer, text });
            let interrupts = decision.get("interrupt") == Some(&Value::Bool(true));
            if interrupts {
                tally.set_extra("interrupt", Value::Bool(true));
            }
            let end = if interrupts { ", and the run ends with an error" } else { "" };
            tally.set_action(format!("{what} does not run{end}"), Some("the model"));
            true
        }
        _ => false,
    }
}
