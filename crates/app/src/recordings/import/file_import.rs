//! Imports one file: reads it as a stream, and passes its events to the sink in batches.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::mem;
use std::ops::ControlFlow;
use std::path::Path;

use indexmap::IndexMap;

use super::file_search::{BoundedLines, FileLine, MAX_LINE_BYTES, mebibytes, unpacked};
use super::{ImportCounts, Sink, SinkError, SourceReport};
use crate::disk::files::io_cause;
use hookbench_core::config::Place;
use hookbench_core::recorded::{
    FileContext, FileShape, PayloadSource, RecordedEvent, RecordedSession, TranscriptFormat, TranscriptItem,
};
use hookbench_core::transcript::TranscriptFileReader;
use hookbench_system::disk;

/// The number of events that completes a batch.
const BATCH_EVENTS: usize = 512;
/// The number of payload bytes that completes a batch.
const BATCH_BYTES: usize = 1 << 20;
/// The number of bytes between progress reports.
const BYTES_PER_READ: usize = 256 << 10;
/// The maximum size in bytes of a file that is a single JSON value.
const MAX_JSON_BYTES: usize = 64 << 20;
/// The maximum size in bytes of a companion file.
const MAX_COMPANION_BYTES: u64 = 64 << 10;

/// Errors that end the import of a file.
pub enum FileImportError {
    File(String),
    Sink(SinkError),
}

/// The facts about a file that its format needs.
pub fn about(path: &Path, format: &dyn TranscriptFormat, place: &Place) -> FileContext {
    let path = path.to_string_lossy().into_owned();
    let beside = format.companion(&path).and_then(|beside| read_companion(Path::new(&beside)));
    FileContext { path, companion: beside, home: place.home.clone(), project: place.project.clone() }
}

fn read_companion(path: &Path) -> Option<String> {
    String::from_utf8(disk::read_beginning(path, MAX_COMPANION_BYTES).ok()?).ok()
}

/// Imports a file. Returns its report and whether the import was cancelled.
pub fn import_source(
    path: &Path,
    format: &'static dyn TranscriptFormat,
    place: &Place,
    sink: &mut dyn Sink,
    watch: ProgressCallback<'_>,
) -> Result<(SourceReport, bool), FileImportError> {
    let broken = |why: std::io::Error| FileImportError::File(io_cause(&why));
    let file = disk::open(path).map_err(broken)?;
    let size = file.metadata().map_err(broken)?.len();
    let mut reading = TranscriptFileReader::new(format, &about(path, format, place));
    let mut batch = ImportBatch::new(path, format.kind(), sink.needs_report());
    let state = ReadState::default();
    let file = unpacked(path, WatchedFile::new(file, size, &state, watch)).map_err(broken)?;
    if reading.shape() == FileShape::Whole {
        let mut bytes = Vec::new();
        let mut file = BufReader::with_capacity(BYTES_PER_READ, file).take(MAX_JSON_BYTES as u64 + 1);
        file.read_to_end(&mut bytes).map_err(broken)?;
        if state.cancelled.get() {
            return Ok((batch.finish(), true));
        }
        if bytes.len() > MAX_JSON_BYTES {
            let why = format!("one JSON value of {}; hookbench reads up to 64 MiB", mebibytes(size));
            return Err(FileImportError::File(why));
        }
        let mut out = Vec::new();
        reading.line(1, &bytes, true, &mut out);
        drop(bytes);
        reading.end(&mut out);
        batch.add(out, sink)?;
        batch.flush(sink)?;
        return Ok((batch.finish(), false));
    }
    let mut lines = BoundedLines::new(BufReader::with_capacity(BYTES_PER_READ, file), MAX_LINE_BYTES);
    let mut out = Vec::new();
    loop {
        let number = lines.number + 1;
        let line = lines.next();
        // A line that was read only in part is not a line.
        if state.cancelled.get() {
            break;
        }
        match line {
            Ok(None) => break,
            Ok(Some(FileLine::TooLong { bytes })) => {
                let limit = mebibytes(MAX_LINE_BYTES as u64);
                batch.report.skip(number, format!("the line has {}; hookbench reads up to {limit}", mebibytes(bytes)));
            }
            Ok(Some(FileLine::Whole { bytes, ended })) => reading.line(number, bytes, ended, &mut out),
            Err(why) => {
                batch.report.skip(number, format!("reading failed: {why}"));
                break;
            }
        }
        batch.add(mem::take(&mut out), sink)?;
        state.events.set(batch.report.events);
    }
    if !state.cancelled.get() {
        reading.end(&mut out);
        batch.add(out, sink)?;
    }
    batch.flush(sink)?;
    Ok((batch.finish(), state.cancelled.get()))
}

impl From<SinkError> for FileImportError {
    fn from(why: SinkError) -> FileImportError {
        FileImportError::Sink(why)
    }
}

/// A session of the file, with events that were not passed on yet.
struct PendingSession {
    session: RecordedSession,
    events: Vec<RecordedEvent>,
    /// Whether there is anything to pass on.
    changed: bool,
}

