//! Decides what the agent does after the runs, with the reasons (spec §13, §15).

mod aggregate;
pub mod chain;
mod effects;

use crate::qwen_code::rules;
use aggregate::aggregate;
use chain::throws_at_once;
use serde_json::{Value, json};

use super::hook_output::is_unanswered;
use super::{events, switches, version_behaviour};
use crate::kernel::effect::Effect;
use crate::shared::gemini_fork::answer::{AgentException, specific_output_error};
use crate::shared::gemini_fork::decision::{RunRoles, causes, explain_runs, not_run};
use hookbench_base::decide::{FiringRuns, HookRun, Outcome, Verdict};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{DefinitionId, Handler, HookDefinition};
use hookbench_base::output::Vote;
use hookbench_base::plan::{Plan, Schedule, Selection};
use hookbench_base::text::truthy;
use hookbench_base::trace::{Evidence, TraceStep};

/// The output of one hook of the plan, as passed to the aggregator.
struct AggregatedRun<'a> {
    hook: DefinitionId,
    run: Option<&'a HookRun>,
    value: Option<Value>,
    /// Why the agent throws after this run, independent of its answer.
    exception: Option<String>,
    unanswered: bool,
}

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let said = interpret_runs(plan, runs, scene);
    let ran = !runs.finished.is_empty() || (runs.expired && plan.firing().next().is_some());
    if !ran && said.iter().all(|s| s.value.is_none()) {
        return not_run(plan, scene, effects::default_action(&scene.input.event), "spec §3");
    }
    let all: Vec<usize> = (0..said.len()).collect();
    let (mut effect, merged, culprit) = assess(scene, &said, &all, runs.expired, None);
    let counts = |i: &usize| said.get(*i).is_some_and(|s| s.value.is_some() || s.exception.is_some());
    let causes = causes(all.into_iter().filter(counts).collect(), &effect, |which| {
        assess(scene, &said, which, runs.expired, None).0
    });
    let unknown = is_unknown(plan, runs, scene, &said, &effect);
    let failed =
        said.iter().any(|s| s.run.is_some_and(|r| r.output.failure.is_some())) || culprit.is_some() || runs.expired;
    let deciders = deciders(&said, &causes, culprit, &effect);
    let answers = said.iter().filter(|s| s.value.is_some()).count();
    let step = effect.decision_step(answers, "spec §13 to §15");
    let culprit = culprit.map(|index| {
        let why = said.get(index).and_then(|s| s.exception.clone());
        (index, why.unwrap_or_else(|| "its answer makes the agent throw an error".to_owned()))
    });
    let roles = RunRoles { causes: &causes, deciders: &deciders, culprit };
    let finished = said.iter().enumerate().filter_map(|(index, one)| Some((index, one.run?)));
    let event = events::EVENTS.by_name(&scene.input.event);
    let mut trace = explain_runs(scene, event, step, finished, &roles, runs.aborted);
    if let Some(decision) = trace.first_mut().filter(|_| runs.expired) {
        let seconds = plan.budget.unwrap_or_default().as_secs();
        decision.children.push(
            TraceStep::new(rules::DECIDE_BUDGET, format!("the agent waits {seconds} s for all hooks together"))
                .with_evidence(Evidence::Basis { text: "spec §6.5" }),
        );
    }
    if unknown {
        effect.unknown = true;
        let depends = "the agent's reaction depends on a hook that has no answer or may not exist";
        effect.summary = format!("{depends}; without it: {}", effect.summary);
    }
    let decided_by = deciders.iter().filter_map(|index| said.get(*index)).map(|one| one.hook.clone()).collect();
    Outcome { merged, decided_by, ..effect.into_outcome(runs.finished, failed, trace) }
}

/// Returns the outputs in the order of the plan. Async hooks have a fixed output; hooks that did not finish have
/// none.
fn interpret_runs<'a>(plan: &Plan, runs: FiringRuns<'a>, scene: &Scene) -> Vec<AggregatedRun<'a>> {
    let awaited = runs.in_plan_order();
    let mut out = Vec::new();
    for entry in plan.firing() {
        let Some(definition) = scene.loaded.definition(&entry.hook) else { continue };
        let run = awaited.iter().copied().find(|r| r.hook == entry.hook);
        let detached = runs.finished.iter().find(|r| r.hook == entry.hook && !r.awaited);
        let throws = run
            .filter(|_| version_behaviour::for_version(&scene.version).new_fields)
            .and_then(|r| exception_after(definition, plan, r, scene));
        let value = match run {
            Some(run) => run.output.value.clone(),
            None if definition.detached => Some(json!({"continue": true})),
            None => None,
        };
        let unanswered = run.is_some_and(|r| is_unanswered(&r.report));
        out.push(AggregatedRun {
            hook: entry.hook.clone(),
            run: run.or(detached),
            value,
            exception: throws,
            unanswered,
        });
    }
    out
}

