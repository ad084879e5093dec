//! The payload keys that the script of a hook reads, and those that it reads by mistake.

mod hook_walks;
mod key;
mod wrong_keys;

pub use hook_walks::{RunScript, hook_walks};
pub use hookbench_script::{Walked, bare_name, interpreter_of};
pub use key::{ScriptKey, key_paths, read_keys};
pub use wrong_keys::{GUESSED_INPUT_KEYS, meant_keys};
