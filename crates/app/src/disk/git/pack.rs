//! One pack: many objects in one file, and an index with their positions.

use std::cmp::Ordering;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::GitError;
use hookbench_core::git::{ObjectId, ObjectKind, apply_delta, loose_header, packed_header};
use hookbench_system::disk;

/// The maximum number of packs to open in one directory.
const MAX_PACKS: usize = 1_000;
/// The size in bytes of the index header: a signature, a version, and for each first byte the number of ids up to
/// it.
const HEADER_BYTES: u64 = 8 + 256 * 4;

/// The contents of a pack entry.
pub(super) enum PackEntry {
    Object(ObjectKind, Vec<u8>),
    /// A delta against the object with the given id, or against the one at the given offset of the same pack.
    Delta {
        base: Option<ObjectId>,
        base_offset: u64,
        /// The indexes of the store and of the pack in it.
        pack: (usize, usize),
        delta: Vec<u8>,
    },
    TooLarge,
}

pub(super) struct Pack {
    index: RandomAccessFile,
    content: RandomAccessFile,
    /// For each first byte, the number of ids up to it.
    fanout: Vec<u32>,
    width: usize,
}

impl Pack {
    /// Opens the packs in a directory.
    pub fn all(directory: &Path, width: usize) -> Vec<Pack> {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut indexes: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "idx")).collect();
        indexes.sort();
        indexes.iter().take(MAX_PACKS).filter_map(|path| Pack::open(path, width)).collect()
    }

    fn open(path: &Path, width: usize) -> Option<Pack> {
        let index = RandomAccessFile::open(path)?;
        let content = RandomAccessFile::open(&path.with_extension("pack"))?;
        let head = index.bytes(0, usize::try_from(HEADER_BYTES).ok()?)?;
        if !head.starts_with(b"\xfftOc\0\0\0\x02") {
            return None;
        }
        let up_to: Vec<u32> = head.get(8..)?.chunks_exact(4).filter_map(number).collect();
        let ascends = up_to.windows(2).all(|pair| pair.first() <= pair.last());
        let count = u64::from(*up_to.last().filter(|_| ascends && up_to.len() == 256)?);
        let least = HEADER_BYTES + count * (width as u64 + 8) + 2 * width as u64;
        (index.length >= least).then_some(Pack { index, content, fanout: up_to, width })
    }

    /// The range of entry numbers whose ids begin with a byte.
    fn range(&self, first: u8) -> (u64, u64) {
        let of = |at: usize| self.fanout.get(at).copied().map_or(0, u64::from);
        let first = usize::from(first);
        (if first == 0 { 0 } else { of(first - 1) }, of(first))
    }

    /// The number of the first id that begins with a byte, and all such ids, concatenated.
    fn ids(&self, first: u8) -> Option<(u64, Vec<u8>)> {
        let (from, to) = self.range(first);
        let length = usize::try_from(to - from).ok()?.checked_mul(self.width)?;
        Some((from, self.index.bytes(HEADER_BYTES + from * self.width as u64, length)?))
    }

    /// The offset of an object in the pack.
    pub fn find(&self, id: &ObjectId) -> Option<u64> {
        let (mut from, mut to) = self.range(*id.bytes().first()?);
        let number = loop {
            let middle = Some(from + (to - from) / 2).filter(|_| from < to)?;
            let there = self.index.bytes(HEADER_BYTES + middle * self.width as u64, self.width)?;
            match there.as_slice().cmp(id.bytes()) {
                Ordering::Equal => break middle,
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
            }
        };
        let count = u64::from(*self.fanout.last()?);
        let offsets = HEADER_BYTES + count * (self.width as u64 + 4);
        let place = self.index.number(offsets + number * 4)?;
        if place & 0x8000_0000 == 0 {
            return Some(u64::from(place));
        }
        // An offset beyond 2 GiB is stored in a separate table.
        let far = offsets + count * 4 + u64::from(place & 0x7fff_ffff) * 8;
        let high = self.index.number(far)?;
        Some(u64::from(high) << 32 | u64::from(self.index.number(far + 4)?))
    }

    /// Every id that begins with these hexadecimal digits.
    pub fn beginning_with(&self, digits: &str) -> Vec<ObjectId> {
        let first = digits.get(..2).and_then(|first| u8::from_str_radix(first, 16).ok());
        let Some((_, ids)) = first.and_then(|first| self.ids(first)) else { return Vec::new() };
        ids.chunks_exact(self.width).map(ObjectId::from_bytes).filter(|id| id.to_string().starts_with(digits)).collect()
    }

    /// Reads the entry at an offset.
    pub fn read_entry(&self, place: u64, most: usize, store: (usize, usize)) -> Option<PackEntry> {
        let left = usize::try_from(self.content.length.checked_sub(place)?).ok()?;
        let head = self.content.bytes(place, left.min(64))?;
        let (kind, size, mut from) = packed_header(&head)?;
        if size > most {
            return Some(PackEntry::TooLarge);
        }
        let kind = match kind {
            1 => Some(ObjectKind::Commit),
            2 => Some(ObjectKind::Tree),
            3 => Some(ObjectKind::Blob),
            4 => Some(ObjectKind::Tag),
            6 | 7 => None,
            _ => return None,
        };
        let (mut base, mut at) = (None, 0);
        if head.first()? >> 4 & 7 == 7 {
            base = Some(ObjectId::from_bytes(head.get(from..from + self.width)?));
            from += self.width;
        } else if kind.is_none() {
            let (back, length) = base_distance(head.get(from..)?)?;
            at = place.checked_sub(back).filter(|at| *at < place)?;
            from += length;
        }
        let start = place + from as u64;
        let left = left.checked_sub(from)?;
        // The compressed length is not stored; it is hardly ever larger than the uncompressed one.
        let guesses = [size + size / 8 + 512, size.checked_mul(2)?.checked_add(1 << 20)?];
        let content = guesses.into_iter().find_map(|length| {
            let packed = self.content.bytes(start, length.min(left))?;
            decompress_to_vec_zlib_with_limit(&packed, size + 64).ok().filter(|bytes| bytes.len() == size)
        })?;
        Some(match kind {
            Some(kind) => PackEntry::Object(kind, content),
            None => PackEntry::Delta { base, base_offset: at, pack: store, delta: content },
        })
    }
}

