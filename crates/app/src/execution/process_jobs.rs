//! Executes the jobs that start, stop and isolate the processes of firings.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};

use crate::disk::copy_size::{CopyStop, StopOnDrop};
use crate::disk::files::DiskFiles;
use crate::disk::program_search::{executable_at, find_on_path};
use crate::environment::hook_environment::with_environment_of;
use crate::firing::containment::{ContainedPlace, replace_path};
use crate::firing::record::FiringId;
use crate::firing::setup::CannedReports;
use crate::recordings::moment::TranscriptCopy;
use crate::session::fact::Fact;
use crate::session::job::Job;
use hookbench_core::config::Place;
use hookbench_core::run::{Exit, Launch, ProcessSpec, RunId, RunReport, RunRequest};
use hookbench_system::runner::{RunEvent, Runner};

/// The queue length for the events of one firing. A runner that finds the queue full counts the output it skips.
const EVENT_QUEUE: usize = 64;

/// The processes of firings. Dropping it ends every process that it has started.
pub struct ProcessJobs {
    place: Arc<Place>,
    facts: mpsc::Sender<Fact>,
    runners: HashMap<FiringId, Arc<Runner>>,
    /// The scratch copies of contained firings.
    containments: HashMap<FiringId, PendingContainment>,
    /// The transcripts of recorded events, cut at the event, with the paths of the originals.
    transcripts: HashMap<FiringId, (String, TranscriptCopy)>,
    timeout_scale: f64,
    /// The reports of hooks that are not started.
    canned: CannedReports,
    /// The program and its first arguments that start a hook.
    prefix: Vec<String>,
}

impl ProcessJobs {
    /// Creates an executor that sends its facts to `facts`. `timeout_scale` multiplies every timeout of a hook.
    pub fn new(place: Arc<Place>, facts: mpsc::Sender<Fact>, timeout_scale: f64, canned: CannedReports) -> ProcessJobs {
        ProcessJobs {
            place,
            facts,
            runners: HashMap::new(),
            containments: HashMap::new(),
            transcripts: HashMap::new(),
            timeout_scale,
            canned,
            prefix: Vec::new(),
        }
    }

    /// Starts hooks that are not contained by this program and its first arguments.
    pub(super) fn start_with(&mut self, prefix: Vec<String>) {
        self.prefix = prefix;
    }

    /// Starts the next processes in another place.
    pub(crate) fn set_place(&mut self, place: Arc<Place>) {
        self.place = place;
    }

    /// Executes a job, unless it concerns no process. Must be called inside a tokio runtime.
    pub fn perform(&mut self, job: Job) {
        match job {
            Job::Contain { firing, files } => {
                let apart = PendingContainment::create(firing, Arc::clone(&self.place), files, self.facts.clone());
                self.containments.insert(firing, apart);
            }
            Job::CutTranscript { firing, cut } => match TranscriptCopy::create(&cut, &self.place) {
                Ok(copy) => _ = self.transcripts.insert(firing, (cut.path, copy)),
                Err(why) => self.send(Fact::Problem { message: format!("hooks get the whole transcript: {why}") }),
            },
            Job::Start { firing, mut request } => {
                if let (Some((path, copy)), Launch::Process(spec)) =
                    (self.transcripts.get(&firing), &mut request.launch)
                    && let Ok(text) = std::str::from_utf8(&spec.stdin)
                {
                    spec.stdin = replace_path(text, path, &copy.path).into_bytes().into();
                }
                if let Some(report) = self.canned_report(&request) {
                    return self.send(Fact::Ended { firing, report: Box::new(report) });
                }
                let runner = self.runner(firing);
                let contained = self.containments.contains_key(&firing);
                request.launch = with_environment_of(request.launch, &self.place, contained);
                match self.containments.get(&firing) {
                    Some(apart) => apart.start(firing, *request, runner, self.facts.clone()),
                    None => runner.start(self.prefixed(*request)),
                }
            }
            Job::Proceed { firing } => self.send(Fact::CanProceed { firing }),
            Job::Kill { firing, run } => {
                if let Some(apart) = self.containments.get(&firing) {
                    apart.kill(run);
                }
                if let Some(runner) = self.runners.get(&firing) {
                    runner.kill(run);
                }
            }
            Job::Timer { firing, after } => {
                let facts = self.facts.clone();
                // A duration that cannot be represented is longer than any wait.
                let scaled = after.as_secs_f64() * self.timeout_scale;
                let Ok(after) = Duration::try_from_secs_f64(scaled) else { return };
                tokio::spawn(async move {
                    tokio::time::sleep(after).await;
                    let _ = facts.send(Fact::DeadlinePassed { firing }).await;
                });
            }
            Job::TearDown { firing } => {
                self.runners.remove(&firing);
                self.transcripts.remove(&firing);
                if let Some(apart) = self.containments.remove(&firing) {
                    // Deleting a copy of a large project takes a while.
                    tokio::task::spawn_blocking(move || drop(apart));
                }
            }
            _ => {}
        }
    }

    /// Stops every run, and starts none of those that wait.
    pub(crate) fn kill_runs(&self) {
        self.runners.values().for_each(|runner| runner.kill_all());
    }

    /// The run, started by the prefix. A program that does not exist is started without it, to fail as it does.
    fn prefixed(&self, mut request: RunRequest) -> RunRequest {
        if let (Some((first, rest)), Launch::Process(spec)) = (self.prefix.split_first(), &mut request.launch)
            && exists(spec, &self.place)
        {
            let program = std::mem::replace(&mut spec.program, first.clone());
            spec.args = rest.iter().cloned().chain([program]).chain(std::mem::take(&mut spec.args)).collect();
        }
        request
    }

