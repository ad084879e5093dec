//! Reads a repository's references: `HEAD`, branches, tags, and their logs.

use super::{GitError, Repository};
use hookbench_core::git::ObjectId;
use hookbench_system::disk;

/// The maximum number of symbolic references to follow.
const MAX_HOPS: usize = 5;
/// The maximum size in bytes of a file that holds one reference.
const MAX_REF_BYTES: u64 = 64 << 10;

/// The state of `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeadRef {
    /// The full name, such as `refs/heads/main`; `None` if `HEAD` is detached.
    pub branch: Option<String>,
    /// `None` before the first commit.
    pub id: Option<ObjectId>,
}

impl Repository {
    /// Reads `HEAD`.
    pub(super) fn head(&self) -> Result<HeadRef, GitError> {
        let text = self.line("HEAD").ok_or(GitError::NoRepository)?;
        match text.strip_prefix("ref:").map(str::trim) {
            // A repository with a reftable keeps this placeholder in the `HEAD` file.
            Some("refs/heads/.invalid") => Err(GitError::Unknown(REFTABLE)),
            Some(branch) => Ok(HeadRef { branch: Some(branch.to_owned()), id: self.reference(branch) }),
            None => Ok(HeadRef { branch: None, id: ObjectId::parse(&text, self.width) }),
        }
    }

    /// The object that a full name refers to: `HEAD`, `refs/heads/main`.
    pub(super) fn reference(&self, name: &str) -> Option<ObjectId> {
        let mut name = name.to_owned();
        for _ in 0..MAX_HOPS {
            if !is_name(&name) {
                return None;
            }
            let Some(text) = self.line(&name) else { return self.packed(&name) };
            match text.strip_prefix("ref:") {
                Some(other) => other.trim().clone_into(&mut name),
                // `FETCH_HEAD` has more text after the id.
                None => return ObjectId::parse(text.split_ascii_whitespace().next()?, self.width),
            }
        }
        None
    }

    /// Expands a short name, in git's order of preference.
    pub(super) fn full_name(&self, short: &str) -> Option<(String, ObjectId)> {
        let all = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map(|before| format!("{before}{short}"));
        let all = all.into_iter().chain([format!("refs/remotes/{short}/HEAD")]);
        all.into_iter().find_map(|name| self.reference(&name).map(|id| (name, id)))
    }

    /// The reflog of a name, newest entry first: old id, new id, and the action.
    pub(super) fn log(&self, name: &str) -> Option<Vec<(ObjectId, ObjectId, String)>> {
        let file = |directory: &std::path::Path| disk::read(directory.join("logs").join(name)).ok();
        let bytes = is_name(name).then(|| file(&self.own).or_else(|| file(&self.common)))??;
        let text = String::from_utf8_lossy(&bytes);
        let entry = |line: &str| {
            let (head, says) = line.split_once('\t').unwrap_or((line, ""));
            let mut words = head.split(' ');
            let mut id = || ObjectId::parse(words.next()?, self.width);
            Some((id()?, id()?, says.to_owned()))
        };
        Some(text.lines().rev().filter_map(entry).collect())
    }

    fn line(&self, name: &str) -> Option<String> {
        let file = |directory: &std::path::Path| disk::read_up_to(directory.join(name), MAX_REF_BYTES).ok();
        let bytes = file(&self.own).or_else(|| file(&self.common))?;
        Some(String::from_utf8_lossy(&bytes).lines().next()?.trim().to_owned())
    }

    fn packed(&self, name: &str) -> Option<ObjectId> {
        let bytes = disk::read(self.common.join("packed-refs")).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let id = text.lines().find_map(|line| line.split_once(' ').filter(|(_, of)| *of == name).map(|(id, _)| id));
        ObjectId::parse(id?, self.width)
    }
}

/// The error message for a repository with a reftable.
pub(super) const REFTABLE: &str =
    "this repository stores its branches in a reftable, which hookbench cannot read; give the commit id instead";

/// Returns whether a text is a valid reference name, and not a path outside the reference directories.
fn is_name(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && !part.starts_with('.');
    name.split('/').all(part)
        && !name.contains("..")
        && !name.contains(|c: char| c.is_control() || "\\^~:?*[ ".contains(c))
}
