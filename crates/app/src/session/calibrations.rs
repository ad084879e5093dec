//! The calibration of an installed agent: its progress, and what is known from the last one.

use std::sync::Arc;

use super::state::Session;
use super::update::SessionEffect;
use crate::calibration::{CalibrationFindings, CalibrationProgress, CalibrationUpdate};
use crate::session::job::Job;
use hookbench_core::names::AgentId;
use hookbench_core::text::pluralize;

impl Session {
    /// The calibration that runs or has run in this session.
    pub fn calibration_progress(&self) -> Option<&CalibrationProgress> {
        self.calibration.as_ref()
    }

    /// The findings of the kept calibration of the installed program, if one is kept.
    pub fn calibration_findings(&self, agent: AgentId) -> Option<&Arc<CalibrationFindings>> {
        self.options.findings.iter().find(|(id, _)| *id == agent).map(|(_, found)| found)
    }

    /// Starts a calibration, unless one runs.
    pub(super) fn start_calibration(&mut self, agent: AgentId, quick: bool) -> Vec<Job> {
        if self.calibration.as_ref().is_some_and(|calibration| calibration.running) {
            self.say("a calibration runs already".to_owned());
            return Vec::new();
        }
        let number = self.calibration.as_ref().map_or(1, |calibration| calibration.number + 1);
        let (probes, message) = (None, String::new());
        self.calibration =
            Some(CalibrationProgress { agent, quick, probes, done: 0, different: 0, running: true, message, number });
        self.effects.push(SessionEffect::CalibrationStarted(agent));
        vec![Job::Calibrate { number, agent, quick }]
    }

    /// Stops the running calibration. Nothing of it is kept.
    pub(super) fn stop_calibration(&mut self) -> Vec<Job> {
        let Some(calibration) = self.calibration.as_mut().filter(|calibration| calibration.running) else {
            return Vec::new();
        };
        calibration.message = match calibration.probes {
            Some(probes) => {
                format!("stopped after {} of {}; nothing is kept", calibration.done, pluralize(probes, "probe"))
            }
            None => "stopped before the first probe".to_owned(),
        };
        calibration.running = false;
        calibration.number += 1;
        vec![Job::StopCalibration]
    }

    pub(super) fn absorb_calibration(&mut self, number: u64, update: CalibrationUpdate) {
        let Some(calibration) = self.calibration.as_mut().filter(|known| known.number == number) else { return };
        match update {
            CalibrationUpdate::Began { probes } => calibration.probes = Some(probes),
            CalibrationUpdate::Probe { differs } => {
                calibration.done += 1;
                calibration.different += usize::from(differs);
            }
            CalibrationUpdate::Failed(why) => {
                (calibration.running, calibration.message) = (false, why);
                self.effects.push(SessionEffect::CalibrationEnded);
            }
            CalibrationUpdate::Ended(end) => {
                (calibration.running, calibration.message) = (false, end.message);
                let agent = calibration.agent;
                if let Some((calibration, findings)) = end.calibration {
                    self.options.findings.retain(|(id, _)| *id != agent);
                    self.options.findings.push((agent, findings));
                    if let Some(state) = self.agents.iter_mut().find(|state| state.dialect.id() == agent) {
                        state.basis = state.basis.clone().with_calibration(Some(&calibration));
                    }
                }
                self.effects.push(SessionEffect::CalibrationEnded);
            }
        }
    }
}
