//! The user's recorded events: the store's location, and the operations that the command line and the screen use.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use super::import::{ImportCounts, Sink, SinkError};
use crate::disk::state_dir::{NO_STATE_DIRECTORY, StateDir};
use crate::firing::history::recorded_gist;
use hookbench_core::config::Place;
use hookbench_core::filter::Filter;
use hookbench_core::matching::RecordedSubject;
use hookbench_core::recorded::{PayloadSource, RecordedEvent, RecordedSession};
use hookbench_core::text::escape_json_for_terminal;
use hookbench_system::disk::canonical;
pub use hookbench_system::store::{
    EventListRow, FILE as STORE_FILE, IndexProgress, ListDirection, NewEvent, OpenMode, PurgeResult, PurgeScope,
    SessionRow, Store, StoreError, StoreErrorKind, StoreStats, move_aside,
};

/// Opens the store in the state directory.
pub fn open_store(state: &StateDir, mode: OpenMode) -> Result<Store, StoreError> {
    let path = state.file(STORE_FILE);
    if !state.is_known() {
        return Err(StoreError { path, kind: StoreErrorKind::Other(NO_STATE_DIRECTORY.to_owned()) });
    }
    Store::open(&path, mode)
}

/// The number of recent runs whose durations are read.
const RECENT_RUNS: u32 = 2_000;

/// The durations of recorded runs of each definition. An unreadable store counts as empty.
pub fn recorded_times(state: &StateDir) -> BTreeMap<String, Vec<Duration>> {
    let store = open_store(state, OpenMode::Read).ok();
    let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for (definition, took) in store.and_then(|store| store.recent_times(RECENT_RUNS).ok()).unwrap_or_default() {
        times.entry(definition).or_default().push(took);
    }
    times
}

/// Milliseconds since 1970, for filters relative to the current time.
pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The time that an import spends on the word index after reading everything; the rest is indexed in the
/// background.
const INDEXING_LIMIT: Duration = Duration::from_millis(500);

/// Saves imported events in the store. Each batch is one transaction, so every counted event is on disk.
pub struct StoreSink {
    store: Store,
    masked: bool,
}

impl StoreSink {
    /// If `masked` is true, values that look like secrets are masked before anything is written.
    pub fn new(store: Store, masked: bool) -> StoreSink {
        StoreSink { store, masked }
    }
}

impl Sink for StoreSink {
    fn receive(&mut self, session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        let what: Vec<Option<String>> = events.iter().map(recorded_gist).collect();
        let incoming: Vec<NewEvent<'_>> =
            events.iter().zip(&what).map(|(event, what)| NewEvent::imported(event, what.as_deref())).collect();
        let kept = self.store.add(std::slice::from_ref(session), &incoming, self.masked);
        let kept = kept.map_err(|why| SinkError(why.to_string()))?;
        let new = kept.iter().filter(|added| added.new).count() as u64;
        Ok(ImportCounts { new, known: kept.len() as u64 - new })
    }

    fn done(&mut self) -> Result<(), SinkError> {
        let until = Instant::now() + INDEXING_LIMIT;
        while Instant::now() < until {
            if self.store.continue_index(INDEXING_LIMIT / 10).map_err(|why| SinkError(why.to_string()))?.complete() {
                break;
            }
        }
        Ok(())
    }
}

/// Errors of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    File(#[from] std::io::Error),
}

/// The result of an export.
#[derive(Debug, Default)]
pub struct ExportReport {
    /// The number of written events.
    pub events: u64,
    /// The damaged events that were left out, by number, each with the reason.
    pub damaged: Vec<(i64, String)>,
    /// Damage of the store for which other events may be missing or changed, without a sign of it.
    pub doubt: Option<String>,
}

/// Writes the matching events as lines to a file, which is readable only by its owner and is replaced atomically.
/// Without a file, writes to stdout with terminal control characters escaped as JSON. Damaged events are left out.
pub fn export(store: &Store, filter: &Filter, file: Option<&Path>) -> Result<ExportReport, ExportError> {
    let Some(file) = file else {
        let mut stdout = std::io::stdout().lock();
        let report =
            export_lines(store, filter, &mut |line| match writeln!(stdout, "{}", escape_json_for_terminal(line)) {
                Ok(()) => ControlFlow::Continue(()),
                // The reader of stdout is gone.
                Err(_) => ControlFlow::Break(()),
            })?;
        let _ = stdout.flush();
        return Ok(report);
    };
    let directory = file.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside = std::io::BufWriter::new(tempfile::NamedTempFile::new_in(directory)?);
    let mut failed = None;
    let report = export_lines(store, filter, &mut |line| match writeln!(beside, "{line}") {
        Ok(()) => ControlFlow::Continue(()),
        Err(why) => {
            failed = Some(why);
            ControlFlow::Break(())
        }
    })?;
    if let Some(why) = failed {
        return Err(why.into());
    }
    beside.into_inner().map_err(std::io::IntoInnerError::into_error)?.persist(file).map_err(|why| why.error)?;
    Ok(report)
}

