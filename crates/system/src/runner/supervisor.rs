//! The context of the supervisor of one run, and the clock of its firing.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::output_tap::OutputTap;
use super::run_event::SupervisorMessage;
use hookbench_core::run::{Exit, RunId, RunReport, Timing};

/// The start of the firing, and the factor by which deadlines are extended.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    origin: Instant,
    scale: f64,
}

impl Clock {
    /// The clock of a firing that starts now.
    pub fn start(scale: f64) -> Clock {
        Clock { origin: Instant::now(), scale }
    }

    /// The time since the start of the firing.
    pub fn now(self) -> Duration {
        self.origin.elapsed()
    }

    /// The scaled timeout. `None` for no limit.
    pub fn limit(self, timeout: Option<Duration>) -> Option<Duration> {
        // A duration out of range is longer than any real wait.
        Duration::try_from_secs_f64(timeout?.as_secs_f64() * self.scale).ok()
    }
}

/// The context of a supervisor.
pub(super) struct SupervisorContext {
    pub run: RunId,
    pub clock: Clock,
    pub tap: Arc<OutputTap>,
    pub news: mpsc::UnboundedSender<SupervisorMessage>,
    /// Resolves when the run is to be stopped.
    pub stopped: oneshot::Receiver<()>,
}

impl SupervisorContext {
    /// Whether the run was stopped before it started.
    pub fn is_stopped(&mut self) -> bool {
        !matches!(self.stopped.try_recv(), Err(oneshot::error::TryRecvError::Empty))
    }

    /// Sends the report, with the captured output.
    pub fn report(&self, exit: Exit, timing: Timing, fill: impl FnOnce(&mut RunReport)) {
        let (stdout, stderr) = self.tap.take_captured();
        let mut report = RunReport { stdout, stderr, timing, ..RunReport::new(self.run, exit, Vec::new(), Vec::new()) };
        fill(&mut report);
        // The listener may be gone.
        let _ = self.news.send(SupervisorMessage::Ended(Box::new(report)));
    }

    /// The report of a run that was stopped before it started.
    pub fn report_cancelled(&self) {
        let now = self.clock.now();
        self.report(Exit::Cancelled, Timing { started: now, ended: now }, |_| {});
    }

    /// The report of a run that never started.
    pub fn report_start_error(&self, error: impl Into<String>) {
        let now = self.clock.now();
        let exit = Exit::FailedToStart { error: error.into() };
        self.report(exit, Timing { started: now, ended: now }, |_| {});
    }
}
