//! The session's answer to a command or a fact.

use hookbench_core::names::AgentId;
use std::sync::Arc;

use crate::analysis::new_hook::trial::TrialResult;
use crate::disk::user_file::UndoneStep;
use crate::firing::approval::ConsentItem;
use crate::firing::record::FiringId;
use crate::recordings::event_list::{ReplayQuestion, ReplayResult};
use crate::recordings::hook_stats::HookStats;
use crate::recordings::store::SessionRow;
use crate::session::job::Job;

/// The jobs for the driver, and the effects for a frontend.
#[derive(Debug, Default, PartialEq)]
pub struct SessionUpdate {
    pub jobs: Vec<Job>,
    /// In the order in which they happened.
    pub effects: Vec<SessionEffect>,
}

/// A change in the session that a frontend shows.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEffect {
    /// A message for the user.
    Message(String),
    /// Settings or files of hooks have changed or were loaded.
    SettingsLoaded,
    /// The payload on the bench was replaced.
    PayloadReplaced,
    /// The payload on the bench cannot be used, for this reason.
    PayloadRefused(String),
    /// The user has to approve these commands first.
    ConsentNeeded(Vec<ConsentItem>),
    /// An event is not fired because a command has no consent: the pinned event with this index, or the one on the
    /// bench.
    FiringWaits {
        pin: Option<usize>,
    },
    /// The user's model gave no answer, for this reason.
    ModelFailed(String),
    FiringStarted(FiringId),
    FiringSettled(FiringId),
    /// The event was fired in every agent.
    AllAgentsFired,
    /// The event on the bench was pinned, with this index.
    Pinned(usize),
    Unpinned,
    /// The impact of changed settings on the recorded events is known.
    ImpactKnown(String),
    CalibrationStarted(AgentId),
    /// The calibration has ended, or could not run.
    CalibrationEnded,
    /// The debug logs of an agent were read.
    DebugLogsRead,
    VerificationStarted,
    /// The firing was compared with the installed agent, or could not be.
    VerificationFinished(FiringId),
    /// The change that undoing the last write would make.
    UndoRead(Box<UndoneStep>),
    /// The examples of a new hook were fired.
    HookTried(TrialResult),
    StressStarted,
    /// The stress test has ended, or could not run.
    StressFinished,
    ReplayFinished(Arc<ReplayResult>),
    ReplayQuestion(Box<ReplayQuestion>),
    SessionsListed(Vec<SessionRow>),
    /// The runs of the listed events were counted; the hooks with the longest times come first.
    HookStatsRead(Vec<HookStats>),
    /// A logged run is on the bench, with its verdict.
    RunOpened,
    /// A run could not be kept in the log, for this reason.
    RunNotLogged(String),
}