    /// The report of a hook that is not started.
    fn canned_report(&self, request: &RunRequest) -> Option<RunReport> {
        let report = self.canned.get(&request.hook)?;
        let stdin_read = match &request.launch {
            Launch::Process(spec) => spec.stdin.len() as u64,
            Launch::Http(spec) => spec.body.len() as u64,
            Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => 0,
        };
        Some(RunReport { run: request.run, stdin_read, ..report.clone() })
    }

    /// Sends a fact. If the queue is full, it is sent later.
    fn send(&self, fact: Fact) {
        if let Err(TrySendError::Full(fact)) = self.facts.try_send(fact) {
            let facts = self.facts.clone();
            tokio::spawn(async move { facts.send(fact).await });
        }
    }

    /// Returns the runner of a firing, and creates it if necessary. Its events are forwarded as facts.
    fn runner(&mut self, firing: FiringId) -> Arc<Runner> {
        if let Some(runner) = self.runners.get(&firing) {
            return Arc::clone(runner);
        }
        let (events, mut incoming) = mpsc::channel(EVENT_QUEUE);
        let facts = self.facts.clone();
        tokio::spawn(async move {
            while let Some(event) = incoming.recv().await {
                let fact = match event {
                    RunEvent::Started { run, pid, at } => Fact::Started { firing, run, pid, at },
                    RunEvent::Grew { run, stream, bytes, skipped, at } => {
                        Fact::Output { firing, run, stream, bytes, skipped, at }
                    }
                    RunEvent::Ended(report) => Fact::Ended { firing, report },
                };
                if facts.send(fact).await.is_err() {
                    return;
                }
            }
        });
        let runner = Arc::new(Runner::new(events, self.timeout_scale));
        self.runners.insert(firing, Arc::clone(&runner));
        runner
    }
}

/// Whether the system finds the program of a process.
fn exists(spec: &ProcessSpec, place: &Place) -> bool {
    if spec.program.contains('/') {
        return executable_at(&Path::new(&spec.cwd).join(&spec.program), &DiskFiles).is_some();
    }
    let own = spec.env.set.iter().rev().find(|set| set.name == "PATH").map(|set| set.value.as_str());
    let path = own.or_else(|| place.var("PATH")).unwrap_or_default();
    find_on_path(&spec.program, path, &DiskFiles).is_some()
}

type ContainmentResult = Option<Arc<Result<ContainedPlace, String>>>;

/// The scratch copy of one contained firing, from the moment its creation begins. Dropping it stops the copying, or
/// deletes the copy as soon as no run is about to start in it.
pub(super) struct PendingContainment {
    result: watch::Receiver<ContainmentResult>,
    /// Runs that were killed before they could be started.
    killed: watch::Sender<HashSet<RunId>>,
    _stop: StopOnDrop,
}

impl PendingContainment {
    /// Begins to create the copy in the background. Must be called inside a tokio runtime.
    pub(super) fn create(
        firing: FiringId,
        place: Arc<Place>,
        files: Vec<PathBuf>,
        facts: mpsc::Sender<Fact>,
    ) -> PendingContainment {
        let (tell, made) = watch::channel(None);
        let stop = CopyStop::new();
        let on_drop = stop.on_drop();
        tokio::task::spawn_blocking(move || {
            let made = ContainedPlace::create(&place, &files, None, &stop);
            if let Ok(contained) = &made {
                let how = Box::new(contained.containment.clone());
                // The receiver is gone only while the program is exiting.
                let _ = facts.blocking_send(Fact::Contained { firing, containment: how });
            }
            let _ = tell.send(Some(Arc::new(made)));
        });
        PendingContainment { result: made, killed: watch::Sender::default(), _stop: on_drop }
    }

    /// Starts a run as soon as the copy is ready.
    pub(super) fn start(&self, firing: FiringId, request: RunRequest, runner: Arc<Runner>, facts: mpsc::Sender<Fact>) {
        let (mut result, mut killed) = (self.result.clone(), self.killed.subscribe());
        tokio::spawn(async move {
            let run = request.run;
            let made = tokio::select! {
                biased;
                // The sender is gone if the firing is.
                _ = killed.wait_for(|killed| killed.contains(&run)) => None,
                made = result.wait_for(Option::is_some) => Some(made.ok().and_then(|made| made.clone())),
            };
            let Some(made) = made else {
                let report = RunReport::new(run, Exit::Cancelled, "", "");
                let _ = facts.send(Fact::Ended { firing, report: Box::new(report) }).await;
                return;
            };
            let place = match made.as_deref() {
                Some(Ok(place)) => Ok(place),
                Some(Err(why)) => Err(format!("contained: {why}")),
                None => Err("contained: the copy of the project was not created".to_owned()),
            };
            let report = match place.and_then(|place| place.rewrite(&request).map_err(str::to_owned)) {
                Ok(request) => return runner.start(request),
                Err(why) => RunReport::new(run, Exit::FailedToStart { error: why }, "", ""),
            };
            // The receiver is gone only while the program is exiting.
            let _ = facts.send(Fact::Ended { firing, report: Box::new(report) }).await;
        });
    }

    /// Keeps a run from being started.
    pub(super) fn kill(&self, run: RunId) {
        self.killed.send_modify(|killed| {
            killed.insert(run);
        });
    }
}
