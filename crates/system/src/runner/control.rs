//! The runner of one firing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};

use super::output_tap::OutputTap;
use super::run_event::RunEvent;
use super::supervisor::{Clock, SupervisorContext};
use super::{event_sender, http, process};
use hookbench_core::run::{Exit, Launch, RunId, RunRequest, Timing};

/// Starts the runs of one firing. Dropping it kills the remaining runs, like [`Runner::kill_all`].
pub struct Runner {
    clock: Clock,
    events: mpsc::Sender<RunEvent>,
    /// Dropping a sender stops the run. The entry of a finished run stays, without effect.
    live: Mutex<HashMap<RunId, oneshot::Sender<()>>>,
}

impl Runner {
    /// Creates the runner at the start of the firing. `scale` multiplies every deadline (but not the reported
    /// value).
    ///
    /// The channel may be small (64 is plenty): if it is full, events are delayed, but not the hooks.
    pub fn new(events: mpsc::Sender<RunEvent>, scale: f64) -> Runner {
        Runner { clock: Clock::start(scale), events, live: Mutex::default() }
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
