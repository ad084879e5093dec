//! The watched paths and their last known state, and a watch for new mounts.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, PipeWriter};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::thread;
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use rustix::event::{PollFd, PollFlags, poll};

use super::file_state::FileState;
use super::watcher::WatchMessage;
use crate::disk::canonical;
use hookbench_core::config::Watchlist;

/// The table of mounts, whose changes the system signals to those who wait for them.
const TABLE: &str = "/proc/self/mountinfo";

/// Reports changes of the table of mounts until it is dropped.
pub(super) struct MountWatch {
    /// The thread ends when it is closed.
    _alive: PipeWriter,
}

impl MountWatch {
    /// Starts a thread that waits for changes. It ends when `report` returns false.
    ///
    /// # Errors
    /// Returns an error if this system has no such table.
    pub fn start(report: impl Fn() -> bool + Send + 'static) -> io::Result<MountWatch> {
        let table = crate::disk::open(TABLE)?;
        let (alive, writer) = io::pipe()?;
        thread::Builder::new().name("mounts".to_owned()).spawn(move || {
            loop {
                let mut files = [PollFd::new(&table, PollFlags::PRI), PollFd::new(&alive, PollFlags::IN)];
                let polled = poll(&mut files, None);
                let [table, alive] = files.map(|file| !file.revents().is_empty());
                let is_interrupted = polled == Err(rustix::io::Errno::INTR);
                if alive || (polled.is_err() && !is_interrupted) {
                    return;
                }
                if table && !report() {
                    return;
                }
            }
        })?;
        Ok(MountWatch { _alive: writer })
    }
}

/// The number of attempts, because directories may change during setup.
const ROUNDS: u32 = 8;

pub(super) struct WatchState {
    /// `None` until the system provides a watcher.
    system: Option<RecommendedWatcher>,
    notes: Sender<WatchMessage>,
    pub list: Watchlist,
    known: BTreeMap<PathBuf, FileState>,
    pub places: WatchPlaces,
    /// The directories that are being watched, with their identity.
    watched: BTreeMap<PathBuf, DirectoryIdentity>,
    /// The reason why some directories are not watched.
    pub lost: Option<String>,
    /// `None` if the system does not tell about mounts.
    #[cfg(target_os = "linux")]
    _mounts: Option<MountWatch>,
}

impl WatchState {
    pub fn new(notes: Sender<WatchMessage>) -> WatchState {
        WatchState {
            system: None,
            #[cfg(target_os = "linux")]
            _mounts: {
                let notes = notes.clone();
                MountWatch::start(move || notes.send(WatchMessage::Mounted).is_ok()).ok()
            },
            notes,
            list: Watchlist::default(),
            known: BTreeMap::new(),
            places: WatchPlaces::default(),
            watched: BTreeMap::new(),
            lost: None,
        }
    }

    /// Replaces the list of watched paths. The known state of paths on both lists is kept; `seen` has that of the
    /// others. Returns whether a file may have changed since then, because no event reports that.
    pub fn set(&mut self, list: Watchlist, mut seen: UnwatchedState) -> bool {
        self.list = list;
        self.update_watches();
        let mut before = std::mem::take(&mut self.known);
        // A directory that was moved away and back has the same files, but they may have been read in between.
        let mut changed = seen.directories.iter().any(|(path, then)| change_time(path) != *then);
        for (path, listed) in listed_paths(&self.list) {
            let known = before.remove(path).or_else(|| {
                let seen = seen.files.remove(path)?;
                changed |= seen != look(path, listed);
                Some(seen)
            });
            self.known.insert(path.clone(), known.unwrap_or_else(|| look(path, listed)));
        }
        changed
    }

