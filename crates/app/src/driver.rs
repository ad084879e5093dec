//! Executes the session's jobs on tokio and reports facts back.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::apart::Apart;
use crate::consent::Consent;
use crate::fact::Fact;
use crate::files::{DiskFiles, Looking};
use crate::firing_record::FiringId;
use crate::impact::Impacts;
use crate::job::Job;
use crate::lint;
use crate::live::Link;
use crate::live::LiveJob;
use crate::matching::write_matcher;
use crate::place::in_its_home;
use crate::session::{find_problems, names};
use crate::state_dir::StateDir;
use crate::user_file::{Links, UndoneFile, undo};
use hookbench_core::config::{Place, Watchlist};
use hookbench_core::dialects;
use hookbench_system::runner::{RunEvent, Runner};

/// The time in which processes left behind by a run may still write after its end, while its process group is being
/// killed.
const ECHO: Duration = Duration::from_millis(150);

/// The queue length for the events of one firing. A runner that finds the queue full counts the output it skips.
const EVENTS: usize = 64;

/// The time limit for shutting down.
const FAREWELL: Duration = Duration::from_millis(2_500);

/// Executes jobs. Dropping it ends every process that it has started.
pub struct Driver {
    place: Arc<Place>,
    state: StateDir,
    facts: mpsc::Sender<Fact>,
    runners: HashMap<FiringId, Arc<Runner>>,
    /// The scratch copies of contained firings.
    contained: HashMap<FiringId, Apart>,
    timeout_scale: f64,
    watching: Watching,
    impacts: Impacts,
    keeper: Option<super::shelf::Keeper>,
    /// The connection to the server of running agents, once it was requested.
    link: Option<Link>,
    /// The reference point for the times of file changes.
    since: Instant,
}

enum Watching {
    Off,
    On(Option<hookbench_system::watch::Watcher>),
}

impl Driver {
    /// The queue length for facts that wait to be absorbed.
    pub const QUEUE: usize = 256;

    /// Creates a driver that sends its facts to `facts`. If that queue is full, nothing piles up: output that is
    /// not consumed is counted as skipped. `timeout_scale` multiplies every timeout of a hook.
    pub fn new(place: Arc<Place>, facts: mpsc::Sender<Fact>, timeout_scale: f64) -> Driver {
        let state = StateDir::of(&place);
        Driver {
            place,
            state,
            facts,
            runners: HashMap::new(),
            contained: HashMap::new(),
            timeout_scale,
            watching: Watching::Off,
            impacts: Impacts::default(),
            keeper: None,
            link: None,
            since: Instant::now(),
        }
    }

    /// Enables file watching whenever the session asks for it.
    #[must_use]
    pub fn watching(self) -> Driver {
        Driver { watching: Watching::On(None), ..self }
    }

    /// Executes jobs. Returns at once; the results arrive as facts. Must be called inside a tokio runtime.
    pub fn perform(&mut self, jobs: Vec<Job>) {
        for job in jobs {
            self.perform_one(job);
        }
    }

