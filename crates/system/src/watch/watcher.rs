//! The thread that waits for a burst of changes to end and then checks the files.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::Event;
use notify::event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind, RenameMode};

use super::state::{UnwatchedState, WatchState, look_at_new};
use hookbench_core::config::Watchlist;

/// The interval of checks and of new attempts to watch while not everything can be watched.
const RETRY: Duration = Duration::from_secs(2);

/// A report of a watcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchReport {
    /// These paths have changed. `calm`: no other change seems to be in progress. An empty list means that all
    /// paths are as before, but may have been different in between.
    Changed { paths: Vec<PathBuf>, calm: bool },
    /// Changes are detected late or not at all, for this reason.
    Lost(String),
    /// Changes are detected at once again.
    Restored,
}

/// Watches until it is dropped.
pub struct Watcher {
    list: Watchlist,
    notes: Sender<WatchMessage>,
    thread: JoinHandle<()>,
}

/// Calls `sink`, on a separate thread, with the paths of the list (as written there) that have changed, shortly
/// after the change. The paths need not exist.
///
/// Not detected: changes by other machines on a network mount, and, except on Linux, a file system that is mounted over a
/// directory.
pub fn watch(list: Watchlist, sink: impl Fn(WatchReport) + Send + 'static) -> Watcher {
    let (notes, heard) = mpsc::channel();
    let state = WatchState::new(notes.clone());
    let thread = std::thread::spawn(move || {
        if catch_unwind(AssertUnwindSafe(|| WatchLoop { state, sink: &sink, lost: false }.run(&heard))).is_err() {
            sink(WatchReport::Lost("the watching thread has ended".to_owned()));
        }
    });
    let mut watcher = Watcher { list: Watchlist::default(), notes, thread };
    watcher.set(list);
    watcher
}

impl Watcher {
    /// Replaces the list of watched paths. The known state of paths on both lists is kept. Every change after this
    /// call is reported, although the system begins to watch later: watching a large directory takes long.
    pub fn set(&mut self, list: Watchlist) {
        let seen = look_at_new(&list, &self.list);
        self.list = list.clone();
        let _ = self.notes.send(WatchMessage::Set(list, seen));
    }

    /// A handle that can request a check later.
    pub fn flusher(&self) -> Flusher {
        Flusher(self.notes.clone())
    }

    /// Whether the thread has ended, so that there will be no more reports.
    pub fn is_dead(&self) -> bool {
        self.thread.is_finished()
    }
}

/// A handle that requests checks from a watcher.
pub struct Flusher(Sender<WatchMessage>);

impl Flusher {
    /// Checks at once, reports, and then calls `done` on the watcher's thread. If the thread has ended, calls
    /// `done` directly.
    pub fn flush(&self, done: impl FnOnce() + Send + 'static) {
        if let Err(mpsc::SendError(WatchMessage::Flush(done))) = self.0.send(WatchMessage::Flush(Box::new(done))) {
            done();
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.notes.send(WatchMessage::Stop);
    }
}

/// A message to the thread, from the system or from this program.
pub(super) enum WatchMessage {
    Touched {
        paths: Vec<(PathBuf, SaveState)>,
        replaced: bool,
    },
    /// The system may have missed events.
    Unsure,
    /// A file system was mounted or unmounted somewhere.
    #[cfg(target_os = "linux")]
    Mounted,
    /// Replaces the list of watched paths, with the state of the new ones.
    Set(Watchlist, UnwatchedState),
    Flush(Box<dyn FnOnce() + Send>),
    Stop,
}

impl WatchMessage {
    pub(super) fn of(event: notify::Result<Event>) -> Option<WatchMessage> {
        let Ok(event) = event else { return Some(WatchMessage::Unsure) };
        if event.need_rescan() {
            return Some(WatchMessage::Unsure);
        }
        let (touch, replaced) = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => (SaveState::Complete, false),
            // The checks themselves are reported, too.
            EventKind::Access(_) => return None,
            EventKind::Create(CreateKind::Folder) => (SaveState::Complete, true),
            EventKind::Create(_) | EventKind::Remove(_) => (SaveState::Incomplete, true),
            EventKind::Modify(ModifyKind::Name(RenameMode::To)) => (SaveState::Complete, true),
            EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => {
                // The source and the target of a rename.
                let ways = [SaveState::Incomplete, SaveState::Complete];
                return Some(WatchMessage::Touched {
                    paths: event.paths.into_iter().zip(ways).collect(),
                    replaced: true,
                });
            }
            EventKind::Modify(ModifyKind::Name(_)) => (SaveState::Incomplete, true),
            EventKind::Modify(ModifyKind::Metadata(_)) => (SaveState::Complete, false),
            _ => (SaveState::Incomplete, false),
        };
        Some(WatchMessage::Touched { paths: event.paths.into_iter().map(|path| (path, touch)).collect(), replaced })
    }
}

