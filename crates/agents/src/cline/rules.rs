//! The rules of Cline.

use hookbench_base::names::RuleId;

use crate::shared::rules::decision_rules;

pub use crate::shared::rules::*;

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_CANCEL = "decide.cancel": "the hook cancels, which ends the whole run", several "one hook that cancels ends the whole run, and the other hooks still run";
    DECIDE_CONTEXT = "decide.context": "the model gets the text after the result", several "the model gets the texts after the result, in the order of the hooks";
    DECIDE_GOES_ON = "decide.goes-on": "no hook decides anything";
    DECIDE_INPUT = "decide.input": "the tool gets the input of the hook", several "the tool gets the input of the last hook that gives one";
    DECIDE_NOT_AWAITED = "decide.not-awaited": "the agent does not wait for hooks of this event, and reads no answer";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    let used = [
        CONFIG_UNKNOWN_EVENT,
        DECIDE_BROKEN_OFF,
        DECIDE_NOT_RUN,
        MATCHER_EVERYTHING,
        OUTPUT_FAILED,
        OUTPUT_JSON,
        OUTPUT_NOTHING,
        OUTPUT_TEXT,
        RUN_CAUSE,
        RUN_FAILED,
        RUN_IRRELEVANT,
    ];
    used.into_iter().chain(DECISIONS.iter().copied()).collect()
}