    fn perform_one(&mut self, job: Job) {
        match job {
            Job::Load { agent, version } => {
                let (place, facts) = (Arc::clone(&self.place), self.facts.clone());
                let Some(dialect) = dialects::by_id(agent) else { return };
                // Only the screen runs long enough to see changes.
                let stays = !matches!(self.watching, Watching::Off);
                let ahead =
                    if stays { self.impacts.ahead(agent, version.clone(), &self.place, &self.state) } else { None };
                tokio::task::spawn_blocking(move || {
                    let files = Looking::new(DiskFiles);
                    let mut loaded = dialect.load(&place, &files, &version);
                    loaded.looked = files.looked();
                    let loaded = Arc::new(loaded);
                    // The receiver is gone only while the program is exiting.
                    let _ = facts.blocking_send(Fact::Loaded { agent, loaded: Arc::clone(&loaded) });
                    if let Some(ahead) = ahead {
                        ahead(loaded);
                    }
                });
            }
            job @ Job::Impact { .. } => self.impacts.start(job, &self.place, &self.state, &self.facts),
            Job::Watch(list) => self.watch(list),
            Job::Contain { firing, files } => {
                let apart = Apart::make(firing, Arc::clone(&self.place), files, self.facts.clone());
                self.contained.insert(firing, apart);
            }
            Job::Start { firing, request } => {
                let runner = self.runner(firing);
                let request = in_its_home(*request, &self.place);
                match self.contained.get(&firing) {
                    Some(apart) => apart.start(firing, request, runner, self.facts.clone()),
                    None => runner.start(request),
                }
            }
            Job::Kill { firing, run } => {
                if let Some(apart) = self.contained.get(&firing) {
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
                    let _ = facts.send(Fact::Expired { firing }).await;
                });
            }
            Job::Echo => self.echo(),
            Job::Wait { path, after } => self.wait(path, after),
            Job::TearDown { firing } => {
                self.runners.remove(&firing);
                if let Some(apart) = self.contained.remove(&firing) {
                    // Deleting a copy of a large project takes a while.
                    tokio::task::spawn_blocking(move || drop(apart));
                }
            }
            Job::Lint { agents, levels } => {
                let (place, facts) = (Arc::clone(&self.place), self.facts.clone());
                tokio::task::spawn_blocking(move || {
                    let _ = facts.blocking_send(find_problems(&place, Box::new(DiskFiles), &agents, levels));
                });
            }
            Job::WriteFiles(files) => {
                let (place, state) = (Arc::clone(&self.place), self.state.clone());
                self.write(move || match lint::write(&state, &place, &files, Links::Stay) {
                    Ok(()) => format!("written: {}", names(&files)),
                    Err(why) => why.to_string(),
                });
            }
            Job::Live(job) => self.live(job),
            Job::Shelf(ask) => {
                let watches = !matches!(self.watching, Watching::Off);
                let begin = || super::shelf::Keeper::start(Arc::clone(&self.place), self.facts.clone(), watches);
                self.keeper.get_or_insert_with(begin).ask(ask);
            }
            Job::Write(change) => {
                let place = Arc::clone(&self.place);
                self.write(move || match write_matcher(&place, &change, Links::Stay) {
                    Ok(()) => format!("{} is written", change.file),
                    Err(why) => why.to_string(),
                });
            }
            Job::Undo => {
                let (place, state) = (Arc::clone(&self.place), self.state.clone());
                let name = move |file: &UndoneFile| place.show(&file.path.to_string_lossy());
                let project = self.place.project.clone();
                self.write(move || match undo(&state, &project) {
                    Ok(undone) => {
                        format!("as before: {}", undone.files.iter().map(name).collect::<Vec<_>>().join(", "))
                    }
                    Err(why) => why.to_string(),
                });
            }
            Job::KeepConsent(items) => {
                if let Err(why) = Consent::keep(&self.state, &items) {
                    let says = format!("consent holds for this session only: {why}");
                    self.trouble(says);
                }
            }
        }
    }

    fn live(&mut self, job: LiveJob) {
        match job {
            LiveJob::Start { desk } => {
                let before = self.link.take();
                self.link = Some(Link::start(&self.state, desk, self.facts.clone(), before));
            }
            LiveJob::Tell(command) => {
                if let Some(link) = &self.link {
                    link.ask(command);
                }
            }
        }
    }

    /// Shuts down the live path so that no agent is left waiting: held events continue, and received events are
    /// stored. Facts that arrive meanwhile are discarded. Returns a message for the user if some events could not
    /// be stored.
    pub async fn end(&mut self, facts: &mut mpsc::Receiver<Fact>) -> Option<String> {
        let mut says = None;
        if let Some(link) = self.link.take() {
            let unheard = async { while facts.recv().await.is_some() {} };
            tokio::select! {
                unstored = link.end() => says = unstored.says(),
                () = unheard => {}
                () = tokio::time::sleep(FAREWELL) => {}
            }
        }
        facts.close();
        says
    }

    /// Writes a user's file in the background and reports the result.
    fn write(&self, work: impl FnOnce() -> String + Send + 'static) {
        let facts = self.facts.clone();
        tokio::task::spawn_blocking(move || {
            // The receiver is gone only while the program is exiting.
            let _ = facts.blocking_send(Fact::Wrote { says: work() });
        });
    }

    /// Reports an internal problem. If the queue is full, more urgent news is already waiting, so the report is
    /// dropped.
    fn trouble(&self, says: String) {
        let _ = self.facts.try_send(Fact::Trouble { says });
    }

    /// Returns the runner of a firing, and creates it if necessary. Its events are forwarded as facts.
    fn runner(&mut self, firing: FiringId) -> Arc<Runner> {
        if let Some(runner) = self.runners.get(&firing) {
            return Arc::clone(runner);
        }
        let (events, mut incoming) = mpsc::channel(EVENTS);
        let facts = self.facts.clone();
        tokio::spawn(async move {
            while let Some(event) = incoming.recv().await {
                let fact = match event {
                    RunEvent::Started { run, pid, at } => Fact::Started { firing, run, pid, at },
                    RunEvent::Grew { run, stream, bytes, skipped, at } => {
                        Fact::Grew { firing, run, stream, bytes, skipped, at }
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

    fn watch(&mut self, list: Watchlist) {
        use hookbench_system::watch::Report;
        let Watching::On(watcher) = &mut self.watching else { return };
        if let Some(watcher) = watcher.as_ref().filter(|w| !w.is_dead()) {
            watcher.set(list);
            return;
        }
        let (facts, since) = (self.facts.clone(), self.since);
        *watcher = Some(hookbench_system::watch::watch(list, move |report| {
            let fact = match report {
                Report::Changed { paths, calm } => Fact::FilesChanged { paths, calm, at: since.elapsed() },
                Report::Lost(why) => Fact::WatchLost(why),
                Report::Found => Fact::WatchFound,
            };
            // The receiver is gone only while the program is exiting.
            let _ = facts.blocking_send(fact);
        }));
    }

    fn wait(&self, path: PathBuf, after: Duration) {
        let (facts, since) = (self.facts.clone(), self.since);
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            let _ = facts.send(Fact::Waited { path, at: since.elapsed() }).await;
        });
    }

    /// Flushes the watcher now, and again after the run's process group is gone, so that the run's own writes are
    /// reported.
    fn echo(&self) {
        let facts = self.facts.clone();
        if let Watching::On(Some(watcher)) = &self.watching {
            let again = watcher.flusher();
            again.flush(|| {});
            tokio::spawn(async move {
                tokio::time::sleep(ECHO).await;
                // Sent on the watching thread, after everything that it has found.
                again.flush(move || drop(facts.blocking_send(Fact::Echoed)));
            });
            return;
        }
        tokio::spawn(async move {
            tokio::time::sleep(ECHO).await;
            let _ = facts.send(Fact::Echoed).await;
        });
    }
}
