//! Reads the answers of the runs (spec §5) and decides what Kimi Code does after them (spec §6).

use serde_json::Value;

use super::events::EVENTS;
use super::rules;
use crate::kernel::answer::{AnswerEnd, RunAnswer};
use crate::kernel::decision::{DecisionRules, RunWithAnswer, default_action};
use crate::kernel::effect::Effect;
use crate::shared::javascript::trim;
use hookbench_base::decide::{FiringRuns, Outcome};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::EventSpec;
use hookbench_base::output::{HookOutput, KeyUse, Vote};
use hookbench_base::plan::Plan;
use hookbench_base::run::RunReport;
use hookbench_base::text::{parse_value, replace_surrogates, to_js_string};

/// Reads the answer of a run. Only exit 0 has one.
fn read_answer(report: &RunReport) -> RunAnswer {
    let parse = |end: AnswerEnd, stdout: &str| match parse_value(trim(stdout)) {
        Ok(Value::Object(object)) if end == AnswerEnd::Code(0) => Some(object),
        _ => None,
    };
    RunAnswer::read(report, parse, |end| end.quiet_failure(&[0, 2]))
}

/// The reason with which a run denies, on an event that can be blocked.
fn denial(answer: &RunAnswer, event: &EventSpec) -> Option<String> {
    event.blockable_action?;
    let reason = if answer.exited_with(2) {
        trim(&answer.stderr)
    } else {
        answer.own("permissionDecision").filter(|word| word.as_str() == Some("deny"))?;
        trim(answer.own("permissionDecisionReason").and_then(Value::as_str).unwrap_or_default())
    };
    let usual = || format!("Blocked by {} hook", event.name);
    Some(if reason.is_empty() { usual() } else { replace_surrogates(reason).into_owned() })
}

/// The text that a run adds to a prompt: its message, or else everything that it prints.
fn added_text(answer: &RunAnswer) -> Option<String> {
    let scalar =
        |value: &Value| (!value.is_null() && !value.is_object() && !value.is_array()).then(|| to_js_string(value));
    let message = [answer.at(&["message"]), answer.own("message")].into_iter().find_map(|text| text.and_then(scalar));
    let texts = [message.unwrap_or_default(), answer.stdout.clone()];
    let text = texts.iter().map(|text| trim(text)).find(|text| !text.is_empty())?;
    answer.exited_with(0).then(|| replace_surrogates(text).into_owned())
}

/// Combines the answers of the runs, which are in the configured order.
fn effect(event: Option<&EventSpec>, name: &str, runs: &[RunWithAnswer<'_>]) -> Effect {
    let mut effect = Effect::quiet(rules::DECIDE_GOES_ON, default_action(name));
    let Some(event) = event else { return effect };
    if let Some((one, reason)) = runs.iter().find_map(|one| Some((one, denial(&one.answer, event)?))) {
        let (rule, does, seen_by) = match name {
            "Stop" => (
                rules::DECIDE_STOP_BLOCKED,
                "the agent continues once, with the reason as a message of the user",
                "the model",
            ),
            "UserPromptSubmit" => {
                (rules::DECIDE_DENY, "the model is not called; `kimi -p` ends with exit 1", "the user")
            }
            _ => (rules::DECIDE_DENY, "the tool does not run; the model gets the reason as an error", "the model"),
        };
        if name == "PreToolUse" {
            let told = format!("<system>ERROR: Tool execution failed.</system>\n{reason}");
            effect.extra.insert("told".to_owned(), Value::from(told));
        }
        effect.blocked = true;
        effect.reason = Some(reason);
        effect.decide(rule, one, does, Some(seen_by));
        return effect;
    }
    if name == "UserPromptSubmit" {
        let mut texts = Vec::new();
        for one in runs {
            let Some(text) = added_text(&one.answer) else { continue };
            texts.push(format!("<hook_result hook_event=\"UserPromptSubmit\">\n{text}\n</hook_result>"));
            effect.decide(rules::DECIDE_CONTEXT, one, "the model gets the text before the prompt", Some("the model"));
        }
        effect.context = (!texts.is_empty()).then(|| texts.join("\n"));
    }
    effect
}

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let name = scene.input.event.as_str();
    let event = EVENTS.by_name(name);
    let rules = DecisionRules {
        event,
        default_action: default_action(name),
        basis: ["measured on 2.1.0", "spec §1"],
        read: &|_, run| read_answer(&run.report),
        effect: &|runs| effect(event, name, runs),
    };
    rules.decide(plan, runs, scene)
}

/// The agent's interpretation of a run.
pub fn interpret(report: &RunReport, scene: &Scene) -> HookOutput {
    let answer = read_answer(report);
    let event = EVENTS.by_name(&scene.input.event);
    let is_prompt = scene.input.event == "UserPromptSubmit";
    let vote = match event.filter(|event| denial(&answer, event).is_some()) {
        Some(event) if event.name == "Stop" => Vote::Block,
        Some(_) => Vote::Deny,
        None => Vote::None,
    };
    let output = answer.output(report, event, vote, is_prompt, use_of);
    HookOutput { text: output.text.and_then(|_| added_text(&answer)), ..output }
}

fn use_of(event: &EventSpec, answer: &Value, pointer: &str, value: &Value) -> (KeyUse, String) {
    let denies = answer.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str) == Some("deny");
    let ignored = |why: String| (KeyUse::Ignored, why);
    if pointer == "/hookSpecificOutput/hookEventName" {
        return ignored("not checked".to_owned());
    }
    if !event.honoured_output.contains(&pointer) {
        return ignored(format!("not read on {}", event.name));
    }
    match pointer {
        "/hookSpecificOutput/permissionDecision" if denies => {
            (KeyUse::Used, event.blockable_action.unwrap_or_default().to_owned())
        }
        "/hookSpecificOutput/permissionDecision" if value.is_string() => ignored("only `deny` counts".to_owned()),
        "/hookSpecificOutput/permissionDecision" => (KeyUse::Invalid, "not a string".to_owned()),
        "/hookSpecificOutput/permissionDecisionReason" if !denies => ignored("only a deny has a reason".to_owned()),
        _ if value.is_object() || value.is_array() || value.is_null() => (KeyUse::Invalid, "not a text".to_owned()),
        "/hookSpecificOutput/permissionDecisionReason" => (KeyUse::Used, "the reason".to_owned()),
        _ if denies => ignored("a deny has only its reason".to_owned()),
        _ => (KeyUse::Used, "the model gets it before the prompt".to_owned()),
    }
}
