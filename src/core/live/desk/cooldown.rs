//! How often the work that follows a stop is done: agents stop after every turn.

use std::collections::HashMap;

/// When the work was last done for a session. It is kept by the caller, so that a restart does not forget it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cooldown {
    pub provider: String,
    pub provider_ref: String,
    pub event: String,
    /// Of the event for which it was done, in milliseconds since 1970.
    pub last_received_ms: i64,
}

/// All of them.
#[derive(Debug, Clone, Default)]
pub struct Cooldowns(HashMap<(String, String, String), i64>);

impl Cooldowns {
    pub(super) fn load(&mut self, kept: Vec<Cooldown>) {
        self.0.extend(kept.into_iter().map(|c| ((c.provider, c.provider_ref, c.event), c.last_received_ms)));
    }
}
