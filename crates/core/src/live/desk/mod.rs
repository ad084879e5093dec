//! The desk: where events of running agents arrive, are held, are decided and are answered. A stepping machine: it is told
//! what happened and at what time, and says what is to be done; it has no clock, no socket and no file.
//!
//! `now` is always milliseconds of one clock that never goes back; `wall_ms` is the time of day, in milliseconds since 1970.
//! Every event gets exactly one [`Step::Answer`] or, when its client hangs up first, one [`Step::Abandoned`].

mod arrival;
mod arrive;
mod breakpoint;
mod breakpoint_table;
mod choice;
mod cooldown;
mod held;
mod path_pattern;
mod pending;
mod read;
mod settings;
mod step;
mod verdict;
mod waiting;

use std::collections::BTreeMap;

pub use arrival::Arrival;
pub use breakpoint::{Action, Breakpoint, OnTimeout, can_be_held, event_named};
pub use choice::{Choice, WhyNot};
pub use cooldown::{Cooldown, Cooldowns, Gate};
pub use held::Held;
pub use path_pattern::{BadPattern, PathPattern};
pub use pending::DELIVERABLE_MS;
pub use read::{DESK_TABLES, read_desk, read_desk_tables};
pub use settings::{DeskSettings, Handlers};
pub use step::{Kept, Record, Step, Suppressed, WhySuppressed};

use super::handlers::{Done, Handoff, Trigger};
use super::{Decision, Source};
use held::{Wait, Working};
use pending::Pending;
pub use verdict::fits;
use verdict::{Final, admit};

/// Requests that may be held at once.
pub const MAX_HELD: usize = 256;
/// How often a request that waits is told that it is not forgotten, in milliseconds.
pub const REMIND_MS: u64 = 10_000;
/// How long before its client gives up a request is answered, in milliseconds.
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
    /// What waits for the user.
    held: BTreeMap<u64, Held>,
    /// What waits for a handler.
    working: BTreeMap<u64, Working>,
    cooldowns: Cooldowns,
    pending: Pending,
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
            working: BTreeMap::new(),
            cooldowns: Cooldowns::default(),
            pending: Pending::default(),
            paused: false,
            closed: false,
            counters: Counters::default(),
        }
    }

    /// What an earlier desk had asked to be kept ([`Step::Keep`]): cooldowns, and handoffs that were not delivered.
    pub fn remember(&mut self, cooldowns: Vec<Cooldown>, handoffs: Vec<Handoff>) {
        self.cooldowns.load(cooldowns);
        for handoff in handoffs {
            self.wait_for_delivery(handoff);
        }
    }

    /// The user has decided about a held request.
    ///
    /// # Errors
    /// When it cannot be answered so; it stays held.
    pub fn decide(&mut self, now: u64, seq: u64, choice: Choice) -> Result<Vec<Step>, WhyNot> {
        let held = self.held.get(&seq).filter(|held| now < held.until).ok_or(WhyNot::NotHeld(seq))?;
        admit(&held.arrival, &choice.decision, self.settings.allow_raw)?;
        Ok(self.finish_held(now, seq, Final { decision: choice.decision, source: Source::User }))
    }

    /// Everything that is held for the user goes on as without a hook.
    pub fn release_all(&mut self, now: u64) -> Vec<Step> {
        let all: Vec<u64> = self.held.keys().copied().collect();
        all.into_iter().flat_map(|seq| self.finish_held(now, seq, Final::observe(Source::User))).collect()
    }

    /// While it is paused, breakpoints do nothing; what is held stays held.
    pub fn pause(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// Whether it is paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// A handler's work ([`Step::Handle`]) is done. A result that comes too late for the answer is kept all the same.
    pub fn handled(&mut self, now: u64, wall_ms: i64, seq: u64, done: Done) -> Vec<Step> {
        let in_time = self.working.get(&seq).is_some_and(|working| now < working.wait.until);
        let working = if in_time { self.working.remove(&seq) } else { None };
        match done {
            Done::Overview(text) => working.map(|w| w.told(now, text, "overview")).into_iter().collect(),
            Done::Handoff(handoff) => self.made(now, Handoff { created_ms: wall_ms, ..handoff }, working),
            Done::Failed(_) => working.into_iter().map(|w| w.nothing(now)).collect(),
        }
    }

    /// A handoff has been made: it is kept, and told at once to whom it can be told at once.
    fn made(&mut self, now: u64, handoff: Handoff, working: Option<Working>) -> Vec<Step> {
        let mut steps = vec![Step::Keep(Kept::Handoff(handoff.clone()))];
        let Some(working) = working else {
            self.wait_for_delivery(handoff);
            return steps;
        };
        let delivered = Kept::delivered(&handoff, handoff.created_ms);
        let answer = if pending::at_compaction(&handoff.provider) {
            working.told(now, handoff.yaml.clone(), "handoff")
        } else {
            working.nothing(now)
        };
        let told = matches!(&answer, Step::Answer { answer, .. } if answer.decision != Decision::Observe);
        steps.push(answer);
        if told {
            steps.push(Step::Keep(delivered));
        } else {
            self.wait_for_delivery(handoff);
        }
        steps
    }

    fn wait_for_delivery(&mut self, handoff: Handoff) {
        if handoff.trigger == Trigger::PreCompact && !pending::at_compaction(&handoff.provider) {
            self.pending.add(handoff);
        }
    }

    /// The client of a request has hung up.
    pub fn gone(&mut self, now: u64, seq: u64) -> Vec<Step> {
        let wait = if let Some(held) = self.held.remove(&seq) {
            Some((held.since, held.after))
        } else {
            self.working.remove(&seq).map(|working| (working.wait.since, None))
        };
        let Some((since, after)) = wait else { return Vec::new() };
        self.counters.abandoned += 1;
        let after = after.map(|work| Step::Handle { seq, work });
        std::iter::once(Step::Abandoned { seq, held_ms: now.saturating_sub(since) }).chain(after).collect()
    }

    /// Everything is answered; from now on every event goes on as without a hook.
    pub fn shutdown(&mut self, now: u64) -> Vec<Step> {
        self.closed = true;
        let mut steps = Vec::new();
        for (_, mut held) in std::mem::take(&mut self.held) {
            // Nobody is there any more to do it.
            held.after = None;
            steps.extend(held.finish(now, Final::observe(Source::Shutdown)));
        }
        let working = std::mem::take(&mut self.working).into_values();
        steps.extend(working.map(|working| working.finish(now, Final::observe(Source::Shutdown))));
        steps
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

    fn finish_held(&mut self, now: u64, seq: u64, last: Final) -> Vec<Step> {
        self.held.remove(&seq).map(|held| held.finish(now, last)).unwrap_or_default()
    }
}
