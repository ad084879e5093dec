//! A logged run whose event is on the bench again.

use hookbench_core::decide::Verdict;
use hookbench_core::recorded::RecordedEvent;

/// The outcome of a logged run. Its output is shown on the page of recorded events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedRun {
    /// The number of the recorded event.
    pub seq: i64,
    /// Milliseconds since 1970, UTC.
    pub at: Option<i64>,
    pub verdict: Verdict,
    /// The agent's action, in one sentence.
    pub action: String,
    /// The names of the hooks that decided.
    pub decided_by: Vec<String>,
}

impl OpenedRun {
    /// The outcome of a recorded event. `None` if it has none.
    pub(crate) fn of(seq: i64, event: &RecordedEvent) -> Option<OpenedRun> {
        let outcome = event.outcome.as_ref()?;
        Some(OpenedRun {
            seq,
            at: event.at,
            verdict: Verdict::from_word(event.verdict.as_deref()?)?,
            action: outcome.agent_does.clone(),
            decided_by: outcome.decided_by.clone(),
        })
    }
}
