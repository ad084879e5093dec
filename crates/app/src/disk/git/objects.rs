//! Reads objects by id.

use std::fmt;
use std::path::{Path, PathBuf};

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::GitError;
use super::pack::{Pack, PackEntry};
use hookbench_core::git::{ObjectId, ObjectKind, apply_delta, loose_header};
use hookbench_system::disk;

/// The maximum number of object directories, including alternates.
const MAX_DIRECTORIES: usize = 16;
/// Limits of a chain of deltas: its length, and the total size in bytes.
const MAX_CHAIN: usize = 4096;
const MAX_DELTA_BYTES: usize = 512 << 20;

/// The object directories of a repository.
pub(super) struct Objects {
    directories: Vec<ObjectDirectory>,
    width: usize,
}

struct ObjectDirectory {
    directory: PathBuf,
    packs: Vec<Pack>,
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.directories.iter().map(|store| &store.directory)).finish()
    }
}

impl Objects {
    /// Opens a directory of objects and its alternates.
    pub fn open(directory: &Path, width: usize) -> Objects {
        let mut waiting = vec![directory.to_owned()];
        let mut stores: Vec<ObjectDirectory> = Vec::new();
        while let Some(directory) = waiting.pop() {
            if stores.len() >= MAX_DIRECTORIES || stores.iter().any(|store| store.directory == directory) {
                continue;
            }
            let others = disk::read_up_to(directory.join("info/alternates"), 64 << 10).unwrap_or_default();
            let others = String::from_utf8_lossy(&others).into_owned();
            let named = others.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            waiting.extend(named.map(|line| directory.join(line)));
            stores.push(ObjectDirectory { packs: Pack::all(&directory.join("pack"), width), directory });
        }
        Objects { directories: stores, width }
    }

    /// Reads an object of at most `most` bytes.
    pub fn read(&self, id: &ObjectId, most: usize) -> Result<(ObjectKind, Vec<u8>), GitError> {
        let mut deltas: Vec<Vec<u8>> = Vec::new();
        let mut bytes_of_deltas = 0;
        let mut next = self.find(id, most)?;
        loop {
            let delta = match next {
                PackEntry::Object(kind, mut bytes) => {
                    for delta in deltas.iter().rev() {
                        bytes = apply_delta(&bytes, delta, most).ok_or_else(|| GitError::Damaged(id.clone()))?;
                    }
                    return Ok((kind, bytes));
                }
                PackEntry::Delta { base, base_offset: at, pack: store, delta } => {
                    let pack = self.directories.get(store.0).and_then(|of| of.packs.get(store.1));
                    let pack = pack.ok_or_else(|| GitError::Damaged(id.clone()))?;
                    next = match (base, at) {
                        (Some(base), _) => self.find(&base, most)?,
                        (None, at) => pack.read_entry(at, most, store).ok_or_else(|| GitError::Damaged(id.clone()))?,
                    };
                    delta
                }
                PackEntry::TooLarge => return Err(GitError::TooLarge(id.clone(), most >> 20)),
            };
            bytes_of_deltas += delta.len();
            deltas.push(delta);
            if deltas.len() > MAX_CHAIN || bytes_of_deltas > MAX_DELTA_BYTES {
                return Err(GitError::Damaged(id.clone()));
            }
        }
    }

    fn find(&self, id: &ObjectId, most: usize) -> Result<PackEntry, GitError> {
        for (number, store) in self.directories.iter().enumerate() {
            for (which, pack) in store.packs.iter().enumerate() {
                if let Some(at) = pack.find(id) {
                    return pack.read_entry(at, most, (number, which)).ok_or_else(|| GitError::Damaged(id.clone()));
                }
            }
            let name = id.to_string();
            let (first, rest) = name.split_at(2);
            match disk::read_up_to(store.directory.join(first).join(rest), most as u64 + (1 << 20)) {
                Ok(packed) => return loose(&packed, most).ok_or_else(|| GitError::Damaged(id.clone())),
                Err(why) if why.kind() == std::io::ErrorKind::NotFound => {}
                Err(why) => return Err(GitError::Unreadable(format!("object {id}: {why}"))),
            }
        }
        Err(GitError::Missing(id.clone()))
    }

    /// Every id that begins with these hexadecimal digits.
    pub fn beginning_with(&self, digits: &str) -> Vec<ObjectId> {
        let mut found = Vec::new();
        for store in &self.directories {
            let (first, rest) = digits.split_at(2);
            let entries = std::fs::read_dir(store.directory.join(first)).into_iter().flatten().flatten();
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            let names = names.filter(|name| name.starts_with(rest)).map(|name| format!("{first}{name}"));
            found.extend(names.filter_map(|name| ObjectId::parse(&name, self.width)));
            found.extend(store.packs.iter().flat_map(|pack| pack.beginning_with(digits)));
        }
        found.sort();
        found.dedup();
        found
    }
}

fn loose(packed: &[u8], most: usize) -> Option<PackEntry> {
    let bytes = match decompress_to_vec_zlib_with_limit(packed, most + 64) {
        Ok(bytes) => bytes,
        // The size is in the header, at the beginning.
        Err(why) => return loose_header(&why.output).filter(|(_, size, _)| *size > most).map(|_| PackEntry::TooLarge),
    };
    let (kind, size, from) = loose_header(&bytes)?;
    let content = bytes.get(from..).filter(|content| content.len() == size)?;
    if size > most { Some(PackEntry::TooLarge) } else { Some(PackEntry::Object(kind, content.to_vec())) }
}
