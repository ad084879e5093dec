//! Jobs: work that the session requests from the outside world.

use hookbench_core::names::AgentId;
use std::path::PathBuf;
use std::time::Duration;

use crate::analysis::lint::{FileChange, HookObservation, LintLevels, LoadedAgent};
use crate::environment::hook_environment::ChosenEnvironment;
use crate::firing::record::FiringId;
use crate::session::task::{Task, TaskKind};
use hookbench_core::config::{EnvironmentSource, Watchlist};
use hookbench_core::dialects::Version;
use hookbench_core::run::{RunId, RunRequest};
use hookbench_core::transcript::TranscriptCut;

/// A job that the session requests. The driver executes it and reports facts back.
#[derive(Debug, Clone, PartialEq)]
pub enum Job {
    /// Read an agent's configuration.
    Load { agent: AgentId, version: Version },
    /// Treat the project as trusted, or use the trust that the agents have recorded.
    AssumeTrust(bool),
    /// Read an environment for hooks.
    ReadEnvironment { source: EnvironmentSource, agent: AgentId },
    /// Run hooks with this environment.
    UseEnvironment(Box<ChosenEnvironment>),
    /// Watch exactly these files from now on.
    Watch(Watchlist),
    /// Contain a firing: create its scratch copy before any of its runs starts. `files` are the files of the home
    /// directory to copy.
    Contain { firing: FiringId, files: Vec<PathBuf> },
    /// Report a problem if this system cannot isolate contained hooks, before one runs.
    TryIsolation,
    /// Copy the transcript of a recorded event up to the event, and give the copy to the hooks of a firing.
    CutTranscript { firing: FiringId, cut: TranscriptCut },
    /// Start a run.
    Start { firing: FiringId, request: Box<RunRequest> },
    /// Report that the next hooks of a firing can start, after other facts.
    Proceed { firing: FiringId },
    /// Kill a run.
    Kill { firing: FiringId, run: RunId },
    /// Ask the user's model a question of a hook. `allowed` is true if the user has agreed to it now.
    AskModel { firing: FiringId, run: RunId, prompt: String, limit: Option<Duration>, allowed: bool },
    /// Report when the agent's time limit for a firing has passed.
    Timer { firing: FiringId, after: Duration },
    /// Flush the watcher now, and report back when a run's last writes have been seen.
    FlushWatcher,
    /// Report when a file could have changed again.
    WaitForFile { path: PathBuf, after: Duration },
    /// Remove everything that belongs to a finished firing.
    TearDown { firing: FiringId },
    /// Start a task, and stop the running one of its kind. Its updates have this number.
    Task { number: u64, task: Task },
    /// Stop the running task of a kind.
    StopTask(TaskKind),
    /// Read the debug logs of an agent in this project. `settings` are its settings files, whose time is compared.
    ReadDebugLogs { agent: AgentId, settings: Vec<PathBuf> },
    /// Lint everything that is loaded, and judge what trials of hooks have shown.
    Lint { agents: Vec<LoadedAgent>, levels: LintLevels, observed: Vec<HookObservation> },
    /// Write a user's files, all or none, unless one of them has changed meanwhile.
    WriteFiles(Vec<FileChange>),
    /// Read the change that undoing the last write in this project would make.
    ReadUndo,
    /// Undo the last write in this project.
    Undo,
    /// Store consent.
    SaveConsent(Vec<(String, String)>),
    /// A job of the live path.
    Live(crate::live::LiveJob),
    /// Read the guards' findings, or judge one first.
    Guards(crate::guards::GuardsRequest),
    /// Ask the store of recorded events.
    EventList(crate::recordings::event_list::EventStoreRequest),
}
