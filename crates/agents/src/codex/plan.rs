//! Plans which hooks run and in which order, and explains why the others do not (spec §2, §4, §5.2). All hooks of
//! an event start at the same time; a hook that is written twice runs twice.

use crate::codex::rules;
use serde_json::Value;

use super::{events, matcher, tools};
use crate::shared::assessment::skipped_entry;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition, Subject};
use hookbench_base::plan::{Loss, Plan, PlanEntry, Reason, RungName, Selection};

/// Returns the subject that matchers are compared with.
pub fn subject(event: &EventSpec, body: &Value) -> Subject {
    let value = event.subject.and_then(|key| body.get(key)).and_then(Value::as_str).map(str::to_owned);
    let aliases = match &value {
        Some(tool) if event.subject == Some("tool_name") => tools::aliases(tool),
        _ => Vec::new(),
    };
    Subject { value, aliases }
}

/// Returns the plan of an event.
pub fn plan(scene: &Scene) -> Plan {
    let name = scene.input.event.as_str();
    let mut plan = Plan::default();
    let Some(event) = events::EVENTS.by_name(name) else {
        plan.notes.push(Diagnostic::new(Code::HW201, format!("Codex has no event {name}, so no hook runs")));
        return plan;
    };
    let mine: Vec<&HookDefinition> = scene.loaded.definitions.iter().filter(|d| d.event == name).collect();
    if let Some(refusal) = &scene.loaded.refusal {
        let why = Reason::new(rules::CONFIG_FATAL, format!("Codex does not start: {}", refusal.message));
        plan.entries = mine.iter().map(|d| skip_for_all(d, &why, RungName::Parsed)).collect();
        plan.lost = Some(Loss { why });
        return plan;
    }
    if let Some(off) = scene.loaded.hooks_off.as_deref() {
        let why = Reason::new(rules::SWITCH_OFF, off);
        plan.entries = mine.iter().map(|d| skip_for_all(d, &why, RungName::LayerActive)).collect();
        return plan;
    }
    let mut order = 0;
    let judged = mine.iter().map(|definition| {
        let mut entry = assess(definition, event, scene);
        if entry.failed_rung.is_none() {
            order += 1;
            entry.selection = Selection::Fires { order };
        }
        entry
    });
    let (firing, others): (Vec<_>, Vec<_>) = judged.partition(|entry| entry.failed_rung.is_none());
    plan.entries = firing.into_iter().chain(others).collect();
    plan
}

/// Skips a hook for a reason that applies to all, unless the hook has a reason of an earlier rung.
fn skip_for_all(definition: &HookDefinition, why: &Reason, rung: RungName) -> PlanEntry {
    match definition.rejection.as_ref().filter(|refused| refused.rung < rung) {
        Some(refused) => skipped_entry(definition, Reason::new(refused.rule, refused.message.clone()), refused.rung),
        None => skipped_entry(definition, why.clone(), rung),
    }
}

fn assess(definition: &HookDefinition, event: &EventSpec, scene: &Scene) -> PlanEntry {
    if let Some(refused) = &definition.rejection {
        return skipped_entry(definition, Reason::new(refused.rule, refused.message.clone()), refused.rung);
    }
    let subject = &scene.input.subject;
    let text = definition.matcher.as_ref().and_then(Value::as_str);
    let found = matcher::matches(event.subject.is_some(), text, subject);
    let (why, nearest) = matcher::explain(event, text, subject, &found);
    let fell_at = (!found.hit()).then_some(RungName::Matcher);
    PlanEntry { hook: definition.id.clone(), selection: Selection::Skipped, why, failed_rung: fell_at, nearest }
}

#[cfg(test)]
mod tests {
    use super::super::AGENT;
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::kernel::test::summary;
    use hookbench_base::config::{MemoryFiles, Place};
    use hookbench_base::dialects::Version;
    use hookbench_base::hook::HookInput;
    use hookbench_base::plan::Schedule;

    /// Returns the order of each hook that fires; for the others, the rule and the rung.
    type PlanSummary = (Vec<String>, Vec<(String, hookbench_base::names::RuleId, Option<RungName>)>);

    fn planned(files: &[(&str, &str)]) -> (Plan, PlanSummary) {
        let mut memory = MemoryFiles::default();
        for (path, text) in files {
            memory.put(*path, text);
        }
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let version = Version::new(0, 169, 0);
        let event = events::EVENTS.by_name("PreToolUse").unwrap();
        let body = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash"});
        let input = HookInput { event: event.name.to_owned(), subject: subject(event, &body), body };
        let loaded = AGENT.load(&place, &memory, &version);
        let plan = plan(&Scene::new(input, loaded, Arc::new(place), version));
        let (_, fires, others) = summary(&plan);
        (plan, (fires, others))
    }

    const USER: &str = "/h/.codex/config.toml";
    const ADMIN: &str = "/etc/codex/requirements.toml";
    /// Hooks that need no review.
    const SOME: &str = "[[hooks.PreToolUse]]\nmatcher = 'bash'\nhooks = [{type = 'command', command = 'a'}]\n\
                        [[hooks.PreToolUse]]\nhooks = [{type = 'command', command = 'b'}, {type = 'command', command = 'b'}]\n";

    #[test]
    fn all_start_together_and_as_often_as_they_are_written() {
        let (plan, planned) = planned(&[(ADMIN, SOME)]);
        let near = ("h1".to_owned(), rules::MATCHER_NEAR_MISS, Some(RungName::Matcher));
        assert_eq!(planned, (vec!["h2".to_owned(), "h3".to_owned()], vec![near]));
        assert_eq!((plan.schedule, plan.budget), (Schedule::Parallel, None));
    }

    #[test]
    fn why_not() {
        let one = "[[hooks.PreToolUse]]\nhooks = [{type = 'command', command = 'a'}]\n";
        let state = |state: &str| format!("{one}[hooks.state.'{USER}:pre_tool_use:0:0']\n{state}\n");
        for (files, rule, rung) in [
            (vec![(USER, one.to_owned())], rules::TRUST_NEW, RungName::Trusted),
            (vec![(USER, state("trusted_hash = 'sha256:0'"))], rules::TRUST_CHANGED, RungName::Trusted),
            (vec![(USER, state("enabled = false"))], rules::STATE_DISABLED, RungName::LayerActive),
            (
                vec![(ADMIN, one.to_owned()), (USER, "[features]\nhooks = false".to_owned())],
                rules::SWITCH_OFF,
                RungName::LayerActive,
            ),
            (vec![(ADMIN, one.to_owned()), (USER, "hooks = 1".to_owned())], rules::CONFIG_FATAL, RungName::Parsed),
            (vec![("/p/.codex/config.toml", one.to_owned())], rules::TRUST_PROJECT, RungName::Trusted),
            (
                vec![(ADMIN, "[[hooks.PreToolUse]]\nhooks = [{type = 'agent'}]".to_owned())],
                rules::CONFIG_SKIPPED,
                RungName::Command,
            ),
        ] {
            let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
            let want = (Vec::new(), vec![("h1".to_owned(), rule, Some(rung))]);
            assert_eq!(planned(&files).1, want, "{files:?}");
        }
    }
}