/// The distance back to the base of a delta, and the number of bytes that encode it.
fn base_distance(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = u64::from(bytes.first()? & 0x7f);
    let mut at = 0;
    while bytes.get(at)? & 0x80 != 0 {
        at += 1;
        value = value.checked_add(1)?.checked_mul(128)? | u64::from(bytes.get(at)? & 0x7f);
    }
    Some((value, at + 1))
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// A file with its length, for reads at an offset.
struct RandomAccessFile {
    file: File,
    length: u64,
}

impl RandomAccessFile {
    fn open(path: &Path) -> Option<RandomAccessFile> {
        let file = disk::open(path).ok()?;
        let length = file.metadata().ok()?.len();
        Some(RandomAccessFile { file, length })
    }

    fn number(&self, place: u64) -> Option<u32> {
        number(&self.bytes(place, 4)?)
    }

    /// Reads exactly `length` bytes from an offset.
    fn bytes(&self, place: u64, length: usize) -> Option<Vec<u8>> {
        // Checked first, so that a damaged length does not allocate memory.
        place.checked_add(length as u64).filter(|end| *end <= self.length)?;
        let mut bytes = vec![0; length];
        #[cfg(unix)]
        std::os::unix::fs::FileExt::read_exact_at(&self.file, &mut bytes, place).ok()?;
        #[cfg(not(unix))]
        {
            use std::io::{Read as _, Seek as _, SeekFrom};
            let mut file = &self.file;
            file.seek(SeekFrom::Start(place)).and_then(|_| file.read_exact(&mut bytes)).ok()?;
        }
        Some(bytes)
    }
}

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
