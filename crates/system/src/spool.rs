//! A spool: records that are appended to files before they are stored elsewhere, so that they survive the end of the
//! process. A later process takes them over.
//!
//! Each process writes its own files (*segments*), which it locks while it runs; only the owner can read them. A segment is
//! deleted when all of its records are stored. A record is its length, a line break, its bytes and a line break. It is not
//! synced to the disk: it survives a killed process, but perhaps no power failure.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::owner_only::{create_directory, lock, open_options};

/// The size from which on a new segment is begun.
const SEGMENT_BYTES: u64 = 8 * 1024 * 1024;
/// The size limit of all segments together.
const MAX_BYTES: u64 = 128 * 1024 * 1024;
const ENDING: &str = "spool";

/// The number of a segment in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentId(u64);

/// The spool of one process.
#[derive(Debug)]
pub struct Spool {
    directory: PathBuf,
    state: Mutex<SpoolState>,
}

#[derive(Debug, Default)]
struct SpoolState {
    /// The segments with records that are not stored yet, and the current one.
    segments: BTreeMap<SegmentId, Segment>,
    current: Option<SegmentId>,
    next: u64,
}

#[derive(Debug)]
struct Segment {
    path: PathBuf,
    /// Locked until it is dropped.
    file: File,
    bytes: u64,
    /// The number of records that are not stored yet.
    open: u64,
}

/// The records that ended processes have left, oldest first.
#[derive(Debug, Default)]
pub struct LeftRecords {
    pub records: Vec<(SegmentId, Vec<u8>)>,
    /// A sentence for each file with an unreadable part.
    pub damage: Vec<String>,
}

impl Spool {
    /// Opens the spool in a directory, and takes over the segments of processes that have ended.
    pub fn open(directory: &Path) -> (Spool, LeftRecords) {
        let spool = Spool { directory: directory.to_owned(), state: Mutex::default() };
        let mut left = LeftRecords::default();
        for path in segment_files(directory) {
            match spool.take_over(&path, &mut left) {
                Ok(()) => {}
                Err(why) if why.kind() == ErrorKind::NotFound => {}
                Err(why) => left.damage.push(format!("{} cannot be read: {why}", path.display())),
            }
        }
        (spool, left)
    }

    fn take_over(&self, path: &Path, left: &mut LeftRecords) -> std::io::Result<()> {
        let mut file = OpenOptions::new().read(true).append(true).open(path)?;
        if !lock(&file).unwrap_or(false) {
            // Its process is still running.
            return Ok(());
        }
        let mut bytes = Vec::new();
        (&mut file).take(MAX_BYTES).read_to_end(&mut bytes)?;
        let (records, rest) = split_records(&bytes);
        if rest > 0 {
            left.damage.push(format!("the last {rest} bytes of {} are damaged and were skipped", path.display()));
        }
        if records.is_empty() {
            return std::fs::remove_file(path);
        }
        let mut state = self.lock();
        let id = state.new_id();
        let open = records.len() as u64;
        state.segments.insert(id, Segment { path: path.to_owned(), file, bytes: bytes.len() as u64, open });
        left.records.extend(records.into_iter().map(|record| (id, record.to_vec())));
        Ok(())
    }

    /// Appends a record. It survives the end of this process until [`Spool::done`] is called for it.
    ///
    /// # Errors
    /// Returns an error if it cannot be written, or if the spool is full. Then nothing of it is in the spool.
    pub fn append(&self, record: &[u8]) -> std::io::Result<SegmentId> {
        let mut framed = Vec::with_capacity(record.len() + 16);
        framed.extend_from_slice(format!("{}\n", record.len()).as_bytes());
        framed.extend_from_slice(record);
        framed.push(b'\n');
        let mut state = self.lock();
        let all: u64 = state.segments.values().map(|segment| segment.bytes).sum();
        if all + framed.len() as u64 > MAX_BYTES {
            return Err(std::io::Error::new(ErrorKind::StorageFull, "the spool is full"));
        }
        let (id, segment) = self.current_segment(&mut state)?;
        if let Err(why) = segment.file.write_all(&framed) {
            // The next record must not follow a part of this one.
            let _ = segment.file.set_len(segment.bytes);
            return Err(why);
        }
        segment.bytes += framed.len() as u64;
        segment.open += 1;
        Ok(id)
    }

