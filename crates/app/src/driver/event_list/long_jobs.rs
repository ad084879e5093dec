//! Imports and replays. Each runs on its own thread with its own connection to the store, so the list stays
//! responsive.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::FactSender;
use super::replays::{ReplayContext, ReplayPermissions, run_replay};
use crate::disk::state_dir::StateDir;
use crate::recordings::event_list::{EventStoreRequest, EventStoreResponse, LongJobProgress};
use crate::recordings::import::import;
use crate::recordings::import::{ImportReport, SourceReport};
use crate::recordings::store::{OpenMode, StoreError, StoreSink, open_store};
use crate::session::fact::Fact;
use hookbench_core::config::Place;
use hookbench_core::text::pluralize;

/// The interval of progress reports.
const TOLD: Duration = Duration::from_millis(100);

/// Starts an import or replay. Returns at once.
pub fn start_long_job(ask: EventStoreRequest, place: Arc<Place>, facts: FactSender, stop: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        // The receiver may be gone.
        let mut tell = |news| drop(facts.blocking_send(Fact::EventList(news)));
        let stopped = || stop.load(Ordering::Relaxed);
        if let Some(over) = run_long_job(ask, &place, &mut tell, &stopped) {
            tell(over);
        }
    });
}

/// Runs an import or replay to its end, and reports progress to `tell`. Returns `None` for any other request.
pub fn run_long_job(
    ask: EventStoreRequest,
    place: &Place,
    tell: &mut dyn FnMut(EventStoreResponse),
    stopped: &dyn Fn() -> bool,
) -> Option<EventStoreResponse> {
    match ask {
        EventStoreRequest::Import(file) => Some(import_file(&file, place, tell, stopped)),
        EventStoreRequest::Replay { order, consent, approved: agreed, may_ask: asks } => {
            let may = ReplayPermissions { consent: &consent, approved: &agreed, may_ask: asks };
            Some(run_replay(&order, may, ReplayContext { place, report: tell, stopped }))
        }
        _ => None,
    }
}

fn import_file(
    file: &Path,
    place: &Place,
    tell: &mut dyn FnMut(EventStoreResponse),
    stopped: &dyn Fn() -> bool,
) -> EventStoreResponse {
    let store = match open_store(&StateDir::of(place), OpenMode::Write) {
        Ok(store) => store,
        Err(fault) => return failed(&fault),
    };
    let of = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut last = Instant::now();
    let done = import(file, place, &mut StoreSink::new(store, false), &mut |progress| {
        if last.elapsed() >= TOLD {
            last = Instant::now();
            let percent = (progress.files == 1 && progress.size > 0).then(|| progress.read * 100 / progress.size);
            let of = of.clone();
            tell(EventStoreResponse::Progress(LongJobProgress {
                activity: "importing",
                subject: of,
                percent,
                events: progress.events,
                pace: None,
            }));
        }
        if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match done {
        Ok(report) => EventStoreResponse::Finished { message: import_summary(&report), changed: true },
        Err(why) => EventStoreResponse::Finished { message: why.to_string(), changed: true },
    }
}

/// A summary of an import.
fn import_summary(report: &ImportReport) -> String {
    let sum = |of: fn(&SourceReport) -> u64| report.sources.iter().map(of).sum::<u64>();
    let (new, known) = (sum(|s| s.added.new), sum(|s| s.added.known));
    let mut says = pluralize(new, "new event");
    if known > 0 {
        says.push_str(&format!(", {known} were there already"));
    }
    let skipped = sum(|s| s.skipped_lines);
    if skipped > 0 {
        says.push_str(&format!(", {skipped} lines skipped (hookbench import says why)"));
    }
    if report.cancelled {
        says.push_str("; broken off, what was kept until then stays");
    }
    says
}

fn failed(fault: &StoreError) -> EventStoreResponse {
    let cure = fault.kind.help().map(|cure| format!(" {cure}")).unwrap_or_default();
    EventStoreResponse::Finished { message: format!("{fault}.{cure}"), changed: false }
}
