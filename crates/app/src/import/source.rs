//! Imports one file: reads it as a stream, and passes its events to the sink in batches.

use std::io::{BufReader, Read as _};
use std::mem;
use std::ops::ControlFlow;
use std::path::Path;

use indexmap::IndexMap;

use super::lines::{LONGEST, Line, Lines};
use super::{Added, Sink, SinkError, SourceReport};
use hookbench_core::config::Place;
use hookbench_core::recorded::{About, Made, Read, RecordedEvent, RecordedSession, Shape, TranscriptFormat};
use hookbench_core::transcript::Reading;
use hookbench_system::disk;

/// The number of events that completes a batch.
const EVENTS: usize = 512;
/// The number of payload bytes that completes a batch.
const BYTES: usize = 1 << 20;
/// The number of lines between progress reports.
const LINES: u64 = 2000;
/// The maximum size in bytes of a file that is a single JSON value.
const LARGEST: usize = 64 << 20;
/// The maximum size in bytes of a companion file.
const BESIDE: u64 = 64 << 10;

/// Errors that end the import of a file.
pub enum Broken {
    File(String),
    Sink(SinkError),
}

/// A progress callback: bytes read, file size, and events so far.
type Watch<'a> = &'a mut dyn FnMut(u64, u64, u64) -> ControlFlow<()>;

/// The facts about a file that its format needs.
pub fn about(path: &Path, format: &dyn TranscriptFormat, place: &Place) -> About {
    let path = path.to_string_lossy().into_owned();
    let beside = format.companion(&path).and_then(|beside| small(Path::new(&beside)));
    About { path, beside, home: place.home.clone(), project: place.project.clone() }
}

fn small(path: &Path) -> Option<String> {
    String::from_utf8(disk::read_beginning(path, BESIDE).ok()?).ok()
}

/// Imports a file. Returns its report and whether the import was cancelled.
pub fn read(
    path: &Path,
    format: &'static dyn TranscriptFormat,
    place: &Place,
    sink: &mut dyn Sink,
    watch: Watch<'_>,
) -> Result<(SourceReport, bool), Broken> {
    let broken = |why: std::io::Error| Broken::File(why.to_string());
    let file = disk::open(path).map_err(broken)?;
    let size = file.metadata().map_err(broken)?.len();
    let mut reading = Reading::new(format, &about(path, format, place));
    let mut batch = Batch::new(path, format.kind());
    if reading.shape() == Shape::Whole {
        let mut bytes = Vec::new();
        file.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(broken)?;
        if bytes.len() > LARGEST {
            return Err(Broken::File("one JSON value of over 64 MiB".to_owned()));
        }
        let mut out = Vec::new();
        reading.line(1, &bytes, true, &mut out);
        drop(bytes);
        reading.end(&mut out);
        batch.put(out, sink)?;
        batch.give(sink)?;
        return Ok((batch.finish(), watch(size, size, 0).is_break()));
    }
    let mut lines = Lines::new(BufReader::with_capacity(256 << 10, file), LONGEST);
    let mut out = Vec::new();
    let mut cancelled = watch(0, size, 0).is_break();
    while !cancelled {
        let number = lines.number + 1;
        match lines.next() {
            Ok(None) => break,
            Ok(Some(Line::TooLong)) => batch.report.skip(number, format!("longer than {} MiB", LONGEST >> 20)),
            Ok(Some(Line::Whole { bytes, ended })) => reading.line(number, bytes, ended, &mut out),
            Err(why) => {
                batch.report.skip(number, format!("cannot be read on: {why}"));
                break;
            }
        }
        batch.put(mem::take(&mut out), sink)?;
        if number.is_multiple_of(LINES) {
            cancelled = watch(lines.read, size, batch.report.events).is_break();
        }
    }
    if !cancelled {
        reading.end(&mut out);
        batch.put(out, sink)?;
        watch(size, size, batch.report.events).is_break().clone_into(&mut cancelled);
    }
    batch.give(sink)?;
    Ok((batch.finish(), cancelled))
}

impl From<SinkError> for Broken {
    fn from(why: SinkError) -> Broken {
        Broken::Sink(why)
    }
}

/// A session of the file, with events that were not passed on yet.
struct OnTheWay {
    session: RecordedSession,
    events: Vec<RecordedEvent>,
    /// Whether there is anything to pass on.
    news: bool,
}

/// The events of the next batch, and the report of the file so far.
struct Batch {
    report: SourceReport,
    sessions: IndexMap<(String, String), OnTheWay>,
    /// The indexes of the sessions with something to pass on.
    touched: Vec<usize>,
    events: usize,
    bytes: usize,
}

impl Batch {
    fn new(path: &Path, kind: &'static str) -> Batch {
        Batch {
            report: SourceReport { file: path.to_owned(), kind, ..SourceReport::default() },
            sessions: IndexMap::new(),
            touched: Vec::new(),
            events: 0,
            bytes: 0,
        }
    }

    fn put(&mut self, reads: Vec<Read>, sink: &mut dyn Sink) -> Result<(), SinkError> {
        for read in reads {
            match read {
                Read::Skipped { line, why } => self.report.skip(line, why),
                Read::Session(session) => {
                    self.touch(session);
                }
                Read::Event(event) => {
                    self.event(*event);
                    if self.events >= EVENTS || self.bytes >= BYTES {
                        self.give(sink)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a session, or updates its data.
    fn touch(&mut self, session: RecordedSession) -> Option<&mut OnTheWay> {
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
                self.sessions.insert_full(key, OnTheWay { session, events: Vec::new(), news: false }).0
            }
        };
        let (_, way) = self.sessions.get_index_mut(at)?;
        if !way.news {
            way.news = true;
            self.touched.push(at);
        }
        Some(way)
    }

    fn event(&mut self, event: RecordedEvent) {
        let report = &mut self.report;
        report.events += 1;
        report.rebuilt += u64::from(event.made == Made::Rebuilt);
        report.recorded += u64::from(event.made == Made::Recorded);
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
        if let Some(way) = self.touch(session) {
            way.events.push(event);
        }
    }

    /// Passes the batch to the sink.
    fn give(&mut self, sink: &mut dyn Sink) -> Result<(), SinkError> {
        for at in mem::take(&mut self.touched) {
            let Some((_, way)) = self.sessions.get_index_mut(at) else { continue };
            way.news = false;
            let Added { new, known } = sink.take(&way.session, mem::take(&mut way.events))?;
            self.report.added.new += new;
            self.report.added.known += known;
        }
        (self.events, self.bytes) = (0, 0);
        sink.keep()
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
