//! The rules of Codex.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

use crate::shared::rules::decision_rules;

pub use crate::shared::rules::*;

rules! {
    /// The rules that only this agent has.
    OWN:
    /// The handler is of a kind that does not run, or its command is blank.
    CONFIG_SKIPPED = "config.skipped";
    /// The agent does not wait for the run.
    OUTPUT_ASYNC = "output.async";
    /// Only the agent itself could answer this run.
    OUTPUT_UNANSWERED = "output.unanswered";
    /// The agent rejects the answer.
    OUTPUT_VOID = "output.void";
    /// The administrator allows only managed hooks.
    POLICY_MANAGED_ONLY = "policy.managed_only";
    /// The run blocks too, but another run already decides.
    RUN_ALSO = "run.also";
    /// The agent does not wait for the run.
    RUN_ASYNC = "run.async";
    /// The run contributes context or a message.
    RUN_HEARD = "run.heard";
    /// The user has disabled the hook.
    STATE_DISABLED = "state.disabled";
    /// The hook has changed since it was reviewed.
    TRUST_CHANGED = "trust.changed";
    /// The hook is not reviewed.
    TRUST_NEW = "trust.new";
    /// The project is not trusted.
    TRUST_PROJECT = "trust.project";
}

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_ALLOW = "decide.allow": "no hook denies, and a hook answers for the user";
    DECIDE_ANY_DENY = "decide.any-deny": "one hook that denies is enough; the reason comes from the first one in the configured order";
    DECIDE_BAD_REWRITE = "decide.bad-rewrite": "the tool cannot use the new input, because the last rewrite counts";
    DECIDE_COMPACTION_SKIPPED = "decide.compaction-skipped": "`continue: false` of one hook is enough";
    DECIDE_GOES_ON = "decide.goes-on": "no hook decides anything";
    DECIDE_INTERRUPTED = "decide.interrupted": "`continue: false` of one hook is enough";
    DECIDE_PROMPT_DROPPED = "decide.prompt-dropped": "one hook that blocks or stops is enough";
    DECIDE_RESULT_REPLACED = "decide.result-replaced": "the texts of all hooks that block or stop are joined, in the configured order";
    DECIDE_REWRITE = "decide.rewrite": "no hook denies; of several rewrites, the one of the hook that ended last counts";
    DECIDE_SESSION_STOPPED = "decide.session-stopped": "`continue: false` of one hook is enough";
    DECIDE_STOP = "decide.stop": "`continue: false` takes precedence over every block; an open goal still starts another turn";
    DECIDE_STOP_BLOCKED = "decide.stop-blocked": "one hook that blocks is enough, and all reasons are used, without a limit";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    [COMMON, MERGING, OWN, DECISIONS].concat()
}
