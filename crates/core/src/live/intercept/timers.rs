//! Timers: waiting clients are reminded, and answered before they give up.

use super::{InterceptStep, Interceptor, REMIND_MS, WaitTimes};
use crate::live::DecisionSource;
use crate::live::intercept::admission::FinalDecision;

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
