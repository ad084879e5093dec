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
    DECIDE_BATCH = "decide.batch": "nobody blocks or stops the batch";
    DECIDE_BATCH_REPLACED = "decide.batch-replaced": "a block, a deny or `continue: false` of one hook is enough";
    DECIDE_BUS_TIMEOUT = "decide.bus-timeout": "the agent waits only so long for all hooks together";
    DECIDE_BUS_TIMEOUT_FATAL = "decide.bus-timeout-fatal": "the agent waits only so long for all hooks together";
    DECIDE_CLIENT_FAILS = "decide.client-fails": "the client throws when it looks for context in a hookSpecificOutput that is no object";
    DECIDE_CLIENT_SWALLOWS = "decide.client-swallows": "the client throws when it looks into a hookSpecificOutput that is no object, and goes on as without hooks";
    DECIDE_CONTEXT = "decide.context": "nothing can be blocked here; only context is read";
    DECIDE_CONTEXT_DROPPED = "decide.context-dropped": "nothing can be blocked here; only context is read";
    DECIDE_DENY = "decide.deny": "the answer denies: permissionDecision where it is a known word, else decision",
        several "of several answers the last permissionDecision counts; where none has one, a single deny or block is enough";
    DECIDE_DIALOG = "decide.dialog": "the answer has no decision object";
    DECIDE_EXPANSION_BLOCKED = "decide.expansion-blocked": "a block, a deny or `continue: false` of one hook is enough";
    DECIDE_NOTIFICATION = "decide.notification": "the agent reads nothing from hooks of this event";
    DECIDE_PERMISSION_ALLOW = "decide.permission-allow": "the merged decision object allows";
    DECIDE_PERMISSION_DENY = "decide.permission-deny": "a deny outweighs every allow";
    DECIDE_PERMISSION_UNDECIDED = "decide.permission-undecided": "a decision object whose behavior is not `allow` denies",
        several "two or more answers are merged into a decision object, and one that does not allow denies";
    DECIDE_PROCEED = "decide.proceed": "the answer neither denies nor asks nor stops",
        several "the merged answer neither denies nor asks nor stops";
    DECIDE_PROMPT = "decide.prompt": "nobody blocks the prompt";
    DECIDE_PROMPT_BLOCKED = "decide.prompt-blocked": "a block, a deny or `continue: false` of one hook is enough";
    DECIDE_RESULT = "decide.result": "`decision` counts for nothing on this event; only context is delivered";
    DECIDE_RESULT_REPLACED = "decide.result-replaced": "`continue: false` is the one way to keep a result from the model";
    DECIDE_SILENT = "decide.silent": "no hook said anything";
    DECIDE_STOP = "decide.stop": "nobody denies or asks, and `continue: false` stops the call";
    DECIDE_STOP_BLOCKED = "decide.stop-blocked": "a block, a deny or `continue: false` of one hook keeps the agent going";
    DECIDE_STOP_CAP = "decide.stop-cap": "stops that were blocked in a row are counted, and the last one allowed does not count";
    DECIDE_STOP_GOES_ON = "decide.stop-goes-on": "nobody blocks the stop";
    DECIDE_THROWN = "decide.thrown": "an answer that makes the agent throw takes all other answers with it";
    DECIDE_THROWN_CLOSED = "decide.thrown-closed": "this event is refused when the agent throws; it is the only one";
    DECIDE_TODO = "decide.todo": "a single answer blocks with `block` only; `deny` and exit 2 do not count",
        several "the merged decision is not `block`";
    DECIDE_TODO_BLOCKED = "decide.todo-blocked": "the merged decision is exactly `block`";
    DECIDE_TODO_LATE = "decide.todo-late": "hooks are told of it after the list was written";
    DECIDE_UNREAD = "decide.unread": "the agent reads nothing from hooks of this event";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    [COMMON, MERGING, FORK, OWN, DECISIONS].concat()
}
