//! The state of the event list in the session. It changes by commands and responses, and never blocks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::window::{EventListWindow, PAGE};
use crate::firing::approval::Consent;
use crate::recordings::event_list::{
    EventListCommand, EventListScope, EventReplay, EventStoreRequest, EventStoreResponse, LongJobProgress,
    OperatorCount, PageEdge, ReplayOrder, mentions_replays, without_replays,
};
use crate::recordings::import::AgentSession;
use crate::recordings::moment::EventMoment;
use crate::recordings::store::{EventListRow, IndexProgress, SubjectCounts};
use crate::session::update::SessionEffect;
use hookbench_core::decide::Verdict;
use hookbench_core::filter::{Filter, parse};
use hookbench_core::recorded::RecordedEvent;

/// The state of the store.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum EventStoreState {
    /// Not loaded yet.
    #[default]
    Unknown,
    /// Loading.
    Reading,
    /// The store is missing, or has no event in the scope.
    Empty,
    /// The store cannot be used: why, and what to do.
    Fault {
        message: String,
        help: Option<&'static str>,
    },
    Events,
}

/// The verdict of a replay that ran hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayedVerdict {
    /// The number of the row that keeps the replay.
    pub row: i64,
    pub verdict: Verdict,
}

impl ReplayedVerdict {
    /// The verdict of a replay with its event's number. `None` if no hook ran or the verdict is unknown.
    fn of(one: &EventReplay) -> Option<(i64, ReplayedVerdict)> {
        let verdict = one.replayed.after.as_ref().ok()?.outcome.as_ref().ok()?.verdict;
        Some((one.seq, ReplayedVerdict { row: one.row?, verdict }))
    }
}

/// The state of the event list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventListState {
    pub store: EventStoreState,
    /// The filter text.
    pub filter: String,
    /// The part of the events that the list shows.
    pub scope: EventListScope,
    /// The directory of the open project.
    project: String,
    pub window: EventListWindow,
    /// The number of matching events, of those in the scope, and of those outside it.
    pub matching: Option<u64>,
    pub all: Option<u64>,
    pub elsewhere: u64,
    /// The number of matching events outside the scope, if it has none.
    pub matching_elsewhere: u64,
    /// The number of stored replays in the scope that are not listed.
    pub replays: u64,
    pub indexed: Option<IndexProgress>,
    /// Whether the newest event is kept in view.
    pub follow: bool,
    /// The complete selected event. `None` while it is loading; the inner value is `None` if the event no longer
    /// exists.
    pub selected_event: Option<(i64, Option<Arc<RecordedEvent>>)>,
    /// The files that the hooks of the selected event could have read.
    pub selected_moment: Option<Arc<EventMoment>>,
    /// The agents' own sessions of this project, once they were loaded.
    pub agent_sessions: Option<Vec<AgentSession>>,
    /// The counts for the operators of the filter language, as of the last request.
    pub counts: Vec<OperatorCount>,
    /// The number of events of each subject, once it was requested.
    pub subject_counts: Option<Arc<SubjectCounts>>,
    /// The logged runs of earlier sessions, the newest first; `None` until they are read.
    pub earlier_runs: Option<Vec<EventListRow>>,
    /// The last replay of each event that this session replayed with its hooks, by the event's number.
    pub replayed: BTreeMap<i64, ReplayedVerdict>,
    pub progress: Option<LongJobProgress>,
    /// Whether the running import or replay is being stopped.
    pub stopping: bool,
    /// Effects that the session passes on.
    pub(crate) effects: Vec<SessionEffect>,
    /// The number of the latest list.
    number: u64,
    /// The number of requests without a response.
    pending: usize,
    /// The number of the requested complete event.
    requested_event: Option<i64>,
    /// Whether another process has written since the list was loaded.
    stale: bool,
}

impl EventListState {
    /// The list of a project, not loaded yet.
    pub(crate) fn of(project: String) -> EventListState {
        EventListState { project, ..EventListState::default() }
    }

    /// Returns whether a response is pending or an import or replay is running.
    pub fn is_waiting(&self) -> bool {
        self.pending > 0 || self.progress.is_some()
    }

    /// Returns whether a replay is running hooks.
    pub fn is_running_hooks(&self) -> bool {
        self.progress.as_ref().is_some_and(|working| working.pace.is_some())
    }

    /// The filter that combines the typed filter and the scope.
    pub fn combined_filter(&self) -> Filter {
        self.filter_in(&self.scope)
    }

    fn filter_in(&self, scope: &EventListScope) -> Filter {
        let typed = self.typed_filter();
        let shown = match (scope, self.filter.trim().is_empty()) {
            (EventListScope::All, _) => typed,
            (scope, true) => scope.filter(&self.project),
            (scope, false) => Filter::All(vec![scope.filter(&self.project), typed]),
        };
        if self.lists_replays() { shown } else { without_replays(shown) }
    }

