//! The rules of the compatibility layer.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

use crate::shared::rules::decision_rules;
pub use crate::shared::rules::{
    COMMON, DECIDE_NOT_RUN, DecisionRule, MATCHER_EVERYTHING, MATCHER_MISS, MATCHER_NAME, MATCHER_NEAR_MISS,
    MATCHER_NO_SUBJECT, OUTPUT_FAILED, OUTPUT_JSON, OUTPUT_NOTHING, OUTPUT_TEXT, RUN_CAUSE, RUN_FAILED, RUN_IRRELEVANT,
    SWITCH_OFF,
};

rules! {
    /// The rules that only this agent has.
    OWN:
    /// The entry is switched off.
    CONFIG_DISABLED = "config.disabled";
    /// The entry is not a valid hook.
    CONFIG_INVALID_HOOK = "config.invalid-hook";
    /// The entry is JavaScript that runs inside the agent.
    CONFIG_IN_PROCESS = "config.in-process";
    /// The event has no such name.
    CONFIG_NO_EVENT = "config.no-event";
    /// A deny, a block or a stop ends the sequence.
    DECIDE_SEQUENCE_ENDS = "decide.sequence-ends";
    /// A run contributes a message, a context or a new input.
    RUN_HEARD = "run.heard";
}

const SHARED: &[RuleId] = &[
    MATCHER_MISS,
    MATCHER_NAME,
    MATCHER_NEAR_MISS,
    MATCHER_NO_SUBJECT,
    OUTPUT_FAILED,
    OUTPUT_JSON,
    OUTPUT_NOTHING,
    OUTPUT_TEXT,
    RUN_CAUSE,
    RUN_FAILED,
    RUN_IRRELEVANT,
    SWITCH_OFF,
];

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_ALLOW = "decide.allow": "no hook denies, and one approves";
    DECIDE_CRITICAL = "decide.critical": "a critical hook failed, so the event is blocked";
    DECIDE_DENY = "decide.first-deny": "the first hook that denies or blocks ends the sequence";
    DECIDE_GOES_ON = "decide.goes-on": "no hook denies, blocks, changes or stops";
    DECIDE_MODIFY = "decide.modify": "the last new response replaces the prepared one";
    DECIDE_REWRITE = "decide.rewrite": "the new input of one hook is the input of the next, and the last one counts";
    DECIDE_STOP = "decide.stop": "`continue: false` takes precedence over any decision";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    [COMMON, SHARED, OWN, DECISIONS].concat()
}
