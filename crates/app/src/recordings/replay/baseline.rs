//! Baselines of a comparison: the recording, a commit, or another directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::TempDir;

use crate::disk::copy_size::CopyStop;
use crate::disk::copying::copy_tree;
use crate::disk::files::DiskFiles;
use crate::disk::git::{Blob, GitError, Repository};
use crate::disk::scratch::create_owned_directory;
use crate::firing::record::FiringRecord;
use hookbench_core::config::{FileError, Files};
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::git::{ObjectId, TreeEntry};
use hookbench_core::recorded::RecordedOutcome;

/// The size limits, in bytes, of a file that is read from a commit and of one that is copied.
const LARGEST_FILE: usize = 64 << 20;
const LARGEST_COPIED: usize = 1 << 30;

/// The configuration to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayBaseline {
    /// The results in the recording of the event.
    Recorded,
    /// The project in a commit. Files outside version control are used in their current state.
    Git(String),
    /// Another directory.
    Dir(PathBuf),
}

/// The reason why a baseline is not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayBaselineError {
    #[error("git:{rev}: {why}")]
    Git { rev: String, why: String },
    #[error("a copy of the project for git:{rev}: {why}")]
    Copy { rev: String, why: String },
}

impl ReplayBaseline {
    /// Parses `recorded`, `git:REV` or a directory.
    pub fn parse(text: &str) -> ReplayBaseline {
        match text.strip_prefix("git:") {
            Some(rev) => ReplayBaseline::Git(rev.to_owned()),
            None if text == "recorded" => ReplayBaseline::Recorded,
            None => ReplayBaseline::Dir(PathBuf::from(text)),
        }
    }
}

