//! The state that earlier events of a recorded session leave for the next one.

use std::collections::HashMap;

use serde_json::Value;

use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::dialects::{Agent, SessionMemory, SessionState};
use hookbench_core::hook::HookInput;
use hookbench_core::recorded::RecordedEvent;

/// The state of each recorded session, up to its latest event.
#[derive(Debug, Default)]
pub struct SessionStates {
    of: HashMap<(&'static str, String), (Option<i64>, SessionState)>,
}

impl SessionStates {
    /// The state at the time of this event. An event that is older than the one before it starts from an empty
    /// state.
    pub fn memory(&mut self, dialect: &'static Agent, event: &RecordedEvent, input: &HookInput) -> SessionMemory {
        let (at, state) = self.of.entry((dialect.id().as_str(), event.session.clone())).or_default();
        if event.at < *at {
            return SessionMemory::default();
        }
        *at = event.at;
        // The payload of a `Stop` event says whether the previous stop was blocked.
        let first = input.body.get("stop_hook_active") == Some(&Value::Bool(false));
        let mut memory = state.memory(&input.event);
        if first {
            memory.stops_blocked = 0;
        }
        let blocked = Outcome {
            blocked: input.body.get("stop_hook_active").is_some(),
            ..Outcome::without_effect(Verdict::Unknown, "")
        };
        dialect.remember(state, input, &memory, &blocked);
        memory
    }
}
