//! Reads the names of tracked files from git's index. No program is executed.

use std::collections::BTreeSet;

use super::object::ObjectId;
use crate::config::Files;

/// Bytes of an entry before its hash.
const STAT: usize = 40;
/// The bits of a mode that hold the file type, and the types of a sparse-index directory and of a submodule.
const KIND: u32 = 0o170_000;
const DIRECTORY: u32 = 0o040_000;
const MODULE: u32 = 0o160_000;

/// A git checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// The root directory of the checkout.
    pub root: String,
    /// The git directory of this checkout.
    pub git_directory: String,
    /// The git directory that all checkouts of the repository share.
    pub common_git_directory: String,
}

/// Finds the checkout that contains a directory.
pub fn find_checkout(files: &dyn Files, project: &str) -> Option<Checkout> {
    let mut root = project.to_owned();
    while !files.exists(&format!("{root}/.git")) {
        root = root.rsplit_once('/').map(|(above, _)| above.to_owned()).filter(|above| !above.is_empty())?;
    }
    let text = |file: &str| String::from_utf8(files.read(file).ok()?).ok();
    let from = |base: &str, directory: &str| match directory.trim() {
        directory if directory.starts_with('/') => directory.to_owned(),
        directory => format!("{base}/{directory}"),
    };
    let dot = format!("{root}/.git");
    let linked = text(&dot).and_then(|text| Some(from(&root, text.strip_prefix("gitdir:")?)));
    let directory = linked.unwrap_or(dot);
    let common =
        text(&format!("{directory}/commondir")).map_or_else(|| directory.clone(), |common| from(&directory, &common));
    Some(Checkout { root, git_directory: directory, common_git_directory: common })
}

/// The tracked files of the checkout that contains a directory, as absolute paths; submodules end in a slash. `None`
/// if there is no checkout, or if its index is split or sparse.
pub fn tracked_files(files: &dyn Files, project: &str) -> Option<BTreeSet<String>> {
    let Checkout { root, git_directory: directory, .. } = find_checkout(files, project)?;
    let read = |width| GitIndex::parse(&files.read(&format!("{directory}/index")).ok()?, width);
    let index = read(20).or_else(|| read(32)).filter(|index| !index.split && !index.sparse)?;
    let slash = |mode: u32| if mode & KIND == MODULE { "/" } else { "" };
    Some(index.entries.iter().map(|entry| format!("{root}/{}{}", entry.name, slash(entry.mode))).collect())
}

/// One file in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// The path relative to the root of the checkout.
    pub name: String,
    pub mode: u32,
    pub id: ObjectId,
    /// 0 if there is no conflict, otherwise the side of the conflict.
    pub stage: u8,
    /// The size of the file at the last comparison. 0 can also mean that a comparison is pending.
    pub size: u32,
    /// The modification time at the last comparison, in seconds and nanoseconds.
    pub modified_at: (u32, u32),
    /// The user told git to skip this file (`skip-worktree` or `assume-unchanged`).
    pub skip_worktree: bool,
    /// An `intent-to-add` entry, without content in the repository.
    pub intent_to_add: bool,
}

/// A git index (versions 2 to 4).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitIndex {
    pub entries: Vec<IndexEntry>,
    /// Whether the rest of the index is in another file.
    pub split: bool,
    /// Whether the index is sparse, so that an entry can represent a whole directory.
    pub sparse: bool,
    /// The tree of the index content, if git cached it.
    pub tree: Option<ObjectId>,
}

