//! Plans which hooks run and in which order, and explains why the others do not (spec §3).

use crate::qwen_code::rules;
use std::time::Duration;

use serde_json::Value;

use super::front_matter::{AGENT, SKILL};
use super::registry::{RegistrySource, plan_key};
use super::version_behaviour::{self, MatcherRule};
use super::{events, matcher, matcher_advice, tools};
use crate::shared::assessment::HookAssessment;
use crate::shared::gemini_fork::plan::{plan_hooks, subject_value};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::{Scene, Version};
use hookbench_base::hook::{EventSpec, HookDefinition, HookInput, Subject};
use hookbench_base::plan::{Plan, Reason, RungName};
use hookbench_base::text::truthy;

/// Returns the subject that matchers are compared with.
pub fn subject(event: &EventSpec, body: &Value, version: &Version) -> Subject {
    let value = subject_value(event, body);
    let knows_aliases = version_behaviour::for_version(version).matcher == MatcherRule::NamesThenPattern;
    let aliases = match &value {
        Some(tool) if knows_aliases && events::has_tool_subject(event.name) => tools::aliases(tool),
        _ => Vec::new(),
    };
    Subject { value, aliases }
}

/// Returns the time limit for all hooks of an event together; `None` if only each hook's own timeout applies (spec
/// §6.5).
pub fn budget(event: &str) -> Option<Duration> {
    match event {
        "PostToolBatch" => Some(Duration::from_secs(15)),
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" | "Notification"
        | "MessageDisplay" | "UserPromptSubmit" | "Stop" => Some(Duration::from_secs(60)),
        _ => None,
    }
}

/// Returns the plan of an event.
pub fn plan(scene: &Scene) -> Plan {
    let event_name = scene.input.event.as_str();
    let mut plan = Plan { budget: budget(event_name), ..Plan::default() };
    let Some(event) = events::EVENTS
        .by_name(event_name)
        .filter(|e| events::is_known(version_behaviour::for_version(&scene.version), e.name))
    else {
        plan.notes
            .push(Diagnostic::new(Code::HW201, format!("this version has no event {event_name}, so no hook runs")));
        return plan;
    };
    let refusal = scene.loaded.refusal.as_ref().map(|refusal| format!("the agent does not start: {}", refusal.message));
    let rank = |d: &HookDefinition| RegistrySource::from_layer(d.provenance.layer);
    plan_hooks(plan, scene, refusal, |d| assess(d, event, scene), rank, identity)
}

/// Returns the key of duplicates: name and command, whatever the other keys are.
fn identity(definition: &HookDefinition) -> Option<(Value, &str)> {
    Some((plan_key(definition)?, definition.handler.kind()))
}

fn assess<'a>(definition: &'a HookDefinition, event: &EventSpec, scene: &Scene) -> HookAssessment<'a> {
    if let Some(rejected) = HookAssessment::rejected(definition) {
        return rejected;
    }
    let rule = version_behaviour::for_version(&scene.version).matcher;
    let subject = &scene.input.subject;
    let found = matcher::matches(rule, event.name, definition.matcher.as_ref(), subject);
    let why = matcher_advice::explain(rule, event, &definition.matcher_text(), subject, &found);
    let assessment = HookAssessment::matched(definition, found.hit(), why);
    if assessment.stopped_at.is_some() {
        return assessment;
    }
    let stopped = |rule, says| HookAssessment::stopped(definition, Reason::new(rule, says), RungName::LayerActive);
    match registration(definition, &scene.input) {
        Registration::Active => assessment,
        Registration::Inactive(says) => stopped(rules::SESSION_NOT_REGISTERED, says),
        Registration::Unknown(says) => HookAssessment { unknown: true, ..stopped(rules::SESSION_UNKNOWN, says) },
    }
}

enum Registration {
    Active,
    Inactive(String),
    Unknown(String),
}

