//! Objects: their ids, their kinds, and the content of commits, trees and tags.

use std::fmt;

/// The id (hash) of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(Vec<u8>);

impl ObjectId {
    /// An id from the bytes of a hash.
    pub fn from_bytes(bytes: &[u8]) -> ObjectId {
        ObjectId(bytes.to_vec())
    }

    /// Parses a full id in hexadecimal.
    pub fn parse(text: &str, width: usize) -> Option<ObjectId> {
        if text.len() != 2 * width || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
        (0..text.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>().map(ObjectId)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// The ids in a commit that link to other objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitHead {
    pub tree: ObjectId,
    pub parents: Vec<ObjectId>,
}

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    pub mode: u32,
    pub name: String,
    pub id: ObjectId,
}

impl TreeEntry {
    pub const DIRECTORY: u32 = 0o040_000;
    pub const LINK: u32 = 0o120_000;
    pub const MODULE: u32 = 0o160_000;
}

/// Parses the header of a loose object: its kind, its size, and the offset of its content.
pub fn loose_header(bytes: &[u8]) -> Option<(ObjectKind, usize, usize)> {
    let end = bytes.iter().take(32).position(|byte| *byte == 0)?;
    let (kind, size) = std::str::from_utf8(bytes.get(..end)?).ok()?.split_once(' ')?;
    let kind = match kind {
        "commit" => ObjectKind::Commit,
        "tree" => ObjectKind::Tree,
        "blob" => ObjectKind::Blob,
        "tag" => ObjectKind::Tag,
        _ => return None,
    };
    Some((kind, size.parse().ok()?, end + 1))
}

/// Parses the header of a packed object: the number of its kind, its size, and the length of the header.
pub fn packed_header(bytes: &[u8]) -> Option<(u8, usize, usize)> {
    let first = *bytes.first()?;
    let mut size = usize::from(first & 0x0f);
    let (mut at, mut shift, mut more) = (1, 4, first & 0x80 != 0);
    while more {
        let byte = *bytes.get(at).filter(|_| shift < 56)?;
        size |= usize::from(byte & 0x7f).checked_shl(shift)?;
        (at, shift, more) = (at + 1, shift + 7, byte & 0x80 != 0);
    }
    Some(((first >> 4) & 7, size, at))
}

/// Parses a commit.
pub fn parse_commit(bytes: &[u8], width: usize) -> Option<CommitHead> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let tree = ObjectId::parse(lines.next()?.strip_prefix("tree ")?, width)?;
    let parents =
        lines.map_while(|line| line.strip_prefix("parent ")).filter_map(|id| ObjectId::parse(id, width)).collect();
    Some(CommitHead { tree, parents })
}

/// The object that a tag points to.
pub fn parse_tag(bytes: &[u8], width: usize) -> Option<ObjectId> {
    let text = String::from_utf8_lossy(bytes);
    ObjectId::parse(text.lines().next()?.strip_prefix("object ")?, width)
}

/// Parses a tree. Skips names that git would never check out (`..`, `.git`, names with a slash), because they could
/// lead out of the directory.
pub fn parse_tree(bytes: &[u8], width: usize) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == 0)?;
        let head = rest.get(..end)?;
        let blank = head.iter().position(|byte| *byte == b' ')?;
        let mode = u32::from_str_radix(std::str::from_utf8(head.get(..blank)?).ok()?, 8).ok()?;
        let name = String::from_utf8_lossy(head.get(blank + 1..)?).into_owned();
        let id = ObjectId::from_bytes(rest.get(end + 1..end + 1 + width)?);
        rest = rest.get(end + 1 + width..)?;
        let leads_out = matches!(name.as_str(), "" | "." | "..") || name.contains(['/', '\\']);
        if !leads_out && !name.eq_ignore_ascii_case(".git") {
            entries.push(TreeEntry { mode: mode & 0o170_777, name, id });
        }
    }
    Some(entries)
}

