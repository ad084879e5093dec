//! One agent's event as the same event of another: its name, its tool and what the tool is given, and every key that both
//! know; the rest as the other agent would have sent it. What was lost or invented on the way is said. Which events and
//! keys correspond is data, one embedded file.

mod data;
mod event;
mod patch;
mod tool;

pub use data::{KeyRow, MappedEvent, Mapping, mapping};
pub use event::{Missing, Note, NoteKind, Side, Translated, same_event, translate};
pub use patch::{Change, changes};
