//! Reports that a file system was mounted or unmounted, which no event of a directory tells.

use std::io::{self, PipeWriter};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};

/// The table of mounts, whose changes the system signals to those who wait for them.
const TABLE: &str = "/proc/self/mountinfo";

/// Reports changes of the table of mounts until it is dropped.
pub(super) struct MountWatch {
    /// The thread ends when it is closed.
    _alive: PipeWriter,
}

impl MountWatch {
    /// Starts a thread that waits for changes. It ends when `report` returns false.
    ///
    /// # Errors
    /// Returns an error if this system has no such table.
    pub fn start(report: impl Fn() -> bool + Send + 'static) -> io::Result<MountWatch> {
        let table = crate::disk::open(TABLE)?;
        let (alive, writer) = io::pipe()?;
        thread::Builder::new().name("mounts".to_owned()).spawn(move || {
            loop {
                let mut files = [PollFd::new(&table, PollFlags::PRI), PollFd::new(&alive, PollFlags::IN)];
                let polled = poll(&mut files, None);
                let [table, alive] = files.map(|file| !file.revents().is_empty());
                let is_interrupted = polled == Err(rustix::io::Errno::INTR);
                if alive || (polled.is_err() && !is_interrupted) {
                    return;
                }
                if table && !report() {
                    return;
                }
            }
        })?;
        Ok(MountWatch { _alive: writer })
    }
}
