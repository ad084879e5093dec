//! `import`: reads recorded events from files, or lists the agents' sessions of the project.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tempfile::{NamedTempFile, TempPath};

use super::args::ImportArgs;
use super::error::CliError;
use super::formats::Format;
use super::print::{self, emit};
use super::progress::ProgressLine;
use super::run::runtime;
use super::signals::stop_signals;
use hookbench_app::document::{import_doc, sessions_doc};
use hookbench_app::{
    ExitStatus, ImportCounts, ImportError, ImportProgress, ImportReport, OpenMode, Sink, SinkError, StateDir,
    StoreSink, canonical, import as read_events, make_place, open_store, remember_debug_logs, sessions_of,
    write_stderr,
};
use hookbench_core::config::Place;
use hookbench_core::recorded::{RecordedEvent, RecordedSession, format_event_line};
use hookbench_core::text::{escape_json_for_terminal, pluralize};

/// The size in bytes of a file that takes long enough to say so at once.
const LONG: u64 = 64 << 20;
/// How long a stopped import may take to end by itself.
const STOP_LIMIT: Duration = Duration::from_millis(100);

/// Runs `import`.
pub fn import(args: &ImportArgs) -> Result<ExitStatus, CliError> {
    let place = make_place(args.project.as_deref(), args.home.as_deref())?;
    let Some(path) = args.path.clone() else {
        let doc = sessions_doc(&sessions_of(&place, args.agent), &place);
        return emit(args.format, &doc, || print::sessions(&doc, &place));
    };
    let on_stdout = args.to.as_deref() == Some(Path::new("-"));
    if on_stdout && args.format == Format::Json {
        return Err(CliError::Usage(
            "the events and the JSON report cannot both go to stdout; give --to a file name".to_owned(),
        ));
    }
    let Some(report) = run(path, place.clone(), args.to.as_deref(), args.redact)? else {
        write_stderr(stopped(args.to.as_deref(), None));
        return Ok(ExitStatus::Interrupted);
    };
    remember_debug_logs(&StateDir::for_process(), &place, report.debug_logs())
        .map_err(|why| CliError::Internal(why.to_string()))?;
    if report.cancelled {
        write_stderr(stopped(args.to.as_deref(), Some(report.sources.iter().map(|source| source.added.new).sum())));
        return Ok(ExitStatus::Interrupted);
    }
    emit(args.format, &import_doc(&report, &place), || {
        let page = print::import(&report, &place, args.to.is_none());
        if on_stdout {
            write_stderr(page.trim_end());
        } else {
            print::write_stdout(&page);
        }
    })
}

/// Says what an import that was stopped has left. `new` is the number of stored events, if it is known.
fn stopped(to: Option<&Path>, new: Option<u64>) -> String {
    match to {
        Some(path) if path == Path::new("-") => "stopped: only the events up to here are printed".to_owned(),
        Some(path) => format!("stopped: {} is as it was before", path.display()),
        None => {
            let stored = new.map_or_else(
                || "the events stored up to here stay".to_owned(),
                |new| format!("{} stored up to here, which stay", pluralize(new, "new event")),
            );
            format!("stopped: {stored}\n  help: the same command continues; it stores no event twice")
        }
    }
}

/// Selects the destination of the events, and its temporary file. No other code decides this.
fn sink(to: Option<&Path>, redact: bool) -> Result<(Box<dyn Sink + Send>, Option<PathBuf>), CliError> {
    Ok(match to {
        None => (Box::new(StoreSink::new(open_store(&StateDir::for_process(), OpenMode::Write)?, redact)), None),
        Some(path) if path == Path::new("-") => (Box::new(LineSink::harmless(std::io::stdout())), None),
        Some(path) => {
            let sink = FileSink::to(path).map_err(|why| CliError::of_file(path, &why))?;
            let temporary = sink.temporary.as_ref().map(|(beside, _)| beside.to_path_buf());
            (Box::new(sink), temporary)
        }
    })
}

