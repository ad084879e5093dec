//! Recorded events from files: session files of the agents, payloads, our own lines. Files are found by their content and
//! read as streams; what comes of them goes to a [`Sink`] in small batches.

mod lines;
mod own;
mod source;
mod walk;

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use hookbench_core::config::Place;
use hookbench_core::recorded::{RecordedEvent, RecordedSession, TranscriptFormat};

pub use own::{OwnSession, sessions_of};

/// Lines that are skipped are listed one by one up to here.
pub const LISTED: usize = 1000;

/// Where events go.
pub trait Sink {
    /// Takes some events of one session, in the order in which they happened; perhaps none, when only more is known of
    /// the session.
    ///
    /// # Errors
    /// When they cannot be kept. The import ends with that.
    fn take(&mut self, session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<Added, SinkError>;
    /// What was taken since the last time is to be kept for good: a batch is done.
    ///
    /// # Errors
    /// As [`Sink::take`].
    fn keep(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
    /// Everything has been read, and nothing was broken off.
    ///
    /// # Errors
    /// As [`Sink::take`].
    fn done(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}

/// How many events were new to the sink, and how many it knew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Added {
    pub new: u64,
    pub known: u64,
}

/// Why events could not be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SinkError(pub String);

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub file: PathBuf,
    /// Which of the files, counted from 1, and how many there are.
    pub number: usize,
    pub files: usize,
    /// Bytes of this file.
    pub read: u64,
    pub size: u64,
    /// Events so far, of all files.
    pub events: u64,
}

/// One line of which nothing came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedLine {
    pub line: u64,
    pub why: String,
}

/// What came of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceReport {
    pub file: PathBuf,
    /// The word of its format; `unreadable` where it could not be read.
    pub kind: &'static str,
    pub sessions: u64,
    pub events: u64,
    pub rebuilt: u64,
    pub recorded: u64,
    pub added: Added,
    /// How many there are of each event, by its name.
    pub by_event: BTreeMap<String, u64>,
    /// The first [`LISTED`] of them.
    pub skipped: Vec<SkippedLine>,
    /// How many there are.
    pub skipped_lines: u64,
    /// How many there are of each reason.
    pub reasons: BTreeMap<String, u64>,
}

/// The `kind` of a file that could not be read.
pub const UNREADABLE: &str = "unreadable";

impl SourceReport {
    fn skip(&mut self, line: u64, why: String) {
        self.skipped_lines += 1;
        if self.reasons.len() < LISTED || self.reasons.contains_key(&why) {
            *self.reasons.entry(why.clone()).or_default() += 1;
        }
        if self.skipped.len() < LISTED {
            self.skipped.push(SkippedLine { line, why });
        }
    }

    fn unreadable(file: &Path, why: &str) -> SourceReport {
        let mut report = SourceReport { file: file.to_owned(), kind: UNREADABLE, ..SourceReport::default() };
        report.skip(0, why.to_owned());
        report
    }
}

/// What came of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    pub sources: Vec<SourceReport>,
    /// Files in the folder that are of no known format.
    pub others: u64,
    /// It was broken off; what had been kept by then stays.
    pub cancelled: bool,
}

/// Why nothing was imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    #[error("{file}: {why}")]
    Unreadable { file: String, why: String },
    #[error(
        "{file}: neither a session file of an agent nor recorded payloads nor hookbench's own lines{}\n  help: a session file is one that an agent keeps of a session; hookbench import lists those of this project",
        why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default()
    )]
    Unknown { file: String, why: Option<String> },
    #[error("{0}")]
    Sink(#[from] SinkError),
}

