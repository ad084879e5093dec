//! Tasks: work that takes long, reports its steps and can be stopped. At most one task of each kind runs.

use std::collections::HashMap;

use super::job::Job;
use crate::analysis::lint::HookObservation;
use crate::analysis::new_hook::trial::{HookToWrite, TrialResult};
use crate::calibration::CalibrationUpdate;
use crate::recordings::impact::{Impact, SettingsChange};
use crate::stress::{LintTrial, StressRequest, StressUpdate};
use crate::verification::{VerificationRequest, VerificationUpdate};
use hookbench_core::names::AgentId;

/// A task for the driver.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Run a stress test.
    Stress(Box<StressRequest>),
    /// Run the probes of an installed agent, all or the quick ones.
    Calibrate { agent: AgentId, quick: bool },
    /// Run a session of the installed agent in which an event is fired.
    Verify(Box<VerificationRequest>),
    /// Run a hook once, for lint.
    TryHook(Box<LintTrial>),
    /// Write the files of a new hook, all or none, and then fire its examples.
    WriteHook(Box<HookToWrite>),
    /// Plan the recorded events again, under the settings before and after a change or a previewed change.
    Impact { change: SettingsChange, previewed: bool },
    /// Read what the first change of these settings will need.
    ReadAhead(SettingsChange),
}

/// A kind of task. A new task ends the running one of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskKind {
    Stress,
    Calibration,
    Verification,
    Trial,
    NewHook,
    Impact { agent: AgentId, previewed: bool },
    ReadAhead(AgentId),
}

/// A step or the result of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskUpdate {
    Stress(StressUpdate),
    Calibration(CalibrationUpdate),
    Verification(VerificationUpdate),
    /// A hook was tried for lint, or could not be, for this reason.
    HookObserved(Result<Box<HookObservation>, String>),
    /// A new hook was written, or the reason why it was not.
    HookWritten(String),
    /// The examples of a written hook were fired. `None` if it was not written, or has none that is safe to fire.
    HookTried(Option<TrialResult>),
    /// The effect of a change of settings on the recorded events, as far as known.
    Impact {
        previewed: bool,
        impact: Box<Impact>,
    },
}

impl Task {
    /// The kind of the task.
    pub fn kind(&self) -> TaskKind {
        match self {
            Task::Stress(_) => TaskKind::Stress,
            Task::Calibrate { .. } => TaskKind::Calibration,
            Task::Verify(_) => TaskKind::Verification,
            Task::TryHook(_) => TaskKind::Trial,
            Task::WriteHook(_) => TaskKind::NewHook,
            Task::Impact { change, previewed } => {
                TaskKind::Impact { agent: change.dialect.id(), previewed: *previewed }
            }
            Task::ReadAhead(settings) => TaskKind::ReadAhead(settings.dialect.id()),
        }
    }
}

impl TaskUpdate {
    /// The kind of the task that sends it.
    fn kind(&self) -> TaskKind {
        match self {
            TaskUpdate::Stress(_) => TaskKind::Stress,
            TaskUpdate::Calibration(_) => TaskKind::Calibration,
            TaskUpdate::Verification(_) => TaskKind::Verification,
            TaskUpdate::HookObserved(_) => TaskKind::Trial,
            TaskUpdate::HookWritten(_) | TaskUpdate::HookTried(_) => TaskKind::NewHook,
            TaskUpdate::Impact { previewed, impact } => TaskKind::Impact { agent: impact.agent, previewed: *previewed },
        }
    }
}

/// The tasks that a session has started: the number of the last one of each kind.
#[derive(Debug, Default)]
pub(super) struct StartedTasks(HashMap<TaskKind, u64>);

impl StartedTasks {
    /// Starts a task. Updates of earlier ones of its kind are dropped from now on.
    pub(super) fn start(&mut self, task: Task) -> Job {
        let number = self.0.entry(task.kind()).or_default();
        *number += 1;
        Job::Task { number: *number, task }
    }

    /// Stops the last task of a kind. Updates that still arrive are dropped.
    pub(super) fn stop(&mut self, kind: TaskKind) -> Option<Job> {
        *self.0.get_mut(&kind)? += 1;
        Some(Job::StopTask(kind))
    }

    /// Whether an update of the task with this number is wanted.
    pub(super) fn wants(&self, number: u64, update: &TaskUpdate) -> bool {
        self.0.get(&update.kind()) == Some(&number)
    }
}
