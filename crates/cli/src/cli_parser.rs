//! The root of the command line: the program's own arguments, the commands in their groups, and their examples.

use std::ffi::OsString;
use std::path::Path;

use clap::builder::StyledStr;
use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser};

use super::adapt::{ADAPT_HELP, AdaptArgs};
use super::args::{
    ConfigArgs, DemoArgs, DoctorArgs, EventsArgs, FireArgs, ImportArgs, ListArgs, OpenArgs, PlanArgs, SchemaArgs,
    ServerArgs, ToolsArgs, TuiArgs, WhyArgs,
};
use super::calibrate::CalibrateArgs;
use super::convert::{CONVERT_HELP, ConvertArgs};
use super::db::DbArgs;
use super::diff::{DIFF_HELP, DiffArgs};
use super::error::CliError;
use super::examples::{EXAMPLES, Example};
use super::explain::ExplainArgs;
use super::fire::FIRE_HELP;
use super::guard::{GUARD_HELP, GuardCommandArgs};
use super::install::{INSTALL_HELP, InstallArgs, UNINSTALL_HELP, UninstallArgs};
use super::lint::{LINT_HELP, LintArgs};
use super::manual::{CompletionsArgs, ManArgs};
use super::matching::MatchArgs;
use super::new::{NEW_HELP, NewArgs};
use super::portable::{PORTABLE_HELP, PortableArgs};
use super::replay::ReplayArgs;
use super::serve::{SERVE_HELP, ServeArgs};
use super::stats::{STATS_HELP, StatsArgs};
use super::stress::StressArgs;
use super::test::{ReportArgs, TestArgs};
use super::undo::UndoArgs;
use hookbench_app::PlaceError;
use hookbench_core::dialects;
use hookbench_core::text::nearest;

/// The width of the column of commands in `--help`.
const COMMAND_WIDTH: usize = 13;

/// The groups of commands in `--help`.
const GROUPS: &[(&str, &[&str])] = &[
    ("Write and try hooks", &["demo", "new", "fire", "plan", "match", "portable", "convert", "adapt"]),
    ("Check hooks", &["lint", "explain", "why", "list", "stress", "test", "report", "server"]),
    ("Recorded events", &["import", "replay", "diff", "stats", "db"]),
    ("Running agents", &["install", "uninstall", "guard", "serve"]),
    ("Reference", &["events", "tools", "schema", "config"]),
    ("Maintenance", &["doctor", "calibrate", "undo", "completions", "man", "tui", "help"]),
];

/// The default of `--agent` in commands that do not find the agent from an event.
const AGENT_HELP: &[(&str, &str)] = &[
    ("lint", "Agent to check [default: all of them]"),
    ("list", "Agent whose hooks are listed [default: all of them]"),
    ("match", "Agent to try the matcher in [default: all of them]"),
    ("portable", "Agent whose hooks are judged [default: all of them]"),
    ("events", "Agent whose events are listed [default: all of them]"),
    ("test", "Agent, or all of them [default: those that the suite names]"),
];

/// Fire events at the hooks of AI coding agents, and see what happens and why
#[derive(Debug, Parser)]
#[command(name = "hookbench", version, args_conflicts_with_subcommands = true, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Subcommand>,
    #[command(flatten)]
    pub open: OpenArgs,
    /// Reset the saved layout of the workbench in this project
    #[arg(long)]
    pub reset_layout: bool,
}

