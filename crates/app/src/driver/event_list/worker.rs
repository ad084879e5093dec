//! Answers one request about recorded events. It blocks, so it is called on its own thread.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::disk::state_dir::StateDir;
use crate::recordings::event_list::{EventStoreRequest, EventStoreResponse, OperatorCount, PageEdge, without_replays};
use crate::recordings::hook_stats::hook_stats;
use crate::recordings::import::sessions_of;
use crate::recordings::moment::moment_of;
use crate::recordings::run_log::{LoggedRun, log_session, store_run};
use crate::recordings::store::{
    EventListRow, ListDirection, OpenMode, Store, StoreError, StoreErrorKind, SubjectCounts, now_ms, open_store,
};
use hookbench_core::config::Place;
use hookbench_core::filter::{Filter, FilterTest, OPERATORS, parse};
use hookbench_core::recorded::PayloadSource;
use hookbench_system::store::EventKind;

/// The largest transcript that is read for the selected event, in bytes, because it is read while the user moves.
const LONGEST_TRANSCRIPT: u64 = 16 << 20;
/// The number of logged runs of earlier sessions that are listed.
const EARLIER_RUNS: usize = 200;

/// The store, opened at the first request.
pub struct EventStoreWorker {
    place: Arc<Place>,
    state: StateDir,
    store: Option<Store>,
    /// Whether the store can be written.
    pub(super) is_writable: bool,
    /// The version of the store's data when the list was last loaded.
    seen: Option<i64>,
    /// Whether the limits of the log were enforced since the start.
    pruned: bool,
}

impl EventStoreWorker {
    /// Creates it for the user of a place.
    pub fn new(place: Arc<Place>) -> EventStoreWorker {
        let state = StateDir::of(&place);
        EventStoreWorker { place, state, store: None, is_writable: true, seen: None, pruned: false }
    }

    /// The open store.
    pub(super) fn store(&mut self) -> Result<&mut Store, StoreError> {
        let store = match self.store.take() {
            Some(store) => store,
            None => self.open()?,
        };
        Ok(self.store.insert(store))
    }

    /// Opens the store. It is not created for reading, and a read-only store can still be read.
    fn open(&mut self) -> Result<Store, StoreError> {
        let reading = match open_store(&self.state, OpenMode::Read) {
            Err(fault) if matches!(fault.kind, StoreErrorKind::Missing) => return Err(fault),
            reading => reading,
        };
        let writing = open_store(&self.state, OpenMode::Write);
        self.is_writable = writing.is_ok();
        writing.or_else(|fault| reading.map_err(|_| fault))
    }

    /// The store, if it is open and can be written.
    pub(super) fn opened_for_writing(&mut self) -> Option<&mut Store> {
        self.store.as_mut().filter(|_| self.is_writable)
    }

    /// Answers a request. Returns `None` if it has no response.
    pub fn answer(&mut self, ask: EventStoreRequest) -> Option<EventStoreResponse> {
        let ask = match ask {
            EventStoreRequest::LogRun { run, masked } => return Some(self.log_run(*run, masked)),
            ask => ask,
        };
        if ask == EventStoreRequest::AgentSessions {
            return Some(EventStoreResponse::AgentSessions(sessions_of(&self.place, None)));
        }
        if ask == EventStoreRequest::Changed {
            return self.changed();
        }
        if let EventStoreRequest::EarlierRuns { project } = ask {
            // Without a store nothing was logged; errors are reported with the list of events.
            return Some(EventStoreResponse::EarlierRuns(self.earlier_runs(project).unwrap_or_default()));
        }
        if ask == EventStoreRequest::SubjectCounts {
            // Without a store nothing was recorded; errors are reported with the list of events.
            let kinds = self.store().and_then(|store| SubjectCounts::read(store)).unwrap_or_default();
            return Some(EventStoreResponse::SubjectCounts(Arc::new(kinds)));
        }
        let looks = matches!(
            ask,
            EventStoreRequest::Page { .. } | EventStoreRequest::Count { .. } | EventStoreRequest::Sessions { .. }
        );
        Some(self.ask_store(ask).transpose()?.unwrap_or_else(|fault| {
            let usable = matches!(
                fault.kind,
                StoreErrorKind::Stopped | StoreErrorKind::Busy | StoreErrorKind::Full | StoreErrorKind::ReadOnly(_)
            );
            let cure = fault.kind.help();
            if looks && !usable {
                self.store = None;
                let missing = matches!(fault.kind, StoreErrorKind::Missing);
                return EventStoreResponse::Fault { missing, message: fault.to_string(), help: cure };
            }
            let cure = cure.map(|cure| format!(" {cure}")).unwrap_or_default();
            EventStoreResponse::Trouble(format!("{fault}.{cure}"))
        }))
    }

