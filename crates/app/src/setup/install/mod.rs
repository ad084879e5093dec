//! Forwarding hooks in an agent's settings. A change is prepared first, so that it can be previewed, and written on
//! request.

mod file_install;

use std::path::Path;

use serde::Serialize;

pub use file_install::{FileInstall, OwnProgram, SettingsFileError, check_program, quoting, read_settings};

use crate::disk::files::DiskFiles;
use crate::disk::state_dir::StateDir;
use crate::disk::user_file::{self, LinkPolicy, WriteError};
use crate::environment::installed_agents::find_installed;
use crate::session::AgentState;
use hookbench_core::config::{OverlayFiles, Place};
use hookbench_core::dialects::{Agent, Version, VersionBasis};
use hookbench_core::hook::{EventSpec, Layer};
use hookbench_core::install::{
    EntryState, EventSelectionError, InstalledEntry, SkipReason, WantedEntry, default_events, forward_command,
    installed_entries, named_events,
};
use hookbench_core::live::{DeadlineOverrides, installed_timeout, wire_event};

/// A request to install or uninstall forwarding hooks.
#[derive(Clone, Copy)]
pub struct InstallRequest<'a> {
    pub dialect: &'static Agent,
    /// The user's settings or the project's.
    pub layer: Layer,
    pub action: InstallAction<'a>,
}

/// The requested action.
#[derive(Debug, Clone, Copy)]
pub enum InstallAction<'a> {
    /// On these events; `None` for the default events of the agent.
    Install(Option<&'a [&'a str]>),
    Uninstall,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EntryDoc"))]
pub struct EntryChange {
    pub event: String,
    /// The file of the entry.
    pub file: String,
    /// `added`, `updated`, `there` or `removed`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub state: EntryState,
    pub command: String,
    /// As written, in the agent's unit; null if not set.
    pub timeout: Option<serde_json::Value>,
}

