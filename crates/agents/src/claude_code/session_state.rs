//! The effect of an event on later events of the session (measured on 2.1.330).

use super::skills;
use hookbench_base::decide::Outcome;
use hookbench_base::dialects::{SessionMemory, SessionState};
use hookbench_base::hook::HookInput;

/// Updates the session state after an event. A prompt or a tool call between two stops resets the count of blocked
/// stops.
pub fn remember(state: &mut SessionState, input: &HookInput, before: &SessionMemory, outcome: &Outcome) {
    let starts = |source: &str| input.body.get("source").is_none_or(|value| value != source);
    skills::remember(state, input, outcome.blocked);
    match input.event.as_str() {
        "SessionStart" if starts("compact") => *state = SessionState::default(),
        "Stop" | "SubagentStop" => state.count_stop(&input.event, before, outcome),
        "SubagentStart" => state.forget_stops("SubagentStop"),
        "UserPromptSubmit" => state.forget_stops("Stop"),
        "PreToolUse" | "PermissionRequest" => {
            state.restart_count("Stop");
            match &outcome.updated_input {
                Some(updated) if !outcome.blocked => state.record_rewrite(input, updated),
                _ if input.event == "PreToolUse" => state.forget_rewrite(),
                _ => {}
            }
        }
        "PostToolUse" | "PostToolUseFailure" => {
            state.restart_count("Stop");
            state.forget_rewrite();
        }
        _ => {}
    }
}

/// Applies the session state to an input. A tool call continues with the input that a hook rewrote:
/// PermissionRequest hooks see the input that PreToolUse hooks wrote.
pub fn recall(state: &SessionState, input: &mut HookInput, filled: &[String]) -> Vec<&'static str> {
    match input.event.as_str() {
        "Stop" | "SubagentStop" => state.mark_stop(input, filled),
        "PermissionRequest" | "PostToolUse" | "PostToolUseFailure" => state.recall_rewrite(input),
        _ => Vec::new(),
    }
}
