//! HW115: a hook that never runs because a later settings file has an equal one under the same matcher.

use std::collections::HashMap;

use super::super::plan::duplicate_key;
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::dialects::AgentContext;
use hookbench_base::hook::HookDefinition;

/// Reports the copies of a hook in other files than the last one. Only a time limit that the copies do not share makes a difference.
pub fn check(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let valid = || at.loaded.definitions.iter().filter(|one| one.is_valid());
    let last: HashMap<_, &HookDefinition> = valid().map(|one| (identity(one), one)).collect();
    let found = valid().filter_map(|one| {
        let file = |d: &HookDefinition| at.sources.path(d.provenance.span.source);
        let winner = last.get(&identity(one)).filter(|winner| file(winner) != file(one))?;
        let place = format!("{}:{}", winner.provenance.file, winner.provenance.line);
        let limit = if winner.timeout == one.timeout { "" } else { ", with its own timeout" };
        let says = format!("the same hook is in {place}; Claude Code runs only that copy{limit}");
        let found = Diagnostic::lowered(Code::HW115, Severity::Info, says).at(one.provenance.span);
        Some(found.with_help("delete one of the two"))
    });
    found.collect()
}

/// The event, the matcher, the agent or plugin that owns the hook, and the parts by which the agent recognizes equal hooks. A
/// hook of a subagent lives while it runs, so a copy elsewhere has a purpose.
fn identity(definition: &HookDefinition) -> (&str, String, Option<&str>, String) {
    let matcher = definition.matcher_text();
    let matcher = if matcher.is_empty() { "*".to_owned() } else { matcher };
    (&definition.event, matcher, definition.provenance.bundle.as_deref(), duplicate_key(definition))
}
