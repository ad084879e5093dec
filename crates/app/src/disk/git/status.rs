//! The status of a repository, and the list of its files that are not ignored. Files are compared with their
//! contents in git without the filters that a repository's attributes may name, so a file that such a filter would
//! convert counts as changed after it is written again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::{Blob, GitError, Repository};
use hookbench_core::git::{GitConfig, GitIndex, IgnoreFile, IndexEntry, TreeEntry};
use hookbench_system::disk;

/// The maximum size in bytes of a file to compare.
const MAX_COMPARED_BYTES: u64 = 16 << 20;
/// Limits of the walk: the number of directory entries, and the depth of nested directories.
const MAX_ENTRIES: usize = 200_000;
const MAX_DEPTH: usize = 128;

/// The status of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepositoryStatus {
    /// The root of the checkout.
    pub root: PathBuf,
    /// The time of the index's last write: seconds since 1970, and nanoseconds.
    pub indexed: (u64, u32),
    /// `None` if `HEAD` is detached.
    pub branch: Option<String>,
    /// The id of the current commit; `None` before the first commit.
    pub head: Option<String>,
    /// The number of staged changes; a renamed file with the same contents counts once.
    pub staged: usize,
    pub changed: usize,
    /// The number of untracked files; a directory without tracked files counts once.
    pub untracked: usize,
    pub conflicts: usize,
    /// Files that are tracked or not ignored, by path from the root of the checkout.
    pub files: Vec<String>,
}

/// A function that returns whether there is time left.
type TimeCheck<'a> = &'a dyn Fn() -> bool;

/// Computes the status of the repository that contains a directory. Returns `Ok(None)` if the time is up.
///
/// # Errors
/// Returns an error if the directory is not in a repository, or if the repository cannot be read.
pub fn status(directory: &Path, home: &Path, time: TimeCheck<'_>) -> Result<Option<RepositoryStatus>, GitError> {
    let repository = Repository::of(directory)?;
    if !time() {
        return Ok(None);
    }
    let head = repository.head()?;
    let index = match repository.index() {
        Some(index) => index,
        None if repository.own.join("index").exists() => {
            return Err(GitError::Unknown("the index of this repository is split or sparse"));
        }
        None => GitIndex::default(),
    };
    let worktree = Worktree::of(&repository);
    let mut status = RepositoryStatus {
        root: repository.root.clone(),
        indexed: worktree.indexed,
        branch: head.branch.map(|name| name.strip_prefix("refs/heads/").map_or(name.clone(), str::to_owned)),
        head: head.id.as_ref().map(ToString::to_string),
        conflicts: index.entries.iter().filter(|e| e.stage > 0).map(|e| &e.name).collect::<BTreeSet<_>>().len(),
        ..RepositoryStatus::default()
    };
    let tree = head.id.map(|id| repository.commit_of(&id).map(|(_, commit)| commit.tree)).transpose()?;
    // If the index caches the same tree as the commit, nothing is staged.
    if tree.is_none() || tree != index.tree {
        let committed = tree.map(|tree| repository.files_of_tree(&tree)).transpose()?.unwrap_or_default();
        status.staged = staged(&committed, &index);
    }
    for (number, entry) in index.entries.iter().enumerate() {
        if number % 256 == 255 && !time() {
            return Ok(None);
        }
        status.changed += usize::from(entry.stage == 0 && worktree.changed(entry));
    }
    let mut walk = UntrackedWalk::new(&repository, &index, home, time);
    if !walk.walk_directory("", 0, None) {
        return Ok(None);
    }
    status.untracked = walk.untracked.len();
    status.files = index.entries.iter().map(|entry| entry.name.clone()).chain(walk.files).collect();
    status.files.sort();
    status.files.dedup();
    Ok(Some(status))
}