/// Returns why the agent throws after this run: a name that is not a text, which only the usage statistics read,
/// or an answer that it cannot inspect. A command hook without a name is identified by its command line.
fn exception_after(definition: &HookDefinition, plan: &Plan, run: &HookRun, scene: &Scene) -> Option<String> {
    let command = matches!(definition.handler, Handler::Command(_));
    let value = |key: &'static str| Some((key, definition.raw.get(key).filter(|value| truthy(value))?));
    let named = value("name").or_else(|| value("command").filter(|_| command));
    if let Some((key, _)) = named.filter(|(_, value)| !value.is_string() && switches::counts_usage(scene)) {
        return Some(format!(
            "its `{key}` is not a string, and the agent throws an error when it counts the run in its statistics"
        ));
    }
    let event = scene.input.event.as_str();
    let sequential = plan.schedule == Schedule::Sequential;
    if run.output.value.as_ref().and_then(specific_output_error).is_some()
        && throws_at_once(event, &run.report.exit, sequential)
    {
        return Some("its hookSpecificOutput is not an object, and the agent throws an error".to_owned());
    }
    None
}

/// Evaluates some of the outputs: returns the effect, the merged output and the run that made the agent throw.
/// `instead` replaces one output.
fn assess(
    scene: &Scene,
    said: &[AggregatedRun<'_>],
    which: &[usize],
    expired: bool,
    instead: Option<(usize, &Value)>,
) -> (Effect, Option<Value>, Option<usize>) {
    if expired {
        return (effects::expired(scene), None, None);
    }
    if events::discards_output(&scene.input.event) {
        return (effects::effect(scene, None), None, None);
    }
    let of = |index: &usize| said.get(*index).map(|s| (*index, s));
    if let Some((index, why)) = which.iter().filter_map(of).find_map(|(i, s)| Some((i, s.exception.clone()?))) {
        let thrown = AgentException { culprit: index, message: why };
        return (effects::thrown(scene, &thrown), None, Some(index));
    }
    let value = |(index, said): (usize, &'_ AggregatedRun<'_>)| match instead {
        Some((i, value)) if i == index => Some((index, value.clone())),
        _ => said.value.clone().map(|v| (index, v)),
    };
    let values: Vec<(usize, Value)> = which.iter().filter_map(of).filter_map(value).collect();
    let outputs: Vec<&Value> = values.iter().map(|(_, v)| v).collect();
    match aggregate(&scene.input.event, &outputs) {
        Ok(merged) => (effects::effect(scene, merged.as_ref()), merged, None),
        Err(thrown) => {
            let culprit = values.get(thrown.culprit).map(|(index, _)| *index);
            (effects::thrown(scene, &thrown), None, culprit)
        }
    }
}

/// Returns the causes that decide; the others only contribute text.
fn deciders(said: &[AggregatedRun<'_>], causes: &[usize], culprit: Option<usize>, effect: &Effect) -> Vec<usize> {
    if let Some(culprit) = culprit.filter(|_| effect.failed_closed) {
        return vec![culprit];
    }
    let decisive = |vote: Vote| match effect.decision {
        Some(Verdict::Ask) => vote == Vote::Ask,
        Some(_) => vote == Vote::Allow,
        None => matches!(vote, Vote::Deny | Vote::Block | Vote::Ask),
    };
    if !effect.blocked && effect.decision.is_none() {
        return Vec::new();
    }
    let vote = |i: usize| said.get(i).and_then(|s| s.run).map_or(Vote::None, |r| r.output.vote);
    let chosen: Vec<usize> = causes.iter().copied().filter(|i| decisive(vote(*i))).collect();
    if chosen.is_empty() { causes.to_vec() } else { chosen }
}

/// Returns whether an unanswered question, or a hook that may or may not exist, could change the verdict.
fn is_unknown(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene, said: &[AggregatedRun<'_>], effect: &Effect) -> bool {
    let can_block = events::EVENTS.by_name(&scene.input.event).is_some_and(|e| e.blockable_action.is_some());
    let sealed = effect.failed_closed;
    if !can_block || sealed || runs.expired {
        return false;
    }
    if plan.entries.iter().any(|e| e.selection == Selection::Unknown)
        || runs.aborted.is_some_and(|_| effect.rule != rules::DECIDE_THROWN)
    {
        return true;
    }
    let all: Vec<usize> = (0..said.len()).collect();
    let possible = [
        json!({"continue": true, "decision": "allow"}),
        json!({"continue": false, "stopReason": "no", "decision": "block", "reason": "no"}),
    ];
    said.iter().enumerate().filter(|(_, s)| s.unanswered).any(|(index, _)| {
        possible.iter().any(|value| {
            let (other, _, _) = assess(scene, said, &all, false, Some((index, value)));
            let decision = |of: &Effect| (of.failed_closed, of.unknown, of.blocked, of.decision);
            decision(&other) != decision(effect)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::{TestFiring, run};
    use crate::qwen_code::rules;
    use hookbench_base::decide::Verdict;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// Runs hooks that exit with a status and print. Returns the verdict, blocked, reason and deciding hooks.
    fn decided(event: &str, hooks: &[(i32, &str, &str)]) -> (Verdict, bool, Option<String>, Vec<String>) {
        let outcome = run(&TestFiring::new(event, hooks));
        (outcome.verdict, outcome.blocked, outcome.reason, outcome.decided_by)
    }

    /// The agent throws on such a name while it counts usage, and only then.
    #[test]
    fn a_name_that_is_no_text() {
        let deny = r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
        let off = json!({"privacy": {"usageStatisticsEnabled": false}});
        let command = |name: Value| json!({"type": "command", "command": "run h1", "name": name});
        for (hook, settings, denies) in [
            (command(json!("guard")), json!({}), true),
            (command(json!(true)), json!({}), false),
            (command(json!(["a"])), json!({}), false),
            (command(json!(0)), json!({}), true),
            (command(json!(true)), off.clone(), true),
            (command(json!(true)), json!({"privacy": {"usageStatisticsEnabled": null}}), false),
            (command(json!(true)), json!({"privacy": 5}), false),
        ] {
            let mut sketch = TestFiring::new("PreToolUse", &[(0, deny, "")]);
            (sketch.hooks, sketch.settings) = (vec![hook.clone()], settings.clone());
            assert_eq!(run(&sketch).blocked, denies, "{hook} {settings}");
        }
    }

    #[test]
    fn edge_cases_of_the_specification() {
        let ask = r#"{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"A asks"}}"#;
        let hso = |word: &str| format!(r#"{{"hookSpecificOutput":{{"permissionDecision":"{word}"}}}}"#);
        let (allow, deny) = (hso("allow"), hso("deny"));
        let legacy = r#"{"decision":"deny","reason":"B denies"}"#;
        let say = |verdict, blocked, reason: Option<&str>, by: &[&str]| {
            (verdict, blocked, reason.map(str::to_owned), by.iter().map(|b| (*b).to_owned()).collect())
        };
        let no = Verdict::NoObjection;
        for (event, hooks, want) in [
            ("PreToolUse", vec![(0, "", "")], say(no, false, None, &[])),
            ("PreToolUse", vec![(2, "", "bad idea")], say(Verdict::Deny, true, Some("bad idea"), &["h1"])),
            ("PreToolUse", vec![(2, legacy, "")], say(Verdict::FailedOpen, false, None, &[])),
            ("PreToolUse", vec![(1, "", "boom")], say(Verdict::FailedOpen, false, None, &[])),
            ("PreToolUse", vec![(0, &deny, ""), (0, &allow, "")], say(no, false, None, &[])),
            (
                "PreToolUse",
                vec![(0, &allow, ""), (0, &deny, "")],
                say(Verdict::Deny, true, Some("No reason provided"), &["h2"]),
            ),
            ("PreToolUse", vec![(0, ask, ""), (0, legacy, "")], say(Verdict::Ask, false, Some("A asks"), &["h1"])),
            (
                "PreToolUse",
                vec![(2, "", "no"), (0, "hi", "")],
                say(Verdict::Deny, true, Some("no\nHook executed successfully"), &["h1"]),
            ),
            ("PermissionRequest", vec![(0, "hi", "")], say(no, false, None, &[])),
            (
                "PermissionRequest",
                vec![(0, "hi", ""), (0, "ho", "")],
                say(Verdict::Deny, true, Some("Permission denied by hook for \"run_shell_command\""), &["h1", "h2"]),
            ),
            ("TodoCreated", vec![(2, "", "no")], say(no, false, None, &[])),
            (
                "TodoCreated",
                vec![(2, "", "no"), (0, "hi", "")],
                say(Verdict::Deny, true, Some("no\nHook executed successfully"), &["h1"]),
            ),
            (
                "Stop",
                vec![(0, r#"{"continue":false,"stopReason":"SR","reason":"R"}"#, "")],
                say(Verdict::Deny, true, Some("SR"), &["h1"]),
            ),
            ("PostToolUse", vec![(2, "", "no")], say(no, false, None, &[])),
        ] {
            assert_eq!(decided(event, &hooks), want, "{event} {hooks:?}");
        }
        let thrown = decided("TodoCreated", &[(0, r#"{"hookSpecificOutput":"x"}"#, ""), (0, "hi", "")]);
        assert_eq!((thrown.0, thrown.1, thrown.3), (Verdict::FailedClosed, true, vec!["h1".to_owned()]));
    }

    #[test]
    fn an_unanswered_prompt_is_not_guessed() {
        let prompt = |event: &str, before: &[(i32, &str, &str)]| {
            let mut sketch = TestFiring::new(event, before);
            sketch.add_prompt_hook();
            run(&sketch).verdict
        };
        for (event, before, want) in [
            ("PreToolUse", vec![], Verdict::Unknown),
            ("PreToolUse", vec![(2, "", "no")], Verdict::Deny),
            ("SessionStart", vec![], Verdict::FailedOpen),
            ("Stop", vec![(0, r#"{"continue":false}"#, "")], Verdict::Deny),
        ] {
            assert_eq!(prompt(event, &before), want, "{event} {before:?}");
        }
    }

    #[test]
    fn the_cap_ends_a_turn() {
        let block = r#"{"decision":"block","reason":"more"}"#;
        for (blocked_before, want) in [(0, true), (6, true), (7, false)] {
            let mut sketch = TestFiring::new("Stop", &[(0, block, "")]);
            sketch.stops_blocked = blocked_before;
            assert_eq!(run(&sketch).blocked, want, "{blocked_before}");
        }
    }

    const ANSWERS: [(i32, &str, &str); 10] = [
        (0, "", ""),
        (2, "", "no"),
        (0, "text", ""),
        (1, "", "boom"),
        (0, r#"{"decision":"deny","reason":"r"}"#, ""),
        (0, r#"{"decision":"allow"}"#, ""),
        (0, r#"{"continue":false,"stopReason":"s"}"#, ""),
        (0, r#"{"hookSpecificOutput":{"permissionDecision":"ask","additionalContext":"c"}}"#, ""),
        (0, r#"{"hookSpecificOutput":{"permissionDecision":"allow","decision":{"behavior":"deny"}}}"#, ""),
        (0, r#"{"hookSpecificOutput":"odd"}"#, ""),
    ];
    const EVENTS: [&str; 8] = [
        "PreToolUse",
        "PostToolUse",
        "PostToolBatch",
        "UserPromptSubmit",
        "Stop",
        "PermissionRequest",
        "TodoCreated",
        "SessionStart",
    ];

    fn hooks_in(
        steps: &[hookbench_base::trace::TraceStep],
        rule: Option<hookbench_base::names::RuleId>,
    ) -> Vec<String> {
        let mut out = Vec::new();
        for step in steps.iter().chain(steps.iter().flat_map(|s| &s.children)) {
            if step.rule.as_str().starts_with("run.") && rule.is_none_or(|r| step.rule == r) {
                out.extend(step.evidence.iter().filter_map(|e| match e {
                    hookbench_base::trace::Evidence::Hook { hook } => Some(hook.clone()),
                    _ => None,
                }));
            }
        }
        out.sort();
        out
    }

    proptest! {
        /// Every run appears in the trace exactly once; removing a hook that is not a cause changes nothing.
        #[test]
        fn traces_are_complete_and_sound(
            event in prop::sample::select(&EVENTS[..]),
            answers in prop::collection::vec(prop::sample::select(&ANSWERS[..]), 1..5),
        ) {
            let whole = run(&TestFiring::new(event, &answers));
            let names: Vec<String> = (1..=answers.len()).map(|i| format!("h{i}")).collect();
            prop_assert_eq!(hooks_in(&whole.trace, None), names);
            let mut kept = hooks_in(&whole.trace, Some(rules::RUN_CAUSE));
            kept.extend(hooks_in(&whole.trace, Some(rules::RUN_CULPRIT)));
            let silenced: Vec<(i32, &str, &str)> = answers.iter().enumerate()
                .map(|(i, a)| if kept.contains(&format!("h{}", i + 1)) { *a } else { (0, "", "") }).collect();
            let less = run(&TestFiring::new(event, &silenced));
            let told = |o: &hookbench_base::decide::Outcome| (o.blocked, o.reason.clone(), o.additional_context.clone(), o.system_message.clone(), o.decided_by.clone());
            prop_assert_eq!(told(&whole), told(&less));
        }
    }

    #[test]
    fn merged_is_the_aggregators_object() {
        let outcome = run(&TestFiring::new("PostToolUse", &[(0, "{}", "")]));
        let want: Value = json!({"decision": "allow", "reason": "No reason provided"});
        assert_eq!(outcome.merged, Some(want));
    }
}
