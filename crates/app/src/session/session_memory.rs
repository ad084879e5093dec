//! Applies the effects of earlier events to the next one.

use serde_json::Value;

use super::simulated_session::SimulatedSession;
use super::state::Session;
use crate::firing::input::BuiltInput;
use crate::firing::record::FiringId;
use hookbench_core::decide::Outcome;
use hookbench_core::diagnostic::{Code, Diagnostic};
use hookbench_core::dialects::{Agent, Scene, SessionMemory};
use hookbench_core::hook::HookInput;

impl Session {
    /// Resets the session.
    pub(super) fn begin_session(&mut self) {
        self.simulated = SimulatedSession::default();
        self.replan();
        self.say("new session: the next stop counts as the first".to_owned());
    }

    /// Continues from events that were not fired here.
    pub(crate) fn assume_memory(&mut self, memory: SessionMemory) {
        self.simulated.assumed = Some(memory);
        self.replan();
    }

    /// The state of the session at the time of this event.
    pub(super) fn memory_of(&self, agent: &str, input: &HookInput) -> SessionMemory {
        if let Some(supposed) = &self.simulated.assumed {
            return supposed.clone();
        }
        // With this payload, the agent says that the stop is the first.
        let first = input.body.get("stop_hook_active") == Some(&Value::Bool(false)) && !self.options.in_order;
        match self.simulated.states.get(agent) {
            Some(state) if first => SessionMemory { stops_blocked: 0, ..state.memory(&input.event) },
            Some(state) => state.memory(&input.event),
            // The first event of a session has nothing to remember.
            None if self.options.in_order => SessionMemory { is_known: true, ..SessionMemory::default() },
            _ => SessionMemory::default(),
        }
    }

    /// Writes the state of the session into the payload of its next event, and notes it in the diagnostics.
    pub fn apply_session_state(&self, built: &mut BuiltInput) {
        let Some(state) = self.simulated.states.get(built.dialect.id().as_str()) else { return };
        for key in built.dialect.recall(state, &mut built.input, &built.filled) {
            if key == "tool_input" {
                let says = "tool_input was rewritten by a hook of an earlier event";
                built.diagnostics.push(Diagnostic::new(Code::SessionRewritten, says));
            }
        }
    }

    /// Updates the session with the outcome of a finished firing.
    pub(super) fn remember(&mut self, id: FiringId, outcome: &Outcome) {
        if self.simulated.active_firing != Some(id) {
            return;
        }
        self.simulated.active_firing = None;
        let Some(record) = self.firing(id).filter(|record| !record.cancelled) else { return };
        let (input, memory, agent) = (record.input.clone(), record.memory.clone(), record.agent);
        if let Some(dialect) = self.agent(agent.as_str()).map(|agent| agent.dialect) {
            let state = self.simulated.states.entry(dialect.id().as_str()).or_default();
            dialect.remember(state, &input, &memory, outcome);
        }
    }

    /// `2nd stop in a row, 8 allowed`, if earlier stops of this session were blocked.
    pub fn consecutive_stops(&self) -> Option<String> {
        consecutive_stops(self.current()?.dialect, &self.scene()?)
    }
}

fn consecutive_stops(dialect: &Agent, scene: &Scene) -> Option<String> {
    let blocked = Some(scene.memory.stops_blocked).filter(|blocked| *blocked > 0)?;
    let allowed = match dialect.stop_cap(scene) {
        Some(cap) => format!("{} allowed", cap.saturating_sub(1)),
        None => "no limit".to_owned(),
    };
    Some(format!("{} stop in a row, {allowed}", ordinal(blocked.saturating_add(1))))
}

/// The number as an ordinal: `2nd`.
fn ordinal(number: u32) -> String {
    let end = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn ordinals() {
        let got: Vec<String> = [1, 2, 3, 4, 11, 12, 21, 112].map(super::ordinal).to_vec();
        assert_eq!(got, ["1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "112th"]);
    }
}
