//! Reads what a hook could have read at the moment of a recorded event.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde_json::Value;
use tempfile::TempDir;

use crate::disk::files::DiskFiles;
use crate::disk::scratch::create_owned_directory;
use crate::recordings::import::{ImportCounts, ImportError, Sink, SinkError, import_file};
use hookbench_core::config::{Files as _, Place};
use hookbench_core::dialects::{self, Agent};
use hookbench_core::live::handlers::{SessionSummary, SummaryBuilder, Todo, todos_of_file};
use hookbench_core::recorded::{RecordedEvent, RecordedSession, format_time};
use hookbench_core::text::is_absolute_path;
use hookbench_core::transcript::TranscriptCut;
use hookbench_system::disk;

/// A file that changed up to this long after an event was probably written because of it.
const WRITTEN_WITH_EVENT_MS: i64 = 1_000;

/// The files that a hook could have read at the moment of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventMoment {
    /// The transcript, with the numbers of lines up to the event and after it. The error is the reason why it is unknown.
    pub transcript: Option<Result<(String, u64, u64), String>>,
    /// The summary of the transcript up to the event.
    pub summary: SessionSummary,
    pub todos: Vec<Todo>,
    /// The file with the todos, or `transcript`. `None` if there are none.
    pub todos_from: Option<String>,
    /// Facts that limit what is known, each as one sentence.
    pub notes: Vec<String>,
}

/// Reads the moment of an event. `longest` is the size in bytes from which a transcript is not read.
pub fn moment_of(event: &RecordedEvent, place: &Place, longest: u64) -> EventMoment {
    let mut moment = EventMoment::default();
    let body: Value = serde_json::from_slice(&event.payload).unwrap_or_default();
    let project = event.project.as_deref().unwrap_or(&place.project);
    let mut builder = SummaryBuilder::new(project);
    if let Some(cut) = TranscriptCut::of(event) {
        moment.transcript = Some(read(&cut, place, longest, &mut builder));
    }
    // Transcripts are written late, so the payload knows the last message better.
    let last = ["last_assistant_message", "prompt_response"].iter().find_map(|key| body.get(*key)?.as_str());
    let partial = !matches!(moment.transcript, Some(Ok(_)));
    moment.summary = builder.finish(last, partial);
    add_todos(event, &body, place, &mut moment);
    moment
}

fn read(
    cut: &TranscriptCut,
    place: &Place,
    longest: u64,
    builder: &mut SummaryBuilder,
) -> Result<(String, u64, u64), String> {
    let size = std::fs::metadata(&cut.path).map(|about| about.len());
    if let Ok(0) = size {
        return Ok((cut.path.clone(), 0, 0));
    }
    let size = size.unwrap_or(0);
    if size > longest {
        return Err(format!("{} has {} MiB; hookbench db show reads it", cut.path, size >> 20));
    }
    let copy = TranscriptCopy::create(cut, place)?;
    let mut sink = SummarySink(builder);
    let read = import_file(Path::new(&copy.path), place, &mut sink, &mut || ControlFlow::Continue(()));
    read.map_err(|why| match why {
        // The name of the copy would mislead.
        ImportError::Unknown { .. } => format!("{} is not a transcript of a known agent", cut.path),
        why => why.to_string(),
    })?;
    Ok((cut.path.clone(), copy.kept, copy.later))
}

struct SummarySink<'a>(&'a mut SummaryBuilder);

impl Sink for SummarySink<'_> {
    fn receive(&mut self, _: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        for event in &events {
            self.0.add(event);
        }
        Ok(ImportCounts::default())
    }
}

/// Chooses the todos: those of the file if it has not changed since the event, otherwise those of the transcript.
fn add_todos(event: &RecordedEvent, body: &Value, place: &Place, moment: &mut EventMoment) {
    moment.todos.clone_from(&moment.summary.todos);
    moment.todos_from = (!moment.todos.is_empty()).then(|| "transcript".to_owned());
    let session = body.get("session_id").and_then(Value::as_str).unwrap_or(&event.session);
    let Some(file) = find(&event.agent, session, place) else { return };
    moment.notes.extend(file.problems);
    let changed_later = file.changed.zip(event.at).filter(|(changed, at)| *changed > *at + WRITTEN_WITH_EVENT_MS);
    match changed_later {
        Some((changed, _)) if !moment.todos.is_empty() || file.todos.is_empty() => {
            let when = format_time(changed).unwrap_or_default();
            moment.notes.push(format!("{} changed after the event ({when}), so the transcript decides", file.path));
        }
        later => {
            if let Some((changed, _)) = later {
                let when = format_time(changed).unwrap_or_default();
                moment.notes.push(format!("{} changed after the event ({when})", file.path));
            }
            moment.todos = file.todos;
            moment.todos_from = Some(file.path);
        }
    }
}

/// The largest file that is read, in bytes.
const LARGEST: u64 = 4 << 20;

/// The todos in a file.
pub(super) struct TodoFile {
    pub path: String,
    pub todos: Vec<Todo>,
    /// Mistakes in the file.
    pub problems: Vec<String>,
    /// The time of the last change, in milliseconds since 1970.
    pub changed: Option<i64>,
}

