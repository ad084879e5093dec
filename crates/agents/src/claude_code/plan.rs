//! Selection of the hooks that run (spec §5): those whose matcher and `if` match, the last one of duplicates, all
//! in parallel.

use crate::claude_code::rules;
use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;

use super::formats::SESSION_END_LIMITS;
use super::matcher::{self, MatchOutcome};
use super::skills::{self, SkillReach};
use super::version_behaviour::VersionBehaviour;
use super::{condition, environment, events};
use hookbench_base::config::Place;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{Handler, HookDefinition, HookInput, Layer, Subject};
use hookbench_base::plan::{Loss, Plan, PlanEntry, Reason, RungName, Schedule, Selection};
use hookbench_base::text::stringify;

use crate::shared::assessment::lost_plan;

/// Plans the hooks for the event of a scene.
pub fn plan(scene: &Scene) -> Plan {
    let event = &scene.input.event;
    let definitions: Vec<&HookDefinition> = scene.loaded.definitions.iter().filter(|d| d.event == *event).collect();
    if let Some(refused) = &scene.loaded.refusal {
        let why = Reason::new(rules::CONFIG_REFUSED, refused.message.clone());
        return lost_plan(Plan::default(), &definitions, why, RungName::Parsed);
    }
    let Some(_) = events::find_in(event, VersionBehaviour::for_version(&scene.version)) else {
        let says = format!("Claude Code has no event `{event}`; names are case-sensitive");
        return Plan { lost: Some(Loss { why: Reason::new(rules::EVENT_UNKNOWN, says) }), ..Plan::default() };
    };
    let mut entries: Vec<PlanEntry> = definitions.iter().map(|d| assess(d, scene)).collect();
    drop_duplicates(&definitions, &mut entries, scene);
    // The sort is stable: first the hooks that run, managed ones before the others, then all that do not run.
    let managed = |entry: &PlanEntry| {
        managed_hooks_first(event)
            && scene.loaded.definition(&entry.hook).is_some_and(|d| d.provenance.layer == Layer::Managed && !d.detached)
    };
    let fires = |entry: &PlanEntry| matches!(entry.selection, Selection::Fires { .. });
    entries.sort_by_key(|entry| (!fires(entry), !managed(entry)));
    let ahead = entries.iter().filter(|entry| fires(entry) && managed(entry)).count();
    let mut order = 0;
    for entry in &mut entries {
        if let Selection::Fires { order: place } = &mut entry.selection {
            order += 1;
            *place = order;
        }
    }
    Plan {
        entries,
        schedule: Schedule::Parallel,
        ahead_count: ahead,
        budget: (event == "SessionEnd").then(|| session_end_budget(scene)),
        ..Plan::default()
    }
}

/// Whether managed hooks run before the others. Measured on 2.1.330.
fn managed_hooks_first(event: &str) -> bool {
    !matches!(event, "PostToolUse" | "PostToolUseFailure")
}

/// Returns the payload values that the selection of a definition depends on: the agent type for an agent's hooks,
/// and the tool call for an `if`.
pub fn payload_pointers(definition: &HookDefinition) -> Vec<&'static str> {
    let mut reads = Vec::new();
    let bundle = definition.provenance.bundle.as_deref().unwrap_or("");
    if definition.provenance.layer == Layer::Session && bundle.starts_with("agent ") {
        reads.push("/agent_type");
    }
    if definition.condition.as_ref().is_some_and(|rule| !rule.is_empty()) {
        reads.extend(condition::PAYLOAD_POINTERS);
    }
    reads
}

/// Whether those payload values let the definition run.
pub fn condition_holds(definition: &HookDefinition, input: &HookInput, place: &Place) -> Option<bool> {
    if !is_for_running_agent(definition, &input.body) {
        return Some(false);
    }
    match definition.condition.as_ref().map(|rule| condition::evaluate(rule, input, place)) {
        None | Some(MatchOutcome::Yes(_)) => Some(true),
        Some(MatchOutcome::No { .. }) => Some(false),
        Some(MatchOutcome::Unknown(_)) => None,
    }
}

