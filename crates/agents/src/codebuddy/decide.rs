//! Reads the answers of the runs (spec §5) and decides what CodeBuddy does after them (spec §6).

use serde_json::{Map, Value};

use super::events::{EVENTS, is_unobserved};
use super::{config, rules};
use crate::kernel::answer::{AnswerEnd, RunAnswer};
use crate::kernel::decision::{DecisionRules, RunWithAnswer, default_action};
use crate::kernel::effect::Effect;
use crate::kernel::merged::MergedAnswers;
use crate::shared::javascript::{spread, trim};
use hookbench_base::decide::{FiringRuns, Outcome, Verdict};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::output::{AnswerForm, HookOutput, KeyUse, Vote};
use hookbench_base::plan::Plan;
use hookbench_base::run::{Exit, RunReport};
use hookbench_base::text::{parse_value, to_js_string, truthy};

const WORD: &str = "permissionDecision";
const CONTEXT: &str = "additionalContext";
const INPUT: &str = "updatedInput";
const EVENT: &str = "hookEventName";

/// Whether the model gets what a hook of this event prints.
pub fn takes_text(event: &str) -> bool {
    ["UserPromptSubmit", "SessionStart"].contains(&event)
}

/// Reads the answer of a run: one object on stdout, with any exit status and after a signal.
fn read_answer(report: &RunReport) -> RunAnswer {
    let parse = |end: AnswerEnd, stdout: &str| match parse_value(trim(stdout)) {
        Ok(Value::Object(object)) if end != AnswerEnd::TimedOut => Some(object),
        _ => None,
    };
    let failure = |end: AnswerEnd| match end {
        AnswerEnd::Signal => Some("killed by a signal, which blocks".to_owned()),
        AnswerEnd::TimedOut => Some("it ran out of time, which blocks".to_owned()),
        other => other.quiet_failure(&[0, 2]),
    };
    let mut answer = RunAnswer::read(report, parse, failure);
    if answer.at(&["async"]) == Some(&Value::Bool(true)) {
        // The agent goes on at once, whatever else the hook answers.
        (answer.object, answer.end) = (Some(Map::new()), AnswerEnd::Code(0));
    }
    answer
}

/// Whether an answer lets the action go on. A status other than 0 and 2 allows, whatever stdout says at top level.
fn is_allowed(answer: &RunAnswer) -> bool {
    let own = answer.own(WORD).filter(|word| truthy(word));
    let stated = match (own.is_some(), own.or_else(|| answer.at(&["decision"])).and_then(Value::as_str)) {
        (true, Some("deny")) | (false, Some("block")) => Some(false),
        (true, Some("allow")) | (false, Some("approve")) => Some(true),
        (true, _) => None,
        (false, _) => answer.at(&["continue"]).and_then(Value::as_bool),
    };
    match answer.end {
        AnswerEnd::Code(2) | AnswerEnd::TimedOut | AnswerEnd::NotStarted => false,
        AnswerEnd::Code(0) => stated.unwrap_or(true),
        AnswerEnd::Code(_) => true,
        AnswerEnd::Signal => stated.unwrap_or(false),
    }
}

/// The message of a run: the reason of its answer, or else its text.
fn message(one: &RunWithAnswer<'_>) -> Option<String> {
    let (answer, timeout) = (&one.answer, one.definition.raw.get("timeout"));
    let said = match (&answer.object, answer.end) {
        (_, AnswerEnd::TimedOut) => format!("Hook timed out after {}ms", config::milliseconds(timeout)),
        (_, AnswerEnd::NotStarted) => answer.failure.clone().unwrap_or_default(),
        (Some(object), _) => {
            let mut reasons = ["stopReason", "reason", "systemMessage"].iter().filter_map(|key| object.get(*key));
            reasons.find(|reason| truthy(reason)).map(to_js_string).unwrap_or_default()
        }
        // Other JSON than an object says nothing.
        (None, _) => match parse_value(trim(&answer.stdout)) {
            Ok(value) if !value.is_null() => String::new(),
            _ => trim(&answer.stdout).to_owned(),
        },
    };
    let stderr = Some(trim(&answer.stderr).to_owned()).filter(|_| answer.exited_with(2));
    Some(said).into_iter().chain(stderr).find(|text| !text.is_empty())
}

