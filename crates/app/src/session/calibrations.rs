//! The calibration of an installed agent: its progress, and what is known from the last one.

use std::sync::Arc;

use super::state::Session;
use super::update::SessionEffect;
use crate::calibration::{CalibrationFindings, CalibrationProgress, CalibrationUpdate};
use crate::session::job::Job;
use crate::session::task::{Task, TaskKind};
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
        let (probes, message) = (None, String::new());
        self.calibration =
            Some(CalibrationProgress { agent, quick, probes, done: 0, different: 0, running: true, message });
        self.effects.push(SessionEffect::CalibrationStarted(agent));
        vec![self.tasks.start(Task::Calibrate { agent, quick })]
    }

    /// Stops the running calibration. Nothing of it is kept.
    pub(super) fn stop_calibration(&mut self) -> Option<Job> {
        let calibration = self.calibration.as_mut().filter(|calibration| calibration.running)?;
        calibration.message = match calibration.probes {
            Some(probes) => {
                format!("stopped after {} of {}; nothing is kept", calibration.done, pluralize(probes, "probe"))
            }
            None => "stopped before the first probe".to_owned(),
        };
        calibration.running = false;
        self.tasks.stop(TaskKind::Calibration)
    }

    pub(super) fn absorb_calibration(&mut self, update: CalibrationUpdate) {
        let Some(calibration) = &mut self.calibration else { return };
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
