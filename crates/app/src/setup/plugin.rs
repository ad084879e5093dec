//! A plugin for an agent: its manifest, the forwarding hooks, and the skill that teaches an agent to write hooks.

use std::path::Path;

use serde_json::json;

use hookbench_core::config::Place;
use hookbench_core::dialects::Agent;
use hookbench_core::dialects::settings_format::{FileForm, PluginFormat};
use hookbench_core::install::{MarkedText, WantedEntry, default_events, forward_command, insert_entries, named_events};
use hookbench_core::live::{installed_timeout, wire_event};

use super::install::{InstallError, OwnProgram, SettingsFileError, check_program, quoting, read_settings};
use crate::disk::files::DiskFiles;
use crate::disk::user_file::{self, FileChange};
use crate::environment::installed_agents::find_installed;
use crate::session::AgentState;

/// The skill.
pub const SKILL: &str = include_str!("../../../../assets/skill/SKILL.md");

/// The name of the plugin and of its skill.
const NAME: &str = "hookbench";

/// A prepared plugin.
#[derive(Debug)]
pub struct PluginInstall {
    /// The agent's name.
    pub agent: &'static str,
    /// The directory of the plugin.
    pub directory: String,
    /// The events that are forwarded.
    pub events: Vec<String>,
    /// The files that change.
    pub changes: Vec<FileChange>,
    /// The command lines that load the plugin.
    pub load: Vec<String>,
    /// What the user must do before the agent runs the hooks.
    pub note: Option<&'static str>,
}

/// Prepares a plugin in a directory. `names` are the events to forward; `None` for the default events. `None` if the
/// agent has no plugins that bring hooks.
///
/// # Errors
/// Returns an error if an event is unknown, or if a file cannot be read.
pub fn prepare_plugin(
    place: &Place,
    dialect: &'static Agent,
    directory: &Path,
    names: Option<&[&str]>,
) -> Result<Option<PluginInstall>, InstallError> {
    let Some(format) = dialect.plugin_format() else { return Ok(None) };
    let program = OwnProgram::locate(place).map_err(SettingsFileError::Program)?;
    check_program(&program, dialect)?;
    let version = AgentState::new(dialect, find_installed(&dialect.install(), place), None).version;
    let events = match names {
        Some(names) => named_events(dialect, &version, names)?,
        None => default_events(dialect, &version).0,
    };
    let command = forward_command(&program.command_word, dialect.id().as_str(), quoting(place));
    let wanted: Vec<WantedEntry> = events
        .iter()
        .map(|event| {
            let limit = installed_timeout(&wire_event(Some(dialect.live_format()), event.name));
            let timeout = (dialect.settings_format().timeout)("command", limit).0;
            WantedEntry { event: event.name.to_owned(), command: command.clone(), timeout }
        })
        .collect();
    let directory = std::path::absolute(Path::new(&place.project).join(directory));
    let directory = directory.map_or_else(|_| place.project.clone(), |path| path.display().to_string());
    let directory = directory.trim_end_matches('/').to_owned();
    let hooks_file = format!("{directory}/{}", format.hooks);
    let hooks = insert_entries(MarkedText::new("{}\n"), FileForm::default(), &program.path, &wanted)
        .map_err(|why| SettingsFileError::not_editable(&hooks_file, why))?;
    let manifest = json!({
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Forwards hook events to hookbench, and teaches to write and test hooks",
    });
    let mut files = vec![
        (format.manifest.to_owned(), format!("{manifest:#}\n")),
        (format.hooks.to_owned(), hooks.marked.text),
        (format!("{}/{NAME}/SKILL.md", format.skills), SKILL.to_owned()),
    ];
    files.extend(format.marketplace.map(|path| (path.to_owned(), PluginFormat::MARKETPLACE.to_owned())));
    let mut changes = Vec::new();
    for (name, text) in files {
        let path = format!("{directory}/{name}");
        let file = place.display_path(&path);
        let before = read_settings(&path, &file, &DiskFiles)?;
        if before.as_deref() != Some(text.as_str()) {
            let file = user_file::shown(Path::new(&place.project), &path, &file);
            let before = before.map(String::into_bytes);
            changes.push(FileChange { file, path, before, after: text.into_bytes(), executable: false });
        }
    }
    let base = directory.rsplit('/').next().unwrap_or(NAME);
    let load = format.load.iter().map(|line| line.replace("DIR", &directory).replace("BASE", base)).collect();
    let events = events.iter().map(|event| event.name.to_owned()).collect();
    Ok(Some(PluginInstall { agent: dialect.name(), directory, events, changes, load, note: format.note }))
}