    fn typed_filter(&self) -> Filter {
        parse(&self.filter).unwrap_or_else(|_| Filter::everything())
    }

    /// Returns whether stored replays are listed. They are only if the typed filter mentions them: users look for what
    /// agents did.
    fn lists_replays(&self) -> bool {
        mentions_replays(&self.typed_filter())
    }

    /// Applies a command. `ToBench` is handled by the session.
    pub(crate) fn apply(&mut self, command: EventListCommand) -> Vec<EventStoreRequest> {
        let mut asks = match command {
            EventListCommand::Refresh => self.refresh(),
            EventListCommand::Filter(text) if parse(&text).is_err() => Vec::new(),
            EventListCommand::Filter(text) => {
                self.filter = text;
                self.request_page(PageEdge::Newest)
            }
            EventListCommand::Scope(scope) => self.show_scope(scope),
            EventListCommand::NextScope => {
                let session = self.window.row().map(|row| row.session.clone());
                self.show_scope(self.scope.next(session))
            }
            EventListCommand::Step(by) => {
                self.window.step(by);
                self.follow &= self.window.at_end();
                Vec::new()
            }
            EventListCommand::Select(row) => {
                self.window.selected = row.min(self.window.rows.len().saturating_sub(1));
                self.follow &= self.window.at_end();
                Vec::new()
            }
            EventListCommand::Oldest if self.window.begins => {
                self.window.selected = 0;
                self.follow &= self.window.at_end();
                Vec::new()
            }
            EventListCommand::Oldest => {
                self.follow = false;
                self.request_page(PageEdge::Oldest)
            }
            EventListCommand::Newest if self.window.ends => {
                self.window.selected = self.window.rows.len().saturating_sub(1);
                Vec::new()
            }
            EventListCommand::Newest => self.request_page(PageEdge::Newest),
            EventListCommand::Follow => {
                self.follow = !self.follow;
                if self.follow { self.request_page(PageEdge::Newest) } else { Vec::new() }
            }
            EventListCommand::Mark => {
                let row = self.window.row();
                row.map(|row| EventStoreRequest::Mark { seq: row.seq, marked: !row.marked }).into_iter().collect()
            }
            EventListCommand::Comment { seq, text } => {
                let text = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
                vec![EventStoreRequest::Comment { seq, text }]
            }
            EventListCommand::AgentSessions => vec![EventStoreRequest::AgentSessions],
            EventListCommand::Counts => vec![EventStoreRequest::Counts],
            EventListCommand::HookStats => vec![EventStoreRequest::HookStats { filter: self.combined_filter() }],
            EventListCommand::SubjectCounts => vec![EventStoreRequest::SubjectCounts],
            EventListCommand::EarlierRuns => vec![EventStoreRequest::EarlierRuns { project: self.project.clone() }],
            EventListCommand::OpenRun(seq) => vec![EventStoreRequest::OpenRun(seq)],
            EventListCommand::Sessions => {
                vec![EventStoreRequest::Sessions { filter: self.filter_in(&self.wider_scope()) }]
            }
            EventListCommand::Import(_)
            | EventListCommand::ImportText(_)
            | EventListCommand::Replay(_)
            | EventListCommand::ReplayApproved(..)
                if self.progress.is_some() =>
            {
                self.say("wait until the running import or replay has ended");
                Vec::new()
            }
            EventListCommand::Import(file) => {
                let of = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                self.begin_progress("importing", of);
                vec![EventStoreRequest::Import(file)]
            }
            EventListCommand::ImportText(text) => {
                self.begin_progress("importing", "pasted text".to_owned());
                vec![EventStoreRequest::ImportText(text)]
            }
            EventListCommand::Replay(order) => self.replay(order, Vec::new()),
            EventListCommand::ReplayApproved(order, agreed) => self.replay(order, agreed),
            EventListCommand::GoTo(seq) => self.go_to(seq, ""),
            EventListCommand::GoToReplay(seq) => self.go_to(seq, "~replay"),
            EventListCommand::Stop => {
                self.stopping = true;
                vec![EventStoreRequest::Stop]
            }
            EventListCommand::ToBench => Vec::new(),
        };
        asks.extend(self.request_nearby());
        self.pending += asks.iter().filter(|ask| has_response(ask)).count();
        asks
    }

    fn begin_progress(&mut self, what: &'static str, of: String) {
        self.stopping = false;
        self.progress = Some(LongJobProgress { activity: what, subject: of, percent: None, events: 0, pace: None });
    }