/// A prepared change and its effects.
pub struct PreparedInstall {
    pub dialect: &'static Agent,
    pub version: Version,
    /// The installed version, and how well its behaviour is known.
    pub basis: VersionBasis,
    pub layer: Layer,
    pub installs: bool,
    /// The files that have entries or change, at least one. Some agents read an event from one file and others from another.
    pub files: Vec<FileInstall>,
    /// The command of every entry.
    pub command: String,
    pub entries: Vec<EntryChange>,
    /// Events without an entry, with reasons.
    pub left_out: Vec<(&'static str, SkipReason)>,
    /// The state of the entries in the files of this layer after the change.
    pub standings: Vec<InstalledEntry>,
    /// Forwarding hooks in other files.
    pub elsewhere: Vec<InstalledEntry>,
    /// Additional remarks.
    pub notes: Vec<String>,
}

/// Errors that prevent a change.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("{0}")]
    Event(#[from] EventSelectionError),
    #[error("{0}")]
    Settings(#[from] SettingsFileError),
}

impl PreparedInstall {
    /// Returns whether a file changes.
    pub fn changes(&self) -> bool {
        self.files.iter().any(FileInstall::changes)
    }

    /// The changes as patches; empty if nothing changes.
    pub fn diff(&self) -> String {
        self.files.iter().map(|file| file.diff.as_str()).collect()
    }

    /// Writes all changes as one step that can be undone.
    ///
    /// # Errors
    /// Returns an error if a file has changed meanwhile, or if it cannot be written.
    pub fn write(&self, place: &Place, links: LinkPolicy) -> Result<(), WriteError> {
        let (state, project) = (StateDir::of(place), Path::new(&place.project));
        let changes: Vec<_> = self.files.iter().filter_map(FileInstall::change_of_text).collect();
        let removals: Vec<_> = self.files.iter().filter_map(FileInstall::removal).collect();
        user_file::change_all(&state, project, &changes, &removals, links)?;
        // The records are kept after removal, because the removal may be undone.
        if self.installs {
            self.files.iter().try_for_each(|file| file.write_record(&state)).map_err(WriteError::Journal)?;
        }
        Ok(())
    }
}

/// Prepares a change.
///
/// # Errors
/// Returns an error if an event is unknown, or if a settings file cannot be edited.
pub fn prepare(place: &Place, request: &InstallRequest<'_>) -> Result<PreparedInstall, InstallError> {
    let InstallRequest { dialect, layer, action: wish } = *request;
    let AgentState { version, basis, .. } = AgentState::new(dialect, find_installed(&dialect.install(), place), None);
    let program = OwnProgram::locate(place).map_err(SettingsFileError::Program)?;
    let command = forward_command(&program.command_word, dialect.id().as_str(), file_install::quoting(place));
    let mut made = PreparedInstall {
        dialect,
        version,
        basis,
        layer,
        installs: matches!(wish, InstallAction::Install(_)),
        files: Vec::new(),
        command,
        entries: Vec::new(),
        left_out: Vec::new(),
        standings: Vec::new(),
        elsewhere: Vec::new(),
        notes: Vec::new(),
    };
    match wish {
        InstallAction::Install(names) => {
            check_program(&program, dialect)?;
            let events = match names {
                Some(names) => named_events(dialect, &made.version, names)?,
                None => {
                    let (events, left) = default_events(dialect, &made.version);
                    made.left_out = left;
                    events
                }
            };
            install(&mut made, &events, place, &program)?;
            made.notes.extend(program.name_note(layer));
            if events.iter().any(|event| dialect.failure_blocks(event)) {
                made.notes.push(removal_warning(dialect, layer));
            }
        }
        InstallAction::Uninstall => uninstall(&mut made, place, &program)?,
    }
    preview_standings(&mut made, place, &program);
    Ok(made)
}

/// The warning for an agent that denies calls while the program of a hook is missing.
fn removal_warning(dialect: &Agent, layer: Layer) -> String {
    let scope = if layer == Layer::Project { " --scope project" } else { "" };
    format!(
        "{} denies every tool call while hookbench is missing: run hookbench uninstall --agent {}{scope} before you \
         remove or move hookbench",
        dialect.name(),
        dialect.id()
    )
}

/// Adds each entry to the file from which the agent reads its event, and removes it from the others.
fn install(
    made: &mut PreparedInstall,
    events: &[&'static EventSpec],
    place: &Place,
    program: &OwnProgram,
) -> Result<(), SettingsFileError> {
    let (dialect, layer) = (made.dialect, made.layer);
    let live = dialect.live_format();
    let wanted = |event: &&'static EventSpec| {
        let limit = installed_timeout(&wire_event(Some(live), event.name));
        let timeout = (dialect.settings_format().timeout)("command", limit).0;
        WantedEntry { event: event.name.to_owned(), command: made.command.clone(), timeout }
    };
    let file_of = |event: &str| dialect.file_for_event(place, &DiskFiles, layer, event).map(|file| file.path);
    let entries: Vec<(WantedEntry, Option<String>)> =
        events.iter().map(|event| (wanted(event), file_of(event.name))).collect();
    let files = dialect.hook_files(place, layer);
    if files.is_empty() {
        return Err(SettingsFileError::NoLayer(dialect.name()));
    }
    for target in files {
        let is_here = |path: &Option<String>| path.as_deref() == Some(target.path.as_str());
        let (here, others): (Vec<_>, Vec<_>) = entries.iter().partition(|(_, path)| is_here(path));
        let here: Vec<WantedEntry> = here.into_iter().map(|(entry, _)| entry.clone()).collect();
        let others: Vec<&str> = others.into_iter().map(|(entry, _)| entry.event.as_str()).collect();
        let mut file = FileInstall::read(place, target)?;
        let changes = file.install(here, &others, &program.path)?;
        if !changes.is_empty() {
            made.entries.extend(changes);
            made.files.push(file.finish(place));
        }
    }
    Ok(())
}

/// Removes all entries of the layer.
fn uninstall(made: &mut PreparedInstall, place: &Place, program: &OwnProgram) -> Result<(), SettingsFileError> {
    let mut unchanged = None;
    for target in made.dialect.hook_files(place, made.layer) {
        let mut file = FileInstall::read(place, target)?;
        let changes = file.uninstall(&program.path)?;
        if changes.is_empty() {
            unchanged.get_or_insert(file);
        } else {
            made.entries.extend(changes);
            made.files.push(file.finish(place));
        }
    }
    if made.files.is_empty() {
        let file = unchanged.ok_or(SettingsFileError::NoLayer(made.dialect.name()))?;
        made.files.push(file);
    }
    Ok(())
}

/// Computes the state of the entries in the files of this layer and in others after the change.
fn preview_standings(made: &mut PreparedInstall, place: &Place, program: &OwnProgram) {
    let replaced = made.files.iter().filter_map(FileInstall::replacement).collect();
    let loaded = made.dialect.load(place, &OverlayFiles { files: &DiskFiles, replaced }, &made.version);
    let all = installed_entries(made.dialect, &loaded, &program.path, &DeadlineOverrides::default());
    let own = made.dialect.hook_files(place, made.layer);
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|one| own.iter().any(|file| file.path == one.path));
    let is_removed = |one: &InstalledEntry| made.files.iter().any(|file| file.removes_file && file.path == one.path);
    made.standings = here.into_iter().filter(|one| !is_removed(one)).collect();
    made.elsewhere = elsewhere;
}
