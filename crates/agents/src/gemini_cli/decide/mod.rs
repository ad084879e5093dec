//! Decides what the agent does after the runs, with the reasons (spec §6, §7).

mod aggregate;
pub mod chain;
mod effects;

use aggregate::aggregate;
use serde_json::Value;

use super::answer::TypedOutput;
use super::events;
use crate::kernel::effect::Effect;
use crate::shared::gemini_fork::decision::{RunRoles, causes, explain_runs, not_run};
use hookbench_base::decide::{FiringRuns, HookRun, Outcome};
use hookbench_base::dialects::Scene;
use hookbench_base::plan::{Plan, Selection};

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let said = runs.in_plan_order();
    if said.is_empty() {
        return not_run(plan, scene, effects::default_action(&scene.input.event), "spec §3, §4");
    }
    let all: Vec<usize> = (0..said.len()).collect();
    let judged = assess(scene, &said, &all, runs);
    let unknown = is_unknown(plan, runs, scene, &judged);
    let failed = said.iter().any(|r| r.output.failure.is_some()) || judged.culprit.is_some();
    let answered: Vec<usize> =
        all.into_iter().filter(|i| said.get(*i).is_some_and(|r| r.output.value.is_some())).collect();
    let step = judged.effect.decision_step(answered.len(), "spec §6, §7");
    let causes = causes(answered, &judged.effect, |which| assess(scene, &said, which, runs).effect);
    let deciders = deciders(&said, &causes, &judged);
    let RunsAssessment { mut effect, merged, culprit } = judged;
    let roles = RunRoles { causes: &causes, deciders: &deciders, culprit };
    let event = events::EVENTS.by_name(&scene.input.event);
    let trace = explain_runs(scene, event, step, said.iter().copied().enumerate(), &roles, runs.aborted);
    effect.deciders = deciders.iter().filter_map(|index| said.get(*index)).map(|run| run.run).collect();
    if unknown {
        effect.unknown = true;
        effect.summary =
            format!("the agent's reaction depends on a hook that may or may not fire; without it: {}", effect.summary);
    }
    Outcome { merged, ..effect.into_outcome(runs.finished, failed, trace) }
}

/// The result of evaluating some of the runs.
struct RunsAssessment {
    effect: Effect,
    merged: Option<Value>,
    /// The run that made the agent throw, and why.
    culprit: Option<(usize, String)>,
}

/// Evaluates these runs. If a chain was aborted, all outputs so far are lost.
fn assess(scene: &Scene, said: &[&HookRun], which: &[usize], runs: FiringRuns<'_>) -> RunsAssessment {
    let values: Vec<(usize, &Value)> =
        which.iter().filter_map(|index| Some((*index, said.get(*index)?.output.value.as_ref()?))).collect();
    let outputs: Vec<&Value> = values.iter().map(|(_, value)| *value).collect();
    let event = scene.input.event.as_str();
    let thrown = |(index, _): &(usize, &Value)| Some((*index, chain::throws(event, said.get(*index)?)?));
    let merged = match values.iter().find_map(thrown).filter(|_| runs.aborted.is_some()) {
        Some(culprit) => Err(culprit),
        None => aggregate(event, &outputs)
            .map_err(|thrown| (values.get(thrown.culprit).map_or(0, |(index, _)| *index), thrown.message)),
    };
    match merged {
        Ok(merged) => {
            // The user sees the messages of all hooks.
            let shown: Vec<String> = outputs.iter().filter_map(|output| TypedOutput(output).message()).collect();
            let message = (!shown.is_empty()).then(|| shown.join("\n"));
            let effect = effects::effect(scene, merged.as_ref()).with_message(message);
            RunsAssessment { effect, merged, culprit: None }
        }
        Err(culprit) => RunsAssessment { effect: effects::thrown(scene), merged: None, culprit: Some(culprit) },
    }
}

/// Returns the causes that decide; the others only contribute text.
fn deciders(said: &[&HookRun], causes: &[usize], judged: &RunsAssessment) -> Vec<usize> {
    let effect = &judged.effect;
    if !effect.blocked && !effect.ends_turn && effect.decision.is_none() {
        return Vec::new();
    }
    let decides = |index: &usize| {
        let Some(run) = said.get(*index) else { return false };
        match run.output.value.as_ref().map(TypedOutput) {
            Some(typed) if effect.ends_turn => typed.stops(),
            Some(typed) if effect.decision.is_some() => typed.asks(),
            Some(typed) if effect.failed_closed => typed.tool_input().is_some(),
            Some(typed) => typed.blocks(),
            None => false,
        }
    };
    let chosen: Vec<usize> = causes.iter().copied().filter(decides).collect();
    if chosen.is_empty() { causes.to_vec() } else { chosen }
}