    /// Creates the request for a replay. The session adds the consent.
    fn replay(
        &mut self,
        order: ReplayOrder,
        agreed: Vec<crate::recordings::event_list::ApprovedCommand>,
    ) -> Vec<EventStoreRequest> {
        self.begin_progress("planning", order.describe_selection());
        vec![EventStoreRequest::Replay { order, consent: Consent::default(), approved: agreed, may_ask: true }]
    }

    fn refresh(&mut self) -> Vec<EventStoreRequest> {
        if self.store == EventStoreState::Events {
            return self.request_refresh();
        }
        self.store = EventStoreState::Reading;
        self.follow = true;
        self.request_page(PageEdge::Newest)
    }

    fn show_scope(&mut self, scope: EventListScope) -> Vec<EventStoreRequest> {
        self.scope = scope;
        self.request_page(PageEdge::Newest)
    }

    /// Lists the events of a filter from this one on.
    fn go_to(&mut self, seq: i64, filter: &str) -> Vec<EventStoreRequest> {
        let loaded = self.window.rows.iter().any(|row| row.seq == seq);
        self.scope = if loaded { self.wider_scope() } else { EventListScope::All };
        (self.filter, self.follow) = (filter.to_owned(), false);
        let mut asks = self.request_page(PageEdge::Newest);
        asks.drain(..1);
        let scope = self.combined_filter();
        asks.insert(0, EventStoreRequest::GoTo { number: self.number, seq, scope, limit: PAGE });
        asks
    }

    /// The scope that contains the listed session; the scope itself if it is not a session.
    fn wider_scope(&self) -> EventListScope {
        match &self.scope {
            EventListScope::Session(_) => EventListScope::Project,
            scope => scope.clone(),
        }
    }

    /// Requests a page from another place, and its counts.
    fn request_page(&mut self, edge: PageEdge) -> Vec<EventStoreRequest> {
        self.number += 1;
        self.window.set_requested();
        let (number, filter) = (self.number, self.combined_filter());
        let page = EventStoreRequest::Page { number, filter: filter.clone(), edge, limit: PAGE };
        let (scope, replays) = (self.scope.filter(&self.project), self.lists_replays());
        let anywhere = self.filter_in(&EventListScope::All);
        vec![page, EventStoreRequest::Count { number, filter, scope, anywhere, replays }]
    }

    /// Requests the loaded rows again, or the newest ones if they are kept in view.
    fn request_refresh(&mut self) -> Vec<EventStoreRequest> {
        match self.window.refresh_request().filter(|_| !self.follow) {
            Some((edge, limit)) => {
                let mut asks = self.request_page(edge);
                if let Some(EventStoreRequest::Page { limit: rows, .. }) = asks.first_mut() {
                    *rows = limit;
                }
                asks
            }
            None => self.request_page(PageEdge::Newest),
        }
    }

    /// Requests the rows near the selection, and the selected event.
    fn request_nearby(&mut self) -> Vec<EventStoreRequest> {
        let mut asks = Vec::new();
        if let Some(edge) = self.window.next_page() {
            let (number, filter) = (self.number, self.combined_filter());
            asks.push(EventStoreRequest::Page { number, filter, edge, limit: PAGE });
        }
        let seq = self.window.row().map(|row| row.seq);
        if let Some(seq) = seq.filter(|seq| self.requested_event != Some(*seq)) {
            self.requested_event = Some(seq);
            asks.push(EventStoreRequest::Event { number: self.number, seq });
        }
        asks
    }

