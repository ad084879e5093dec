//! Diagnostics of a run: answers that Codex rejects, with the key or the word that causes it.

use super::answer::Answer;
use super::decide::LIMIT;
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::hook::EventSpec;
use hookbench_base::output::Form;
use hookbench_base::run::RunReport;

/// Returns the diagnostics of an awaited run.
pub fn notes(event: &EventSpec, answer: &Answer, report: &RunReport) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    out.extend(fault(event, answer));
    if answer.form == Form::Json
        && let Some(failure) = &answer.failure
    {
        out.push(refused(event, failure));
    }
    let texts = [answer.context.as_deref(), answer.reason.as_deref()];
    let long = |text: &str| text.len().div_ceil(4) as u64 > LIMIT;
    let given = event.name != "PreToolUse" || answer.context.as_deref().is_some_and(long);
    if report.exit.code().is_some() && given && texts.into_iter().flatten().any(long) {
        let says =
            format!("a text of more than {LIMIT} tokens is replaced by a beginning, an end and the name of a file");
        out.push(Diagnostic::warning("HW612", says).help("shorten it"));
    }
    out
}

/// Reports an unknown key, a wrong type or an unknown word.
fn fault(event: &EventSpec, answer: &Answer) -> Option<Diagnostic> {
    let fault = answer.fault.as_ref()?;
    let key = fault.pointer.rsplit('/').next().unwrap_or_default();
    let void = format!("Codex drops the whole answer on {}", event.name);
    let found = if key == "hookEventName" {
        let says = format!("{}: {void}", fault.says);
        Diagnostic::error("HW604", says)
            .help(format!("write \"hookEventName\": \"{}\" into hookSpecificOutput", event.name))
    } else if fault.says.starts_with("the key ") {
        let says = format!("{}: {void}", fault.says);
        Diagnostic::error("HW606", says).help(instead(event, &fault.pointer, key))
    } else {
        let word = answer.value.as_ref().and_then(|v| v.pointer(&fault.pointer)).and_then(serde_json::Value::as_str);
        match word.filter(|_| matches!(key, "decision" | "permissionDecision" | "behavior")) {
            Some(word) => {
                let says =
                    format!("Codex does not know `{word}` as `{key}`: {void}, and what was to be decided goes on");
                Diagnostic::error("HW605", says)
                    .help("to let it pass, print nothing; to block, the decision with a reason")
            }
            None => Diagnostic::error("HW624", format!("{}: {void}", fault.says))
                .help("correct the value, or delete the key"),
        }
    };
    Some(found)
}

/// Returns where a misplaced key belongs, or which key was probably meant.
fn instead(event: &EventSpec, pointer: &str, key: &str) -> String {
    let inside = pointer.starts_with("/hookSpecificOutput/");
    let counts = |pointer: &str| event.honours.contains(&pointer);
    let own = format!("/hookSpecificOutput/{key}");
    if inside && key == "reason" && counts("/hookSpecificOutput/permissionDecisionReason") {
        return "call it permissionDecisionReason".to_owned();
    }
    if inside && counts(&format!("/{key}")) {
        return format!("write `{key}` at the top of the answer");
    }
    if !inside && counts(&own) {
        let name = event.name;
        return format!("write it so: {{\"hookSpecificOutput\": {{\"hookEventName\": \"{name}\", \"{key}\": …}}}}");
    }
    "delete the key".to_owned()
}

/// Reports an answer that has the right shape but that Codex rejects.
fn refused(event: &EventSpec, failure: &str) -> Diagnostic {
    if failure.contains("without permissionDecision:allow") {
        return Diagnostic::error("HW607", format!("{failure}: the input is not changed"))
            .help("add \"permissionDecision\": \"allow\"");
    }
    if failure.contains("non-empty") {
        return Diagnostic::error("HW608", format!("{failure}: nothing is blocked"))
            .help("give the reason: without one this agent takes the block as a failure");
    }
    let says = format!("{failure}: the answer counts for nothing, and {} goes on", event.name);
    Diagnostic::error("HW605", says).help("to let it pass, print nothing; to block, the decision with a reason")
}