/// Applies a delta to its base. `None` if the delta is damaged, or if the result would be larger than `most`.
pub fn apply(base: &[u8], delta: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut at = 0;
    if size(delta, &mut at)? != base.len() {
        return None;
    }
    let whole = size(delta, &mut at).filter(|whole| *whole <= most)?;
    let mut out = Vec::with_capacity(whole.min(1 << 20));
    while let Some(order) = delta.get(at).copied() {
        at += 1;
        if order & 0x80 == 0 {
            // An insert: the number of bytes that follow. 0 is reserved.
            let end = at.checked_add(usize::from(order)).filter(|end| *end > at)?;
            out.extend_from_slice(delta.get(at..end)?);
            at = end;
        } else {
            let mut number = |bits: std::ops::Range<u8>| {
                let first = bits.start;
                bits.filter(|bit| order & (1 << bit) != 0).try_fold(0_usize, |sum, bit| {
                    let byte = *delta.get(at)?;
                    at += 1;
                    Some(sum | usize::from(byte) << (8 * u32::from(bit - first)))
                })
            };
            let from = number(0..4)?;
            let length = number(4..7)?;
            let length = if length == 0 { 0x10000 } else { length };
            out.extend_from_slice(base.get(from..from.checked_add(length)?)?);
        }
        if out.len() > whole {
            return None;
        }
    }
    (out.len() == whole).then_some(out)
}

fn size(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0_usize;
    for shift in (0..56).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_lead_nowhere_else() {
        let mut bytes = Vec::new();
        for (mode, name) in [("100644", "a"), ("40000", ".."), ("40000", ".GIT"), ("100755", "x/y"), ("120000", "l")] {
            bytes.extend(format!("{mode} {name}\0").bytes());
            bytes.extend([7; 20]);
        }
        let names: Vec<(u32, String)> = parse_tree(&bytes, 20).unwrap().into_iter().map(|e| (e.mode, e.name)).collect();
        assert_eq!(names, [(0o100_644, "a".to_owned()), (TreeEntry::LINK, "l".to_owned())]);
        assert_eq!(parse_tree(&bytes[..20], 20), None);
    }

    #[test]
    fn heads() {
        let (tree, parent) = ("a".repeat(40), "b".repeat(40));
        let text = format!("tree {tree}\nparent {parent}\nauthor x\n\nparent {tree}\n");
        let read = parse_commit(text.as_bytes(), 20).unwrap();
        assert_eq!((read.tree.to_string(), read.parents.len()), (tree.clone(), 1));
        assert_eq!(parse_tag(format!("object {parent}\ntype commit\n").as_bytes(), 20).unwrap().to_string(), parent);
        assert_eq!(loose_header(b"blob 12\0rest"), Some((ObjectKind::Blob, 12, 8)));
        assert_eq!(loose_header(b"blub 12\0rest"), None);
        assert_eq!(packed_header(&[0x80 | 0x30 | 5, 2]), Some((3, 37, 2)));
        assert_eq!(ObjectId::parse("zz", 1), None);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(bytes: Vec<u8>) {
            let _ = (parse_tree(&bytes, 20), parse_commit(&bytes, 20), parse_tag(&bytes, 20), loose_header(&bytes), packed_header(&bytes));
        }
    }
}

#[cfg(test)]
mod delta_tests {
    use super::apply;

    #[test]
    fn copies_and_inserts() {
        // Copies three bytes from offset 2, then inserts two.
        let delta = [5, 5, 0x80 | 0x01 | 0x10, 2, 3, 2, b'x', b'y'];
        assert_eq!(apply(b"abcde", &delta, 10), Some(b"cdexy".to_vec()));
        assert_eq!(apply(b"abcde", &delta, 4), None);
        assert_eq!(apply(b"abcd", &delta, 10), None);
        assert_eq!(apply(b"abcde", &delta[..7], 10), None);
        assert_eq!(apply(b"abcde", &[5, 1, 0], 10), None);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(base: Vec<u8>, delta: Vec<u8>) {
            let _ = apply(&base, &delta, 1 << 16);
            let fitting = [&[u8::try_from(base.len() & 0x7f).unwrap(), 9], &delta[..]].concat();
            let _ = apply(&base[..base.len() & 0x7f], &fitting, 1 << 16);
        }
    }
}
