//! Forwards, adapts or checks an event if an agent runs `hookbench forward`, `adapt` or `guard NAME`. Otherwise parses
//! the arguments, opens the screen if requested, and turns the result into an exit status.

use std::process::ExitCode;

use hookbench::cli::{CliRequest, run};
#[cfg(unix)]
use hookbench::runner;
use hookbench::{isolation, own_directories, recorder};

fn main() -> ExitCode {
    // Runs before the arguments are parsed: a hook command must not exit with the status of a usage error.
    if let Some(status) = hook_status() {
        return status.into();
    }
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(first) if first == recorder::RECORD => return recorder::run(args).into(),
        #[cfg(unix)]
        Some(first) if first == runner::GUARDIAN_STAGE => {
            runner::run_guardian();
            return ExitCode::SUCCESS;
        }
        // hookbench starts these stages itself. Namespaces need a process without threads.
        Some(first) => {
            if let Some(status) = isolation::run_stage(&first, args) {
                return status.into();
            }
        }
        None => {}
    }
    own_directories::use_absolute_temporary_directory();
    #[cfg(target_os = "linux")]
    runner::keep_open_files();
    #[cfg(unix)]
    runner::guard_hooks();
    let status = hookbench::tui::guarded(|| match run(keep) {
        CliRequest::Finished(status) => status,
        CliRequest::Open(args) => hookbench::tui::open(&args),
        CliRequest::Config { check } => hookbench::tui::print_config(check),
        CliRequest::Doctor(args) => hookbench::cli::doctor(&args, hookbench::tui::terminal_facts()),
        CliRequest::Server { home } => hookbench::lsp::serve(home),
        CliRequest::Script(args) => hookbench::tui::play(&args),
    });
    #[cfg(target_os = "linux")]
    runner::end_what_is_left();
    status.into()
}

/// Lets a second process wait for this one.
fn keep() {
    #[cfg(target_os = "linux")]
    {
        let modes = hookbench::tui::InitialModes::read();
        runner::keep(|signal| modes.restore(signal));
    }
}

/// Runs the command that an agent starts for every event, and returns its exit status. `None` for any other command.
fn hook_status() -> Option<u8> {
    let mut args = std::env::args_os().skip(1);
    match args.next()?.to_str()? {
        "forward" => Some(hookbench::forward::run(args)),
        "adapt" if !asks_for_help() => Some(hookbench::adapt::run(args)),
        "guard" if names_a_guard() => Some(hookbench::guard::run(args, hookbench::app::guards::ask_moderator)),
        _ => None,
    }
}

/// Whether the first option is one for help. The arguments of a script are its own.
fn asks_for_help() -> bool {
    std::env::args_os().nth(2).is_some_and(|option| option == "--help" || option == "-h")
}

/// Whether `guard` is followed by anything but one of its commands or an option for help.
fn names_a_guard() -> bool {
    let second = std::env::args_os().nth(2);
    second.is_some_and(|word| !hookbench::cli::is_guard_command(&word.to_string_lossy()))
}
