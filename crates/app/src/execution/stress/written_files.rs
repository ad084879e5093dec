//! The files that a run of a hook writes in its copy of the project.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hookbench_system::disk;
use hookbench_system::disk::usual_form;

/// The largest number of files and directories that are compared.
const MOST_ENTRIES: usize = 5_000;
/// The largest file whose text is compared; of larger files the size is.
const LARGEST_FILE: u64 = 256 << 10;

/// The state of the files of some directories after the last run.
pub(super) struct WrittenFiles {
    directories: Vec<PathBuf>,
    known: BTreeMap<PathBuf, KnownFile>,
}

#[derive(Clone, PartialEq)]
struct KnownFile {
    modified: Option<SystemTime>,
    size: u64,
    /// Read when a run writes the file.
    text: Option<String>,
}

impl WrittenFiles {
    /// Lists the files. Returns `None` if there are too many.
    pub fn list(directories: Vec<PathBuf>) -> Option<WrittenFiles> {
        let known = listed(&directories)?;
        Some(WrittenFiles { directories, known })
    }

    /// The files that were written since the last call, each with the text that was added, or the whole new text.
    pub fn changes(&mut self) -> Vec<(String, String)> {
        let mut now = listed(&self.directories).unwrap_or_default();
        let mut changes = Vec::new();
        for (path, state) in &mut now {
            let before = self.known.remove(path);
            if let Some(before) = &before
                && (before.modified, before.size) == (state.modified, state.size)
            {
                state.text.clone_from(&before.text);
                continue;
            }
            let text =
                disk::read_up_to(path, LARGEST_FILE).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let old = before.and_then(|before| before.text);
            let added = match (&text, old) {
                (Some(text), Some(old)) => text.strip_prefix(old.as_str()).unwrap_or(text).to_owned(),
                (Some(text), None) => text.clone(),
                (None, _) => format!("{} bytes", state.size),
            };
            state.text = text;
            changes.push((self.short_name(path), added));
        }
        let deleted = std::mem::replace(&mut self.known, now).into_keys();
        let deleted: Vec<PathBuf> = deleted.collect();
        changes.extend(deleted.iter().map(|path| (self.short_name(path), "deleted".to_owned())));
        changes
    }

    /// The path without the temporary directory.
    fn short_name(&self, path: &Path) -> String {
        let inside = self.directories.iter().find_map(|directory| path.strip_prefix(directory).ok());
        usual_form(inside.unwrap_or(path).to_owned()).to_string_lossy().into_owned()
    }
}

/// The files in the directories. Links are not followed. Returns `None` if there are too many.
fn listed(directories: &[PathBuf]) -> Option<BTreeMap<PathBuf, KnownFile>> {
    let mut files = BTreeMap::new();
    let mut waiting = directories.to_vec();
    let mut entries = 0;
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            entries += 1;
            if entries > MOST_ENTRIES {
                return None;
            }
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                waiting.push(entry.path());
            } else if metadata.is_file() {
                let state = KnownFile { modified: metadata.modified().ok(), size: metadata.len(), text: None };
                files.insert(entry.path(), state);
            }
        }
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn text(path: &str, text: &str) -> (String, String) {
        (path.to_owned(), text.to_owned())
    }

    #[test]
    fn each_change_is_told_once() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("logs/a.log");
        fs::create_dir(directory.path().join("logs")).unwrap();
        fs::write(directory.path().join("old"), "x").unwrap();
        let mut files = WrittenFiles::list(vec![directory.path().to_owned()]).unwrap();
        assert_eq!(files.changes(), []);
        fs::write(&log, "one\n").unwrap();
        assert_eq!(files.changes(), [text("logs/a.log", "one\n")]);
        assert_eq!(files.changes(), []);
        fs::write(&log, "one\nand two\n").unwrap();
        assert_eq!(files.changes(), [text("logs/a.log", "and two\n")]);
        fs::write(&log, "another text").unwrap();
        fs::remove_file(directory.path().join("old")).unwrap();
        assert_eq!(files.changes(), [text("logs/a.log", "another text"), text("old", "deleted")]);
    }
}