/// Runs the import until it finishes or a stop signal arrives. `None` if it did not stop in time: a line of several
/// MiB, a slow disk or a locked store can keep it busy. Its unfinished batch is not stored.
fn run(path: PathBuf, place: Place, to: Option<&Path>, redact: bool) -> Result<Option<ImportReport>, CliError> {
    let runtime = runtime(1)?;
    if let Some(to) = to.filter(|to| *to != Path::new("-"))
        && let (Ok(from), Ok(directory)) = (canonical(&path), canonical(directory(to)))
        && (from.is_dir() && directory.starts_with(&from) || canonical(to).is_ok_and(|to| to == from))
    {
        return Err(CliError::Usage("--to names a file that would also be read; choose another file".to_owned()));
    }
    let (mut sink, temporary) = sink(to, redact)?;
    let stopped = Arc::new(AtomicBool::new(false));
    let done = runtime.block_on(async {
        let mut stops = stop_signals();
        let stop = Arc::clone(&stopped);
        let mut work = tokio::task::spawn_blocking(move || {
            let mut line = ImportProgressLine::new();
            let done = read_events(&path, &place, sink.as_mut(), &mut |progress| {
                line.show(progress);
                if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            line.clear();
            done
        });
        let done = tokio::select! {
            done = &mut work => Some(done),
            Some(()) = stops.recv() => {
                stopped.store(true, Ordering::Relaxed);
                tokio::time::timeout(STOP_LIMIT, work).await.ok()
            }
        };
        match done {
            Some(Ok(done)) => done.map(Some).map_err(failure),
            Some(Err(why)) => Err(CliError::Internal(why.to_string())),
            None => Ok(None),
        }
    });
    if matches!(done, Ok(None)) {
        // The end of this process ends the import too, and its sink is never dropped.
        runtime.shutdown_background();
        if let Some(temporary) = temporary {
            let _ = std::fs::remove_file(temporary);
        }
    }
    done
}

/// The progress of reading files with events.
pub(super) struct ImportProgressLine {
    line: ProgressLine,
    long: bool,
}

impl ImportProgressLine {
    pub fn new() -> ImportProgressLine {
        ImportProgressLine { line: ProgressLine::new(), long: false }
    }

    /// Shows how far a file has been read.
    pub fn show(&mut self, progress: &ImportProgress) {
        if !self.long && progress.size >= LONG {
            *self = ImportProgressLine { line: ProgressLine::for_long_work(), long: true };
        }
        if progress.read > 0 {
            self.line.show(|| print::import_progress(progress));
        }
    }

    /// Erases the line.
    pub fn clear(&self) {
        self.line.clear();
    }
}

/// Says how many lines of a file hold no event.
pub(super) fn say_skipped_lines(path: &Path, skipped: u64) {
    if skipped > 0 {
        let lines = pluralize(skipped, "line");
        write_stderr(format!("{lines} skipped; `hookbench import {}` shows the reasons", path.display()));
    }
}

/// Returns the directory of a file.
fn directory(path: &Path) -> &Path {
    path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(super) fn failure(why: ImportError) -> CliError {
    match why {
        ImportError::Unreadable { file, why } => CliError::File { file, why },
        ImportError::Unknown { .. } => CliError::BadInput(why.to_string()),
        ImportError::Sink(why) => CliError::File { file: "the events".to_owned(), why: why.to_string() },
    }
}

/// Writes events as JSON lines.
pub(super) struct LineSink<W: Write> {
    to: BufWriter<W>,
    /// Whether the reader has closed the pipe, which is not an error.
    reader_gone: bool,
    /// The output may be a terminal: control characters are written as JSON escapes.
    escape: bool,
}

impl<W: Write> LineSink<W> {
    fn to(to: W) -> LineSink<W> {
        LineSink { to: BufWriter::new(to), reader_gone: false, escape: false }
    }

    pub fn harmless(to: W) -> LineSink<W> {
        LineSink { escape: true, ..LineSink::to(to) }
    }

    /// Writes a line of JSON.
    pub fn line(&mut self, line: &str) -> Result<(), SinkError> {
        if self.reader_gone {
            return Ok(());
        }
        let line = if self.escape { escape_json_for_terminal(line) } else { line.into() };
        let wrote = self.to.write_all(line.as_bytes()).and_then(|()| self.to.write_all(b"\n"));
        self.settle(wrote)
    }

    fn settle(&mut self, wrote: std::io::Result<()>) -> Result<(), SinkError> {
        match wrote {
            Err(why) if why.kind() == ErrorKind::BrokenPipe => self.reader_gone = true,
            Err(why) => return Err(SinkError(why.to_string())),
            Ok(()) => {}
        }
        Ok(())
    }
}

impl<W: Write + Send> Sink for LineSink<W> {
    fn receive(&mut self, _session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        events.iter().try_for_each(|event| self.line(&format_event_line(event)))?;
        Ok(ImportCounts { new: events.len() as u64, known: 0 })
    }

    fn commit(&mut self) -> Result<(), SinkError> {
        let wrote = if self.reader_gone { Ok(()) } else { self.to.flush() };
        self.settle(wrote)
    }
}

/// Writes events as JSON lines to a file. An existing file is replaced at the end, after everything has been read.
/// The new file is readable only by its owner.
struct FileSink {
    lines: LineSink<File>,
    /// The temporary file and its final path. `None` if the destination is not a regular file and is written to
    /// directly.
    temporary: Option<(TempPath, PathBuf)>,
}

impl FileSink {
    fn to(path: &Path) -> std::io::Result<FileSink> {
        if path.metadata().is_ok_and(|about| !about.is_file()) {
            return Ok(FileSink {
                lines: LineSink::harmless(File::options().write(true).open(path)?),
                temporary: None,
            });
        }
        let (file, beside) = NamedTempFile::new_in(directory(path))?.into_parts();
        Ok(FileSink { lines: LineSink::to(file), temporary: Some((beside, path.to_owned())) })
    }
}

impl Sink for FileSink {
    fn receive(&mut self, session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        self.lines.receive(session, events)
    }

    fn commit(&mut self) -> Result<(), SinkError> {
        self.lines.commit()
    }

    fn done(&mut self) -> Result<(), SinkError> {
        self.commit()?;
        match self.temporary.take() {
            Some((beside, path)) => beside.persist(path).map_err(|why| SinkError(why.error.to_string())),
            None => Ok(()),
        }
    }
}
