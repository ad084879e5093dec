//! The command line: parses arguments and prints one document or one page of text.

#![allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]

mod adapt;
mod all_agents;
mod args;
mod calibrate;
mod cli_parser;
mod consent;
mod containment;
mod convert;
mod db;
mod diff;
mod doctor;
mod error;
mod events;
mod examples;
mod explain;
mod fire;
mod fire_session;
mod formats;
mod guard;
mod import;
mod inspect;
mod install;
mod lint;
mod manual;
mod matching;
mod new;
mod portable;
mod print;
mod progress;
mod repeat;
mod replay;
mod run;
mod serve;
mod setup;
mod shared_page;
mod signals;
mod stats;
mod stress;
mod suggestion;
mod test;
mod tools;
mod tui;
mod undo;
mod why;

use args::ArgumentWords;
pub use args::{DoctorArgs, OpenArgs};
pub use cli_parser::{Arguments, Subcommand};

use cli_parser::ParseFailure;
pub use doctor::doctor;
pub use error::CliError;
pub use guard::is_guard_command;
pub use shared_page::markdown;

use std::ffi::OsString;
use std::path::PathBuf;

use hookbench_app::{ExitStatus, OpenRequest, ScriptRequest};

/// The result of parsing the command line.
#[derive(Debug)]
pub enum CliRequest {
    /// Open the workbench.
    Open(OpenRequest),
    /// Run the workbench from a script.
    Script(ScriptRequest),
    /// Print the documented configuration, or check the user's.
    Config { check: bool },
    /// Report what is installed. The caller adds the facts about the terminal, which only the screen crate knows.
    Doctor(DoctorArgs),
    /// Serve an editor, with this home directory for user-level settings; `None` for the real one.
    Server { home: Option<PathBuf> },
    /// The command has finished with this exit status.
    Finished(ExitStatus),
}

/// Parses the arguments and runs every command that needs no screen. `before_hooks` is called first if hooks may run.
pub fn run(before_hooks: impl FnOnce()) -> CliRequest {
    let done = |result: Result<ExitStatus, CliError>| {
        CliRequest::Finished(result.unwrap_or_else(|failure| error::report(&failure)))
    };
    let line: Vec<OsString> = std::env::args_os().collect();
    let arguments = match cli_parser::parse(&line) {
        Ok(arguments) => arguments,
        Err(ParseFailure::Command(failure)) => return done(Err(failure)),
        Err(ParseFailure::Clap(why)) => return CliRequest::Finished(error::report_usage(&why)),
    };
    if arguments.may_start_hooks() {
        before_hooks();
    }
    match arguments.command {
        None => {
            let OpenArgs { dir, agent, home, agent_version, agent_args, plain } = arguments.open;
            let reset_layout = arguments.reset_layout;
            // Plain text mode is also read by programs, which expect the same start every time.
            let remember = !plain;
            let open = OpenRequest {
                dir,
                agent,
                home,
                agent_version,
                agent_words: agent_args.map(|ArgumentWords(words)| words),
                plain,
                remember,
                reset_layout,
                markdown: Some(shared_page::markdown),
                ..OpenRequest::default()
            };
            CliRequest::Open(open)
        }
        Some(Subcommand::Demo(demo)) => CliRequest::Open(OpenRequest {
            demo: true,
            agent: demo.agent,
            plain: demo.plain,
            markdown: Some(shared_page::markdown),
            ..OpenRequest::default()
        }),
        Some(Subcommand::Fire(args)) => done(fire::fire(&args)),
        Some(Subcommand::Plan(args)) => done(inspect::plan(&args)),
        Some(Subcommand::Why(args)) => done(why::why(&args)),
        Some(Subcommand::Match(args)) => done(matching::matching(&args)),
        Some(Subcommand::Portable(args)) => done(portable::portable(&args)),
        Some(Subcommand::List(args)) => done(inspect::list(&args)),
        Some(Subcommand::Lint(args)) => done(lint::lint(&args)),
        Some(Subcommand::Explain(args)) => done(explain::explain(&args)),
        Some(Subcommand::Events(args)) => done(events::events(&args)),
        Some(Subcommand::Tools(args)) => done(tools::tools(&args)),
        Some(Subcommand::Import(args)) => done(import::import(&args)),
        Some(Subcommand::Calibrate(args)) => done(calibrate::calibrate(&args)),
        Some(Subcommand::Doctor(args)) => CliRequest::Doctor(args),
        Some(Subcommand::Install(args)) => done(install::install(&args)),
        Some(Subcommand::Guard(args)) => done(guard::guard(&args)),
        Some(Subcommand::Uninstall(args)) => done(install::uninstall(&args)),
        Some(Subcommand::Serve(args)) => done(serve::serve(&args)),
        Some(Subcommand::New(args)) => done(new::new(&args)),
        Some(Subcommand::Adapt(_)) => done(adapt::adapt()),
        Some(Subcommand::Convert(args)) => done(convert::convert(&args)),
        Some(Subcommand::Undo(args)) => done(undo::undo(&args)),
        Some(Subcommand::Replay(args)) => done(replay::replay(&args)),
        Some(Subcommand::Stats(args)) => done(stats::stats(&args)),
        Some(Subcommand::Stress(args)) => done(stress::stress(&args)),
        Some(Subcommand::Test(args)) => done(test::test(&args)),
        Some(Subcommand::Report(args)) => done(test::report(&args)),
        Some(Subcommand::Diff(args)) => done(diff::diff(&args)),
        Some(Subcommand::Db(args)) => done(db::db(&args.command)),
        Some(Subcommand::Server(args)) => CliRequest::Server { home: args.home },
        Some(Subcommand::Schema(args)) => done(inspect::schema(&args)),
        Some(Subcommand::Config(args)) => CliRequest::Config { check: args.check },
        Some(Subcommand::Completions(args)) => CliRequest::Finished(manual::completions(&args, cli_parser::command())),
        Some(Subcommand::Man(args)) => done(manual::man(&args, cli_parser::command())),
        Some(Subcommand::Tui(args)) => CliRequest::Script(tui::request(args)),
    }
}
