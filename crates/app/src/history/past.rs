//! One run as a row: what it was of, what it came to and who decided it; and, while there is room, all of it.

use std::mem::size_of;
use std::sync::Arc;
use std::time::Duration;

use super::event::FiredEvent;
use crate::firing_record::{FiringId, FiringRecord};
use hookbench_core::decide::Verdict;

/// Who decided or failed, as it was then: the settings may be others now.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decider {
    pub label: String,
    pub layer: &'static str,
    /// As shown.
    pub file: String,
    pub line: u32,
    /// Others that decided the same.
    pub more: usize,
}

/// What a run came to. Kept once for all runs that came to the same.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    pub verdict: Verdict,
    /// What the agent does, in one sentence.
    pub does: Box<str>,
    pub by: Option<Decider>,
    /// What it is found by, in small letters.
    text: Box<str>,
}

impl Decision {
    pub(super) fn of(record: &FiringRecord) -> Option<Decision> {
        let outcome = record.outcome.as_ref()?;
        // Where nobody decided and somebody failed, it was that one.
        let failed = record.first_failed().filter(|_| outcome.verdict == Verdict::FailedOpen).map(|run| &run.hook);
        let by = failed.or(outcome.decided_by.first()).and_then(|id| record.loaded.definition(id)).map(|d| Decider {
            label: d.label(),
            layer: d.from.layer.word(),
            file: d.from.file.clone(),
            line: d.from.line,
            more: outcome.decided_by.len().saturating_sub(1),
        });
        let who = by.as_ref().map(|by| format!(" {} {}:{}", by.label, by.file, by.line)).unwrap_or_default();
        let text = format!("{}{who}", outcome.verdict.title()).to_lowercase().into();
        Some(Decision { verdict: outcome.verdict, does: outcome.agent_does.as_str().into(), by, text })
    }

    /// What it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        let by = self.by.as_ref().map_or(0, |by| by.label.len() + by.file.len());
        size_of::<Decision>() + self.does.len() + self.text.len() + by
    }
}

/// One run of the session.
#[derive(Debug)]
pub struct PastRun {
    pub id: FiringId,
    pub event: Arc<FiredEvent>,
    /// The run of the same event before it.
    pub before: Option<FiringId>,
    /// None while nothing is decided.
    pub decision: Option<Arc<Decision>>,
    pub duration: Duration,
    /// Decided from answers that were supposed, not run.
    pub supposed: bool,
    /// Started because a file was saved.
    pub auto: bool,
    /// It did not come to its end: in a word, why.
    pub broken_off: Option<&'static str>,
    /// Keys of the payload that were taken from the template.
    pub(super) filled: Option<Arc<[String]>>,
    /// Nothing is outstanding.
    pub(super) settled: bool,
    /// Plan, runs and output, as long as they are kept.
    pub(super) record: Option<Box<FiringRecord>>,
    /// Bytes that the record holds, as they were counted.
    pub(super) weight: usize,
}

impl PastRun {
    /// Plan, runs and output; none: they are no longer kept.
    pub fn record(&self) -> Option<&FiringRecord> {
        self.record.as_deref()
    }

    /// What was supposed of it; none: it was run.
    pub fn supposed_words(&self) -> Option<String> {
        let end = self.record().and_then(FiringRecord::supposed_end);
        self.supposed.then(|| end.map_or_else(|| "supposed, not run".to_owned(), |end| format!("supposed: {end}")))
    }

    /// That its output is gone, and what brings it back. `fire` is the key for that.
    pub fn gone_words(&self, fire: &str) -> String {
        format!("output of run {} is no longer kept; {fire} fires it again", self.id.0)
    }

    /// It came to its end, and that was the agent's decision.
    pub fn decided(&self) -> bool {
        self.decision.is_some() && self.broken_off.is_none()
    }

    /// What it came to.
    pub fn verdict(&self) -> Option<Verdict> {
        self.decision.as_ref().map(|d| d.verdict)
    }

    /// Keys of the payload that were taken from the template.
    pub fn filled(&self) -> &[String] {
        self.filled.as_deref().unwrap_or_default()
    }

    /// Adds what it is found by, in small letters: its event, its verdict, who decided, its number.
    pub fn words(&self, out: &mut String) {
        let decided = self.decision.as_ref().map_or("running", |d| &d.text);
        let notes = [(self.supposed, "supposed"), (self.auto, "auto")];
        let notes = notes.into_iter().filter(|(so, _)| *so).map(|(_, word)| word).chain(self.broken_off);
        for word in [self.event.text(), decided].into_iter().chain(notes) {
            out.push_str(word);
            out.push(' ');
        }
        out.push_str(&self.id.0.to_string());
    }

    /// What it takes in memory beside what it shares with others.
    pub(super) fn bytes(&self) -> usize {
        let filled: usize = self.filled().iter().map(|key| size_of::<String>() + key.len()).sum();
        size_of::<PastRun>() + filled
    }
}