    /// Applies a response.
    pub(crate) fn absorb(&mut self, news: EventStoreResponse) -> Vec<EventStoreRequest> {
        self.pending = self.pending.saturating_sub(usize::from(is_response(&news)));
        let mut asks = match news {
            EventStoreResponse::Fault { missing, message: says, help: cure } => self.fault(missing, says, cure),
            EventStoreResponse::Page { number, edge, rows, limit } => {
                if number == self.number {
                    self.store = EventStoreState::Events;
                    self.window.add_page(edge, rows, limit);
                }
                Vec::new()
            }
            EventStoreResponse::Count { number, matching, all, elsewhere, matching_elsewhere, replays, indexed }
                if number == self.number =>
            {
                (self.matching, self.all, self.indexed) = (Some(matching), Some(all), Some(indexed));
                (self.elsewhere, self.matching_elsewhere, self.replays) = (elsewhere, matching_elsewhere, replays);
                if all + replays == 0 { self.fault(true, String::new(), None) } else { Vec::new() }
            }
            EventStoreResponse::Count { .. } => Vec::new(),
            EventStoreResponse::Event { seq, event, moment, .. } => {
                if self.requested_event == Some(seq) {
                    self.selected_event = Some((seq, event));
                    self.selected_moment = moment;
                }
                Vec::new()
            }
            EventStoreResponse::Noted { seq, marked, comment } => {
                if let Some(row) = self.window.rows.iter_mut().find(|row| row.seq == seq) {
                    row.marked = marked.unwrap_or(row.marked);
                    row.comment = comment.unwrap_or(row.comment.take());
                }
                self.requested_event = None;
                Vec::new()
            }
            EventStoreResponse::Indexed(indexed) => {
                self.indexed = Some(indexed);
                // Words may match now that were not in the index before.
                if indexed.complete() && !self.filter.is_empty() { self.request_refresh() } else { Vec::new() }
            }
            EventStoreResponse::Sessions(sessions) => {
                self.effects.push(SessionEffect::SessionsListed(sessions));
                Vec::new()
            }
            EventStoreResponse::Counts(counts) => {
                self.counts = counts;
                Vec::new()
            }
            EventStoreResponse::HookStats { filter, stats } => {
                // The filter may have changed meanwhile.
                if filter == self.combined_filter() {
                    self.effects.push(SessionEffect::HookStatsRead(stats));
                }
                Vec::new()
            }
            EventStoreResponse::SubjectCounts(kinds) => {
                self.subject_counts = Some(kinds);
                Vec::new()
            }
            EventStoreResponse::AgentSessions(own) => {
                self.agent_sessions = Some(own);
                Vec::new()
            }
            EventStoreResponse::Progress(working) => {
                self.progress = Some(working);
                Vec::new()
            }
            EventStoreResponse::Changed | EventStoreResponse::RunLogged => {
                self.stale = self.store != EventStoreState::Unknown;
                Vec::new()
            }
            EventStoreResponse::EarlierRuns(rows) => {
                self.earlier_runs = Some(rows);
                Vec::new()
            }
            EventStoreResponse::RunNotLogged(_) | EventStoreResponse::OpenedRun { .. } => Vec::new(),
            EventStoreResponse::Failed(message) => {
                self.progress = None;
                self.say(message);
                Vec::new()
            }
            EventStoreResponse::Imported { message, scope } => {
                self.progress = None;
                self.say(message);
                self.requested_event = None;
                if self.store != EventStoreState::Events {
                    self.store = EventStoreState::Reading;
                }
                match scope {
                    Some(scope) => self.show_scope(scope),
                    None => self.request_refresh(),
                }
            }
            EventStoreResponse::Question(question) => {
                self.progress = None;
                self.effects.push(SessionEffect::ReplayQuestion(question));
                Vec::new()
            }
            EventStoreResponse::Replayed(result) => {
                self.progress = None;
                let ran = result.order.run;
                self.replayed.extend(result.events.iter().filter_map(ReplayedVerdict::of));
                self.effects.extend(result.trouble.clone().map(SessionEffect::Message));
                self.effects.push(SessionEffect::ReplayFinished(result));
                if ran { self.request_refresh() } else { Vec::new() }
            }
            EventStoreResponse::Trouble(says) => {
                self.window.clear_requested();
                self.say(says);
                Vec::new()
            }
        };
        // The list is refreshed only when no request is pending, however often other processes write.
        if self.stale && self.pending == 0 && asks.is_empty() {
            self.stale = false;
            asks = self.request_refresh();
        }
        asks.extend(self.request_nearby());
        self.pending += asks.iter().filter(|ask| has_response(ask)).count();
        asks
    }

    fn say(&mut self, message: impl Into<String>) {
        self.effects.push(SessionEffect::Message(message.into()));
    }

    fn fault(&mut self, missing: bool, says: String, cure: Option<&'static str>) -> Vec<EventStoreRequest> {
        self.window = EventListWindow::default();
        if !missing {
            self.store = EventStoreState::Fault { message: says, help: cure };
            return Vec::new();
        }
        let first = self.store != EventStoreState::Empty;
        self.store = EventStoreState::Empty;
        if first && self.agent_sessions.is_none() {
            return vec![EventStoreRequest::AgentSessions];
        }
        Vec::new()
    }
}

/// Returns whether a request has exactly one response.
fn has_response(ask: &EventStoreRequest) -> bool {
    !matches!(
        ask,
        EventStoreRequest::Import(_)
            | EventStoreRequest::ImportText(_)
            | EventStoreRequest::Replay { .. }
            | EventStoreRequest::Changed
            | EventStoreRequest::LogRun { .. }
            | EventStoreRequest::Stop
    )
}

/// Returns whether this is the response to a request.
fn is_response(news: &EventStoreResponse) -> bool {
    !matches!(
        news,
        EventStoreResponse::Indexed(_)
            | EventStoreResponse::Progress(_)
            | EventStoreResponse::Imported { .. }
            | EventStoreResponse::Failed(_)
            | EventStoreResponse::Question(_)
            | EventStoreResponse::Replayed(_)
            | EventStoreResponse::Changed
            | EventStoreResponse::RunLogged
            | EventStoreResponse::RunNotLogged(_)
    )
}
