//! What is watched, and what it looked like last.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::places::Places;
use super::seen::Seen;
use super::watcher::Note;
use hookbench_core::config::Watchlist;

/// Folders may come and go while we set up; we follow so often.
const ROUNDS: u32 = 8;

pub(super) struct State {
    /// None as long as the system gives us none.
    system: Option<RecommendedWatcher>,
    notes: Sender<Note>,
    pub list: Watchlist,
    seen: BTreeMap<PathBuf, Seen>,
    pub places: Places,
    /// Folders that are being watched, and which ones they were.
    armed: BTreeMap<PathBuf, Identity>,
    /// Why not everything is watched.
    pub lost: Option<String>,
}

impl State {
    pub fn new(notes: Sender<Note>) -> State {
        State {
            system: None,
            notes,
            list: Watchlist::default(),
            seen: BTreeMap::new(),
            places: Places::default(),
            armed: BTreeMap::new(),
            lost: None,
        }
    }

    /// Watches this from now on. What was watched before keeps what is known of it.
    pub fn set(&mut self, list: Watchlist) {
        self.list = list;
        self.arm();
        // Only now: what changes from here on is reported by the folder.
        let mut before = std::mem::take(&mut self.seen);
        for (path, listed) in all(&self.list) {
            let seen = before.remove(path).unwrap_or_else(|| look(path, listed));
            self.seen.insert(path.clone(), seen);
        }
    }

    /// Looks at everything but what is half done; what has changed.
    pub fn look(&mut self, half_done: &HashSet<PathBuf>) -> Vec<PathBuf> {
        self.arm();
        let mut changed = Vec::new();
        for (path, listed) in all(&self.list) {
            if half_done.contains(path) {
                continue;
            }
            let now = look(path, listed);
            if self.seen.get(path) != Some(&now) {
                self.seen.insert(path.clone(), now);
                changed.push(path.clone());
            }
        }
        changed
    }

    /// Watches the folders that have to be watched as things are, and no others.
    fn arm(&mut self) {
        self.lost = None;
        for _ in 0..ROUNDS {
            self.places = Places::of(&self.list);
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
            self.lost = None;
            for (path, identity) in wanted {
                if self.armed.contains_key(&path) {
                    continue;
                }
                match self.watch(&path) {
                    Ok(()) => drop(self.armed.insert(path, identity)),
                    // Those above may well be closed to us.
                    Err(why) if self.places.folders.contains(&path) => self.lost = Some(reason(&path, &why)),
                    Err(_) => {}
                }
            }
        }
    }

    fn watch(&mut self, folder: &Path) -> notify::Result<()> {
        if self.system.is_none() {
            let notes = self.notes.clone();
            self.system = Some(notify::recommended_watcher(move |event| {
                if let Some(note) = Note::of(event) {
                    // The thread is gone only when the watcher is being dropped.
                    let _ = notes.send(note);
                }
            })?);
        }
        self.system.as_mut().map_or(Ok(()), |system| system.watch(folder, RecursiveMode::NonRecursive))
    }

    /// Forgets a folder: one that has been replaced may look the same, down to its number, and is not watched any more.
    pub fn disarm(&mut self, path: &Path) {
        if let (Some(_), Some(system)) = (self.armed.remove(path), &mut self.system) {
            // The system forgets by itself what has been deleted.
            let _ = system.unwatch(path);
        }
    }
}

/// Everything on a list, and whether only its names matter.
fn all(list: &Watchlist) -> impl Iterator<Item = (&PathBuf, bool)> {
    list.files.iter().map(|path| (path, false)).chain(list.folders.iter().map(|path| (path, true)))
}

fn look(path: &Path, listed: bool) -> Seen {
    if listed { Seen::list(path) } else { Seen::look(path) }
}

/// Why a folder is not watched, and what helps.
fn reason(path: &Path, why: &notify::Error) -> String {
    let no_more = match &why.kind {
        ErrorKind::MaxFilesWatch => Some("watches"),
        // Out of handles, or of instances.
        ErrorKind::Io(error) if matches!(error.raw_os_error(), Some(23 | 24)) => Some("instances"),
        ErrorKind::Io(error) if error.raw_os_error() == Some(28) => Some("watches"),
        _ => None,
    };
    match no_more {
        Some(what) if cfg!(target_os = "linux") => {
            format!("the system has no more to give: raise fs.inotify.max_user_{what}")
        }
        _ => {
            let why = match &why.kind {
                ErrorKind::Io(error) => error.to_string(),
                _ => why.to_string(),
            };
            format!("{}: {}", path.display(), why)
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
