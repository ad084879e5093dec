//! The findings about a hook, and the finding that the fix command acts on.

use std::cmp::Reverse;

use crate::model::Model;
use hookbench_app::lint::Finding;
use hookbench_core::diagnostic::{Code, Severity};

/// The finding that the fix command acts on. If no hook runs, a mistake in a settings file comes before the mistakes of
/// the hooks.
pub fn fix_target(model: &Model) -> Option<&Finding> {
    let of_hooks = || hooks_in_view(model).iter().find_map(|hook| fix_of_hook(model, hook));
    let of_files = || {
        let report = model.session.problems().report.as_ref()?;
        let stops = |finding: &&Finding| {
            finding.agent == Some(model.session.bench().payload.agent)
                && finding.severity == Severity::Error
                && finding.hook.is_none()
                && finding.fix.is_some()
        };
        report.findings.iter().find(stops)
    };
    if model.session.hook_counts().fires == 0 { of_files().or_else(of_hooks) } else { of_hooks().or_else(of_files) }
}

/// The selected hook, the hooks that failed in the shown run, and the hooks that never run.
pub fn hooks_in_view(model: &Model) -> Vec<String> {
    let selected = model.definition().map(|definition| definition.id.clone());
    let failed = model.firing().into_iter().flat_map(|firing| firing.failed().map(|run| run.hook.clone()));
    let named = model.never_running().into_iter().map(|(definition, _)| definition.id.clone());
    selected.into_iter().chain(failed).chain(named).collect()
}

/// A finding with a fix for this hook of the agent on the bench.
fn fix_of_hook<'m>(model: &'m Model, hook: &str) -> Option<&'m Finding> {
    let agent = model.session.bench().payload.agent;
    let about = |finding: &&Finding| {
        finding.agent == Some(agent) && finding.fix.is_some() && finding.hook.as_ref().is_some_and(|at| at.id == hook)
    };
    let report = model.session.problems().report.as_ref()?;
    // The reason of a failed run comes first, then safe fixes, then proposals.
    let order =
        |finding: &&Finding| (finding.code != FAILED_TO_BLOCK, finding.fix.as_ref().is_none_or(|fix| !fix.safe));
    report.findings.iter().filter(about).min_by_key(order)
}

/// The code of the finding about an exit status that was meant to block.
pub const FAILED_TO_BLOCK: Code = Code::HW601;

/// The first of the worst findings about this hook of the agent on the bench.
pub fn finding_of_hook<'m>(model: &'m Model, hook: &str) -> Option<&'m Finding> {
    let about = |finding: &&Finding| {
        finding.agent == Some(model.session.bench().payload.agent)
            && finding.hook.as_ref().is_some_and(|at| at.id == hook)
    };
    let findings = &model.session.problems().report.as_ref()?.findings;
    findings.iter().filter(about).min_by_key(|finding| Reverse(finding.severity))
}
