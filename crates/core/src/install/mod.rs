//! Installation of hookbench's entries in an agent's settings: the events that they are on, adding them without
//! changing the rest of the file, and removing them.
//!
//! All functions map text to text. Insertions are recorded as [`MarkedText`] text, so that removing them restores the
//! file exactly. Without a usable record (the file has since changed, or was installed on another machine),
//! entries are found by their command and removed with as little surrounding text as possible.

mod entries;
mod events;
mod forward_command;
mod insertion;
mod installed_entries;
mod marked_text;
mod removal;
#[cfg(test)]
mod tests;

pub use entries::{HookbenchEntry, find_entries};
pub use events::{EventSelectionError, SkipReason, default_events, named_events};
pub use forward_command::{ShellQuoting, forward_command, is_forward, program_of, quoted_word};
pub use insertion::{EntryState, Insertion, WantedEntry, insert_entries};
pub use installed_entries::{EntryProblem, InstalledEntry, installed_entries};
pub use marked_text::MarkedText;
pub use removal::{Removal, remove_entries, remove_events};

use crate::convert::{GroupAddition, SettingsEditError, addition_edits, read_settings};
