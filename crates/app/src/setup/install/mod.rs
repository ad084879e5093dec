//! Forwarding hooks in an agent's settings. A change is prepared first, so that it can be previewed, and written on
//! request.

mod install_record;
mod own_program;
mod settings_file;

use std::path::Path;

pub use own_program::{OwnProgram, is_executable, on_path, quoting};
pub use settings_file::{SettingsFileError, check_program, read_settings};

use install_record::InstallRecord;

use crate::disk::files::DiskFiles;
use crate::disk::state_dir::StateDir;
use crate::disk::user_file::{self, LinkPolicy, WriteError};
use crate::environment::installed_agents::find_installed;
use crate::session::AgentState;
use hookbench_core::config::{OverlayFiles, Place};
use hookbench_core::convert::SettingsEditError;
use hookbench_core::dialects::{Dialect, Version, VersionBasis};
use hookbench_core::hook::{EventSpec, Layer};
use hookbench_core::install::{
    EntryState, EventSelectionError, InstalledEntry, MarkedText, SkipReason, WantedEntry, default_events, find_entries,
    forward_command, insert_entries, installed_entries, named_events, remove_entries,
};
use hookbench_core::live::{DeadlineOverrides, installed_timeout, wire_event};

/// A request to install or uninstall forwarding hooks.
#[derive(Clone, Copy)]
pub struct InstallRequest<'a> {
    pub dialect: &'static dyn Dialect,
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

/// One forwarding hook, and the change to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryChange {
    pub event: String,
    pub state: EntryState,
    pub command: String,
    /// In the agent's unit.
    pub timeout: Option<serde_json::Value>,
}

/// A prepared change and its effects.
pub struct PreparedInstall {
    pub dialect: &'static dyn Dialect,
    pub version: Version,
    /// The installed version, and how well its behaviour is known.
    pub basis: VersionBasis,
    pub layer: Layer,
    pub installs: bool,
    /// The path of the settings file.
    pub path: String,
    /// The path as displayed.
    pub file: String,
    /// The command of every entry.
    pub command: String,
    pub entries: Vec<EntryChange>,
    /// Events without an entry, with reasons.
    pub left_out: Vec<(&'static str, SkipReason)>,
    /// The change as a patch; empty if nothing changes.
    pub diff: String,
    /// Whether the file is deleted, because hookbench created it and nothing is left in it.
    pub removes_file: bool,
    /// The state of the entries in this file after the change.
    pub standings: Vec<InstalledEntry>,
    /// Forwarding hooks in other files.
    pub elsewhere: Vec<InstalledEntry>,
    /// Additional remarks.
    pub notes: Vec<String>,
    before: Option<Vec<u8>>,
    after: String,
    record: Option<InstallRecord>,
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
    /// Returns whether the file changes.
    pub fn changes(&self) -> bool {
        !self.diff.is_empty() || self.removes_file
    }

    /// Writes the change, so that it can be undone.
    ///
    /// # Errors
    /// Returns an error if the file has changed meanwhile, or if it cannot be written.
    pub fn write(&self, place: &Place, links: LinkPolicy) -> Result<(), WriteError> {
        let (state, project) = (StateDir::of(place), Path::new(&place.project));
        let directory = self.record.as_ref().and_then(|memory| memory.directory.clone());
        match &self.before {
            Some(before) if self.removes_file => {
                user_file::remove(&state, project, &self.path, before, directory.as_deref(), links)?;
            }
            before => {
                user_file::write(&state, project, &self.path, before.as_deref(), self.after.as_bytes(), links)?;
            }
        }
        // The record is kept after removal, because the removal may be undone.
        if let (Some(memory), true) = (&self.record, self.installs) {
            memory.write(&state, &self.path).map_err(WriteError::Journal)?;
        }
        Ok(())
    }
}

/// Prepares a change.
///
/// # Errors
/// Returns an error if an event is unknown, or if the settings file cannot be edited.
pub fn prepare(place: &Place, request: &InstallRequest<'_>) -> Result<PreparedInstall, InstallError> {
    let InstallRequest { dialect, layer, action: wish } = *request;
    let form = dialect.settings_format();
    let AgentState { version, basis, .. } = AgentState::new(dialect, find_installed(&dialect.install(), place), None);
    let program = OwnProgram::locate(place).map_err(SettingsFileError::Program)?;
    let path = (form.layer_file)(place, layer).ok_or(SettingsFileError::NoLayer(dialect.name()))?;
    let file = place.display_path(&path);
    let state = StateDir::of(place);
    let command = forward_command(&program.command_word, dialect.id().as_str(), own_program::quoting(place));
    let before = read_settings(&path, &file)?;
    let text = before.as_deref().unwrap_or("");
    let refused = |why: SettingsEditError| SettingsFileError::not_editable(&file, why);
    let known = InstallRecord::read(&state, &path);
    let mut made = PreparedInstall {
        dialect,
        version,
        basis,
        layer,
        installs: matches!(wish, InstallAction::Install(_)),
        command,
        entries: Vec::new(),
        left_out: Vec::new(),
        diff: String::new(),
        removes_file: false,
        standings: Vec::new(),
        elsewhere: Vec::new(),
        notes: Vec::new(),
        before: before.clone().map(String::into_bytes),
        after: String::new(),
        record: known,
        path,
        file: file.clone(),
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
            install(&mut made, &events, text, &program).map_err(refused)?;
            made.notes.extend(program.name_note(layer));
            if events.iter().any(|event| dialect.failure_blocks(event)) {
                made.notes.push(removal_warning(dialect, layer));
            }
        }
        InstallAction::Uninstall => uninstall(&mut made, text, &program).map_err(refused)?,
    }
    made.removes_file &= before.is_some();
    if made.after != text {
        let name = user_file::shown(Path::new(&place.project), &made.path, &file);
        made.diff = user_file::diff(&name, text, &made.after);
    }
    preview_standings(&mut made, place, &program);
    Ok(made)
}

