//! The rules of Copilot CLI.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

use crate::shared::rules::decision_rules;

pub use crate::shared::rules::*;
pub use hookbench_base::hook::FILE_SKIPPED as CONFIG_FILE_SKIPPED;

rules! {
    /// The rules that only this agent has.
    OWN:
    /// The agent skips this entry.
    CONFIG_SKIPPED = "config.skipped";
    /// A hook before this one ends the chain.
    CHAIN_ENDED = "chain.ended";
    /// The project is not trusted.
    TRUST_UNTRUSTED = "trust.untrusted";
}

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_ALLOW = "decide.allow": "no hook denies or asks, and a hook answers for the user";
    DECIDE_ASK = "decide.ask": "the first hook that denies or asks decides, and ends the chain";
    DECIDE_BAD_REWRITE = "decide.bad-rewrite": "the tool cannot use the new arguments, because the last ones count";
    DECIDE_CONTEXT = "decide.context": "the model gets the context", several "the contexts of all hooks are joined";
    DECIDE_DENY = "decide.first-deny": "the first hook that denies or asks decides, and ends the chain";
    DECIDE_GOES_ON = "decide.goes-on": "no hook decides anything";
    DECIDE_HOOK_FAILED = "decide.hook-failed": "a hook that fails blocks, and ends the chain";
    DECIDE_PROMPT_BLOCKED = "decide.prompt-blocked": "one hook that blocks is enough; the last reason counts";
    DECIDE_PROMPT_HANDLED = "decide.prompt-handled": "the last `handled` and the last `responseContent` of all hooks answer the prompt";
    DECIDE_PERMISSION = "decide.last-answer": "the last answer counts";
    DECIDE_REPLACED = "decide.replaced": "the text is replaced", several "of several new texts, the last one counts";
    DECIDE_RESULT_BLOCKED = "decide.result-blocked": "the first hook that blocks decides, and ends the chain";
    DECIDE_REWRITE = "decide.rewrite": "the tool gets the new arguments", several "each hook sees the arguments as the one before left them, and the last ones count";
    DECIDE_STOP_BLOCKED = "decide.stop-blocked": "one hook that blocks is enough; the last reason counts";
    DECIDE_SUBAGENT_STOP = "decide.subagent-stop": "a subagent stops although agentStop is blocked";
    DECIDE_STOP_CAP = "decide.stop-cap": "after eight blocked stops in a row the agent stops anyway";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    merging_rules(&[CONFIG_FATAL, OUTPUT_TEXT, RUN_UNANSWERED], &[OWN, DECISIONS, &[CONFIG_FILE_SKIPPED]])
}