/// The commands.
#[derive(Debug, clap::Subcommand)]
pub enum Subcommand {
    /// Open the workbench on a sample project; needs no agent
    Demo(DemoArgs),
    /// Write a hook from a recipe, or from a few answers
    #[command(after_long_help = NEW_HELP)]
    New(NewArgs),
    /// Run the hooks of one event and print the decision
    #[command(after_long_help = FIRE_HELP)]
    Fire(FireArgs),
    /// Print which hooks an event would run, and why; runs nothing
    Plan(PlanArgs),
    /// Explain in ten steps why a hook runs or does not
    Why(WhyArgs),
    /// Try a matcher in every agent; --yes saves it
    Match(MatchArgs),
    /// Say in which agents a hook, or an answer, refuses
    #[command(after_long_help = PORTABLE_HELP)]
    Portable(PortableArgs),
    /// List every hook in effect, with file and line
    List(ListArgs),
    /// Find problems in settings and scripts; runs nothing
    #[command(after_long_help = LINT_HELP)]
    Lint(LintArgs),
    /// Explain a finding's code, such as HW301
    Explain(ExplainArgs),
    /// List the events of each agent, with fields and templates
    Events(EventsArgs),
    /// List the tool names of each agent
    Tools(ToolsArgs),
    /// Import events from agents' sessions, or list the sessions
    Import(ImportArgs),
    /// Check the rules of an agent against the installed program
    ///
    /// hookbench starts the agent many times, in scratch directories, with test hooks and a scripted model. This
    /// needs no key and no network, and neither reads nor changes your settings.
    ///
    /// On an idle machine, an agent takes three to ten minutes, with --quick about one minute. A busy machine needs
    /// several times as long.
    Calibrate(CalibrateArgs),
    /// Check the installed agents, hookbench's files and the terminal
    ///
    /// It starts each installed agent once, with --version.
    Doctor(DoctorArgs),
    /// Install forwarding hooks in an agent
    #[command(after_long_help = INSTALL_HELP)]
    Install(InstallArgs),
    /// Remove the forwarding hooks from an agent
    #[command(after_long_help = UNINSTALL_HELP)]
    Uninstall(UninstallArgs),
    /// Check what agents do with ready-made rules: install, try, judge
    #[command(after_long_help = GUARD_HELP)]
    Guard(GuardCommandArgs),
    /// Receive, store and answer the events of running agents
    #[command(after_long_help = SERVE_HELP)]
    Serve(ServeArgs),
    /// Convert the hooks of one agent to those of another
    #[command(after_long_help = CONVERT_HELP)]
    Convert(ConvertArgs),
    /// Run a script of one agent as a hook of another
    #[command(after_long_help = ADAPT_HELP)]
    Adapt(AdaptArgs),
    /// Undo the last change to a settings file, script or suite
    Undo(UndoArgs),
    /// Fire recorded events again and compare the results
    Replay(ReplayArgs),
    /// Show what differs between two recorded events
    #[command(after_long_help = DIFF_HELP)]
    Diff(DiffArgs),
    /// Show how long each hook takes, and how often it fails
    #[command(after_long_help = STATS_HELP)]
    Stats(StatsArgs),
    /// Find out what a guard does not refuse, and when it fails
    Stress(StressArgs),
    /// Run test suites for hooks
    Test(TestArgs),
    /// Merge test reports
    Report(ReportArgs),
    /// Serve an editor: findings, fixes and completion while you type
    ///
    /// An editor starts it and speaks the Language Server Protocol on its stdin and stdout. It runs a hook only if you
    /// choose that in the editor and approve the command.
    Server(ServerArgs),
    /// List, export, mark or delete recorded events
    Db(DbArgs),
    /// Print the JSON Schemas of the JSON output
    Schema(SchemaArgs),
    /// Print the configuration file with all defaults
    Config(ConfigArgs),
    /// Run the workbench from a script, without a terminal
    Tui(TuiArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print a manual page, or write all of them
    Man(ManArgs),
}

impl Arguments {
    /// Whether hooks may run, or an agent that runs them.
    pub fn may_start_hooks(&self) -> bool {
        use Subcommand::{Calibrate, Demo, Fire, New, Replay, Server, Stress, Test, Tui};
        let command = self.command.as_ref();
        command.is_none_or(|command| {
            matches!(
                command,
                Calibrate(_) | Demo(_) | Fire(_) | New(_) | Replay(_) | Server(_) | Stress(_) | Test(_) | Tui(_)
            )
        })
    }
}

/// The reason why the command line was not accepted.
pub enum ParseFailure {
    /// Also help and version, which clap reports as errors.
    Clap(clap::Error),
    Command(CliError),
}

/// Parses the command line.
pub fn parse(line: &[OsString]) -> Result<Arguments, ParseFailure> {
    let mut command = command();
    let parsed = command.try_get_matches_from_mut(line).and_then(|matches| Arguments::from_arg_matches(&matches));
    let directory = match &parsed {
        Ok(Arguments { command: None, open, .. }) => open.dir.as_deref(),
        Ok(_) => None,
        // `hookbench lnit --fix`: clap takes the command for a directory, and rejects what follows.
        Err(_) => line.get(1).map(Path::new).filter(|first| !first.as_os_str().as_encoded_bytes().starts_with(b"-")),
    };
    let known = |name: &str| command.get_subcommands().any(|one| one.get_name() == name);
    // `hookbench --plain demo`: clap takes a command after an option for a directory.
    if let Ok(Arguments { command: None, open, .. }) = &parsed
        && let Some(name) = open.dir.as_deref().filter(|directory| !directory.is_dir()).and_then(Path::to_str)
        && known(name)
    {
        let says = format!("options come after the command: hookbench {name} --help lists those of {name}");
        return Err(ParseFailure::Command(CliError::Usage(says)));
    }
    match directory.filter(|directory| !directory.is_dir() && directory.to_str().is_none_or(|name| !known(name))) {
        Some(directory) => Err(ParseFailure::Command(no_directory_error(&command, directory))),
        None => parsed.map_err(ParseFailure::Clap),
    }
}

/// Explains a first argument that is neither a command nor a directory.
fn no_directory_error(command: &Command, directory: &Path) -> CliError {
    let text = directory.display().to_string();
    if directory.exists() {
        return PlaceError::NotADirectory(text).into();
    }
    if directory.components().count() > 1 || text.ends_with('/') || text.starts_with('.') {
        return PlaceError::Missing(text).into();
    }
    unknown_command(command, &text, ", and no directory has this name")
}

/// Names the command that was probably meant. `more` is the text without such a command.
pub fn unknown_command(command: &Command, text: &str, more: &str) -> CliError {
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).filter(|name| !name.is_empty()).collect();
    CliError::Usage(match nearest(text, &names) {
        Some(name) => format!("unknown command \"{text}\"; did you mean \"{name}\"?"),
        None => format!("unknown command \"{text}\"{more}\n  help: `hookbench --help` lists the commands"),
    })
}

