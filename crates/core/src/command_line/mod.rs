//! Follows a command line without running it, as far as its result follows from files and variables alone. `line_walk` follows
//! the commands like a shell, `expansion` expands their words, and `builtins` evaluates commands whose result is known.

mod builtins;
mod expansion;
mod line_walk;
mod resolved_command;

pub use line_walk::LineWalk;
pub use resolved_command::{
    ProgramSearch, ResolveContext, ResolvedCommand, ResolvedState, ResolvedWord, StartTarget, join_path,
};
