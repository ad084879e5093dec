//! Reads git repositories without git: a repository's configuration, attributes and environment can name programs
//! that git runs, so a clone could execute code through it. Nothing is executed or fetched here.
//!
//! | file | holds |
//! |---|---|
//! | `revision` | a commit named by the user |
//! | `pack` | one pack |
//! | `status` | staged, changed and untracked files; the files that are not ignored |

mod pack;
mod revision;
mod status;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use status::{RepositoryStatus, status};

use crate::disk::files::DiskFiles;
use hookbench_core::git::{
    CommitHead, GitConfig, GitIndex, ObjectId, ObjectKind, TreeEntry, find_checkout, parse_commit, parse_tag,
    parse_tree,
};
use hookbench_system::disk;
use pack::Objects;

/// Limits of a commit's file list: the number of entries, and the depth of nested directories.
const MAX_FILES: usize = 1_000_000;
const MAX_DEPTH: usize = 256;
/// The maximum size in bytes of a commit, a tree or a tag.
const MAX_OBJECT_BYTES: usize = 64 << 20;

/// Errors in reading a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    #[error("no git repository here")]
    NoRepository,
    #[error("no such commit")]
    NoCommit,
    #[error("{0}")]
    Unknown(&'static str),
    #[error("object {0} is missing; fetch it with git")]
    Missing(ObjectId),
    #[error("object {0} is damaged; run git fsck")]
    Damaged(ObjectId),
    #[error("object {0} is over {1} MiB")]
    TooLarge(ObjectId, usize),
    #[error("{0}")]
    Unreadable(String),
    #[error("the commit has too many files")]
    TooMany,
}

/// A repository, found from a directory of its checkout.
#[derive(Debug)]
pub struct Repository {
    /// The root of the checkout.
    pub root: PathBuf,
    /// The git directory of this checkout, and the one shared by all checkouts.
    own: PathBuf,
    common: PathBuf,
    /// The length of a hash in bytes.
    width: usize,
    config: GitConfig,
    objects: Objects,
}

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub mode: u32,
    pub id: ObjectId,
}

impl Repository {
    /// Finds the repository whose checkout contains a directory. A bare repository does not count, because it may be
    /// part of another repository's files.
    ///
    /// # Errors
    /// Returns an error if the directory is not in a repository, or if the repository's format is not supported.
    pub fn of(directory: &Path) -> Result<Repository, GitError> {
        let directory = directory.to_string_lossy();
        let found = find_checkout(&DiskFiles, &directory).ok_or(GitError::NoRepository)?;
        let (own, common) = (PathBuf::from(found.git_directory), PathBuf::from(found.common_git_directory));
        if !own.join("HEAD").exists() {
            return Err(GitError::NoRepository);
        }
        let config = disk::read_up_to(common.join("config"), 1 << 20).unwrap_or_default();
        let config = GitConfig::parse(&String::from_utf8_lossy(&config));
        let width = match config.get("extensions", "", "objectformat") {
            None | Some("sha1") => 20,
            Some("sha256") => 32,
            Some(_) => return Err(GitError::Unknown("this repository uses an unknown hash format")),
        };
        let objects = Objects::open(&common.join("objects"), width);
        Ok(Repository { root: PathBuf::from(found.root), own, common, width, config, objects })
    }

    /// Resolves an object to a commit, following tags.
    fn commit_of(&self, id: &ObjectId) -> Result<(ObjectId, CommitHead), GitError> {
        let mut id = id.clone();
        for _ in 0..16 {
            let damaged = || GitError::Damaged(id.clone());
            let (kind, bytes) = self.objects.read(&id, MAX_OBJECT_BYTES)?;
            match kind {
                ObjectKind::Commit => return Ok((id.clone(), parse_commit(&bytes, self.width).ok_or_else(damaged)?)),
                ObjectKind::Tag => id = parse_tag(&bytes, self.width).ok_or_else(damaged)?,
                ObjectKind::Tree | ObjectKind::Blob => return Err(GitError::NoCommit),
            }
        }
        Err(GitError::Damaged(id))
    }

    /// The files of a commit, by path from the root of the checkout, including submodules.
    ///
    /// # Errors
    /// Returns an error if one of its trees cannot be read, or if there are too many files.
    pub fn files(&self, commit: &ObjectId) -> Result<BTreeMap<String, Blob>, GitError> {
        self.files_of_tree(&self.commit_of(commit)?.1.tree)
    }

    fn files_of_tree(&self, root: &ObjectId) -> Result<BTreeMap<String, Blob>, GitError> {
        let mut files = BTreeMap::new();
        let mut directories = vec![(String::new(), root.clone(), 0)];
        let mut seen = 0;
        while let Some((path, id, depth)) = directories.pop() {
            let (kind, bytes) = self.objects.read(&id, MAX_OBJECT_BYTES)?;
            let entries = parse_tree(&bytes, self.width).filter(|_| kind == ObjectKind::Tree);
            for TreeEntry { mode, name, id } in entries.ok_or(GitError::Damaged(id))? {
                seen += 1;
                if seen > MAX_FILES || depth > MAX_DEPTH {
                    return Err(GitError::TooMany);
                }
                let path = format!("{path}{name}");
                if mode & 0o170_000 == TreeEntry::DIRECTORY {
                    directories.push((format!("{path}/"), id, depth + 1));
                } else {
                    files.insert(path, Blob { mode, id });
                }
            }
        }
        Ok(files)
    }

    /// Reads a file of a commit, of at most `most` bytes.
    ///
    /// # Errors
    /// Returns an error if it is missing, damaged or larger.
    pub fn blob(&self, id: &ObjectId, most: usize) -> Result<Vec<u8>, GitError> {
        match self.objects.read(id, most)? {
            (ObjectKind::Blob, bytes) => Ok(bytes),
            _ => Err(GitError::Damaged(id.clone())),
        }
    }

    /// Reads the index. `None` if it is missing, or if it is split or sparse.
    fn index(&self) -> Option<GitIndex> {
        let bytes = disk::read_up_to(self.own.join("index"), 1 << 30).ok()?;
        GitIndex::parse(&bytes, self.width).filter(|index| !index.split && !index.sparse)
    }

    /// The files that git tracks now, by path from the root of the checkout: those of the index, or those of `HEAD`
    /// if the index cannot be used.
    pub fn tracked(&self) -> Vec<String> {
        if let Some(index) = self.index() {
            return index.entries.into_iter().map(|entry| entry.name).collect();
        }
        let files = self.resolve("HEAD").and_then(|head| self.files(&head));
        files.map(|files| files.into_keys().collect()).unwrap_or_default()
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]
mod tests;
