//! Imports recorded events from files: session transcripts of agents, payloads, and hookbench's own format. Formats
//! are recognized by content, files are read as streams, and the events go to a [`Sink`] in small batches.

mod agent_sessions;
mod file_import;
mod file_search;

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::disk::files::io_cause;
use hookbench_core::config::Place;
use hookbench_core::debug_log::{DebugLog, silent_logs};
use hookbench_core::dialects::Agent;
use hookbench_core::names::AgentId;
use hookbench_core::recorded::{RecordedEvent, RecordedSession, TranscriptFormat};
use hookbench_core::transcript::event_gaps;

use super::debug_logs::read_debug_log;

pub use agent_sessions::{AgentSession, sessions_of};

/// The maximum number of skipped lines that are listed individually.
pub const MAX_LISTED: usize = 1000;

/// A destination for imported events.
pub trait Sink {
    /// Receives some events of one session, in chronological order. The list is empty if only the session's data
    /// has changed.
    ///
    /// # Errors
    /// Returns an error if the events cannot be stored. This ends the import.
    fn receive(&mut self, session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError>;
    /// Whether the report is to say which values events lack, and sessions are to be complete.
    fn needs_report(&self) -> bool {
        true
    }
    /// Commits the events received since the last call, at the end of a batch.
    fn commit(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
    /// Called after everything has been read, unless the import was cancelled.
    fn done(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}

/// The number of events that were new to the sink, and of those it already had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportCounts {
    pub new: u64,
    pub known: u64,
}

/// An error in storing events.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SinkError(pub String);

/// The progress of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportProgress {
    pub file: PathBuf,
    /// The number of the current file, counted from 1, and the number of files.
    pub number: usize,
    pub files: usize,
    /// The bytes of this file that were read, and its size.
    pub read: u64,
    pub size: u64,
    /// The number of events so far, in all files.
    pub events: u64,
}

/// One line that produced no event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SkippedDoc"))]
pub struct SkippedLine {
    /// Counted from 1; 0 means the whole file.
    pub line: u64,
    pub why: String,
}

/// The result for one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceReport {
    pub file: PathBuf,
    /// The name of its format; `unreadable` if the file could not be read.
    pub kind: &'static str,
    pub sessions: u64,
    pub events: u64,
    pub rebuilt: u64,
    pub recorded: u64,
    /// The number of events from telemetry that lack a value.
    pub partial: u64,
    /// The number of events for each missing value (`cwd is missing`).
    pub gaps: BTreeMap<String, u64>,
    pub added: ImportCounts,
    /// The number of events by event name.
    pub by_event: BTreeMap<String, u64>,
    /// The first [`MAX_LISTED`] skipped lines.
    pub skipped: Vec<SkippedLine>,
    /// The number of skipped lines.
    pub skipped_lines: u64,
    /// The number of skipped lines by reason.
    pub reasons: BTreeMap<String, u64>,
    /// The statements of a debug log about hooks, and the agent that wrote it. It has no events.
    pub debug_log: Option<(AgentId, Box<DebugLog>)>,
}

/// The `kind` of a file that could not be read.
pub const UNREADABLE: &str = "unreadable";

impl SourceReport {
    fn skip(&mut self, line: u64, why: String) {
        self.skipped_lines += 1;
        if self.reasons.len() < MAX_LISTED || self.reasons.contains_key(&why) {
            *self.reasons.entry(why.clone()).or_default() += 1;
        }
        if self.skipped.len() < MAX_LISTED {
            self.skipped.push(SkippedLine { line, why });
        }
    }

    fn count_gaps(&mut self, event: &RecordedEvent) {
        let gaps = event_gaps(event);
        self.partial += u64::from(!gaps.is_empty());
        for gap in gaps {
            let what = gap.to_string();
            if self.gaps.len() < MAX_LISTED || self.gaps.contains_key(&what) {
                *self.gaps.entry(what).or_default() += 1;
            }
        }
    }

    fn of_debug_log(file: &Path, dialect: &Agent) -> std::io::Result<SourceReport> {
        let log = Some((dialect.id(), Box::new(read_debug_log(file, dialect)?)));
        let kind = dialect.debug_log().kind;
        Ok(SourceReport { file: file.to_owned(), kind, debug_log: log, ..SourceReport::default() })
    }

    fn unreadable(file: &Path, why: &str) -> SourceReport {
        let mut report = SourceReport { file: file.to_owned(), kind: UNREADABLE, ..SourceReport::default() };
        report.skip(0, why.to_owned());
        report
    }
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    pub sources: Vec<SourceReport>,
    /// The number of files in the directory with an unknown format.
    pub others: u64,
    /// Whether it was cancelled; events stored before that are kept.
    pub cancelled: bool,
}

impl ImportReport {
    /// The debug logs among the files, and the agents that wrote them.
    pub fn debug_logs(&self) -> Vec<(AgentId, PathBuf)> {
        let log = |source: &SourceReport| Some((source.debug_log.as_ref()?.0, source.file.clone()));
        self.sources.iter().filter_map(log).collect()
    }
}

/// Errors of an import.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    #[error("{file}: {why}")]
    Unreadable { file: String, why: String },
    #[error(
        "{file}: unknown format; it must be a session file, telemetry or a debug log of an agent, recorded payloads or an export of hookbench{}; {}\n  help: hookbench import lists the session files of this project",
        why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default(),
        silent_logs()
    )]
    Unknown { file: String, why: Option<String> },
    #[error("{0}")]
    Sink(#[from] SinkError),
}

