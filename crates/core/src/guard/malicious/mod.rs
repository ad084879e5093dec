//! The rules of the guard `malicious`.

mod backdoor;
mod hook_tampering;
mod script;
mod weakened_lines;

pub use script::check;
