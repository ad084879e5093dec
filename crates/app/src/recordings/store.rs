//! The user's recorded events: the store's location, and the operations that the command line and the screen use.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::disk::state_dir::{NO_STATE_DIRECTORY, StateDir};
use crate::firing::history::recorded_gist;
use crate::recordings::import::{ImportCounts, Sink, SinkError};
use hookbench_core::filter::Filter;
use hookbench_core::recorded::{RecordedEvent, RecordedSession};
use hookbench_core::text::escape_json_for_terminal;
pub use hookbench_system::store::{
    EventListRow, FILE as STORE_FILE, IndexProgress, ListDirection, NewEvent, OpenMode, PurgeResult, PurgeScope,
    SessionRow, Store, StoreError, StoreErrorKind, StoreStats, move_aside,
};

/// Opens the store in the state directory.
///
/// # Errors
/// Returns an error if the store cannot be opened.
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
///
/// # Errors
/// Returns an error if the store cannot be read or the file cannot be written.
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
