//! `hookbench guard NAME`: the hook of an agent that checks an event with the rules of a guard. Like `forward` it uses
//! no async runtime and no store, because an agent waits for it.
//!
//! It always prints one JSON object. It ends with status 1 if it was called wrongly, otherwise with 0: status 2 would
//! refuse whatever the agent is about to do.

mod args;
mod files;
mod run;

pub use files::{DiskSurroundings, MAX_TRANSCRIPT_END};
pub use run::{HITS_FILE, Moderator, ModeratorRequest, run};
