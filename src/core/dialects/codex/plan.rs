//! Who runs, in what order, and for everything else why not (spec §2, §4, §5.2): all hooks of an event start together,
//! each as often as it is written.

use serde_json::Value;

use super::switches::OFF;
use super::{events, explain, matcher, tools};
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Scene;
use crate::core::hook::{EventSpec, HookDefinition, Subject};
use crate::core::plan::{Loss, Plan, PlanEntry, RungName, Selection, Why};

/// What matchers look at.
pub fn subject(event: &EventSpec, body: &Value) -> Subject {
    let value = event.subject.and_then(|key| body.get(key)).and_then(Value::as_str).map(str::to_owned);
    let aliases = match &value {
        Some(tool) if event.subject == Some("tool_name") => tools::aliases(tool),
        _ => &[],
    };
    Subject { value, aliases: aliases.iter().map(|a| (*a).to_owned()).collect() }
}

/// The plan of an event.
pub fn plan(scene: &Scene) -> Plan {
    let name = scene.input.event.as_str();
    let mut plan = Plan::default();
    let Some(event) = events::by_name(name) else {
        plan.notes.push(Diagnostic::error("HW201", format!("Codex has no event {name}, so nothing runs")));
        return plan;
    };
    let mine: Vec<&HookDefinition> = scene.loaded.definitions.iter().filter(|d| d.event == name).collect();
    if let Some(refusal) = &scene.loaded.refused {
        let why = Why::new("config.fatal", format!("Codex does not start: {}", refusal.says));
        plan.entries = mine.iter().map(|d| of_all(d, &why, RungName::Parsed)).collect();
        plan.lost = Some(Loss { why });
        return plan;
    }
    if let Some(off) = scene.loaded.settings.get(OFF).and_then(Value::as_str) {
        let why = Why::new("switch.off", off);
        plan.entries = mine.iter().map(|d| of_all(d, &why, RungName::LayerActive)).collect();
        return plan;
    }
    let mut order = 0;
    let judged = mine.iter().map(|definition| {
        let mut entry = judge(definition, event, scene);
        if entry.fell_at.is_none() {
            order += 1;
            entry.selection = Selection::Fires { order };
        }
        entry
    });
    let (firing, others): (Vec<_>, Vec<_>) = judged.partition(|entry| entry.fell_at.is_none());
    plan.entries = firing.into_iter().chain(others).collect();
    plan
}

fn skipped(definition: &HookDefinition, why: Why, rung: RungName) -> PlanEntry {
    let hook = definition.id.clone();
    PlanEntry { hook, selection: Selection::Skipped, why, fell_at: Some(rung), nearest: Vec::new() }
}

/// What holds for all, unless a hook has a reason of its own that comes first.
fn of_all(definition: &HookDefinition, why: &Why, rung: RungName) -> PlanEntry {
    match definition.refused.as_ref().filter(|refused| refused.rung < rung) {
        Some(refused) => skipped(definition, Why::new(refused.rule, refused.says.clone()), refused.rung),
        None => skipped(definition, why.clone(), rung),
    }
}

fn judge(definition: &HookDefinition, event: &EventSpec, scene: &Scene) -> PlanEntry {
    if let Some(refused) = &definition.refused {
        return skipped(definition, Why::new(refused.rule, refused.says.clone()), refused.rung);
    }
    let subject = &scene.input.subject;
    let text = definition.matcher.as_ref().and_then(Value::as_str);
    let found = matcher::matches(event.subject.is_some(), text, subject);
    let (why, nearest) = explain::explain(event, text, subject, &found);
    let fell_at = (!found.hit()).then_some(RungName::Matcher);
    PlanEntry { hook: definition.id.clone(), selection: Selection::Skipped, why, fell_at, nearest }
}
