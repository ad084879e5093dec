//! The desk: where events of running agents arrive, are held, are decided and are answered. A stepping machine: it is told
//! what happened and at what time, and says what is to be done; it has no clock, no socket and no file.
//!
//! `now` is always milliseconds of one clock that never goes back; `wall_ms` is the time of day, in milliseconds since 1970.

mod arrival;
mod breakpoint;
mod choice;
mod cooldown;
mod held;
mod settings;
mod step;

use std::collections::BTreeMap;

pub use arrival::Arrival;
pub use breakpoint::{Action, Breakpoint, OnTimeout};
pub use choice::{Choice, WhyNot};
pub use cooldown::{Cooldown, Cooldowns};
pub use held::Held;
pub use settings::{DeskSettings, Handlers};
pub use step::{Kept, Record, Step, Suppressed, WhySuppressed};

use super::handlers::{Done, Handoff};
use super::{Answer, Decision, Source};

/// Requests that may be held at once.
pub const MAX_HELD: usize = 256;
/// How often a held request is told that it is not forgotten, in milliseconds.
pub const REMIND_MS: u64 = 10_000;
/// How long before the client gives up it is answered, in milliseconds.
pub const MARGIN_MS: u64 = 500;

/// What has been counted since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events that arrived.
    pub arrived: u64,
    /// Events that would have been held, had the desk not been full.
    pub passed_full: u64,
    /// Clients that did not wait for their answer.
    pub abandoned: u64,
}

/// See the head of the module.
#[derive(Debug)]
pub struct Desk {
    settings: DeskSettings,
    held: BTreeMap<u64, Held>,
    cooldowns: Cooldowns,
    paused: bool,
    closed: bool,
    counters: Counters,
}

impl Desk {
    /// An empty desk.
    pub fn new(settings: DeskSettings) -> Desk {
        Desk {
            settings,
            held: BTreeMap::new(),
            cooldowns: Cooldowns::default(),
            paused: false,
            closed: false,
            counters: Counters::default(),
        }
    }

    /// What an earlier desk had asked to be kept ([`Step::Keep`]): cooldowns, and handoffs that were not delivered.
    pub fn remember(&mut self, cooldowns: Vec<Cooldown>, handoffs: Vec<Handoff>) {
        let _ = handoffs;
        self.cooldowns.load(cooldowns);
    }

    /// An event has arrived.
    pub fn arrive(&mut self, now: u64, wall_ms: i64, arrival: Arrival) -> Vec<Step> {
        let _ = (now, wall_ms);
        self.counters.arrived += 1;
        let answer = Answer {
            decision: Decision::Observe,
            system_message: None,
            id: Some(arrival.id),
            source: Some(Source::Default),
        };
        vec![Step::Answer { seq: arrival.seq, answer, record: Record::default() }]
    }

    /// The user has decided about a held request.
    ///
    /// # Errors
    /// When it cannot be answered so; it stays held.
    pub fn decide(&mut self, now: u64, seq: u64, choice: Choice) -> Result<Vec<Step>, WhyNot> {
        let _ = (now, choice);
        Err(WhyNot::NotHeld(seq))
    }

    /// Everything that is held for the user goes on as without a hook.
    pub fn release_all(&mut self, now: u64) -> Vec<Step> {
        let _ = now;
        Vec::new()
    }

    /// While it is paused, breakpoints do nothing; what is held stays held.
    pub fn pause(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// Whether it is paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Time has passed.
    pub fn tick(&mut self, now: u64) -> Vec<Step> {
        let _ = now;
        Vec::new()
    }

    /// When [`Desk::tick`] has something to do next; none while nothing is held.
    pub fn wake(&self) -> Option<u64> {
        None
    }

    /// A handler's work ([`Step::Handle`]) is done.
    pub fn handled(&mut self, now: u64, wall_ms: i64, seq: u64, done: Done) -> Vec<Step> {
        let _ = (now, wall_ms, seq, done);
        Vec::new()
    }

    /// The client of a request has hung up.
    pub fn gone(&mut self, now: u64, seq: u64) -> Vec<Step> {
        let _ = (now, seq);
        Vec::new()
    }

    /// Everything is answered; from now on every event goes on as without a hook.
    pub fn shutdown(&mut self, now: u64) -> Vec<Step> {
        let _ = now;
        self.closed = true;
        Vec::new()
    }

    /// What is held for the user, in the order of arrival.
    pub fn held(&self) -> impl Iterator<Item = &Held> {
        self.held.values()
    }

    /// The breakpoints, in their order.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.settings.breakpoints
    }

    /// Other breakpoints, for events that arrive from now on.
    pub fn set_breakpoints(&mut self, breakpoints: Vec<Breakpoint>) {
        self.settings.breakpoints = breakpoints;
    }

    /// What has been counted.
    pub fn counters(&self) -> Counters {
        self.counters
    }
}
