//! Plans which hooks run and in which order, and explains why the others do not (spec §2, §4, §5). The hooks of an event
//! run one after another, those of both spellings in one firing; nothing is deduplicated.

use serde_json::Value;

use super::spelling::{self, main_spelling, native_tool, pascal_tool};
use super::{events, matcher, rules};
use crate::shared::assessment::{HookAssessment, skipped_entry};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition, Subject};
use hookbench_base::plan::{Plan, Reason, RungName, Schedule};

/// Returns the subject that matchers are compared with.
pub fn subject(event: &EventSpec, body: &Value) -> Subject {
    // An unconverted payload has the keys of its spelling.
    let spelled = |key: &str| body.get(key).or_else(|| body.get(spelling::camel_key(key)));
    let value = event.subject.and_then(spelled).and_then(Value::as_str);
    let aliases = value.map(|value| {
        let other = [native_tool(value), pascal_tool(value)];
        other.into_iter().filter(|name| *name != value).map(str::to_owned).collect()
    });
    Subject { value: value.map(str::to_owned), aliases: aliases.unwrap_or_default() }
}

/// Returns the plan of an event.
pub fn plan(scene: &Scene) -> Plan {
    let name = scene.input.event.as_str();
    let mut plan = Plan { schedule: Schedule::Sequential, ..Plan::default() };
    if events::by_name(name).is_none() {
        plan.notes.push(Diagnostic::new(Code::HW201, format!("Copilot CLI has no event {name}, so no hook runs")));
        return plan;
    }
    let mine: Vec<&HookDefinition> =
        scene.loaded.definitions.iter().filter(|d| main_spelling(&d.event) == main_spelling(name)).collect();
    if let Some(off) = scene.loaded.hooks_off.as_deref() {
        let why = |d: &HookDefinition| match d
            .rejection
            .as_ref()
            .filter(|rejection| rejection.rung < RungName::LayerActive)
        {
            Some(rejection) => (Reason::new(rejection.rule, rejection.message.clone()), rejection.rung),
            None => (Reason::new(rules::SWITCH_OFF, off), RungName::LayerActive),
        };
        plan.entries = mine
            .iter()
            .map(|d| {
                let (reason, rung) = why(d);
                skipped_entry(d, reason, rung)
            })
            .collect();
        return plan;
    }
    let assessments = mine.into_iter().map(|definition| assess(definition, &scene.input.subject));
    let (firing, others): (Vec<_>, Vec<_>) = assessments.partition(|one| one.stopped_at.is_none());
    plan.entries = (1..).zip(firing).map(|(order, one)| one.into_entry(Some(order))).collect();
    plan.entries.extend(others.into_iter().map(|one| one.into_entry(None)));
    plan
}

/// Assesses a definition by the rules of its spelling.
fn assess<'a>(definition: &'a HookDefinition, subject: &Subject) -> HookAssessment<'a> {
    if let Some(rejected) = HookAssessment::rejected(definition) {
        return rejected;
    }
    let Some(event) = events::by_name(&definition.event) else {
        let why = Reason::new(rules::CONFIG_UNKNOWN_EVENT, format!("Copilot CLI has no event {}", definition.event));
        return HookAssessment::stopped(definition, why, RungName::EventKnown);
    };
    let found = matcher::matches(event, definition.matcher.as_ref(), subject);
    let why = matcher::explain(event, &definition.matcher_text(), subject, &found);
    HookAssessment::matched(definition, found.hit(), why)
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::{plan_event, trusting};
    use crate::copilot::rules;
    use hookbench_base::plan::{RungName, Schedule, Selection};

    #[test]
    fn both_spellings_run_and_the_others_say_why() {
        let mut files = trusting();
        files.put(
            "/h/.copilot/hooks/h.json",
            r#"{"hooks": {
                "PreToolUse": [{"command": "b", "matcher": "Bash"}, {"command": "c", "matcher": "Read"}],
                "preToolUse": [{"command": "a"}, {"command": "a"}, {"command": "d", "matcher": "Bash"}, {"command": "e", "matcher": "*"}]
            }}"#,
        );
        let plan = plan_event("PreToolUse", &files);
        assert_eq!(plan.schedule, Schedule::Sequential);
        let fires: Vec<&str> = plan.firing().map(|entry| entry.hook.as_str()).collect();
        assert_eq!(fires, ["h1", "h2", "h5"]);
        let others: Vec<_> = plan
            .entries
            .iter()
            .filter(|entry| !matches!(entry.selection, Selection::Fires { .. }))
            .map(|entry| (entry.hook.as_str(), entry.why.rule, entry.failed_rung))
            .collect();
        let matcher = Some(RungName::Matcher);
        assert_eq!(
            others,
            [
                ("h3", rules::MATCHER_NEAR_MISS, matcher),
                ("h4", rules::MATCHER_INVALID, matcher),
                ("h6", rules::MATCHER_MISS, matcher),
            ]
        );
    }
}
