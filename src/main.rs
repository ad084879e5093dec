//! Hands an event on when an agent asks for it; else parses the arguments, opens the screen when that is asked for, and
//! turns the result into an exit status.

use std::process::ExitCode;

use hookbench::cli::{Asked, run};

fn main() -> ExitCode {
    // Before anything else looks at the arguments: what an agent runs must not end as a command line does.
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == "forward") {
        return hookbench::forward::run(args).into();
    }
    let status = hookbench::tui::guarded(|| match run() {
        Asked::Done(status) => status,
        Asked::Open(args) => hookbench::tui::open(&args),
        Asked::Config { check } => hookbench::tui::print_config(check),
        Asked::Doctor(args) => hookbench::cli::doctor(&args, hookbench::tui::terminal_facts()),
        Asked::Script(args) => hookbench::tui::play(&args),
    });
    status.into()
}
