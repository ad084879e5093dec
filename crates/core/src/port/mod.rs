//! Translation of one agent's event into the same event of another: its name, its tool and tool input, and every
//! key that both know. The rest is filled in as the other agent would send it. Notes report lost and invented
//! data. The correspondence of events and keys is data in an embedded file.

mod data;
mod event;
mod patch;
mod tool;

pub use data::{EventMapping, KeyRow, MappedEvent, mapping};
pub use event::{
    AgentVersion, MissingEvent, TranslatedEvent, TranslationNote, TranslationNoteKind, same_event, translate,
};
pub use patch::{PatchChange, parse_patch};
