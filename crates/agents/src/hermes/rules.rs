//! The rules of Hermes Agent.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

use crate::shared::rules::decision_rules;

pub use crate::shared::rules::*;

rules! {
    /// The rules that only this agent has.
    OWN:
    /// The agent drops one entry of the settings, and keeps the others.
    CONFIG_ENTRY_DROPPED = "config.entry_dropped";
    /// The administrator's file sets the hooks of the event.
    CONFIG_REPLACED = "config.replaced";
    /// The same entry was read before.
    PLAN_DUPLICATE = "plan.duplicate";
    /// Hooks made this turn continue three times, so the agent asks no hook again.
    PLAN_STOP_USED = "plan.stop-used";
    /// The command is not approved for the event.
    TRUST_UNAPPROVED = "trust.unapproved";
}

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_CONTEXT = "decide.context": "the model gets the text after the prompt", several "the model gets the texts of all hooks after the prompt, in the configured order";
    DECIDE_DENY = "decide.deny": "the hook blocks the call", several "all hooks run; the first that blocks, in the configured order, gives the reason";
    DECIDE_GOES_ON = "decide.goes-on": "no hook decides anything";
    DECIDE_STOP_BLOCKED = "decide.stop-blocked": "the hook keeps the agent from stopping", several "all hooks run; the first with a text, in the configured order, keeps the agent from stopping";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    merging_rules(&[CONFIG_FATAL, CONFIG_UNKNOWN_EVENT, MATCHER_NAME, RUN_UNANSWERED], &[OWN, DECISIONS])
}