/// The first file with todos of a session, beginning with those of its own agent. An id that could lead to another
/// directory is not looked up. An unreadable file has no todos.
pub(super) fn find(agent: &str, session: &str, place: &Place) -> Option<TodoFile> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if session.is_empty() || session.len() > 128 || !session.chars().all(plain) || session.starts_with('.') {
        return None;
    }
    let own = dialects::by_id(agent).into_iter();
    let others = dialects::ALL.iter().copied().filter(|dialect| dialect.id() != agent);
    own.chain(others).filter_map(|dialect: &Agent| dialect.todo_file(place, session)).find_map(|path| {
        let changed = std::fs::metadata(&path).ok()?.modified().ok();
        let changed = changed.and_then(|at| i64::try_from(at.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok());
        let bytes = disk::read_up_to(&path, LARGEST).unwrap_or_default();
        let (todos, problems) = todos_of_file(&String::from_utf8_lossy(&bytes));
        Some(TodoFile { path, todos, problems, changed })
    })
}

/// The largest transcript that is copied, in bytes.
const LARGEST_TRANSCRIPT_COPY: u64 = 512 << 20;
/// The largest transcript that is one JSON object, in bytes, because it is parsed as a whole.
const LARGEST_OBJECT: u64 = 64 << 20;

/// A copy of a transcript. Dropping it deletes the copy.
#[derive(Debug)]
pub struct TranscriptCopy {
    _directory: TempDir,
    /// The path of the copy.
    pub path: String,
    /// The numbers of copied and of later lines; of messages, in a transcript that is one object.
    pub kept: u64,
    pub later: u64,
}

impl TranscriptCopy {
    /// Copies the part of a transcript that existed at the moment of its event.
    ///
    /// # Errors
    /// Returns the reason if the transcript may not be read or cannot be copied.
    pub fn create(cut: &TranscriptCut, place: &Place) -> Result<TranscriptCopy, String> {
        check_place(&cut.path, place)?;
        let fail = |why: std::io::Error| format!("{}: {why}", cut.path);
        let file = disk::open(&cut.path).map_err(fail)?;
        let size = file.metadata().map_err(fail)?.len();
        if size > LARGEST_TRANSCRIPT_COPY {
            return Err(format!("{} is larger than {} MiB", cut.path, LARGEST_TRANSCRIPT_COPY >> 20));
        }
        let directory = create_owned_directory();
        let directory = directory.map_err(|why| format!("cannot create a directory for the transcript: {why}"))?;
        let name = Path::new(&cut.path).file_name().unwrap_or("transcript".as_ref());
        let path = directory.path().join(name);
        let target = create_private(&path).map_err(fail)?;
        let (kept, later) = copy(cut, file, size, target).map_err(fail)?;
        let path = path.to_string_lossy().into_owned();
        Ok(TranscriptCopy { _directory: directory, path, kept, later })
    }
}

/// Creates a file that only its owner can read.
fn create_private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Copies the lines up to the moment. The last line of a session that runs may be incomplete, and is copied too.
fn copy(cut: &TranscriptCut, file: File, size: u64, target: File) -> std::io::Result<(u64, u64)> {
    let mut lines = BufReader::new(file);
    let mut out = BufWriter::new(target);
    let (mut number, mut kept, mut line) = (0, 0, Vec::new());
    while lines.read_until(b'\n', &mut line)? > 0 {
        number += 1;
        if number == 1 && size <= LARGEST_OBJECT && serde_json::from_slice::<serde_json::Value>(&line).is_err() {
            // A transcript whose first line is not a record is one object over many lines.
            let mut text = line.clone();
            lines.read_to_end(&mut text)?;
            if let Some((whole, kept, later)) = cut.cut_object(&String::from_utf8_lossy(&text)) {
                out.write_all(whole.as_bytes())?;
                out.flush()?;
                return Ok((kept, later));
            }
            out.write_all(&text)?;
            out.flush()?;
            return Ok((1, 0));
        }
        if cut.is_later_line(number, &String::from_utf8_lossy(&line)) {
            // A later line may be followed by an earlier one, because agents write some records late.
            line.clear();
            continue;
        }
        if number == 1
            && let Some((whole, kept, later)) = cut.cut_object(&String::from_utf8_lossy(&line))
        {
            out.write_all(whole.as_bytes())?;
            out.flush()?;
            return Ok((kept, later));
        }
        out.write_all(&line)?;
        kept += 1;
        line.clear();
    }
    out.flush()?;
    Ok((kept, number - kept))
}

/// Checks that a transcript is where agents keep transcripts, or in the project. A recorded event may come from another
/// user, so its path may not lead anywhere else.
fn check_place(path: &str, place: &Place) -> Result<(), String> {
    if !is_absolute_path(path) || path.contains('\0') {
        return Err(format!("{path:?} is not an absolute path"));
    }
    let real = DiskFiles.canonical(path).ok_or_else(|| format!("{path} no longer exists"))?;
    let sessions = dialects::released().flat_map(|dialect| dialect.sessions(place, &DiskFiles));
    // Sessions of other projects are beside those of this one.
    let roots = sessions.filter_map(|found| Some(Path::new(&found.path).parent()?.to_string_lossy().into_owned()));
    let roots = roots.chain([place.project.clone()]).map(|root| DiskFiles.canonical(&root).unwrap_or(root));
    let inside = |root: &String| real.strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with('/'));
    if roots.into_iter().any(|root| inside(&root)) {
        return Ok(());
    }
    Err(format!("{path} is neither in the project nor where agents keep their sessions, so it is not read"))
}
