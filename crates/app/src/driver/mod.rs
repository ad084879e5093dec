//! Executes the session's jobs on tokio and reports facts back.

mod agent_loads;
pub mod event_list;
mod impact_tasks;
mod live_link;
mod tasks;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

use crate::analysis::lint::{self, FileChange, LintInput};
use crate::disk::files::DiskFiles;
use crate::disk::state_dir::StateDir;
use crate::disk::user_file::{self, LinkPolicy, UndoneFile, undo};
use crate::environment::hook_environment::ChosenEnvironment;
use crate::execution::ProcessJobs;
use crate::firing::approval::Consent;
use crate::firing::containment::isolation_warning;
use crate::firing::setup::CannedReports;
use crate::live::LiveJob;
use crate::model::{OwnModelAnswer, configured_model};
use crate::recordings::debug_logs::debug_logs;
use crate::session::fact::{FACT_QUEUE, Fact};
use crate::session::job::Job;
use crate::session::task::{Task, TaskKind};
use agent_loads::AgentLoads;
use event_list::EventStoreThread;
use hookbench_core::config::{EnvironmentSource, Place, Watchlist};
use hookbench_core::dialects;
use hookbench_core::names::AgentId;
use impact_tasks::ImpactCaches;
use live_link::LiveLink;
use tasks::{TaskContext, run_task};

/// The time in which processes left behind by a run may still write after its end, while its process group is being
/// killed.
const LATE_WRITES: Duration = Duration::from_millis(150);

/// The time limit for shutting down.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(2_500);

/// Executes jobs. Dropping it ends every process that it has started.
pub struct Driver {
    place: Arc<Place>,
    state: StateDir,
    facts: mpsc::Sender<Fact>,
    processes: ProcessJobs,
    watching: WatchMode,
    /// The loads of each agent's settings.
    loads: HashMap<AgentId, Arc<AgentLoads>>,
    keeper: Option<EventStoreThread>,
    /// The last task of each kind. Dropping it ends its processes.
    tasks: HashMap<TaskKind, JoinSet<()>>,
    task_context: TaskContext,
    /// The connection to the server of running agents, once it was requested.
    link: Option<LiveLink>,
    /// The process that forwards the demo's own event.
    demo_event: Option<JoinHandle<()>>,
    /// The reference point for the times of file changes.
    start: Instant,
}

enum WatchMode {
    Off,
    On(Option<hookbench_system::watch::Watcher>),
}

impl Driver {
    /// The queue length for facts that wait to be absorbed.
    pub const QUEUE: usize = FACT_QUEUE;

    /// Creates a driver that sends its facts to `facts`. If that queue is full, nothing piles up: output that is
    /// not consumed is counted as skipped. `timeout_scale` multiplies every timeout of a hook.
    pub fn new(place: Arc<Place>, facts: mpsc::Sender<Fact>, timeout_scale: f64) -> Driver {
        let state = StateDir::of(&place);
        Driver {
            processes: ProcessJobs::new(Arc::clone(&place), facts.clone(), timeout_scale, CannedReports::new()),
            tasks: HashMap::new(),
            task_context: TaskContext { state: state.clone(), timeout_scale, impacts: ImpactCaches::default() },
            place,
            state,
            facts,
            watching: WatchMode::Off,
            loads: HashMap::new(),
            keeper: None,
            link: None,
            demo_event: None,
            start: Instant::now(),
        }
    }

    /// Enables file watching whenever the session asks for it.
    #[must_use]
    pub fn watching(self) -> Driver {
        Driver { watching: WatchMode::On(None), ..self }
    }

