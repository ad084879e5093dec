//! A settings file with another matcher in it: shown first, written then.

use std::path::Path;

use crate::state_dir::StateDir;
use crate::user_file::{self, Links, WriteError};
use hookbench_core::config::Place;

/// What changes in a file when a hook gets another matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rematch {
    pub agent: &'static str,
    /// As opened.
    pub path: String,
    /// As shown.
    pub file: String,
    /// Where the matcher stands, counted from 1.
    pub line: u32,
    /// The matcher before; none: there was none.
    pub was: Option<String>,
    pub matcher: String,
    pub before: String,
    pub after: String,
    /// What changes, as patches are written.
    pub diff: String,
    /// Other hooks that have the same matcher, and get the new one.
    pub also: Vec<String>,
    /// What has to happen before the agent runs it.
    pub waits: Option<String>,
}

/// Writes it, so that it can be taken back.
///
/// # Errors
/// When the file is another one by now, or cannot be written.
pub fn write_matcher(place: &Place, change: &Rematch, links: Links) -> Result<(), WriteError> {
    let state = StateDir::of(place);
    let (before, after) = (change.before.as_bytes(), change.after.as_bytes());
    user_file::write(&state, Path::new(&place.project), &change.path, Some(before), after, links)
}
