//! The request for a calibration, and the probes that it selects.

use std::path::PathBuf;
use std::time::Duration;

use hookbench_core::calibration::{Probe, ProbeError, Survey, UnreachableRule, read_probes};
use hookbench_core::dialects::{Agent, Version};

/// The request for a calibration of one agent.
#[derive(Debug, Clone)]
pub struct CalibrationRequest {
    pub dialect: &'static Agent,
    /// The program to run.
    pub program: PathBuf,
    /// The version that the program's files state.
    pub installed: Option<Version>,
    /// Whether only the quick probes run.
    pub quick: bool,
    /// Only probes whose ids contain this text.
    pub filter: Option<String>,
    /// The number of sessions at a time.
    pub jobs: usize,
    /// The time limit of a session.
    pub limit: Duration,
    /// Whether the limit is fixed. Otherwise it grows if the first sessions show that the machine is slow.
    pub limit_is_fixed: bool,
}

impl CalibrationRequest {
    /// The rules that no probe can show.
    pub(super) fn unreachable_rules(&self) -> Vec<UnreachableRule> {
        read_probes(self.dialect).map(|set| set.unreachable).unwrap_or_default()
    }

    /// The questions for whole tables.
    pub fn surveys(&self) -> Vec<Survey> {
        let surveys = read_probes(self.dialect).map(|set| set.surveys).unwrap_or_default();
        surveys.into_iter().filter(|survey| self.has(&survey.probe)).collect()
    }

    /// Whether a probe is to run.
    fn has(&self, probe: &Probe) -> bool {
        (probe.quick || !self.quick) && self.filter.as_ref().is_none_or(|text| probe.id.contains(text.as_str()))
    }

    /// The probes to run.
    ///
    /// # Errors
    /// Returns an error if the agent's probes are invalid.
    pub fn probes(&self) -> Result<Vec<Probe>, ProbeError> {
        Ok(read_probes(self.dialect)?.probes.into_iter().filter(|probe| self.has(probe)).collect())
    }
}