/// Reads one file, without the sessions that it has started, and says whether it was read to its end. `watch` may break
/// it off every few thousand lines.
///
/// # Errors
/// When it is not readable or of no known format, or the sink fails.
pub fn import_file(
    file: &Path,
    place: &Place,
    sink: &mut dyn Sink,
    watch: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<bool, ImportError> {
    let shown = file.display().to_string();
    let unreadable = |why: String| ImportError::Unreadable { file: shown.clone(), why };
    let about = std::fs::metadata(file).map_err(|why| unreadable(why.to_string()))?;
    if !about.is_file() {
        return Err(unreadable("no file".to_owned()));
    }
    let format = match walk::known(file).map_err(|why| unreadable(why.to_string()))? {
        walk::Kind::Known(format) => format,
        walk::Kind::Other(why) => return Err(ImportError::Unknown { file: shown, why }),
    };
    match source::read(file, format, place, sink, &mut |_, _, _| watch()) {
        Ok((_, cancelled)) => Ok(!cancelled),
        Err(source::Broken::Sink(why)) => Err(why.into()),
        Err(source::Broken::File(why)) => Err(unreadable(why)),
    }
}

/// Imports a file, with the sessions that it has started, or every file below a folder.
///
/// `watch` is told of progress every few thousand lines, and may break it off.
///
/// # Errors
/// When the file or folder itself is not readable or not of a known format, or the sink fails. What is wrong with files
/// below a folder is in the report.
pub fn import(
    target: &Path,
    place: &Place,
    sink: &mut dyn Sink,
    watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<ImportReport, ImportError> {
    let shown = target.display().to_string();
    let unreadable = |why: String| ImportError::Unreadable { file: shown.clone(), why };
    let target = std::path::absolute(target).map_err(|why| unreadable(why.to_string()))?;
    let about = std::fs::metadata(&target).map_err(|why| unreadable(why.to_string()))?;
    let mut report = ImportReport::default();
    let mut found = Vec::new();
    if about.is_dir() {
        let walked = walk::walk(&target).map_err(|why| unreadable(why.to_string()))?;
        report.sources.extend(walked.unreadable.iter().map(|(file, why)| SourceReport::unreadable(file, why)));
        for file in walked.files {
            sort_in(file, &mut found, &mut report);
        }
    } else if about.is_file() {
        match walk::known(&target).map_err(|why| unreadable(why.to_string()))? {
            walk::Kind::Known(format) => found.push((target.clone(), format)),
            walk::Kind::Other(why) => return Err(ImportError::Unknown { file: shown, why }),
        }
        for file in nested(&found) {
            sort_in(file, &mut found, &mut report);
        }
    } else {
        return Err(unreadable("neither a file nor a folder".to_owned()));
    }
    let files = found.len();
    let mut events = 0;
    for (index, (file, format)) in found.into_iter().enumerate() {
        let mut progress = Progress { file: file.clone(), number: index + 1, files, read: 0, size: 0, events };
        let source = source::read(&file, format, place, sink, &mut |read, size, so_far| {
            (progress.read, progress.size, progress.events) = (read, size, events + so_far);
            watch(&progress)
        });
        let (source, cancelled) = match source {
            Ok(done) => done,
            Err(source::Broken::Sink(why)) => return Err(why.into()),
            Err(source::Broken::File(why)) if files == 1 && about.is_file() => return Err(unreadable(why)),
            Err(source::Broken::File(why)) => (SourceReport::unreadable(&file, &why), false),
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

/// A file of a folder: to those that are known, or to the others.
fn sort_in(file: PathBuf, found: &mut Vec<(PathBuf, &'static dyn TranscriptFormat)>, report: &mut ImportReport) {
    match walk::known(&file) {
        Ok(walk::Kind::Known(format)) => found.push((file, format)),
        Ok(walk::Kind::Other(None)) => report.others += 1,
        Ok(walk::Kind::Other(Some(why))) => report.sources.push(SourceReport::unreadable(&file, &why)),
        Err(why) => report.sources.push(SourceReport::unreadable(&file, &why.to_string())),
    }
}

/// The files of the sessions that this one has started.
fn nested(found: &[(PathBuf, &'static dyn TranscriptFormat)]) -> Vec<PathBuf> {
    let folders: HashSet<String> = found.iter().filter_map(|(file, format)| format.nested(file.to_str()?)).collect();
    folders.iter().filter_map(|folder| walk::walk(Path::new(folder)).ok()).flat_map(|walked| walked.files).collect()
}
