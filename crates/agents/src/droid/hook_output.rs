//! Shows one run to the user: its vote, and whether the agent uses each key of its answer.

use serde_json::Value;

use super::answer::{HookAnswer, read_answer};
use super::events;
use crate::kernel::answer::AnswerEnd;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::EventSpec;
use hookbench_base::output::{HookOutput, KeyUse, Vote};
use hookbench_base::run::RunReport;

/// Returns the agent's interpretation of a run.
pub fn read(report: &RunReport, scene: &Scene) -> HookOutput {
    let answer = read_answer(report);
    let event = events::EVENTS.by_name(&scene.input.event);
    let vote = event.map_or(Vote::None, |event| vote(event, &answer));
    let takes_text = scene.input.event == "SessionStart";
    let output = answer
        .output(report, event, vote, takes_text, |event, _, pointer, value| use_of(event, &answer, pointer, value));
    let cites_stderr = matches!(answer.end, AnswerEnd::Code(1 | 2) | AnswerEnd::TimedOut);
    HookOutput {
        text: output.text.and_then(|_| answer.session_context()),
        trace: vec![answer.step(report, cites_stderr)],
        ..output
    }
}

/// Returns the hook's decision on this event.
fn vote(event: &EventSpec, answer: &HookAnswer) -> Vote {
    match event.name {
        "PreToolUse" if answer.exited_with(2) => Vote::Deny,
        "PreToolUse" => match answer.permission().and_then(Value::as_str) {
            Some("deny") => Vote::Deny,
            Some("allow") => Vote::Allow,
            Some("ask") => Vote::Ask,
            Some("defer") => Vote::Defer,
            _ => Vote::None,
        },
        "PostToolUse" if answer.exited_with(2) => Vote::Block,
        "Stop" if answer.exited_with(2) || super::decide::stop_reason(answer).is_some() => Vote::Block,
        _ => Vote::None,
    }
}

fn use_of(event: &EventSpec, answer: &HookAnswer, pointer: &str, value: &Value) -> (KeyUse, String) {
    let used = |text: &str| (KeyUse::Used, text.to_owned());
    let ignored = |text: String| (KeyUse::Ignored, text);
    if pointer == "/hookSpecificOutput/hookEventName" {
        return ignored("not checked".to_owned());
    }
    if events::is_unobserved(event.name) {
        return ignored(format!("not observed on {}", event.name));
    }
    if !event.honoured_output.contains(&pointer) {
        return ignored(format!("not read on {}", event.name));
    }
    match (pointer, value) {
        ("/continue", Value::Bool(false)) => used("it ends the run"),
        ("/continue", _) => ignored("only false counts".to_owned()),
        ("/hookSpecificOutput/permissionDecision", Value::String(word)) => match word.as_str() {
            "deny" => used("the tool does not run"),
            "allow" | "defer" => used("the tool runs, also if a later hook denies"),
            "ask" => used("without a terminal the tool runs, also if a later hook denies"),
            _ => (KeyUse::Invalid, "an unknown word lets the tool run, also if a later hook denies".to_owned()),
        },
        ("/hookSpecificOutput/permissionDecision", _) => (KeyUse::Invalid, "not a string".to_owned()),
        ("/hookSpecificOutput/permissionDecisionReason", _) => {
            let denies = answer.permission().and_then(Value::as_str) == Some("deny");
            if denies { used("the reason") } else { ignored("only a deny has a reason".to_owned()) }
        }
        ("/hookSpecificOutput/updatedInput", _) if answer.updated_input().is_none() => {
            ignored("ignored beside this decision, or empty".to_owned())
        }
        ("/hookSpecificOutput/additionalContext", Value::String(_))
            if event.name == "SessionStart" && !answer.exited_with(0) =>
        {
            ignored("only exit 0 has a context here".to_owned())
        }
        ("/hookSpecificOutput/additionalContext", Value::String(_)) => used("the model gets it"),
        ("/hookSpecificOutput/additionalContext", _) if event.name == "PostToolUse" => {
            (KeyUse::Invalid, "not a string: Droid ends with an error".to_owned())
        }
        ("/hookSpecificOutput/additionalContext", _) => (KeyUse::Invalid, "not a string".to_owned()),
        ("/decision", Value::String(word)) if word == "block" && super::decide::stop_reason(answer).is_some() => {
            used("the agent does not stop")
        }
        ("/decision", Value::String(word)) if word == "block" => ignored("`block` needs a `reason`".to_owned()),
        ("/decision", _) => (KeyUse::Invalid, "only `block` counts".to_owned()),
        _ => used("used"),
    }
}
