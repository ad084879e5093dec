//! The rules of the guard `malicious`.

mod backdoor;
mod hook_bypass;
mod hook_tampering;
mod quality_config;
mod run;
mod script;
mod skip_variable;
mod weakened_lines;

pub use run::check;
