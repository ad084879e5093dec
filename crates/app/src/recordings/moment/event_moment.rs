//! Reads what a hook could have read at the moment of a recorded event.

use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;

use super::todo_files;
use super::transcript_copy::TranscriptCopy;
use crate::recordings::import::{ImportCounts, ImportError, Sink, SinkError, import_file};
use hookbench_core::config::Place;
use hookbench_core::live::handlers::{SessionSummary, SummaryBuilder, Todo};
use hookbench_core::recorded::{RecordedEvent, RecordedSession, format_time};
use hookbench_core::transcript::TranscriptCut;

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
    let Some(file) = todo_files::find(&event.agent, session, place) else { return };
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
