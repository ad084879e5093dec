//! Shows one run to the user: its vote, and whether Codex uses each key of its answer.

use serde_json::Value;

use super::answer::{Answer, Status, answer};
use super::events;
use super::notes::notes;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, HookDefinition};
use hookbench_base::output::{FieldUse, Form, HookOutput, Use, Vote};
use hookbench_base::run::{RunReport, Stream};
use hookbench_base::trace::{Evidence, TraceStep};

/// Returns Codex's interpretation of a run.
pub fn read(definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
    let answer = answer(&scene.input.event, report);
    let event = events::by_name(&scene.input.event);
    let vote = if definition.detached { Vote::None } else { vote(&scene.input.event, &answer) };
    let fields = match (event, &answer.value) {
        (Some(event), Some(value)) => fields(event, &answer, value, definition.detached),
        _ => Vec::new(),
    };
    let text = match (answer.form, answer.stream) {
        (Form::Text, Some(Stream::Stderr)) => answer.reason.clone(),
        (Form::Text, _) => Some(report.stdout.text().trim().to_owned()),
        _ => None,
    };
    HookOutput {
        form: answer.form,
        value: answer.value.clone().filter(|_| answer.form == Form::Json),
        text,
        // Codex does not report the failure of an async hook.
        failure: answer.failure.clone().filter(|_| !definition.detached),
        vote,
        fields,
        notes: event
            .filter(|_| !definition.detached)
            .map(|event| notes(event, &answer, report))
            .unwrap_or_default()
            .into_iter()
            .map(|note| note.at(definition.from.span))
            .collect(),
        trace: vec![step(&answer, report, definition.detached)],
    }
}

fn vote(event: &str, answer: &Answer) -> Vote {
    match answer.status {
        Status::Blocked if matches!(event, "PreToolUse" | "PermissionRequest") => Vote::Deny,
        Status::Blocked => Vote::Block,
        Status::Stopped if event != "PostCompact" => Vote::Block,
        _ if answer.allows => Vote::Allow,
        _ => Vote::None,
    }
}

/// Explains how the answer was read, citing its stream.
fn step(answer: &Answer, report: &RunReport, detached: bool) -> TraceStep {
    let exit = report.exit.words();
    let stream = if answer.stream == Some(Stream::Stderr) { "stderr" } else { "stdout" };
    let step = match (answer.form, &answer.failure) {
        (Form::Rejected, Some(why)) => TraceStep::new("output.void", format!("its answer is void: {why}")),
        (Form::Json, Some(why)) => TraceStep::new("output.void", format!("its answer is void: {why}")),
        (_, Some(why)) => TraceStep::new("output.failed", format!("it failed: {why}")),
        (Form::Json, None) => {
            TraceStep::new("output.json", format!("its answer is the JSON object on {stream} ({exit})"))
        }
        (Form::Text, None) => TraceStep::new("output.text", format!("its answer is the text on {stream} ({exit})")),
        (Form::Nothing, None) => TraceStep::new("output.nothing", format!("it said nothing ({exit})")),
        (_, None) => TraceStep::new("output.unanswered", format!("nobody answered ({exit})")),
    };
    let step = if detached {
        step.because(TraceStep::new("output.async", "it is not waited for: only its context and its warning count"))
    } else {
        step
    };
    match answer.stream {
        Some(stream) => step.on(Evidence::Output { run: report.run, stream, pointer: None }).on_exit(report.run),
        None => step.on_exit(report.run),
    }
}

/// Returns every key with its use.
fn fields(event: &EventSpec, answer: &Answer, value: &Value, detached: bool) -> Vec<FieldUse> {
    let mut out = Vec::new();
    walk(event, answer, value, "", detached, &mut out);
    out
}

fn walk(event: &EventSpec, answer: &Answer, value: &Value, above: &str, detached: bool, out: &mut Vec<FieldUse>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let pointer = format!("{above}/{}", key.replace('~', "~0").replace('/', "~1"));
        let inner = matches!(pointer.as_str(), "/hookSpecificOutput" | "/hookSpecificOutput/decision");
        if inner && value.is_object() {
            walk(event, answer, value, &pointer, detached, out);
            continue;
        }
        let (use_, says) = one(event, answer, &pointer, detached);
        out.push(FieldUse { pointer, use_, says });
    }
}

fn one(event: &EventSpec, answer: &Answer, pointer: &str, detached: bool) -> (Use, String) {
    let ignored = |says: &str| (Use::Ignored, says.to_owned());
    if let Some(fault) = &answer.fault {
        let within = fault.pointer.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        return if within {
            (Use::Invalid, format!("{}; it voids the whole answer", fault.says))
        } else {
            ignored("lost, because the answer is void")
        };
    }
    if pointer == "/systemMessage" && event.honours.contains(&pointer) {
        return (Use::Used, String::new());
    }
    if answer.failure.is_some() {
        return if blamed(answer, pointer) {
            (Use::Invalid, answer.failure.clone().unwrap_or_default())
        } else {
            ignored("lost, because the answer is void")
        };
    }
    if detached && !pointer.ends_with("/additionalContext") {
        return ignored("nobody waits for this hook");
    }
    if event.honours.contains(&pointer) {
        return (Use::Used, String::new());
    }
    match pointer {
        "/continue" | "/suppressOutput" => ignored("the default, or without effect here"),
        _ => (Use::Ignored, format!("not read on {}", event.name)),
    }
}

/// Returns whether the failure names this key.
fn blamed(answer: &Answer, pointer: &str) -> bool {
    let name = pointer.rsplit('/').next().unwrap_or("");
    let why = answer.failure.as_deref().unwrap_or("");
    why.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name)
}
