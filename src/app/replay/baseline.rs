//! What a configuration is held against: what was recorded, a commit, another directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use tempfile::TempDir;

use crate::app::files::DiskFiles;
use crate::app::scratch::copy_tree;
use crate::core::config::{FileError, Files};

/// What is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Baseline {
    /// What happened when the event was recorded.
    Recorded,
    /// The project as it was in a commit. What is not under version control is taken as it is now.
    Git(String),
    /// Another directory.
    Dir(PathBuf),
}

/// Why a baseline cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    #[error("git:{rev}: {why}")]
    Git { rev: String, why: String },
    #[error("a copy of the project for git:{rev}: {why}")]
    Copy { rev: String, why: String },
}

impl Baseline {
    /// `recorded`, `git:REV` or a directory.
    pub fn parse(text: &str) -> Baseline {
        match text.strip_prefix("git:") {
            Some(rev) => Baseline::Git(rev.to_owned()),
            None if text == "recorded" => Baseline::Recorded,
            None => Baseline::Dir(PathBuf::from(text)),
        }
    }
}

/// A commit, seen from a folder of its checkout.
#[derive(Debug)]
pub struct Commit {
    rev: String,
    root: PathBuf,
    /// Files of the commit with their objects and whether they may be run, by absolute path.
    then: BTreeMap<String, (String, bool)>,
    /// Folders of the commit.
    folders: BTreeSet<String>,
    /// Files that are under version control now.
    now: BTreeSet<String>,
    read: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl Commit {
    /// The commit of that name in the checkout that `project` lies in.
    ///
    /// # Errors
    /// When there is no git, no checkout or no such commit.
    pub fn of(project: &Path, rev: &str) -> Result<Commit, BaselineError> {
        let fail = |why: String| BaselineError::Git { rev: rev.to_owned(), why };
        let root = git(project, &["rev-parse", "--show-toplevel"]).map_err(fail)?;
        let root = PathBuf::from(String::from_utf8_lossy(&root).trim_end_matches('\n'));
        // Told apart from an option and from a path, and said clearly when it is neither.
        let name = format!("{rev}^{{commit}}");
        git(&root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name])
            .map_err(|_| fail("there is no such commit".to_owned()))?;
        let listed = git(&root, &["ls-tree", "-r", "-z", "--full-tree", &name]).map_err(fail)?;
        let mut then = BTreeMap::new();
        let mut folders = BTreeSet::new();
        // Links are taken as they are now: what they lead to is told by the disk.
        let mut links = BTreeSet::new();
        for line in parted(&listed) {
            let Some((head, path)) = line.split_once('\t') else { continue };
            let mut words = head.split(' ');
            let (Some(mode), Some("blob"), Some(object)) = (words.next(), words.next(), words.next()) else { continue };
            let path = format!("{}/{path}", root.display());
            if mode == "120000" {
                links.insert(path);
                continue;
            }
            let parents = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
            folders.extend(parents.filter(|p| p.len() > root.as_os_str().len()));
            then.insert(path, (object.to_owned(), mode == "100755"));
        }
        let tracked = git(&root, &["ls-files", "-z", "--full-name"]).map_err(fail)?;
        let now = parted(&tracked).map(|path| format!("{}/{path}", root.display()));
        let now = now.filter(|path| !links.contains(path)).collect();
        Ok(Commit { rev: rev.to_owned(), root, then, folders, now, read: Mutex::default() })
    }

    /// A copy of the checkout as it was, with what is not under version control as it is now.
    ///
    /// # Errors
    /// When it cannot be copied or the commit not be unpacked.
    pub fn unpacked(&self) -> Result<TempDir, BaselineError> {
        let fail = |why: String| BaselineError::Copy { rev: self.rev.clone(), why };
        let dir = tempfile::Builder::new().prefix("hookbench-").tempdir().map_err(|why| fail(why.to_string()))?;
        copy_tree(&self.root, dir.path()).map_err(|why| fail(why.to_string()))?;
        for path in self.now.iter().filter(|path| !self.then.contains_key(*path)) {
            if let Some(copy) = self.below(path, dir.path()) {
                // What is gone already need not go.
                let _ = std::fs::remove_file(copy);
            }
        }
        for (path, (_, executable)) in &self.then {
            let Some(copy) = self.below(path, dir.path()) else { continue };
            let bytes = self.bytes(path).map_err(|why| fail(why.to_string()))?;
            if let Some(folder) = copy.parent() {
                std::fs::create_dir_all(folder).map_err(|why| fail(why.to_string()))?;
            }
            std::fs::write(&copy, bytes).map_err(|why| fail(format!("{}: {why}", copy.display())))?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                let mode = if *executable { 0o755 } else { 0o644 };
                let set = std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(mode));
                set.map_err(|why| fail(why.to_string()))?;
            }
        }
        Ok(dir)
    }

    /// Where a folder of the checkout lies in a copy of it.
    pub fn below(&self, path: impl AsRef<Path>, copy: &Path) -> Option<PathBuf> {
        Some(copy.join(path.as_ref().strip_prefix(&self.root).ok()?))
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, FileError> {
        let Some((object, _)) = self.then.get(path) else { return Err(FileError::Missing) };
        let mut read = self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(bytes) = read.get(path) {
            return Ok(bytes.clone());
        }
        let unreadable = |why| FileError::Unreadable { why, cure: "see whether git can read it: git fsck" };
        let bytes = git(&self.root, &["cat-file", "blob", object]).map_err(unreadable)?;
        read.insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    /// Whether the commit says what is there, not the disk.
    fn rules(&self, path: &str) -> bool {
        self.then.contains_key(path) || self.now.contains(path)
    }
}

impl Files for Commit {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        if self.rules(path) { self.bytes(path) } else { DiskFiles.read(path) }
    }

    fn exists(&self, path: &str) -> bool {
        if self.rules(path) {
            self.then.contains_key(path)
        } else {
            self.folders.contains(path) || DiskFiles.exists(path)
        }
    }

    fn canonical(&self, path: &str) -> Option<String> {
        if self.rules(path) {
            return self.then.contains_key(path).then(|| path.to_owned());
        }
        DiskFiles.canonical(path).or_else(|| self.folders.contains(path).then(|| path.to_owned()))
    }

    fn list(&self, path: &str) -> Vec<String> {
        let inside = format!("{}/", path.trim_end_matches('/'));
        let name = |full: &String| full.strip_prefix(&inside)?.split('/').next().map(str::to_owned);
        let mut names: BTreeSet<String> = self.then.keys().filter_map(name).collect();
        let gone = |n: &String| {
            let full = format!("{inside}{n}");
            self.rules(&full) && !self.then.contains_key(&full)
        };
        names.extend(DiskFiles.list(path).into_iter().filter(|n| !gone(n)));
        names.into_iter().collect()
    }

    fn executable(&self, path: &str) -> Option<bool> {
        if self.rules(path) {
            self.then.get(path).map(|(_, executable)| *executable)
        } else {
            DiskFiles.executable(path)
        }
    }

    fn guarded(&self, path: &str) -> bool {
        DiskFiles.guarded(path)
    }
}

fn parted(bytes: &[u8]) -> impl Iterator<Item = String> + '_ {
    bytes.split(|b| *b == 0).filter(|part| !part.is_empty()).map(|part| String::from_utf8_lossy(part).into_owned())
}

fn git(folder: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    let done = Command::new("git").arg("-C").arg(folder).args(args).stdin(Stdio::null()).output();
    let done = done.map_err(|why| format!("git cannot be started: {why}"))?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(said.lines().next().unwrap_or("git failed").trim_start_matches("fatal: ").to_owned())
}
