//! The rules of CodeBuddy Code.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

use crate::shared::rules::decision_rules;

pub use crate::shared::rules::*;

rules! {
    /// The rules that only this agent has.
    OWN:
    /// The handler has nothing to run.
    CONFIG_HANDLER_DROPPED = "config.handler-dropped";
    /// A wrong group makes the agent drop all hooks of its event.
    CONFIG_EVENT_LOST = "config.event-lost";
    /// The same command of this origin runs already for this event.
    PLAN_DUPLICATE = "plan.duplicate";
}

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_BLOCK = "decide.block": "the hook blocks", several "one hook that blocks is enough; the reasons of all hooks are joined";
    DECIDE_CONTEXT = "decide.context": "the model gets the context", several "of several contexts, the last in the configured order counts";
    DECIDE_GOES_ON = "decide.goes-on": "no hook decides anything";
    DECIDE_LAST_DECISION = "decide.last-decision": "the hook decides", several "of several permissionDecisions, the last in the configured order counts, also over a block";
    DECIDE_REWRITE = "decide.rewrite": "the new input is merged over the tool's input", several "of several new inputs, the last in the configured order counts";
    DECIDE_STOP_BLOCKED = "decide.stop-blocked": "the hook keeps the agent from stopping", several "one hook that blocks is enough; the reasons of all hooks are joined";
    DECIDE_STOP_ENDS = "decide.stop-ends": "without a terminal the run ends, whatever hooks answer";
    DECIDE_TEXT = "decide.text": "the model gets what the hook printed", several "the model gets what all hooks printed";
    DECIDE_UNOBSERVED = "decide.unobserved": "what the agent does with an answer to this event was not observed";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    merging_rules(&[SWITCH_OFF, MATCHER_NAME, CONFIG_FATAL, RUN_UNANSWERED], &[OWN, DECISIONS, CONDITIONS])
}
