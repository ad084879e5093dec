//! Translates an event of one agent into the corresponding event of another: the event name, the tool and its input,
//! and all keys that both agents have. The rest is filled in as the other agent would send it. Notes list the data
//! that was dropped and the data that was made up. The correspondence of events and keys is data in an embedded file.

mod data;
mod event;
mod nearest_event;
mod patch;
mod project_directory;
mod sent_path;
mod tool;

pub use data::{AgentWords, EventMapping, KeyRow, MappedEvent, mapping};
pub use event::{
    AgentVersion, MissingEvent, TranslatedEvent, TranslationNote, TranslationNoteKind, same_event, translate,
};
pub use nearest_event::nearest_event;
pub use patch::{PatchChange, parse_patch};
pub use project_directory::project_directory;
pub use sent_path::sent_path;
pub use tool::{command_of_any_agent, split_patch};
