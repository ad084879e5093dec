//! The runner of one firing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::tap::Tap;
use super::teller::{self, News};
use super::{http, process};
use hookbench_core::run::{Exit, Launch, RunId, RunReport, RunRequest, Stream, Timing};

/// What happens to a run: `Started` (unless it could not be started), any number of `Grew`, `Ended`.
#[derive(Debug)]
pub enum RunEvent {
    Started {
        run: RunId,
        pid: Option<u32>,
        /// Since the start of the firing.
        at: Duration,
    },
    /// At most 64 KiB per stream and frame of 16 ms.
    Grew {
        run: RunId,
        stream: Stream,
        bytes: Vec<u8>,
        /// Bytes that went by untold before `bytes`. They may still be in the report.
        skipped: u64,
        /// Since the start of the firing.
        at: Duration,
    },
    Ended(Box<RunReport>),
}

/// Starts the runs of one firing. Dropping it ends those that are left, as [`Runner::kill_all`] does.
pub struct Runner {
    clock: Clock,
    events: mpsc::Sender<RunEvent>,
    /// Dropping a sender ends the run. A run that has ended keeps its entry, which then means nothing.
    live: Mutex<HashMap<RunId, oneshot::Sender<()>>>,
}

/// What a supervisor needs of its surroundings.
pub(super) struct Job {
    pub run: RunId,
    pub clock: Clock,
    pub tap: Arc<Tap>,
    pub news: mpsc::UnboundedSender<News>,
    /// Resolves when the run is to be ended.
    pub stopped: oneshot::Receiver<()>,
}

/// When the firing started, and how much longer than the agent we wait.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    origin: Instant,
    scale: f64,
}

impl Clock {
    /// Since the start of the firing.
    pub fn now(self) -> Duration {
        self.origin.elapsed()
    }

    /// How long we wait where the agent waits `timeout`; none: for ever.
    pub fn limit(self, timeout: Option<Duration>) -> Option<Duration> {
        // Out of range means longer than anybody waits.
        Duration::try_from_secs_f64(timeout?.as_secs_f64() * self.scale).ok()
    }
}

impl Job {
    /// What has been printed becomes part of the report, which is sent.
    pub fn report(&self, exit: Exit, timing: Timing, fill: impl FnOnce(&mut RunReport)) {
        let (stdout, stderr) = self.tap.captured();
        let mut report = RunReport { stdout, stderr, timing, ..RunReport::of(self.run, exit, Vec::new(), Vec::new()) };
        fill(&mut report);
        // Nobody listens any more: nothing to do about it.
        let _ = self.news.send(News::Ended(Box::new(report)));
    }

    /// The report of a run that never started.
    pub fn fail(&self, error: impl Into<String>) {
        let now = self.clock.now();
        let exit = Exit::FailedToStart { error: error.into() };
        self.report(exit, Timing { started: now, ended: now }, |_| {});
    }
}

impl Runner {
    /// The firing starts now. `scale` multiplies every deadline (not what is reported of it).
    ///
    /// The channel may be small (64 is plenty): a full one delays events, never a hook.
    pub fn new(events: mpsc::Sender<RunEvent>, scale: f64) -> Runner {
        Runner { clock: Clock { origin: Instant::now(), scale }, events, live: Mutex::default() }
    }

    /// Starts a process or a request and returns at once. What needs nothing started is reported as unanswered.
    ///
    /// Has to be called within a tokio runtime with time and I/O.
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
        let tap = Arc::new(Tap::new(keep));
        tokio::spawn(teller::tell(run, tap.clone(), heard, self.events.clone(), self.clock));
        let job = Job { run, clock: self.clock, tap, news, stopped };
        match request.launch {
            Launch::Process(spec) => drop(tokio::spawn(process::supervise(job, spec))),
            Launch::Http(spec) => drop(tokio::spawn(http::supervise(job, spec))),
            Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => {
                let now = self.clock.now();
                job.report(Exit::Unanswered, Timing { started: now, ended: now }, |_| {});
            }
        }
    }

    /// Ends a run: SIGTERM to its group, after the grace SIGKILL. It is reported as cancelled.
    pub fn kill(&self, run: RunId) {
        self.live().remove(&run);
    }

    /// Ends every run.
    pub fn kill_all(&self) {
        self.live().clear();
    }

    fn live(&self) -> MutexGuard<'_, HashMap<RunId, oneshot::Sender<()>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
