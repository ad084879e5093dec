//! `install` and `uninstall`: show the change, and write it after confirmation.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use clap::Args;

use super::args::{Format, PlaceArgs, agent, agent_ids};
use super::convert::write_error;
use super::error::CliError;
use super::inspect::print_json;
use super::print;
use hookbench_app::{
    ExitStatus, InstallAction, InstallError, InstallRequest, LinkPolicy, PreparedInstall, document, make_place, prepare,
};
use hookbench_core::dialects;
use hookbench_core::hook::Layer;

/// The text below the options in the help of `install`.
pub const INSTALL_HELP: &str = "\
The agent then runs `hookbench forward` on these events, which hands each of them to the server of hookbench and passes \
everything through where none is running. What stands in the settings stays, with its comments and its order; an entry that \
is there already is brought up to date. Without --yes the change is shown and asked about; where nobody can be asked, \
nothing is written. hookbench uninstall takes the entries out again, hookbench undo the last change.

Exit status: 0 written, or nothing to do, 2 wrong usage, 4 not agreed to, 5 the settings cannot be changed.

Example: hookbench install --agent AGENT --events pre_tool_use,stop --dry-run";

/// The text below the options in the help of `uninstall`.
pub const UNINSTALL_HELP: &str = "\
Every entry that runs `hookbench forward` goes, and with it what install has made for it: the file is as it was before, byte \
for byte, where nothing else has changed in it. What others have added since stays. hookbench undo takes it back.

Exit status: 0 written, or nothing to do, 2 wrong usage, 4 not agreed to, 5 the settings cannot be changed.

Example: hookbench uninstall --agent AGENT --yes";

/// What both take.
#[derive(Debug, Args)]
pub struct SettingsChangeArgs {
    #[arg(long, value_parser = agent, value_name = "AGENT", help = agent_help())]
    pub agent: &'static str,
    /// The settings in the home folder, or those of the project
    #[arg(long, value_parser = scope, value_name = "user|project", default_value = "user")]
    pub scope: Layer,
    /// Show what would change, and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
    /// Write also where the settings file is a link that leads out of the project
    #[arg(long)]
    pub follow_links: bool,
    #[command(flatten)]
    pub place_args: PlaceArgs,
}

/// `install`.
#[derive(Debug, Args)]
pub struct InstallArgs {
    #[command(flatten)]
    pub change_args: SettingsChangeArgs,
    /// Only these events, parted by commas [default: all but those that fire very often or are unsafe]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub events: Option<Vec<String>>,
}

/// `uninstall`.
#[derive(Debug, Args)]
pub struct UninstallArgs {
    #[command(flatten)]
    pub change_args: SettingsChangeArgs,
}

fn agent_help() -> String {
    format!("Agent whose settings they are: {}", agent_ids(", "))
}

fn scope(text: &str) -> Result<Layer, String> {
    let known = [Layer::User, Layer::Project];
    known.into_iter().find(|layer| layer.word() == text).ok_or_else(|| "scopes are user and project".to_owned())
}

/// Runs `install`.
pub fn install(args: &InstallArgs) -> Result<ExitStatus, CliError> {
    let events: Option<Vec<&str>> = args.events.as_ref().map(|events| events.iter().map(String::as_str).collect());
    change(&args.change_args, InstallAction::Install(events.as_deref()))
}

/// Runs `uninstall`.
pub fn uninstall(args: &UninstallArgs) -> Result<ExitStatus, CliError> {
    change(&args.change_args, InstallAction::Uninstall)
}

fn change(args: &SettingsChangeArgs, wish: InstallAction<'_>) -> Result<ExitStatus, CliError> {
    let place = make_place(args.place_args.project.as_deref(), args.place_args.home.as_deref())?;
    let links = LinkPolicy::from_flag(args.follow_links);
    let dialect = dialects::by_id(args.agent);
    let dialect = dialect.ok_or_else(|| CliError::Usage(format!("no agent is called {}", args.agent)))?;
    let request = InstallRequest { dialect, layer: args.scope, action: wish };
    let prepared = prepare(&place, &request).map_err(failure)?;
    let asks = prepared.changes() && !args.dry_run && !args.yes;
    let writes = prepared.changes() && args.yes;
    if writes {
        prepared.write(&place, links).map_err(failure)?;
    }
    let talks =
        args.place_args.format == Format::Text && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    show(args.place_args.format, &prepared, writes)?;
    if !asks {
        return Ok(ExitStatus::Ok);
    }
    if !talks {
        return Err(CliError::Consent("nothing was written: look at the change, then say --yes".to_owned()));
    }
    if !confirm_write(&prepared.file) {
        return Err(CliError::Consent("nothing was written".to_owned()));
    }
    prepared.write(&place, links).map_err(failure)?;
    print::write_stdout("written; hookbench undo takes it back\n");
    Ok(ExitStatus::Ok)
}

fn show(format: Format, prepared: &PreparedInstall, written: bool) -> Result<(), CliError> {
    let doc = document::install_doc(prepared, written);
    match format {
        Format::Json => print_json(&doc).map(|_| ()),
        Format::Text => {
            print::install(&doc, prepared.dialect.name());
            Ok(())
        }
    }
}

/// Asks on the terminal whether to write the file.
fn confirm_write(file: &str) -> bool {
    let mut stderr = std::io::stderr().lock();
    // If the prompt cannot be shown, the answer counts as No.
    let _ = stderr.write_all(format!("Write {file}? [y/N] ").as_bytes()).and_then(|()| stderr.flush());
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
}

fn failure(why: InstallError) -> CliError {
    let says = why.to_string();
    match why {
        InstallError::Event(_) | InstallError::NoLayer(_) | InstallError::Dollar(..) => CliError::Usage(says),
        InstallError::Program(_) => CliError::Internal(says),
        InstallError::Unreadable { .. } | InstallError::NotEditable { .. } => CliError::BadInput(says),
        InstallError::Write(why) => write_error(&why),
    }
}
