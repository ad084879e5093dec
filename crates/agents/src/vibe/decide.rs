//! Reads the answers of the runs (spec §5) and decides what Mistral Vibe does after them. The hooks of an event run one after
//! the other, and each gets what the one before it left.

use serde_json::Value;

use super::config::is_strict;
use super::events::EVENTS;
use super::rules;
use crate::kernel::answer::{AnswerEnd, RunAnswer};
use crate::kernel::decision::{DecisionRules, RunWithAnswer};
use crate::kernel::effect::Effect;
use crate::shared::missing_keys::list_fields;
use crate::shared::python::{is_truthy, to_text};
use hookbench_base::decide::{FiringRuns, HookRun, Outcome};
use hookbench_base::dialects::{NextStep, Scene};
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::output::{AnswerForm, FieldUse, HookOutput, KeyUse, Vote};
use hookbench_base::plan::Plan;
use hookbench_base::run::{Exit, RunReport};
use hookbench_base::text::{parse_value, replace_surrogates};

/// The object of an answer for everything but the decision.
const OWN: &str = "hook_specific_output";
/// How often hooks can make a turn go on.
pub const MOST_STOPS: u32 = 3;
/// The keys of a new input that its tool needs, if the old one has them.
const NEEDED: [&str; 5] = ["command", "file_path", "content", "old_string", "new_string"];

/// The request of a hook.
enum Request {
    Nothing,
    /// The reason is `None` if it is not known. A failure denies if the hook is strict.
    Deny {
        reason: Option<String>,
        is_failure: bool,
    },
    Input(Value),
    Context(String),
}

/// Reads the answer of a run. Only exit 0 has one.
fn read_answer(definition: &HookDefinition, report: &RunReport) -> RunAnswer {
    let parse = |end: AnswerEnd, stdout: &str| match parse_value(stdout.trim()) {
        Ok(Value::Object(object)) if end == AnswerEnd::Code(0) => Some(object),
        _ => None,
    };
    let is_silent = report.stdout.text().trim().is_empty();
    let effect = if is_strict(definition) { "which `strict` makes a denial" } else { "which does not block" };
    let failure = |end: AnswerEnd| match end {
        AnswerEnd::Code(2) if is_strict(definition) => None,
        AnswerEnd::Code(0) => (!is_silent).then(|| format!("stdout is not one JSON object, {effect}")),
        AnswerEnd::Code(code) => Some(format!("it exited with {code}, {effect}")),
        other => other.without_status().map(|how| format!("{how}, {effect}")),
    };
    RunAnswer::read(report, parse, failure)
}

/// The reason of a failure, as the agent words it. What its JSON reader says about a text is left out.
fn failure_reason(answer: &RunAnswer, report: &RunReport) -> Option<String> {
    let printed = [&answer.stderr, &answer.stdout].into_iter().map(|text| text.trim()).find(|text| !text.is_empty());
    let status = match report.exit {
        Exit::Code(0) => return Some("stdout did not match the hook response schema".to_owned()),
        Exit::TimedOut { .. } => return Some("timed out".to_owned()),
        Exit::Code(code) => code,
        Exit::Signal(signal) => -signal,
        _ => return answer.failure.clone(),
    };
    Some(printed.map_or_else(|| format!("exited with code {status}"), str::to_owned))
}

/// The reason of a denial: as Python prints it, or the agent's own words.
fn denial_reason(event: &str, answer: &RunAnswer) -> Option<String> {
    let usual = match event {
        "pre_tool" => "Blocked by a pre_tool hook.",
        "post_tool" => "The tool result was blocked by a post_tool hook.",
        _ => "A post_agent hook asked the agent to revise its response.",
    };
    let own = answer.at(&["reason"]).filter(|reason| is_truthy(reason));
    own.map_or_else(|| Some(usual.to_owned()), |own| Some(replace_surrogates(&to_text(own)?).into_owned()))
}

