//! UserPromptSubmit and UserPromptExpansion (spec §10.3, §11): the first block or stop to finish decides, and a
//! block discards all contexts.

use serde_json::Value;

use super::{Said, Tally};
use hookbench_base::dialects::Scene;

/// Combines the answers in the order in which the hooks ended.
pub fn fold(tally: &mut Tally, said: &[Said<'_>], scene: &Scene) {
    let mut decided = false;
    for one in said.iter().filter(|s| s.counts()) {
        tally.system_message(one, scene);
        if let Some(text) = &one.answer.text {
            tally.context(text, "stdout", scene);
        }
        tally.additional_context(one, scene);
        if let Some(title) = one.answer.own_text("sessionTitle") {
            tally.extra("session_title", Value::from(title));
        }
        if decided {
            continue;
        }
        if let Some(block) = one.answer.block() {
            decided = true;
            tally.blocked_by(one, &block);
            if let Some(objection) = &one.answer.objection {
                tally.end_turn(Some(objection.reason.clone()));
            }
            let hidden = one
                .answer
                .own("suppressOriginalPrompt")
                .or_else(|| one.answer.json.as_ref().and_then(|json| json.get("suppressOriginalPrompt")));
            if hidden == Some(&Value::Bool(true)) {
                tally.extra("suppress_original_prompt", Value::Bool(true));
            }
        }
        if one.answer.stops() && (!decided || tally.outcome.decided_by.first() == Some(&one.run.hook)) {
            decided = true;
            tally.stop(one);
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
        tally.does("the prompt is dropped; the model is not asked", Some("the user"));
    } else {
        tally.does("the prompt goes to the model", None);
    }
}
