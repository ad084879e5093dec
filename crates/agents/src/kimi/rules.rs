//! The rules of Kimi Code.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

use crate::shared::rules::decision_rules;

pub use crate::shared::rules::*;
pub use hookbench_base::hook::FILE_SKIPPED as CONFIG_FILE_SKIPPED;

rules! {
    /// The rules that only this agent has.
    OWN:
    /// A hook made this turn continue once, so the agent asks no hook again.
    PLAN_STOP_USED = "plan.stop-used";
    /// The same command runs already for this event.
    PLAN_DUPLICATE = "plan.duplicate";
}

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_CONTEXT = "decide.context": "the model gets the text before the prompt", several "the model gets the texts of all hooks, in the configured order";
    DECIDE_DENY = "decide.deny": "the hook denies", several "one hook that denies is enough; the first in the configured order gives the reason";
    DECIDE_GOES_ON = "decide.goes-on": "no hook decides anything", several "no hook decides anything";
    DECIDE_STOP_BLOCKED = "decide.stop-blocked": "the hook keeps the agent from stopping, once", several "one hook that denies is enough; the first in the configured order gives the reason";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    merging_rules(
        &[CONFIG_UNKNOWN_EVENT, RUN_UNANSWERED, SWITCH_OFF, MATCHER_NAME, MATCHER_NO_SUBJECT],
        &[OWN, DECISIONS, &[CONFIG_FILE_SKIPPED]],
    )
}