/// Counts the files that the next commit would change.
fn staged(committed: &BTreeMap<String, Blob>, index: &GitIndex) -> usize {
    let mut next: BTreeMap<&str, &IndexEntry> = BTreeMap::new();
    let mut conflicts: BTreeSet<&str> = BTreeSet::new();
    for entry in index.entries.iter().filter(|entry| !entry.intent_to_add) {
        if entry.stage > 0 {
            conflicts.insert(&entry.name);
        } else {
            next.insert(&entry.name, entry);
        }
    }
    let gone = |name: &&String| !next.contains_key(name.as_str()) && !conflicts.contains(name.as_str());
    let mut gone: Vec<&Blob> = committed.iter().filter(|(name, _)| gone(name)).map(|(_, blob)| blob).collect();
    let mut count = 0;
    for (name, entry) in next {
        match committed.get(name) {
            Some(blob) => count += usize::from(blob.id != entry.id || blob.mode != entry.mode),
            None => {
                count += 1;
                // The same contents under another name: a rename.
                if let Some(at) = gone.iter().position(|blob| blob.id == entry.id) {
                    gone.swap_remove(at);
                }
            }
        }
    }
    count + gone.len()
}

/// The checked-out files on disk.
struct Worktree<'a> {
    repository: &'a Repository,
    /// The time of the index's last write. A file with a later time may have changed even if its size and time
    /// match.
    indexed: (u64, u32),
    modes: bool,
}

impl Worktree<'_> {
    fn of(repository: &Repository) -> Worktree<'_> {
        let indexed = fs::metadata(repository.own.join("index")).map(|about| write_time(&about)).unwrap_or_default();
        let modes = repository.config.get("core", "", "filemode") != Some("false") && cfg!(unix);
        Worktree { repository, indexed, modes }
    }

    fn changed(&self, entry: &IndexEntry) -> bool {
        if entry.skip_worktree {
            return false;
        }
        if entry.intent_to_add {
            return true;
        }
        let path = self.repository.root.join(&entry.name);
        let Ok(about) = fs::symlink_metadata(&path) else { return true };
        match entry.mode & 0o170_000 {
            // A submodule that was never checked out counts as unchanged.
            TreeEntry::MODULE => Repository::of(&path)
                .ok()
                .filter(|inner| inner.root == path)
                .and_then(|inner| inner.head().ok()?.id)
                .is_some_and(|id| id != entry.id),
            TreeEntry::LINK => {
                let target = fs::read_link(&path).map(|target| target.to_string_lossy().into_owned().into_bytes());
                !about.is_symlink() || target.ok() != self.stored_contents(entry)
            }
            _ => !about.is_file() || self.mode_changed(entry, &about) || self.content_changed(entry, &about, &path),
        }
    }

    fn mode_changed(&self, entry: &IndexEntry, about: &Metadata) -> bool {
        #[cfg(unix)]
        let runs = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o100 != 0;
        #[cfg(not(unix))]
        let runs = about.is_symlink();
        self.modes && runs != (entry.mode & 0o100 != 0)
    }

    fn content_changed(&self, entry: &IndexEntry, about: &Metadata, path: &Path) -> bool {
        let now = write_time(about);
        let then = (u64::from(entry.modified_at.0), entry.modified_at.1);
        // Not every file system stores nanoseconds.
        let same_time = now.0 & 0xffff_ffff == then.0 && (now.1 == then.1 || then.1 == 0);
        let same_size = about.len() & 0xffff_ffff == u64::from(entry.size);
        if same_size && same_time && then < self.indexed {
            return false;
        }
        if !same_size && entry.size != 0 {
            return true;
        }
        let (Ok(now), Some(kept)) = (disk::read_up_to(path, MAX_COMPARED_BYTES), self.stored_contents(entry)) else {
            return true;
        };
        now != kept && normalize_line_breaks(&now) != normalize_line_breaks(&kept)
    }

    fn stored_contents(&self, entry: &IndexEntry) -> Option<Vec<u8>> {
        self.repository.blob(&entry.id, usize::try_from(MAX_COMPARED_BYTES).ok()?).ok()
    }
}

/// Removes the carriage return of each line break, because git may store other line breaks than the file has.
fn normalize_line_breaks(bytes: &[u8]) -> Vec<u8> {
    let next = |at: usize| bytes.get(at + 1);
    let kept = bytes.iter().enumerate().filter(|(at, byte)| **byte != b'\r' || next(*at) != Some(&b'\n'));
    kept.map(|(_, byte)| *byte).collect()
}

fn write_time(about: &Metadata) -> (u64, u32) {
    let since = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    (since.as_secs(), since.subsec_nanos())
}

