//! One run as a row: its event, its outcome and deciding hook, and its full record while there is space.

use std::mem::size_of;
use std::sync::Arc;
use std::time::Duration;

use super::event::FiredEvent;
use crate::firing::record::{FiringId, FiringRecord};
use hookbench_core::config::EnvironmentSource;
use hookbench_core::decide::Verdict;

/// The hook that decided or failed, as configured at the time; the settings may have changed since.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decider {
    pub label: String,
    pub layer: &'static str,
    /// The path as displayed.
    pub file: String,
    pub line: u32,
    /// The number of other hooks that made the same decision.
    pub others: usize,
}

/// The outcome of a run, shared by all runs with the same outcome.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct PastDecision {
    pub verdict: Verdict,
    /// The agent's action, in one sentence.
    pub action: Box<str>,
    pub decider: Option<Decider>,
    /// The lower-case text that searches match.
    text: Box<str>,
}

impl PastDecision {
    pub(super) fn of(record: &FiringRecord) -> Option<PastDecision> {
        let outcome = record.outcome.as_ref()?;
        // If no hook decided and one failed, name the hook that failed.
        let failed = record.first_failed().filter(|_| outcome.verdict == Verdict::FailedOpen).map(|run| &run.hook);
        let by = failed.or(outcome.decided_by.first()).and_then(|id| record.loaded.definition(id)).map(|d| Decider {
            label: d.label(),
            layer: d.provenance.layer.word(),
            file: d.provenance.file.clone(),
            line: d.provenance.line,
            others: outcome.decided_by.len().saturating_sub(1),
        });
        let who = by.as_ref().map(|by| format!(" {} {}:{}", by.label, by.file, by.line)).unwrap_or_default();
        let text = format!("{}{who}", outcome.verdict.title()).to_lowercase().into();
        Some(PastDecision { verdict: outcome.verdict, action: outcome.agent_does.as_str().into(), decider: by, text })
    }

    /// Its size in memory.
    pub(super) fn bytes(&self) -> usize {
        let by = self.decider.as_ref().map_or(0, |by| by.label.len() + by.file.len());
        size_of::<PastDecision>() + self.action.len() + self.text.len() + by
    }
}

/// One run of the session.
#[derive(Debug)]
pub struct PastRun {
    pub id: FiringId,
    pub event: Arc<FiredEvent>,
    /// The previous run of the same event.
    pub previous: Option<FiringId>,
    /// `None` until the run is decided.
    pub decision: Option<Arc<PastDecision>>,
    pub duration: Duration,
    /// Decided from assumed results instead of run.
    pub assumed: bool,
    /// Started by a file save.
    pub auto_fired: bool,
    /// The reason in one word why the run did not finish.
    pub cancel_reason: Option<&'static str>,
    /// The source of the hooks' environment.
    pub env_source: EnvironmentSource,
    /// Payload keys that were filled in from the template.
    pub(super) filled: Option<Arc<[String]>>,
    /// Whether every run of a hook has ended.
    pub(super) settled: bool,
    /// The plan, runs and output, while they are kept.
    pub(super) record: Option<Box<FiringRecord>>,
    /// The size of the record in bytes, as counted in the history.
    pub(super) weight: usize,
}

impl PastRun {
    /// The plan, runs and output; `None` if they are no longer kept.
    pub fn record(&self) -> Option<&FiringRecord> {
        self.record.as_deref()
    }

    /// The assumed result; `None` if the event was really run.
    pub fn assumed_words(&self) -> Option<String> {
        let end = self.record().and_then(FiringRecord::assumed_end);
        self.assumed.then(|| end.map_or_else(|| "assumed, not run".to_owned(), |end| format!("assumed: {end}")))
    }

    /// A message that the output is no longer kept. `fire` is the key that fires the event again.
    pub fn dropped_output_message(&self, fire: &str) -> String {
        format!("output of run {} is no longer kept; {fire} runs it again", self.id.0)
    }

    /// Returns whether the run finished and has a decision.
    pub fn decided(&self) -> bool {
        self.decision.is_some() && self.cancel_reason.is_none()
    }

    /// The verdict.
    pub fn verdict(&self) -> Option<Verdict> {
        self.decision.as_ref().map(|d| d.verdict)
    }

    /// Payload keys that were filled in from the template.
    pub fn filled(&self) -> &[String] {
        self.filled.as_deref().unwrap_or_default()
    }

    /// Appends the lower-case text that searches match: event, verdict, deciding hook, number.
    pub fn append_search_text(&self, out: &mut String) {
        let decided = self.decision.as_ref().map_or("running", |d| &d.text);
        let notes = [(self.assumed, "supposed"), (self.auto_fired, "auto")];
        let notes = notes.into_iter().filter(|(so, _)| *so).map(|(_, word)| word).chain(self.cancel_reason);
        for word in [self.event.text(), decided].into_iter().chain(notes) {
            out.push_str(word);
            out.push(' ');
        }
        out.push_str(&self.id.0.to_string());
    }

    /// Its size in memory without shared data.
    pub(super) fn bytes(&self) -> usize {
        let filled: usize = self.filled().iter().map(|key| size_of::<String>() + key.len()).sum();
        size_of::<PastRun>() + filled
    }
}
