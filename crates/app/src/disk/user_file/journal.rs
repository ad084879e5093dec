//! The undo journal: a record for each written step, in the state directory.

use hookbench_core::text::unified_diff;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::held_directory::{WriteError, io};
use super::{apply, mode_of, read_current, real_path, restore};
use crate::disk::state_dir::{StateDir, StateError};

/// The maximum number of steps to keep.
const KEPT: usize = 50;
/// The prefix of record file names.
const PREFIX: &str = "undo-";

/// One step.
pub(super) struct JournalStep {
    /// The project for which the step was written; `None` in old records.
    pub project: Option<PathBuf>,
    pub files: Vec<JournalFile>,
}

/// The change of one file.
pub(super) struct JournalFile {
    pub path: PathBuf,
    /// `None` if the file did not exist.
    pub before: Option<Vec<u8>>,
    /// `None` if the file was removed.
    pub after: Option<Vec<u8>>,
    /// The outermost directory that was created for the file, if any.
    pub created_directory: Option<PathBuf>,
    /// The file mode before and after, if it changed.
    pub old_mode: Option<u32>,
    pub new_mode: Option<u32>,
}

/// The serialized change of one file; contents are in base64.
#[derive(Serialize, Deserialize)]
struct StoredJournalFile {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    #[serde(rename = "folder")]
    directory: Option<PathBuf>,
    #[serde(default)]
    mode: Option<u32>,
    #[serde(default)]
    runs: Option<u32>,
}

/// A serialized step. Old records hold a single file.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredJournalStep {
    Several {
        project: PathBuf,
        files: Vec<StoredJournalFile>,
    },
    One {
        #[serde(default)]
        project: Option<PathBuf>,
        #[serde(flatten)]
        file: StoredJournalFile,
    },
}

/// A step that was undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneStep {
    pub files: Vec<UndoneFile>,
}

/// One file of an undone step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneFile {
    pub path: PathBuf,
    /// The diff of the undo; empty if only the mode was restored.
    pub diff: String,
    /// Whether the undo removed the file.
    pub removed: bool,
    /// Whether the undo made the file not executable.
    pub not_executable: bool,
}

/// A step that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoStep {
    /// In milliseconds since 1970.
    pub at: i64,
    pub files: Vec<PathBuf>,
}