/// Blocks by all runs that do not allow. The reason is what all runs say, each in a line.
fn block(effect: &mut Effect, runs: &[RunWithAnswer<'_>], rule: rules::DecisionRule, does: &'static str, usual: &str) {
    for one in runs.iter().filter(|one| !is_allowed(&one.answer)) {
        effect.decide(rule, one, does, Some("the model"));
    }
    runs.iter().filter(|one| message(one).is_some()).for_each(|one| effect.contribute(one));
    let said: Vec<String> = runs.iter().filter_map(message).collect();
    effect.blocked = true;
    effect.reason = Some(if said.is_empty() { usual.to_owned() } else { said.join("\n") });
}

fn before_tool(effect: &mut Effect, answers: &MergedAnswers<'_>, scene: &Scene) {
    let own = answers.own(WORD).filter(|_| answers.is_of("PreToolUse"));
    let word = own.and_then(|(word, _)| word.as_str()).filter(|word| ["deny", "allow", "ask"].contains(word));
    let blocking: Vec<_> = answers.runs.iter().filter(|one| !is_allowed(&one.answer)).collect();
    let does = match word {
        Some("allow") => "the tool runs, whatever other hooks block",
        Some("ask") if scene.headless => "all hooks of the call run a second time, and with -y the tool runs",
        Some("ask") => "the user is asked",
        _ => default_action("PreToolUse"),
    };
    let denies = "the tool does not run; the model gets the reason as an error";
    if word == Some("ask") {
        effect.extra.insert("hooks_run_again".to_owned(), Value::from(true));
    }
    if word == Some("deny") || word != Some("allow") && !blocking.is_empty() {
        let usual = if word.is_some() { "Operation blocked" } else { "Blocked by PreToolUse hook" };
        block(effect, answers.runs, rules::DECIDE_BLOCK, denies, usual);
        effect.failed_closed =
            word.is_none() && blocking.iter().all(|one| one.answer.object.is_none() && !one.answer.exited_with(2));
        if let Some((_, one)) = own.filter(|_| word == Some("deny")) {
            effect.deciders.clear();
            effect.decide(rules::DECIDE_LAST_DECISION, one, denies, Some("the model"));
        }
        effect.reason = answers
            .own("permissionDecisionReason")
            .map(|(reason, _)| to_js_string(reason))
            .or_else(|| effect.reason.take());
        let told = format!("Error: {}", effect.reason.as_deref().unwrap_or_default());
        effect.extra.insert("told".to_owned(), Value::from(told));
    } else if let Some((_, one)) = own.filter(|_| word.is_some()) {
        effect.decide(rules::DECIDE_LAST_DECISION, one, does, None);
        effect.decision = match word {
            Some("allow") => Some(Verdict::Allow),
            _ if !scene.headless => Some(Verdict::Ask),
            _ => None,
        };
    }
    [WORD, "permissionDecisionReason", EVENT]
        .iter()
        .filter_map(|key| answers.source(key))
        .for_each(|one| effect.contribute(one));
    if let Some((update, one)) = answers.own(INPUT).filter(|_| !effect.blocked) {
        if effect.deciders.is_empty() {
            effect.decide(rules::DECIDE_REWRITE, one, "the tool gets the new input, if its permission allows it", None);
        }
        effect.contribute(one);
        // The tool refuses an input that is not an object, whatever that is.
        effect.unknown = !update.is_object();
        let before = scene.input.body.get("tool_input").map(spread).unwrap_or_default();
        let mut after = before.clone();
        after.extend(spread(update));
        effect.updated_input = (after != before).then_some(Value::Object(after));
    }
}

/// The context of the last run that has one, or else what all runs print.
fn context(effect: &mut Effect, answers: &MergedAnswers<'_>, event: &str) {
    let told = "the model gets the text as a reminder";
    if let Some((context, one)) = answers.own(CONTEXT).filter(|_| takes_text(event) || answers.is_of(event)) {
        effect.context = Some(to_js_string(context));
        effect.decide(rules::DECIDE_CONTEXT, one, told, Some("the model"));
    } else if takes_text(event) {
        let is_off = |answer: &RunAnswer| answer.at(&["suppressOutput"]).is_some_and(|off| *off == true);
        let mut texts = Vec::new();
        for one in answers.runs.iter().filter(|one| !one.answer.stdout.is_empty() && !is_off(&one.answer)) {
            effect.decide(rules::DECIDE_TEXT, one, told, Some("the model"));
            texts.push(one.answer.stdout.as_str());
        }
        effect.context = (!texts.is_empty()).then(|| texts.join("\n"));
    }
    [CONTEXT, EVENT].iter().filter_map(|key| answers.source(key)).for_each(|one| effect.contribute(one));
}

/// Combines the answers of the runs.
fn effect(scene: &Scene, runs: &[RunWithAnswer<'_>]) -> Effect {
    let name = scene.input.event.as_str();
    let answers = MergedAnswers::of(runs);
    let mut effect = Effect::quiet(rules::DECIDE_GOES_ON, default_action(name));
    let is_blocked = runs.iter().any(|one| !is_allowed(&one.answer));
    let is_unknown = |one: &&RunWithAnswer<'_>| match one.run.report.exit {
        Exit::Unanswered => true,
        _ => is_unobserved(name) && (one.answer.form != AnswerForm::Nothing || one.answer.exited_with(2)),
    };
    for one in runs.iter().filter(is_unknown) {
        effect.decide(rules::DECIDE_UNOBSERVED, one, default_action(name), None);
        effect.unknown = true;
    }
    match name {
        _ if effect.unknown => {}
        "PreToolUse" => before_tool(&mut effect, &answers, scene),
        "UserPromptSubmit" if is_blocked => {
            let does = "the model is not called; `codebuddy -p` names the reason on stderr and ends with exit 0";
            block(&mut effect, runs, rules::DECIDE_BLOCK, does, "User input blocked by hook");
            effect.seen_by = Some("the user");
        }
        "PostToolUse" | "UserPromptSubmit" | "SessionStart" => context(&mut effect, &answers, name),
        "Stop" if is_blocked && scene.headless => {
            let does = "the run ends; `codebuddy -p` reads no answer of this event";
            effect = Effect::quiet(rules::DECIDE_STOP_ENDS, does);
        }
        "Stop" if is_blocked && runs.iter().any(|one| message(one).is_some()) => {
            let does = "in a terminal the agent continues, with the reason as a message";
            block(&mut effect, runs, rules::DECIDE_STOP_BLOCKED, does, "");
            effect.reason = effect.reason.map(|reason| format!("Stop hook: {reason}"));
        }
        _ => {}
    }
    effect
}

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let name = scene.input.event.as_str();
    let rules = DecisionRules {
        event: EVENTS.by_name(name),
        default_action: default_action(name),
        basis: ["measured on 2.117.0", "spec §1"],
        read: &|_, run| read_answer(&run.report),
        effect: &|runs| effect(scene, runs),
    };
    rules.decide(plan, runs, scene)
}