    /// The newest logged runs of a project that are not of this process.
    fn earlier_runs(&mut self, project: String) -> Result<Vec<EventListRow>, StoreError> {
        let own = Filter::Test(FilterTest::Session(log_session().to_owned()));
        let filter = Filter::All(vec![
            Filter::Test(FilterTest::PayloadSource(PayloadSource::Fired)),
            Filter::Test(FilterTest::Project(project)),
            Filter::Not(Box::new(own)),
        ]);
        self.store()?.page(&filter, now_ms(), ListDirection::Backward, None, EARLIER_RUNS)
    }

    /// Keeps a run in the log. The store is created if it is missing.
    fn log_run(&mut self, run: LoggedRun, masked: bool) -> EventStoreResponse {
        let prune = !std::mem::replace(&mut self.pruned, true);
        let written = self.store_for_writing().and_then(|store| store_run(store, run, masked, prune));
        match written {
            Ok(()) => EventStoreResponse::RunLogged,
            Err(fault) => {
                let help = fault.kind.help().map(|help| format!(". {help}")).unwrap_or_default();
                EventStoreResponse::RunNotLogged(format!("{fault}{help}"))
            }
        }
    }

    /// The store, opened for writing.
    fn store_for_writing(&mut self) -> Result<&mut Store, StoreError> {
        let open = self.store.take().filter(|store| self.is_writable && store.is_at_its_path());
        let store = match open {
            Some(store) => store,
            None => open_store(&self.state, OpenMode::Write)?,
        };
        self.is_writable = true;
        Ok(self.store.insert(store))
    }

    /// Returns `Changed` if another process has written since the list was last loaded, or may have created the store.
    fn changed(&mut self) -> Option<EventStoreResponse> {
        let Some(store) = &self.store else { return Some(EventStoreResponse::Changed) };
        if !store.path().exists() {
            self.store = None;
            return Some(EventStoreResponse::Changed);
        }
        (store.data_version().ok() != self.seen).then_some(EventStoreResponse::Changed)
    }

