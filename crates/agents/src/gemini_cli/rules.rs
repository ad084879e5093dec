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
    DECIDE_ANSWER = "decide.answer": "nobody blocks the answer";
    DECIDE_ANSWER_CUT = "decide.answer-cut": "the top-level decision is `deny` or `block`",
        several "on this event the last decision counts, and it is `deny` or `block`";
    DECIDE_ASK = "decide.ask": "nobody denies, and the decision is `ask`";
    DECIDE_CLIENT_FAILS = "decide.client-fails": "an llm_response needs a list of candidates with parts";
    DECIDE_CONTEXT = "decide.context": "nothing can be blocked here; only context is read";
    DECIDE_DENY = "decide.deny": "the top-level decision is `deny` or `block`",
        several "a `deny` or `block` of one hook is enough; the reasons of all hooks are joined";
    DECIDE_INPUT_REFUSED = "decide.input-refused": "the arguments of a hook replace the tool's whole input, and are held against its schema";
    DECIDE_MODEL_BLOCKED = "decide.model-blocked": "the top-level decision is `deny` or `block`",
        several "on this event the last decision counts, and it is `deny` or `block`";
    DECIDE_PROCEED = "decide.proceed": "nobody denies, asks or stops";
    DECIDE_PROMPT = "decide.prompt": "nobody blocks the prompt";
    DECIDE_PROMPT_BLOCKED = "decide.prompt-blocked": "the top-level decision is `deny` or `block`",
        several "a `deny` or `block` of one hook is enough; the reasons of all hooks are joined";
    DECIDE_REQUEST = "decide.request": "nobody blocks the call";
    DECIDE_RESULT = "decide.result": "nobody blocks the result";
    DECIDE_RESULT_REPLACED = "decide.result-replaced": "the top-level decision is `deny` or `block`",
        several "a `deny` or `block` of one hook is enough; the reasons of all hooks are joined";
    DECIDE_RETRY = "decide.retry": "the top-level decision is `deny` or `block`",
        several "a `deny` or `block` of one hook is enough; the reasons of all hooks are joined";
    DECIDE_SILENT = "decide.silent": "no hook said anything";
    DECIDE_STOP = "decide.stop": "`continue: false` goes before any decision",
        several "`continue: false` of one hook is enough, and goes before any decision";
    DECIDE_THROWN = "decide.thrown": "an answer that makes the agent throw takes all other answers with it";
    DECIDE_TOOLS = "decide.tools": "any answer at all replaces the request's choice of tools";
    DECIDE_TURN_ENDS = "decide.turn-ends": "nobody blocks the end of the turn";
    DECIDE_UNREAD = "decide.unread": "nothing can be blocked here; only the message for the user is shown";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    [COMMON, MERGING, FORK, OWN, DECISIONS].concat()
}
