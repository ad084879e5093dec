//! The forwarding hooks in one settings file, before and after the change.

use hookbench_core::text::unified_diff;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::EntryChange;
use crate::disk::files::DiskFiles;
use crate::disk::program_search::find_on_path;
use crate::disk::state_dir::{StateDir, StateError};
use crate::disk::user_file::{self, FileChange, FileRemoval};
use hookbench_core::config::{FileError, Files, Os, Place};
use hookbench_core::convert::SettingsEditError;
use hookbench_core::dialects::Agent;
use hookbench_core::dialects::settings_format::{FileForm, HookFile};
use hookbench_core::hook::Layer;
use hookbench_core::install::{
    EntryState, HookbenchEntry, MarkedText, ShellQuoting, WantedEntry, find_entries, insert_entries, remove_entries,
    remove_events,
};
use hookbench_system::disk::canonical;

/// One settings file with the change to it.
pub struct FileInstall {
    pub path: String,
    /// The path as displayed.
    pub file: String,
    /// The change as a patch; empty if nothing changes.
    pub diff: String,
    /// Whether the file is deleted, because hookbench created it and nothing is left in it.
    pub removes_file: bool,
    form: FileForm,
    before: Option<String>,
    after: String,
    record: Option<InstallRecord>,
}

impl FileInstall {
    /// Reads a file; nothing is changed yet.
    pub(super) fn read(place: &Place, target: HookFile) -> Result<FileInstall, SettingsFileError> {
        let HookFile { path, form } = target;
        let file = place.display_path(&path);
        let before = read_settings(&path, &file, &DiskFiles)?;
        let after = before.clone().unwrap_or_default();
        let record = InstallRecord::read(&StateDir::of(place), &path);
        Ok(FileInstall { path, file, diff: String::new(), removes_file: false, form, before, after, record })
    }

    fn text(&self) -> &str {
        self.before.as_deref().unwrap_or_default()
    }

    fn refused(&self, why: SettingsEditError) -> SettingsFileError {
        SettingsFileError::not_editable(&self.file, why)
    }

    /// Whether the text cannot have an entry. Such a file may be broken, because nothing is changed in it.
    fn has_no_entry(&self) -> bool {
        !self.text().contains("forward")
    }

    /// Adds entries, removes those on the events that other files have, and records both. Returns the changes.
    pub(super) fn install(
        &mut self,
        wanted: Vec<WantedEntry>,
        others: &[&str],
        program: &str,
    ) -> Result<Vec<EntryChange>, SettingsFileError> {
        if wanted.is_empty() && self.has_no_entry() {
            return Ok(Vec::new());
        }
        self.change(&wanted, others, program).map_err(|why| self.refused(why)).map(|(states, removed)| {
            let added = std::iter::zip(wanted, states).map(|(want, state)| EntryChange {
                event: want.event,
                file: self.file.clone(),
                state,
                command: want.command,
                timeout: Some(want.timeout),
            });
            added.chain(self.removed(removed)).collect()
        })
    }

    fn change(
        &mut self,
        wanted: &[WantedEntry],
        others: &[&str],
        program: &str,
    ) -> Result<(Vec<EntryState>, Vec<HookbenchEntry>), SettingsEditError> {
        let text = self.text().to_owned();
        // The record is valid only while some entry of hookbench is in the file.
        let there = !find_entries(&text, self.form, program)?.is_empty();
        let memory = self.record.take().filter(|_| there);
        let followed = memory.and_then(|memory| Some((memory.marked.rebase(&text)?, memory.created, memory.directory)));
        let missing = self.before.is_none();
        let directory = user_file::directory_to_create(Path::new(&self.path)).filter(|_| missing);
        let (mut marked, created, directory) = followed.unwrap_or_else(|| (MarkedText::new(text), missing, directory));
        let removed = remove_events(&mut marked, self.form, program, others)?;
        let put = insert_entries(marked, self.form, program, wanted)?;
        self.after.clone_from(&put.marked.text);
        self.record = Some(InstallRecord { marked: put.marked, created, directory });
        Ok((put.states, removed))
    }

