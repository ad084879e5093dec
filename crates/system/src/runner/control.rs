//! The runner of one firing.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::output_tap::OutputTap;
use super::run_event::{RunEvent, SupervisorMessage};
use super::supervisor::{Clock, SupervisorContext};
use super::{http, process};
use hookbench_core::run::{Exit, Launch, RunId, RunReport, RunRequest, Timing};

/// The number of runs that are under way at the same time. Each costs memory, and starting a process takes longer the
/// more memory this program uses. No event of a real configuration has that many hooks.
const MAX_RUNS: usize = 512;

/// Starts the runs of one firing. Dropping it kills the remaining runs, like [`Runner::kill_all`].
pub struct Runner {
    state: Arc<RunnerState>,
}

/// The state that a runner and its runs share.
struct RunnerState {
    clock: Clock,
    events: mpsc::Sender<RunEvent>,
    runs: Mutex<Runs>,
}

#[derive(Default)]
struct Runs {
    /// Dropping a sender stops the run. The entry of a finished run stays, without effect.
    stops: HashMap<RunId, oneshot::Sender<()>>,
    /// Runs that start when others have ended.
    waiting: VecDeque<(RunRequest, oneshot::Receiver<()>)>,
    under_way: usize,
    /// Whether one is being started. Processes start one after the other, in order, and none after a stop.
    is_starting: bool,
}

/// The turn of a run to start. `None` once it is passed to the next one.
pub(super) struct StartTurn(Option<Arc<RunnerState>>);

impl StartTurn {
    /// Lets the next run start.
    pub fn pass(&mut self) {
        if let Some(state) = self.0.take() {
            state.runs().is_starting = false;
            start_next(&state);
        }
    }
}

impl Runner {
    /// Creates the runner at the start of the firing. `scale` multiplies every deadline (but not the reported
    /// value).
    ///
    /// The channel may be small (64 is plenty): if it is full, events are delayed, but not the hooks.
    pub fn new(events: mpsc::Sender<RunEvent>, scale: f64) -> Runner {
        Runner { state: Arc::new(RunnerState { clock: Clock::start(scale), events, runs: Mutex::default() }) }
    }

    /// Starts a process or a request and returns at once. Other launches are reported as unanswered.
    ///
    /// Must be called in a tokio runtime with time and I/O.
    pub fn start(&self, request: RunRequest) {
        let (stop, stopped) = oneshot::channel();
        let mut runs = self.state.runs();
        runs.stops.insert(request.run, stop);
        runs.waiting.push_back((request, stopped));
        drop(runs);
        start_next(&self.state);
    }

    /// Stops a run: SIGTERM to its group, then SIGKILL after the grace period. It is reported as cancelled. A run that has
    /// not started is not started.
    pub fn kill(&self, run: RunId) {
        self.state.runs().stops.remove(&run);
    }

    /// Stops all runs.
    pub fn kill_all(&self) {
        self.state.runs().stops.clear();
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let mut runs = self.state.runs();
        runs.stops.clear();
        // Runs that did not start are not reported.
        runs.waiting.clear();
    }
}

impl RunnerState {
    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts the next waiting run, unless another one is being started or too many are under way.
fn start_next(state: &Arc<RunnerState>) {
    let mut runs = state.runs();
    if runs.is_starting || runs.under_way >= MAX_RUNS {
        return;
    }
    let Some((request, stopped)) = runs.waiting.pop_front() else { return };
    runs.under_way += 1;
    runs.is_starting = true;
    drop(runs);
    let run = request.run;
    let keep = match &request.launch {
        Launch::Process(spec) => spec.keep,
        Launch::Http(spec) => spec.keep,
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => 0,
    };
    let (news, heard) = mpsc::unbounded_channel();
    let tap = Arc::new(OutputTap::new(keep));
    let (state, mut turn) = (Arc::clone(state), StartTurn(Some(Arc::clone(state))));
    tokio::spawn(send_events(run, tap.clone(), heard, state.events.clone(), state.clock));
    let job = SupervisorContext { run, clock: state.clock, tap, news, stopped };
    tokio::spawn(async move {
        supervise(job, request.launch, &mut turn).await;
        state.runs().under_way -= 1;
        turn.pass();
        start_next(&state);
    });
}

async fn supervise(mut job: SupervisorContext, launch: Launch, turn: &mut StartTurn) {
    if job.is_stopped() {
        return job.report_cancelled();
    }
    match launch {
        Launch::Process(spec) => process::supervise(job, spec, turn).await,
        Launch::Http(spec) => {
            turn.pass();
            http::supervise(job, spec).await;
        }
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => {
            let now = job.clock.now();
            job.report(Exit::Unanswered, Timing { started: now, ended: now }, |_| {});
        }
    }
}

// Sends the progress of one run to the listener, with the output in frames.
//
// Each run has one small task that is the only sender of the run's events. This guarantees that `Started` comes
// first and `Ended` last, and a slow listener delays only this task.

/// The time between two frames; the screen is not redrawn faster.
const FRAME: Duration = Duration::from_millis(16);

/// Runs until the end of the run is sent, or the listener is gone.
pub(super) async fn send_events(
    run: RunId,
    tap: Arc<OutputTap>,
    mut news: mpsc::UnboundedReceiver<SupervisorMessage>,
    events: mpsc::Sender<RunEvent>,
    clock: Clock,
) {
    // The first frame may begin at once, the next after `FRAME`. The task does not wake up without output.
    let mut frame = Instant::now();
    let mut waiting = false;
    let ended = loop {
        tokio::select! {
            biased;
            news = news.recv() => match news {
                Some(SupervisorMessage::Started { pid, at }) => {
                    if events.send(RunEvent::Started { run, pid, at }).await.is_err() {
                        return;
                    }
                }
                Some(SupervisorMessage::Ended(report)) => break report,
                // The supervisor is gone without a report. The listener must not wait forever.
                None => break Box::new(RunReport::new(run, Exit::Cancelled, "", "")),
            },
            () = sleep_until(frame), if waiting => {
                if !flush(run, &tap, &events, clock).await {
                    return;
                }
                frame = Instant::now() + FRAME;
                waiting = false;
            }
            () = tap.changed(), if !waiting => waiting = true,
        }
    };
    if flush(run, &tap, &events, clock).await {
        // It is not an error if the listener is gone.
        let _ = events.send(RunEvent::Ended(ended)).await;
    }
}

/// Sends the new bytes. Returns false if the listener is gone.
async fn flush(run: RunId, tap: &OutputTap, events: &mpsc::Sender<RunEvent>, clock: Clock) -> bool {
    let fresh: Vec<_> = tap.take_new().collect();
    for news in fresh {
        let grew =
            RunEvent::Grew { run, stream: news.stream, bytes: news.bytes, skipped: news.skipped, at: clock.now() };
        if events.send(grew).await.is_err() {
            return false;
        }
    }
    true
}
