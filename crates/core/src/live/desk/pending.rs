//! Handoffs that were made before a compaction and wait until their agent can receive them.

use std::collections::HashMap;

use super::Arrival;
use crate::dialects::live::HandoffAt;
use crate::live::form_of;
use crate::live::handlers::Handoff;

/// The longest time that a handoff may wait, in milliseconds. After that it is dropped.
pub const DELIVERABLE_MS: i64 = 600_000;

/// The newest handoff of each session.
#[derive(Debug, Clone, Default)]
pub struct Pending(HashMap<(String, String), Handoff>);

impl Pending {
    pub fn add(&mut self, handoff: Handoff) {
        let newest = handoff.created_ms;
        self.0.retain(|_, old| newest.saturating_sub(old.created_ms) <= DELIVERABLE_MS);
        self.0.insert((handoff.provider.clone(), handoff.provider_ref.clone()), handoff);
    }

    /// Removes and returns the handoff for the event's session, if it is not too old.
    pub fn take(&mut self, arrival: &Arrival, wall_ms: i64) -> Option<Handoff> {
        let found = self.0.remove(&(arrival.provider.clone(), arrival.provider_ref.clone()))?;
        (wall_ms.saturating_sub(found.created_ms) <= DELIVERABLE_MS).then_some(found)
    }
}

/// Whether the agent receives the handoff at the compaction itself.
pub fn at_compaction(provider: &str) -> bool {
    form_of(provider).is_some_and(|form| form.handoff == HandoffAt::Compaction)
}

/// Whether the agent receives the handoff at this event.
pub fn at_session(arrival: &Arrival) -> bool {
    let event = arrival.event.as_str();
    match form_of(&arrival.provider).map(|form| form.handoff) {
        Some(HandoffAt::SessionStart) => {
            event == "session_start" && arrival.normal.matcher_value.as_deref() == Some("compact")
        }
        Some(HandoffAt::Prompt) => event == "user_prompt_submit",
        Some(HandoffAt::Compaction) | None => false,
    }
}
