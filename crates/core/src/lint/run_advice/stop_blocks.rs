//! HW616, HW617: hooks that keep an agent from stopping.

use super::{FiringContext, RunContext};
use crate::diagnostic::Diagnostic;
use crate::output::Vote;
use crate::run::RunId;

/// The key that tells a hook that the agent is already continuing because of a hook.
const ACTIVE: &str = "stop_hook_active";

/// HW616: the hook blocks although this key is set.
pub(super) fn check(at: &RunContext<'_>) -> Vec<Diagnostic> {
    let told = at.run.input.body.get(ACTIVE).and_then(serde_json::Value::as_bool) == Some(true);
    let blocks = matches!(at.run.output.vote, Vote::Block | Vote::Deny);
    if !told || !blocks || at.event.blockable_action.is_none() || at.code().is_some_and(|code| code != 0 && code != 2) {
        return Vec::new();
    }
    let end = match at.dialect.stop_cap(at.scene) {
        Some(cap) => format!("the agent goes round until block number {cap} ends it"),
        None => "the agent may never stop".to_owned(),
    };
    let says = format!("it blocks {} again with `{ACTIVE}: true`: {end}", at.event.name);
    let help = format!("let the agent stop when `{ACTIVE}` is true and nothing has changed since");
    vec![Diagnostic::error("HW616", says).with_help(help)]
}

/// HW617: the agent's limit on consecutive blocks.
pub(super) fn check_stop_cap(at: &FiringContext<'_>) -> Vec<(RunId, Diagnostic)> {
    let stops = at.event.fields.iter().any(|field| field.name == ACTIVE);
    let Some(cap) = at.dialect.stop_cap(at.scene).filter(|_| stops && at.outcome.blocked) else { return Vec::new() };
    let says = format!("block number {cap} in a row is passed over: the agent stops then, and no hook is told");
    let found = Diagnostic::info("HW617", says).with_help("count in the hook itself if it must not be passed over");
    let first = at.runs.iter().find(|run| at.outcome.decided_by.contains(&run.hook));
    first.map(|run| (run.run, found)).into_iter().collect()
}
