//! Plans which hooks run and in which order, and explains why the others do not (spec §4).

use std::collections::HashMap;

use serde_json::Value;

use super::switches::OFF;
use super::{events, explain, handlers, matcher};
use crate::shared::assessment::{HookAssessment, lost_plan, skipped_entry, sort_like};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition, Subject};
use hookbench_base::plan::{Plan, Reason, RungName, Schedule};

/// Returns the subject that matchers are compared with.
pub fn subject(event: &EventSpec, body: &Value) -> Subject {
    let value = event.subject.and_then(|key| body.get(key)).and_then(Value::as_str).map(str::to_owned);
    Subject { value, aliases: Vec::new() }
}

/// Returns the plan of an event.
pub fn plan(scene: &Scene) -> Plan {
    let name = scene.input.event.as_str();
    let mut plan = Plan::default();
    let Some(event) = events::by_name(name) else {
        plan.notes.push(Diagnostic::error("HW201", format!("there is no event {name}, so nothing runs")));
        return plan;
    };
    let mine: Vec<&HookDefinition> = scene.loaded.definitions.iter().filter(|d| d.event == name).collect();
    if let Some(refusal) = &scene.loaded.refusal {
        let sources = &scene.loaded.sources;
        let place = refusal.span.map(|span| format!("{}:{}: ", sources.name(span.source), sources.start(span).line));
        let says = format!("the agent does not start: {}{}", place.unwrap_or_default(), refusal.message);
        let why = Reason::new("config.fatal", says);
        return lost_plan(plan, &mine, why, RungName::Parsed);
    }
    if let Some(off) = scene.loaded.settings.get(OFF).and_then(Value::as_str) {
        plan.entries =
            mine.iter().map(|d| skipped_entry(d, Reason::new("switch.off", off), RungName::LayerActive)).collect();
        return plan;
    }
    let judged: Vec<HookAssessment<'_>> = mine.iter().map(|d| assess(d, event, &scene.input.subject)).collect();
    if let Some(bad) = judged.iter().find(|j| j.why.rule == "matcher.not_text") {
        let at = &bad.definition.provenance;
        let says = format!(
            "the matcher in {}:{} is no text, so the agent throws while it plans and loses every hook of {name}",
            at.file, at.line
        );
        return lost_plan(plan, &mine, Reason::new("matcher.not_text", says), RungName::Matcher);
    }
    let (firing, skipped): (Vec<_>, Vec<_>) = judged.into_iter().partition(|j| j.stopped_at.is_none());
    let (kept, repeated) = drop_duplicates(firing);
    let sequential = kept.iter().any(|j| j.definition.group.get("sequential") == Some(&Value::Bool(true)));
    plan.schedule = if sequential { Schedule::Sequential } else { Schedule::Parallel };
    let mut rest: Vec<HookAssessment<'_>> = skipped.into_iter().chain(repeated).collect();
    sort_like(&mut rest, &mine);
    plan.entries = (1..).zip(kept).map(|(order, j)| j.into_entry(Some(order))).collect();
    plan.entries.extend(rest.into_iter().map(|j| j.into_entry(None)));
    plan
}

fn assess<'a>(definition: &'a HookDefinition, event: &EventSpec, subject: &Subject) -> HookAssessment<'a> {
    if let Some(refused) = &definition.rejection {
        let why = Reason::new(refused.rule, refused.message.clone());
        return HookAssessment { definition, why, nearest: Vec::new(), stopped_at: Some(refused.rung), unknown: false };
    }
    let found = matcher::matches(event, definition.matcher.as_ref(), subject);
    let (why, nearest) = explain::explain(event, &definition.matcher_text(), subject, &found);
    let fell_at = (found.hit() != Some(true)).then_some(RungName::Matcher);
    HookAssessment { definition, why, nearest, stopped_at: fell_at, unknown: found.hit().is_none() }
}