    /// Checks all paths except those with incomplete changes, and returns the changed ones.
    pub fn check(&mut self, half_done: &HashSet<PathBuf>) -> Vec<PathBuf> {
        self.update_watches();
        let mut changed = Vec::new();
        for (path, listed) in listed_paths(&self.list) {
            if half_done.contains(path) {
                continue;
            }
            let now = look(path, listed);
            if self.known.get(path) != Some(&now) {
                self.known.insert(path.clone(), now);
                changed.push(path.clone());
            }
        }
        changed
    }

    /// Watches exactly the directories that currently have to be watched.
    fn update_watches(&mut self) {
        for _ in 0..ROUNDS {
            // What failed in the round before may be gone by now.
            self.lost = None;
            self.places = WatchPlaces::for_list(&self.list);
            let directories = self.places.directories.union(&self.places.above).chain(&self.places.far);
            let wanted: BTreeMap<_, _> = directories.map(|path| (path.clone(), identity(path))).collect();
            if wanted == self.watched {
                break;
            }
            let stale = self.watched.iter().filter(|(path, was)| wanted.get(*path) != Some(*was));
            let stale: Vec<_> = stale.map(|(path, _)| path.clone()).collect();
            for path in &stale {
                self.unwatch(path);
            }
            for (path, identity) in wanted {
                if self.watched.contains_key(&path) {
                    continue;
                }
                match self.watch(&path) {
                    Ok(()) => drop(self.watched.insert(path, identity)),
                    // Parent directories may be inaccessible.
                    Err(why) if self.places.directories.contains(&path) => self.lost = Some(reason(&path, &why)),
                    Err(_) => {}
                }
            }
        }
    }

    fn watch(&mut self, directory: &Path) -> notify::Result<()> {
        if self.system.is_none() {
            let notes = self.notes.clone();
            self.system = Some(notify::recommended_watcher(move |event| {
                if let Some(note) = WatchMessage::of(event) {
                    // The thread ends only when the watcher is dropped.
                    let _ = notes.send(note);
                }
            })?);
        }
        self.system.as_mut().map_or(Ok(()), |system| system.watch(directory, RecursiveMode::NonRecursive))
    }

    /// Stops watching a directory. A replaced directory may even have the same inode but is no longer watched.
    pub fn unwatch(&mut self, path: &Path) {
        if let (Some(_), Some(system)) = (self.watched.remove(path), &mut self.system) {
            // The system stops watching deleted directories by itself.
            let _ = system.unwatch(path);
        }
    }
}

/// The state of paths that are not watched yet.
pub(super) struct UnwatchedState {
    files: BTreeMap<PathBuf, FileState>,
    /// Their directories, each with the time of its last change. `None` if there is no such directory.
    directories: BTreeMap<PathBuf, Option<SystemTime>>,
}

/// The state of every path of a list that is not on another one.
pub(super) fn look_at_new(list: &Watchlist, before: &Watchlist) -> UnwatchedState {
    let before: HashSet<_> = listed_paths(before).collect();
    let new = || listed_paths(list).filter(|path| !before.contains(path));
    let directories: BTreeSet<&Path> = new().filter_map(|(path, _)| path.parent()).collect();
    UnwatchedState {
        directories: directories.into_iter().map(|path| (path.to_owned(), change_time(path))).collect(),
        files: new().map(|(path, listed)| (path.clone(), look(path, listed))).collect(),
    }
}

/// The time at which a directory was last renamed, or its names or rights changed.
#[cfg(unix)]
fn change_time(path: &Path) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let found = path.metadata().ok()?;
    let seconds = Duration::new(found.ctime().try_into().ok()?, found.ctime_nsec().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(seconds)
}

