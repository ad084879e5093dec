//! The interceptor, where events of running agents arrive, are held, decided and answered. It is a state machine:
//! callers report events and the time, and it returns steps to execute. It uses no clock, socket or file.
//!
//! `now` is always in milliseconds of a monotonic clock; `wall_ms` is the time of day in milliseconds since 1970.
//! Every event gets exactly one [`InterceptStep::Answer`], or one [`InterceptStep::Abandoned`] if its client disconnects first.

mod admission;
mod breakpoint;
mod breakpoint_settings;
mod event_handling;
mod path_pattern;
mod pending_event;
mod settings;
mod step;

use std::collections::BTreeMap;

pub use admission::{Cooldown, CooldownCheck, Cooldowns, IncomingEvent, check_required_text};
pub use breakpoint::{Breakpoint, BreakpointAction, TimeoutAction, can_be_held, event_named};
pub use breakpoint_settings::{INTERCEPT_TABLES, read_intercept_settings, read_intercept_tables};
pub use path_pattern::{PathPattern, PathPatternError, check_tool, known_event};
pub use pending_event::{DELIVERABLE_MS, ENDED, PendingEvent};
pub use settings::{EnabledHandlers, InterceptSettings};
pub use step::{
    AnswerRecord, DecisionError, InterceptStep, PersistedState, SuppressedDecision, SuppressionReason, UserDecision,
};

use super::handlers::{HandlerResult, Handoff, HandoffTrigger};
use super::{Decision, DecisionSource};
use admission::{FinalDecision, check_decision};
use pending_event::{EventInHandler, PendingHandoffs};

/// The maximum number of held requests.
pub const MAX_HELD: usize = 256;
/// The interval of reminders to a waiting client, in milliseconds.
pub const REMIND_MS: u64 = 10_000;
/// The time between the answer and the client's limit, in milliseconds: a request is answered this much earlier.
pub const ANSWER_MARGIN_MS: u64 = 500;

/// Counts since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InterceptCounters {
    /// Events that arrived.
    pub arrived: u64,
    /// Events that were not held because the interceptor was full.
    pub passed_full: u64,
    /// Clients that disconnected before the answer.
    pub abandoned: u64,
}

/// The state machine. See the module documentation.
#[derive(Debug, Default)]
pub struct Interceptor {
    settings: InterceptSettings,
    /// Requests that wait for the user.
    held: BTreeMap<u64, PendingEvent>,
    /// Requests that wait for a handler.
    working: BTreeMap<u64, EventInHandler>,
    cooldowns: Cooldowns,
    pending: PendingHandoffs,
    paused: bool,
    closed: bool,
    counters: InterceptCounters,
}

impl Interceptor {
    /// Creates an empty interceptor.
    pub fn new(settings: InterceptSettings) -> Interceptor {
        Interceptor { settings, ..Interceptor::default() }
    }

    /// Restores what an earlier interceptor asked to keep ([`InterceptStep::Store`]): cooldowns, and handoffs that were not
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
    pub fn decide(&mut self, now: u64, seq: u64, choice: UserDecision) -> Result<Vec<InterceptStep>, DecisionError> {
        let held = self.held.get(&seq).filter(|held| now < held.until).ok_or(DecisionError::NotHeld(seq))?;
        check_decision(&held.arrival, &choice.decision, self.settings.allow_raw)?;
        Ok(self.finish_held(now, seq, FinalDecision { decision: choice.decision, source: DecisionSource::User }))
    }

    /// Answers all held requests with `observe`.
    pub fn release_all(&mut self, now: u64) -> Vec<InterceptStep> {
        let all: Vec<u64> = self.held.keys().copied().collect();
        all.into_iter()
            .flat_map(|seq| self.finish_held(now, seq, FinalDecision::observe(DecisionSource::User)))
            .collect()
    }

    /// Pauses or resumes the breakpoints. Held requests stay held.
    pub fn pause(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// Whether the breakpoints are paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Reports a handler's result ([`InterceptStep::Handle`]). A result that is too late for the answer is still stored.
    pub fn work_done(&mut self, now: u64, wall_ms: i64, seq: u64, done: HandlerResult) -> Vec<InterceptStep> {
        let in_time = self.working.get(&seq).is_some_and(|working| now < working.wait.until);
        let working = if in_time { self.working.remove(&seq) } else { None };
        match done {
            HandlerResult::Overview(text) => {
                working.map(|w| w.answer_with(now, text, "overview")).into_iter().collect()
            }
            HandlerResult::Handoff(handoff) => {
                self.handoff_made(now, Handoff { created_ms: wall_ms, ..handoff }, working)
            }
            HandlerResult::Failed(_) => working.into_iter().map(|w| w.answer_without_text(now)).collect(),
        }
    }

    /// Stores a new handoff, and delivers it immediately if possible.
    fn handoff_made(&mut self, now: u64, handoff: Handoff, working: Option<EventInHandler>) -> Vec<InterceptStep> {
        let mut steps = vec![InterceptStep::Store(PersistedState::Handoff(handoff.clone()))];
        let Some(working) = working else {
            self.wait_for_delivery(handoff);
            return steps;
        };
        let delivered = PersistedState::delivered(&handoff, handoff.created_ms);
        let answer = if pending_event::delivers_at_compaction(&handoff.provider) {
            working.answer_with(now, handoff.yaml.clone(), "handoff")
        } else {
            working.answer_without_text(now)
        };
        let told = matches!(&answer, InterceptStep::Answer { answer, .. } if answer.decision != Decision::Observe);
        steps.push(answer);
        if told {
            steps.push(InterceptStep::Store(delivered));
        } else {
            self.wait_for_delivery(handoff);
        }
        steps
    }

    fn wait_for_delivery(&mut self, handoff: Handoff) {
        if handoff.trigger == HandoffTrigger::PreCompact && !pending_event::delivers_at_compaction(&handoff.provider) {
            self.pending.add(handoff);
        }
    }

    /// Reports that the client of a request has disconnected.
    pub fn client_disconnected(&mut self, now: u64, seq: u64) -> Vec<InterceptStep> {
        let wait = if let Some(held) = self.held.remove(&seq) {
            Some((held.since, held.work_after))
        } else {
            self.working.remove(&seq).map(|working| (working.wait.since, None))
        };
        let Some((since, after)) = wait else { return Vec::new() };
        self.counters.abandoned += 1;
        let after = after.map(|work| InterceptStep::Handle { seq, work });
        std::iter::once(InterceptStep::Abandoned { seq, held_ms: now.saturating_sub(since) }).chain(after).collect()
    }

    /// Answers everything: held requests with the announced answer. From now on, every event is answered with `observe`.
    pub fn shutdown(&mut self, now: u64) -> Vec<InterceptStep> {
        self.closed = true;
        let mut steps = Vec::new();
        for (_, mut held) in std::mem::take(&mut self.held) {
            // After the shutdown, no handler is left to do the work.
            held.work_after = None;
            steps.extend(held.finish_undecided(now, DecisionSource::Shutdown));
        }
        let working = std::mem::take(&mut self.working).into_values();
        steps.extend(working.map(|working| working.finish(now, FinalDecision::observe(DecisionSource::Shutdown))));
        steps
    }

    /// Returns the requests held for the user, in the order of arrival.
    pub fn held(&self) -> impl Iterator<Item = &PendingEvent> {
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
    pub fn counters(&self) -> InterceptCounters {
        self.counters
    }

    fn finish_held(&mut self, now: u64, seq: u64, last: FinalDecision) -> Vec<InterceptStep> {
        self.held.remove(&seq).map(|held| held.finish(now, last)).unwrap_or_default()
    }
}
