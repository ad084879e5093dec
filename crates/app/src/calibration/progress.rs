//! The progress of a calibration that the session has started.

use hookbench_core::names::AgentId;
use hookbench_core::text::pluralize;

/// The calibration that runs or has run in this session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalibrationProgress {
    pub agent: AgentId,
    /// Whether only the quick probes run.
    pub quick: bool,
    /// `None` before the first probe starts.
    pub probes: Option<usize>,
    pub done: usize,
    pub different: usize,
    /// Whether it still runs.
    pub running: bool,
    /// The result in one line, or the reason for its absence. Empty while it runs.
    pub message: String,
    /// The number of the calibration; updates of an earlier one are ignored.
    pub(crate) number: u64,
}

impl CalibrationProgress {
    /// The progress or the result in one line.
    pub fn headline(&self) -> String {
        match self.probes {
            _ if !self.running => self.message.clone(),
            None => "the first sessions start".to_owned(),
            Some(probes) => {
                format!("{} of {}, {}", self.done, pluralize(probes, "probe"), differ_words(self.different))
            }
        }
    }
}

/// `1 differs`, `2 differ`.
pub fn differ_words(different: usize) -> String {
    format!("{different} {}", if different == 1 { "differs" } else { "differ" })
}