#[cfg(not(unix))]
fn change_time(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

/// All paths of a list, each with whether only the names in it matter.
fn listed_paths(list: &Watchlist) -> impl Iterator<Item = (&PathBuf, bool)> {
    list.files.iter().map(|path| (path, false)).chain(list.directories.iter().map(|path| (path, true)))
}

fn look(path: &Path, listed: bool) -> FileState {
    if listed { FileState::read_directory(path) } else { FileState::read(path) }
}

/// Describes why a directory is not watched, with advice.
fn reason(path: &Path, why: &notify::Error) -> String {
    let no_more = match &why.kind {
        ErrorKind::MaxFilesWatch => Some("watches"),
        // No file descriptors, or no inotify instances, are left.
        ErrorKind::Io(error) if matches!(error.raw_os_error(), Some(23 | 24)) => Some("instances"),
        ErrorKind::Io(error) if error.raw_os_error() == Some(28) => Some("watches"),
        _ => None,
    };
    match no_more {
        Some(what) if cfg!(target_os = "linux") => {
            format!("the system limit is reached: raise fs.inotify.max_user_{what}")
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

/// The identity of a directory: its device and inode.
type DirectoryIdentity = Option<(u64, u64)>;

#[cfg(unix)]
fn identity(path: &Path) -> DirectoryIdentity {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> DirectoryIdentity {
    path.metadata().ok().map(|_| (0, 0))
}

/// The limit for following links to links.
const HOPS: u32 = 8;

/// Directories to watch, and the relevant names in them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WatchPlaces {
    /// The directories of the files, or their nearest existing ancestors. Links are resolved, so that no directory is
    /// watched twice.
    pub directories: BTreeSet<PathBuf>,
    /// Their parent directories, which report that a directory was replaced.
    pub above: BTreeSet<PathBuf>,
    /// All directories above those, which report it as well. What else happens in them means nothing.
    pub far: BTreeSet<PathBuf>,
    names: HashSet<PathBuf>,
    /// Directories in which every name is relevant.
    listed: HashSet<PathBuf>,
    locks: HashSet<PathBuf>,
}

impl WatchPlaces {
    /// The places to watch for a list, including the targets of links.
    pub fn for_list(list: &Watchlist) -> WatchPlaces {
        let mut places = WatchPlaces::default();
        for file in list.files.iter().chain(&list.directories) {
            places.add_file(file, HOPS);
        }
        for directory in &list.directories {
            let Some(directory) = canonical(directory).ok().filter(|f| f.is_dir()) else { continue };
            places.add_directory(directory.clone());
            places.listed.insert(directory);
        }
        for lock in &list.locks {
            let directory = lock.parent().and_then(|directory| canonical(directory).ok());
            if let (Some(directory), Some(name)) = (directory, lock.file_name()) {
                places.locks.insert(directory.join(name));
                places.directories.insert(directory);
            }
        }
        places
    }

    /// Whether an event for a path may affect a watched file. `replaced`: the path was created or deleted.
    pub fn concerns(&self, path: &Path, replaced: bool) -> bool {
        self.names.contains(path)
            || self.directories.contains(path)
            || (replaced && (self.above.contains(path) || self.far.contains(path)))
            || (replaced && path.parent().is_some_and(|directory| self.listed.contains(directory)))
    }

    /// Whether the path is in a directory that only matters as a whole.
    pub fn is_far(&self, path: &Path) -> bool {
        let is_near = |directory: &Path| self.directories.contains(directory) || self.above.contains(directory);
        !path.parent().is_some_and(is_near)
    }

    /// Whether the path is on the list by name.
    pub fn is_listed(&self, path: &Path) -> bool {
        self.names.contains(path)
    }

    /// Whether the path is a lock file.
    pub fn is_lock(&self, path: &Path) -> bool {
        self.locks.contains(path)
    }

    fn add_file(&mut self, file: &Path, hops: u32) {
        let Ok(file) = std::path::absolute(file) else { return };
        let mut name = file.as_path();
        let directory = loop {
            match name.parent() {
                Some(directory) if directory.is_dir() => break directory,
                Some(above) => name = above,
                None => return,
            }
        };
        let Ok(directory) = canonical(directory) else { return };
        if let Some(name) = name.file_name() {
            self.names.insert(directory.join(name));
        }
        self.add_links(&file, hops);
        if let (Ok(target), true) = (file.read_link(), hops > 0) {
            self.add_file(&directory.join(target), hops - 1);
        }
        self.add_directory(directory);
    }

    fn add_directory(&mut self, directory: PathBuf) {
        self.above.extend(directory.parent().map(Path::to_owned));
        self.far.extend(directory.ancestors().skip(2).map(Path::to_owned));
        self.directories.insert(directory);
    }

    /// Adds the links among the directories of a path, each of which may get another target.
    fn add_links(&mut self, file: &Path, hops: u32) {
        for link in file.ancestors().skip(1) {
            let (Ok(target), Some(name), Some(parent)) = (link.read_link(), link.file_name(), link.parent()) else {
                continue;
            };
            let Ok(parent) = canonical(parent) else { continue };
            if self.names.insert(parent.join(name)) && hops > 0 {
                self.add_file(&parent.join(target), hops - 1);
            }
            self.add_directory(parent);
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "makes files to look at")]
mod tests {
    use super::*;
    use std::fs;

    fn places(file: PathBuf) -> WatchPlaces {
        WatchPlaces::for_list(&Watchlist { files: vec![file], ..Watchlist::default() })
    }

    #[test]
    fn the_nearest_directory_stands_in_for_a_missing_one() {
        let scratch = tempfile::tempdir().unwrap();
        let root = canonical(scratch.path()).unwrap();
        fs::create_dir(root.join("a")).unwrap();
        let places = places(root.join("a/b/c/settings.json"));
        assert_eq!(places.directories, BTreeSet::from([root.join("a")]));
        assert_eq!(places.above, BTreeSet::from([root.clone()]));
        assert!(places.concerns(&root.join("a/b"), false));
        assert!(places.concerns(&root.join("a"), false));
        assert!(!places.concerns(&root.join("a/other"), false));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_one_by_one() {
        let scratch = tempfile::tempdir().unwrap();
        let root = canonical(scratch.path()).unwrap();
        for directory in ["here", "there", "far"] {
            fs::create_dir(root.join(directory)).unwrap();
        }
        std::os::unix::fs::symlink("../there/link", root.join("here/settings.json")).unwrap();
        std::os::unix::fs::symlink(root.join("far/not-yet"), root.join("there/link")).unwrap();
        let places = places(root.join("here/settings.json"));
        for name in ["here/settings.json", "there/link", "far/not-yet"] {
            assert!(places.concerns(&root.join(name), false), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_loop_of_links_ends() {
        let scratch = tempfile::tempdir().unwrap();
        let link = scratch.path().join("loop");
        std::os::unix::fs::symlink("loop", &link).unwrap();
        assert!(places(link).concerns(&canonical(scratch.path()).unwrap().join("loop"), false));
    }
}

#[cfg(unix)]
#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "makes files to look at")]
mod state_tests {
    use std::fs;

    use super::*;

    /// The thread may begin to watch long after it was asked to.
    #[test]
    fn a_directory_that_went_and_came_back_before_it_is_watched_may_have_changed() {
        let root = tempfile::tempdir().unwrap();
        let (project, away) = (root.path().join("project"), root.path().join("away"));
        fs::create_dir(&project).unwrap();
        fs::write(project.join("settings.json"), "{}").unwrap();
        let list = Watchlist { files: vec![project.join("settings.json")], ..Watchlist::default() };
        let set = |meanwhile: &dyn Fn()| {
            let seen = look_at_new(&list, &Watchlist::default());
            meanwhile();
            WatchState::new(std::sync::mpsc::channel().0).set(list.clone(), seen)
        };
        assert!(!set(&|| ()));
        // The clock of the file system has ticks.
        let before = change_time(&project);
        assert!(set(&|| {
            while change_time(&project) == before {
                fs::rename(&project, &away).unwrap();
                fs::rename(&away, &project).unwrap();
            }
        }));
    }
}
