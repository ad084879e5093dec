//! Parses the arguments, opens the screen when that is asked for, and turns the result into an exit status.

use std::process::ExitCode;

use hookbench::cli::{Asked, run};

fn main() -> ExitCode {
    match run() {
        Asked::Done(status) => status.into(),
        Asked::Open(args) => hookbench::tui::open(&args).into(),
        Asked::Config { check } => hookbench::tui::print_config(check).into(),
        Asked::Script(args) => hookbench::tui::play(&args).into(),
    }
}
