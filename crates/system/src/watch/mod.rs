//! Says which of the files that somebody reads have changed.
//!
//! Editors and agents replace files rather than write them, folders come and go, and systems report all that in many
//! ways. So folders are watched, not files, and what they report only makes us look: a file has changed when its bytes,
//! whether it may be run, or its being there has.
//!
//! | file | holds |
//! |---|---|
//! | `watcher` | [`watch()`], [`Watcher`]: the thread that waits for a burst to end and looks |
//! | `burst` | when a burst of reports is over |
//! | `state` | what is watched, and what it looked like last |
//! | `places` | which folders to watch for which files |
//! | `seen` | what a file looked like |

mod burst;
mod places;
mod seen;
mod state;
mod watcher;

pub use watcher::{Flusher, Report, Watcher, watch};
