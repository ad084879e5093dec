//! Handoffs that were made before a compaction and wait until their agent can receive them.

use std::collections::HashMap;

use super::IncomingEvent;
use crate::dialects::live::HandoffPoint;
use crate::live::handlers::Handoff;
use crate::live::live_form;

/// The longest time that a handoff may wait, in milliseconds. After that it is dropped.
pub const DELIVERABLE_MS: i64 = 600_000;

/// The newest handoff of each session.
#[derive(Debug, Clone, Default)]
pub struct PendingHandoffs(HashMap<(String, String), Handoff>);

impl PendingHandoffs {
    pub fn add(&mut self, handoff: Handoff) {
        let newest = handoff.created_ms;
        self.0.retain(|_, old| newest.saturating_sub(old.created_ms) <= DELIVERABLE_MS);
        self.0.insert((handoff.provider.clone(), handoff.provider_ref.clone()), handoff);
    }

    /// Removes and returns the handoff for the event's session, if it is not too old.
    pub fn take(&mut self, arrival: &IncomingEvent, wall_ms: i64) -> Option<Handoff> {
        let found = self.0.remove(&(arrival.provider.clone(), arrival.provider_ref.clone()))?;
        (wall_ms.saturating_sub(found.created_ms) <= DELIVERABLE_MS).then_some(found)
    }
}

/// Whether the agent receives the handoff at the compaction itself.
pub fn delivers_at_compaction(provider: &str) -> bool {
    live_form(provider).is_some_and(|form| form.handoff == HandoffPoint::Compaction)
}

/// Whether the agent receives the handoff at this event.
pub fn delivers_at(arrival: &IncomingEvent) -> bool {
    let event = arrival.event.as_str();
    match live_form(&arrival.provider).map(|form| form.handoff) {
        Some(HandoffPoint::SessionStart) => {
            event == "session_start" && arrival.normal.matcher_value.as_deref() == Some("compact")
        }
        Some(HandoffPoint::Prompt) => event == "user_prompt_submit",
        Some(HandoffPoint::Compaction) | None => false,
    }
}