/// Returns whether the sub-agent or skill that registers a definition is active (spec §10). The payload of an
/// event inside a sub-agent names it; no payload names a loaded skill.
fn registration(definition: &HookDefinition, input: &HookInput) -> Registration {
    let bundle = definition.provenance.bundle.as_deref().unwrap_or("");
    if let Some(skill) = bundle.strip_prefix(SKILL) {
        return Registration::Unknown(format!(
            "runs only after the skill {skill} was loaded in the session, which the payload does not show"
        ));
    }
    let Some(agent) = bundle.strip_prefix(AGENT) else { return Registration::Active };
    let text = |key: &str| input.body.get(key).and_then(Value::as_str);
    let by_id = text("agent_id").and_then(|id| id.strip_prefix(agent)).is_some_and(|rest| rest.starts_with('-'));
    if by_id || text("agent_type") == Some(agent) {
        return Registration::Active;
    }
    Registration::Inactive(format!(
        "exists only while the sub-agent {agent} runs, but this event does not come from it"
    ))
}

/// Returns the payload keys that the plan reads for a definition: those that show whether the event is inside its
/// sub-agent.
pub fn reads(definition: &HookDefinition) -> Vec<&'static str> {
    let inside = definition.provenance.bundle.as_deref().is_some_and(|bundle| bundle.starts_with(AGENT));
    if inside { vec!["/agent_id", "/agent_type"] } else { Vec::new() }
}

/// Returns whether the definition is registered for this payload; `None` if unknown.
pub fn holds(definition: &HookDefinition, input: &HookInput) -> Option<bool> {
    match registration(definition, input) {
        Registration::Active => Some(true),
        Registration::Inactive(_) => Some(false),
        Registration::Unknown(_) => None,
    }
}

/// Returns a definition's position, from 0, among the hooks of its plan that pass `filter`.
pub fn rank(definition: &HookDefinition, scene: &Scene, filter: impl Fn(&HookDefinition) -> bool) -> usize {
    let plan = plan(scene);
    let before = plan.firing().take_while(|e| e.hook != definition.id);
    before.filter_map(|e| scene.loaded.definition(&e.hook)).filter(|d| filter(d)).count()
}

