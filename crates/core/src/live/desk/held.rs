//! Requests that wait for the user or for a handler.

use super::verdict::{Final, or_observe};
use super::{Arrival, OnTimeout, REMIND_MS, Record, Step};
use crate::live::handlers::Work;
use crate::live::{Answer, Decision, DecisionKind, Source};

/// A request that is held for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub arrival: Arrival,
    /// The instant at which it arrived.
    pub since: u64,
    /// The instant at which it is answered with [`Held::on_timeout`].
    pub until: u64,
    /// The possible decisions, `observe` first.
    pub choices: Vec<DecisionKind>,
    /// The name of the breakpoint.
    pub breakpoint: String,
    pub on_timeout: OnTimeout,
    /// The instant of the next reminder.
    pub(super) remind_at: u64,
    pub(super) record: Record,
    /// Work to do after the answer.
    pub(super) after: Option<Work>,
}

impl Held {
    /// Returns the final answer and the steps after it.
    pub(super) fn finish(self, now: u64, last: Final) -> Vec<Step> {
        let seq = self.arrival.seq;
        let record = Record { held_ms: Some(now.saturating_sub(self.since)), ..self.record };
        let after = self.after.map(|work| Step::Handle { seq, work });
        std::iter::once(last.step(self.arrival, record)).chain(after).collect()
    }

    /// Returns the answer that the breakpoint sets for a timeout.
    pub(super) fn timed_out(mut self, now: u64) -> Vec<Step> {
        let reason = Some("nobody decided in time in hookbench".to_owned());
        let wanted = match self.on_timeout {
            OnTimeout::Pass => Decision::Observe,
            OnTimeout::Deny => Decision::Deny { reason },
            OnTimeout::Ask => Decision::Ask { reason },
        };
        let (decision, suppressed) = or_observe(&self.arrival, wanted, false);
        self.record.suppressed = suppressed.or(self.record.suppressed);
        self.finish(now, Final { decision, source: Source::Timeout })
    }
}

/// The instants of a waiting request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    pub since: u64,
    pub until: u64,
    pub remind_at: u64,
}

impl Wait {
    pub(super) fn new(now: u64, until: u64) -> Wait {
        Wait { since: now, until, remind_at: now + REMIND_MS }
    }
}

/// A request that waits for a handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Working {
    pub arrival: Arrival,
    pub wait: Wait,
    pub record: Record,
    /// The source of the answer if the handler has none.
    pub otherwise: Source,
}

impl Working {
    pub(super) fn finish(self, now: u64, last: Final) -> Step {
        let record = Record { held_ms: Some(now.saturating_sub(self.wait.since)), ..self.record };
        last.step(self.arrival, record)
    }

    /// Answers with the handler's text for the model.
    pub(super) fn told(mut self, now: u64, content: String, handler: &str) -> Step {
        let (decision, suppressed) = or_observe(&self.arrival, Decision::Replace { content }, false);
        self.record.suppressed = suppressed.or(self.record.suppressed);
        self.finish(now, Final { decision, source: Source::Handler(handler.to_owned()) })
    }

    /// Answers that the handler has nothing to add.
    pub(super) fn nothing(self, now: u64) -> Step {
        let otherwise = self.otherwise.clone();
        self.finish(now, Final::observe(otherwise))
    }
}

impl Final {
    pub(super) fn step(self, arrival: Arrival, record: Record) -> Step {
        let Final { decision, source } = self;
        let answer = Answer { decision, system_message: None, id: Some(arrival.id), source: Some(source) };
        Step::Answer { seq: arrival.seq, answer, record }
    }
}