    fn ask_store(&mut self, ask: EventStoreRequest) -> Result<Option<EventStoreResponse>, StoreError> {
        let seen = self.store()?.data_version()?;
        if matches!(ask, EventStoreRequest::Page { .. } | EventStoreRequest::GoTo { .. }) {
            self.seen = Some(seen);
        }
        let store = self.store()?;
        Ok(Some(match ask {
            EventStoreRequest::Page { number, filter, edge, limit } => {
                let (direction, from) = match edge {
                    PageEdge::Oldest => (ListDirection::Forward, None),
                    PageEdge::Newest => (ListDirection::Backward, None),
                    PageEdge::Before(place) => (ListDirection::Backward, Some(place)),
                    PageEdge::After(place) | PageEdge::Refresh(place) | PageEdge::From(place) => {
                        (ListDirection::Forward, Some(place))
                    }
                };
                let rows = store.page(&filter, now_ms(), direction, from, limit)?;
                EventStoreResponse::Page { number, edge, rows, limit }
            }
            EventStoreRequest::GoTo { number, seq, scope, limit } => {
                let Some(event) = store.event(seq)? else {
                    return Ok(Some(EventStoreResponse::Trouble(format!("#{seq} is no longer in the store"))));
                };
                let place = hookbench_system::store::EventPosition::before(event.at, seq);
                let rows = store.page(&scope, now_ms(), ListDirection::Forward, Some(place), limit)?;
                EventStoreResponse::Page { number, edge: PageEdge::From(place), rows, limit }
            }
            EventStoreRequest::Count { number, filter, scope, anywhere, replays } => {
                let now = now_ms();
                let with_replays = store.count(&scope, now)?;
                let counted = |filter| if replays { filter } else { without_replays(filter) };
                let (matching, all) = (store.count(&filter, now)?, store.count(&counted(scope), now)?);
                let elsewhere = store.count(&counted(Filter::everything()), now)?.saturating_sub(all);
                let (replays, indexed) = (with_replays.saturating_sub(all), store.index_progress()?);
                let matching_elsewhere = if matching == 0 { store.count(&anywhere, now)? } else { 0 };
                EventStoreResponse::Count { number, matching, all, elsewhere, matching_elsewhere, replays, indexed }
            }
            EventStoreRequest::Event { number, seq } => {
                let event = store.event(seq)?.map(Arc::new);
                let moment = event.as_ref().map(|event| Arc::new(moment_of(event, &self.place, LONGEST_TRANSCRIPT)));
                EventStoreResponse::Event { number, seq, event, moment }
            }
            EventStoreRequest::Mark { seq, marked } => {
                store.mark(seq, marked)?;
                EventStoreResponse::Noted { seq, marked: Some(marked), comment: None }
            }
            EventStoreRequest::Comment { seq, text } => {
                store.comment(seq, text.as_deref())?;
                EventStoreResponse::Noted { seq, marked: None, comment: Some(text) }
            }
            EventStoreRequest::Sessions { filter } => EventStoreResponse::Sessions(store.sessions(&filter, now_ms())?),
            EventStoreRequest::Counts => EventStoreResponse::Counts(operator_counts(store)?),
            EventStoreRequest::HookStats { filter } => {
                let stats = hook_stats(store, &filter, now_ms())?;
                EventStoreResponse::HookStats { filter, stats }
            }
            EventStoreRequest::OpenRun(seq) => {
                EventStoreResponse::OpenedRun { seq, event: store.event(seq)?.map(Arc::new) }
            }
            EventStoreRequest::AgentSessions
            | EventStoreRequest::EarlierRuns { .. }
            | EventStoreRequest::SubjectCounts
            | EventStoreRequest::Changed
            | EventStoreRequest::LogRun { .. }
            | EventStoreRequest::Import(_)
            | EventStoreRequest::ImportText(_)
            | EventStoreRequest::Replay { .. }
            | EventStoreRequest::Stop => return Ok(None),
        }))
    }
}

/// The maximum number of values for each operator.
const NAMED: usize = 3;

/// Counts the matches of every operator that can be counted without an argument.
pub(super) fn operator_counts(store: &Store) -> Result<Vec<OperatorCount>, StoreError> {
    let kinds = store.kinds()?;
    let mut all = Vec::new();
    for operator in OPERATORS {
        let values = match operator.name {
            "~e" => commonest(&kinds, |kind| vec![kind.event.clone()]),
            "~t" => commonest(&kinds, |kind| kind.subject.iter().cloned().collect()),
            "~a" => commonest(&kinds, |kind| vec![kind.agent.clone()]),
            "~v" => commonest(&kinds, |kind| kind.verdict.iter().cloned().collect()),
            "~h" => commonest(&kinds, |kind| kind.hook_results.iter().map(|ran| ran.hook.clone()).collect()),
            name => match parse(name) {
                Ok(filter) if operator.argument.is_none() => vec![(None, store.count(&filter, now_ms())?)],
                _ => continue,
            },
        };
        all.push(OperatorCount { name: operator.name, values });
    }
    Ok(all)
}

/// The values with the most events. An event counts once for each of its values.
fn commonest(kinds: &[EventKind], of: impl Fn(&EventKind) -> Vec<String>) -> Vec<(Option<String>, u64)> {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for kind in kinds {
        for value in of(kind).into_iter().collect::<BTreeSet<_>>() {
            *sums.entry(value).or_default() += kind.events;
        }
    }
    let mut all: Vec<(Option<String>, u64)> = sums.into_iter().map(|(value, count)| (Some(value), count)).collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.truncate(NAMED);
    all
}
