//! Everything that can happen, as data.

use hookbench_core::names::AgentId;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::analysis::lint::FindingsReport;
use crate::disk::user_file::UndoneStep;
use crate::environment::hook_environment::ChosenEnvironment;
use crate::firing::containment::Containment;
use crate::firing::record::FiringId;
use crate::model::OwnModelAnswer;
use crate::session::task::TaskUpdate;
use hookbench_core::config::LoadedConfig;
use hookbench_core::run::{RunId, RunReport, Stream};

/// The queue length for facts that wait to be absorbed.
pub const FACT_QUEUE: usize = 256;

/// An event that the outside world reports to the session.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// An agent's configuration has been read.
    Loaded { agent: AgentId, loaded: Arc<LoadedConfig> },
    /// An environment for hooks has been read.
    EnvironmentRead(Box<ChosenEnvironment>),
    /// Watched files have changed. `calm` is true if no further changes appear to be in progress; otherwise a fact
    /// with `calm` set follows. `at` is counted from an arbitrary point.
    FilesChanged { paths: Vec<PathBuf>, calm: bool, at: Duration },
    /// The watcher reports changes late or not at all, for this reason.
    WatchLost(String),
    /// The watcher reports changes promptly again.
    WatchRestored,
    /// Everything that a run wrote just before its end has been reported by now.
    WatcherFlushed,
    /// The wait for another change of a file has ended. `at` is counted as in `FilesChanged`.
    WaitEnded { path: PathBuf, at: Duration },
    /// A firing runs contained, in this way.
    Contained { firing: FiringId, containment: Box<Containment> },
    /// The next hooks of a firing can start.
    CanProceed { firing: FiringId },
    /// A run has started.
    Started { firing: FiringId, run: RunId, pid: Option<u32>, at: Duration },
    /// A run has written output. `skipped` is the number of bytes before `bytes` that were not kept for display.
    Output { firing: FiringId, run: RunId, stream: Stream, bytes: Vec<u8>, skipped: u64, at: Duration },
    /// A run has ended.
    Ended { firing: FiringId, report: Box<RunReport> },
    /// The user's model has answered, or could not.
    ModelReplied { firing: FiringId, run: RunId, reply: OwnModelAnswer },
    /// The agent's time limit for a firing has passed.
    DeadlinePassed { firing: FiringId },
    /// The findings about everything that is loaded.
    Linted(Arc<FindingsReport>),
    /// A user's file was written, or the reason why it was not.
    FileWritten { message: String },
    /// The change that undoing the last write would make.
    UndoRead(Box<UndoneStep>),
    /// A step or the result of the task with this number.
    Task { number: u64, update: TaskUpdate },
    /// The debug logs of an agent, newest first.
    DebugLogs { agent: AgentId, logs: Arc<Vec<crate::recordings::debug_logs::DebugLogFile>> },
    /// Something could not be saved or watched.
    Problem { message: String },
    /// A fact of the live path.
    Live(Box<crate::live::LiveFact>),
    /// The guards and their findings.
    Guards(Arc<crate::guards::GuardsState>),
    /// A response from the store of recorded events.
    EventList(crate::recordings::event_list::EventStoreResponse),
}

impl Fact {
    /// Whether it says that files of the user were written, or why they were not.
    pub fn is_about_written_files(&self) -> bool {
        matches!(self, Fact::FileWritten { .. } | Fact::Task { update: TaskUpdate::HookWritten(_), .. })
    }
}
