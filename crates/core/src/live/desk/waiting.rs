//! Timers: waiting clients are reminded, and answered before they give up.

use super::{Desk, REMIND_MS, Step, Wait};
use crate::live::Source;
use crate::live::desk::verdict::Final;

impl Desk {
    /// Reports that time has passed.
    pub fn tick(&mut self, now: u64) -> Vec<Step> {
        let mut steps = Vec::new();
        let late: Vec<u64> = self.held.values().filter(|h| h.until <= now).map(|h| h.arrival.seq).collect();
        for seq in late {
            if let Some(held) = self.held.remove(&seq) {
                steps.extend(held.timed_out(now));
            }
        }
        let late: Vec<u64> = self.working.iter().filter(|(_, w)| w.wait.until <= now).map(|(seq, _)| *seq).collect();
        for seq in late {
            let working = self.working.remove(&seq);
            steps.extend(working.map(|working| working.finish(now, Final::observe(Source::Timeout))));
        }
        for (seq, held) in &mut self.held {
            steps.extend(remind(&mut held.remind_at, now, *seq));
        }
        for (seq, working) in &mut self.working {
            steps.extend(remind(&mut working.wait.remind_at, now, *seq));
        }
        steps
    }

    /// Returns the instant at which [`Desk::tick`] has something to do. `None` if nothing waits.
    pub fn wake(&self) -> Option<u64> {
        let held = self.held.values().map(|held| held.until.min(held.remind_at));
        let working = self.working.values().map(|working| working.wait.next());
        held.chain(working).min()
    }
}

impl Wait {
    fn next(&self) -> u64 {
        self.until.min(self.remind_at)
    }
}

fn remind(at: &mut u64, now: u64, seq: u64) -> Option<Step> {
    (*at <= now).then(|| {
        *at = now + REMIND_MS;
        Step::Processing { seq }
    })
}