/// Imports one file without the sessions that it has started. Returns its report, and whether it was read to
/// the end. `watch` is called at each read of the file and may cancel the import.
///
/// # Errors
/// Returns an error if the file is unreadable or its format is unknown, or if the sink fails.
pub fn import_file(
    file: &Path,
    place: &Place,
    sink: &mut dyn Sink,
    watch: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(SourceReport, bool), ImportError> {
    let shown = file.display().to_string();
    let unreadable = |why: String| ImportError::Unreadable { file: shown.clone(), why };
    let about = std::fs::metadata(file).map_err(|why| unreadable(io_cause(&why)))?;
    if !about.is_file() {
        return Err(unreadable("not a regular file".to_owned()));
    }
    let format = match file_search::file_kind(file).map_err(|why| unreadable(io_cause(&why)))? {
        file_search::ImportFileKind::Known(format) => format,
        file_search::ImportFileKind::DebugLog(_) => {
            let why = Some("a debug log has no events to replay".to_owned());
            return Err(ImportError::Unknown { file: shown, why });
        }
        file_search::ImportFileKind::Other(why) => return Err(ImportError::Unknown { file: shown, why }),
    };
    match file_import::import_source(file, format, place, sink, &mut |_, _, _| watch()) {
        Ok((report, cancelled)) => Ok((report, !cancelled)),
        Err(file_import::FileImportError::Sink(why)) => Err(why.into()),
        Err(file_import::FileImportError::File(why)) => Err(unreadable(why)),
    }
}

/// Imports a file together with the sessions that it has started, or every file below a directory.
///
/// `watch` receives the progress at each read of a file and may cancel the import.
///
/// # Errors
/// Returns an error if the file or directory itself is unreadable or its format is unknown, or if the sink fails.
/// Problems with files below a directory are in the report.
pub fn import(
    target: &Path,
    place: &Place,
    sink: &mut dyn Sink,
    watch: &mut dyn FnMut(&ImportProgress) -> ControlFlow<()>,
) -> Result<ImportReport, ImportError> {
    let shown = target.display().to_string();
    let unreadable = |why: String| ImportError::Unreadable { file: shown.clone(), why };
    let target = std::path::absolute(target).map_err(|why| unreadable(io_cause(&why)))?;
    let about = std::fs::metadata(&target).map_err(|why| unreadable(io_cause(&why)))?;
    let mut report = ImportReport::default();
    let mut found = Vec::new();
    if about.is_dir() {
        let walked = file_search::files_below(&target).map_err(|why| unreadable(io_cause(&why)))?;
        report.sources.extend(walked.unreadable.iter().map(|(file, why)| SourceReport::unreadable(file, why)));
        for file in walked.files {
            classify(file, &mut found, &mut report);
        }
    } else if about.is_file() {
        match file_search::file_kind(&target).map_err(|why| unreadable(io_cause(&why)))? {
            file_search::ImportFileKind::Known(format) => found.push((target.clone(), format)),
            file_search::ImportFileKind::DebugLog(dialect) => {
                let source = SourceReport::of_debug_log(&target, dialect).map_err(|why| unreadable(io_cause(&why)))?;
                report.sources.push(source);
            }
            file_search::ImportFileKind::Other(why) => return Err(ImportError::Unknown { file: shown, why }),
        }
        for file in started_sessions(&found) {
            classify(file, &mut found, &mut report);
        }
    } else {
        return Err(unreadable("neither a file nor a directory".to_owned()));
    }
    found.sort_by_cached_key(|(file, format)| file_search::reading_order(file, *format));
    let files = found.len();
    let mut events = 0;
    for (index, (file, format)) in found.into_iter().enumerate() {
        let mut progress = ImportProgress { file: file.clone(), number: index + 1, files, read: 0, size: 0, events };
        let source = file_import::import_source(&file, format, place, sink, &mut |read, size, so_far| {
            (progress.read, progress.size, progress.events) = (read, size, events + so_far);
            watch(&progress)
        });
        let (source, cancelled) = match source {
            Ok(done) => done,
            Err(file_import::FileImportError::Sink(why)) => return Err(why.into()),
            Err(file_import::FileImportError::File(why)) if files == 1 && about.is_file() => {
                return Err(unreadable(why));
            }
            Err(file_import::FileImportError::File(why)) => (SourceReport::unreadable(&file, &why), false),
        };
        events += source.events;
        report.sources.push(source);
        if cancelled {
            report.cancelled = true;
            break;
        }
    }
    if !report.cancelled {
        sink.done()?;
    }
    Ok(report)
}

/// Adds a file of a directory to the importable files, or counts it as unknown or unreadable.
fn classify(file: PathBuf, found: &mut Vec<(PathBuf, &'static dyn TranscriptFormat)>, report: &mut ImportReport) {
    match file_search::file_kind(&file) {
        Ok(file_search::ImportFileKind::Known(format)) => found.push((file, format)),
        Ok(file_search::ImportFileKind::DebugLog(dialect)) => {
            let source = SourceReport::of_debug_log(&file, dialect);
            report.sources.push(source.unwrap_or_else(|why| SourceReport::unreadable(&file, &why.to_string())));
        }
        Ok(file_search::ImportFileKind::Other(None)) => report.others += 1,
        Ok(file_search::ImportFileKind::Other(Some(why))) => report.sources.push(SourceReport::unreadable(&file, &why)),
        Err(why) => report.sources.push(SourceReport::unreadable(&file, &why.to_string())),
    }
}

/// The files of the sessions that these sessions have started.
fn started_sessions(found: &[(PathBuf, &'static dyn TranscriptFormat)]) -> Vec<PathBuf> {
    let directories: HashSet<String> =
        found.iter().filter_map(|(file, format)| format.nested(file.to_str()?)).collect();
    directories
        .iter()
        .filter_map(|directory| file_search::files_below(Path::new(directory)).ok())
        .flat_map(|walked| walked.files)
        .collect()
}
