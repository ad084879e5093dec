//! Resolves a revision as a user writes it: a branch, a tag, an id or its prefix, followed by steps to earlier
//! commits.

use super::{GitError, Repository};
use hookbench_core::git::ObjectId;
use hookbench_system::disk;

/// A step from one commit to another.
enum RevisionStep {
    /// This many commits back, along first parents.
    Back(usize),
    /// The parent with this number, counted from 1; 0 is the commit itself.
    Parent(usize),
}

impl Repository {
    /// Resolves a revision: `HEAD~1`, `main`, `v1.0^2`, `origin`, `abc1234`, `main@{1}`, `@{-1}`, `@{upstream}`.
    ///
    /// # Errors
    /// Returns an error if there is no such commit, or if it cannot be read.
    pub fn resolve(&self, text: &str) -> Result<ObjectId, GitError> {
        let (base, steps) = split_revision(text)?;
        let (mut id, mut commit) = self.commit_of(&self.resolve_name(base)?)?;
        for step in steps {
            let (times, which) = match step {
                RevisionStep::Parent(0) => continue,
                RevisionStep::Parent(which) => (1, which),
                RevisionStep::Back(times) => (times, 1),
            };
            for _ in 0..times {
                let parent = commit.parents.get(which - 1).ok_or(GitError::NoCommit)?;
                (id, commit) = self.commit_of(parent)?;
            }
        }
        Ok(id)
    }

    fn resolve_name(&self, base: &str) -> Result<ObjectId, GitError> {
        if let Some(id) = ObjectId::parse(base, self.width) {
            return Ok(id);
        }
        if let Some((name, inside)) =
            base.split_once("@{").and_then(|(name, rest)| Some((name, rest.strip_suffix('}')?)))
        {
            return self.resolve_at(name, inside);
        }
        let name = if base == "@" { "HEAD" } else { base };
        if let Some((_, id)) = self.full_name(name) {
            return Ok(id);
        }
        // The format of `git describe`: the last part is an abbreviated id.
        let short = base.rsplit_once("-g").map_or(base, |(_, end)| end);
        let digits = (4..=2 * self.width).contains(&short.len()) && short.bytes().all(|b| b.is_ascii_hexdigit());
        let mut found = if digits { self.objects.beginning_with(&short.to_ascii_lowercase()) } else { Vec::new() };
        found.retain(|id| self.commit_of(id).is_ok());
        match found.as_slice() {
            [one] => Ok(one.clone()),
            [] if self.config.get("extensions", "", "refstorage") == Some("reftable") => {
                Err(GitError::Unknown(REFTABLE))
            }
            [] => Err(GitError::NoCommit),
            _ => Err(GitError::Unknown("several commits start with this id; give more characters")),
        }
    }

    /// Resolves `name@{…}`: an earlier value, an earlier branch, or the upstream branch.
    fn resolve_at(&self, name: &str, inside: &str) -> Result<ObjectId, GitError> {
        let head = || self.head().map(|head| head.branch);
        if let Some(times) = inside.strip_prefix('-').filter(|_| name.is_empty()) {
            let times: usize = times.parse().map_err(|_| GitError::NoCommit)?;
            let log = self.log("HEAD").unwrap_or_default();
            let moves = log.iter().filter_map(|(.., says)| {
                let (from, _) = says.strip_prefix("checkout: moving from ")?.split_once(" to ")?;
                Some(from)
            });
            let before = moves.skip(times.saturating_sub(1)).map(str::to_owned).next().ok_or(GitError::NoCommit)?;
            return self.resolve_name(&before);
        }
        let full = match name {
            "" => head()?.unwrap_or_else(|| "HEAD".to_owned()),
            "@" | "HEAD" => "HEAD".to_owned(),
            name => self.full_name(name).ok_or(GitError::NoCommit)?.0,
        };
        if let Ok(times) = inside.parse::<usize>() {
            let log = self.log(&full).unwrap_or_default();
            let now = log.get(times).map(|(_, new, _)| new.clone());
            // The oldest entry also holds the value before it.
            let first = || log.last().filter(|_| times == log.len()).map(|(old, ..)| old.clone());
            return now.or_else(first).ok_or(GitError::NoCommit);
        }
        if matches!(inside, "u" | "upstream") {
            let full = if full == "HEAD" { head()?.ok_or(GitError::NoCommit)? } else { full };
            let branch = full.strip_prefix("refs/heads/").ok_or(GitError::NoCommit)?;
            let of = |key| self.config.get("branch", branch, key).ok_or(GitError::NoCommit);
            let (remote, merge) = (of("remote")?, of("merge")?);
            let followed = match (remote, merge.strip_prefix("refs/heads/")) {
                (".", _) | (_, None) => merge.to_owned(),
                (remote, Some(short)) => format!("refs/remotes/{remote}/{short}"),
            };
            return self.reference(&followed).ok_or(GitError::NoCommit);
        }
        Err(GitError::Unknown(
            "hookbench supports @{N}, @{-N} and @{upstream}; otherwise give the commit id that git rev-parse prints",
        ))
    }
}

/// Splits a revision into a name and the steps that follow it.
fn split_revision(text: &str) -> Result<(&str, Vec<RevisionStep>), GitError> {
    let start = text.find(['^', '~']).unwrap_or(text.len());
    let (base, mut rest) = text.split_at(start);
    if base.is_empty() || base.starts_with('-') {
        return Err(GitError::NoCommit);
    }
    let mut steps = Vec::new();
    while let Some(sign) = rest.chars().next() {
        rest = rest.get(1..).unwrap_or("");
        if let Some(inside) = rest.strip_prefix('{').filter(|_| sign == '^') {
            let (kind, behind) = inside.split_once('}').ok_or(GitError::NoCommit)?;
            if !matches!(kind, "" | "commit") {
                return Err(GitError::NoCommit);
            }
            rest = behind;
            continue;
        }
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, behind) = rest.split_at(digits);
        let number = if number.is_empty() { 1 } else { number.parse().map_err(|_| GitError::NoCommit)? };
        rest = behind;
        steps.push(match sign {
            '^' => RevisionStep::Parent(number),
            '~' => RevisionStep::Back(number),
            _ => return Err(GitError::NoCommit),
        });
    }
    Ok((base, steps))
}

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