/// Whether the agent that contains a definition is running. True for definitions outside agents.
fn is_for_running_agent(definition: &HookDefinition, body: &Value) -> bool {
    let bundle = definition.provenance.bundle.as_deref().unwrap_or("");
    let agent = bundle.strip_prefix("agent ").filter(|_| definition.provenance.layer == Layer::Session);
    agent.is_none_or(|name| body.get("agent_type").and_then(Value::as_str) == Some(name))
}

/// Returns the time budget that all SessionEnd hooks share: 1.5 s, raised to the largest `timeout` in settings
/// files up to 60 s, or the value of a variable (spec §2.1).
pub fn session_end_budget(scene: &Scene) -> Duration {
    let variable =
        environment::var(scene, "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS").and_then(|text| text.trim().parse().ok());
    if let Some(milliseconds) = variable.filter(|ms| *ms > 0) {
        return Duration::from_millis(milliseconds);
    }
    let configured = scene
        .loaded
        .definitions
        .iter()
        .filter(|d| d.event == "SessionEnd" && d.rejection.is_none() && d.provenance.layer != Layer::Plugin)
        .filter(|d| d.raw.get("timeout").is_some())
        .filter_map(|d| d.timeout)
        .max();
    let [least, most] = SESSION_END_LIMITS;
    configured.unwrap_or_default().clamp(least, most)
}

fn plan_entry(definition: &HookDefinition, selection: Selection, why: Reason, fell_at: Option<RungName>) -> PlanEntry {
    PlanEntry { hook: definition.id.clone(), selection, why, failed_rung: fell_at, nearest: Vec::new() }
}

/// Selects one definition, before duplicates are dropped. The first failed rung decides.
fn assess(definition: &HookDefinition, scene: &Scene) -> PlanEntry {
    if let Some(refused) = &definition.rejection {
        let why = Reason::new(refused.rule, refused.message.clone());
        return plan_entry(definition, Selection::Skipped, why, Some(refused.rung));
    }
    if let Some((rung, why)) = unreachable_reason(definition, scene) {
        return plan_entry(definition, Selection::Skipped, why, Some(rung));
    }
    let skill = skills::reach(definition, scene);
    if let SkillReach::No(why) = skill {
        return plan_entry(definition, Selection::Skipped, why, Some(RungName::Surface));
    }
    let rules = VersionBehaviour::for_version(&scene.version);
    let Some(spec) = events::find_in(&definition.event, rules) else {
        let why = Reason::new(rules::EVENT_UNKNOWN, format!("the event `{}` is unknown", definition.event));
        return plan_entry(definition, Selection::Skipped, why, Some(RungName::EventKnown));
    };
    let passed = match matcher::evaluate(definition.matcher.as_ref(), spec, &scene.input.subject, rules) {
        MatchOutcome::Yes(why) => why,
        other => return not_matched(definition, other, RungName::Matcher),
    };
    let why = match &definition.condition {
        None => passed,
        Some(rule) => match condition::evaluate(rule, &compared_input(definition, scene), &scene.place) {
            MatchOutcome::Yes(why) => why,
            other => return not_matched(definition, other, RungName::Condition),
        },
    };
    match skill {
        SkillReach::Unknown(why) => plan_entry(definition, Selection::Unknown, why, Some(RungName::Surface)),
        SkillReach::Yes | SkillReach::No(_) => plan_entry(definition, Selection::Fires { order: 0 }, why, None),
    }
}

fn not_matched(definition: &HookDefinition, judgement: MatchOutcome, rung: RungName) -> PlanEntry {
    match judgement {
        MatchOutcome::Yes(why) => plan_entry(definition, Selection::Fires { order: 0 }, why, None),
        MatchOutcome::Unknown(why) => plan_entry(definition, Selection::Unknown, why, Some(rung)),
        MatchOutcome::No { why, nearest } => {
            PlanEntry { nearest, ..plan_entry(definition, Selection::Skipped, why, Some(rung)) }
        }
    }
}

