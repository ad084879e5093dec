//! The undo journal: a record for each written step, in the state folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::{WriteError, current, diff, mode_of, put, real_path, take_back};
use crate::state_dir::{StateDir, StoreError};

/// The maximum number of steps to keep.
const KEPT: usize = 50;
/// The prefix of record file names.
const PREFIX: &str = "undo-";

/// One step.
pub(super) struct Record {
    /// The project for which the step was written; `None` in old records.
    pub project: Option<PathBuf>,
    pub files: Vec<Changed>,
}

/// The change of one file.
pub(super) struct Changed {
    pub path: PathBuf,
    /// `None` if the file did not exist.
    pub before: Option<Vec<u8>>,
    /// `None` if the file was removed.
    pub after: Option<Vec<u8>>,
    /// The folder that was created for the file, if any.
    pub folder: Option<PathBuf>,
    /// The file mode before and after, if it changed.
    pub mode: Option<u32>,
    pub runs: Option<u32>,
}

/// The serialized change of one file; contents are in base64.
#[derive(Serialize, Deserialize)]
struct Kept {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    folder: Option<PathBuf>,
    #[serde(default)]
    mode: Option<u32>,
    #[serde(default)]
    runs: Option<u32>,
}

/// A serialized step. Old records hold a single file.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum KeptStep {
    Several {
        project: PathBuf,
        files: Vec<Kept>,
    },
    One {
        #[serde(default)]
        project: Option<PathBuf>,
        #[serde(flatten)]
        file: Kept,
    },
}

/// A step that was undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
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
    pub runs_no_more: bool,
}

/// A step that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// In milliseconds since 1970.
    pub at: i64,
    pub files: Vec<PathBuf>,
}

impl Record {
    /// Writes the record and returns its name.
    pub fn keep(&self, state: &StateDir) -> Result<String, WriteError> {
        let kept = |file: &Changed| Kept {
            path: file.path.clone(),
            before: file.before.as_ref().map(|bytes| STANDARD.encode(bytes)),
            after: file.after.as_ref().map(|bytes| STANDARD.encode(bytes)),
            folder: file.folder.clone(),
            mode: file.mode,
            runs: file.runs,
        };
        let step = KeptStep::Several {
            project: self.project.clone().unwrap_or_default(),
            files: self.files.iter().map(kept).collect(),
        };
        let shown = || self.files.first().map_or_else(String::new, |file| file.path.display().to_string());
        let text = serde_json::to_string(&step).map_err(|_| WriteError::Record(shown()))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("{PREFIX}{now:024}.json");
        state.write(&name, &text).map_err(|why: StoreError| WriteError::Journal(why))?;
        state.keep_last(PREFIX, KEPT);
        Ok(name)
    }

    fn read(state: &StateDir, name: &str) -> Result<Record, WriteError> {
        let broken = || WriteError::Record(name.to_owned());
        let text = state.read(name).ok_or_else(broken)?;
        let (project, files) = match serde_json::from_str(&text).map_err(|_| broken())? {
            KeptStep::Several { project, files } => (Some(project), files),
            KeptStep::One { project, file } => (project, vec![file]),
        };
        let decode = |text: &str| STANDARD.decode(text).map_err(|_| broken());
        let changed = |kept: Kept| {
            let Kept { path, before, after, folder, mode, runs } = kept;
            let before = before.as_deref().map(decode).transpose()?;
            let after = after.as_deref().map(decode).transpose()?;
            Ok(Changed { path, before, after, folder, mode, runs })
        };
        Ok(Record { project, files: files.into_iter().map(changed).collect::<Result<_, WriteError>>()? })
    }

    /// Checks whether the step was written for a project. Otherwise the error holds the actual project.
    fn of(&self, project: &Path) -> Result<(), PathBuf> {
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
fn last_of(state: &StateDir, project: &Path) -> Result<(String, Record), WriteError> {
    let mut elsewhere = None;
    for name in names(state) {
        let record = Record::read(state, &name)?;
        match record.of(project) {
            Ok(()) => return Ok((name, record)),
            Err(other) => elsewhere.get_or_insert(other),
        };
    }
    Err(elsewhere.map_or(WriteError::Nothing, |other| WriteError::Elsewhere(other.display().to_string())))
}

/// The steps of a project that can be undone, the newest first.
pub fn steps(state: &StateDir, project: &str) -> Vec<Step> {
    let project = real_path(Path::new(project));
    let step = |name: String| {
        let record = Record::read(state, &name).ok().filter(|record| record.of(&project).is_ok())?;
        let nanos: u128 = name.strip_prefix(PREFIX)?.strip_suffix(".json")?.parse().ok()?;
        let files: Vec<PathBuf> = record.files.into_iter().map(|file| file.path).collect();
        Some(Step { at: i64::try_from(nanos / 1_000_000).ok()?, files })
    };
    names(state).into_iter().filter_map(step).collect()
}

/// Undoes the last step of a project, including its files outside the project's folder.
///
/// # Errors
/// Returns an error if there is no step, or if one of its files has changed since.
pub fn undo(state: &StateDir, project: &str) -> Result<Undone, WriteError> {
    let project = real_path(Path::new(project));
    loop {
        let (name, record) = last_of(state, &project)?;
        let forget = || fs::remove_file(state.file(&name)).map_err(|source| super::io(&state.file(&name), source));
        let mut there = Vec::new();
        for file in &record.files {
            // The recorded path has no links. If one is in it now, it would lead to another file.
            if real_path(&file.path) != file.path {
                return Err(WriteError::Changed(file.path.display().to_string()));
            }
            there.push((current(&file.path)?, mode_of(&file.path)));
        }
        let all = || record.files.iter().zip(&there);
        let is = |now: Option<u32>, wanted: Option<u32>| wanted.is_none_or(|wanted| now == Some(wanted));
        if all().all(|(file, (now, mode))| *now == file.before && is(*mode, file.mode)) {
            // The step was never carried out, or was reverted by other means.
            forget()?;
            continue;
        }
        let meanwhile = all().find(|(file, (now, mode))| *now != file.after || !is(*mode, file.runs));
        if let Some((file, _)) = meanwhile {
            return Err(WriteError::Changed(file.path.display().to_string()));
        }
        for (index, file) in record.files.iter().enumerate() {
            if let Err(why) = take_back(file) {
                // All or none: files that were already restored are changed back.
                for taken in record.files.iter().take(index + 1) {
                    let _ = put(taken);
                }
                return Err(why);
            }
        }
        forget()?;
        let text = |bytes: &Option<Vec<u8>>| {
            bytes.as_deref().map_or_else(String::new, |bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        let undone = |file: &Changed| UndoneFile {
            path: file.path.clone(),
            diff: diff(&file.path.display().to_string(), &text(&file.after), &text(&file.before)),
            removed: file.before.is_none(),
            runs_no_more: file.runs.is_some() && file.runs != file.mode,
        };
        return Ok(Undone { files: record.files.iter().map(undone).collect() });
    }
}
