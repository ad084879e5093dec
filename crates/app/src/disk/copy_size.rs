//! The size of a copy before it is made, and the most that hookbench copies without a question.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hookbench_system::runner::{kill_count, with_starts_blocked};

/// The most files and directories, and bytes on the disk, of one copy. Holes in files take no bytes.
pub(super) const MAX_ENTRIES: usize = 100_000;
pub(super) const MAX_BYTES: u64 = 1 << 30;
/// The number of large entries that a message names.
const NAMED: usize = 3;

/// Whether the user has agreed to a larger copy.
static LARGE_ALLOWED: AtomicBool = AtomicBool::new(false);

/// The size of a directory with all its contents.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct TreeSize {
    pub entries: usize,
    pub bytes: u64,
    /// The entries of the directory, each with the size of everything below it.
    parts: Vec<(String, usize, u64)>,
}

impl TreeSize {
    /// Measures a directory. Links are not followed; what cannot be read is not counted.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be read, or if the copy is stopped.
    pub fn of(directory: &Path, stop: &CopyStop) -> io::Result<TreeSize> {
        let mut size = TreeSize::default();
        for entry in fs::read_dir(directory)?.flatten() {
            let (mut entries, mut bytes) = (0, 0);
            let mut waiting = vec![entry.path()];
            while let Some(path) = waiting.pop() {
                stop.check()?;
                let Ok(about) = fs::symlink_metadata(&path) else { continue };
                entries += 1;
                if about.is_file() {
                    bytes += bytes_on_disk(&about);
                } else if about.is_dir() {
                    waiting.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
                }
            }
            size.entries += entries;
            size.bytes += bytes;
            size.parts.push((entry.file_name().to_string_lossy().into_owned(), entries, bytes));
        }
        Ok(size)
    }

    /// Whether a copy of this size needs no question.
    pub fn is_small(&self) -> bool {
        self.entries <= MAX_ENTRIES && self.bytes <= MAX_BYTES
    }

    /// Says how large it is, and what takes most of it.
    fn describe(&self) -> String {
        let by_entries = self.bytes <= MAX_BYTES;
        let mut parts: Vec<_> = self.parts.iter().collect();
        parts.sort_by_key(|(name, entries, bytes)| {
            (std::cmp::Reverse(if by_entries { *entries as u64 } else { *bytes }), name.clone())
        });
        let part = |(name, entries, bytes): &&(String, usize, u64)| {
            if by_entries { format!("{name} {entries} files") } else { format!("{name} {}", gigabytes(*bytes)) }
        };
        let parts: Vec<String> = parts.iter().take(NAMED).map(part).collect();
        format!("{} in {} files (most in {})", gigabytes(self.bytes), self.entries, parts.join(", "))
    }
}

/// The bytes that a file takes on the disk.
#[cfg(unix)]
pub(super) fn bytes_on_disk(about: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    // The unit of the system, whatever the size of blocks.
    (about.blocks() * 512).min(about.len())
}

/// Holes are not looked for on this system.
#[cfg(not(unix))]
pub(super) fn bytes_on_disk(about: &Metadata) -> u64 {
    about.len()
}

fn gigabytes(bytes: u64) -> String {
    let tenths = bytes / (100 << 20);
    format!("{}.{} GB", tenths / 10, tenths % 10)
}

/// The question whether a large directory may be copied. `None` if it is small, or if the user has agreed before.
pub fn large_copy_question(directory: &Path) -> Option<String> {
    let size = TreeSize::of(directory, &CopyStop::new()).ok()?;
    (!size.is_small() && !LARGE_ALLOWED.load(Ordering::Relaxed)).then(|| describe_copy(directory, &size))
}

/// Records that the user agrees to large copies, until the program ends.
pub fn allow_large_copies() {
    LARGE_ALLOWED.store(true, Ordering::Relaxed);
}

fn describe_copy(directory: &Path, size: &TreeSize) -> String {
    format!("the copy of {} has {}", directory.display(), size.describe())
}

