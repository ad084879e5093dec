//! Copies of single files, which can be stopped at any time and keep holes.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hookbench_system::runner::{kill_count, with_starts_blocked};

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
