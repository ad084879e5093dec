//! Parses the arguments, opens the screen when that is asked for, and turns the result into an exit status.

use std::process::ExitCode;

use hookbench::cli::{Asked, run};

fn main() -> ExitCode {
    let status = hookbench::tui::guarded(|| match run() {
        Asked::Done(status) => status,
        Asked::Open(args) => hookbench::tui::open(&args),
        Asked::Config { check } => hookbench::tui::print_config(check),
        Asked::Doctor(args) => hookbench::cli::doctor(&args, hookbench::tui::terminal_facts()),
        Asked::Script(args) => hookbench::tui::play(&args),
    });
    status.into()
}
