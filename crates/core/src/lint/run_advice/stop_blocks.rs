//! HW616, HW617: hooks that keep an agent from stopping.

use hookbench_script::{Given, Grammar, ScriptModel};

use super::RunContext;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::output::Vote;

/// The key that tells a hook that the agent is already continuing because of a hook.
const ACTIVE: &str = "stop_hook_active";

/// Programs that a line uses to build or to read JSON.
const JSON_TOOLS: [&str; 3] = ["jq", "gojq", "jaq"];

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

/// HW617: the agent's limit on consecutive blocks, of which a hook that does not look at this key learns nothing. Whether a
/// program looks at it is not known.
pub(super) fn check_stop_cap(at: &RunContext<'_>) -> Vec<Diagnostic> {
    let stops = at.event.fields.iter().any(|field| field.name == ACTIVE);
    let blocks = matches!(at.run.output.vote, Vote::Block | Vote::Deny);
    let Some(cap) = at.dialect.stop_cap(at.scene).filter(|_| stops && blocks && at.awaited()) else {
        return Vec::new();
    };
    let text = at.text();
    if text.contains(ACTIVE) || at.facts.script.is_none() && starts_programs(&text) {
        return Vec::new();
    }
    let says = format!("the agent ignores block number {cap} in a row and stops, and no hook learns of it");
    let help = "count the blocks in the hook if the condition must hold";
    vec![Diagnostic::lowered(Code::HW617, Severity::Info, says).with_help(help)]
}

/// Whether a command line starts a program that may read its input.
fn starts_programs(line: &str) -> bool {
    let Some(model) = ScriptModel::parse(line, Grammar::Shell) else { return true };
    model.walk(&Given::default()).started.iter().any(|one| !JSON_TOOLS.contains(&one.program.as_str()))
}
