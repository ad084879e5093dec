//! Decides what the agent does after the runs, with the reasons (spec §6, §7).

use serde_json::Value;

use super::aggregate::aggregate;
use super::effects::{self, BlockCause, Effect};
use super::reasons::reason;
use super::typed_output::TypedOutput;
use super::{chain, events};
use crate::shared::answer_evidence::{deciding_pointer, describe_answer};
use hookbench_base::decide::{FiringRuns, HookRun, Outcome, Verdict, VerdictParts, verdict_from_parts};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::HookDefinition;
use hookbench_base::output::Vote;
use hookbench_base::plan::{Plan, Selection};
use hookbench_base::trace::{Evidence, TraceStep};

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let said = runs.in_plan_order();
    if said.is_empty() {
        return not_run(plan, scene);
    }
    let all: Vec<usize> = (0..said.len()).collect();
    let judged = assess(scene, &said, &all, runs);
    let effect = &judged.effect;
    let causes = causes(scene, &said, &judged, runs);
    let unknown = is_unknown(plan, runs, scene, &judged);
    let failed = said.iter().any(|r| r.output.failure.is_some()) || judged.culprit.is_some();
    let verdict = verdict_from_parts(VerdictParts {
        ran: true,
        denied: effect.block_cause == BlockCause::Answer && !unknown,
        failed_closed: effect.block_cause == BlockCause::Failure && !unknown,
        decision: effect.decision.filter(|_| !unknown),
        unknown,
        failed,
    });
    let deciders = deciders(&said, &causes, &judged);
    let agent_does = if unknown {
        let says = "what the agent does depends on a hook that may or may not fire";
        format!("{says}; without it: {}", effect.summary)
    } else {
        effect.summary.clone()
    };
    let stop_reason = effect.reason.clone().filter(|_| effect.stops_turn);
    let trace = trace(scene, runs, &said, &causes, &deciders, &judged);
    let seen_by = effect.seen_by.or(judged.message.as_ref().map(|_| "the user"));
    Outcome {
        blocked: effect.blocked,
        decided_by: deciders.iter().filter_map(|i| said.get(*i)).map(|r| r.hook.clone()).collect(),
        reason: judged.effect.reason.clone(),
        additional_context: judged.effect.context.clone(),
        updated_input: judged.effect.updated_input.clone(),
        system_message: judged.message,
        continues: !judged.effect.stops_turn,
        stop_reason,
        seen_by,
        merged: judged.merged,
        extra: judged.effect.extra,
        trace,
        ..Outcome::without_effect(verdict, agent_does)
    }
}

fn not_run(plan: &Plan, scene: &Scene) -> Outcome {
    let event = scene.input.event.as_str();
    let says = match (&plan.lost, plan.entries.len()) {
        (Some(lost), _) => lost.why.message.clone(),
        (None, 0) => scene.loaded.why_no_hooks(event),
        (None, _) => format!("no hook of {event} fires"),
    };
    let maybe = plan.entries.iter().any(|e| e.selection == Selection::Unknown);
    let verdict = if maybe { Verdict::Unknown } else { Verdict::NotRun };
    let refuses = scene.loaded.refusal.is_some();
    let does = if refuses { "there is no session: the agent does not start" } else { effects::default_action(event) };
    let mut outcome = Outcome::without_effect(verdict, does);
    outcome.trace = vec![TraceStep::new("decide.not-run", says).with_evidence(Evidence::Basis { text: "spec §3, §4" })];
    outcome
}

/// The result of evaluating some of the runs.
struct RunsAssessment {
    effect: Effect,
    merged: Option<Value>,
    /// The message that the user sees.
    message: Option<String>,
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
            let effect = effects::effect(scene, merged.as_ref());
            let shown: Vec<String> = outputs.iter().filter_map(|output| TypedOutput(output).message()).collect();
            let message = (!shown.is_empty()).then(|| shown.join("\n"));
            RunsAssessment { effect, merged, message, culprit: None }
        }
        Err(culprit) => {
            RunsAssessment { effect: effects::thrown(scene), merged: None, message: None, culprit: Some(culprit) }
        }
    }
}

/// Returns a minimal set of runs whose outputs alone have the same effect.
fn causes(scene: &Scene, said: &[&HookRun], judged: &RunsAssessment, runs: FiringRuns<'_>) -> Vec<usize> {
    let mut kept: Vec<usize> =
        (0..said.len()).filter(|i| said.get(*i).is_some_and(|r| r.output.value.is_some())).collect();
    for index in (0..said.len()).rev() {
        let without: Vec<usize> = kept.iter().copied().filter(|i| *i != index).collect();
        if without.len() == kept.len() {
            continue;
        }
        let less = assess(scene, said, &without, runs);
        if (&less.effect, &less.message) == (&judged.effect, &judged.message) {
            kept = without;
        }
    }
    kept
}

