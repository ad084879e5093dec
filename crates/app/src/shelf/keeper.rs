//! The thread that holds the store. It answers one question after the other; a list that nobody waits for any more is
//! stopped, and while nobody asks the index of words goes on in small steps, until it is complete.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use super::asks::{ShelfAsk, ShelfNews};
use super::longer;
use super::work::ShelfWork;
use crate::StateDir;
use crate::fact::Fact;
use crate::recordings::Indexed;
use crate::recordings::STORE_FILE;
use hookbench_core::config::Place;
use hookbench_core::config::Watchlist;
use hookbench_system::store::InterruptHandle;

/// So long the index goes on before somebody who asks is heard.
const INDEXING: Duration = Duration::from_millis(40);

/// Others have written all that they write together when nothing has come for so long.
const QUIET: Duration = Duration::from_millis(100);

/// Where facts go.
type Facts = tokio::sync::mpsc::Sender<Fact>;

/// Asks whether something has changed whenever the log of the store is written. The store itself is never looked at: its
/// locks would be lost with the first file that is closed.
fn watch(state: &StateDir, asks: mpsc::Sender<ShelfAsk>) -> hookbench_system::watch::Watcher {
    let log = state.file(&format!("{STORE_FILE}-wal"));
    let list = Watchlist { files: vec![log], quiet: QUIET, ..Watchlist::default() };
    hookbench_system::watch::watch(list, move |report| {
        if matches!(report, hookbench_system::watch::Report::Changed { .. }) {
            // Nobody answers any more when the program is ending.
            let _ = asks.send(ShelfAsk::Changed);
        }
    })
}

/// What the thread and those who ask both see.
#[derive(Default)]
struct Shared {
    /// The list that is waited for.
    newest: AtomicU64,
    /// What is being read can be stopped with this; none while something is written.
    reading: Mutex<Option<InterruptHandle>>,
}

impl Shared {
    fn set(&self, handle: Option<InterruptHandle>) {
        *self.reading.lock().unwrap_or_else(PoisonError::into_inner) = handle;
    }
}

/// Asks the thread. Dropping it ends what goes on.
pub struct Keeper {
    place: Arc<Place>,
    facts: Facts,
    asks: mpsc::Sender<ShelfAsk>,
    shared: Arc<Shared>,
    stop: Arc<AtomicBool>,
    /// Says when somebody else may have written.
    _watcher: Option<hookbench_system::watch::Watcher>,
}

impl Keeper {
    /// Starts the thread; the store is opened with the first question. With `watches` it is seen when others write to it.
    pub fn start(place: Arc<Place>, facts: Facts, watches: bool) -> Keeper {
        let (asks, asked) = mpsc::channel();
        let shared = Arc::new(Shared::default());
        let (work, seen, news) = (ShelfWork::new(Arc::clone(&place)), Arc::clone(&shared), facts.clone());
        std::thread::spawn(move || answer_all(work, &asked, &seen, &news));
        Keeper {
            _watcher: watches.then(|| watch(&StateDir::of(&place), asks.clone())),
            place,
            facts,
            asks,
            shared,
            stop: Arc::default(),
        }
    }

    /// Asks. Returns at once; the answer arrives as a fact.
    pub fn ask(&mut self, ask: ShelfAsk) {
        match ask {
            ShelfAsk::Stop => self.stop.store(true, Ordering::Relaxed),
            ShelfAsk::Import(_) | ShelfAsk::Replay { .. } => {
                self.stop = Arc::default();
                longer::begin(ask, Arc::clone(&self.place), self.facts.clone(), Arc::clone(&self.stop));
            }
            ask => {
                if let ShelfAsk::Page { number, .. } | ShelfAsk::GoTo { number, .. } = ask {
                    self.wait_for(number);
                }
                // The thread ends only with the program.
                let _ = self.asks.send(ask);
            }
        }
    }

    /// What is read for an older list is stopped.
    fn wait_for(&self, number: u64) {
        if self.shared.newest.swap(number, Ordering::SeqCst) == number {
            return;
        }
        if let Some(handle) = &*self.shared.reading.lock().unwrap_or_else(PoisonError::into_inner) {
            handle.interrupt();
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn answer_all(mut work: ShelfWork, asked: &mpsc::Receiver<ShelfAsk>, shared: &Shared, facts: &Facts) {
    let mut behind = false;
    loop {
        let next = if behind { asked.try_recv() } else { asked.recv().map_err(|_| mpsc::TryRecvError::Disconnected) };
        let news = match next {
            Ok(ask) => {
                behind = true;
                answer(&mut work, ask, shared)
            }
            Err(mpsc::TryRecvError::Empty) => {
                let indexed = index(&mut work);
                behind = matches!(&indexed, Some(ShelfNews::Indexed(indexed)) if !indexed.complete());
                indexed
            }
            Err(mpsc::TryRecvError::Disconnected) => return,
        };
        if let Some(news) = news
            && facts.blocking_send(Fact::Shelf(news)).is_err()
        {
            return;
        }
    }
}

/// Answers, as long as the answer is waited for.
fn answer(work: &mut ShelfWork, ask: ShelfAsk, shared: &Shared) -> Option<ShelfNews> {
    let number = match &ask {
        ShelfAsk::Page { number, .. } | ShelfAsk::Count { number, .. } | ShelfAsk::GoTo { number, .. } => *number,
        _ => return work.answer(ask),
    };
    let late = || number < shared.newest.load(Ordering::SeqCst);
    shared.set(work.store().ok().map(|store| store.interrupt_handle()));
    let news = if late() { None } else { work.answer(ask) };
    shared.set(None);
    // Whoever counts answers gets one, which is about nothing.
    let nothing = || Some(ShelfNews::Count { number, passing: 0, all: 0, indexed: Indexed { done: 0, all: 0 } });
    if late() { nothing() } else { news }
}

/// A step of the index; nothing when there is nothing to be done.
fn index(work: &mut ShelfWork) -> Option<ShelfNews> {
    let store = work.opened()?;
    if store.indexed().ok()?.complete() {
        return None;
    }
    match store.index_some(INDEXING) {
        Ok(indexed) => Some(ShelfNews::Indexed(indexed)),
        Err(_) => {
            // Somebody else writes, or it may not be written: then what is there has to do.
            work.writes = false;
            None
        }
    }
}