/// The reader of the notes.
struct WatchLoop<'a, F: Fn(WatchReport)> {
    state: WatchState,
    sink: &'a F,
    lost: bool,
}

impl<F: Fn(WatchReport)> WatchLoop<'_, F> {
    fn run(&mut self, notes: &Receiver<WatchMessage>) {
        let mut burst: Option<Burst> = None;
        let mut looked = None;
        // A flush during a burst has already checked; the end of the burst must still be reported.
        let mut owed = false;
        loop {
            let quiet = self.state.list.quiet;
            let now = Instant::now();
            let note = match &burst {
                // A continuous stream of notes must not prevent the check.
                Some(burst) if burst.limit(quiet) <= now => Err(RecvTimeoutError::Timeout),
                Some(burst) => notes.recv_timeout(burst.end(quiet).saturating_duration_since(now)),
                None if self.lost => notes.recv_timeout(RETRY),
                None => notes.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match note {
                Ok(WatchMessage::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(WatchMessage::Set(list, seen)) => {
                    if self.state.set(list, seen) {
                        burst.get_or_insert_with(|| Burst::new(now, looked));
                    }
                    self.report_health();
                }
                Ok(WatchMessage::Flush(done)) => {
                    let none = HashSet::new();
                    let half_done = burst.as_ref().map_or(&none, Burst::incomplete);
                    owed |= self.check(half_done, burst.is_none()) && burst.is_some();
                    done();
                }
                #[cfg(target_os = "linux")]
                Ok(WatchMessage::Mounted) => {
                    let none = HashSet::new();
                    let half_done = burst.as_ref().map_or(&none, Burst::incomplete);
                    owed |= self.check(half_done, burst.is_none()) && burst.is_some();
                }
                Ok(note) => self.handle(note, &mut burst, looked),
                Err(RecvTimeoutError::Timeout) => {
                    if self.check(&HashSet::new(), true) {
                        looked = Some(Instant::now());
                    } else if owed || burst.is_some() {
                        (self.sink)(WatchReport::Changed { paths: Vec::new(), calm: true });
                    }
                    (owed, burst) = (false, None);
                }
            }
        }
    }

    /// Handles an event: it begins a burst, continues one, or is irrelevant.
    fn handle(&mut self, note: WatchMessage, burst: &mut Option<Burst>, looked: Option<Instant>) {
        let now = Instant::now();
        let WatchMessage::Touched { paths, replaced } = note else {
            burst.get_or_insert_with(|| Burst::new(now, looked));
            return;
        };
        let state = &mut self.state;
        for (path, touch) in paths {
            if replaced {
                state.unwatch(&path);
            }
            if state.places.is_lock(&path) {
                let held = path.exists();
                burst.get_or_insert_with(|| Burst::new(now, looked)).lock(now, held);
            } else if state.places.concerns(&path, replaced) {
                // An editor's temporary file that was renamed into place will not come back.
                let over = !state.places.is_listed(&path) && !path.exists();
                let touch = if over { SaveState::Complete } else { touch };
                burst.get_or_insert_with(|| Burst::new(now, looked)).touch(now, path, touch);
            } else if let Some(burst) = burst
                && !state.places.is_far(&path)
            {
                burst.touch_other(now, path, touch);
            }
        }
    }

    /// Checks the files, and reports changes.
    fn check(&mut self, half_done: &HashSet<PathBuf>, calm: bool) -> bool {
        let changed = self.state.check(half_done);
        self.report_health();
        let any = !changed.is_empty();
        if any {
            (self.sink)(WatchReport::Changed { paths: changed, calm });
        }
        any
    }

    fn report_health(&mut self) {
        let lost = self.state.lost.clone();
        if self.lost != lost.is_some() {
            self.lost = lost.is_some();
            (self.sink)(lost.map_or(WatchReport::Restored, WatchReport::Lost));
        }
    }
}

// Determines when a burst of file-system events has ended.
//
// A complete save (closed after writing, or renamed into place) is checked almost at once, because its author is
// waiting. Incomplete saves, changes of many files, and changes right after a check get more time.

/// The quiet time for incomplete saves and storms.
const LONG: Duration = Duration::from_millis(100);
/// The quiet time after a lock, because its owner may not be finished yet.
const UNLOCKED: Duration = Duration::from_millis(250);
/// The time after which a burst is checked even if it continues.
const PATIENCE: Duration = Duration::from_millis(500);
/// The same for a burst that touches many files, and for one that holds a lock.
const STORM: Duration = Duration::from_secs(5);
const LOCKED: Duration = Duration::from_secs(60);
/// With more files than this, a burst is a storm.
const MANY: usize = 4;
/// A burst that begins this soon after a check belongs to the earlier change.
const AFTERMATH: Duration = Duration::from_millis(300);

/// The meaning of an event for its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SaveState {
    /// Complete: closed after writing, renamed to this name, or its mode changed.
    Complete,
    /// Being written, or deleted and perhaps about to be recreated.
    Incomplete,
}

