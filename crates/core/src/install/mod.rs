//! Installation of hookbench's entries in an agent's settings: the events that they are on, adding them without
//! changing the rest of the file, and removing them.
//!
//! All functions map text to text. Insertions are recorded as [`Marked`] text, so that removing them restores the
//! file exactly. Without a usable record (the file has since changed, or was installed on another machine),
//! entries are found by their command and removed with as little surrounding text as possible.

mod add;
mod command;
mod entries;
mod events;
mod marked;
mod remove;
mod standing;
#[cfg(test)]
mod tests;
mod trivia;

pub use add::{EntryState, Put, Wanted, put_in};
pub use command::{Quoting, forward_command, is_forward, program_of};
pub use entries::{OwnEntry, own_entries};
pub use events::{BadEvent, LeftOut, default_events, named_events};
pub use marked::{Marked, Piece};
pub use remove::{Removal, take_out};
pub use standing::{Problem, Standing, standings};

use crate::convert::{Addition, NotEditable, Splice, is_blank, splices};
use crate::text::{Node, SourceId, Syntax, parse_json};

/// Parses a settings file. `None` if it is empty.
fn read(text: &str, syntax: Syntax) -> Result<Option<Node>, NotEditable> {
    if is_blank(text) {
        return Ok(None);
    }
    parse_json(SourceId(0), text, syntax).map(Some).map_err(|why| NotEditable::at(text, why.at, why.message))
}
