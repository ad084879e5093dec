//! What takes long: imports and replays. Each has a thread and a store of its own, so that the list goes on meanwhile.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::asks::{Replays, ShelfAsk, ShelfNews, Working};
use crate::app::fact::Fact;
use crate::app::import::import;
use crate::app::recordings::{Direction, Keeping, Mode, Store, StoreFault, now_ms, open_store};
use crate::app::replay::{Baseline, ReplayOptions, Replayed, Replayer, Tally};
use crate::app::{ImportReport, StateDir};
use crate::core::config::Place;
use crate::core::filter::{Filter, Test};

/// How far it is is told so often at most.
const TOLD: Duration = Duration::from_millis(100);
/// Events that are replayed at most, and shown one by one.
const REPLAYED: usize = 20_000;

type Facts = tokio::sync::mpsc::Sender<Fact>;

/// Begins one. Returns at once.
pub fn begin(ask: ShelfAsk, place: Arc<Place>, facts: Facts, stop: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        // Whoever listened has gone.
        let mut tell = |news| drop(facts.blocking_send(Fact::Shelf(news)));
        let stopped = || stop.load(Ordering::Relaxed);
        if let Some(over) = at_length(ask, &place, &mut tell, &stopped) {
            tell(over);
        }
    });
}

/// Does one from beginning to end; `None` for what takes no time. How far it is goes to `tell`.
pub fn at_length(
    ask: ShelfAsk,
    place: &Place,
    tell: &mut dyn FnMut(ShelfNews),
    stopped: &dyn Fn() -> bool,
) -> Option<ShelfNews> {
    match ask {
        ShelfAsk::Import(file) => Some(take_in(&file, place, tell, stopped)),
        ShelfAsk::Replay(which) => Some(replay(&which, place, tell, stopped)),
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
            tell(ShelfNews::Working(Working { what: "importing", of, percent, events: progress.events }));
        }
        if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match done {
        Ok(report) => ShelfNews::Over { says: imported(&report), changed: true },
        Err(why) => ShelfNews::Over { says: why.to_string(), changed: true },
    }
}

/// What came of an import, in a sentence.
fn imported(report: &ImportReport) -> String {
    let sum = |of: fn(&crate::app::SourceReport) -> u64| report.sources.iter().map(of).sum::<u64>();
    let (new, known) = (sum(|s| s.added.new), sum(|s| s.added.known));
    let mut says = format!("{new} new {}", if new == 1 { "event" } else { "events" });
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

/// Fires events again without running anything: what was recorded answers for the hooks.
fn replay(which: &Replays, place: &Place, tell: &mut dyn FnMut(ShelfNews), stopped: &dyn Fn() -> bool) -> ShelfNews {
    let options = ReplayOptions {
        project: PathBuf::from(&place.project),
        against: None,
        home: place.home_given.then(|| PathBuf::from(&place.home)),
        agent: None,
        version: None,
        baseline: Some(Baseline::Recorded),
        run: false,
        contain: false,
        headless: false,
        timeout_scale: 1.0,
    };
    let store = match open_store(&StateDir::of(place), Mode::Read) {
        Ok(store) => store,
        Err(fault) => return failed(&fault),
    };
    let mut replayer = match Replayer::new(options) {
        Ok(replayer) => replayer,
        Err(why) => return ShelfNews::Over { says: why.to_string(), changed: false },
    };
    let seqs = match numbers(which, &store) {
        Ok(seqs) if seqs.is_empty() => {
            return ShelfNews::Over { says: "nothing is marked".to_owned(), changed: false };
        }
        Ok(seqs) => seqs,
        Err(fault) => return failed(&fault),
    };
    let (mut all, mut tally, mut last): (Vec<Replayed>, Tally, Instant) =
        (Vec::new(), Tally::default(), Instant::now());
    let many = seqs.len() as u64;
    for (done, seq) in (0..).zip(&seqs) {
        if stopped() {
            break;
        }
        if last.elapsed() >= TOLD {
            last = Instant::now();
            let of = format!("{many} events");
            tell(ShelfNews::Working(Working { what: "replaying", of, percent: Some(done * 100 / many), events: done }));
        }
        match store.event(*seq) {
            Ok(None) => {}
            Ok(Some(event)) => {
                let one = replayer.ready(event).map_or_else(|unready| *unready, |ready| ready.dry());
                tally.add(&one);
                all.push(one);
            }
            Err(fault) => return failed(&fault),
        }
    }
    ShelfNews::Replayed { all, summary: tally.finish(), stopped: stopped() }
}

/// The numbers of the events that are meant, in the order in which they happened.
fn numbers(which: &Replays, store: &Store) -> Result<Vec<i64>, StoreFault> {
    match which {
        Replays::One(seq) => Ok(vec![*seq]),
        Replays::Marked => {
            let marked = Filter::Test(Test::Marked);
            let rows = store.page(&marked, now_ms(), Direction::Forward, None, REPLAYED)?;
            Ok(rows.into_iter().map(|row| row.seq).collect())
        }
    }
}

fn failed(fault: &StoreFault) -> ShelfNews {
    let cure = fault.trouble.cure().map(|cure| format!(" {cure}")).unwrap_or_default();
    ShelfNews::Over { says: format!("{fault}.{cure}"), changed: false }
}
