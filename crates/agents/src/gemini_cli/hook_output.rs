//! Shows one run to the user: its vote, and whether the agent uses each key of its answer.

use crate::gemini_cli::rules;
use serde_json::Value;

use super::answer::{TypedOutput, read_answer};
use super::{events, tools};
use crate::shared::gemini_fork::answer::{HookAnswer, specific_output_error};
use crate::shared::missing_keys::list_fields;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::EventSpec;
use hookbench_base::output::{AnswerForm, FieldUse, HookOutput, KeyUse, Vote};
use hookbench_base::run::RunReport;
use hookbench_base::trace::TraceStep;

/// Returns the agent's interpretation of a run.
pub fn read(report: &RunReport, scene: &Scene) -> HookOutput {
    let answer = read_answer(report);
    let mut output = HookOutput {
        form: answer.form,
        value: answer.value.clone(),
        text: answer.text.clone(),
        failure: answer.failure.clone(),
        ..HookOutput::default()
    };
    if let (Some(event), Some(value)) = (events::EVENTS.by_name(&scene.input.event), &answer.value) {
        output.vote = vote(event, value, answer.form);
        if answer.form == AnswerForm::Json {
            output.fields = fields(scene, event, value);
        }
    }
    output.trace = vec![step(&answer, report)];
    output
}

/// Explains how the answer was read, citing its stream.
fn step(answer: &HookAnswer, report: &RunReport) -> TraceStep {
    let stream = answer.stream_name();
    let exit = report.exit.describe();
    let denies = answer.value.as_ref().is_some_and(|value| TypedOutput(value).blocks());
    let step = match (answer.form, &answer.failure) {
        (AnswerForm::Json, _) => {
            TraceStep::new(rules::OUTPUT_JSON, format!("its answer is the JSON on {stream} ({exit})"))
        }
        (AnswerForm::Text, None) if denies => {
            TraceStep::new(rules::OUTPUT_TEXT, format!("{exit} with text on {stream} denies"))
        }
        (AnswerForm::Text, None) => {
            TraceStep::new(rules::OUTPUT_TEXT, format!("the text on {stream} is a message for the user ({exit})"))
        }
        (AnswerForm::Nothing, None) if answer.stream.is_some() => TraceStep::new(
            rules::OUTPUT_NO_OBJECT,
            format!("the JSON on {stream} is not an object, so it is ignored ({exit})"),
        ),
        (AnswerForm::Nothing, None) => TraceStep::new(rules::OUTPUT_NOTHING, format!("it gave no answer ({exit})")),
        (_, why) => TraceStep::new(rules::OUTPUT_FAILED, why.clone().unwrap_or(exit)),
    };
    answer.cite(step, report)
}

fn vote(event: &EventSpec, value: &Value, form: AnswerForm) -> Vote {
    let typed = TypedOutput(value);
    let tool = event.name == "BeforeTool";
    match typed.decision() {
        _ if event.blockable_action.is_none() => Vote::None,
        _ if typed.stops() => Vote::Block,
        Some("deny" | "block") => {
            if tool {
                Vote::Deny
            } else {
                Vote::Block
            }
        }
        Some("ask") if tool => Vote::Ask,
        // Text that does not deny is not a vote, whatever decision the agent fills in.
        Some("allow") if form == AnswerForm::Json => Vote::Allow,
        _ => Vote::None,
    }
}

/// Collects every key with its use, descending into `hookSpecificOutput`.
fn fields(scene: &Scene, event: &EventSpec, value: &Value) -> Vec<FieldUse> {
    const SPECIFIC: &str = "/hookSpecificOutput";
    let throws = matches!(event.name, "BeforeTool" | "AfterTool" | "BeforeAgent" | "AfterAgent" | "SessionStart");
    list_fields(
        value,
        |pointer| pointer == SPECIFIC,
        |pointer, inner| {
            if pointer != SPECIFIC || inner.is_null() {
                return field_use(scene, event, pointer, inner);
            }
            let error = specific_output_error(value).filter(|_| throws);
            (KeyUse::Invalid, error.unwrap_or_else(|| "must be an object".to_owned()))
        },
    )
}

fn field_use(scene: &Scene, event: &EventSpec, pointer: &str, value: &Value) -> (KeyUse, String) {
    let ignored = |says: &str| (KeyUse::Ignored, says.to_owned());
    let invalid = |says: &str| (KeyUse::Invalid, says.to_owned());
    if !event.honoured_output.contains(&pointer) {
        return match (event.name, pointer) {
            (_, "/hookSpecificOutput/hookEventName") => ignored("never checked"),
            (_, "/hookSpecificOutput/permissionDecision" | "/hookSpecificOutput/permissionDecisionReason") => {
                ignored("another agent's key; here, write `decision` and `reason` at the top level")
            }
            (_, "/hookSpecificOutput/updatedInput") => ignored("another agent's key; here, use `tool_input`"),
            (_, "/suppressOutput") => ignored("it only removes a line from the debug log"),
            ("BeforeTool", "/hookSpecificOutput/additionalContext") => ignored("this event has no context"),
            ("BeforeModel" | "AfterModel", "/hookSpecificOutput/additionalContext") => {
                ignored("this event has no context")
            }
            _ => (KeyUse::Ignored, format!("not read on {}", event.name)),
        };
    }
    let tool = scene.input.body.get("tool_name").and_then(Value::as_str).unwrap_or("");
    match pointer {
        "/continue" if value != &Value::Bool(false) && value != &Value::Bool(true) => invalid("only `false` stops"),
        "/decision" => match value.as_str() {
            Some("deny" | "block") => (KeyUse::Used, String::new()),
            Some("ask") if event.name == "BeforeTool" => (KeyUse::Used, String::new()),
            Some("ask") => ignored("only BeforeTool can ask"),
            Some("allow") => (KeyUse::Used, "it does not override the agent's own rules".to_owned()),
            _ => invalid("the agent does not know this decision and ignores it"),
        },
        "/hookSpecificOutput/tool_input" => match tools::missing_key(tool, value).filter(|_| value.is_object()) {
            Some(missing) => (KeyUse::Invalid, format!("it replaces the whole input, but {tool} needs `{missing}`")),
            None if value.is_object() => (KeyUse::Used, "it replaces the whole input".to_owned()),
            None => invalid("must be an object"),
        },
        "/hookSpecificOutput/llm_response" if event.name == "BeforeModel" && !TypedOutput(value).0.is_null() => {
            if super::answer::is_convertible(value) {
                (KeyUse::Used, "it counts only together with `deny` or `block`".to_owned())
            } else {
                invalid("it needs a list of candidates with parts; the client throws an error here")
            }
        }
        "/hookSpecificOutput/tailToolCallRequest" | "/hookSpecificOutput/llm_request" if !value.is_object() => {
            invalid("must be an object")
        }
        "/hookSpecificOutput/additionalContext" if !value.is_string() => invalid("must be a string"),
        "/hookSpecificOutput/clearContext" => match value {
            Value::Bool(true) => (KeyUse::Used, "it counts only together with a block or stop".to_owned()),
            _ => ignored("only `true` counts"),
        },
        _ => (KeyUse::Used, String::new()),
    }
}