/// Returns the whole command line, with groups and examples.
pub fn command() -> Command {
    let mut command = Arguments::command();
    for examples in EXAMPLES.chunk_by(|one, next| one.0 == next.0) {
        let path: Vec<&str> = examples.iter().take(1).flat_map(|(command, ..)| command.split(' ')).collect();
        command = with_examples(command, &path, examples);
    }
    for (name, help) in AGENT_HELP {
        command = command.mut_subcommand(*name, |inner| inner.mut_arg("agent", |agent| agent.help(*help)));
    }
    let template = help_template(&command);
    command.help_template(template)
}

/// Adds the examples to the help of a command, at any depth.
fn with_examples(command: Command, path: &[&str], examples: &[Example]) -> Command {
    if let Some((first, rest)) = path.split_first() {
        return command.mut_subcommand(*first, |inner| with_examples(inner, rest, examples));
    }
    let text = examples_text(&command, examples);
    let long = command.get_after_long_help().map(|more| format!("{}\n\n{text}", more.ansi()));
    let command = command.after_help(text);
    match long {
        Some(long) => command.after_long_help(long),
        None => command,
    }
}

fn examples_text(command: &Command, examples: &[Example]) -> String {
    let id = |index: usize| dialects::ALL.get(index).map_or("", |dialect| dialect.id().as_str());
    let mut text = header(command, "Examples:");
    for (_, task, line) in examples {
        let line = line.replace("@agent", id(0)).replace("@other", id(1));
        text.push_str(&format!("\n  {task}:\n    {line}"));
    }
    text
}

/// Returns the template of the program's help. clap itself cannot print commands in groups.
fn help_template(command: &Command) -> StyledStr {
    let literal = command.get_styles().get_literal();
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (title, names) in GROUPS {
        text.push_str(&format!("\n{}\n", header(command, &format!("{title}:"))));
        for name in *names {
            let about = match command.find_subcommand(name).and_then(Command::get_about) {
                Some(about) => about.to_string(),
                None => "Print this message or the help of a command".to_owned(),
            };
            let cell = format!("{name:<COMMAND_WIDTH$}");
            text.push_str(&format!("  {}{cell}{}{about}\n", literal.render(), literal.render_reset()));
        }
    }
    for (title, tag) in [("Arguments:", "{positionals}"), ("Options:", "{options}")] {
        text.push_str(&format!("\n{}\n{tag}\n", header(command, title)));
    }
    text.push_str("\n'hookbench COMMAND --help' explains a command, with examples.");
    text.into()
}

fn header(command: &Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{}{text}{}", style.render(), style.render_reset())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use pretty_assertions::assert_eq;

    use super::{GROUPS, command};

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = command();
        let all: BTreeSet<&str> = command.get_subcommands().map(clap::Command::get_name).chain(["help"]).collect();
        grouped.sort_unstable();
        assert_eq!(grouped, all.into_iter().collect::<Vec<_>>());
    }
}
