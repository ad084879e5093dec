//! A file that is read under watch: each read reports the progress, and can end the import.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;

/// A progress callback: bytes read, file size, and events so far.
pub type ProgressCallback<'a> = &'a mut dyn FnMut(u64, u64, u64) -> ControlFlow<()>;

/// The state that the reader of a file and its watcher share.
#[derive(Debug, Default)]
pub struct ReadState {
    /// The number of events so far.
    pub events: Cell<u64>,
    /// Whether the watcher has ended the import.
    pub cancelled: Cell<bool>,
}

/// An open file and its watcher. A cancelled file has no more bytes.
pub struct WatchedFile<'a> {
    file: File,
    size: u64,
    read: u64,
    state: &'a ReadState,
    watch: ProgressCallback<'a>,
}

impl<'a> WatchedFile<'a> {
    /// Watches an open file of this size.
    pub fn new(file: File, size: u64, state: &'a ReadState, watch: ProgressCallback<'a>) -> WatchedFile<'a> {
        WatchedFile { file, size, read: 0, state, watch }
    }
}

impl Read for WatchedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.watch)(self.read, self.size, self.state.events.get()).is_break() {
            self.state.cancelled.set(true);
        }
        if self.state.cancelled.get() {
            return Ok(0);
        }
        let count = self.file.read(buffer)?;
        self.read += count as u64;
        Ok(count)
    }
}
