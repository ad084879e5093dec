//! The runner of one firing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::event_sender::{self, SupervisorMessage};
use super::output_tap::OutputTap;
use super::{http, process};
use hookbench_core::run::{Exit, Launch, RunId, RunReport, RunRequest, Stream, Timing};

/// The progress of a run: `Started` (unless starting failed), any number of `Grew`, `Ended`.
#[derive(Debug)]
pub enum RunEvent {
    Started {
        run: RunId,
        pid: Option<u32>,
        /// The time since the start of the firing.
        at: Duration,
    },
    /// New output: at most 64 KiB per stream and frame of 16 ms.
    Grew {
        run: RunId,
        stream: Stream,
        bytes: Vec<u8>,
        /// Bytes before `bytes` that were not sent. The report may still contain them.
        skipped: u64,
        /// The time since the start of the firing.
        at: Duration,
    },
    Ended(Box<RunReport>),
}

/// Starts the runs of one firing. Dropping it kills the remaining runs, like [`Runner::kill_all`].
pub struct Runner {
    clock: Clock,
    events: mpsc::Sender<RunEvent>,
    /// Dropping a sender stops the run. The entry of a finished run stays, without effect.
    live: Mutex<HashMap<RunId, oneshot::Sender<()>>>,
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

/// The start of the firing, and the factor by which deadlines are extended.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    origin: Instant,
    scale: f64,
}

impl Clock {
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

impl SupervisorContext {
    /// Sends the report, with the captured output.
    pub fn report(&self, exit: Exit, timing: Timing, fill: impl FnOnce(&mut RunReport)) {
        let (stdout, stderr) = self.tap.take_captured();
        let mut report = RunReport { stdout, stderr, timing, ..RunReport::new(self.run, exit, Vec::new(), Vec::new()) };
        fill(&mut report);
        // The listener may be gone.
        let _ = self.news.send(SupervisorMessage::Ended(Box::new(report)));
    }

    /// The report of a run that never started.
    pub fn report_start_error(&self, error: impl Into<String>) {
        let now = self.clock.now();
        let exit = Exit::FailedToStart { error: error.into() };
        self.report(exit, Timing { started: now, ended: now }, |_| {});
    }
}

impl Runner {
    /// Creates the runner at the start of the firing. `scale` multiplies every deadline (but not the reported
    /// value).
    ///
    /// The channel may be small (64 is plenty): if it is full, events are delayed, but not the hooks.
    pub fn new(events: mpsc::Sender<RunEvent>, scale: f64) -> Runner {
        Runner { clock: Clock { origin: Instant::now(), scale }, events, live: Mutex::default() }
    }

    /// Starts a process or a request and returns at once. Other launches are reported as unanswered.
    ///
    /// Must be called in a tokio runtime with time and I/O.
    pub fn start(&self, request: RunRequest) {
        let run = request.run;
        let keep = match &request.launch {
            Launch::Process(spec) => spec.keep,
            Launch::Http(spec) => spec.keep,
            Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => 0,
        };
        let (stop, stopped) = oneshot::channel();
        self.live().insert(run, stop);
        let (news, heard) = mpsc::unbounded_channel();
        let tap = Arc::new(OutputTap::new(keep));
        tokio::spawn(event_sender::send_events(run, tap.clone(), heard, self.events.clone(), self.clock));
        let job = SupervisorContext { run, clock: self.clock, tap, news, stopped };
        match request.launch {
            Launch::Process(spec) => drop(tokio::spawn(process::supervise(job, spec))),
            Launch::Http(spec) => drop(tokio::spawn(http::supervise(job, spec))),
            Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => {
                let now = self.clock.now();
                job.report(Exit::Unanswered, Timing { started: now, ended: now }, |_| {});
            }
        }
    }

    /// Stops a run: SIGTERM to its group, then SIGKILL after the grace period. It is reported as cancelled.
    pub fn kill(&self, run: RunId) {
        self.live().remove(&run);
    }

    /// Stops all runs.
    pub fn kill_all(&self) {
        self.live().clear();
    }

    fn live(&self) -> MutexGuard<'_, HashMap<RunId, oneshot::Sender<()>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
