//! HW616, HW617: hooks that keep an agent from stopping.

use super::{FiringContext, RunContext};
use crate::diagnostic::{Code, Diagnostic, Severity};
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
        Some(cap) => format!("the agent loops until it ignores block number {cap}"),
        None => "the agent may never stop".to_owned(),
    };
    let says = format!("the hook blocks {} again with `{ACTIVE}: true`: {end}", at.event.name);
    let help = format!("exit 0 when `{ACTIVE}` is true and nothing has changed since");
    vec![Diagnostic::new(Code::HW616, says).with_help(help)]
}

/// HW617: the agent's limit on consecutive blocks.
pub(super) fn check_stop_cap(at: &FiringContext<'_>) -> Vec<(RunId, Diagnostic)> {
    let stops = at.event.fields.iter().any(|field| field.name == ACTIVE);
    let Some(cap) = at.dialect.stop_cap(at.scene).filter(|_| stops && at.outcome.blocked) else { return Vec::new() };
    let says = format!("the agent ignores block number {cap} in a row and stops, and no hook learns of it");
    let found = Diagnostic::lowered(Code::HW617, Severity::Info, says)
        .with_help("count the blocks in the hook if the condition must hold");
    let first = at.runs.iter().find(|run| at.outcome.decided_by.contains(&run.hook));
    first.map(|run| (run.run, found)).into_iter().collect()
}
