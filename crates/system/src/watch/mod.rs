//! Reports which of the watched files have changed.
//!
//! Editors and agents often replace files instead of writing them, directories are created and deleted, and systems
//! report this in different ways. Therefore directories are watched instead of files, and their events only trigger a
//! check: a file has changed if its content, its mode or its existence has.
//!
//! | file | content |
//! |---|---|
//! | `watcher` | [`watch()`], [`Watcher`]: the thread that waits for a burst to end and checks the files |
//! | `state` | the watched paths and their last known state, and a report that a file system was mounted |
//! | `file_state` | the state of a file |

mod file_state;
#[cfg(target_os = "linux")]
mod state;
mod watcher;

pub use watcher::{Flusher, WatchReport, Watcher, watch};