/// Returns whether an HTTP hook is sent only once.
pub fn runs_once(definition: &HookDefinition) -> bool {
    definition.raw.get("once").is_some_and(truthy)
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::plan;
    use crate::kernel::test::{PlanSummary, summary};
    use crate::qwen_code::rules;
    use hookbench_base::config::MemoryFiles;
    use hookbench_base::plan::{RungName, Schedule};
    use serde_json::{Value, json};

    fn planned(files: &[(&str, Value)]) -> PlanSummary {
        let mut memory = MemoryFiles::default();
        for (path, value) in files {
            memory.put(*path, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        summary(&plan("PreToolUse", &memory))
    }

    #[allow(clippy::needless_pass_by_value, reason = "the cases read better")]
    fn settings(groups: Value) -> Value {
        json!({"hooks": {"PreToolUse": groups}})
    }

    fn command(text: &str) -> Value {
        json!({"type": "command", "command": text})
    }

    const PROJECT: &str = "/p/.qwen/settings.json";
    const USER: &str = "/h/.qwen/settings.json";
    const SYSTEM: &str = "/etc/qwen-code/settings.json";

    #[test]
    fn sources_are_sorted_and_repetitions_dropped() {
        let layered = planned(&[
            (SYSTEM, settings(json!([{"sequential": true, "hooks": [command("s")]}]))),
            (USER, settings(json!([{"hooks": [command("u"), command("p")]}]))),
            (
                PROJECT,
                settings(
                    json!([{"matcher": "Bash", "hooks": [command("p"), command("p")]}, {"matcher": "run_.*", "hooks": [command("p")]}]),
                ),
            ),
        ]);
        // Registered as: h1 system, h2 and h3 user, h4 to h6 project.
        let others = vec![
            ("h3".to_owned(), rules::PLAN_DUPLICATE, Some(RungName::Started)),
            ("h5".to_owned(), rules::REGISTRY_DUPLICATE, Some(RungName::Started)),
            ("h6".to_owned(), rules::PLAN_DUPLICATE, Some(RungName::Started)),
        ];
        assert_eq!(layered, (Schedule::Sequential, vec!["h4".to_owned(), "h2".to_owned(), "h1".to_owned()], others));
    }

    #[test]
    fn why_not() {
        let hook = json!([command("x")]);
        for (files, rule, rung) in [
            (
                vec![(PROJECT, settings(json!([{"matcher": "bash", "hooks": hook}])))],
                rules::MATCHER_NEAR_MISS,
                RungName::Matcher,
            ),
            (
                vec![(PROJECT, settings(json!([{"matcher": "[", "hooks": hook}])))],
                rules::MATCHER_INVALID,
                RungName::Matcher,
            ),
            (
                vec![(PROJECT, settings(json!([{"matcher": ["Bash"], "hooks": hook}])))],
                rules::MATCHER_NOT_TEXT,
                RungName::Matcher,
            ),
            (
                vec![(PROJECT, settings(json!([{"hooks": [{"type": "Command", "command": "x"}]}])))],
                rules::CONFIG_INVALID_HOOK,
                RungName::Command,
            ),
            (
                vec![(PROJECT, settings(json!([{"hooks": hook}]))), (USER, json!({"disableAllHooks": 1}))],
                rules::SWITCH_OFF,
                RungName::LayerActive,
            ),
            (
                vec![
                    (PROJECT, settings(json!([{"hooks": hook}]))),
                    (USER, json!({"security": {"folderTrust": {"enabled": true}}})),
                ],
                rules::TRUST_UNTRUSTED,
                RungName::Trusted,
            ),
            (
                vec![(PROJECT, settings(json!([{"hooks": hook}]))), (USER, json!("{"))],
                rules::CONFIG_FATAL,
                RungName::Parsed,
            ),
            (
                vec![(
                    "/h/.qwen/extensions/e/qwen-extension.json",
                    json!({"name": "e", "hooks": {"PreToolUse": [{"hooks": hook}, null]}}),
                )],
                rules::EXTENSION_POISONED,
                RungName::Parsed,
            ),
            (
                vec![
                    (
                        "/h/.qwen/extensions/e/qwen-extension.json",
                        json!({"name": "e", "hooks": {"PreToolUse": [{"hooks": hook}]}}),
                    ),
                    ("/h/.qwen/extensions/extension-enablement.json", json!({"e": {"overrides": ["!/p/*"]}})),
                ],
                rules::EXTENSION_OFF,
                RungName::LayerActive,
            ),
            (
                vec![(
                    "/p/.qwen/agents/a.md",
                    json!(
                        "---\nname: a\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: x\n---\n"
                    ),
                )],
                rules::SESSION_NOT_REGISTERED,
                RungName::LayerActive,
            ),
            (
                vec![(
                    "/p/.qwen/skills/s/SKILL.md",
                    json!(
                        "---\nname: s\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: x\n---\n"
                    ),
                )],
                rules::SESSION_UNKNOWN,
                RungName::LayerActive,
            ),
        ] {
            let (_, fires, others) = planned(&files);
            assert_eq!((fires, others), (Vec::new(), vec![("h1".to_owned(), rule, Some(rung))]), "{files:?}");
        }
    }

    #[test]
    fn a_bad_matcher_loses_the_whole_event() {
        let bad = settings(json!([{"matcher": {"a": 1}, "hooks": [command("x")]}, {"hooks": [command("y")]}]));
        let mut memory = MemoryFiles::default();
        memory.put(PROJECT, bad.to_string());
        let plan = plan("PreToolUse", &memory);
        assert_eq!(plan.lost.map(|l| l.why.rule), Some(rules::MATCHER_NOT_TEXT));
        assert_eq!(plan.entries.len(), 2);
    }
}
