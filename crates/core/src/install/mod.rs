//! Entries of our own in an agent's settings: which events they are on, how they are put in so that nothing else moves,
//! and how they are taken out again.
//!
//! Everything is text in, text out. What was put in is kept as [`Marked`] text, so that taking it out gives back every
//! byte; where that is not known any more (the file was changed by others, or installed elsewhere), entries are found by
//! their command and cut out with as little around them as can be.

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

/// Reads a settings file; none when nothing is in it.
fn read(text: &str, syntax: Syntax) -> Result<Option<Node>, NotEditable> {
    if is_blank(text) {
        return Ok(None);
    }
    parse_json(SourceId(0), text, syntax).map(Some).map_err(|why| NotEditable::at(text, why.at, why.message))
}