    /// Removes all entries, and returns the changes.
    pub(super) fn uninstall(&mut self, program: &str) -> Result<Vec<EntryChange>, SettingsFileError> {
        if self.has_no_entry() {
            return Ok(Vec::new());
        }
        let marked = self.record.as_ref().map(|memory| &memory.marked);
        let removal = remove_entries(self.text(), self.form, program, marked).map_err(|why| self.refused(why))?;
        let created = self.before.is_some() && self.record.as_ref().is_some_and(|memory| memory.created);
        self.removes_file = created && removal.exact && !removal.removed.is_empty() && removal.text.is_empty();
        self.after = removal.text;
        Ok(self.removed(removal.removed))
    }

    fn removed(&self, entries: Vec<HookbenchEntry>) -> Vec<EntryChange> {
        let removed = entries.into_iter().map(|entry| EntryChange {
            event: entry.event,
            file: self.file.clone(),
            state: EntryState::Removed,
            command: entry.command,
            timeout: entry.timeout.map(|(value, _)| value),
        });
        removed.collect()
    }

    /// Computes the patch.
    pub(super) fn finish(mut self, place: &Place) -> FileInstall {
        if self.after != self.text() {
            let name = user_file::shown(Path::new(&place.project), &self.path, &self.file);
            self.diff = unified_diff(&name, self.text(), &self.after);
        }
        self
    }

    /// Whether the file changes.
    pub fn changes(&self) -> bool {
        !self.diff.is_empty() || self.removes_file
    }

    /// The path and the new content. `None` if the file does not change or is removed.
    pub(super) fn replacement(&self) -> Option<(&str, &str)> {
        (self.changes() && !self.removes_file).then_some((self.path.as_str(), self.after.as_str()))
    }

    pub(super) fn change_of_text(&self) -> Option<FileChange> {
        let (path, after) = self.replacement()?;
        Some(FileChange {
            file: self.file.clone(),
            path: path.to_owned(),
            before: self.before.clone().map(String::into_bytes),
            after: after.as_bytes().to_vec(),
            executable: false,
        })
    }

    pub(super) fn removal(&self) -> Option<FileRemoval> {
        let before = self.before.as_ref().filter(|_| self.removes_file)?;
        let directory = self.record.as_ref().and_then(|memory| memory.directory.clone());
        Some(FileRemoval { path: self.path.clone(), before: before.clone().into_bytes(), directory })
    }

    /// Saves what was added, so that it can be removed exactly.
    pub(super) fn write_record(&self, state: &StateDir) -> Result<(), StateError> {
        self.record.as_ref().map_or(Ok(()), |memory| memory.write(state, &self.path))
    }
}

/// The record of the additions to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallRecord {
    pub marked: MarkedText,
    /// Whether the file was created.
    pub created: bool,
    /// The outermost directory that was created for it.
    #[serde(rename = "folder")]
    pub directory: Option<PathBuf>,
}

impl InstallRecord {
    /// Reads the record of a settings file; `None` if it is missing or unreadable.
    pub fn read(state: &StateDir, path: &str) -> Option<InstallRecord> {
        serde_json::from_str(&state.read(&record_name(path))?).ok()
    }

    /// Saves the record.
    pub fn write(&self, state: &StateDir, path: &str) -> Result<(), StateError> {
        let name = record_name(path);
        let source = |why: serde_json::Error| StateError { path: name.clone(), source: why.into() };
        state.write(&name, &serde_json::to_string(self).map_err(source)?)
    }
}

/// The name of the record file, derived from the canonical path of the settings file.
fn record_name(path: &str) -> String {
    let real = canonical(path).unwrap_or_else(|_| real_below(Path::new(path)));
    let digest = Sha256::digest(real.as_os_str().as_encoded_bytes());
    let number = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    format!("installed-{number:016x}.json")
}

