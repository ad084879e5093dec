//! Runs a task of a session to its end.

use std::sync::Arc;

use super::write_files;
use crate::calibration::{CalibrationUpdate, calibrate_installed};
use crate::disk::state_dir::StateDir;
use crate::execution::{run_stress, run_verification, try_hook};
use crate::session::task::{Task, TaskUpdate};
use crate::stress::StressUpdate;
use crate::verification::VerificationUpdate;
use hookbench_core::config::Place;

/// Runs a task, and tells its updates, the result last. Dropping the future ends every process that it has started.
/// `timeout_scale` multiplies every timeout.
pub async fn run_task(
    task: Task,
    place: Arc<Place>,
    state: StateDir,
    timeout_scale: f64,
    mut tell: impl FnMut(TaskUpdate),
) {
    let result = match task {
        Task::Stress(request) => {
            let report = run_stress(*request, |update| tell(TaskUpdate::Stress(update))).await;
            TaskUpdate::Stress(match report {
                Ok(report) => StressUpdate::Finished { out_of_time: report.out_of_time },
                Err(why) => StressUpdate::Failed(why),
            })
        }
        Task::Calibrate { agent, quick } => {
            let end = calibrate_installed(&place, agent, quick, |update| tell(TaskUpdate::Calibration(update))).await;
            TaskUpdate::Calibration(end.map_or_else(CalibrationUpdate::Failed, CalibrationUpdate::Ended))
        }
        Task::Verify(request) => {
            let prepared = || tell(TaskUpdate::Verification(VerificationUpdate::Prepared));
            TaskUpdate::Verification(match run_verification(*request, timeout_scale, prepared).await {
                Ok(session) => VerificationUpdate::Ended(Box::new(session)),
                Err(why) => VerificationUpdate::Failed(why),
            })
        }
        Task::TryHook(trial) => TaskUpdate::HookObserved(try_hook(*trial).await.map(Box::new)),
        Task::WriteHook(new) => {
            let (there, changes) = (Arc::clone(&place), new.hook.changes.clone());
            let writing = tokio::task::spawn_blocking(move || write_files(&state, &there, &changes));
            let Ok(written) = writing.await else { return };
            let is_written = written.is_ok();
            tell(TaskUpdate::HookWritten(written.unwrap_or_else(|why| why)));
            TaskUpdate::HookTried(if is_written { new.try_examples(&place).await } else { None })
        }
    };
    tell(result);
}
