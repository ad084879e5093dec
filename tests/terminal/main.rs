//! Tests of the program in a real terminal, and of the architecture of its sources.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; tests lay files and start programs"
)]
#![allow(dead_code, reason = "not every test needs all of the support")]

#[path = "../support/file_imports.rs"]
mod file_imports;
#[path = "../support/programs.rs"]
mod programs;
#[path = "../support/rust_text.rs"]
mod rust_text;
#[path = "../support/terminal.rs"]
mod terminal;

mod architecture;
mod language;
mod pty;
mod requirements_page;
