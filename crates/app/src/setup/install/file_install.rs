//! The forwarding hooks in one settings file, before and after the change.

use std::path::Path;

use super::EntryChange;
use super::install_record::InstallRecord;
use super::settings_file::{SettingsFileError, read_settings};
use crate::disk::files::DiskFiles;
use crate::disk::state_dir::{StateDir, StateError};
use crate::disk::user_file::{self, FileChange, FileRemoval};
use hookbench_core::config::Place;
use hookbench_core::convert::SettingsEditError;
use hookbench_core::dialects::settings_format::{FileForm, HookFile};
use hookbench_core::install::{
    EntryState, HookbenchEntry, MarkedText, WantedEntry, find_entries, insert_entries, remove_entries, remove_events,
};

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
            self.diff = user_file::diff(&name, self.text(), &self.after);
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
