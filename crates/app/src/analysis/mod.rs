//! Answers without running a hook: lint, matchers, the ladder, the program that a command starts, new hooks.

pub mod ladder;
pub mod launch_preview;
pub mod lint;
pub mod matching;
pub(crate) mod named_variables;
pub mod new_hook;
pub mod recorded_secrets;
pub mod resolve;
pub mod script_text;
pub mod subjects;
pub mod syntax_check;
pub mod unsent_values;
