//! The interceptor, where events of running agents arrive, are held, decided and answered. It is a state machine:
//! callers report events and the time, and it returns steps to execute. It uses no clock, socket or file.
//!
//! `now` is always in milliseconds of a monotonic clock; `wall_ms` is the time of day in milliseconds since 1970.
//! Every event gets exactly one [`Step::Answer`], or one [`Step::Abandoned`] if its client disconnects first.

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

/// The maximum number of held requests.
pub const MAX_HELD: usize = 256;
/// The interval of reminders to a waiting client, in milliseconds.
pub const REMIND_MS: u64 = 10_000;
/// The time between the answer and the client's limit, in milliseconds: a request is answered this much earlier.
pub const MARGIN_MS: u64 = 500;

/// Counts since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events that arrived.
    pub arrived: u64,
    /// Events that were not held because the interceptor was full.
    pub passed_full: u64,
    /// Clients that disconnected before the answer.
    pub abandoned: u64,
}

/// The state machine. See the module documentation.
#[derive(Debug)]
pub struct Desk {
    settings: DeskSettings,
    /// Requests that wait for the user.
    held: BTreeMap<u64, Held>,
    /// Requests that wait for a handler.
    working: BTreeMap<u64, Working>,
    cooldowns: Cooldowns,
    pending: Pending,
    paused: bool,
    closed: bool,
    counters: Counters,
}

impl Desk {
    /// Creates an empty interceptor.
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

    /// Restores what an earlier interceptor asked to keep ([`Step::Keep`]): cooldowns, and handoffs that were not
    /// delivered.
    pub fn remember(&mut self, cooldowns: Vec<Cooldown>, handoffs: Vec<Handoff>) {
        self.cooldowns.load(cooldowns);
        for handoff in handoffs {
            self.wait_for_delivery(handoff);
        }
    }

    /// Applies the user's decision about a held request.
    ///
    /// # Errors
    /// Returns an error if the decision is not possible. The request stays held.
    pub fn decide(&mut self, now: u64, seq: u64, choice: Choice) -> Result<Vec<Step>, WhyNot> {
        let held = self.held.get(&seq).filter(|held| now < held.until).ok_or(WhyNot::NotHeld(seq))?;
        admit(&held.arrival, &choice.decision, self.settings.allow_raw)?;
        Ok(self.finish_held(now, seq, Final { decision: choice.decision, source: Source::User }))
    }

    /// Answers all held requests with `observe`.
    pub fn release_all(&mut self, now: u64) -> Vec<Step> {
        let all: Vec<u64> = self.held.keys().copied().collect();
        all.into_iter().flat_map(|seq| self.finish_held(now, seq, Final::observe(Source::User))).collect()
    }

    /// Pauses or resumes the breakpoints. Held requests stay held.
    pub fn pause(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// Whether the breakpoints are paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Reports a handler's result ([`Step::Handle`]). A result that is too late for the answer is still stored.
    pub fn handled(&mut self, now: u64, wall_ms: i64, seq: u64, done: Done) -> Vec<Step> {
        let in_time = self.working.get(&seq).is_some_and(|working| now < working.wait.until);
        let working = if in_time { self.working.remove(&seq) } else { None };
        match done {
            Done::Overview(text) => working.map(|w| w.told(now, text, "overview")).into_iter().collect(),
            Done::Handoff(handoff) => self.made(now, Handoff { created_ms: wall_ms, ..handoff }, working),
            Done::Failed(_) => working.into_iter().map(|w| w.nothing(now)).collect(),
        }
    }

    /// Stores a new handoff, and delivers it immediately if possible.
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

    /// Reports that the client of a request has disconnected.
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

    /// Answers everything. From now on, every event is answered with `observe`.
    pub fn shutdown(&mut self, now: u64) -> Vec<Step> {
        self.closed = true;
        let mut steps = Vec::new();
        for (_, mut held) in std::mem::take(&mut self.held) {
            // After the shutdown, no handler is left to do the work.
            held.after = None;
            steps.extend(held.finish(now, Final::observe(Source::Shutdown)));
        }
        let working = std::mem::take(&mut self.working).into_values();
        steps.extend(working.map(|working| working.finish(now, Final::observe(Source::Shutdown))));
        steps
    }

    /// Returns the requests held for the user, in the order of arrival.
    pub fn held(&self) -> impl Iterator<Item = &Held> {
        self.held.values()
    }

    /// Returns the breakpoints in order.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.settings.breakpoints
    }

    /// Replaces the breakpoints for future events.
    pub fn set_breakpoints(&mut self, breakpoints: Vec<Breakpoint>) {
        self.settings.breakpoints = breakpoints;
    }

    /// Returns the counts.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    fn finish_held(&mut self, now: u64, seq: u64, last: Final) -> Vec<Step> {
        self.held.remove(&seq).map(|held| held.finish(now, last)).unwrap_or_default()
    }
}
