//! Runs a task of a session to its end.

use std::sync::Arc;

use super::impact_tasks::ImpactCaches;
use super::write_files;
use crate::calibration::{CalibrationUpdate, calibrate_installed};
use crate::disk::state_dir::StateDir;
use crate::execution::{run_stress, run_verification, try_hook};
use crate::session::task::{Task, TaskUpdate};
use crate::stress::StressUpdate;
use crate::verification::VerificationUpdate;
use hookbench_core::config::Place;

/// The state that all tasks share.
#[derive(Clone)]
pub struct TaskContext {
    pub state: StateDir,
    /// Multiplies every timeout.
    pub timeout_scale: f64,
    pub impacts: ImpactCaches,
}

/// Runs a task, and tells its updates, the result last. Dropping the future ends every process that it has started.
pub async fn run_task(
    task: Task,
    place: Arc<Place>,
    context: TaskContext,
    mut tell: Box<dyn FnMut(TaskUpdate) + Send>,
) {
    let TaskContext { state, timeout_scale, impacts } = context;
    let result = match task {
        Task::Stress(request) => {
            let report = run_stress(*request, &mut |update| tell(TaskUpdate::Stress(update))).await;
            TaskUpdate::Stress(match report {
                Ok(report) => StressUpdate::Finished { out_of_time: report.out_of_time },
                Err(why) => StressUpdate::Failed(why),
            })
        }
        Task::Calibrate { agent, quick } => {
            let end =
                calibrate_installed(&place, agent, quick, &mut |update| tell(TaskUpdate::Calibration(update))).await;
            TaskUpdate::Calibration(end.map_or_else(CalibrationUpdate::Failed, CalibrationUpdate::Ended))
        }
        Task::Verify(request) => {
            let mut prepared = || tell(TaskUpdate::Verification(VerificationUpdate::Prepared));
            TaskUpdate::Verification(match run_verification(*request, timeout_scale, &mut prepared).await {
                Ok(session) => VerificationUpdate::Ended(Box::new(session)),
                Err(why) => VerificationUpdate::Failed(why),
            })
        }
        Task::TryHook(trial) => TaskUpdate::HookObserved(try_hook(*trial).await.map(Box::new)),
        Task::WriteHook(new) => {
            let (there, changes) = (Arc::clone(&place), new.hook.changes.clone());
            let writing = tokio::task::spawn_blocking(move || write_files(&there, &changes));
            let Ok(written) = writing.await else { return };
            let is_written = written.is_ok();
            tell(TaskUpdate::HookWritten(written.unwrap_or_else(|why| why)));
            TaskUpdate::HookTried(if is_written { new.try_examples(&place).await } else { None })
        }
        Task::Impact { change, previewed } => {
            let tell = Box::new(move |impact| tell(TaskUpdate::Impact { previewed, impact: Box::new(impact) }));
            return impacts.compute(change, state, tell).await;
        }
        Task::ReadAhead(settings) => return impacts.read_ahead(settings, state).await,
    };
    tell(result);
}
