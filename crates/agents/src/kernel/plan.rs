//! The plan of an event: which hooks run, and why the others do not. Whether a hook matches is a rule of the agent.

use std::collections::HashMap;

use serde_json::Value;

use crate::shared::assessment::{HookAssessment, lost_plan};
use crate::shared::rules;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, Handler, HookDefinition};
use hookbench_base::names::RuleId;
use hookbench_base::plan::{Plan, Reason, RungName};
use hookbench_base::text::stringify;

/// Plans the hooks of an event in their configured order. `event` is `None` if the agent does not know it. `keep` gets the hooks
/// that match and returns those that run; it adds the others to the list of those that do not.
pub fn plan_in_order<'a>(
    scene: &'a Scene,
    agent: &str,
    event: Option<&EventSpec>,
    assess: impl Fn(&'a HookDefinition, &EventSpec) -> HookAssessment<'a>,
    keep: impl FnOnce(Vec<HookAssessment<'a>>, &mut Vec<HookAssessment<'a>>) -> Vec<HookAssessment<'a>>,
) -> Plan {
    let name = scene.input.event.as_str();
    let mut plan = Plan::default();
    let Some(event) = event else {
        plan.notes.push(Diagnostic::new(Code::HW201, format!("{agent} has no event {name}, so no hook runs")));
        return plan;
    };
    let mine: Vec<_> = scene.loaded.definitions.iter().filter(|definition| definition.event == name).collect();
    if let Some(refused) = &scene.loaded.refusal {
        return lost_plan(plan, &mine, Reason::new(rules::CONFIG_FATAL, refused.message.clone()), RungName::Parsed);
    }
    let assessed = |one| HookAssessment::rejected(one).unwrap_or_else(|| assess(one, event));
    let (firing, mut others): (Vec<_>, Vec<_>) =
        mine.into_iter().map(assessed).partition(|one| one.stopped_at.is_none());
    let firing = keep(firing, &mut others);
    plan.entries = (1..).zip(firing).map(|(order, one)| one.into_entry(Some(order))).collect();
    plan.entries.extend(others.into_iter().map(|one| one.into_entry(None)));
    plan
}

/// A hook whose matcher was tested and that has a condition on the call. `holds` is `None` if that is unknown.
pub fn with_condition(matched: HookAssessment<'_>, holds: impl FnOnce(&str) -> Option<bool>) -> HookAssessment<'_> {
    let definition = matched.definition;
    let Some(rule) = definition.condition.as_deref().filter(|_| matched.stopped_at.is_none()) else { return matched };
    match holds(rule) {
        Some(true) => matched,
        Some(false) => {
            let says = format!("its condition \"{rule}\" does not match this call");
            HookAssessment::stopped(definition, Reason::new(rules::CONDITION_FALSE, says), RungName::Condition)
        }
        None => {
            let says = format!("whether its condition \"{rule}\" matches this call is unknown");
            HookAssessment::matched(definition, None, (Reason::new(rules::CONDITION_UNKNOWN, says), Vec::new()))
        }
    }
}

/// The command of a hook, for agents that run each command once.
pub fn command_identity(definition: &HookDefinition) -> Option<(Value, &str)> {
    match &definition.handler {
        Handler::Command(command) => Some((Value::from(command.command.as_str()), "command")),
        _ => None,
    }
}

/// Drops later hooks with the same identity, whatever their matchers are, and returns the others.
pub fn drop_duplicates<'a>(
    firing: Vec<HookAssessment<'a>>,
    identity: impl Fn(&HookDefinition) -> Option<(Value, &str)>,
    duplicate: RuleId,
    dropped: &mut Vec<HookAssessment<'a>>,
) -> Vec<HookAssessment<'a>> {
    let mut kept: Vec<HookAssessment<'_>> = Vec::new();
    // Indexed by the text of the keys: equal keys have equal texts.
    let mut known: HashMap<String, Vec<(Value, usize)>> = HashMap::new();
    for mut hook in firing {
        let Some((key, kind)) = identity(hook.definition) else {
            kept.push(hook);
            continue;
        };
        let alike = known.entry(stringify(&key)).or_default();
        let first = alike.iter().find(|(other, _)| *other == key).and_then(|(_, at)| kept.get(*at));
        let Some(first) = first else {
            alike.push((key, kept.len()));
            kept.push(hook);
            continue;
        };
        let at = &first.definition.provenance;
        let place = format!("{}, {}:{}", at.layer.word(), at.file, at.line);
        hook.why = Reason::new(duplicate, format!("the same {kind} already runs for this event ({place})"));
        hook.stopped_at = Some(RungName::Started);
        hook.nearest = Vec::new();
        dropped.push(hook);
    }
    kept
}