    /// The segment to append to. A full one is closed.
    fn current_segment<'a>(&self, state: &'a mut SpoolState) -> std::io::Result<(SegmentId, &'a mut Segment)> {
        let usable = |id: &SegmentId| state.segments.get(id).is_some_and(|segment| segment.bytes < SEGMENT_BYTES);
        let id = match state.current.filter(usable) {
            Some(id) => id,
            None => {
                let segment = new_segment(&self.directory, state.next)?;
                let id = state.new_id();
                state.segments.insert(id, segment);
                state.current = Some(id);
                id
            }
        };
        let segment = state.segments.get_mut(&id).ok_or(ErrorKind::NotFound)?;
        Ok((id, segment))
    }

    /// Reports that a record of this segment is stored, or will never be.
    pub fn done(&self, id: SegmentId) {
        let mut state = self.lock();
        let is_current = state.current == Some(id);
        let Some(segment) = state.segments.get_mut(&id) else { return };
        segment.open = segment.open.saturating_sub(1);
        if segment.open > 0 {
            return;
        }
        if is_current && segment.file.set_len(0).is_ok() {
            segment.bytes = 0;
            return;
        }
        let empty = state.segments.remove(&id);
        // Deleting a large file takes time, during which records can be appended.
        drop(state);
        if let Some(segment) = empty {
            let _ = std::fs::remove_file(&segment.path);
        }
    }

    fn lock(&self) -> MutexGuard<'_, SpoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SpoolState {
    fn new_id(&mut self) -> SegmentId {
        self.next += 1;
        SegmentId(self.next - 1)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        for segment in self.lock().segments.values().filter(|segment| segment.open == 0) {
            let _ = std::fs::remove_file(&segment.path);
        }
        // Fails if records are left.
        let _ = std::fs::remove_dir(&self.directory);
    }
}

/// The segments in a directory, oldest first.
fn segment_files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let entries = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<(Option<SystemTime>, PathBuf)> = entries
        .filter(|path| path.extension().is_some_and(|end| end == ENDING))
        .filter_map(|path| std::fs::symlink_metadata(&path).ok().filter(|file| file.is_file()).map(|file| (file, path)))
        .map(|(file, path)| (file.modified().ok(), path))
        .collect();
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}

/// Creates a locked segment under a name that no other process uses.
fn new_segment(directory: &Path, number: u64) -> std::io::Result<Segment> {
    create_directory(directory)?;
    let pid = std::process::id();
    for again in 0..100 {
        let path = directory.join(format!("{pid}-{}.{ENDING}", number + again));
        let file = match open_options().read(true).append(true).create_new(true).open(&path) {
            Err(why) if why.kind() == ErrorKind::AlreadyExists => continue,
            opened => opened?,
        };
        // Between creating and locking it, another process may have taken the empty file for one that was left.
        if lock(&file)? && is_at(&file, &path) {
            return Ok(Segment { path, file, bytes: 0, open: 0 });
        }
    }
    Err(std::io::Error::new(ErrorKind::AlreadyExists, "no free name for a file of the spool"))
}

/// Whether an open file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let seen = std::fs::symlink_metadata(path).ok().zip(file.metadata().ok());
    seen.is_some_and(|(there, own)| (there.dev(), there.ino()) == (own.dev(), own.ino()))
}

/// A removed file keeps its name here until it is closed, but cannot be opened.
#[cfg(windows)]
fn is_at(_file: &File, path: &Path) -> bool {
    crate::disk::open(path).is_ok()
}

/// Splits a segment into its records, and returns the number of bytes after the last whole one.
fn split_records(bytes: &[u8]) -> (Vec<&[u8]>, usize) {
    let (mut records, mut rest) = (Vec::new(), bytes);
    while let Some((record, after)) = first_record(rest) {
        records.push(record);
        rest = after;
    }
    (records, rest.len())
}