fn request(event: &str, definition: &HookDefinition, report: &RunReport, answer: &RunAnswer) -> Request {
    if answer.failure.is_some() || answer.exited_with(2) {
        let counts = is_strict(definition) && event != "post_agent";
        let (reason, is_failure) = (failure_reason(answer, report), event == "post_tool" || !answer.exited_with(2));
        return if counts { Request::Deny { reason, is_failure } } else { Request::Nothing };
    }
    if answer.at(&["decision"]).and_then(Value::as_str) == Some("deny") {
        return Request::Deny { reason: denial_reason(event, answer), is_failure: false };
    }
    match answer.at(&[OWN, "tool_input"]) {
        Some(input) if event == "pre_tool" && input.is_object() => Request::Input(input.clone()),
        _ => context(event, answer).map_or(Request::Nothing, Request::Context),
    }
}

/// The text that a hook adds to a result, also beside a denial.
fn context(event: &str, answer: &RunAnswer) -> Option<String> {
    let text = answer.at(&[OWN, "additional_context"])?.as_str()?;
    (event == "post_tool" && !text.is_empty()).then(|| replace_surrogates(text).into_owned())
}

/// The action of the agent if no hook decides.
fn default_action(event: &str) -> &'static str {
    match event {
        "pre_tool" => "the tool runs, if its permission allows it",
        "post_tool" => "the model gets the unchanged tool result",
        "post_agent" => "the agent stops",
        _ => "the agent continues",
    }
}

/// Combines the answers of the runs, which are in their order. A denial or an input replaces what came before it.
fn effect(event: &str, runs: &[RunWithAnswer<'_>], stops: u32) -> Effect {
    let quiet = Effect::quiet(rules::DECIDE_GOES_ON, default_action(event));
    let (mut effect, mut contexts) = (quiet.clone(), Vec::new());
    let told = Some("the model");
    for one in runs {
        match request(event, one.definition, &one.run.report, &one.answer) {
            Request::Nothing => {}
            Request::Deny { .. } if event == "post_agent" && stops >= MOST_STOPS => {
                effect.decide(rules::DECIDE_STOP_USED, one, default_action(event), None);
            }
            Request::Deny { reason, is_failure } => {
                effect = Effect { blocked: true, failed_closed: is_failure, ..quiet.clone() };
                let (rule, does) = match event {
                    "post_agent" => (rules::DECIDE_STOP_BLOCKED, "the agent continues, with the reason as a message"),
                    "post_tool" if is_failure => (rules::DECIDE_STRICT, "the model gets an empty result"),
                    "post_tool" => (rules::DECIDE_RESULT, "the model gets the reason instead of the result"),
                    _ if is_failure => (rules::DECIDE_STRICT, "the tool does not run; the model gets the reason"),
                    _ => (rules::DECIDE_DENY, "the tool does not run; the model gets the reason"),
                };
                effect.reason = reason.filter(|_| event != "post_tool" || !is_failure);
                effect.decide(rule, one, does, told);
                contexts = context(event, &one.answer).into_iter().collect();
            }
            Request::Input(input) => {
                effect = quiet.clone();
                if is_usable(one.run, &input) {
                    effect.decide(rules::DECIDE_INPUT, one, "the tool runs with the input of the hook", told);
                } else {
                    effect.unknown = true;
                    effect.decide(rules::DECIDE_BAD_INPUT, one, "the run ends if the tool cannot use the input", None);
                }
                effect.updated_input = Some(input);
            }
            Request::Context(text) => {
                contexts.push(text);
                if effect.blocked {
                    effect.contribute(one);
                } else {
                    effect.decide(rules::DECIDE_CONTEXT, one, "the model gets the text after the result", told);
                }
            }
        }
    }
    effect.context = (!contexts.is_empty()).then(|| contexts.join("\n\n"));
    effect
}

/// Whether a new input has a text for each key that the tool needs.
fn is_usable(run: &HookRun, input: &Value) -> bool {
    let has = |input: Option<&Value>, key| input.and_then(|input| input.get(key)).is_some_and(Value::is_string);
    NEEDED.iter().all(|key| has(Some(input), key) || !has(run.input.body.get("tool_input"), key))
}

/// The input of the next hook.
pub fn after_run(run: &HookRun, scene: &Scene) -> NextStep {
    let Some(definition) = scene.loaded.definition(&run.hook) else { return NextStep::SameInput };
    let (event, answer) = (scene.input.event.as_str(), read_answer(definition, &run.report));
    let mut body = run.input.body.clone();
    let result = body.get("tool_output_text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let changes = match request(event, definition, &run.report, &answer) {
        Request::Nothing => return NextStep::SameInput,
        Request::Deny { .. } if event != "post_tool" => {
            return NextStep::Abort(format!("{} denies, so the hooks after it do not start", definition.label()));
        }
        Request::Deny { reason, is_failure } => {
            let text = reason.filter(|_| !is_failure).into_iter().chain(context(event, &answer)).collect::<String>();
            vec![("tool_output", Value::Null), ("tool_output_text", Value::from(text))]
        }
        Request::Input(input) => vec![("tool_input", input)],
        Request::Context(text) => vec![("tool_output_text", Value::from(result + &text))],
    };
    if let Some(keys) = body.as_object_mut() {
        keys.extend(changes.into_iter().map(|(key, value)| (key.to_owned(), value)));
    }
    NextStep::NewInput(body)
}

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let name = scene.input.event.as_str();
    let rules = DecisionRules {
        event: EVENTS.by_name(name),
        default_action: default_action(name),
        basis: ["measured on 3.0.2", "spec §1"],
        read: &|definition, run| read_answer(definition, &run.report),
        effect: &|runs| effect(name, runs, scene.memory.stops_blocked),
    };
    rules.decide(plan, runs, scene)
}

