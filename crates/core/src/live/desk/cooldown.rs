//! How often the work that follows a stop is done: agents stop after every turn.

use std::collections::HashMap;

/// What a client's clock may differ from what is believed, in milliseconds.
const SKEW_MS: i64 = 5_000;
/// Sessions that are remembered before old ones are forgotten.
const MANY: usize = 4_096;

/// When the work was last done for a session. It is kept by the caller, so that a restart does not forget it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cooldown {
    pub provider: String,
    pub provider_ref: String,
    pub event: String,
    /// Of the event for which it was done, in milliseconds since 1970.
    pub last_received_ms: i64,
}

/// Whether the work is done for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// It is, and this is what is to be remembered.
    pub accepted: Option<Cooldown>,
    /// The client's time was not believed, and ours was taken.
    pub clock_skew: bool,
}

/// All of them.
#[derive(Debug, Clone, Default)]
pub struct Cooldowns(HashMap<(String, String, String), i64>);

impl Cooldowns {
    pub(super) fn load(&mut self, kept: Vec<Cooldown>) {
        self.0.extend(kept.into_iter().map(|c| ((c.provider, c.provider_ref, c.event), c.last_received_ms)));
    }

    /// Asks for an event: at least `cooldown_ms` have to lie between it and the last for which it was done.
    pub fn gate(&mut self, cooldown_ms: i64, wall_ms: i64, asked: Cooldown) -> Gate {
        let key = (asked.provider.clone(), asked.provider_ref.clone(), asked.event.clone());
        let last = self.0.get(&key).copied();
        let said = asked.last_received_ms;
        let ahead = said.saturating_sub(wall_ms) > SKEW_MS;
        let behind = last.is_some_and(|last| last.saturating_sub(said) > SKEW_MS);
        let clock_skew = ahead || behind;
        let at = if clock_skew { wall_ms } else { said };
        let passed = last.is_none_or(|last| {
            let between = at.saturating_sub(last);
            // Our own clock was set back: it would be shut for as long as that was.
            between >= cooldown_ms || between < -SKEW_MS
        });
        if !passed {
            return Gate { accepted: None, clock_skew };
        }
        if self.0.len() >= MANY {
            self.0.retain(|_, last| wall_ms.saturating_sub(*last) < cooldown_ms);
        }
        self.0.insert(key, at);
        Gate { accepted: Some(Cooldown { last_received_ms: at, ..asked }), clock_skew }
    }
}