/// The agent's interpretation of a run.
pub fn interpret(_: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
    let answer = read_answer(report);
    let event = EVENTS.by_name(&scene.input.event);
    let vote = match (scene.input.event.as_str(), is_allowed(&answer), answer.own(WORD).and_then(Value::as_str)) {
        _ if report.exit == Exit::Unanswered => Vote::None,
        ("PreToolUse", _, Some("deny")) | ("PreToolUse" | "UserPromptSubmit", false, _) => Vote::Deny,
        ("PreToolUse", _, Some("allow")) => Vote::Allow,
        ("PreToolUse", _, Some("ask")) => Vote::Ask,
        ("Stop", false, _) if !scene.headless => Vote::Block,
        _ => Vote::None,
    };
    answer.output(report, event, vote, takes_text(&scene.input.event), use_of)
}

fn use_of(event: &EventSpec, answer: &Value, pointer: &str, value: &Value) -> (KeyUse, String) {
    let (key, word) = (pointer.rsplit('/').next().unwrap_or_default(), value.as_str().unwrap_or_default());
    let has_own = answer.pointer("/hookSpecificOutput/permissionDecision").is_some_and(truthy);
    let is_read = key == EVENT || event.honoured_output.contains(&pointer);
    let (key_use, says) = match (key, word) {
        _ if !is_read => return (KeyUse::Ignored, format!("not read on {}", event.name)),
        (EVENT, name) if name != event.name => (KeyUse::Ignored, "another event: keys beside it may not count"),
        ("decision" | "continue", _) if has_own => (KeyUse::Ignored, "`permissionDecision` counts before it"),
        (WORD, "deny") | ("decision", "block") => (KeyUse::Used, event.blockable_action.unwrap_or_default()),
        (WORD, "allow") | ("decision", "approve") => (KeyUse::Used, "it allows"),
        (WORD, "ask") => (KeyUse::Used, "all hooks of the call run twice; with -y the tool runs"),
        (WORD | "decision", _) => (KeyUse::Invalid, "an unknown word does not count"),
        ("continue", _) if *value == false => (KeyUse::Used, "it blocks as `block` does, and the run continues"),
        (INPUT, _) if truthy(value) && !value.is_object() => (KeyUse::Invalid, "not an object: the call fails"),
        _ if !truthy(value) || key == "continue" => (KeyUse::Ignored, "without effect"),
        _ => (KeyUse::Used, "it counts"),
    };
    (key_use, says.to_owned())
}