/// The warning for an agent that denies calls while the program of a hook is missing.
fn removal_warning(dialect: &dyn Dialect, layer: Layer) -> String {
    let scope = if layer == Layer::Project { " --scope project" } else { "" };
    format!(
        "{} denies every tool call while hookbench is missing: run hookbench uninstall --agent {}{scope} before you \
         remove or move hookbench",
        dialect.name(),
        dialect.id()
    )
}

/// Adds the entries and records the additions.
fn install(
    made: &mut PreparedInstall,
    events: &[&'static EventSpec],
    text: &str,
    program: &OwnProgram,
) -> Result<(), SettingsEditError> {
    let (form, live) = (made.dialect.settings_format(), made.dialect.live_format());
    let wanted: Vec<WantedEntry> = events
        .iter()
        .map(|event| {
            let limit = installed_timeout(&wire_event(Some(live), event.name));
            let timeout = (form.timeout)("command", limit).0;
            WantedEntry { event: event.name.to_owned(), command: made.command.clone(), timeout }
        })
        .collect();
    // The record is valid only while some entry of hookbench is in the file.
    let there = !find_entries(text, form.syntax, &program.path)?.is_empty();
    let memory = made.record.take().filter(|_| there);
    let followed = memory.and_then(|memory| Some((memory.marked.rebase(text)?, memory.created, memory.directory)));
    let missing = made.before.is_none();
    let directory = user_file::directory_to_create(Path::new(&made.path)).filter(|_| missing);
    let (marked, created, directory) = followed.unwrap_or_else(|| (MarkedText::new(text), missing, directory));
    let put = insert_entries(marked, form.syntax, &program.path, &wanted)?;
    made.after.clone_from(&put.marked.text);
    made.record = Some(InstallRecord { marked: put.marked, created, directory });
    made.entries = std::iter::zip(wanted, put.states)
        .map(|(want, state)| EntryChange {
            event: want.event,
            state,
            command: want.command,
            timeout: Some(want.timeout),
        })
        .collect();
    Ok(())
}

/// Removes all entries.
fn uninstall(made: &mut PreparedInstall, text: &str, program: &OwnProgram) -> Result<(), SettingsEditError> {
    let marked = made.record.as_ref().map(|memory| &memory.marked);
    let removal = remove_entries(text, made.dialect.settings_format().syntax, &program.path, marked)?;
    let created = made.record.as_ref().is_some_and(|memory| memory.created);
    made.removes_file = created && removal.exact && !removal.removed.is_empty() && removal.text.is_empty();
    made.after = removal.text;
    made.entries = removal
        .removed
        .into_iter()
        .map(|entry| EntryChange {
            event: entry.event,
            state: EntryState::Removed,
            command: entry.command,
            timeout: entry.timeout.map(|(value, _)| value),
        })
        .collect();
    Ok(())
}

/// Computes the state of the entries in this file and in others after the change.
fn preview_standings(made: &mut PreparedInstall, place: &Place, program: &OwnProgram) {
    let files = OverlayFiles { files: &DiskFiles, path: &made.path, text: &made.after };
    let loaded = if made.changes() && !made.removes_file {
        made.dialect.load(place, &files, &made.version)
    } else {
        made.dialect.load(place, &DiskFiles, &made.version)
    };
    let all = installed_entries(made.dialect, &loaded, &program.path, &DeadlineOverrides::default());
    let (here, elsewhere): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.path == made.path);
    made.standings = if made.removes_file { Vec::new() } else { here };
    made.elsewhere = elsewhere;
}