/// Returns the causes that decide; the others only contribute text.
fn deciders(said: &[&HookRun], causes: &[usize], judged: &RunsAssessment) -> Vec<usize> {
    let effect = &judged.effect;
    if !effect.blocked && !effect.stops_turn && effect.decision.is_none() {
        return Vec::new();
    }
    let decides = |index: &usize| {
        let Some(run) = said.get(*index) else { return false };
        match run.output.value.as_ref().map(TypedOutput) {
            Some(typed) if effect.stops_turn => typed.stops(),
            Some(typed) if effect.decision.is_some() => typed.asks(),
            Some(typed) if effect.block_cause == BlockCause::Failure => typed.tool_input().is_some(),
            Some(typed) => typed.blocks(),
            None => false,
        }
    };
    let chosen: Vec<usize> = causes.iter().copied().filter(decides).collect();
    if chosen.is_empty() { causes.to_vec() } else { chosen }
}

/// Returns whether a hook that may or may not fire could change the verdict.
fn is_unknown(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene, judged: &RunsAssessment) -> bool {
    let can_block = events::by_name(&scene.input.event).is_some_and(|e| e.blockable_action.is_some());
    let maybe = plan.entries.iter().any(|e| e.selection == Selection::Unknown);
    can_block && (maybe || (runs.aborted.is_some() && judged.culprit.is_none()))
}

/// Explains the outcome: the decision, then each run once as a cause, as irrelevant or as failed.
fn trace(
    scene: &Scene,
    runs: FiringRuns<'_>,
    said: &[&HookRun],
    causes: &[usize],
    deciders: &[usize],
    judged: &RunsAssessment,
) -> Vec<TraceStep> {
    let answers = said.iter().filter(|r| r.output.value.is_some()).count();
    let rule = judged.effect.rule;
    let mut decision =
        TraceStep::new(rule, reason(rule, answers)).with_evidence(Evidence::Basis { text: "spec §6, §7" });
    let mut others = Vec::new();
    for (index, run) in said.iter().enumerate() {
        let label = scene.loaded.definition(&run.hook).map_or_else(|| run.hook.clone(), HookDefinition::label);
        let blamed = judged.culprit.as_ref().filter(|(culprit, _)| *culprit == index);
        let role = if let Some((_, why)) = blamed {
            TraceStep::new("run.culprit", format!("{label}: {why}"))
        } else if deciders.contains(&index) && run.output.vote != Vote::None {
            TraceStep::new("run.cause", format!("{label}: {}", describe_answer(run)))
        } else if causes.contains(&index) {
            TraceStep::new("run.cause", format!("{label} has a part in what is said"))
        } else if run.output.failure.is_some() {
            TraceStep::new("run.failed", format!("{label} failed and changes nothing"))
        } else {
            TraceStep::new("run.irrelevant", format!("{label} changes nothing here"))
        };
        let role = role.with_evidence(Evidence::Hook { hook: run.hook.clone() }).with_exit(run.run);
        let role = match events::by_name(&scene.input.event)
            .and_then(|event| deciding_pointer(event, run))
            .filter(|_| causes.contains(&index))
        {
            Some(evidence) => role.with_evidence(evidence),
            None => role,
        };
        let role = role.because_all(run.output.trace.iter().cloned());
        if causes.contains(&index) || blamed.is_some() {
            decision = decision.because(role);
        } else {
            others.push(role);
        }
    }
    if let Some(why) = runs.aborted {
        decision = decision.because(TraceStep::new("decide.broken-off", format!("the firing was broken off: {why}")));
    }
    std::iter::once(decision).chain(others).collect()
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
            event in prop::sample::select(super::events::EVENTS.iter().map(|e| e.name).collect::<Vec<_>>()),
            answers in prop::collection::vec((0..4_i32, "[\\[\\]{}:,\"a-z0-9]{0,20}", "[a-z]{0,3}"), 0..4),
        ) {
            let answers: Vec<(i32, &str, &str)> = answers.iter().map(|(c, o, e)| (*c, o.as_str(), e.as_str())).collect();
            let _ = run_hooks(event, &answers);
        }
    }
}