/// The files of a commit, seen from a directory of its checkout.
#[derive(Debug)]
pub struct CommitFiles {
    rev: String,
    repository: Repository,
    root: PathBuf,
    /// The files of the commit by absolute path, with their object ids and whether they are executable.
    then: BTreeMap<String, (ObjectId, bool)>,
    /// The directories of the commit.
    directories: BTreeSet<String>,
    /// The files that are currently under version control.
    now: BTreeSet<String>,
    read: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl CommitFiles {
    /// Opens the commit with this name in the checkout that contains `project`.
    pub fn open(project: &Path, rev: &str) -> Result<CommitFiles, ReplayBaselineError> {
        let fail = |why: GitError| ReplayBaselineError::Git { rev: rev.to_owned(), why: why.to_string() };
        let repository = Repository::of(project).map_err(fail)?;
        let root = repository.root.clone();
        let commit = repository.resolve(rev).map_err(fail)?;
        let mut then = BTreeMap::new();
        let mut directories = BTreeSet::new();
        // Links are used in their current state, because their targets are read from the disk.
        let mut links = BTreeSet::new();
        for (path, Blob { mode, id }) in repository.files(&commit).map_err(fail)? {
            let path = format!("{}/{path}", root.display());
            match mode & 0o170_000 {
                TreeEntry::MODULE => continue,
                TreeEntry::LINK => {
                    links.insert(path);
                    continue;
                }
                _ => {}
            }
            let parents = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
            directories.extend(parents.filter(|p| p.len() > root.as_os_str().len()));
            then.insert(path, (id, mode & 0o100 != 0));
        }
        let now = repository.tracked().into_iter().map(|path| format!("{}/{path}", root.display()));
        let now = now.filter(|path| !links.contains(path)).collect();
        Ok(CommitFiles { rev: rev.to_owned(), repository, root, then, directories, now, read: Mutex::default() })
    }

    /// Creates a copy of the checkout at the commit, with the current state of files outside version control.
    pub fn unpack(&self) -> Result<TempDir, ReplayBaselineError> {
        let fail = |why: String| ReplayBaselineError::Copy { rev: self.rev.clone(), why };
        let dir = create_owned_directory().map_err(|why| fail(why.to_string()))?;
        copy_tree(&self.root, dir.path(), &CopyStop::new()).map_err(|why| fail(why.to_string()))?;
        for path in self.now.iter().filter(|path| !self.then.contains_key(*path)) {
            if let Some(copy) = self.path_in_copy(path, dir.path()).filter(|copy| !through_link(copy, dir.path())) {
                // Files that are missing already are ignored, and directories are removed with their last file.
                let _ = std::fs::remove_file(&copy);
                let inside = copy.ancestors().skip(1).take_while(|directory| *directory != dir.path());
                let _ = inside.map(std::fs::remove_dir).take_while(Result::is_ok).count();
            }
        }
        for (path, (object, executable)) in &self.then {
            let Some(copy) = self.path_in_copy(path, dir.path()) else { continue };
            let bytes = self.repository.blob(object, LARGEST_COPIED).map_err(|why| fail(format!("{path}: {why}")))?;
            write_copy(&copy, dir.path(), &bytes, *executable)
                .map_err(|why| fail(format!("{}: {why}", copy.display())))?;
        }
        Ok(dir)
    }

    /// The path in a copy for a path of the checkout.
    pub fn path_in_copy(&self, path: impl AsRef<Path>, copy: &Path) -> Option<PathBuf> {
        Some(copy.join(path.as_ref().strip_prefix(&self.root).ok()?))
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, FileError> {
        let Some((object, _)) = self.then.get(path) else { return Err(FileError::Missing) };
        let mut read = self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(bytes) = read.get(path) {
            return Ok(bytes.clone());
        }
        let unreadable =
            |why: GitError| FileError::Unreadable { why: why.to_string(), help: "check the repository with git fsck" };
        let bytes = self.repository.blob(object, LARGEST_FILE).map_err(unreadable)?;
        read.insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    /// Returns whether the state of a path comes from the commit and not from the disk.
    fn governs(&self, path: &str) -> bool {
        self.then.contains_key(path) || self.directories.contains(path) || self.now.contains(path)
    }

    /// Returns whether a directory exists on the disk only because of files that the commit does not have.
    fn is_only_current(&self, directory: &str) -> bool {
        let inside = format!("{directory}/");
        self.now.range(inside.clone()..).next().is_some_and(|file| file.starts_with(&inside))
            && self.list(directory).is_empty()
    }
}

impl Files for CommitFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        if self.governs(path) { self.bytes(path) } else { DiskFiles.read(path) }
    }

    fn exists(&self, path: &str) -> bool {
        if self.governs(path) {
            self.then.contains_key(path) || self.directories.contains(path)
        } else {
            DiskFiles.exists(path) && !self.is_only_current(path)
        }
    }

    fn canonical(&self, path: &str) -> Option<String> {
        if self.governs(path) {
            return self.exists(path).then(|| path.to_owned());
        }
        DiskFiles.canonical(path).filter(|_| !self.is_only_current(path))
    }

    fn list(&self, path: &str) -> Vec<String> {
        let inside = format!("{}/", path.trim_end_matches('/'));
        let name = |full: &String| full.strip_prefix(&inside)?.split('/').next().map(str::to_owned);
        let mut names: BTreeSet<String> = self.then.keys().filter_map(name).collect();
        names.extend(DiskFiles.list(path).into_iter().filter(|n| self.exists(&format!("{inside}{n}"))));
        names.into_iter().collect()
    }

    fn executable(&self, path: &str) -> Option<bool> {
        if self.governs(path) {
            self.then.get(path).map(|(_, executable)| *executable)
        } else {
            DiskFiles.executable(path)
        }
    }

    fn is_admin_only(&self, path: &str) -> bool {
        DiskFiles.is_admin_only(path)
    }
}

/// Returns whether a path of a copy leads through a link.
fn through_link(path: &Path, copy: &Path) -> bool {
    path.ancestors().skip(1).take_while(|directory| *directory != copy).any(Path::is_symlink)
}

/// Writes a file of a copy. A current link on its path is removed first, so that nothing is written to its target.
fn write_copy(path: &Path, copy: &Path, bytes: &[u8], executable: bool) -> std::io::Result<()> {
    let mut directories: Vec<&Path> = path.ancestors().skip(1).take_while(|directory| *directory != copy).collect();
    directories.reverse();
    for directory in directories {
        if directory.symlink_metadata().is_ok_and(|about| !about.is_dir()) {
            std::fs::remove_file(directory)?;
        }
        std::fs::create_dir_all(directory)?;
    }
    if path.is_symlink() {
        std::fs::remove_file(path)?;
    }
    std::fs::write(path, bytes)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(if executable { 0o755 } else { 0o644 }))?;
    }
    #[cfg(not(unix))]
    let _ = executable;
    Ok(())
}

/// Converts an outcome to its stored form.
pub(crate) fn recorded_outcome(outcome: Outcome) -> RecordedOutcome {
    RecordedOutcome {
        blocked: outcome.blocked,
        decided_by: outcome.decided_by,
        reason: outcome.reason,
        additional_context: outcome.additional_context,
        updated_input: outcome.updated_input,
        system_message: outcome.system_message,
        continues: outcome.continues,
        stop_reason: outcome.stop_reason,
        suppress_output: outcome.suppress_output,
        agent_does: outcome.agent_does,
        extra: outcome.extra,
        environment: None,
    }
}

