//! The rules of Qwen Code.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

use crate::shared::rules::decision_rules;

pub use crate::shared::gemini_fork::rules::*;

rules! {
    /// The rules that only this agent has.
    OWN:
    /// The agent waits only so long for all hooks together.
    DECIDE_BUDGET = "decide.budget";
    /// One invalid definition makes the agent skip all hooks of the extension.
    EXTENSION_POISONED = "extension.poisoned";
    /// The agent does not wait for the run.
    OUTPUT_ASYNC = "output.async";
    /// The agent rejects the answer.
    OUTPUT_REJECTED = "output.rejected";
    /// A hook with the same identity is already registered.
    REGISTRY_DUPLICATE = "registry.duplicate";
    /// The hook is not registered in this session yet.
    SESSION_NOT_REGISTERED = "session.not_registered";
    /// It is unknown whether the hook is registered in this session.
    SESSION_UNKNOWN = "session.unknown";
}

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_ASK = "decide.ask": "the answer asks for the user's confirmation",
        several "the last permissionDecision asks, which outweighs a deny or block in `decision`";
    DECIDE_ASK_DENIED = "decide.ask-denied": "the answer asks for the user's confirmation",
        several "the last permissionDecision asks, which outweighs a deny or block in `decision`";
    DECIDE_ASK_HEADLESS = "decide.ask-headless": "the answer asks for the user's confirmation",
        several "the last permissionDecision asks, which outweighs a deny or block in `decision`";
    DECIDE_BATCH = "decide.batch": "no hook blocks or stops the batch";
    DECIDE_BATCH_REPLACED = "decide.batch-replaced": "a block, a deny or `continue: false` of one hook is enough";
    DECIDE_BUS_TIMEOUT = "decide.bus-timeout": "the agent has one time limit for all hooks together";
    DECIDE_BUS_TIMEOUT_FATAL = "decide.bus-timeout-fatal": "the agent has one time limit for all hooks together";
    DECIDE_CLIENT_FAILS = "decide.client-fails": "the client throws an error when it reads context from a hookSpecificOutput that is not an object";
    DECIDE_CLIENT_SWALLOWS = "decide.client-swallows": "the client throws an error when it reads a hookSpecificOutput that is not an object, and continues as if there were no hooks";
    DECIDE_CONTEXT = "decide.context": "hooks cannot block here; the agent only reads context";
    DECIDE_CONTEXT_DROPPED = "decide.context-dropped": "hooks cannot block here; the agent only reads context";
    DECIDE_DENY = "decide.deny": "the answer denies: permissionDecision counts if it is a known word, otherwise decision",
        several "of several answers, the last permissionDecision counts; if there is none, a single deny or block is enough";
    DECIDE_DIALOG = "decide.dialog": "the answer has no decision object";
    DECIDE_EXPANSION_BLOCKED = "decide.expansion-blocked": "a block, a deny or `continue: false` of one hook is enough";
    DECIDE_NOTIFICATION = "decide.notification": "the agent ignores the output of hooks of this event";
    DECIDE_PERMISSION_ALLOW = "decide.permission-allow": "the merged decision object allows";
    DECIDE_PERMISSION_DENY = "decide.permission-deny": "a deny outweighs every allow";
    DECIDE_PERMISSION_UNDECIDED = "decide.permission-undecided": "a decision object whose behavior is not `allow` denies",
        several "two or more answers are merged into a decision object, and one answer without an allow denies";
    DECIDE_PROCEED = "decide.proceed": "the answer neither denies nor asks nor stops",
        several "the merged answer neither denies nor asks nor stops";
    DECIDE_PROMPT = "decide.prompt": "no hook blocks the prompt";
    DECIDE_PROMPT_BLOCKED = "decide.prompt-blocked": "a block, a deny or `continue: false` of one hook is enough";
    DECIDE_RESULT = "decide.result": "`decision` is ignored on this event; only context is delivered";
    DECIDE_RESULT_REPLACED = "decide.result-replaced": "only `continue: false` keeps a result from the model";
    DECIDE_SILENT = "decide.silent": "no hook gave an answer";
    DECIDE_STOP = "decide.stop": "no hook denies or asks, and `continue: false` stops the call";
    DECIDE_STOP_BLOCKED = "decide.stop-blocked": "a block, a deny or `continue: false` of one hook keeps the agent running";
    DECIDE_STOP_CAP = "decide.stop-cap": "the agent counts stops that were blocked in a row, and ignores the last allowed one";
    DECIDE_STOP_GOES_ON = "decide.stop-goes-on": "no hook blocks the stop";
    DECIDE_THROWN = "decide.thrown": "if one answer makes the agent throw an error, all other answers are lost";
    DECIDE_THROWN_CLOSED = "decide.thrown-closed": "the agent denies this event when it throws an error; no other event does";
    DECIDE_TODO = "decide.todo": "a single answer blocks only with `block`; `deny` and exit 2 do not count",
        several "the merged decision is not `block`";
    DECIDE_TODO_BLOCKED = "decide.todo-blocked": "the merged decision is exactly `block`";
    DECIDE_TODO_LATE = "decide.todo-late": "hooks run after the list was written";
    DECIDE_UNREAD = "decide.unread": "the agent ignores the output of hooks of this event";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    [COMMON, MERGING, PATTERNS, FORK, OWN, DECISIONS].concat()
}