fn export_lines(
    store: &Store,
    filter: &Filter,
    write: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> Result<ExportReport, StoreError> {
    let mut damaged = Vec::new();
    let events = store.export(filter, now_ms(), &mut |event| match event {
        Ok(line) => write(line),
        Err((seq, why)) => {
            damaged.push((seq, why.to_owned()));
            ControlFlow::Continue(())
        }
    })?;
    Ok(ExportReport { events, damaged, doubt: store.find_damage()? })
}

/// The number of events of one subject in one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectCount {
    pub seen: RecordedSubject,
    /// The project's path without links; `None` if it is unknown.
    pub project: Option<String>,
}

/// The recorded subjects of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubjectCounts(pub Vec<SubjectCount>);

impl SubjectCounts {
    /// Reads the numbers from the user's store. The list is empty if that cannot be opened.
    pub fn of_place(place: &Place) -> SubjectCounts {
        let store = open_store(&StateDir::of(place), OpenMode::Read);
        store.and_then(|store| SubjectCounts::read(&store)).unwrap_or_default()
    }

    /// Reads the numbers from a store.
    pub fn read(store: &hookbench_system::store::Store) -> Result<SubjectCounts, hookbench_system::store::StoreError> {
        let mut all: BTreeMap<(String, String, String, Option<String>), u64> = BTreeMap::new();
        for kind in store.kinds()?.iter().filter(|kind| kind.payload_source != PayloadSource::Fired) {
            let Some(subject) = kind.subject.clone() else { continue };
            let key = (kind.agent.clone(), kind.event.clone(), subject, kind.project.clone());
            *all.entry(key).or_default() += kind.events;
        }
        let mut real: BTreeMap<String, String> = BTreeMap::new();
        let without_links = |project: &String| {
            canonical(project).map_or_else(|_| project.clone(), |path| path.to_string_lossy().into_owned())
        };
        let recorded = all.into_iter().map(|((agent, event, subject, project), events)| {
            let project = project.map(|p| real.entry(p.clone()).or_insert_with(|| without_links(&p)).clone());
            SubjectCount { seen: RecordedSubject { agent, event, subject, events }, project }
        });
        Ok(SubjectCounts(recorded.collect()))
    }

    /// The subjects of a project and its subdirectories, and those of unknown projects, the most frequent first.
    /// Without a project, the subjects of all.
    pub fn in_project(&self, project: Option<&str>) -> Vec<RecordedSubject> {
        let here = |recorded: &&SubjectCount| match (project, &recorded.project) {
            (None, _) | (_, None) => true,
            (Some(here), Some(there)) => {
                there.strip_prefix(here).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
        };
        let mut all: BTreeMap<(&str, &str, &str), u64> = BTreeMap::new();
        for SubjectCount { seen, .. } in self.0.iter().filter(here) {
            *all.entry((&seen.agent, &seen.event, &seen.subject)).or_default() += seen.events;
        }
        let mut all: Vec<RecordedSubject> = all
            .into_iter()
            .map(|((agent, event, subject), events)| RecordedSubject {
                agent: agent.to_owned(),
                event: event.to_owned(),
                subject: subject.to_owned(),
                events,
            })
            .collect();
        all.sort_by_key(|seen| std::cmp::Reverse(seen.events));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_count_where_they_happened() {
        let recorded = |subject: &str, project: Option<&str>, events| SubjectCount {
            seen: RecordedSubject { agent: "a".into(), event: "E".into(), subject: subject.into(), events },
            project: project.map(str::to_owned),
        };
        let kinds = SubjectCounts(vec![
            recorded("x", Some("/p"), 1),
            recorded("x", Some("/p/below"), 2),
            recorded("x", Some("/pp"), 4),
            recorded("y", None, 8),
        ]);
        let count =
            |project| kinds.in_project(project).iter().map(|s| (s.subject.clone(), s.events)).collect::<Vec<_>>();
        assert_eq!(count(Some("/p")), [("y".to_owned(), 8), ("x".to_owned(), 3)]);
        assert_eq!(count(None), [("y".to_owned(), 8), ("x".to_owned(), 7)]);
    }
}