fn first_record(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().take(20).position(|byte| *byte == b'\n')?;
    let length: usize = std::str::from_utf8(bytes.get(..end)?).ok()?.parse().ok()?;
    let (record, after) = bytes.get(end + 1..)?.split_at_checked(length)?;
    Some((record, after.strip_prefix(b"\n")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(directory: &Path) -> Vec<u64> {
        segment_files(directory).iter().map(|path| std::fs::metadata(path).unwrap().len()).collect()
    }

    /// Ends a spool as a killed process does: nothing is cleaned up, and its locks are released.
    fn kill(spool: Spool) {
        let mut state = spool.lock();
        state.segments.clear();
        drop(state);
        std::mem::forget(spool);
    }

    fn texts(left: &LeftRecords) -> Vec<String> {
        left.records.iter().map(|(_, record)| String::from_utf8(record.clone()).unwrap()).collect()
    }

    #[test]
    fn what_is_not_stored_is_there_after_a_kill() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("spool");
        let (spool, left) = Spool::open(&directory);
        assert!(left.records.is_empty() && !directory.exists());
        let ids: Vec<SegmentId> = ["one", "two\n2\n", ""].map(|text| spool.append(text.as_bytes()).unwrap()).into();
        spool.done(ids[0]);
        kill(spool);
        let (next, left) = Spool::open(&directory);
        assert_eq!((texts(&left), left.damage.len()), (["one", "two\n2\n", ""].map(str::to_owned).into(), 0));
        // A third process does not touch the files of the second.
        assert!(texts(&Spool::open(&directory).1).is_empty());
        for (id, _) in left.records {
            next.done(id);
        }
        assert!(files(&directory).is_empty());
        drop(next);
        assert!(!directory.exists());
    }

    #[test]
    fn a_damaged_end_is_skipped_and_reported() {
        let whole = b"3\none\n3\ntwo\n";
        for (bytes, records, rest) in [
            (whole.to_vec(), 2, 0),
            (whole[..11].to_vec(), 1, 5),
            (whole[..7].to_vec(), 1, 1),
            ([whole.as_slice(), &[0; 4096]].concat(), 2, 4096),
            (b"3\nfour\n".to_vec(), 0, 7),
            (b"99999999999999999999999\nx\n".to_vec(), 0, 26),
            (b"-1\nx\n".to_vec(), 0, 5),
            (Vec::new(), 0, 0),
        ] {
            let root = tempfile::tempdir().unwrap();
            std::fs::write(root.path().join("1-0.spool"), &bytes).unwrap();
            let (_spool, left) = Spool::open(root.path());
            let damage: Vec<String> = (rest > 0)
                .then(|| {
                    let path = root.path().join("1-0.spool");
                    format!("the last {rest} bytes of {} are damaged and were skipped", path.display())
                })
                .into_iter()
                .collect();
            assert_eq!((left.records.len(), left.damage), (records, damage), "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn files_are_limited_and_go_when_their_records_are_stored() {
        let root = tempfile::tempdir().unwrap();
        let (spool, _) = Spool::open(root.path());
        let record = vec![b'x'; usize::try_from(SEGMENT_BYTES / 2).unwrap()];
        let ids: Vec<SegmentId> = (0..5).map(|_| spool.append(&record).unwrap()).collect();
        assert_eq!(files(root.path()).len(), 3);
        for id in &ids {
            spool.done(*id);
        }
        assert_eq!(files(root.path()), [0], "the current one is emptied");
        let mut taken = 0;
        while spool.append(&record).is_ok() {
            taken += 1;
        }
        assert_eq!(taken, MAX_BYTES / (SEGMENT_BYTES / 2) - 1);
        assert!(files(root.path()).iter().sum::<u64>() <= MAX_BYTES);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_it() {
        use std::os::unix::fs::MetadataExt as _;
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("state/spool");
        let (spool, _) = Spool::open(&directory);
        spool.append(b"x").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&directory), mode(&segment_files(&directory)[0])), (0o700, 0o600));
    }
}
