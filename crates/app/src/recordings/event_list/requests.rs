//! The commands, requests and responses of the event list.

use std::path::PathBuf;
use std::sync::Arc;

use super::replay_order::{ApprovedCommand, ReplayOrder, ReplayQuestion, ReplayResult};
use crate::firing::approval::Consent;
use crate::recordings::hook_stats::HookStats;
use crate::recordings::import::AgentSession;
use crate::recordings::moment::EventMoment;
use crate::recordings::run_log::LoggedRun;
use crate::recordings::store::{EventListRow, IndexProgress, SessionRow, SubjectCounts};
use hookbench_core::filter::{Filter, FilterTest};
use hookbench_core::recorded::RecordedEvent;
use hookbench_system::store::EventPosition;

/// A command of a frontend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventListCommand {
    /// Load or refresh the list.
    Refresh,
    /// Show only events that match a filter. An invalid filter is ignored.
    Filter(String),
    /// Show the events of a session, of the project, or all.
    Scope(EventListScope),
    /// Show the next scope.
    NextScope,
    /// Move down by this number of rows.
    Step(isize),
    /// Select the loaded row with this index.
    Select(usize),
    Oldest,
    Newest,
    /// Toggle keeping the newest event in view.
    Follow,
    /// Toggle the mark of the selected event.
    Mark,
    /// Set the comment of an event. Cannot be undone.
    Comment {
        seq: i64,
        text: String,
    },
    /// List the agents' own sessions of this project.
    AgentSessions,
    /// List the sessions of the matching events.
    Sessions,
    /// Count the events for the operators of the filter language.
    Counts,
    /// Read the times and failures of the hooks that ran on the matching events.
    HookStats,
    /// Import a file of events, or a directory of them.
    Import(PathBuf),
    /// Import events that were pasted: payloads or event lines.
    ImportText(String),
    /// Replay events.
    Replay(ReplayOrder),
    /// Replay after a question: the listed commands may run.
    ReplayApproved(ReplayOrder, Vec<ApprovedCommand>),
    /// Select the event with this number, and clear the filter. An event that is not loaded may be of any project.
    GoTo(i64),
    /// List the stored replays, and select the one with this number.
    GoToReplay(i64),
    /// Stop the running import or replay.
    Stop,
    /// Put the selected event on the bench.
    ToBench,
    /// Count the events of each subject.
    SubjectCounts,
    /// List the logged runs of earlier sessions.
    EarlierRuns,
    /// Put the event of a logged run on the bench, with its verdict.
    OpenRun(i64),
}

/// The position of a page in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageEdge {
    Oldest,
    Newest,
    /// The rows before this place.
    Before(EventPosition),
    /// The rows after it.
    After(EventPosition),
    /// The rows after it, as a refresh of the loaded rows.
    Refresh(EventPosition),
    /// The rows from this place on, as a replacement of the loaded rows.
    From(EventPosition),
}

/// A request to the thread that has the store.
#[derive(Debug, Clone, PartialEq)]
pub enum EventStoreRequest {
    /// A page of rows. `number` increases with each new list; requests with a lower number are outdated.
    Page {
        number: u64,
        filter: Filter,
        edge: PageEdge,
        limit: usize,
    },
    /// The number of matching events, of those in the scope, and of all events.
    Count {
        number: u64,
        filter: Filter,
        scope: Filter,
        /// The user's filter without the scope.
        anywhere: Filter,
        /// Whether stored replays count as events.
        replays: bool,
    },
    Event {
        number: u64,
        seq: i64,
    },
    Mark {
        seq: i64,
        marked: bool,
    },
    Comment {
        seq: i64,
        text: Option<String>,
    },
    Sessions {
        filter: Filter,
    },
    Counts,
    HookStats {
        filter: Filter,
    },
    AgentSessions,
    /// A page of the scope that begins with this event.
    GoTo {
        number: u64,
        seq: i64,
        scope: Filter,
        limit: usize,
    },
    /// Whether another process has written to the store.
    Changed,
    SubjectCounts,
    /// The newest logged runs of a project that other sessions of hookbench have started.
    EarlierRuns {
        project: String,
    },
    /// A logged run, for the bench.
    OpenRun(i64),
    /// Keep a run in the log.
    LogRun {
        run: Box<LoggedRun>,
        /// Whether values that look like secrets are masked.
        masked: bool,
    },
    Import(PathBuf),
    ImportText(String),
    Replay {
        order: ReplayOrder,
        /// Commands that may run without a question.
        consent: Consent,
        /// Commands that were listed in a question and approved.
        approved: Vec<ApprovedCommand>,
        /// Whether a question is possible.
        may_ask: bool,
    },
    Stop,
}

