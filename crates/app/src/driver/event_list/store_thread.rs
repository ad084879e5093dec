//! The thread that has the store. It answers one request after the other; reading an outdated list is interrupted.
//! Between requests, it extends the word index in small steps until that is complete.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use super::worker::EventStoreWorker;
use super::{FactSender, long_jobs};
use crate::disk::state_dir::StateDir;
use crate::recordings::event_list::{EventStoreRequest, EventStoreResponse};
use crate::recordings::store::{IndexProgress, STORE_FILE};
use crate::session::fact::Fact;
use hookbench_core::config::{Place, Watchlist};
use hookbench_system::store::InterruptHandle;

/// The duration of one indexing step, after which new requests are checked.
const INDEXING: Duration = Duration::from_millis(40);

/// The time without writes after which another process is considered done.
const QUIET: Duration = Duration::from_millis(100);

/// Requests a check for changes whenever the log of the store is written. The store file is not opened for this:
/// closing it would release the locks of this process.
fn watch(state: &StateDir, asks: mpsc::Sender<EventStoreRequest>) -> hookbench_system::watch::Watcher {
    let log = state.file(&format!("{STORE_FILE}-wal"));
    let list = Watchlist { files: vec![log], quiet: QUIET, ..Watchlist::default() };
    hookbench_system::watch::watch(list, move |report| {
        if matches!(report, hookbench_system::watch::WatchReport::Changed { .. }) {
            // The receiver is gone when the program is exiting.
            let _ = asks.send(EventStoreRequest::Changed);
        }
    })
}

/// State shared between the thread and its clients.
#[derive(Default)]
struct StoreThreadState {
    /// The number of the latest list.
    newest: AtomicU64,
    /// Interrupts the current read; `None` during a write.
    reading: Mutex<Option<InterruptHandle>>,
}

impl StoreThreadState {
    fn set(&self, handle: Option<InterruptHandle>) {
        *self.reading.lock().unwrap_or_else(PoisonError::into_inner) = handle;
    }
}

/// A handle to the thread. Dropping it stops the running import or replay.
pub struct EventStoreThread {
    place: Arc<Place>,
    facts: FactSender,
    asks: mpsc::Sender<EventStoreRequest>,
    shared: Arc<StoreThreadState>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// Whether a run was sent to the log.
    has_logged: bool,
    /// Detects writes of other processes.
    _watcher: Option<hookbench_system::watch::Watcher>,
}

impl EventStoreThread {
    /// Starts the thread; the store is opened at the first request. `watches` enables the detection of writes by
    /// other processes.
    pub fn start(place: Arc<Place>, facts: FactSender, watches: bool) -> EventStoreThread {
        let (asks, asked) = mpsc::channel();
        let shared = Arc::new(StoreThreadState::default());
        let (work, seen, news) = (EventStoreWorker::new(Arc::clone(&place)), Arc::clone(&shared), facts.clone());
        let thread = std::thread::spawn(move || answer_all(work, &asked, &seen, &news));
        EventStoreThread {
            _watcher: watches.then(|| watch(&StateDir::of(&place), asks.clone())),
            place,
            facts,
            asks,
            shared,
            stop: Arc::default(),
            thread: Some(thread),
            has_logged: false,
        }
    }

    /// Sends a request. Returns at once; the response arrives as a fact.
    pub fn ask(&mut self, ask: EventStoreRequest) {
        match ask {
            EventStoreRequest::Stop => self.stop.store(true, Ordering::Relaxed),
            EventStoreRequest::Import(_) | EventStoreRequest::ImportText(_) | EventStoreRequest::Replay { .. } => {
                self.stop = Arc::default();
                long_jobs::start_long_job(ask, Arc::clone(&self.place), self.facts.clone(), Arc::clone(&self.stop));
            }
            ask => {
                self.has_logged |= matches!(ask, EventStoreRequest::LogRun { .. });
                if let EventStoreRequest::Page { number, .. } | EventStoreRequest::GoTo { number, .. } = ask {
                    self.cancel_older(number);
                }
                // The thread ends only with the program.
                let _ = self.asks.send(ask);
            }
        }
    }

    /// Waits until the runs that were sent to the log are written. The receiver of facts must be read meanwhile.
    pub fn finish_log(mut self) {
        let thread = self.thread.take().filter(|_| self.has_logged);
        // Without senders, the thread ends after the last request.
        drop(self);
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    /// Interrupts reading for an older list.
    fn cancel_older(&self, number: u64) {
        if self.shared.newest.swap(number, Ordering::SeqCst) == number {
            return;
        }
        if let Some(handle) = &*self.shared.reading.lock().unwrap_or_else(PoisonError::into_inner) {
            handle.interrupt();
        }
    }
}

impl Drop for EventStoreThread {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn answer_all(
    mut work: EventStoreWorker,
    asked: &mpsc::Receiver<EventStoreRequest>,
    shared: &StoreThreadState,
    facts: &FactSender,
) {
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
                behind = matches!(&indexed, Some(EventStoreResponse::Indexed(indexed)) if !indexed.complete());
                indexed
            }
            Err(mpsc::TryRecvError::Disconnected) => return,
        };
        if let Some(news) = news
            && facts.blocking_send(Fact::EventList(news)).is_err()
        {
            return;
        }
    }
}

/// Answers a request unless it is outdated.
fn answer(
    work: &mut EventStoreWorker,
    ask: EventStoreRequest,
    shared: &StoreThreadState,
) -> Option<EventStoreResponse> {
    let number = match &ask {
        EventStoreRequest::Page { number, .. }
        | EventStoreRequest::Count { number, .. }
        | EventStoreRequest::GoTo { number, .. } => *number,
        _ => return work.answer(ask),
    };
    let late = || number < shared.newest.load(Ordering::SeqCst);
    shared.set(work.store().ok().map(|store| store.interrupt_handle()));
    let news = if late() { None } else { work.answer(ask) };
    shared.set(None);
    // Every request needs a response, because responses are counted; this one is ignored.
    let nothing = || {
        let indexed = IndexProgress { done: 0, all: 0 };
        Some(EventStoreResponse::Count {
            number,
            matching: 0,
            all: 0,
            elsewhere: 0,
            matching_elsewhere: 0,
            replays: 0,
            indexed,
        })
    };
    if late() { nothing() } else { news }
}

/// Extends the index by one step. Returns `None` if there is nothing to do.
fn index(work: &mut EventStoreWorker) -> Option<EventStoreResponse> {
    let store = work.opened_for_writing()?;
    if store.index_progress().ok()?.complete() {
        return None;
    }
    match store.continue_index(INDEXING) {
        Ok(indexed) => Some(EventStoreResponse::Indexed(indexed)),
        Err(_) => {
            // Another process is writing, or the store is read-only: the existing index has to suffice.
            work.is_writable = false;
            None
        }
    }
}