/// Returns why this firing does not reach a definition: an agent's hook while the agent does not run, a skill's
/// hook before the skill is invoked, or a handler type that the event does not run.
fn unreachable_reason(definition: &HookDefinition, scene: &Scene) -> Option<(RungName, Reason)> {
    let bundle = definition.provenance.bundle.as_deref().unwrap_or("");
    if definition.provenance.layer == Layer::Session
        && let Some(name) = bundle.strip_prefix("agent ")
    {
        if !is_for_running_agent(definition, &scene.input.body) {
            let says = format!("hooks of the agent {name} run only while it runs");
            return Some((RungName::Surface, Reason::new(rules::AGENT_NOT_RUNNING, says)));
        }
        let needs_trust =
            VersionBehaviour::for_version(&scene.version).agents_need_trust && is_project_file(definition, scene);
        if needs_trust && !is_trusted(scene) {
            let says = "hooks of a project's agent run only after the directory was trusted in an interactive session";
            return Some((RungName::Trusted, Reason::new(rules::AGENT_UNTRUSTED, says)));
        }
    }
    if matches!(definition.handler, Handler::Http(_)) && matches!(scene.input.event.as_str(), "SessionStart" | "Setup")
    {
        let says = format!("{} runs only command and mcp_tool hooks; an http hook is skipped", scene.input.event);
        return Some((RungName::Surface, Reason::new(rules::EVENT_HANDLER_TYPE, says)));
    }
    None
}

fn is_project_file(definition: &HookDefinition, scene: &Scene) -> bool {
    let path = scene.loaded.sources.path(definition.provenance.span.source);
    path.strip_prefix(&scene.place.project).is_some_and(|rest| rest.starts_with("/.claude/"))
}

/// Whether the trust dialog was accepted. `-p` shows no dialog, but an earlier answer counts (measured on 2.1.330 and
/// 2.1.331).
fn is_trusted(scene: &Scene) -> bool {
    scene.loaded.agent_settings.get("trusted") == Some(&Value::Bool(true))
}

/// Whether a hook gets a call of Monitor as a call of Bash: its matcher takes Bash and not Monitor. Measured on 2.1.332.
pub fn sees_bash(definition: &HookDefinition, scene: &Scene) -> bool {
    let (event, body) = (scene.input.event.as_str(), &scene.input.body);
    let Some(spec) = events::find(event).filter(|_| events::monitored_command(event, body).is_some()) else {
        return false;
    };
    let own = Subject { value: Some("Monitor".to_owned()), aliases: Vec::new() };
    let rules = VersionBehaviour::for_version(&scene.version);
    matcher::passes(definition.matcher.as_ref(), spec, &own, rules) == Some(false)
}

/// The input that the `if` of a hook is compared with.
fn compared_input<'a>(definition: &HookDefinition, scene: &'a Scene) -> Cow<'a, HookInput> {
    if !sees_bash(definition, scene) {
        return Cow::Borrowed(&scene.input);
    }
    let mut input = scene.input.clone();
    if let Some(body) = input.body.as_object_mut() {
        body.insert("tool_name".to_owned(), Value::from("Bash"));
    }
    Cow::Owned(input)
}

/// Keeps the last one of equal definitions (spec §5). One that sees the call itself stays rather than one that sees it as
/// a call of another tool.
fn drop_duplicates(definitions: &[&HookDefinition], entries: &mut [PlanEntry], scene: &Scene) {
    let keys: Vec<Option<String>> = definitions
        .iter()
        .zip(entries.iter())
        .map(|(definition, entry)| {
            matches!(entry.selection, Selection::Fires { .. }).then(|| duplicate_key(definition))
        })
        .collect();
    let mut last: HashMap<&String, usize> = HashMap::new();
    for (key, (at, definition)) in keys.iter().zip(definitions.iter().enumerate()) {
        let Some(key) = key else { continue };
        let yields = last
            .get(key)
            .and_then(|other| definitions.get(*other))
            .is_some_and(|other| sees_bash(definition, scene) && !sees_bash(other, scene));
        if !yields {
            last.insert(key, at);
        }
    }
    for (index, entry) in entries.iter_mut().enumerate() {
        let own = keys.get(index).and_then(Option::as_ref);
        let Some(last) = own.and_then(|own| last.get(own).copied()).filter(|last| *last != index) else { continue };
        let Some(winner) = definitions.get(last) else { continue };
        entry.selection = Selection::Skipped;
        entry.why = Reason::new(
            rules::PLAN_COPY,
            format!(
                "the same hook is in {}:{}; of equal hooks, the last one runs",
                winner.provenance.file, winner.provenance.line
            ),
        );
        entry.failed_rung = Some(RungName::Started);
    }
}

