//! Requests that wait: for the user, for a handler.

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
    /// What can be decided, to observe first.
    pub choices: Vec<DecisionKind>,
    /// The name of the breakpoint.
    pub breakpoint: String,
    pub on_timeout: OnTimeout,
    /// The next reminder.
    pub(super) remind_at: u64,
    pub(super) record: Record,
    /// To be done once it is answered.
    pub(super) after: Option<Work>,
}

impl Held {
    /// The final answer, and what follows it.
    pub(super) fn finish(self, now: u64, last: Final) -> Vec<Step> {
        let seq = self.arrival.seq;
        let record = Record { held_ms: Some(now.saturating_sub(self.since)), ..self.record };
        let after = self.after.map(|work| Step::Handle { seq, work });
        std::iter::once(last.step(self.arrival, record)).chain(after).collect()
    }

    /// What the breakpoint says for the case that nobody decides.
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

/// How long something waits.
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
    /// Who answers when the handler has nothing to say.
    pub otherwise: Source,
}

impl Working {
    pub(super) fn finish(self, now: u64, last: Final) -> Step {
        let record = Record { held_ms: Some(now.saturating_sub(self.wait.since)), ..self.record };
        last.step(self.arrival, record)
    }

    /// The handler has a text for the model.
    pub(super) fn told(mut self, now: u64, content: String, handler: &str) -> Step {
        let (decision, suppressed) = or_observe(&self.arrival, Decision::Replace { content }, false);
        self.record.suppressed = suppressed.or(self.record.suppressed);
        self.finish(now, Final { decision, source: Source::Handler(handler.to_owned()) })
    }

    /// The handler has nothing to say.
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