/// The events of the next batch, and the report of the file so far.
#[derive(Default)]
struct ImportBatch {
    report: SourceReport,
    needs_report: bool,
    sessions: IndexMap<(String, String), PendingSession>,
    /// The indexes of the sessions with something to pass on.
    changed: Vec<usize>,
    events: usize,
    bytes: usize,
}

impl ImportBatch {
    fn new(path: &Path, kind: &'static str, needs_report: bool) -> ImportBatch {
        ImportBatch {
            needs_report,
            report: SourceReport { file: path.to_owned(), kind, ..SourceReport::default() },
            ..ImportBatch::default()
        }
    }

    fn add(&mut self, reads: Vec<TranscriptItem>, sink: &mut dyn Sink) -> Result<(), SinkError> {
        for read in reads {
            match read {
                TranscriptItem::Skipped { line, why } => self.report.skip(line, why),
                TranscriptItem::Session(session) => {
                    self.update_session(session);
                }
                TranscriptItem::Event(event) => {
                    self.add_event(*event);
                    if self.events >= BATCH_EVENTS || self.bytes >= BATCH_BYTES {
                        self.flush(sink)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a session, or updates its data.
    fn update_session(&mut self, session: RecordedSession) -> Option<&mut PendingSession> {
        let key = (session.agent.clone(), session.session.clone());
        let at = match self.sessions.get_index_of(&key) {
            Some(at) => {
                if let Some((_, way)) = self.sessions.get_index_mut(at) {
                    merge(&mut way.session, session);
                }
                at
            }
            None => {
                self.report.sessions += 1;
                self.sessions.insert_full(key, PendingSession { session, events: Vec::new(), changed: false }).0
            }
        };
        let (_, way) = self.sessions.get_index_mut(at)?;
        if !way.changed {
            way.changed = true;
            self.changed.push(at);
        }
        Some(way)
    }

    fn add_event(&mut self, event: RecordedEvent) {
        let report = &mut self.report;
        if self.needs_report {
            report.count_gaps(&event);
        }
        report.events += 1;
        report.rebuilt += u64::from(event.payload_source == PayloadSource::Rebuilt);
        report.recorded += u64::from(event.payload_source == PayloadSource::Recorded);
        match report.by_event.get_mut(&event.event) {
            Some(count) => *count += 1,
            None => {
                report.by_event.insert(event.event.clone(), 1);
            }
        }
        self.events += 1;
        self.bytes += event.payload.len();
        let session = RecordedSession {
            agent: event.agent.clone(),
            session: event.session.clone(),
            started: event.at,
            ended: event.at,
            ..RecordedSession::default()
        };
        if let Some(way) = self.update_session(session) {
            way.events.push(event);
        }
    }

    /// Passes the batch to the sink.
    fn flush(&mut self, sink: &mut dyn Sink) -> Result<(), SinkError> {
        for at in mem::take(&mut self.changed) {
            let Some((_, way)) = self.sessions.get_index_mut(at) else { continue };
            way.changed = false;
            let ImportCounts { new, known } = sink.receive(&way.session, mem::take(&mut way.events))?;
            self.report.added.new += new;
            self.report.added.known += known;
        }
        if !self.needs_report {
            self.sessions.clear();
        }
        (self.events, self.bytes) = (0, 0);
        sink.commit()
    }

    fn finish(self) -> SourceReport {
        self.report
    }
}

/// Updates the data of a session.
fn merge(known: &mut RecordedSession, more: RecordedSession) {
    known.version = more.version.or(known.version.take());
    known.project = known.project.take().or(more.project);
    known.title = known.title.take().or(more.title);
    known.started = [known.started, more.started].into_iter().flatten().min();
    known.ended = known.ended.max(more.ended);
}

/// A progress callback: bytes read, file size, and events so far.
pub type ProgressCallback<'a> = &'a mut dyn FnMut(u64, u64, u64) -> ControlFlow<()>;

/// The state that the reader of a file and its watcher share.
#[derive(Debug, Default)]
pub struct ReadState {
    /// The number of events so far.
    pub events: Cell<u64>,
    /// Whether the watcher has ended the import.
    pub cancelled: Cell<bool>,
}

/// An open file and its watcher. A cancelled file has no more bytes.
pub struct WatchedFile<'a> {
    file: File,
    size: u64,
    read: u64,
    state: &'a ReadState,
    watch: ProgressCallback<'a>,
}

impl<'a> WatchedFile<'a> {
    /// Watches an open file of this size.
    pub fn new(file: File, size: u64, state: &'a ReadState, watch: ProgressCallback<'a>) -> WatchedFile<'a> {
        WatchedFile { file, size, read: 0, state, watch }
    }
}

impl Read for WatchedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.watch)(self.read, self.size, self.state.events.get()).is_break() {
            self.state.cancelled.set(true);
        }
        if self.state.cancelled.get() {
            return Ok(0);
        }
        let count = self.file.read(buffer)?;
        self.read += count as u64;
        Ok(count)
    }
}
