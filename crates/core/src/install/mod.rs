//! Installation of hookbench's entries in an agent's settings: the events that they are on, adding them without
//! changing the rest of the file, and removing them.
//!
//! All functions map text to text. Insertions are recorded as [`MarkedText`] text, so that removing them restores the
//! file exactly. Without a usable record (the file has since changed, or was installed on another machine),
//! entries are found by their command and removed with as little surrounding text as possible.

mod edits;
mod events;
mod installed_entries;
#[cfg(test)]
mod tests;

pub use edits::{
    EntryState, Insertion, MarkedText, Removal, WantedEntry, insert_entries, remove_entries, remove_events,
};
pub use events::{
    EventSelectionError, ShellQuoting, SkipReason, default_events, forward_command, is_forward, named_events,
    program_of, quoted_word,
};
pub use installed_entries::{EntryProblem, HookbenchEntry, InstalledEntry, find_entries, installed_entries};

use crate::convert::{GroupAddition, SettingsEditError, addition_edits, read_settings};
