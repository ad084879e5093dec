//! Requests that wait for the user or for a handler.

use super::admission::{FinalDecision, or_observe};
use super::{AnswerRecord, IncomingEvent, InterceptStep, REMIND_MS, TimeoutAction};
use crate::live::handlers::HandlerWork;
use crate::live::{Decision, DecisionKind, DecisionSource, LiveAnswer};

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
