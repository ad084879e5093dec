//! Requests that wait for the user or for a handler.

use std::collections::HashMap;

use super::admission::{FinalDecision, or_observe};
use super::{AnswerRecord, IncomingEvent, InterceptStep, Interceptor, REMIND_MS, TimeoutAction};
use crate::dialects::live::HandoffPoint;
use crate::live::handlers::{HandlerWork, Handoff};
use crate::live::{Decision, DecisionKind, DecisionSource, LiveAnswer, live_form};

/// The reasons that the agent receives with an announced answer.
const NO_DECISION: &str = "hookbench got no decision in time";
pub const ENDED: &str = "hookbench ended before you decided";

/// A request that is held for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingEvent {
    pub arrival: IncomingEvent,
    /// The instant at which it arrived.
    pub since: u64,
    /// The instant at which it is answered with [`PendingEvent::announced`].
    pub until: u64,
    /// The possible decisions, `observe` first.
    pub choices: Vec<DecisionKind>,
    /// The name of the breakpoint.
    pub breakpoint: String,
    pub on_timeout: TimeoutAction,
    /// The instant of the next reminder.
    pub(super) next_reminder: u64,
    pub(super) record: AnswerRecord,
    /// Work to do after the answer.
    pub(super) work_after: Option<HandlerWork>,
}

impl PendingEvent {
    /// Returns the final answer and the steps after it.
    pub(super) fn finish(self, now: u64, last: FinalDecision) -> Vec<InterceptStep> {
        let seq = self.arrival.seq;
        let record = AnswerRecord { held_ms: Some(now.saturating_sub(self.since)), ..self.record };
        let after = self.work_after.map(|work| InterceptStep::Handle { seq, work });
        std::iter::once(last.step(self.arrival, record)).chain(after).collect()
    }

    /// The answer that was announced: the one of the breakpoint, or `Pass` if the agent cannot express it.
    pub fn announced(&self) -> TimeoutAction {
        if self.choices.contains(&self.on_timeout.decision("").kind()) { self.on_timeout } else { TimeoutAction::Pass }
    }

    /// Gives the announced answer, because the user did not decide before the time limit or the end of hookbench.
    pub(super) fn finish_undecided(mut self, now: u64, source: DecisionSource) -> Vec<InterceptStep> {
        let reason = if source == DecisionSource::Shutdown { ENDED } else { NO_DECISION };
        let (decision, suppressed) = or_observe(&self.arrival, self.on_timeout.decision(reason), false);
        self.record.suppressed = suppressed.or(self.record.suppressed);
        self.finish(now, FinalDecision { decision, source })
    }
}

/// The instants of a waiting request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitTimes {
    pub since: u64,
    pub until: u64,
    pub remind_at: u64,
}

impl WaitTimes {
    pub(super) fn new(now: u64, until: u64) -> WaitTimes {
        WaitTimes { since: now, until, remind_at: now + REMIND_MS }
    }
}

/// A request that waits for a handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventInHandler {
    pub arrival: IncomingEvent,
    pub wait: WaitTimes,
    pub record: AnswerRecord,
    /// The source of the answer if the handler has none.
    pub fallback_source: DecisionSource,
}

impl EventInHandler {
    pub(super) fn finish(self, now: u64, last: FinalDecision) -> InterceptStep {
        let record = AnswerRecord { held_ms: Some(now.saturating_sub(self.wait.since)), ..self.record };
        last.step(self.arrival, record)
    }

    /// Answers with the handler's text for the model.
    pub(super) fn answer_with(mut self, now: u64, content: String, handler: &str) -> InterceptStep {
        let (decision, suppressed) = or_observe(&self.arrival, Decision::Replace { content }, false);
        self.record.suppressed = suppressed.or(self.record.suppressed);
        self.finish(now, FinalDecision { decision, source: DecisionSource::Handler(handler.to_owned()) })
    }

    /// Answers that the handler has nothing to add.
    pub(super) fn answer_without_text(self, now: u64) -> InterceptStep {
        let otherwise = self.fallback_source.clone();
        self.finish(now, FinalDecision::observe(otherwise))
    }
}

impl FinalDecision {
    pub(super) fn step(self, arrival: IncomingEvent, record: AnswerRecord) -> InterceptStep {
        let FinalDecision { decision, source } = self;
        let answer = LiveAnswer { decision, system_message: None, id: Some(arrival.id), source: Some(source) };
        InterceptStep::Answer { seq: arrival.seq, answer, record }
    }
}

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

impl Interceptor {
    /// Reports that time has passed.
    pub fn tick(&mut self, now: u64) -> Vec<InterceptStep> {
        let mut steps = Vec::new();
        let late: Vec<u64> = self.held.values().filter(|h| h.until <= now).map(|h| h.arrival.seq).collect();
        for seq in late {
            if let Some(held) = self.held.remove(&seq) {
                steps.extend(held.finish_undecided(now, DecisionSource::Timeout));
            }
        }
        let late: Vec<u64> = self.working.iter().filter(|(_, w)| w.wait.until <= now).map(|(seq, _)| *seq).collect();
        for seq in late {
            let working = self.working.remove(&seq);
            steps.extend(working.map(|working| working.finish(now, FinalDecision::observe(DecisionSource::Timeout))));
        }
        for (seq, held) in &mut self.held {
            steps.extend(remind(&mut held.next_reminder, now, *seq));
        }
        for (seq, working) in &mut self.working {
            steps.extend(remind(&mut working.wait.remind_at, now, *seq));
        }
        steps
    }

    /// Returns the instant at which [`Interceptor::tick`] has something to do. `None` if nothing waits.
    pub fn next_deadline(&self) -> Option<u64> {
        let held = self.held.values().map(|held| held.until.min(held.next_reminder));
        let working = self.working.values().map(|working| working.wait.next());
        held.chain(working).min()
    }
}

impl WaitTimes {
    fn next(&self) -> u64 {
        self.until.min(self.remind_at)
    }
}

fn remind(at: &mut u64, now: u64, seq: u64) -> Option<InterceptStep> {
    (*at <= now).then(|| {
        *at = now + REMIND_MS;
        InterceptStep::Processing { seq }
    })
}
