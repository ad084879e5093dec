//! UserPromptSubmit and UserPromptExpansion (spec §10.3, §11): the first block or stop to finish decides, and a
//! block discards all contexts.

use serde_json::Value;

use super::{AnsweredRun, OutcomeBuilder};
use hookbench_base::dialects::Scene;

/// Combines the answers in the order in which the hooks ended.
pub fn fold(tally: &mut OutcomeBuilder, said: &[AnsweredRun<'_>], scene: &Scene) {
    let mut decided = false;
    for one in said.iter().filter(|s| s.is_awaited()) {
        tally.add_system_message(one, scene);
        if let Some(text) = &one.answer.text {
            tally.add_context(text, "stdout", scene);
        }
        tally.add_additional_context(one, scene);
        if let Some(title) = one.answer.specific_text("sessionTitle") {
            tally.set_extra("session_title", Value::from(title));
        }
        if decided {
            continue;
        }
        if let Some(block) = one.answer.block() {
            decided = true;
            tally.set_block(one, &block);
            if let Some(objection) = &one.answer.objection {
                tally.end_turn(Some(objection.reason.clone()));
            }
            let hidden = one
                .answer
                .specific_output("suppressOriginalPrompt")
                .or_else(|| one.answer.json.as_ref().and_then(|json| json.get("suppressOriginalPrompt")));
            if hidden == Some(&Value::Bool(true)) {
                tally.set_extra("suppress_original_prompt", Value::Bool(true));
            }
        }
        if one.answer.ends_turn() && (!decided || tally.outcome.decided_by.first() == Some(&one.run.hook)) {
            decided = true;
            tally.apply_stop(one);
            tally.outcome.blocked = true;
            tally.parts.denied = true;
            tally.outcome.decided_by = vec![one.run.hook.clone()];
            if tally.outcome.reason.is_none() {
                tally.outcome.reason.clone_from(&tally.outcome.stop_reason);
            }
        }
    }
    if decided {
        tally.drop_contexts();
        tally.set_action("the prompt is dropped; the model does not receive it", Some("the user"));
    } else {
        tally.set_action("the prompt goes to the model", None);
    }
}