/// Converts a stored outcome back. It has no trace.
pub(crate) fn outcome_of(verdict: Verdict, told: RecordedOutcome) -> Outcome {
    Outcome {
        blocked: told.blocked,
        decided_by: told.decided_by,
        reason: told.reason,
        additional_context: told.additional_context,
        updated_input: told.updated_input,
        system_message: told.system_message,
        continues: told.continues,
        stop_reason: told.stop_reason,
        suppress_output: told.suppress_output,
        extra: told.extra,
        ..Outcome::without_effect(verdict, told.agent_does)
    }
}

/// The codes of all findings of a firing, sorted, without duplicates.
pub(crate) fn codes(record: &FiringRecord) -> Vec<String> {
    let of_runs = record.runs.iter().filter_map(|run| run.ended()).flat_map(|run| &run.output.notes);
    let notes = record.diagnostics.iter().chain(&record.plan.notes).chain(&record.loaded.notes).chain(of_runs);
    let mut codes: Vec<String> = notes.map(|note| note.code.to_string()).collect();
    codes.sort();
    codes.dedup();
    codes
}

// The tests run git and make files executable.
#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    /// Files and directories whose paths conflict.
    const PATHS: [&str; 6] = ["a", "a/b", "d", "d/e", "d/e/f", ".x/settings.json"];

    /// The state of a checkout: the content of each file and whether it is executable.
    type TestTree = [Option<(u8, bool)>; PATHS.len()];

    fn lay(root: &Path, tree: &TestTree) {
        for entry in fs::read_dir(root).unwrap().flatten().filter(|e| e.file_name() != ".git") {
            let path = entry.path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        for (path, file) in PATHS.iter().zip(tree) {
            let (path, Some((text, run))) = (root.join(path), file) else { continue };
            // A path below an existing file cannot exist.
            if path.exists() || fs::create_dir_all(path.parent().unwrap()).is_err() {
                continue;
            }
            fs::write(&path, [b'0' + text]).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(if *run { 0o755 } else { 0o644 })).unwrap();
        }
    }

    fn git(directory: &Path, args: &[&str]) -> Result<(), String> {
        let done = Command::new("git").arg("-C").arg(directory).args(args).output().unwrap();
        let says = String::from_utf8_lossy(&done.stderr).into_owned();
        if done.status.success() { Ok(()) } else { Err(says) }
    }

    fn commit(root: &Path) {
        git(root, &["add", "-A"]).unwrap();
        let who = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false"];
        git(root, &[&who[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat()).unwrap();
    }

    type FileAnswers = Vec<(String, Option<Vec<u8>>, bool, bool, Vec<String>, Option<bool>)>;

    /// The answers to all queries about files.
    fn seen(files: &dyn Files, root: &Path) -> FileAnswers {
        let all = PATHS.iter().flat_map(|path| Path::new(path).ancestors()).chain([Path::new("nowhere")]);
        let all: BTreeSet<&Path> = all.collect();
        all.into_iter()
            .map(|path| {
                let full = root.join(path).to_string_lossy().trim_end_matches('/').to_owned();
                let mut names = files.list(&full);
                names.retain(|name| name != ".git");
                let there = (files.exists(&full), files.canonical(&full).is_some());
                (path.display().to_string(), files.read(&full).ok(), there.0, there.1, names, files.executable(&full))
            })
            .collect()
    }

    fn tree() -> impl Strategy<Value = TestTree> {
        proptest::array::uniform6(proptest::option::of((0..3_u8, any::<bool>())))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10))]
        /// A commit has the same files as a checkout of it, independent of later commits and current files.
        #[test]
        fn a_commit_is_its_checkout(then in tree(), next in tree(), now in tree(), staged in any::<bool>()) {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().canonicalize().unwrap().join("here");
            let checkout = root.with_file_name("then");
            fs::create_dir(&root).unwrap();
            git(&root, &["init", "-q"]).unwrap();
            lay(&root, &then);
            commit(&root);
            git(&root, &["clone", "-q", ".", checkout.to_str().unwrap()]).unwrap();
            lay(&root, &next);
            commit(&root);
            if staged {
                lay(&root, &now);
                git(&root, &["add", "-A"]).unwrap();
            }
            let commit = CommitFiles::open(&root, "HEAD~1").unwrap();
            let want = seen(&DiskFiles, &checkout);
            prop_assert_eq!(seen(&commit, &root), want.clone());
            let copy = commit.unpack().unwrap();
            prop_assert_eq!(seen(&DiskFiles, copy.path()), want);
        }
    }
}