    /// Stops every run, and starts none of those that wait. Their reports arrive as facts.
    pub fn kill_runs(&self) {
        self.processes.kill_runs();
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
                let Some(dialect) = dialects::by_id(agent.as_str()) else { return };
                let loads = Arc::clone(self.loads.entry(agent).or_default());
                let number = loads.order();
                self.in_background(move |place, report| {
                    loads.run(number, || {
                        report(Fact::Loaded { agent, loaded: dialect.load(place, &DiskFiles, &version) });
                    });
                });
            }
            Job::AssumeTrust(assumed) => {
                Arc::make_mut(&mut self.place).assumes_trust = assumed;
                // A new thread plans recorded events in the changed place.
                self.keeper = None;
            }
            Job::ReadEnvironment { source, agent } => self.in_background(move |place, report| {
                let mut environment = ChosenEnvironment::read(place, source, agent);
                if let Err(why) = &environment {
                    // The next choice after an environment that is unknown is the first one again.
                    report(Fact::Problem { message: why.to_string() });
                    environment = ChosenEnvironment::read(place, EnvironmentSource::Shell, agent);
                }
                if let Ok(environment) = environment {
                    report(Fact::EnvironmentRead(Box::new(environment)));
                }
            }),
            Job::UseEnvironment(environment) => {
                environment.apply(Arc::make_mut(&mut self.place));
                self.processes.set_place(Arc::clone(&self.place));
                self.keeper = None;
            }
            Job::Watch(list) => self.watch(list),
            Job::Contain { .. }
            | Job::CutTranscript { .. }
            | Job::Start { .. }
            | Job::Proceed { .. }
            | Job::Kill { .. }
            | Job::Timer { .. }
            | Job::TearDown { .. } => {
                self.processes.perform(job);
            }
            // Only the screen runs long enough to see changes.
            Job::Task { task: Task::ReadAhead(_), .. } if matches!(self.watching, WatchMode::Off) => {}
            Job::Task { number, task } => self.start_task(number, task),
            Job::StopTask(kind) => drop(self.tasks.remove(&kind)),
            Job::ReadDebugLogs { agent, settings } => self.in_background(move |place, report| {
                if let Some(dialect) = dialects::by_id(agent.as_str()) {
                    report(Fact::DebugLogs { agent, logs: Arc::new(debug_logs(place, dialect, &settings)) });
                }
            }),
            Job::TryIsolation => self.in_background(|_, report| {
                if let Some(message) = isolation_warning() {
                    report(Fact::Problem { message });
                }
            }),
            Job::FlushWatcher => self.flush_watcher(),
            Job::WaitForFile { path, after } => self.wait(path, after),
            Job::Lint { agents, levels, observed } => self.in_background(move |place, report| {
                let input = LintInput { place: Arc::clone(place), files: Arc::new(DiskFiles), agents };
                report(Fact::Linted(Arc::new(lint::find_problems(&input, levels, &observed))));
            }),
            Job::WriteFiles(files) => self.write(move |place| write_files(place, &files)),
            Job::Guards(request) => self.in_background(move |place, report| {
                let (state, problem) = request.perform(place);
                report(Fact::Guards(Arc::new(state)));
                if let Some(message) = problem {
                    report(Fact::Problem { message });
                }
            }),
            Job::Live(job) => self.live(job),
            Job::EventList(ask) => {
                let watches = !matches!(self.watching, WatchMode::Off);
                let begin = || EventStoreThread::start(Arc::clone(&self.place), self.facts.clone(), watches);
                self.keeper.get_or_insert_with(begin).ask(ask);
            }
            Job::AskModel { firing, run, prompt, limit, allowed } => self.in_background(move |place, report| {
                let reply = match configured_model(place).ready() {
                    Ok(model) => model.answer_prompt(&prompt, limit, allowed),
                    Err(why) => OwnModelAnswer::Failed(why),
                };
                report(Fact::ModelReplied { firing, run, reply });
            }),
            Job::ReadUndo => {
                let state = self.state.clone();
                self.in_background(move |place, report| {
                    report(match user_file::next_undo(&state, &place.project) {
                        Ok(step) => Fact::UndoRead(Box::new(step)),
                        Err(why) => Fact::Problem { message: why.to_string() },
                    });
                });
            }
            Job::Undo => {
                let state = self.state.clone();
                self.write(move |place| {
                    let undone = undo(&state, &place.project).map_err(|why| why.to_string())?;
                    let name = |file: &UndoneFile| place.display_path(&file.path.to_string_lossy());
                    Ok(format!("undone: {}", undone.files.iter().map(name).collect::<Vec<_>>().join(", ")))
                });
            }
            Job::SaveConsent(items) => {
                if let Err(why) = Consent::save(&self.state, &items) {
                    let says = format!("your consent is valid only for this session: {why}");
                    self.report_problem(says);
                }
            }
        }
    }

    /// Starts a task, stops the running one of its kind, and forwards the updates.
    fn start_task(&mut self, number: u64, task: Task) {
        let (sender, mut updates) = mpsc::unbounded_channel();
        let facts = self.facts.clone();
        let forward = async move {
            while let Some(update) = updates.recv().await {
                // The receiver is gone only while the program is exiting.
                if facts.send(Fact::Task { number, update }).await.is_err() {
                    return;
                }
            }
        };
        let running = self.tasks.entry(task.kind()).or_default();
        running.abort_all();
        let tell = Box::new(move |update| drop(sender.send(update)));
        let work = run_task(task, Arc::clone(&self.place), self.task_context.clone(), tell);
        running.spawn(async {
            tokio::join!(work, forward);
        });
    }

    fn live(&mut self, job: LiveJob) {
        match job {
            LiveJob::Start { desk, demo } => {
                let before = self.link.take();
                self.link = Some(LiveLink::start(&self.state, (desk, demo), self.facts.clone(), before));
            }
            LiveJob::Forward { socket, event } => {
                let facts = self.facts.clone();
                self.demo_event = Some(tokio::task::spawn_blocking(move || {
                    drop(facts.blocking_send(Fact::Live(Box::new(event.forward(&socket)))));
                }));
            }
            LiveJob::Send(command) => {
                if let Some(link) = &self.link {
                    link.ask(command);
                }
            }
        }
    }

    /// Shuts down the log of runs and the live path, so that no agent is left waiting: held events continue, and received
    /// events are stored. Facts that arrive meanwhile are discarded. Returns a message for the user if some events could not
    /// be stored.
    pub async fn shut_down(&mut self, facts: &mut mpsc::Receiver<Fact>) -> Option<String> {
        let mut says = None;
        if let Some(keeper) = self.keeper.take() {
            let written = tokio::task::spawn_blocking(|| keeper.finish_log());
            tokio::select! {
                _ = written => {}
                () = async { while facts.recv().await.is_some() {} } => {}
                () = tokio::time::sleep(SHUTDOWN_LIMIT) => {}
            }
        }
        if let Some(link) = self.link.take() {
            let unheard = async { while facts.recv().await.is_some() {} };
            tokio::select! {
                unstored = link.end() => says = unstored.message(),
                () = unheard => {}
                () = tokio::time::sleep(SHUTDOWN_LIMIT) => {}
            }
        }
        if let Some(forwarding) = self.demo_event.take() {
            // It has its answer now, and must not write into a directory that is being deleted.
            let _ = tokio::time::timeout(SHUTDOWN_LIMIT, forwarding).await;
        }
        facts.close();
        says
    }

    /// Does blocking work in the background. It gets a function that reports facts.
    fn in_background(&self, work: impl FnOnce(&Arc<Place>, &dyn Fn(Fact)) + Send + 'static) {
        let (place, facts) = (Arc::clone(&self.place), self.facts.clone());
        // The receiver is gone only while the program is exiting.
        tokio::task::spawn_blocking(move || work(&place, &|fact| drop(facts.blocking_send(fact))));
    }

    /// Writes a user's file in the background and reports what was done, or why it was not.
    fn write(&self, work: impl FnOnce(&Place) -> Result<String, String> + Send + 'static) {
        self.in_background(move |place, report| {
            report(Fact::FileWritten { message: work(place).unwrap_or_else(|why| why) });
        });
    }

    /// Reports an internal problem. If the queue is full, more urgent news is already waiting, so the report is
    /// dropped.
    fn report_problem(&self, says: String) {
        let _ = self.facts.try_send(Fact::Problem { message: says });
    }

    fn watch(&mut self, list: Watchlist) {
        use hookbench_system::watch::WatchReport;
        let WatchMode::On(watcher) = &mut self.watching else { return };
        if let Some(watcher) = watcher.as_mut().filter(|w| !w.is_dead()) {
            watcher.set(list);
            return;
        }
        let (facts, since) = (self.facts.clone(), self.start);
        *watcher = Some(hookbench_system::watch::watch(list, move |report| {
            let fact = match report {
                WatchReport::Changed { paths, calm } => Fact::FilesChanged { paths, calm, at: since.elapsed() },
                WatchReport::Lost(why) => Fact::WatchLost(why),
                WatchReport::Restored => Fact::WatchRestored,
            };
            // The receiver is gone only while the program is exiting.
            let _ = facts.blocking_send(fact);
        }));
    }

    fn wait(&self, path: PathBuf, after: Duration) {
        let (facts, since) = (self.facts.clone(), self.start);
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            let _ = facts.send(Fact::WaitEnded { path, at: since.elapsed() }).await;
        });
    }

    /// Flushes the watcher now, and again after the run's process group is gone, so that the run's own writes are
    /// reported.
    fn flush_watcher(&self) {
        let facts = self.facts.clone();
        if let WatchMode::On(Some(watcher)) = &self.watching {
            let again = watcher.flusher();
            again.flush(|| {});
            tokio::spawn(async move {
                tokio::time::sleep(LATE_WRITES).await;
                // Sent on the watching thread, after everything that it has found.
                again.flush(move || drop(facts.blocking_send(Fact::WatcherFlushed)));
            });
            return;
        }
        tokio::spawn(async move {
            tokio::time::sleep(LATE_WRITES).await;
            let _ = facts.send(Fact::WatcherFlushed).await;
        });
    }
}

/// Writes a user's files, and returns what was done, or why it was not.
fn write_files(place: &Place, files: &[FileChange]) -> Result<String, String> {
    let written = user_file::write_all(place, files, LinkPolicy::Refuse);
    let names: Vec<&str> = files.iter().map(|file| file.file.as_str()).collect();
    match written {
        Ok(()) => Ok(format!("written: {}; undo restores it", names.join(", "))),
        // Files of the project are named by their path in it.
        Err(why) => Err(why.to_string().replace(&format!("{}/", place.project), "")),
    }
}
