//! Plans which hooks run and in which order, and explains why the others do not (spec §4).

use serde_json::Value;

use super::{events, handlers, matcher};
use crate::shared::assessment::HookAssessment;
use crate::shared::gemini_fork::plan::{plan_hooks, subject_value};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition, Subject};
use hookbench_base::plan::Plan;

/// Returns the subject that matchers are compared with.
pub fn subject(event: &EventSpec, body: &Value) -> Subject {
    Subject { value: subject_value(event, body), aliases: Vec::new() }
}

/// Returns the plan of an event.
pub fn plan(scene: &Scene) -> Plan {
    let name = scene.input.event.as_str();
    let mut plan = Plan::default();
    let Some(event) = events::EVENTS.by_name(name) else {
        plan.notes.push(Diagnostic::new(Code::HW201, format!("the event {name} does not exist, so no hook runs")));
        return plan;
    };
    let refusal = scene.loaded.refusal.as_ref().map(|refusal| {
        let sources = &scene.loaded.sources;
        let place = refusal.span.map(|span| format!("{}:{}: ", sources.name(span.source), sources.start(span).line));
        format!("the agent does not start: {}{}", place.unwrap_or_default(), refusal.message)
    });
    plan_hooks(
        plan,
        scene,
        refusal,
        |d| assess(d, event, &scene.input.subject),
        |_| (),
        // Duplicates have the same name and command, whatever their other keys are.
        |d| Some((Value::from(handlers::duplicate_key(&d.raw)), "command")),
    )
}

fn assess<'a>(definition: &'a HookDefinition, event: &EventSpec, subject: &Subject) -> HookAssessment<'a> {
    if let Some(rejected) = HookAssessment::rejected(definition) {
        return rejected;
    }
    let found = matcher::matches(event, definition.matcher.as_ref(), subject);
    let why = matcher::explain(event, &definition.matcher_text(), subject, &found);
    HookAssessment::matched(definition, found.hit(), why)
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::{plan_event, trusting};
    use crate::gemini_cli::rules;
    use crate::kernel::test::{PlanSummary, summary};
    use hookbench_base::plan::{RungName, Schedule};
    use serde_json::{Value, json};

    fn planned(files: &[(&str, Value)]) -> PlanSummary {
        let mut memory = trusting();
        for (path, value) in files {
            memory.put(*path, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        summary(&plan_event("BeforeTool", &memory))
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
            ("h3".to_owned(), rules::PLAN_DUPLICATE, Some(RungName::Started)),
            ("h4".to_owned(), rules::MATCHER_MISS, Some(RungName::Matcher)),
            ("h6".to_owned(), rules::PLAN_DUPLICATE, Some(RungName::Started)),
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
                rules::MATCHER_NEAR_MISS,
                RungName::Matcher,
            ),
            (
                vec![(PROJECT, settings(json!([{"matcher": "[", "hooks": hook}])))],
                rules::MATCHER_INVALID,
                RungName::Matcher,
            ),
            (
                vec![(PROJECT, settings(json!([{"matcher": ["x"], "hooks": hook}])))],
                rules::MATCHER_NOT_TEXT,
                RungName::Matcher,
            ),
            (
                vec![(PROJECT, settings(json!([{"hooks": [{"type": "http", "url": "x"}]}])))],
                rules::CONFIG_INVALID_HOOK,
                RungName::Command,
            ),
            (vec![(PROJECT, off("enabled", json!("false")))], rules::SWITCH_OFF, RungName::LayerActive),
            (vec![(PROJECT, off("disabled", json!(["x"])))], rules::CONFIG_DISABLED, RungName::LayerActive),
            (
                vec![(USER, settings(json!([{"hooks": hook}]))), ("/h/.gemini/trustedFolders.json", json!({}))],
                rules::TRUST_UNTRUSTED,
                RungName::Trusted,
            ),
            (
                vec![(PROJECT, settings(json!([{"hooks": hook}]))), (USER, json!("{"))],
                rules::CONFIG_FATAL,
                RungName::Parsed,
            ),
        ] {
            let (_, fires, others) = planned(&files);
            assert_eq!((fires, others), (Vec::new(), vec![("h1".to_owned(), rule, Some(rung))]), "{files:?}");
        }
    }
}
