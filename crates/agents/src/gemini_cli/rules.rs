//! The rules of Gemini CLI.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

use crate::shared::rules::decision_rules;

pub use crate::shared::gemini_fork::rules::*;

rules! {
    /// The rules that only this agent has.
    OWN:
    /// A later settings file overwrites the hooks of earlier files.
    CONFIG_REPLACED = "config.replaced";
    /// The output is JSON, but not an object.
    OUTPUT_NO_OBJECT = "output.no-object";
}

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_ANSWER = "decide.answer": "no hook blocks the answer";
    DECIDE_ANSWER_CUT = "decide.answer-cut": "the top-level decision is `deny` or `block`",
        several "on this event the last decision counts, and it is `deny` or `block`";
    DECIDE_ASK = "decide.ask": "no hook denies, and the decision is `ask`";
    DECIDE_CLIENT_FAILS = "decide.client-fails": "an llm_response needs a list of candidates with parts";
    DECIDE_CONTEXT = "decide.context": "hooks cannot block here; the agent only reads context";
    DECIDE_DENY = "decide.deny": "the top-level decision is `deny` or `block`",
        several "a `deny` or `block` of one hook is enough; the reasons of all hooks are joined";
    DECIDE_INPUT_REFUSED = "decide.input-refused": "the arguments of a hook replace the whole tool input, and are checked against its schema";
    DECIDE_MODEL_BLOCKED = "decide.model-blocked": "the top-level decision is `deny` or `block`",
        several "on this event the last decision counts, and it is `deny` or `block`";
    DECIDE_PROCEED = "decide.proceed": "no hook denies, asks or stops";
    DECIDE_PROMPT = "decide.prompt": "no hook blocks the prompt";
    DECIDE_PROMPT_BLOCKED = "decide.prompt-blocked": "the top-level decision is `deny` or `block`",
        several "a `deny` or `block` of one hook is enough; the reasons of all hooks are joined";
    DECIDE_REQUEST = "decide.request": "no hook blocks the call";
    DECIDE_RESULT = "decide.result": "no hook blocks the result";
    DECIDE_RESULT_REPLACED = "decide.result-replaced": "the top-level decision is `deny` or `block`",
        several "a `deny` or `block` of one hook is enough; the reasons of all hooks are joined";
    DECIDE_RETRY = "decide.retry": "the top-level decision is `deny` or `block`",
        several "a `deny` or `block` of one hook is enough; the reasons of all hooks are joined";
    DECIDE_SILENT = "decide.silent": "no hook gave an answer";
    DECIDE_STOP = "decide.stop": "`continue: false` takes precedence over any decision",
        several "`continue: false` of one hook is enough, and takes precedence over any decision";
    DECIDE_THROWN = "decide.thrown": "if one answer makes the agent throw an error, all other answers are lost";
    DECIDE_TOOLS = "decide.tools": "any answer replaces the tool choice of the request";
    DECIDE_TURN_ENDS = "decide.turn-ends": "no hook blocks the end of the turn";
    DECIDE_UNREAD = "decide.unread": "hooks cannot block here; the agent only shows the message for the user";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    [COMMON, MERGING, PATTERNS, FORK, OWN, DECISIONS].concat()
}
