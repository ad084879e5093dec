//! Imports and replays. Each runs on its own thread with its own connection to the store, so the list stays
//! responsive.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::FactSender;
use super::replays::{ReplayContext, ReplayPermissions, run_replay};
use crate::disk::scratch::create_owned_directory;
use crate::disk::state_dir::StateDir;
use crate::recordings::debug_logs::remember_debug_logs;
use crate::recordings::event_list::{EventListScope, EventStoreRequest, EventStoreResponse, LongJobProgress};
use crate::recordings::import::{ImportCounts, ImportError, ImportReport, Sink, SinkError, SourceReport, import};
use crate::recordings::store::{OpenMode, StoreError, StoreSink, open_store};
use crate::session::fact::Fact;
use hookbench_core::config::Place;
use hookbench_core::recorded::{RecordedEvent, RecordedSession};
use hookbench_core::text::pluralize;

/// The interval of progress reports.
const TOLD: Duration = Duration::from_millis(100);

/// Starts an import or replay. Returns at once.
pub fn start_long_job(ask: EventStoreRequest, place: Arc<Place>, facts: FactSender, stop: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        // The receiver may be gone.
        let mut tell = |news| drop(facts.blocking_send(Fact::EventList(news)));
        let stopped = || stop.load(Ordering::Relaxed);
        if let Some(over) = run_long_job(ask, &place, &mut tell, &stopped) {
            tell(over);
        }
    });
}

/// Runs an import or replay to its end, and reports progress to `tell`. Returns `None` for any other request.
pub fn run_long_job(
    ask: EventStoreRequest,
    place: &Place,
    tell: &mut dyn FnMut(EventStoreResponse),
    stopped: &dyn Fn() -> bool,
) -> Option<EventStoreResponse> {
    match ask {
        EventStoreRequest::Import(file) => Some(import_events(&file, false, place, tell, stopped)),
        EventStoreRequest::ImportText(text) => Some(import_text(&text, place, tell, stopped)),
        EventStoreRequest::Replay { order, consent, approved: agreed, may_ask: asks } => {
            let may = ReplayPermissions { consent: &consent, approved: &agreed, may_ask: asks };
            Some(run_replay(&order, may, ReplayContext { place, report: tell, stopped }))
        }
        _ => None,
    }
}

/// Imports pasted text, by way of a file that only the user can read.
fn import_text(
    text: &str,
    place: &Place,
    tell: &mut dyn FnMut(EventStoreResponse),
    stopped: &dyn Fn() -> bool,
) -> EventStoreResponse {
    let directory = create_owned_directory();
    let file = directory.and_then(|directory| {
        let file = directory.path().join("pasted.jsonl");
        std::fs::write(&file, text)?;
        Ok((directory, file))
    });
    match file {
        Ok((_directory, file)) => import_events(&file, true, place, tell, stopped),
        Err(why) => EventStoreResponse::Failed(format!("the pasted text cannot be stored: {why}")),
    }
}

/// A sink that notes the sessions of the imported events.
struct SessionNotes {
    store: StoreSink,
    /// The names of the sessions, and whether any of them is of the open project.
    sessions: BTreeSet<String>,
    project: String,
    in_project: bool,
    /// Whether the file is a copy of pasted text, and no source.
    pasted: bool,
}

impl Sink for SessionNotes {
    fn receive(
        &mut self,
        session: &RecordedSession,
        mut events: Vec<RecordedEvent>,
    ) -> Result<ImportCounts, SinkError> {
        let here = |project: &Option<String>| {
            project.as_ref().is_some_and(|project| Path::new(project).starts_with(&self.project))
        };
        if !events.is_empty() {
            self.in_project |= events.iter().any(|event| here(&event.project));
            self.sessions.insert(session.session.clone());
        }
        if self.pasted {
            for event in &mut events {
                event.source = None;
            }
        }
        self.store.receive(session, events)
    }

    fn commit(&mut self) -> Result<(), SinkError> {
        self.store.commit()
    }

    fn done(&mut self) -> Result<(), SinkError> {
        self.store.done()
    }
}

impl SessionNotes {
    /// The scope that shows what was imported: its only session, or all events if none is of the project.
    fn scope(mut self) -> Option<EventListScope> {
        let only = if self.sessions.len() == 1 { self.sessions.pop_first() } else { None };
        match only {
            Some(session) => Some(EventListScope::Session(session)),
            None => (!self.in_project && !self.sessions.is_empty()).then_some(EventListScope::All),
        }
    }
}

fn import_events(
    file: &Path,
    pasted: bool,
    place: &Place,
    tell: &mut dyn FnMut(EventStoreResponse),
    stopped: &dyn Fn() -> bool,
) -> EventStoreResponse {
    let store = match open_store(&StateDir::of(place), OpenMode::Write) {
        Ok(store) => store,
        Err(fault) => return failed(&fault),
    };
    let of = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut last = Instant::now();
    let store = StoreSink::new(store, false);
    let project = place.project.clone();
    let mut sink = SessionNotes { store, sessions: BTreeSet::new(), project, in_project: false, pasted };
    let done = import(file, place, &mut sink, &mut |progress| {
        if last.elapsed() >= TOLD {
            last = Instant::now();
            let percent = (progress.files == 1 && progress.size > 0).then(|| progress.read * 100 / progress.size);
            let of = of.clone();
            tell(EventStoreResponse::Progress(LongJobProgress {
                activity: "importing",
                subject: of,
                percent,
                events: progress.events,
                pace: None,
            }));
        }
        if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match done {
        Ok(report) => match remember_debug_logs(&StateDir::of(place), place, report.debug_logs()) {
            Ok(()) => EventStoreResponse::Imported { message: import_summary(&report), scope: sink.scope() },
            Err(why) => EventStoreResponse::Failed(why.to_string()),
        },
        Err(ImportError::Unknown { why, .. }) => EventStoreResponse::Failed(unknown_format(&of, why)),
        Err(why) => EventStoreResponse::Failed(why.to_string()),
    }
}

/// The message for a file of an unknown format.
fn unknown_format(file: &str, why: Option<String>) -> String {
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    format!(
        "{file} has no events{why}. Accepted: session files and debug logs of agents, payloads, event lines of hookbench"
    )
}

/// A summary of an import.
fn import_summary(report: &ImportReport) -> String {
    let sum = |of: fn(&SourceReport) -> u64| report.sources.iter().map(of).sum::<u64>();
    let (new, known) = (sum(|s| s.added.new), sum(|s| s.added.known));
    let mut says = pluralize(new, "new event");
    let logs = report.debug_logs().len();
    if logs > 0 {
        says.push_str(&format!(", {} (w on a hook shows what they say)", pluralize(logs, "debug log")));
    }
    if known > 0 {
        says.push_str(&format!(", {known} already there"));
    }
    let skipped = sum(|s| s.skipped_lines);
    if skipped > 0 {
        says.push_str(&format!(", {} skipped (hookbench import shows why)", pluralize(skipped, "line")));
    }
    if report.cancelled {
        says.push_str("; stopped, the imported events stay");
    }
    says
}

fn failed(fault: &StoreError) -> EventStoreResponse {
    let cure = fault.kind.help().map(|cure| format!(" {cure}")).unwrap_or_default();
    EventStoreResponse::Failed(format!("{fault}.{cure}"))
}
