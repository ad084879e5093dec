//! The plan of an event: which hooks run, and in which order.

use crate::shared::gemini_fork::rules;
use serde_json::Value;

use crate::kernel::plan::drop_duplicates;
use crate::shared::assessment::{HookAssessment, lost_plan, skipped_entry, sort_like};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::plan::{Plan, Reason, RungName, Schedule};

/// Returns the value that matchers are compared with.
pub fn subject_value(event: &EventSpec, body: &Value) -> Option<String> {
    event.subject.and_then(|key| body.get(key)).and_then(Value::as_str).map(str::to_owned)
}

/// Plans the hooks of a known event. `refusal` is why the agent does not start. Hooks run in the order of `rank`; of
/// those with the same `identity`, which is a key and a noun for the hook, only the first runs.
#[must_use]
pub fn plan_hooks<'a, R: Ord>(
    mut plan: Plan,
    scene: &'a Scene,
    refusal: Option<String>,
    assess: impl Fn(&'a HookDefinition) -> HookAssessment<'a>,
    rank: impl Fn(&HookDefinition) -> R,
    identity: impl Fn(&HookDefinition) -> Option<(Value, &str)>,
) -> Plan {
    let event = scene.input.event.as_str();
    let mine: Vec<&HookDefinition> = scene.loaded.definitions.iter().filter(|d| d.event == event).collect();
    if let Some(refusal) = refusal {
        return lost_plan(plan, &mine, Reason::new(rules::CONFIG_FATAL, refusal), RungName::Parsed);
    }
    if let Some(off) = scene.loaded.hooks_off.as_deref() {
        plan.entries =
            mine.iter().map(|d| skipped_entry(d, Reason::new(rules::SWITCH_OFF, off), RungName::LayerActive)).collect();
        return plan;
    }
    let assessments: Vec<HookAssessment<'_>> = mine.iter().map(|d| assess(d)).collect();
    if let Some(bad) = assessments.iter().find(|a| a.why.rule == rules::MATCHER_NOT_TEXT) {
        let at = &bad.definition.provenance;
        let says = format!(
            "the matcher in {}:{} is not a string, so the agent throws an error and loses every hook of {event}",
            at.file, at.line
        );
        return lost_plan(plan, &mine, Reason::new(rules::MATCHER_NOT_TEXT, says), RungName::Matcher);
    }
    let (mut firing, mut rest): (Vec<_>, Vec<_>) = assessments.into_iter().partition(|a| a.stopped_at.is_none());
    // The sort is stable: within a rank the order of registration stays.
    firing.sort_by_key(|a| rank(a.definition));
    let kept = drop_duplicates(firing, identity, rules::PLAN_DUPLICATE, &mut rest);
    let sequential = kept.iter().any(|a| a.definition.group.get("sequential") == Some(&Value::Bool(true)));
    plan.schedule = if sequential { Schedule::Sequential } else { Schedule::Parallel };
    sort_like(&mut rest, &mine);
    plan.entries = (1..).zip(kept).map(|(order, a)| a.into_entry(Some(order))).collect();
    plan.entries.extend(rest.into_iter().map(|a| a.into_entry(None)));
    plan
}
