//! The state of a session that earlier events established.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::decide::Outcome;
use crate::hook::HookInput;

/// The part of a session's state that one event depends on. Empty for an event outside a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionMemory {
    /// Consecutive stops that hooks have blocked, without the current event.
    pub stops_blocked: u32,
    /// Whether earlier events of the session are known.
    pub is_known: bool,
    /// The skills and commands that earlier events have loaded, so that their hooks run.
    pub loaded_skills: BTreeSet<String>,
    /// The one that an earlier event is about to load.
    pub loading_skill: Option<String>,
}

/// The state of one session of an agent. A dialect defines how an event updates the state (`Agent::remember`),
/// and how the state changes the payload of a later event (`Agent::recall`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionState {
    /// Stops that hooks have blocked, by event.
    stops: BTreeMap<String, StopCount>,
    rewritten: Option<RewrittenCall>,
    loaded_skills: BTreeSet<String>,
    loading_skill: Option<String>,
}

/// The stops of one event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct StopCount {
    /// The number of consecutive blocked stops.
    blocked: u32,
    /// Whether the last stop was blocked, even if other events followed.
    active: bool,
}

/// A tool call whose input a hook has replaced.
#[derive(Debug, Clone, PartialEq)]
struct RewrittenCall {
    tool: Value,
    before: Value,
    after: Value,
}

const ACTIVE: &str = "stop_hook_active";

impl SessionState {
    /// The part of the state that an event depends on.
    pub fn memory(&self, event: &str) -> SessionMemory {
        SessionMemory {
            stops_blocked: self.stops.get(event).map_or(0, |stops| stops.blocked),
            is_known: true,
            loaded_skills: self.loaded_skills.clone(),
            loading_skill: self.loading_skill.clone(),
        }
    }

    /// Starts to load a skill or command, whose hooks run once it is loaded.
    pub fn begin_skill(&mut self, name: &str) {
        self.finish_skill();
        self.loading_skill = Some(name.to_owned());
    }

    /// The skill is not loaded after all.
    pub fn forget_skill(&mut self) {
        self.loading_skill = None;
    }

    /// The skill that is being loaded is loaded now.
    pub fn finish_skill(&mut self) {
        self.loaded_skills.extend(self.loading_skill.take());
    }

    /// Counts a blocked stop; resets the count if the stop was not blocked.
    pub fn count_stop(&mut self, event: &str, before: &SessionMemory, outcome: &Outcome) {
        let blocked = if outcome.blocked { before.stops_blocked.saturating_add(1) } else { 0 };
        self.stops.insert(event.to_owned(), StopCount { blocked, active: outcome.blocked });
    }

    /// Resets the count. The agent still reports in the next stop that an earlier one was blocked.
    pub fn restart_count(&mut self, event: &str) {
        if let Some(stops) = self.stops.get_mut(event) {
            stops.blocked = 0;
        }
    }

    /// Forgets earlier stops, so that the next one is the first.
    pub fn forget_stops(&mut self, event: &str) {
        self.stops.remove(event);
    }

    /// Sets `stop_hook_active` in the payload of a stop if an earlier one was blocked, unless the payload came with
    /// a value.
    pub fn mark_stop(&self, input: &mut HookInput, filled: &[String]) -> Vec<&'static str> {
        let active = self.stops.get(&input.event).is_some_and(|stops| stops.active);
        let again = active && filled.iter().any(|key| key == ACTIVE);
        match input.body.get_mut(ACTIVE).filter(|_| again) {
            Some(active) => {
                *active = Value::Bool(true);
                vec![ACTIVE]
            }
            None => Vec::new(),
        }
    }

    /// Stores the input that a hook set for a tool call.
    pub fn record_rewrite(&mut self, input: &HookInput, updated: &Value) {
        let call = |key: &str| input.body.get(key).cloned().unwrap_or_default();
        let (tool, mut before) = (call("tool_name"), call("tool_input"));
        // A payload of this call may still contain the first input.
        if let Some(earlier) = self.rewritten.take().filter(|earlier| earlier.tool == tool && earlier.after == before) {
            before = earlier.before;
        }
        self.rewritten = Some(RewrittenCall { tool, before, after: updated.clone() });
    }

    /// Forgets the replaced input when the tool call has ended.
    pub fn forget_rewrite(&mut self) {
        self.rewritten = None;
    }

    /// Replaces the original input of a tool call with the input that a hook set for it.
    pub fn recall_rewrite(&self, input: &mut HookInput) -> Vec<&'static str> {
        let Some(call) = self.rewritten.as_ref().filter(|call| input.body.get("tool_name") == Some(&call.tool)) else {
            return Vec::new();
        };
        match input.body.get_mut("tool_input").filter(|now| **now == call.before) {
            Some(now) => {
                *now = call.after.clone();
                vec!["tool_input"]
            }
            None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::Verdict;
    use crate::hook::Subject;
    use serde_json::json;

    fn input(event: &str, body: Value) -> HookInput {
        HookInput { event: event.to_owned(), subject: Subject::default(), body }
    }

    #[test]
    fn stops_in_a_row() {
        let mut state = SessionState::default();
        let mut seen = Vec::new();
        for blocked in [true, true, false, true] {
            let memory = state.memory("Stop");
            seen.push(memory.stops_blocked);
            state.count_stop("Stop", &memory, &Outcome { blocked, ..Outcome::without_effect(Verdict::Deny, "") });
        }
        assert_eq!(seen, [0, 1, 2, 0]);
        let mut stop = input("Stop", json!({"stop_hook_active": false}));
        assert!(state.mark_stop(&mut stop, &[]).is_empty());
        assert_eq!(state.mark_stop(&mut stop, &["stop_hook_active".to_owned()]), ["stop_hook_active"]);
        assert_eq!(stop.body, json!({"stop_hook_active": true}));
        state.restart_count("Stop");
        assert_eq!(state.memory("Stop").stops_blocked, 0);
        stop.body = json!({"stop_hook_active": false});
        assert_eq!(state.mark_stop(&mut stop, &["stop_hook_active".to_owned()]), ["stop_hook_active"]);
        state.forget_stops("Stop");
        assert!(state.mark_stop(&mut stop, &["stop_hook_active".to_owned()]).is_empty());
    }

    #[test]
    fn the_last_rewrite_is_what_runs() {
        let mut state = SessionState::default();
        let call = |command: &str| json!({"tool_name": "Bash", "tool_input": {"command": command}});
        state.record_rewrite(&input("PreToolUse", call("a")), &json!({"command": "b"}));
        let mut asked = input("PermissionRequest", call("a"));
        assert_eq!(state.recall_rewrite(&mut asked), ["tool_input"]);
        assert_eq!(asked.body, call("b"));
        state.record_rewrite(&asked, &json!({"command": "c"}));
        let mut ran = input("PostToolUse", call("a"));
        state.recall_rewrite(&mut ran);
        assert_eq!(ran.body, call("c"));
        let mut other = input("PostToolUse", call("x"));
        assert!(state.recall_rewrite(&mut other).is_empty());
    }
}
