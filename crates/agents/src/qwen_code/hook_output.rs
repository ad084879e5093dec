//! Shows one run to the user: its vote, and whether the agent uses each key of its answer.

use crate::qwen_code::rules;
use serde_json::Value;

use super::answer::{MAX_UNITS, read_answer};
use super::typed_output::{Permission, TypedOutput};
use super::{events, launch, version_behaviour};
use crate::shared::gemini_fork::answer::HookAnswer;
use crate::shared::missing_keys::list_fields;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, Handler, HookDefinition};
use hookbench_base::output::{AnswerForm, FieldUse, HookOutput, KeyUse, Vote};
use hookbench_base::run::{Exit, Launch, RunReport};
use hookbench_base::text::utf16_len;
use hookbench_base::trace::TraceStep;

/// Returns the answer of a run, as the aggregator receives it.
pub fn interpret_run(definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookAnswer {
    let behaviour = version_behaviour::for_version(&scene.version);
    // Only an HTTP hook can be refused by the agent itself.
    let refused = match &definition.handler {
        Handler::Http(_) => matches!(launch::launch(definition, scene), Launch::Refused(_)),
        _ => false,
    };
    read_answer(behaviour, &scene.input.event, &definition.handler, refused, report)
}

/// Returns the agent's interpretation of a run.
pub fn read(definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
    let answer = interpret_run(definition, report, scene);
    let event = events::EVENTS.by_name(&scene.input.event);
    if definition.detached {
        return async_output(report);
    }
    let mut output = HookOutput {
        form: answer.form,
        value: answer.value.clone(),
        text: answer.text.clone(),
        failure: answer.failure.clone(),
        ..HookOutput::default()
    };
    if let (Some(event), Some(value)) = (event, &answer.value) {
        // Text that does not deny is not a vote, whatever decision the agent fills in.
        let opinion = answer.form == AnswerForm::Json || value.get("decision").and_then(Value::as_str) == Some("deny");
        output.vote = if opinion { vote(event, value) } else { Vote::None };
        if answer.form == AnswerForm::Json {
            output.fields = fields(event, value);
        }
    }
    if report.stdout.truncated() || utf16_len(&report.stdout.text()) > MAX_UNITS {
        let says = "the agent keeps 1 MiB of this stream; the rest was dropped";
        output.notes.push(Diagnostic::new(Code::OutputTruncated, says).with_help("print less"));
    }
    output.trace = vec![step(&answer, report)];
    output
}

/// Interprets an async hook: the agent continues before the hook has run, and never reads its output.
fn async_output(report: &RunReport) -> HookOutput {
    let says = "it runs in the background; the agent continues at once and never reads its answer";
    HookOutput {
        form: AnswerForm::Lost,
        trace: vec![TraceStep::new(rules::OUTPUT_ASYNC, says).with_exit(report.run)],
        ..HookOutput::default()
    }
}

/// Explains how the answer was read, citing its stream.
fn step(answer: &HookAnswer, report: &RunReport) -> TraceStep {
    let stream = answer.stream_name();
    let exit = report.exit.describe();
    let step = match (answer.form, &answer.failure) {
        (AnswerForm::Json, None) => {
            TraceStep::new(rules::OUTPUT_JSON, format!("its answer is the JSON object on {stream} ({exit})"))
        }
        (AnswerForm::Text, None) => {
            TraceStep::new(rules::OUTPUT_TEXT, format!("its answer is the text on {stream} ({exit})"))
        }
        (AnswerForm::Nothing, None) => TraceStep::new(rules::OUTPUT_NOTHING, format!("it gave no answer ({exit})")),
        (AnswerForm::Rejected, why) => TraceStep::new(
            rules::OUTPUT_REJECTED,
            format!("its answer was rejected: {}", why.as_deref().unwrap_or(&exit)),
        ),
        (_, why) => TraceStep::new(rules::OUTPUT_FAILED, why.clone().unwrap_or(exit)),
    };
    answer.cite(step, report)
}

fn vote(event: &EventSpec, value: &Value) -> Vote {
    let typed = TypedOutput(value);
    match event.name {
        "PreToolUse" => match typed.permission() {
            Some(Permission::Deny) => Vote::Deny,
            Some(Permission::Ask) => Vote::Ask,
            _ if typed.stops() => Vote::Block,
            Some(Permission::Allow) => Vote::Allow,
            None => Vote::None,
        },
        "PermissionRequest" => match typed.request_decision().map(|d| d.get("behavior").and_then(Value::as_str)) {
            Some(Some("allow")) => Vote::Allow,
            Some(_) => Vote::Deny,
            None => Vote::None,
        },
        _ if event.blockable_action.is_none() => Vote::None,
        "PostToolUse" => {
            if typed.stops() {
                Vote::Block
            } else {
                Vote::None
            }
        }
        "TodoCreated" | "TodoCompleted" => match typed.decision() {
            Some("block") => Vote::Block,
            Some("deny") => Vote::Deny,
            _ => Vote::None,
        },
        _ if typed.blocks() || typed.stops() => Vote::Block,
        _ if typed.decision() == Some("allow") => Vote::Allow,
        _ => Vote::None,
    }
}

/// Collects every key with its use, descending into `hookSpecificOutput` and its `decision`.
fn fields(event: &EventSpec, value: &Value) -> Vec<FieldUse> {
    let is_permission = event.name == "PermissionRequest";
    let descends = |pointer: &str| {
        pointer == "/hookSpecificOutput" || (is_permission && pointer == "/hookSpecificOutput/decision")
    };
    list_fields(value, descends, |pointer, value| field_use(event, pointer, value))
}

fn field_use(event: &EventSpec, pointer: &str, value: &Value) -> (KeyUse, String) {
    let ignored = |says: &str| (KeyUse::Ignored, says.to_owned());
    if pointer == "/hookSpecificOutput" {
        let odd = !value.is_null() && !value.is_array();
        return (
            KeyUse::Invalid,
            if odd { "must be an object; the agent throws an error here" } else { "must be an object" }.to_owned(),
        );
    }
    if !event.honoured_output.contains(&pointer) {
        return match (event.name, pointer) {
            (_, "/hookSpecificOutput/hookEventName") => ignored("never checked"),
            ("PreToolUse", "/hookSpecificOutput/updatedInput") => {
                ignored("the tool keeps its input; only PermissionRequest can change it")
            }
            ("PreToolUse", "/hookSpecificOutput/tool_input") => {
                ignored("later hooks of a sequential firing receive it, but the tool does not")
            }
            ("PreToolUse", "/hookSpecificOutput/additionalContext") => ignored("context is discarded on this event"),
            ("PostToolUse", "/decision") => ignored("only `continue: false` counts on this event"),
            ("TodoCreated" | "TodoCompleted", "/continue" | "/stopReason") => {
                ignored("only `decision: \"block\"` counts on this event")
            }
            (_, "/suppressOutput") => ignored("never read"),
            (_, "/systemMessage") => ignored("only shown on Stop"),
            _ => (KeyUse::Ignored, format!("not read on {}", event.name)),
        };
    }
    let fits = match pointer {
        "/continue" => value.is_boolean(),
        "/hookSpecificOutput/permissionDecision" => matches!(value.as_str(), Some("allow" | "deny" | "ask")),
        "/decision" => matches!(value.as_str(), Some("allow" | "approve" | "deny" | "block" | "ask")),
        "/hookSpecificOutput/artifacts" => value.is_array(),
        "/hookSpecificOutput/decision/updatedInput" => value.is_object(),
        _ => value.is_string(),
    };
    if fits {
        (KeyUse::Used, String::new())
    } else {
        (KeyUse::Invalid, "has a type that the agent does not accept".to_owned())
    }
}

/// Returns whether only the agent's own model could have answered, and no answer was given instead.
pub fn is_unanswered(report: &RunReport) -> bool {
    report.exit == Exit::Unanswered
}