/// The agent's interpretation of a run.
pub fn interpret(definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
    let (answer, name) = (read_answer(definition, report), scene.input.event.as_str());
    let value = answer.object.clone().map(Value::Object);
    let fields = EVENTS.by_name(name).zip(value.as_ref()).map(|(event, value)| fields(event, value));
    HookOutput {
        form: answer.form,
        text: None,
        failure: answer.failure.clone(),
        vote: match request(name, definition, report, &answer) {
            Request::Deny { .. } if name == "post_agent" => Vote::Block,
            Request::Deny { .. } => Vote::Deny,
            _ => Vote::None,
        },
        fields: fields.unwrap_or_default(),
        notes: Vec::new(),
        trace: vec![answer.step(report, is_strict(definition) && answer.form != AnswerForm::Json)],
        value,
    }
}

fn fields(event: &EventSpec, answer: &Value) -> Vec<FieldUse> {
    let denies = answer.get("decision").and_then(Value::as_str) == Some("deny");
    let judge = |pointer: &str, value: &Value| match pointer {
        _ if !event.honoured_output.contains(&pointer) => (KeyUse::Ignored, format!("not read on {}", event.name)),
        "/decision" if denies => (KeyUse::Used, event.blockable_action.unwrap_or_default().to_owned()),
        "/decision" => (KeyUse::Ignored, "only `deny` counts".to_owned()),
        "/reason" if denies => (KeyUse::Used, "the reason".to_owned()),
        "/reason" => (KeyUse::Ignored, "only a deny has a reason".to_owned()),
        "/hook_specific_output/tool_input" if denies => (KeyUse::Ignored, "a deny has only its reason".to_owned()),
        "/hook_specific_output/tool_input" if value.is_object() => (KeyUse::Used, "the new input".to_owned()),
        "/hook_specific_output/tool_input" => (KeyUse::Invalid, "not an object".to_owned()),
        _ if value.is_string() => (KeyUse::Used, "the model gets it after the result".to_owned()),
        _ => (KeyUse::Invalid, "not a text".to_owned()),
    };
    list_fields(answer, |pointer| pointer == "/hook_specific_output", judge)
}
