//! Which files git tracks, from its index alone: nothing is executed.

use std::collections::BTreeSet;

use crate::core::config::Files;

/// Bytes of an entry before its name, with SHA-1.
const HEAD: usize = 62;
/// The mode of a folder of a sparse index, and of a submodule.
const FOLDER: u32 = 0o040_000;
const MODULE: u32 = 0o160_000;

/// A checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// The folder that is checked out.
    pub root: String,
    /// What git keeps of this checkout.
    pub folder: String,
    /// What it keeps for all checkouts of the repository.
    pub common: String,
}

/// The checkout that a folder lies in.
pub fn checkout(files: &dyn Files, project: &str) -> Option<Checkout> {
    let mut root = project.to_owned();
    while !files.exists(&format!("{root}/.git")) {
        root = root.rsplit_once('/').map(|(above, _)| above.to_owned()).filter(|above| !above.is_empty())?;
    }
    let text = |file: &str| String::from_utf8(files.read(file).ok()?).ok();
    let from = |base: &str, folder: &str| match folder.trim() {
        folder if folder.starts_with('/') => folder.to_owned(),
        folder => format!("{base}/{folder}"),
    };
    let dot = format!("{root}/.git");
    let linked = text(&dot).and_then(|text| Some(from(&root, text.strip_prefix("gitdir:")?)));
    let folder = linked.unwrap_or(dot);
    let common = text(&format!("{folder}/commondir")).map_or_else(|| folder.clone(), |common| from(&folder, &common));
    Some(Checkout { root, folder, common })
}

/// The tracked files of the checkout that a folder lies in, as absolute paths; submodules with a slash at the end. None:
/// there is no checkout, or its index does not tell everything.
pub fn tracked(files: &dyn Files, project: &str) -> Option<BTreeSet<String>> {
    let Checkout { root, folder, .. } = checkout(files, project)?;
    let names = names(&files.read(&format!("{folder}/index")).ok()?)?;
    Some(names.into_iter().map(|name| format!("{root}/{name}")).collect())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The names in an index (versions 2 to 4, SHA-1); none where it is split, sparse, or of another kind.
fn names(bytes: &[u8]) -> Option<Vec<String>> {
    let version = number(bytes, 4).filter(|version| bytes.starts_with(b"DIRC") && (2..=4).contains(version))?;
    let count = number(bytes, 8)?;
    let mut names = Vec::new();
    let mut name: Vec<u8> = Vec::new();
    let mut at = 12;
    for _ in 0..count {
        let mode = number(bytes, at + 24)?;
        let flags = u16::from_be_bytes(bytes.get(at + 60..at + 62)?.try_into().ok()?);
        let head = if flags & 0x4000 == 0 { HEAD } else { HEAD + 2 };
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
        let mut text = String::from_utf8_lossy(&name).into_owned();
        match mode & 0o170_000 {
            FOLDER => return None,
            MODULE => text.push('/'),
            _ => {}
        }
        names.push(text);
    }
    // What follows are extensions: a split index says that the rest lies in another file.
    while let (Some(kind), Some(size)) = (bytes.get(at..at + 4), number(bytes, at + 4)) {
        if kind == b"link" {
            return None;
        }
        at = at.checked_add(8)?.checked_add(size as usize)?;
    }
    Some(names)
}

/// How many bytes of the name before are dropped.
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
    use super::names;

    /// An index as git writes it.
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
        assert_eq!(names(&plain), Some(vec!["a.sh".to_owned(), "sub/".to_owned(), "hooks/guard.sh".to_owned()]));
        let four = index(4, &[(file, &[0], "hooks/a.sh"), (file, &[4], "b.sh")]);
        assert_eq!(names(&four), Some(vec!["hooks/a.sh".to_owned(), "hooks/b.sh".to_owned()]));
        assert_eq!(names(&index(2, &[(0o040_000, b"", "sparse/")])), None);
        let mut split = index(2, &[]);
        split.extend(b"link\0\0\0\0");
        assert_eq!(names(&split), None);
        assert_eq!(names(b"DIRC"), None);
        assert_eq!(names(&plain[..40]), None);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(bytes: Vec<u8>, version in 2..5_u32, count in 0..4_u32) {
            let _ = names(&[b"DIRC".as_slice(), &version.to_be_bytes(), &count.to_be_bytes(), &bytes].concat());
        }
    }
}