/// Finds the files that are neither tracked nor ignored.
struct UntrackedWalk<'a> {
    root: String,
    tracked: BTreeSet<&'a str>,
    patterns: Vec<IgnoreFile>,
    left: usize,
    time: TimeCheck<'a>,
    files: Vec<String>,
    /// The topmost directories without tracked files, and untracked files next to tracked ones.
    untracked: BTreeSet<String>,
}

impl<'a> UntrackedWalk<'a> {
    fn new(repository: &Repository, index: &'a GitIndex, home: &Path, time: TimeCheck<'a>) -> UntrackedWalk<'a> {
        let root = repository.root.to_string_lossy().into_owned();
        let own = |file: &str| disk::read_up_to(home.join(file), 1 << 20).ok();
        let settings = std::env::var("XDG_CONFIG_HOME").ok().filter(|directory| !directory.is_empty());
        let settings = settings.unwrap_or_else(|| home.join(".config").to_string_lossy().into_owned());
        let excludes = [format!("{settings}/git/config"), ".gitconfig".to_owned()].iter().rev().find_map(|file| {
            let config = GitConfig::parse(&String::from_utf8_lossy(&own(file)?));
            config.get("core", "", "excludesfile").map(str::to_owned)
        });
        let excludes = match excludes {
            Some(path) => path.strip_prefix("~/").map_or(path.clone(), |rest| format!("{}/{rest}", home.display())),
            None => format!("{settings}/git/ignore"),
        };
        let exclude = repository.common.join("info/exclude").to_string_lossy().into_owned();
        let patterns = [excludes, exclude].iter().filter_map(|file| read_patterns(file, &root)).collect();
        let tracked = index.entries.iter().map(|entry| entry.name.as_str()).collect();
        UntrackedWalk {
            root,
            tracked,
            patterns,
            left: MAX_ENTRIES,
            time,
            files: Vec::new(),
            untracked: BTreeSet::new(),
        }
    }

    /// Returns whether a directory contains a tracked file.
    fn has_tracked(&self, directory: &str) -> bool {
        self.tracked.range(directory..).next().is_some_and(|name| name.starts_with(directory))
    }

    fn ignored(&self, path: &str, directory: bool) -> bool {
        let full = format!("{}/{path}", self.root);
        self.patterns.iter().rev().find_map(|patterns| patterns.ignores(&full, directory)).unwrap_or(false)
    }

    /// Walks a directory. `path` ends with a slash; the root's is empty. Returns `false` if the walk was cut short.
    fn walk_directory(&mut self, path: &str, depth: usize, above: Option<&str>) -> bool {
        let here = format!("{}/{path}", self.root);
        let own = read_patterns(&format!("{here}.gitignore"), here.trim_end_matches('/'));
        let count = self.patterns.len();
        self.patterns.extend(own);
        let mut names: Vec<_> = fs::read_dir(&here).into_iter().flatten().flatten().collect();
        names.sort_by_key(|entry| entry.file_name());
        let done = depth < MAX_DEPTH && names.into_iter().all(|entry| self.visit(path, &entry, depth, above));
        self.patterns.truncate(count);
        done
    }

    fn visit(&mut self, path: &str, entry: &fs::DirEntry, depth: usize, above: Option<&str>) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 || (self.left.is_multiple_of(64) && !(self.time)()) {
            return false;
        }
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { return true };
        let full = format!("{path}{name}");
        if name == ".git" || self.tracked.contains(full.as_str()) {
            return true;
        }
        let inside = format!("{full}/");
        let holds = kind.is_dir() && self.has_tracked(&inside);
        if !holds && self.ignored(&full, kind.is_dir()) {
            return true;
        }
        let counted = above.map_or_else(|| if kind.is_dir() { inside.clone() } else { full.clone() }, str::to_owned);
        if kind.is_dir() {
            // A nested repository counts as one entry.
            if !holds && entry.path().join(".git/HEAD").exists() {
                self.untracked.insert(counted);
                self.files.push(inside);
                return true;
            }
            return self.walk_directory(&inside, depth + 1, if holds { None } else { Some(&counted) });
        }
        if kind.is_file() || kind.is_symlink() {
            self.untracked.insert(counted);
            self.files.push(full);
        }
        true
    }
}

fn read_patterns(file: &str, directory: &str) -> Option<IgnoreFile> {
    let bytes = disk::read_up_to(file, 1 << 20).ok()?;
    Some(IgnoreFile::parse(file, directory, &String::from_utf8_lossy(&bytes)))
}