/// Drops later hooks with the same name and command, whatever their other keys are.
fn drop_duplicates(firing: Vec<HookAssessment<'_>>) -> (Vec<HookAssessment<'_>>, Vec<HookAssessment<'_>>) {
    let mut kept: Vec<HookAssessment<'_>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut repeated = Vec::new();
    for mut judged in firing {
        let key = handlers::duplicate_key(&judged.definition.raw);
        match known.get(&key).and_then(|at| kept.get(*at)) {
            None => {
                known.insert(key, kept.len());
                kept.push(judged);
            }
            Some(twin) => {
                let at = &twin.definition.provenance;
                let place = format!("{}, {}:{}", at.layer.word(), at.file, at.line);
                judged.why =
                    Reason::new("plan.duplicate", format!("the same command already runs for this event ({place})"));
                judged.stopped_at = Some(RungName::Started);
                judged.nearest = Vec::new();
                repeated.push(judged);
            }
        }
    }
    (kept, repeated)
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::{plan_event, trusting};
    use hookbench_base::plan::{RungName, Schedule, Selection};
    use serde_json::{Value, json};

    /// Returns the schedule and the order of each hook that fires; for the others, the rule and the rung.
    type PlanSummary = (Schedule, Vec<String>, Vec<(String, &'static str, Option<RungName>)>);

    fn planned(files: &[(&str, Value)]) -> PlanSummary {
        let mut memory = trusting();
        for (path, value) in files {
            memory.put(*path, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        let plan = plan_event("BeforeTool", &memory);
        let fires = plan.firing().map(|e| e.hook.clone()).collect();
        let others = plan.entries.iter().filter(|e| !matches!(e.selection, Selection::Fires { .. }));
        (plan.schedule, fires, others.map(|e| (e.hook.clone(), e.why.rule, e.failed_rung)).collect())
    }

    #[allow(clippy::needless_pass_by_value, reason = "the cases read better")]
    fn settings(groups: Value) -> Value {
        json!({"hooks": {"BeforeTool": groups}})
    }

    fn command(text: &str) -> Value {
        json!({"type": "command", "command": text})
    }

    const PROJECT: &str = "/p/.gemini/settings.json";
    const USER: &str = "/h/.gemini/settings.json";

    #[test]
    fn layers_follow_one_another_and_repetitions_fall() {
        let manifest = json!({"name": "e", "version": "1"});
        let layered = planned(&[
            ("/h/.gemini/extensions/e/gemini-extension.json", manifest),
            ("/h/.gemini/extensions/e/hooks/hooks.json", settings(json!([{"hooks": [command("e"), command("u")]}]))),
            (USER, settings(json!([{"hooks": [command("u")]}]))),
            (
                PROJECT,
                settings(json!([{"hooks": [command("p"), command("u")]}, {"matcher": "zzz", "hooks": [command("x")]}])),
            ),
        ]);
        // h1 is the user's, h2 to h4 are the project's, h5 and h6 the extension's.
        let others = vec![
            ("h3".to_owned(), "plan.duplicate", Some(RungName::Started)),
            ("h4".to_owned(), "matcher.miss", Some(RungName::Matcher)),
            ("h6".to_owned(), "plan.duplicate", Some(RungName::Started)),
        ];
        assert_eq!(layered, (Schedule::Parallel, vec!["h1".to_owned(), "h2".to_owned(), "h5".to_owned()], others));
    }

    #[test]
    fn a_dropped_duplicate_takes_its_flag_with_it() {
        let all = |first: bool| {
            let groups = json!([
                {"sequential": first, "hooks": [command("a"), command("b")]},
                {"sequential": !first, "hooks": [command("a")]},
            ]);
            planned(&[(PROJECT, settings(groups))]).0
        };
        assert_eq!((all(true), all(false)), (Schedule::Sequential, Schedule::Parallel));
    }

    #[test]
    fn why_not() {
        let hook = json!([command("x")]);
        let off =
            |key: &str, value: Value| json!({"hooksConfig": {key: value}, "hooks": {"BeforeTool": [{"hooks": hook}]}});
        for (files, rule, rung) in [
            (
                vec![(PROJECT, settings(json!([{"matcher": "Bash", "hooks": hook}])))],
                "matcher.near_miss",
                RungName::Matcher,
            ),
            (vec![(PROJECT, settings(json!([{"matcher": "[", "hooks": hook}])))], "matcher.invalid", RungName::Matcher),
            (
                vec![(PROJECT, settings(json!([{"matcher": ["x"], "hooks": hook}])))],
                "matcher.not_text",
                RungName::Matcher,
            ),
            (
                vec![(PROJECT, settings(json!([{"hooks": [{"type": "http", "url": "x"}]}])))],
                "config.invalid_hook",
                RungName::Command,
            ),
            (vec![(PROJECT, off("enabled", json!("false")))], "switch.off", RungName::LayerActive),
            (vec![(PROJECT, off("disabled", json!(["x"])))], "config.disabled", RungName::LayerActive),
            (
                vec![(USER, settings(json!([{"hooks": hook}]))), ("/h/.gemini/trustedFolders.json", json!({}))],
                "trust.untrusted",
                RungName::Trusted,
            ),
            (vec![(PROJECT, settings(json!([{"hooks": hook}]))), (USER, json!("{"))], "config.fatal", RungName::Parsed),
        ] {
            let (_, fires, others) = planned(&files);
            assert_eq!((fires, others), (Vec::new(), vec![("h1".to_owned(), rule, Some(rung))]), "{files:?}");
        }
    }
}
