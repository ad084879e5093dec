//! The rules that both agents of this code base have.

use hookbench_base::rules;

pub use crate::shared::rules::*;

rules! {
    /// The rules of both agents.
    FORK:
    /// The settings disable the hook by its name.
    CONFIG_DISABLED = "config.disabled";
    /// The handler is invalid.
    CONFIG_INVALID_HOOK = "config.invalid_hook";
    /// The extension of the hook is disabled.
    EXTENSION_OFF = "extension.off";
    /// The matcher names an alias of the subject.
    MATCHER_ALIAS = "matcher.alias";
    /// The list of names is empty, so it matches nothing.
    MATCHER_EMPTY_LIST = "matcher.empty_list";
    /// An entry of the list of names is `*`.
    MATCHER_LIST_WILDCARD = "matcher.list_wildcard";
    /// The matcher is neither absent nor a string.
    MATCHER_NOT_TEXT = "matcher.not_text";
    /// The same hook already runs for this event.
    PLAN_DUPLICATE = "plan.duplicate";
    /// The agent throws on the output of this run.
    RUN_CULPRIT = "run.culprit";
    /// The directory is not trusted.
    TRUST_UNTRUSTED = "trust.untrusted";
}
