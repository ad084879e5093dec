//! Plans which hooks run: one after the other, by priority.

use serde_json::Value;

use super::matcher::MatchOutcome;
use super::{events, matcher, rules, tools};
use crate::shared::assessment::{HookAssessment, skipped_entry};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition, Subject};
use hookbench_base::plan::{Plan, PlanEntry, Reason, RungName, Schedule};

/// Returns the subject that matchers are compared with.
pub fn subject(event: &EventSpec, body: &Value) -> Subject {
    let value = event.subject.and_then(|key| body.get(key)).and_then(Value::as_str).map(str::to_owned);
    let aliases = value.as_deref().map(tools::aliases).unwrap_or_default();
    Subject { value, aliases }
}

/// Returns the plan of an event.
pub fn plan(scene: &Scene) -> Plan {
    let name = scene.input.event.as_str();
    let mut plan = Plan { schedule: Schedule::Sequential, ..Plan::default() };
    let Some(event) = events::EVENTS.by_name(name) else {
        plan.notes.push(Diagnostic::new(Code::HW201, format!("the documents have no event {name}, so no hook runs")));
        return plan;
    };
    let mut mine: Vec<&HookDefinition> = scene.loaded.definitions.iter().filter(|d| d.event == name).collect();
    // Equal priorities keep the order of the files.
    mine.sort_by(|a, b| priority(a).total_cmp(&priority(b)));
    if let Some(off) = scene.loaded.hooks_off.as_deref() {
        let why = Reason::new(rules::SWITCH_OFF, off);
        plan.entries = mine.iter().map(|d| skipped_entry(d, why.clone(), RungName::LayerActive)).collect();
        return plan;
    }
    let mut order = 0;
    let judged = mine.into_iter().map(|definition| assess(definition, event, scene));
    let entries = judged.map(|assessed| {
        order += u32::from(assessed.stopped_at.is_none());
        let place = assessed.stopped_at.is_none().then_some(order);
        assessed.into_entry(place)
    });
    let (firing, others): (Vec<PlanEntry>, Vec<PlanEntry>) = entries.partition(|entry| entry.failed_rung.is_none());
    plan.entries = firing.into_iter().chain(others).collect();
    plan
}

/// The priority of a definition; the lowest runs first.
pub fn priority(definition: &HookDefinition) -> f64 {
    definition.raw.get("priority").and_then(Value::as_f64).filter(|number| number.is_finite()).unwrap_or(0.0)
}

fn assess<'a>(definition: &'a HookDefinition, event: &EventSpec, scene: &Scene) -> HookAssessment<'a> {
    if let Some(rejected) = HookAssessment::rejected(definition) {
        return rejected;
    }
    let matcher = definition.matcher.as_ref();
    let found = matcher::matches(event, matcher, &scene.input.subject);
    let tool = scene.input.subject.value.as_deref().unwrap_or("the event");
    let text = definition.matcher_text();
    let (why, nearest) = match &found {
        MatchOutcome::Ignored => (Reason::new(rules::MATCHER_NO_SUBJECT, "the event has nothing to match"), Vec::new()),
        MatchOutcome::Everything => (Reason::new(rules::MATCHER_EVERYTHING, "it matches everything"), Vec::new()),
        MatchOutcome::Name(name) if name == tool => {
            (Reason::new(rules::MATCHER_NAME, format!("\"{name}\" is the tool")), Vec::new())
        }
        MatchOutcome::Name(name) => {
            (Reason::new(rules::MATCHER_NAME, format!("\"{name}\" is another name of {tool}")), Vec::new())
        }
        MatchOutcome::Miss => miss(&text, tool, matcher),
    };
    HookAssessment::matched(definition, Some(found.hit()), (why, nearest))
}

/// Explains a miss, with the names that were probably meant.
fn miss(text: &str, tool: &str, matcher: Option<&Value>) -> (Reason, Vec<String>) {
    let names = matcher::names(matcher).unwrap_or_default();
    if let Some(pattern) = names.iter().find(|name| matcher::is_pattern(name)) {
        let says = format!("\"{pattern}\" is compared as a name; these matchers are not patterns");
        return (Reason::new(rules::MATCHER_NEAR_MISS, says), vec![tool.to_owned()]);
    }
    let similar = names.iter().find_map(|name| Some((name, tools::by_similar_name(name)?)));
    match similar.filter(|(_, known)| known.id == tool) {
        Some((name, known)) => {
            let says = format!("\"{name}\" is not exactly the name {}", known.id);
            (Reason::new(rules::MATCHER_NEAR_MISS, says), vec![known.id.to_owned()])
        }
        None => (Reason::new(rules::MATCHER_MISS, format!("\"{text}\" does not name {tool}")), Vec::new()),
    }
}
