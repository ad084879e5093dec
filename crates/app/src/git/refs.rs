//! Names of commits that a repository keeps.

use super::{GitError, Repository};
use hookbench_core::git::Id;
use hookbench_system::disk;

/// A name that leads to a name, and so on: so often.
const HOPS: usize = 5;
/// Bytes of a file that holds one name.
const NAME: u64 = 64 << 10;

/// What `HEAD` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// As `refs/heads/main`; `None`: no branch is checked out.
    pub branch: Option<String>,
    /// `None`: there is no commit yet.
    pub id: Option<Id>,
}

impl Repository {
    /// What is checked out.
    pub(super) fn head(&self) -> Result<Head, GitError> {
        let text = self.line("HEAD").ok_or(GitError::NoRepository)?;
        match text.strip_prefix("ref:").map(str::trim) {
            // The newer way of keeping names leaves this in place of the real one.
            Some("refs/heads/.invalid") => Err(GitError::Unknown(REFTABLE)),
            Some(branch) => Ok(Head { branch: Some(branch.to_owned()), id: self.reference(branch) }),
            None => Ok(Head { branch: None, id: Id::parse(&text, self.width) }),
        }
    }

    /// The object that a full name leads to: `HEAD`, `refs/heads/main`.
    pub(super) fn reference(&self, name: &str) -> Option<Id> {
        let mut name = name.to_owned();
        for _ in 0..HOPS {
            if !is_name(&name) {
                return None;
            }
            let Some(text) = self.line(&name) else { return self.packed(&name) };
            match text.strip_prefix("ref:") {
                Some(other) => other.trim().clone_into(&mut name),
                // `FETCH_HEAD` says more behind it.
                None => return Id::parse(text.split_ascii_whitespace().next()?, self.width),
            }
        }
        None
    }

    /// The name that stands for a short one, in git's order.
    pub(super) fn full_name(&self, short: &str) -> Option<(String, Id)> {
        let all = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map(|before| format!("{before}{short}"));
        let all = all.into_iter().chain([format!("refs/remotes/{short}/HEAD")]);
        all.into_iter().find_map(|name| self.reference(&name).map(|id| (name, id)))
    }

    /// What a name was, the newest first, with what was done then.
    pub(super) fn log(&self, name: &str) -> Option<Vec<(Id, Id, String)>> {
        let file = |folder: &std::path::Path| disk::read(folder.join("logs").join(name)).ok();
        let bytes = is_name(name).then(|| file(&self.own).or_else(|| file(&self.common)))??;
        let text = String::from_utf8_lossy(&bytes);
        let entry = |line: &str| {
            let (head, says) = line.split_once('\t').unwrap_or((line, ""));
            let mut words = head.split(' ');
            let mut id = || Id::parse(words.next()?, self.width);
            Some((id()?, id()?, says.to_owned()))
        };
        Some(text.lines().rev().filter_map(entry).collect())
    }

    fn line(&self, name: &str) -> Option<String> {
        let file = |folder: &std::path::Path| disk::read_up_to(folder.join(name), NAME).ok();
        let bytes = file(&self.own).or_else(|| file(&self.common))?;
        Some(String::from_utf8_lossy(&bytes).lines().next()?.trim().to_owned())
    }

    fn packed(&self, name: &str) -> Option<Id> {
        let bytes = disk::read(self.common.join("packed-refs")).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let id = text.lines().find_map(|line| line.split_once(' ').filter(|(_, of)| *of == name).map(|(id, _)| id));
        Id::parse(id?, self.width)
    }
}

/// What is said where names are kept in the newer way.
pub(super) const REFTABLE: &str =
    "this repository keeps its branches in a reftable, which hookbench does not read; name the commit by its id";

/// Whether it names a reference, and no file elsewhere.
fn is_name(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && !part.starts_with('.');
    name.split('/').all(part)
        && !name.contains("..")
        && !name.contains(|c: char| c.is_control() || "\\^~:?*[ ".contains(c))
}
