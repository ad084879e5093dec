//! The rules that several agents have, and the macro for the rules that decide an outcome.

use hookbench_base::names::RuleId;
use hookbench_base::rules;

rules! {
    /// The rules of every agent.
    COMMON:
    /// No hook runs, so the agent does what it does by default.
    DECIDE_NOT_RUN = "decide.not-run";
    /// The matcher is absent, empty or `*`.
    MATCHER_EVERYTHING = "matcher.everything";
    /// The matcher is not a valid pattern.
    MATCHER_INVALID = "matcher.invalid";
    /// The matcher is a pattern, and its result decides.
    MATCHER_PATTERN = "matcher.pattern";
}

rules! {
    /// The rules of agents that merge the answers of all hooks into one decision.
    MERGING:
    /// The settings keep the agent from starting.
    CONFIG_FATAL = "config.fatal";
    /// The agent does not know the event.
    CONFIG_UNKNOWN_EVENT = "config.unknown_event";
    /// The firing was aborted.
    DECIDE_BROKEN_OFF = "decide.broken-off";
    /// The matcher does not match, and no likely mistake is known.
    MATCHER_MISS = "matcher.miss";
    /// The matcher names the subject.
    MATCHER_NAME = "matcher.name";
    /// The matcher does not match because of a likely mistake.
    MATCHER_NEAR_MISS = "matcher.near_miss";
    /// The event has no value to match.
    MATCHER_NO_SUBJECT = "matcher.no_subject";
    /// The run failed.
    OUTPUT_FAILED = "output.failed";
    /// The answer is a JSON object.
    OUTPUT_JSON = "output.json";
    /// The run printed nothing.
    OUTPUT_NOTHING = "output.nothing";
    /// The answer is plain text.
    OUTPUT_TEXT = "output.text";
    /// The run decides the outcome or contributes to it.
    RUN_CAUSE = "run.cause";
    /// The run failed and has no effect.
    RUN_FAILED = "run.failed";
    /// The run has no effect on the outcome.
    RUN_IRRELEVANT = "run.irrelevant";
    /// Only the agent itself could answer this run.
    RUN_UNANSWERED = "run.unanswered";
    /// A switch turns all hooks off.
    SWITCH_OFF = "switch.off";
}

rules! {
    /// The rules of agents whose handlers have a condition on the call.
    CONDITIONS:
    /// The condition does not match the call.
    CONDITION_FALSE = "condition.false";
    /// Whether the condition matches the call is unknown.
    CONDITION_UNKNOWN = "condition.unknown";
}

rules! {
    /// The rules about JavaScript patterns.
    PATTERNS:
    /// The pattern could run for a very long time, so it is not tried.
    MATCHER_TOO_EXPENSIVE = "matcher.too_expensive";
}

/// A rule that decides an outcome, with the sentence that explains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionRule {
    pub id: RuleId,
    /// The sentence if one hook answered.
    pub one: &'static str,
    /// The sentence if several hooks answered.
    pub several: &'static str,
}

impl DecisionRule {
    /// The sentence for this number of hooks that answered.
    pub fn sentence(self, answers: usize) -> &'static str {
        if answers > 1 { self.several } else { self.one }
    }
}

/// The rules of an agent that merges answers and has JavaScript patterns: the common ones without those that it does not use,
/// and its own.
pub fn merging_rules(unused: &[RuleId], own: &[&[RuleId]]) -> Vec<RuleId> {
    let common = [COMMON, MERGING, PATTERNS].concat().into_iter().filter(|rule| !unused.contains(rule));
    common.chain(own.concat()).collect()
}

/// Declares the decision rules of an agent, and a list of their ids. Each rule has a sentence for one answer and,
/// if it differs, one for several.
macro_rules! decision_rules {
    ($(#[$list_doc:meta])* $list:ident:
     $($name:ident = $id:literal: $one:literal $(, several $several:literal)?;)*) => {
        $(
            #[doc = $one]
            pub const $name: DecisionRule = {
                let rule = DecisionRule { id: RuleId::new($id), one: $one, several: $one };
                $(let rule = DecisionRule { several: $several, ..rule };)?
                rule
            };
        )*
        $(#[$list_doc])*
        pub const $list: &[RuleId] = &[$($name.id),*];
    };
}
pub(crate) use decision_rules;
