//! PreSkillShellCommand: the first refusal to finish gives the text, and nothing that a hook says makes the command run.
//! Measured on 2.1.332.

use super::{AnsweredRun, OutcomeBuilder};
use hookbench_base::dialects::Scene;

/// Combines the answers in the order in which the hooks ended.
pub fn fold(tally: &mut OutcomeBuilder, said: &[AnsweredRun<'_>], scene: &Scene) {
    for one in said.iter().filter(|s| s.is_awaited()) {
        tally.add_system_message(one, scene);
        if !tally.outcome.blocked
            && let Some(block) = one.answer.block()
        {
            tally.set_block(one, &block);
            tally.outcome.reason = Some(block.text).filter(|text| !text.is_empty());
        }
        if one.answer.ends_turn() {
            tally.outcome.continues = false;
            // The last reason counts.
            let reason = one.answer.top_text("stopReason").map(str::to_owned);
            tally.outcome.stop_reason = reason.or_else(|| tally.outcome.stop_reason.take());
        }
    }
    let (does, seen_by) = match (tally.outcome.continues, tally.outcome.blocked) {
        (false, _) => ("the prompt is dropped; no request goes to the model", Some("the user")),
        (true, true) => {
            ("the command does not run; the model reads the refusal instead", Some("the model and the user"))
        }
        (true, false) => ("the command runs, and its output becomes a part of the prompt", None),
    };
    tally.set_action(does, seen_by);
}
