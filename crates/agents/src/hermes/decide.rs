//! Reads the answers of the runs (spec §5) and decides what Hermes Agent does after them.

use serde_json::{Value, json};

use super::events::EVENTS;
use super::rules;
use crate::kernel::answer::{AnswerEnd, RunAnswer};
use crate::kernel::decision::{DecisionRules, RunWithAnswer};
use crate::kernel::effect::Effect;
use crate::shared::python::{is_truthy, to_text};
use hookbench_base::decide::{FiringRuns, Outcome};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::EventSpec;
use hookbench_base::output::{HookOutput, KeyUse, Vote};
use hookbench_base::plan::Plan;
use hookbench_base::run::RunReport;
use hookbench_base::text::{parse_value, replace_surrogates, stringify};

/// How often hooks can make a turn go on.
pub const MOST_STOPS: u32 = 3;
/// The longest text beside a prompt, in characters. The agent writes a longer one to a file.
const LONGEST_CONTEXT: usize = 10_000;

/// The request of a hook.
#[derive(Debug, PartialEq, Eq)]
enum Request {
    Nothing,
    Block(String),
    Context(String),
}

/// Reads the answer of a run. Every end but the time limit has one.
fn read_answer(report: &RunReport) -> RunAnswer {
    let is_text = report.stdout.is_utf8() && report.stderr.is_utf8();
    let parse = |end: AnswerEnd, stdout: &str| match parse_value(stdout.trim()) {
        Ok(Value::Object(object)) if is_text && end != AnswerEnd::TimedOut => Some(object),
        _ => None,
    };
    let failure = |end: AnswerEnd| match end {
        AnswerEnd::Code(0) => None,
        AnswerEnd::Code(code) => Some(format!("exit {code} does not block; only a JSON answer does")),
        other => other.quiet_failure(&[]),
    };
    RunAnswer::read(report, parse, failure)
}

/// The request of an answer on an event.
fn request(event: &str, answer: &RunAnswer) -> Request {
    let key = |name: &str| answer.at(&[name]);
    let is = |name: &str, word: &str| key(name).and_then(Value::as_str) == Some(word);
    let words = |keys: [&str; 2]| keys.into_iter().find_map(|name| key(name).filter(|value| is_truthy(value)));
    let text = |keys| words(keys).and_then(Value::as_str).map(|text| replace_surrogates(text).into_owned());
    match event {
        "pre_tool_call" if is("action", "block") || is("decision", "block") => {
            let keys = if is("action", "block") { ["message", "reason"] } else { ["reason", "message"] };
            Request::Block(text(keys).unwrap_or_else(|| "Blocked by shell hook.".to_owned()))
        }
        "pre_verify" => {
            let word = words(["action", "decision"]).and_then(to_text).unwrap_or_default().trim().to_lowercase();
            let text = text(["message", "reason"]).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
            text.filter(|_| ["continue", "block"].contains(&word.as_str())).map_or(Request::Nothing, Request::Block)
        }
        "pre_llm_call" => {
            let text = key("context").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
            text.map_or(Request::Nothing, |text| Request::Context(replace_surrogates(text).into_owned()))
        }
        _ => Request::Nothing,
    }
}

/// The action of the agent if no hook decides.
fn default_action(event: &str) -> &'static str {
    match event {
        "pre_tool_call" => "the tool runs, if its permission allows it",
        "post_tool_call" | "transform_tool_result" | "transform_terminal_output" => {
            "the model gets the unchanged tool result"
        }
        "pre_llm_call" => "the prompt is sent to the model",
        "pre_verify" => "the agent stops",
        "transform_llm_output" => "the user gets the unchanged answer",
        _ => "the agent continues",
    }
}

/// Combines the answers of the runs, which are in the configured order.
fn effect(event: &str, runs: &[RunWithAnswer<'_>]) -> Effect {
    let mut effect = Effect::quiet(rules::DECIDE_GOES_ON, default_action(event));
    let mut contexts = Vec::new();
    for one in runs {
        match request(event, &one.answer) {
            Request::Block(reason) if !effect.blocked => {
                let (rule, does) = if event == "pre_verify" {
                    (rules::DECIDE_STOP_BLOCKED, "the agent continues, with the text as a message of the user")
                } else {
                    effect
                        .extra
                        .insert("told".to_owned(), json!(format!("{{\"error\": {}}}", stringify(&json!(reason)))));
                    (rules::DECIDE_DENY, "the tool does not run; the model gets the reason as an error")
                };
                effect.blocked = true;
                effect.reason = Some(reason);
                effect.decide(rule, one, does, Some("the model"));
            }
            Request::Context(text) => {
                effect.decide(
                    rules::DECIDE_CONTEXT,
                    one,
                    "the model gets the text after the prompt",
                    Some("the model"),
                );
                // The agent writes a longer text to a file whose name is not known.
                effect.unknown |= text.chars().count() > LONGEST_CONTEXT;
                contexts.push(text);
            }
            Request::Nothing | Request::Block(_) => {}
        }
    }
    effect.context = (!contexts.is_empty()).then(|| contexts.join("\n\n"));
    effect
}

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let name = scene.input.event.as_str();
    let rules = DecisionRules {
        event: EVENTS.by_name(name),
        default_action: default_action(name),
        basis: ["measured on 0.19.0", "spec §1"],
        read: &|_, run| read_answer(&run.report),
        effect: &|runs| effect(name, runs),
    };
    rules.decide(plan, runs, scene)
}

/// The agent's interpretation of a run.
pub fn interpret(report: &RunReport, scene: &Scene) -> HookOutput {
    let (answer, event) = (read_answer(report), EVENTS.by_name(&scene.input.event));
    let vote = match (request(&scene.input.event, &answer), scene.input.event.as_str()) {
        (Request::Block(_), "pre_verify") => Vote::Block,
        (Request::Block(_), _) => Vote::Deny,
        _ => Vote::None,
    };
    let output =
        answer.output(report, event, vote, false, |event, _, pointer, value| use_of(event, &answer, pointer, value));
    HookOutput { trace: vec![answer.step(report, false)], ..output }
}

fn use_of(event: &EventSpec, answer: &RunAnswer, pointer: &str, value: &Value) -> (KeyUse, String) {
    let ignored = |why: &str| (KeyUse::Ignored, why.to_owned());
    if !event.honoured_output.contains(&pointer) {
        return (KeyUse::Ignored, format!("not read on {}", event.name));
    }
    let is_block = matches!(request(event.name, answer), Request::Block(_));
    match pointer {
        "/context" if value.as_str().is_some_and(|text| !text.trim().is_empty()) => {
            (KeyUse::Used, "the model gets it after the prompt".to_owned())
        }
        "/context" => (KeyUse::Invalid, "not a text".to_owned()),
        "/decision" | "/action"
            if is_block && value.as_str().is_some_and(|word| ["block", "continue"].contains(&word)) =>
        {
            (KeyUse::Used, event.blockable_action.unwrap_or_default().to_owned())
        }
        "/decision" | "/action" if value == "block" => ignored("only a block with a text counts"),
        "/decision" | "/action" => ignored("only `block` counts"),
        _ if !is_block => ignored("only a block has a reason"),
        _ if value.is_string() => (KeyUse::Used, "the reason".to_owned()),
        _ => (KeyUse::Invalid, "not a text".to_owned()),
    }
}
