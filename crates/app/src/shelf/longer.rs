//! Imports and replays. Each runs on its own thread with its own connection to the store, so the list stays
//! responsive.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::again::{Around, May, replay};
use super::asks::{ShelfAsk, ShelfNews, Working};
use crate::fact::Fact;
use crate::import::import;
use crate::recordings::{Keeping, Mode, StoreFault, open_store};
use crate::{ImportReport, StateDir};
use hookbench_core::config::Place;
use hookbench_core::text::counted;

/// The interval of progress reports.
const TOLD: Duration = Duration::from_millis(100);

type Facts = tokio::sync::mpsc::Sender<Fact>;

/// Starts an import or replay. Returns at once.
pub fn begin(ask: ShelfAsk, place: Arc<Place>, facts: Facts, stop: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        // The receiver may be gone.
        let mut tell = |news| drop(facts.blocking_send(Fact::Shelf(news)));
        let stopped = || stop.load(Ordering::Relaxed);
        if let Some(over) = at_length(ask, &place, &mut tell, &stopped) {
            tell(over);
        }
    });
}

/// Runs an import or replay to its end, and reports progress to `tell`. Returns `None` for any other request.
pub fn at_length(
    ask: ShelfAsk,
    place: &Place,
    tell: &mut dyn FnMut(ShelfNews),
    stopped: &dyn Fn() -> bool,
) -> Option<ShelfNews> {
    match ask {
        ShelfAsk::Import(file) => Some(take_in(&file, place, tell, stopped)),
        ShelfAsk::Replay { order, consent, agreed, asks } => {
            let may = May { consent: &consent, agreed: &agreed, asks };
            Some(replay(&order, may, Around { place, tell, stopped }))
        }
        _ => None,
    }
}

fn take_in(file: &Path, place: &Place, tell: &mut dyn FnMut(ShelfNews), stopped: &dyn Fn() -> bool) -> ShelfNews {
    let store = match open_store(&StateDir::of(place), Mode::Write) {
        Ok(store) => store,
        Err(fault) => return failed(&fault),
    };
    let of = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut last = Instant::now();
    let done = import(file, place, &mut Keeping::new(store, false), &mut |progress| {
        if last.elapsed() >= TOLD {
            last = Instant::now();
            let percent = (progress.files == 1 && progress.size > 0).then(|| progress.read * 100 / progress.size);
            let of = of.clone();
            tell(ShelfNews::Working(Working { what: "importing", of, percent, events: progress.events, pace: None }));
        }
        if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match done {
        Ok(report) => ShelfNews::Over { says: imported(&report), changed: true },
        Err(why) => ShelfNews::Over { says: why.to_string(), changed: true },
    }
}

/// A summary of an import.
fn imported(report: &ImportReport) -> String {
    let sum = |of: fn(&crate::SourceReport) -> u64| report.sources.iter().map(of).sum::<u64>();
    let (new, known) = (sum(|s| s.added.new), sum(|s| s.added.known));
    let mut says = counted(new, "new event");
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

fn failed(fault: &StoreFault) -> ShelfNews {
    let cure = fault.trouble.cure().map(|cure| format!(" {cure}")).unwrap_or_default();
    ShelfNews::Over { says: format!("{fault}.{cure}"), changed: false }
}
