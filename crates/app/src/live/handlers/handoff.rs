//! Reads the transcript of a session for a handoff.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::recordings::import::{ImportCounts, Sink, SinkError, import_file};
use hookbench_core::config::Place;
use hookbench_core::live::handlers::{Handoff, HandoffWork, SummaryBuilder};
use hookbench_core::recorded::{RecordedEvent, RecordedSession};

/// The time limit for reading.
const BUDGET: Duration = Duration::from_secs(10);

/// Summarizes the session. If the transcript is missing or only partly read, the summary is marked as incomplete.
pub fn handoff_of(asked: &HandoffWork, clock: &dyn Fn() -> Instant) -> Handoff {
    let mut into = HandoffSink(SummaryBuilder::new(&asked.project));
    let whole = asked.transcript.as_deref().is_some_and(|path| read(Path::new(path), &asked.project, &mut into, clock));
    let summary = into.0.finish(asked.last_message.as_deref(), !whole);
    Handoff::of(&asked.provider, &asked.provider_ref, &asked.project, asked.trigger, &summary)
}

/// Reads the transcript. Returns whether it was read to its end.
fn read(path: &Path, project: &str, into: &mut HandoffSink, clock: &dyn Fn() -> Instant) -> bool {
    if !path.is_absolute() {
        return false;
    }
    let place = Place { project: project.to_owned(), ..Place::default() };
    let until = clock() + BUDGET;
    let watch = &mut || if clock() < until { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    import_file(path, &place, into, watch).is_ok_and(|(_, is_whole)| is_whole)
}

struct HandoffSink(SummaryBuilder);

impl Sink for HandoffSink {
    fn receive(&mut self, _: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        for event in &events {
            self.0.add(event);
        }
        Ok(ImportCounts::default())
    }
}
