//! The rules of Mistral Vibe.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

use crate::shared::rules::decision_rules;

pub use crate::shared::rules::*;

rules! {
    /// The rules that only this agent has.
    OWN:
    /// The agent drops one entry of a file, and keeps the others.
    CONFIG_ENTRY_DROPPED = "config.entry_dropped";
    /// A hook of the same name was read before.
    CONFIG_DUPLICATE_NAME = "config.duplicate_name";
    /// The directory is not trusted, so the hooks of the project are not read.
    TRUST_UNTRUSTED = "trust.untrusted";
}

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_GOES_ON = "decide.goes-on": "no hook decides anything";
    DECIDE_DENY = "decide.deny": "the hook denies", several "the hooks run one after the other, and the first that denies ends the chain";
    DECIDE_STRICT = "decide.strict": "the hook failed, and `strict` makes a failure count", several "a hook failed, and `strict` makes its failure count";
    DECIDE_INPUT = "decide.input": "the tool gets the input of the hook", several "each hook gets the input of the one before it, and the tool the last one";
    DECIDE_BAD_INPUT = "decide.bad-input": "an input that the tool cannot use ends the whole run";
    DECIDE_RESULT = "decide.result": "the model gets the reason instead of the result", several "each hook changes the result that the one before it left";
    DECIDE_CONTEXT = "decide.context": "the model gets the text after the result", several "the model gets the texts after the result, in the order of the hooks";
    DECIDE_STOP_BLOCKED = "decide.stop-blocked": "the hook keeps the agent from stopping", several "the hooks run one after the other, and the first that denies ends the chain";
    DECIDE_STOP_USED = "decide.stop-used": "hooks have made this turn continue three times, so the agent stops";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    let unused =
        [CONFIG_FATAL, CONFIG_UNKNOWN_EVENT, MATCHER_NAME, MATCHER_NO_SUBJECT, OUTPUT_TEXT, RUN_UNANSWERED, SWITCH_OFF];
    let shared = [COMMON, MERGING, PATTERNS].concat().into_iter().filter(|rule| !unused.contains(rule));
    shared.chain(OWN.iter().copied()).chain(DECISIONS.iter().copied()).collect()
}