/// File-system events that belong together.
pub(super) struct Burst {
    began: Instant,
    last: Instant,
    touched: HashSet<PathBuf>,
    incomplete: HashSet<PathBuf>,
    /// Whether the lock is still held. `None` if the burst involves no lock.
    lock: Option<bool>,
    aftermath: bool,
}

impl Burst {
    /// A burst that begins now. `looked` is the time of the last check.
    pub fn new(now: Instant, looked: Option<Instant>) -> Burst {
        Burst {
            began: now,
            last: now,
            touched: HashSet::new(),
            incomplete: HashSet::new(),
            lock: None,
            aftermath: looked.is_some_and(|looked| now.duration_since(looked) < AFTERMATH),
        }
    }

    /// Records an event for a watched file.
    pub fn touch(&mut self, now: Instant, path: PathBuf, touch: SaveState) {
        self.last = now;
        match touch {
            SaveState::Complete => self.incomplete.remove(&path),
            SaveState::Incomplete => self.incomplete.insert(path.clone()),
        };
        self.touched.insert(path);
    }

    /// Records an event for another file in a watched directory. Many different files are a storm, too; repeated
    /// writes of one file are not.
    pub fn touch_other(&mut self, now: Instant, path: PathBuf, touch: SaveState) {
        if touch == SaveState::Complete {
            self.incomplete.remove(&path);
        }
        if self.touched.insert(path) {
            self.last = now;
        }
    }

    /// Records that a lock was taken or released.
    pub fn lock(&mut self, now: Instant, held: bool) {
        self.last = now;
        self.lock = Some(held);
    }

    /// Files that should not be checked yet.
    pub fn incomplete(&self) -> &HashSet<PathBuf> {
        &self.incomplete
    }

    /// The time at which the burst ends if nothing else happens.
    pub fn end(&self, quiet: Duration) -> Instant {
        let calm = !self.is_storm() && !self.aftermath && self.incomplete.is_empty();
        let rest = match self.lock {
            Some(_) => quiet.max(UNLOCKED),
            None if calm => quiet,
            None => quiet.max(LONG),
        };
        if self.lock == Some(true) { self.limit(quiet) } else { (self.last + rest).min(self.limit(quiet)) }
    }

    /// The time at which the burst ends in any case.
    pub fn limit(&self, quiet: Duration) -> Instant {
        self.began
            + match self.lock {
                Some(true) => LOCKED,
                _ if self.is_storm() => STORM,
                _ => PATIENCE.max(quiet),
            }
    }

    fn is_storm(&self) -> bool {
        self.lock.is_some() || self.touched.len() > MANY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_complete_waits_for_nobody() {
        let quiet = Duration::from_millis(10);
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let file = |n: u32| PathBuf::from(format!("/f{n}"));
        let burst = || Burst::new(start, None);

        let mut one = burst();
        one.touch(at(0), file(1), SaveState::Incomplete);
        assert_eq!(one.end(quiet), at(100), "being written");
        one.touch(at(2), file(1), SaveState::Complete);
        assert_eq!(one.end(quiet), at(12), "closed");

        let mut many = burst();
        for n in 0..5 {
            many.touch(at(1), file(n), SaveState::Complete);
        }
        assert_eq!(many.end(quiet), at(101), "a storm");
        many.touch(at(4_950), file(9), SaveState::Complete);
        assert_eq!(many.end(quiet), at(5_000), "that does not end");

        let mut noise = burst();
        for ms in 0..490 {
            noise.touch_other(at(ms), file(1), SaveState::Incomplete);
        }
        assert_eq!(noise.end(quiet), at(10), "one file that is written again and again");
        for ms in 0..495 {
            noise.touch(at(ms), file(2), SaveState::Complete);
        }
        assert_eq!(noise.end(quiet), at(500), "and when it matters");

        let mut locked = burst();
        locked.lock(at(0), true);
        assert_eq!(locked.end(quiet), at(60_000));
        locked.lock(at(3_000), false);
        assert_eq!(locked.end(quiet), at(3_250));

        let soon = Burst::new(at(200), Some(start));
        assert_eq!(soon.end(quiet), at(300), "right after a look");
    }
}
