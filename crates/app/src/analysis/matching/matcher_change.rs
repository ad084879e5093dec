//! Changes a matcher in a settings file, with a preview.

use hookbench_core::names::AgentId;
use std::path::Path;

use crate::disk::state_dir::StateDir;
use crate::disk::user_file::{FileChange, LinkPolicy, WriteError, write_all};
use hookbench_core::config::Place;

/// The change of a file that gives a hook another matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatcherChange {
    pub agent: AgentId,
    /// The path as opened.
    pub path: String,
    /// The path as displayed.
    pub file: String,
    /// The line of the matcher, from 1.
    pub line: u32,
    /// The previous matcher, if there was one.
    pub previous: Option<String>,
    pub matcher: String,
    pub before: String,
    pub after: String,
    /// A unified diff.
    pub diff: String,
    /// The other hooks that share this matcher and get the new one, too.
    pub affected_hooks: Vec<String>,
    /// The user's next step before the agent runs the hook.
    pub next_step: Option<String>,
}

impl MatcherChange {
    /// The change of the whole file.
    pub fn file_change(&self) -> FileChange {
        FileChange {
            file: self.file.clone(),
            path: self.path.clone(),
            before: Some(self.before.clone().into_bytes()),
            after: self.after.clone().into_bytes(),
            executable: false,
        }
    }
}

/// Writes the change as a step that can be undone.
///
/// # Errors
/// Returns an error if the file has changed in the meantime or cannot be written.
pub fn write_matcher(place: &Place, change: &MatcherChange, links: LinkPolicy) -> Result<(), WriteError> {
    write_all(&StateDir::of(place), Path::new(&place.project), &[change.file_change()], links)
}