impl GitIndex {
    /// Parses an index. `width` is the length of a hash in bytes.
    pub fn parse(bytes: &[u8], width: usize) -> Option<GitIndex> {
        let version = number(bytes, 4).filter(|version| bytes.starts_with(b"DIRC") && (2..=4).contains(version))?;
        let count = number(bytes, 8)?;
        let mut index = GitIndex::default();
        let mut name: Vec<u8> = Vec::new();
        let mut at = 12;
        for _ in 0..count {
            let field = |place: usize| number(bytes, at + place);
            let (written, mode, size) = ((field(8)?, field(12)?), field(24)?, field(36)?);
            let id = ObjectId::from_bytes(bytes.get(at + STAT..at + STAT + width)?);
            let word = |from: usize| Some(u16::from_be_bytes(bytes.get(from..from + 2)?.try_into().ok()?));
            let flags = word(at + STAT + width)?;
            let more = if flags & 0x4000 == 0 { 0 } else { word(at + STAT + width + 2)? };
            let head = STAT + width + if flags & 0x4000 == 0 { 2 } else { 4 };
            let mut from = at + head;
            if version == 4 {
                let (strip, length) = varint(bytes.get(from..)?)?;
                name.truncate(name.len().checked_sub(strip)?);
                from += length;
            } else {
                name.clear();
            }
            let end = bytes.get(from..)?.iter().position(|byte| *byte == 0)?;
            name.extend_from_slice(bytes.get(from..from + end)?);
            at = if version == 4 { from + end + 1 } else { at + (head + end + 8) / 8 * 8 };
            index.sparse |= mode & KIND == DIRECTORY;
            index.entries.push(IndexEntry {
                name: String::from_utf8_lossy(&name).into_owned(),
                mode,
                id,
                stage: u8::try_from(flags >> 12 & 3).unwrap_or_default(),
                size,
                modified_at: written,
                skip_worktree: flags & 0x8000 != 0 || more & 0x4000 != 0,
                intent_to_add: more & 0x2000 != 0,
            });
        }
        // Extensions follow.
        while let (Some(kind), Some(size)) = (bytes.get(at..at + 4), number(bytes, at + 4)) {
            let content = bytes.get(at + 8..).unwrap_or_default();
            match kind {
                b"link" => index.split = true,
                b"TREE" => index.tree = cached_tree(content, width),
                _ => {}
            }
            at = at.checked_add(8)?.checked_add(size as usize)?;
        }
        Some(index)
    }
}

/// The root tree in the cache-tree extension. `None` if it is invalidated.
fn cached_tree(bytes: &[u8], width: usize) -> Option<ObjectId> {
    let rest = bytes.strip_prefix(b"\0")?;
    let end = rest.iter().take(32).position(|byte| *byte == b'\n')?;
    let counts = std::str::from_utf8(rest.get(..end)?).ok()?;
    if counts.starts_with('-') {
        return None;
    }
    Some(ObjectId::from_bytes(rest.get(end + 1..end + 1 + width)?))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Parses the number of bytes to drop from the previous name, and returns it with its own length.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value: usize = 0;
    for (index, byte) in bytes.iter().enumerate().take(9) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::GitIndex;

    fn names(bytes: &[u8]) -> Option<Vec<String>> {
        let index = GitIndex::parse(bytes, 20)?;
        assert!(index.entries.iter().all(|entry| entry.stage == 0 && !entry.skip_worktree));
        Some(index.entries.into_iter().map(|entry| entry.name).collect())
    }

    /// An index in git's format.
    fn index(version: u32, entries: &[(u32, &[u8], &str)]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        for (mode, prefix, name) in entries {
            let start = bytes.len();
            bytes.extend([0; 24]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; 32]);
            bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            bytes.extend(*prefix);
            bytes.extend(name.as_bytes());
            bytes.push(0);
            while version < 4 && !(bytes.len() - start).is_multiple_of(8) {
                bytes.push(0);
            }
        }
        bytes
    }

    #[test]
    fn names_of_all_versions() {
        let file = 0o100_644;
        let plain = index(2, &[(file, b"", "a.sh"), (0o160_000, b"", "sub"), (file, b"", "hooks/guard.sh")]);
        assert_eq!(names(&plain), Some(vec!["a.sh".to_owned(), "sub".to_owned(), "hooks/guard.sh".to_owned()]));
        let four = index(4, &[(file, &[0], "hooks/a.sh"), (file, &[4], "b.sh")]);
        assert_eq!(names(&four), Some(vec!["hooks/a.sh".to_owned(), "hooks/b.sh".to_owned()]));
        assert!(GitIndex::parse(&index(2, &[(0o040_000, b"", "sparse/")]), 20).unwrap().sparse);
        let mut split = index(2, &[]);
        split.extend(b"link\0\0\0\0");
        assert!(GitIndex::parse(&split, 20).unwrap().split);
        let mut noted = plain.clone();
        noted.extend(b"TREE\0\0\0\x1b\0" as &[u8]);
        noted.extend(b"3 0\n");
        noted.extend([9; 20]);
        let noted = GitIndex::parse(&noted, 20).unwrap();
        assert_eq!(noted.tree.map(|id| id.to_string()), Some("09".repeat(20)));
        assert_eq!(names(b"DIRC"), None);
        assert_eq!(names(&plain[..40]), None);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(bytes: Vec<u8>, version in 2..5_u32, count in 0..4_u32) {
            let _ = GitIndex::parse(&[b"DIRC".as_slice(), &version.to_be_bytes(), &count.to_be_bytes(), &bytes].concat(), 20);
        }
    }
}
