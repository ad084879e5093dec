//! The rules of Droid.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

use crate::shared::rules::decision_rules;

pub use crate::shared::rules::*;
pub use hookbench_base::hook::FILE_SKIPPED as CONFIG_FILE_SKIPPED;

rules! {
    /// The rules that only this agent has.
    OWN:
    /// Another file of the same scope has hooks for the event, so this one is not read for it.
    CONFIG_OTHER_FILE = "config.other-file";
    /// A hook with an empty command makes the answers of the event's other hooks count for nothing.
    OUTPUT_SPOILED = "output.spoiled";
}

decision_rules! {
    /// The rules that decide an outcome.
    DECISIONS:
    DECIDE_CONTEXT = "decide.context": "the model gets the context", several "the model gets the context of the first hook in the configured order";
    DECIDE_DENY = "decide.first-decision": "the hook denies", several "the first hook in the configured order that has a decision wins, and it denies";
    DECIDE_EXIT_2 = "decide.exit-2": "exit 2 blocks, whatever other hooks allow";
    DECIDE_BAD_REWRITE = "decide.bad-rewrite": "the tool refuses the new input";
    DECIDE_ENDS_RUN = "decide.ends-run": "exit 3 or `continue: false` ends the run";
    DECIDE_FEEDBACK = "decide.feedback": "exit 2 after the tool gives the model a message", several "exit 2 after the tool gives the model the message of the first such hook";
    DECIDE_GOES_ON = "decide.goes-on": "no hook decides anything";
    DECIDE_PERMITS = "decide.permits": "the hook lets the tool run", several "the first hook in the configured order that has a decision wins, and it lets the tool run";
    DECIDE_REWRITE = "decide.rewrite": "the new input is merged over the tool's input", several "of several new inputs, one beside a decision counts before the others, then the first in the configured order";
    DECIDE_SESSION_CONTEXT = "decide.session-context": "the model gets the context before everything else", several "the contexts of all hooks are joined";
    DECIDE_STOP_BLOCKED = "decide.stop-blocked": "the hook keeps the agent from stopping", several "one hook that blocks is enough; a JSON reason counts before the text of exit 2";
    DECIDE_UNOBSERVED = "decide.unobserved": "what the agent does with an answer to this event was not observed";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    merging_rules(&[RUN_UNANSWERED, SWITCH_OFF, MATCHER_NAME], &[OWN, DECISIONS, &[CONFIG_FILE_SKIPPED]])
}
