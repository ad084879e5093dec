//! `install` and `uninstall`: show the change, and write it after confirmation.

use std::path::{Path, PathBuf};

use clap::Args;
use hookbench_core::names::AgentId;

use super::args::{PlaceArgs, agent_parser, layer_parser};
use super::consent::confirm_write;
use super::error::CliError;
use super::formats::Format;
use super::print::text_page::{TextPage, Tone};
use super::print::{self, emit, patch_lines};
use hookbench_app::{
    ExitStatus, InstallAction, InstallError, InstallRequest, LinkPolicy, document, make_place, prepare, prepare_plugin,
    write_all,
};
use hookbench_core::dialects;
use hookbench_core::hook::Layer;

/// The text below the options in the help of `install`.
pub const INSTALL_HELP: &str = "\
On each of these events, the agent then runs `hookbench forward`. It sends the event to the server of hookbench, and changes \
nothing if no server runs. Existing settings, comments and their order are kept; an older forwarding hook is updated. \
hookbench asks before it writes. If it cannot ask and --yes is missing, it writes nothing. `hookbench uninstall` removes the \
forwarding hooks, and `hookbench undo` undoes the last change.

Exit status: 0 written, or nothing to do; 2 wrong usage; 4 not confirmed; 5 the settings cannot be changed.";

/// The text below the options in the help of `uninstall`.
pub const UNINSTALL_HELP: &str = "\
Removes every entry that runs `hookbench forward`, and what `install` created for it. If nothing else has changed, the file is \
exactly as it was before. Later changes by others are kept. `hookbench undo` undoes it.

Exit status: 0 written, or nothing to do; 2 wrong usage; 4 not confirmed; 5 the settings cannot be changed.";

/// The arguments of commands that change an agent's settings.
#[derive(Debug, Args)]
pub struct SettingsWriteArgs {
    /// Change the settings in your home directory, or those of the project
    #[arg(long, value_parser = layer_parser(&[Layer::User, Layer::Project]), value_name = "SCOPE", default_value = "user")]
    pub scope: Layer,
    /// Show the whole change and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    /// Answer yes: write the file without asking
    #[arg(long, alias = "write", overrides_with = "yes")]
    pub yes: bool,
    /// Write even if the settings file is a link to a file outside the project
    #[arg(long)]
    pub follow_links: bool,
    #[command(flatten)]
    pub place_args: PlaceArgs,
}

/// The arguments of `install` and `uninstall`.
#[derive(Debug, Args)]
pub struct SettingsChangeArgs {
    /// Agent whose settings change
    #[arg(long, value_parser = agent_parser(), value_name = "AGENT")]
    pub agent: AgentId,
    #[command(flatten)]
    pub write_args: SettingsWriteArgs,
}

/// `install`.
#[derive(Debug, Args)]
pub struct InstallArgs {
    #[command(flatten)]
    pub change_args: SettingsChangeArgs,
    /// Comma-separated events [default: all except very frequent and unsafe ones]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub events: Option<Vec<String>>,
    /// Write a plugin of the agent into this directory instead: the same hooks, and a skill that teaches the agent to write hooks
    #[arg(long, value_name = "DIR", conflicts_with = "scope")]
    pub as_plugin: Option<PathBuf>,
}

/// `uninstall`.
#[derive(Debug, Args)]
pub struct UninstallArgs {
    #[command(flatten)]
    pub change_args: SettingsChangeArgs,
}

/// Runs `install`.
pub fn install(args: &InstallArgs) -> Result<ExitStatus, CliError> {
    let events: Option<Vec<&str>> = args.events.as_ref().map(|events| events.iter().map(String::as_str).collect());
    if let Some(directory) = &args.as_plugin {
        return install_plugin(&args.change_args, directory, events.as_deref());
    }
    change(&args.change_args, InstallAction::Install(events.as_deref()))
}

/// Writes a plugin.
fn install_plugin(
    args: &SettingsChangeArgs,
    directory: &Path,
    events: Option<&[&str]>,
) -> Result<ExitStatus, CliError> {
    let SettingsWriteArgs { dry_run, yes, follow_links, place_args, .. } = &args.write_args;
    if place_args.format == Format::Json {
        return Err(CliError::Usage("--as-plugin prints a patch, not JSON; leave out --format".to_owned()));
    }
    let place = make_place(place_args.project.as_deref(), place_args.home.as_deref())?;
    let dialect = dialects::by_id(args.agent.as_str());
    let dialect = dialect.ok_or_else(|| CliError::Usage(format!("unknown agent {}", args.agent)))?;
    let prepared = prepare_plugin(&place, dialect, directory, events).map_err(failure)?;
    let none = || CliError::Usage(format!("{} has no plugins that bring hooks", dialect.name()));
    let prepared = prepared.ok_or_else(none)?;
    let mut page = TextPage::new();
    patch_lines(&mut page, &prepared.changes.iter().map(|change| change.diff()).collect::<String>());
    if prepared.changes.is_empty() {
        page.put(Tone::Plain, "nothing to do").end();
    }
    page.put(Tone::Plain, &format!("{} loads it with:", prepared.agent)).end();
    for line in &prepared.load {
        page.put(Tone::Strong, &format!("  {line}")).end();
    }
    if let Some(note) = prepared.note {
        page.put(Tone::Plain, note).end();
    }
    print::write_stdout(&page.finish());
    if prepared.changes.is_empty() || *dry_run {
        return Ok(ExitStatus::Ok);
    }
    if !*yes {
        confirm_write("Write these files?", true)?;
    }
    write_all(&place, &prepared.changes, LinkPolicy::from_flag(*follow_links))?;
    print::write_stdout("written; hookbench undo removes the files\n");
    Ok(ExitStatus::Ok)
}

/// Runs `uninstall`.
pub fn uninstall(args: &UninstallArgs) -> Result<ExitStatus, CliError> {
    change(&args.change_args, InstallAction::Uninstall)
}

fn change(args: &SettingsChangeArgs, wish: InstallAction<'_>) -> Result<ExitStatus, CliError> {
    let SettingsWriteArgs { scope, dry_run, yes, follow_links, place_args } = &args.write_args;
    let place = make_place(place_args.project.as_deref(), place_args.home.as_deref())?;
    let links = LinkPolicy::from_flag(*follow_links);
    let dialect = dialects::by_id(args.agent.as_str());
    let dialect = dialect.ok_or_else(|| CliError::Usage(format!("unknown agent {}", args.agent)))?;
    let request = InstallRequest { dialect, layer: *scope, action: wish };
    let prepared = prepare(&place, &request).map_err(failure)?;
    let asks = prepared.changes() && !*dry_run && !*yes;
    let writes = prepared.changes() && *yes;
    if writes {
        prepared.write(&place, links)?;
    }
    let format = place_args.format;
    let doc = document::install_doc(&prepared, writes);
    emit(format, &doc, || print::install(&doc, dialect.name(), *dry_run))?;
    if !asks {
        return Ok(ExitStatus::Ok);
    }
    let files: Vec<&str> = doc.files.iter().map(|file| file.file.as_str()).collect();
    confirm_write(&format!("Write {}?", files.join(" and ")), format != Format::Json)?;
    prepared.write(&place, links)?;
    let restored = if files.len() == 1 { "file" } else { "files" };
    print::write_stdout(&format!("written; hookbench undo restores the {restored}\n"));
    Ok(ExitStatus::Ok)
}

fn failure(why: InstallError) -> CliError {
    match why {
        InstallError::Event(_) => CliError::Usage(why.to_string()),
        InstallError::Settings(why) => why.into(),
    }
}