/// The matches of an operator of the filter language: its most frequent values with their numbers, or a single
/// number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorCount {
    /// With its prefix: `~v`.
    pub name: &'static str,
    pub values: Vec<(Option<String>, u64)>,
}

/// The progress of an import or replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongJobProgress {
    /// `importing`, `planning` or `running`.
    pub activity: &'static str,
    /// The file or events.
    pub subject: String,
    /// In percent, if known.
    pub percent: Option<u64>,
    pub events: u64,
    pub pace: Option<ReplayPace>,
}

/// The speed of a replay that runs hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayPace {
    /// The number of all events.
    pub all: u64,
    /// The number of events in ten seconds.
    pub in_ten: u64,
    /// The estimated remaining time in seconds; `None` until the first event has finished.
    pub left: Option<u64>,
    pub contained: bool,
}

/// A response of the store.
#[derive(Debug, Clone, PartialEq)]
pub enum EventStoreResponse {
    /// The store is missing or cannot be used.
    Fault {
        missing: bool,
        message: String,
        help: Option<&'static str>,
    },
    Page {
        number: u64,
        edge: PageEdge,
        rows: Vec<EventListRow>,
        limit: usize,
    },
    Count {
        number: u64,
        matching: u64,
        /// The events in the scope.
        all: u64,
        /// The events outside the scope.
        elsewhere: u64,
        /// The matching events outside the scope, if the scope has none.
        matching_elsewhere: u64,
        /// The stored replays of the scope that do not count as events.
        replays: u64,
        indexed: IndexProgress,
    },
    Event {
        number: u64,
        seq: i64,
        event: Option<Arc<RecordedEvent>>,
        /// The files that its hooks could have read.
        moment: Option<Arc<EventMoment>>,
    },
    /// The current mark or comment of an event.
    Noted {
        seq: i64,
        marked: Option<bool>,
        comment: Option<Option<String>>,
    },
    Indexed(IndexProgress),
    Sessions(Vec<SessionRow>),
    Counts(Vec<OperatorCount>),
    /// The hooks with the longest times come first.
    HookStats {
        filter: Filter,
        stats: Vec<HookStats>,
    },
    AgentSessions(Vec<AgentSession>),
    SubjectCounts(Arc<SubjectCounts>),
    Progress(LongJobProgress),
    /// The end of an import: a message, and the scope that shows the imported events, if it is another one.
    Imported {
        message: String,
        scope: Option<EventListScope>,
    },
    /// A replay or an import has ended without a result, for this reason.
    Failed(String),
    /// The commands that would run need the user's approval.
    Question(Box<ReplayQuestion>),
    Replayed(Arc<ReplayResult>),
    /// Another process has written to the store.
    Changed,
    /// The newest first.
    EarlierRuns(Vec<EventListRow>),
    OpenedRun {
        seq: i64,
        event: Option<Arc<RecordedEvent>>,
    },
    /// A run was kept in the log.
    RunLogged,
    /// A run could not be kept, for this reason.
    RunNotLogged(String),
    /// A request failed.
    Trouble(String),
}

/// The part of the recorded events that the list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EventListScope {
    /// The events of one session, by its name.
    Session(String),
    /// The events of the open project, and of directories in it.
    #[default]
    Project,
    /// The events of all projects.
    All,
}

impl EventListScope {
    /// The filter for these events. `project` is the directory of the open project.
    pub fn filter(&self, project: &str) -> Filter {
        match self {
            EventListScope::Session(name) => Filter::Test(FilterTest::Session(name.clone())),
            EventListScope::Project => Filter::Test(FilterTest::Project(project.to_owned())),
            EventListScope::All => Filter::everything(),
        }
    }

    /// The scope after this one: session, project, all. `session` is the session of the selected event.
    #[must_use]
    pub fn next(&self, session: Option<String>) -> EventListScope {
        match self {
            EventListScope::Session(_) => EventListScope::Project,
            EventListScope::Project => EventListScope::All,
            EventListScope::All => session.map_or(EventListScope::Project, EventListScope::Session),
        }
    }
}

/// The events of a filter without stored replays. A replay repeats an event, so it is listed only on request.
pub fn without_replays(filter: Filter) -> Filter {
    let replay = Filter::Not(Box::new(Filter::Test(FilterTest::Replay)));
    match filter.as_constant() {
        Some(true) => replay,
        _ => Filter::All(vec![filter, replay]),
    }
}

/// Whether stored replays are a part of a filter's condition.
pub fn mentions_replays(filter: &Filter) -> bool {
    match filter {
        Filter::Test(test) => *test == FilterTest::Replay,
        Filter::Not(inner) => mentions_replays(inner),
        Filter::All(parts) | Filter::Any(parts) => parts.iter().any(mentions_replays),
    }
}