/// Measures a directory before it is copied.
///
/// # Errors
/// Returns an error that names the size if the user has not agreed to so large a copy.
pub(super) fn check_size(directory: &Path, stop: &CopyStop) -> io::Result<TreeSize> {
    let size = TreeSize::of(directory, stop)?;
    if size.is_small() || LARGE_ALLOWED.load(Ordering::Relaxed) {
        return Ok(size);
    }
    Err(io::Error::other(format!("{}; {}", describe_copy(directory, &size), copy_limit())))
}

/// The limit, and how to go on.
pub fn copy_limit() -> String {
    format!(
        "hookbench copies at most {} and {MAX_ENTRIES} files: delete or move what the hooks do not need, or add --yes on the \
         command line",
        gigabytes(MAX_BYTES)
    )
}

/// The bytes that are copied between two looks at the stop.
const CHUNK: usize = 4 << 20;

/// Stops copies: those of an owner that is gone, and all of them when hookbench kills its hooks.
#[derive(Debug, Clone)]
pub(crate) struct CopyStop {
    is_stopped: Arc<AtomicBool>,
    kills: u64,
}

impl CopyStop {
    pub(crate) fn new() -> CopyStop {
        CopyStop { is_stopped: Arc::default(), kills: kill_count() }
    }

    /// Stops the copies when the result is dropped.
    pub(crate) fn on_drop(&self) -> StopOnDrop {
        StopOnDrop(self.clone())
    }

    /// # Errors
    /// Returns an error if the copies are stopped.
    pub(crate) fn check(&self) -> io::Result<()> {
        let is_stopped = self.is_stopped.load(Ordering::Relaxed) || kill_count() != self.kills;
        if is_stopped { Err(io::Error::other("the copy was stopped")) } else { Ok(()) }
    }
}

/// Stops copies when it is dropped.
#[derive(Debug)]
pub(crate) struct StopOnDrop(CopyStop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.is_stopped.store(true, Ordering::Relaxed);
    }
}

/// Copies a regular file with its permissions.
///
/// # Errors
/// Returns an error if the file cannot be copied, or if the copy is stopped.
pub(super) fn copy_regular_file(from: &Path, to: &Path, stop: &CopyStop) -> io::Result<()> {
    let source = hookbench_system::disk::open(from)?;
    let about = source.metadata()?;
    with_starts_blocked(|| {
        let target = File::create(to)?;
        // A file may grow while it is copied.
        copy_contents(&source, &target, about.len(), stop)
    })?;
    fs::set_permissions(to, about.permissions())
}

/// Copies the parts of a file that are not holes.
#[cfg(target_os = "linux")]
fn copy_contents(source: &File, target: &File, length: u64, stop: &CopyStop) -> io::Result<()> {
    use std::io::{Seek as _, SeekFrom};

    use rustix::fs::{SeekFrom as Position, seek};

    let mut at = 0;
    while at < length {
        let (begin, end) = match seek(source, Position::Data(at)) {
            Ok(begin) => (begin, seek(source, Position::Hole(begin))?.min(length)),
            // No data follows.
            Err(rustix::io::Errno::NXIO) => break,
            // This file system does not know holes.
            Err(_) => (at, length),
        };
        let (mut source, mut target) = (source, target);
        source.seek(SeekFrom::Start(begin))?;
        target.seek(SeekFrom::Start(begin))?;
        copy_part(source, target, end - begin, stop)?;
        at = end;
    }
    target.set_len(length)
}

/// Copies all of a file. Holes are not looked for on this system.
#[cfg(not(target_os = "linux"))]
fn copy_contents(source: &File, target: &File, length: u64, stop: &CopyStop) -> io::Result<()> {
    copy_part(source, target, length, stop)
}

/// Copies bytes from the position of one file to that of another.
fn copy_part(source: &File, mut target: &File, mut left: u64, stop: &CopyStop) -> io::Result<()> {
    let mut chunk = Vec::new();
    while left > 0 {
        stop.check()?;
        chunk.clear();
        let wanted = left.min(CHUNK as u64);
        if source.take(wanted).read_to_end(&mut chunk)? == 0 {
            break;
        }
        target.write_all(&chunk)?;
        left -= chunk.len() as u64;
    }
    Ok(())
}
