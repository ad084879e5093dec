//! The thread that waits for a burst of changes to end and looks what came of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::places::Places;
use super::seen::Seen;

/// Nothing new for so long: the burst is over.
const QUIET: Duration = Duration::from_millis(40);
/// A burst that does not end is looked at all the same.
const PATIENCE: Duration = Duration::from_millis(500);
/// Folders may come and go while we set up; we follow so often.
const ROUNDS: u32 = 8;

/// Why something could not be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("watch for changes: {0}")]
    System(notify::Error),
    #[error("watch {path}: {error}", path = .path.display())]
    Folder { path: PathBuf, error: notify::Error },
}

/// Watches until it is dropped.
pub struct Watcher {
    state: Arc<Mutex<State>>,
    notes: Sender<Note>,
}

/// Calls `sink`, on a thread of its own, with those of `paths` (as they are written here) whose bytes, mode or
/// existence have changed, shortly after they have. Whether a path exists does not matter.
///
/// Not seen: changes behind a network mount by other machines, and a folder two or more levels above a file being
/// renamed.
pub fn watch(paths: Vec<PathBuf>, sink: impl Fn(Vec<PathBuf>) + Send + 'static) -> Result<Watcher, WatchError> {
    let (notes, heard) = mpsc::channel();
    let report = notes.clone();
    let system = notify::recommended_watcher(move |event| {
        if let Some(note) = Note::of(event) {
            // The thread is gone only when the watcher is being dropped.
            let _ = report.send(note);
        }
    })
    .map_err(WatchError::System)?;
    let state = State { system, files: BTreeMap::new(), places: Places::default(), armed: BTreeMap::new() };
    let state = Arc::new(Mutex::new(state));
    let watcher = Watcher { state: Arc::clone(&state), notes };
    watcher.set(paths)?;
    std::thread::spawn(move || attend(&heard, &state, sink));
    Ok(watcher)
}

impl Watcher {
    /// Watches these paths from now on. A path that was watched before keeps what is known of it.
    pub fn set(&self, paths: Vec<PathBuf>) -> Result<(), WatchError> {
        let mut state = lock(&self.state);
        let mut before = std::mem::take(&mut state.files);
        let mut new = Vec::new();
        for path in paths {
            let seen = before.remove(&path).unwrap_or_else(|| {
                new.push(path.clone());
                Seen::Missing
            });
            state.files.insert(path, seen);
        }
        let armed = state.arm();
        // Only now: what changes from here on is reported by the folder.
        for path in new {
            let seen = Seen::look(&path);
            state.files.insert(path, seen);
        }
        armed
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.notes.send(Note::Stop);
    }
}

/// What the system says, as far as it matters.
enum Note {
    Touched {
        paths: Vec<PathBuf>,
        replaced: bool,
    },
    /// Something was missed.
    Unsure,
    Stop,
}

impl Note {
    fn of(event: notify::Result<Event>) -> Option<Note> {
        let Ok(event) = event else { return Some(Note::Unsure) };
        if event.need_rescan() {
            return Some(Note::Unsure);
        }
        let replaced = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
            // Our own looking is reported too.
            EventKind::Access(_) => return None,
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => true,
            _ => false,
        };
        Some(Note::Touched { paths: event.paths, replaced })
    }
}

struct State {
    system: RecommendedWatcher,
    files: BTreeMap<PathBuf, Seen>,
    places: Places,
    /// Folders that are being watched, and which ones they were.
    armed: BTreeMap<PathBuf, Identity>,
}

impl State {
    /// Whether this makes it necessary to look.
    fn concerns(&mut self, note: &Note) -> bool {
        match note {
            Note::Touched { paths, replaced } => {
                // A folder that has been replaced may look the same, down to its number, and is not watched any more.
                for path in paths.iter().filter(|_| *replaced) {
                    self.disarm(path);
                }
                paths.iter().any(|path| self.places.concerns(path))
            }
            Note::Unsure => true,
            Note::Stop => false,
        }
    }

    /// Looks at every file; those that have changed.
    fn look(&mut self) -> Vec<PathBuf> {
        // A folder that cannot be watched any more is no reason not to look at the others' files.
        let _ = self.arm();
        let mut changed = Vec::new();
        for (path, seen) in &mut self.files {
            let now = Seen::look(path);
            if now != *seen {
                *seen = now;
                changed.push(path.clone());
            }
        }
        changed
    }

    /// Watches the folders that have to be watched as things are, and no others.
    fn arm(&mut self) -> Result<(), WatchError> {
        let mut failed = Ok(());
        for _ in 0..ROUNDS {
            self.places = Places::of(self.files.keys().map(PathBuf::as_path));
            let folders = self.places.folders.union(&self.places.above);
            let wanted: BTreeMap<_, _> = folders.map(|path| (path.clone(), identity(path))).collect();
            if wanted == self.armed {
                break;
            }
            let stale = self.armed.iter().filter(|(path, was)| wanted.get(*path) != Some(*was));
            let stale: Vec<_> = stale.map(|(path, _)| path.clone()).collect();
            for path in &stale {
                self.disarm(path);
            }
            failed = Ok(());
            for (path, identity) in wanted {
                if self.armed.contains_key(&path) {
                    continue;
                }
                match self.system.watch(&path, RecursiveMode::NonRecursive) {
                    Ok(()) => drop(self.armed.insert(path, identity)),
                    // Those above may well be closed to us.
                    Err(error) if self.places.folders.contains(&path) => {
                        failed = Err(WatchError::Folder { path, error });
                    }
                    Err(_) => {}
                }
            }
        }
        failed
    }

    fn disarm(&mut self, path: &Path) {
        if self.armed.remove(path).is_some() {
            // The system forgets by itself what has been deleted.
            let _ = self.system.unwatch(path);
        }
    }
}

/// Which folder it is that has a name.
type Identity = Option<(u64, u64)>;

#[cfg(unix)]
fn identity(path: &Path) -> Identity {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Identity {
    path.metadata().ok().map(|_| (0, 0))
}

fn attend(notes: &Receiver<Note>, state: &Mutex<State>, sink: impl Fn(Vec<PathBuf>)) {
    while let Ok(note) = notes.recv() {
        if matches!(note, Note::Stop) {
            return;
        }
        if !lock(state).concerns(&note) {
            continue;
        }
        let first = Instant::now();
        let mut last = first;
        loop {
            let until = (last + QUIET).min(first + PATIENCE);
            match notes.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Note::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(note) if lock(state).concerns(&note) => last = Instant::now(),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => break,
            }
            if Instant::now() >= first + PATIENCE {
                break;
            }
        }
        // Not under the lock: the sink may want to watch other paths.
        let changed = lock(state).look();
        if !changed.is_empty() {
            sink(changed);
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