/// Returns whether a hook that may or may not fire could change the verdict.
fn is_unknown(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene, judged: &RunsAssessment) -> bool {
    let can_block = events::EVENTS.by_name(&scene.input.event).is_some_and(|e| e.blockable_action.is_some());
    let maybe = plan.entries.iter().any(|e| e.selection == Selection::Unknown);
    can_block && (maybe || (runs.aborted.is_some() && judged.culprit.is_none()))
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::run_hooks;
    use hookbench_base::decide::Verdict;
    use proptest::prelude::*;

    /// Verdict, blocked, reason, deciding hooks.
    type DecisionSummary = (Verdict, bool, Option<String>, Vec<String>);

    #[test]
    fn edge_cases_of_the_specification() {
        let say = |verdict, blocked, reason: Option<&str>, by: &[&str]| -> DecisionSummary {
            (verdict, blocked, reason.map(str::to_owned), by.iter().map(|b| (*b).to_owned()).collect())
        };
        let deny = r#"{"decision":"deny","reason":"d"}"#;
        let allow = r#"{"decision":"allow","reason":"a"}"#;
        let open = || say(Verdict::FailedOpen, false, None, &[]);
        for (event, hooks, want) in [
            ("BeforeTool", vec![(0, "", "")], say(Verdict::NoObjection, false, None, &[])),
            ("BeforeTool", vec![(2, "", "")], open()),
            ("BeforeTool", vec![(1, "", "boom")], open()),
            ("BeforeTool", vec![(2, "", "why")], say(Verdict::Deny, true, Some("why"), &["h1"])),
            ("BeforeTool", vec![(3, "x", "why")], say(Verdict::Deny, true, Some("x"), &["h1"])),
            ("BeforeTool", vec![(2, r#"{"systemMessage":"x"}"#, "why")], say(Verdict::NoObjection, false, None, &[])),
            ("BeforeTool", vec![(1, "", deny)], say(Verdict::Deny, true, Some("d"), &["h1"])),
            ("BeforeTool", vec![(0, allow, ""), (0, deny, "")], say(Verdict::Deny, true, Some("a\nd"), &["h2"])),
            ("BeforeTool", vec![(0, r#"{"decision":"DENY"}"#, "")], say(Verdict::NoObjection, false, None, &[])),
            ("BeforeTool", vec![(0, r#"{"decision":"ask"}"#, "")], say(Verdict::Ask, false, None, &["h1"])),
            (
                "BeforeTool",
                vec![(0, r#"{"continue":false}"#, ""), (0, deny, "")],
                say(Verdict::Deny, true, Some("d"), &["h1"]),
            ),
            (
                "BeforeTool",
                vec![(0, r#"{"hookSpecificOutput":{"tool_input":{"cmd":"x"}}}"#, "")],
                say(
                    Verdict::FailedClosed,
                    true,
                    Some(
                        "Tool parameter modification by hook failed validation: params must have required property 'command'",
                    ),
                    &["h1"],
                ),
            ),
            ("BeforeTool", vec![(0, r#"{"hookSpecificOutput":"x"}"#, ""), (0, deny, "")], open()),
            ("BeforeModel", vec![(0, deny, ""), (0, allow, "")], say(Verdict::NoObjection, false, None, &[])),
            ("AfterAgent", vec![(0, deny, "")], say(Verdict::Deny, true, Some("d"), &["h1"])),
            (
                "AfterAgent",
                vec![(0, r#"{"continue":false,"stopReason":"s"}"#, "")],
                say(Verdict::NoObjection, false, Some("s"), &["h1"]),
            ),
            ("SessionEnd", vec![(0, deny, "")], say(Verdict::NoObjection, false, None, &[])),
        ] {
            let outcome = run_hooks(event, &hooks);
            let found = (outcome.verdict, outcome.blocked, outcome.reason, outcome.decided_by);
            assert_eq!(found, want, "{event} {hooks:?}");
        }
    }

    #[test]
    fn messages_are_shown_whatever_the_merge_keeps() {
        let hooks = [(0, r#"{"systemMessage":"one"}"#, ""), (0, "two", ""), (0, r#"{"systemMessage":""}"#, "")];
        for event in ["BeforeTool", "BeforeModel", "SessionEnd", "BeforeToolSelection"] {
            assert_eq!(run_hooks(event, &hooks).system_message.as_deref(), Some("one\ntwo"), "{event}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(
            event in prop::sample::select(super::events::EVENTS.events.iter().map(|e| e.name).collect::<Vec<_>>()),
            answers in prop::collection::vec((0..4_i32, "[\\[\\]{}:,\"a-z0-9]{0,20}", "[a-z]{0,3}"), 0..4),
        ) {
            let answers: Vec<(i32, &str, &str)> = answers.iter().map(|(c, o, e)| (*c, o.as_str(), e.as_str())).collect();
            let _ = run_hooks(event, &answers);
        }
    }
}