impl JournalStep {
    /// The change that undoing the step makes.
    fn undone(&self) -> UndoneStep {
        let text = |bytes: &Option<Vec<u8>>| {
            bytes.as_deref().map_or_else(String::new, |bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        let undone = |file: &JournalFile| UndoneFile {
            path: file.path.clone(),
            diff: unified_diff(&file.path.display().to_string(), &text(&file.after), &text(&file.before)),
            removed: file.before.is_none(),
            not_executable: file.new_mode.is_some() && file.new_mode != file.old_mode,
        };
        UndoneStep { files: self.files.iter().map(undone).collect() }
    }

    /// Writes the record and returns its name.
    pub fn store(&self, state: &StateDir) -> Result<String, WriteError> {
        let kept = |file: &JournalFile| StoredJournalFile {
            path: file.path.clone(),
            before: file.before.as_ref().map(|bytes| STANDARD.encode(bytes)),
            after: file.after.as_ref().map(|bytes| STANDARD.encode(bytes)),
            directory: file.created_directory.clone(),
            mode: file.old_mode,
            runs: file.new_mode,
        };
        let step = StoredJournalStep::Several {
            project: self.project.clone().unwrap_or_default(),
            files: self.files.iter().map(kept).collect(),
        };
        let shown = || self.files.first().map_or_else(String::new, |file| file.path.display().to_string());
        let text = serde_json::to_string(&step).map_err(|_| WriteError::Record(shown()))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("{PREFIX}{now:024}.json");
        state.write(&name, &text).map_err(|why: StateError| WriteError::Journal(why))?;
        state.keep_last(PREFIX, KEPT);
        Ok(name)
    }

    fn read(state: &StateDir, name: &str) -> Result<JournalStep, WriteError> {
        let broken = || WriteError::Record(name.to_owned());
        let text = state.read(name).ok_or_else(broken)?;
        let (project, files) = match serde_json::from_str(&text).map_err(|_| broken())? {
            StoredJournalStep::Several { project, files } => (Some(project), files),
            StoredJournalStep::One { project, file } => (project, vec![file]),
        };
        let decode = |text: &str| STANDARD.decode(text).map_err(|_| broken());
        let changed = |kept: StoredJournalFile| {
            let StoredJournalFile { path, before, after, directory, mode, runs } = kept;
            let before = before.as_deref().map(decode).transpose()?;
            let after = after.as_deref().map(decode).transpose()?;
            Ok(JournalFile { path, before, after, created_directory: directory, old_mode: mode, new_mode: runs })
        };
        Ok(JournalStep { project, files: files.into_iter().map(changed).collect::<Result<_, WriteError>>()? })
    }

    /// Checks whether the step was written for a project. Otherwise the error holds the actual project.
    fn check_project(&self, project: &Path) -> Result<(), PathBuf> {
        let first = self.files.first().map_or(Path::new("/"), |file| file.path.as_path());
        match &self.project {
            Some(of) if of == project => Ok(()),
            None if first.starts_with(project) => Ok(()),
            Some(of) => Err(of.clone()),
            None => Err(first.parent().unwrap_or(Path::new("/")).to_owned()),
        }
    }
}

/// The names of all records, the newest first.
fn names(state: &StateDir) -> Vec<String> {
    let entries = fs::read_dir(state.root()).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|n| n.starts_with(PREFIX));
    let mut names: Vec<String> = names.collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names
}

/// The newest record of a project, with its name.
fn last_of(state: &StateDir, project: &Path) -> Result<(String, JournalStep), WriteError> {
    let mut elsewhere = None;
    for name in names(state) {
        let record = JournalStep::read(state, &name)?;
        match record.check_project(project) {
            Ok(()) => return Ok((name, record)),
            Err(other) => elsewhere.get_or_insert(other),
        };
    }
    Err(elsewhere.map_or(WriteError::Nothing, |other| WriteError::Elsewhere(other.display().to_string())))
}

/// The steps of a project that can be undone, the newest first.
pub fn steps(state: &StateDir, project: &str) -> Vec<UndoStep> {
    let project = real_path(Path::new(project));
    let step = |name: String| {
        let record = JournalStep::read(state, &name).ok().filter(|record| record.check_project(&project).is_ok())?;
        let nanos: u128 = name.strip_prefix(PREFIX)?.strip_suffix(".json")?.parse().ok()?;
        let files: Vec<PathBuf> = record.files.into_iter().map(|file| file.path).collect();
        Some(UndoStep { at: i64::try_from(nanos / 1_000_000).ok()?, files })
    };
    names(state).into_iter().filter_map(step).collect()
}

/// Returns the change that [`undo`] would make now.
pub fn next_undo(state: &StateDir, project: &str) -> Result<UndoneStep, WriteError> {
    last_undoable(state, &real_path(Path::new(project))).map(|(_, record)| record.undone())
}

/// The last step that was carried out and whose files have not changed since, with its name.
fn last_undoable(state: &StateDir, project: &Path) -> Result<(String, JournalStep), WriteError> {
    loop {
        let (name, record) = last_of(state, project)?;
        let mut there = Vec::new();
        for file in &record.files {
            // The recorded path has no links. If one is in it now, it would lead to another file.
            if real_path(&file.path) != file.path {
                return Err(WriteError::ChangedSince(file.path.display().to_string()));
            }
            there.push((read_current(&file.path)?, mode_of(&file.path)));
        }
        let all = || record.files.iter().zip(&there);
        let is = |now: Option<u32>, wanted: Option<u32>| wanted.is_none_or(|wanted| now == Some(wanted));
        if all().all(|(file, (now, mode))| *now == file.before && is(*mode, file.old_mode)) {
            // The step was never carried out, or was reverted by other means.
            forget(state, &name)?;
            continue;
        }
        let meanwhile = all().find(|(file, (now, mode))| *now != file.after || !is(*mode, file.new_mode));
        if let Some((file, _)) = meanwhile {
            return Err(WriteError::ChangedSince(file.path.display().to_string()));
        }
        return Ok((name, record));
    }
}

fn forget(state: &StateDir, name: &str) -> Result<(), WriteError> {
    fs::remove_file(state.file(name)).map_err(|source| io(&state.file(name), source))
}

/// Undoes the last step of a project, including its files outside the project's directory.
///
/// # Errors
/// Returns an error if no step is recorded, or if one of its files has changed since.
pub fn undo(state: &StateDir, project: &str) -> Result<UndoneStep, WriteError> {
    let (name, record) = last_undoable(state, &real_path(Path::new(project)))?;
    for (index, file) in record.files.iter().enumerate() {
        if let Err(why) = restore(file) {
            // All or none: files that were already restored are changed back.
            for taken in record.files.iter().take(index + 1) {
                let _ = apply(taken);
            }
            return Err(match why {
                WriteError::Changed(path) => WriteError::ChangedSince(path),
                why => why,
            });
        }
    }
    forget(state, &name)?;
    Ok(record.undone())
}
