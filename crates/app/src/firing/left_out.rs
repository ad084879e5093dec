//! Hooks that the agent would run and that a firing leaves out.

use hookbench_core::config::LoadedConfig;
use hookbench_core::hook::HookDefinition;
use hookbench_core::install::is_forward;
use hookbench_core::names::RuleId;
use hookbench_core::plan::{Plan, PlanEntry, Reason, RungName, Selection};

/// The rule id of a hook that is left out of a firing.
pub const LEFT_OUT: RuleId = RuleId::new("plan.left-out");

/// Leaves a hook out of a firing.
pub(crate) fn leave_out(entry: &mut PlanEntry, why: &str) {
    entry.selection = Selection::Skipped;
    entry.why = Reason::new(LEFT_OUT, why);
    entry.failed_rung = Some(RungName::LayerActive);
}

/// Leaves hookbench's own hooks out of a firing: they would record a test as an event of the agent.
pub(crate) fn leave_out_forwarding(plan: &mut Plan, loaded: &LoadedConfig) {
    let fires = plan.entries.iter_mut().filter(|entry| matches!(entry.selection, Selection::Fires { .. }));
    for entry in fires.filter(|entry| loaded.definition(&entry.hook).is_some_and(is_forwarding)) {
        leave_out(entry, "hookbench's own hook; it would record this test as an event of the agent");
    }
}

/// Returns whether a hook forwards events to hookbench.
pub fn is_forwarding(definition: &HookDefinition) -> bool {
    is_forward(&definition.handler.text(), "")
}