/// Returns a key that equal definitions share. Plugins and skills have separate keys.
pub(super) fn duplicate_key(definition: &HookDefinition) -> String {
    // An agent's hooks share theirs with the settings (2.1.332).
    let bundle = definition.provenance.bundle.as_deref().filter(|name| !name.starts_with("agent ")).unwrap_or("");
    let condition = definition.condition.as_deref().unwrap_or("");
    let parts = match &definition.handler {
        Handler::Command(c) => {
            let args = c.args.as_ref().map(|args| stringify(&Value::from(args.clone()))).unwrap_or_default();
            ["command", &c.command, c.shell.as_deref().unwrap_or("bash"), &args].join("\0")
        }
        Handler::Http(h) => format!("http\0{}", h.url),
        Handler::Prompt(p) => format!("prompt\0{}", p.prompt),
        Handler::Agent(a) => format!("agent\0{}", a.prompt),
        Handler::McpTool(m) => {
            let input = m.input.as_ref().map(stringify).unwrap_or_default();
            format!("mcp_tool\0{}\0{}\0{input}", m.server, m.tool)
        }
        Handler::Unknown(value) => format!("unknown\0{}", stringify(value)),
    };
    format!("{bundle}\0{condition}\0{parts}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::test_scenes::{project_scene, scene};
    use hookbench_base::dialects::Version;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    /// Returns the commands that run, in order.
    fn runs(scene: &Scene) -> Vec<String> {
        plan(scene).firing().filter_map(|e| scene.loaded.definition(&e.hook)).map(|d| d.handler.text()).collect()
    }

    fn bash(settings: Value) -> Scene {
        project_scene(
            settings,
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "touch marker"}}),
        )
    }

    #[test]
    fn selection_then_condition_then_copies() {
        let cmd = |command: &str, rest: Value| {
            let mut handler = json!({"type": "command", "command": command});
            if let (Some(map), Some(more)) = (handler.as_object_mut(), rest.as_object()) {
                map.extend(more.clone());
            }
            handler
        };
        for (handlers, want) in [
            (vec![cmd("a", json!({})), cmd("b", json!({}))], vec!["a", "b"]),
            (vec![cmd("a", json!({})), cmd("a", json!({"timeout": 5}))], vec!["a"]),
            (vec![cmd("a", json!({"if": "Bash(touch *)"})), cmd("a", json!({}))], vec!["a", "a"]),
            (vec![cmd("a", json!({"if": "Bash(git *)"})), cmd("a", json!({}))], vec!["a"]),
            (vec![cmd("a", json!({})), cmd("a ", json!({}))], vec!["a", "a "]),
            (vec![cmd("a", json!({})), cmd("a", json!({"shell": "bash"}))], vec!["a"]),
            (
                vec![cmd("a", json!({})), cmd("a", json!({"args": []})), cmd("a", json!({"args": ["x"]}))],
                vec!["a", "a", "a x"],
            ),
            (vec![cmd("a", json!({"onFailure": "block"})), cmd("a", json!({"async": true}))], vec!["a"]),
        ] {
            let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": handlers}]}});
            assert_eq!(runs(&bash(settings.clone())), want, "{settings}");
        }
    }

    #[test]
    fn the_last_copy_stays() {
        let scene = bash(json!({"hooks": {"PreToolUse": [
            {"hooks": [{"type": "command", "command": "a", "timeout": 1}]},
            {"matcher": "B.sh", "hooks": [{"type": "command", "command": "a", "timeout": 9}]},
        ]}}));
        let plan = plan(&scene);
        let got: Vec<_> =
            plan.entries.iter().map(|e| (e.hook.as_str(), e.selection.clone(), e.why.message.as_str())).collect();
        assert_eq!(
            got,
            vec![
                ("h2", Selection::Fires { order: 1 }, "the pattern /B.sh/ matches \"Bash\""),
                (
                    "h1",
                    Selection::Skipped,
                    "the same hook is in .claude/settings.json:16; of equal hooks, the last one runs"
                ),
            ]
        );
    }

    #[test]
    fn handlers_with_if_run_on_tool_events_only() {
        let settings = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a", "if": "Bash"}]}]}});
        let scene = project_scene(settings, json!({"hook_event_name": "Stop"}));
        assert_eq!(runs(&scene), Vec::<String>::new());
        assert_eq!(plan(&scene).entries.first().and_then(|e| e.failed_rung), Some(RungName::Condition));
        let settings = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a", "if": ""}]}]}});
        assert_eq!(runs(&project_scene(settings, json!({"hook_event_name": "Stop"}))), ["a"]);
    }

    #[test]
    fn agents_run_hooks_only_while_they_run() {
        let agent =
            "---\nname: me\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: fm\n---\n";
        for (path, body, fell_at) in [
            ("/home/user/.claude/agents/me.md", json!({"agent_id": "a", "agent_type": "me"}), None),
            ("/home/user/.claude/agents/me.md", json!({"agent_id": "a", "agent_type": "you"}), Some(RungName::Surface)),
            ("/home/user/.claude/agents/me.md", json!({}), Some(RungName::Surface)),
            (
                "/home/user/project/.claude/agents/me.md",
                json!({"agent_id": "a", "agent_type": "me"}),
                Some(RungName::Trusted),
            ),
        ] {
            let mut body = body;
            body["hook_event_name"] = json!("PreToolUse");
            body["tool_name"] = json!("Bash");
            let mut scene = scene(&[(path, agent.to_owned())], body);
            let falls = |scene: &Scene| plan(scene).entries.iter().map(|e| e.failed_rung).collect::<Vec<_>>();
            assert_eq!(falls(&scene), [fell_at], "{path}");
            // This version did not require trust.
            scene.version = Version::new(2, 1, 217);
            assert_eq!(falls(&scene), [fell_at.filter(|at| *at != RungName::Trusted)], "{path}");
        }
    }

    #[test]
    fn session_end_has_a_budget() {
        for (timeout, want) in [(json!(null), 1.5), (json!(5), 5.0), (json!(500), 60.0), (json!(0.5), 1.5)] {
            let mut handler = json!({"type": "command", "command": "a"});
            if !timeout.is_null() {
                handler["timeout"] = timeout;
            }
            let settings = json!({"hooks": {"SessionEnd": [{"hooks": [handler]}]}});
            let scene = project_scene(settings, json!({"hook_event_name": "SessionEnd", "reason": "other"}));
            assert_eq!(plan(&scene).budget, Some(Duration::from_secs_f64(want)));
        }
    }

    #[test]
    fn an_unknown_event_is_lost() {
        let scene = project_scene(json!({}), json!({"hook_event_name": "pretooluse"}));
        assert_eq!(plan(&scene).lost.map(|l| l.why.rule), Some(rules::EVENT_UNKNOWN));
        let mut scene = project_scene(json!({}), json!({"hook_event_name": "PreModelSwitch"}));
        assert_eq!(plan(&scene).lost, None);
        scene.version = Version::new(2, 1, 240);
        assert_eq!(plan(&scene).lost.map(|l| l.why.rule), Some(rules::EVENT_UNKNOWN));
    }

    #[test]
    fn hooks_for_bash_see_calls_of_monitor() {
        let cmd = |command: &str| json!({"type": "command", "command": command});
        let settings = json!({"hooks": {"PreToolUse": [
            {"matcher": "Bash", "hooks": [cmd("a"), {"type": "command", "command": "b", "if": "Monitor(echo *)"}]},
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "c", "if": "Bash(echo *)"}, cmd("d")]},
            {"matcher": "Monitor", "hooks": [{"type": "command", "command": "e", "if": "Bash(echo *)"}, cmd("d")]},
            {"matcher": "Bash|x", "hooks": [cmd("d")]},
            {"matcher": "Ba", "hooks": [cmd("f")]},
        ]}});
        let call =
            |event: &str, input: Value| json!({"hook_event_name": event, "tool_name": "Monitor", "tool_input": input});
        let mut scene =
            project_scene(settings.clone(), call("PreToolUse", json!({"command": "echo x", "timeout_ms": 1})));
        let shown = |scene: &Scene| -> Vec<(String, Value)> {
            let started = plan(scene);
            let hooks = started.firing().filter_map(|e| scene.loaded.definition(&e.hook));
            let body = |d: &HookDefinition| -> Value {
                match super::super::launch::launch(d, scene) {
                    hookbench_base::run::Launch::Process(spec) => serde_json::from_slice(&spec.stdin).unwrap(),
                    other => panic!("{other:?}"),
                }
            };
            hooks.map(|d| (d.handler.text(), body(d)["tool_name"].clone())).collect()
        };
        let want = [("a", "Bash"), ("c", "Bash"), ("e", "Monitor"), ("d", "Monitor")];
        assert_eq!(shown(&scene), want.map(|(hook, tool)| (hook.to_owned(), json!(tool))));
        scene.input.body["tool_input"] = json!({"ws": {}});
        scene.input.subject = events::subject(events::find("PreToolUse").unwrap(), &scene.input.body);
        assert_eq!(shown(&scene), [("d".to_owned(), json!("Monitor"))]);
    }

    #[test]
    fn skills_run_hooks_once_they_are_loaded() {
        let group = "    - hooks:\n        - type: command\n          command: fm\n";
        let groups = ["PreToolUse", "PostToolUse", "PreSkillShellCommand"].map(|event| format!("  {event}:\n{group}"));
        let skill = format!("---\nname: other\nhooks:\n{}---\n", groups.concat());
        let mut scene = scene(&[("/home/user/.claude/skills/sk/SKILL.md", skill)], json!({}));
        scene.version = Version::new(2, 1, 332);
        let mut state = hookbench_base::dialects::SessionState::default();
        let mut fire = |body: Value| {
            let event = body["hook_event_name"].as_str().unwrap().to_owned();
            let subject = events::subject(events::find(&event).unwrap(), &body);
            scene.input = HookInput { event: event.clone(), subject, body };
            scene.memory = state.memory(&event);
            let ran = plan(&scene).firing().count();
            let outcome = hookbench_base::decide::Outcome::without_effect(hookbench_base::decide::Verdict::NotRun, "");
            let memory = scene.memory.clone();
            super::super::payloads::remember(&mut state, &scene.input, &memory, &outcome);
            ran
        };
        let bash = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}});
        let of_skill = |event: &str, name: &str| json!({"hook_event_name": event, "tool_name": "Skill", "tool_input": {"skill": name}});
        let inner =
            json!({"hook_event_name": "PreSkillShellCommand", "tool_name": "Bash", "tool_input": {"command": "x"}});
        let typed = json!({"hook_event_name": "UserPromptExpansion", "command_name": "other"});
        let mut sub = bash.clone();
        sub["agent_id"] = json!("a");
        let clear = json!({"hook_event_name": "SessionStart", "source": "clear"});
        for (body, want) in [
            (bash.clone(), 0),
            (of_skill("PreToolUse", "sk"), 0),
            (inner.clone(), 0),
            (of_skill("PostToolUse", "sk"), 1),
            (bash.clone(), 1),
            (sub, 0),
            (inner.clone(), 1),
            (clear, 0),
            (bash.clone(), 0),
            (typed, 0),
            (inner, 0),
            (bash, 1),
        ] {
            assert_eq!(fire(body.clone()), want, "{body}");
        }
    }
}
