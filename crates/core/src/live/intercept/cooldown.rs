//! Rate limit for the work after a stop: agents stop after every turn.

use std::collections::HashMap;

/// The accepted clock difference of a client, in milliseconds.
const SKEW_MS: i64 = 5_000;
/// The number of sessions from which old ones are forgotten.
const MANY: usize = 4_096;

/// The time of the last work for a session. The caller stores it, so that it survives a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cooldown {
    pub provider: String,
    pub provider_ref: String,
    pub event: String,
    /// The time of the event for which it was done, in milliseconds since 1970.
    pub last_received_ms: i64,
}

/// Whether the work is done for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CooldownCheck {
    /// The entry to store. `None` if the work is not done.
    pub accepted: Option<Cooldown>,
    /// Whether the client's time was implausible, so that the server's time was used.
    pub clock_skew: bool,
}

/// The cooldowns of all sessions.
#[derive(Debug, Clone, Default)]
pub struct Cooldowns(HashMap<(String, String, String), i64>);

impl Cooldowns {
    pub(super) fn load(&mut self, kept: Vec<Cooldown>) {
        self.0.extend(kept.into_iter().map(|c| ((c.provider, c.provider_ref, c.event), c.last_received_ms)));
    }

    /// Checks an event: at least `cooldown_ms` must have passed since the last event for which the work was done.
    pub fn check(&mut self, cooldown_ms: i64, wall_ms: i64, asked: Cooldown) -> CooldownCheck {
        let key = (asked.provider.clone(), asked.provider_ref.clone(), asked.event.clone());
        let last = self.0.get(&key).copied();
        let said = asked.last_received_ms;
        let ahead = said.saturating_sub(wall_ms) > SKEW_MS;
        let behind = last.is_some_and(|last| last.saturating_sub(said) > SKEW_MS);
        let clock_skew = ahead || behind;
        let at = if clock_skew { wall_ms } else { said };
        let passed = last.is_none_or(|last| {
            let between = at.saturating_sub(last);
            // If the server's clock was set back, the cooldown would otherwise last for that time.
            between >= cooldown_ms || between < -SKEW_MS
        });
        if !passed {
            return CooldownCheck { accepted: None, clock_skew };
        }
        if self.0.len() >= MANY {
            self.0.retain(|_, last| wall_ms.saturating_sub(*last) < cooldown_ms);
        }
        self.0.insert(key, at);
        CooldownCheck { accepted: Some(Cooldown { last_received_ms: at, ..asked }), clock_skew }
    }
}
