//! The program in a real terminal, and the architecture of its sources.

#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/programs.rs"]
mod programs;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/rust_text.rs"]
mod rust_text;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/terminal.rs"]
mod terminal;

mod architecture;
mod pty;