/// The canonical path of a file that does not exist, based on the nearest existing directory.
fn real_below(path: &Path) -> PathBuf {
    let Some((parent, name)) = path.parent().zip(path.file_name()) else { return path.to_owned() };
    canonical(parent).unwrap_or_else(|_| real_below(parent)).join(name)
}

/// Errors that prevent a change of an agent's settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFileError {
    #[error("{0} has no user-editable settings in that layer")]
    NoLayer(&'static str),
    #[error("{0} replaces $ in its settings, so they cannot contain {1}: put hookbench into a directory on PATH")]
    Dollar(&'static str, String),
    #[error("hookbench cannot find its own path: {0}")]
    Program(std::io::Error),
    #[error("{file} cannot be read: {why}; nothing was written")]
    Unreadable { file: String, why: String },
    #[error("{file}:{line}:{column}: {message}; fix the file first. Nothing was written")]
    NotEditable { file: String, line: usize, column: usize, message: String },
}

impl SettingsFileError {
    /// The error for a file that cannot be edited.
    pub fn not_editable(file: &str, why: SettingsEditError) -> SettingsFileError {
        SettingsFileError::NotEditable {
            file: file.to_owned(),
            line: why.line,
            column: why.column,
            message: why.message,
        }
    }
}

/// Checks that the settings of an agent can contain the program's name or path.
///
/// # Errors
/// Returns an error if the agent would replace a part of it.
pub fn check_program(program: &OwnProgram, dialect: &Agent) -> Result<(), SettingsFileError> {
    let format = dialect.settings_format();
    if (format.expands_on_load || format.replaces_text) && program.command_word.contains('$') {
        return Err(SettingsFileError::Dollar(dialect.name(), program.command_word.clone()));
    }
    Ok(())
}

/// Returns the text of a settings file, if the file exists. `file` is its displayed path.
pub fn read_settings(path: &str, file: &str, files: &dyn Files) -> Result<Option<String>, SettingsFileError> {
    let unreadable = |why: String| SettingsFileError::Unreadable { file: file.to_owned(), why };
    match files.read(path) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is not UTF-8".to_owned())),
        Err(FileError::Missing) => Ok(None),
        Err(FileError::Unreadable { why, help }) => Err(unreadable(format!("{why} ({help})"))),
    }
}

/// The name looked up on `PATH`.
const NAME: &str = "hookbench";

/// The running program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnProgram {
    /// Its canonical path.
    pub path: String,
    /// The word for commands: its name if `PATH` leads to it, otherwise its path.
    pub command_word: String,
    /// Another program of the same name that `PATH` leads to instead.
    other_program: Option<PathBuf>,
}

impl OwnProgram {
    /// Determines how commands refer to this program.
    ///
    /// # Errors
    /// Returns an error if the system does not report the path of the running program.
    pub fn locate(place: &Place) -> std::io::Result<OwnProgram> {
        let own = std::env::current_exe()?;
        let own = canonical(&own).unwrap_or(own);
        let path = own.to_string_lossy().into_owned();
        let found = find_on_path(NAME, place.var("PATH").unwrap_or_default(), &DiskFiles);
        let ours = found.as_deref().is_some_and(|found| canonical(found).is_ok_and(|real| real == own));
        let word = if ours { NAME.to_owned() } else { path.clone() };
        Ok(OwnProgram { path, command_word: word, other_program: found.filter(|_| !ours) })
    }

    /// A remark about the name.
    pub fn name_note(&self, layer: Layer) -> Option<String> {
        let shared =
            if layer == Layer::Project { "; other users of this project's settings do not have that file" } else { "" };
        match &self.other_program {
            _ if self.command_word == NAME => None,
            Some(other) => Some(format!(
                "the entries use {}, because hookbench on PATH is {}{shared}",
                self.command_word,
                other.display()
            )),
            None => Some(format!("the entries use {}, because hookbench is not on PATH{shared}", self.command_word)),
        }
    }
}

/// The shell syntax in which the command is quoted.
pub fn quoting(place: &Place) -> ShellQuoting {
    if place.os == Os::Windows { ShellQuoting::Windows } else { ShellQuoting::Posix }
}
