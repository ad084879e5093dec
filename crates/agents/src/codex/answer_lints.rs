//! Diagnostics of a run: answers that Codex rejects, with the key or the word that causes it.

use super::answer::HookAnswer;
use super::schema::TEXT_LIMIT;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::EventSpec;
use hookbench_base::output::AnswerForm;
use hookbench_base::run::RunReport;

/// Returns the diagnostics of an awaited run.
pub fn check_answer(event: &EventSpec, answer: &HookAnswer, report: &RunReport) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    out.extend(check_fault(event, answer));
    if answer.form == AnswerForm::Json
        && let Some(failure) = &answer.failure
    {
        out.push(check_rejected(event, failure));
    }
    let texts = [answer.context.as_deref(), answer.reason.as_deref()];
    let long = |text: &str| text.len().div_ceil(4) as u64 > TEXT_LIMIT;
    let given = event.name != "PreToolUse" || answer.context.as_deref().is_some_and(long);
    if report.exit.code().is_some() && given && texts.into_iter().flatten().any(long) {
        let says = format!("a text of more than {TEXT_LIMIT} tokens is replaced by its start, its end and a file name");
        out.push(Diagnostic::new(Code::HW612, says).with_help("shorten it"));
    }
    out
}

/// Reports an unknown key, a wrong type or an unknown word.
fn check_fault(event: &EventSpec, answer: &HookAnswer) -> Option<Diagnostic> {
    let fault = answer.fault.as_ref()?;
    let key = fault.pointer.rsplit('/').next().unwrap_or_default();
    let void = format!("Codex drops the whole answer on {}", event.name);
    let found = if key == "hookEventName" {
        let says = format!("{}: {void}", fault.message);
        Diagnostic::new(Code::HW604, says)
            .with_help(format!("write \"hookEventName\": \"{}\" into hookSpecificOutput", event.name))
    } else if fault.message.starts_with("the key ") {
        let says = format!("{}: {void}", fault.message);
        Diagnostic::new(Code::HW606, says).with_help(suggest_key(event, &fault.pointer, key))
    } else {
        let word = answer.value.as_ref().and_then(|v| v.pointer(&fault.pointer)).and_then(serde_json::Value::as_str);
        match word.filter(|_| matches!(key, "decision" | "permissionDecision" | "behavior")) {
            Some(word) => {
                let says = format!("Codex does not support `{word}` as `{key}`: {void}, and the action continues");
                Diagnostic::new(Code::HW605, says)
                    .with_help("to allow, print nothing; to block, print the decision with a reason")
            }
            None => Diagnostic::new(Code::HW624, format!("{}: {void}", fault.message))
                .with_help("correct the value, or delete the key"),
        }
    };
    Some(found)
}

/// Returns where a misplaced key belongs, or which key was probably meant.
fn suggest_key(event: &EventSpec, pointer: &str, key: &str) -> String {
    let inside = pointer.starts_with("/hookSpecificOutput/");
    let counts = |pointer: &str| event.honoured_output.contains(&pointer);
    let own = format!("/hookSpecificOutput/{key}");
    if inside && key == "reason" && counts("/hookSpecificOutput/permissionDecisionReason") {
        return "rename it to permissionDecisionReason".to_owned();
    }
    if inside && counts(&format!("/{key}")) {
        return format!("move `{key}` to the top of the answer");
    }
    if !inside && counts(&own) {
        let name = event.name;
        return format!("write: {{\"hookSpecificOutput\": {{\"hookEventName\": \"{name}\", \"{key}\": …}}}}");
    }
    "delete the key".to_owned()
}

/// Reports an answer that has the right shape but that Codex rejects.
fn check_rejected(event: &EventSpec, failure: &str) -> Diagnostic {
    if failure.contains("without permissionDecision:allow") {
        return Diagnostic::new(Code::HW607, format!("{failure}: the input does not change"))
            .with_help("add \"permissionDecision\": \"allow\"");
    }
    if failure.contains("non-empty") {
        return Diagnostic::new(Code::HW608, format!("{failure}: it does not block"))
            .with_help("add a reason: without one, this agent treats the block as a failure");
    }
    let says = format!("{failure}: the answer is ignored, and {} continues", event.name);
    Diagnostic::new(Code::HW605, says).with_help("to allow, print nothing; to block, print the decision with a reason")
}
