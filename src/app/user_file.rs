//! Writing a file of the user: at once, with its mode and owner, never over a change that somebody else has made
//! meanwhile, and so that it can be taken back byte for byte.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use similar::TextDiff;

use super::state_dir::{StateDir, StoreError};

/// Changes that can be taken back, at most.
const KEPT: usize = 50;
/// What the names of their records begin with.
const PREFIX: &str = "undo-";

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{0} was changed by somebody else meanwhile; nothing was written")]
    Changed(String),
    #[error("{path} cannot be written: {source}")]
    Io { path: String, source: std::io::Error },
    #[error("{0}, so the change could not be taken back; nothing was written")]
    Journal(#[from] StoreError),
    #[error("nothing was written that could be taken back")]
    Nothing,
    #[error("the last change was made in {0}: name it with --project {0}")]
    Elsewhere(String),
    #[error("{0}: the record of the change cannot be read")]
    Record(String),
}

/// One change of a file, as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    path: PathBuf,
    /// Where the command was given that wrote it; none in records of before this was kept.
    #[serde(default)]
    project: Option<PathBuf>,
    /// In base64; none: the file was not there.
    before: Option<String>,
    /// None: it was removed.
    after: Option<String>,
    /// The folder that was made for it.
    folder: Option<PathBuf>,
}

/// A change that was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    pub path: PathBuf,
    /// From what was there to what is there again.
    pub diff: String,
    /// Whether the file is gone again.
    pub removed: bool,
}

/// What changes between two texts, as patches are written.
pub fn diff(name: &str, before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(3).header(name, name).to_string()
}

/// Replaces what is in a file, or makes it, for a project. `before` is what the user was shown.
///
/// # Errors
/// When something else is in the file now, or it or the record of the change cannot be written.
pub fn write(
    state: &StateDir,
    project: &Path,
    path: &str,
    before: Option<&[u8]>,
    after: &[u8],
) -> Result<(), WriteError> {
    // Through a link, so that it stays one.
    let real = real_path(Path::new(path));
    let parent = real.parent().unwrap_or(Path::new("/"));
    remember(state, project, &real, before, Some(after))?;
    fs::create_dir_all(parent).map_err(|source| io(parent, source))?;
    replace(&real, after)
}

/// Removes a file, and the folder that was made for it when nothing else is in it.
///
/// # Errors
/// As [`write`].
pub fn remove(
    state: &StateDir,
    project: &Path,
    path: &str,
    before: &[u8],
    folder: Option<&Path>,
) -> Result<(), WriteError> {
    let real = real_path(Path::new(path));
    remember(state, project, &real, Some(before), None)?;
    fs::remove_file(&real).map_err(|source| io(&real, source))?;
    // Only when nobody has put anything else there.
    let _ = folder.map(fs::remove_dir);
    Ok(())
}

/// Keeps what a change takes back, and makes sure that nobody else has changed the file.
fn remember(
    state: &StateDir,
    project: &Path,
    real: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<(), WriteError> {
    let shown = || real.display().to_string();
    if current(real)?.as_deref() != before {
        return Err(WriteError::Changed(shown()));
    }
    let record = Record {
        path: real.to_owned(),
        project: Some(real_path(project)),
        before: before.map(|bytes| STANDARD.encode(bytes)),
        after: after.map(|bytes| STANDARD.encode(bytes)),
        folder: real.parent().filter(|parent| !parent.exists()).map(Path::to_owned),
    };
    let text = serde_json::to_string(&record).map_err(|_| WriteError::Record(shown()))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    state.write(&format!("{PREFIX}{now:024}.json"), &text)?;
    state.keep_last(PREFIX, KEPT);
    Ok(())
}

/// Takes back the last change that was made for a project, in whatever folder the file lies.
///
/// # Errors
/// When there is none, or the file was changed since.
pub fn undo(state: &StateDir, project: &str) -> Result<Undone, WriteError> {
    let project = real_path(Path::new(project));
    loop {
        let (name, record) = last_of(state, &project)?;
        let decode = |text: &str| STANDARD.decode(text).map_err(|_| WriteError::Record(name.clone()));
        let before = record.before.as_deref().map(decode).transpose()?;
        let after = record.after.as_deref().map(decode).transpose()?;
        let now = current(&record.path)?;
        let forget = || fs::remove_file(state.file(&name)).map_err(|source| io(&state.file(&name), source));
        if now == before {
            // It was never written, or somebody has taken it back.
            forget()?;
            continue;
        }
        let shown = record.path.display().to_string();
        if now != after {
            return Err(WriteError::Changed(shown));
        }
        match &before {
            Some(before) => {
                let folder = record.path.parent().unwrap_or(Path::new("/"));
                fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
                replace(&record.path, before)?;
            }
            None => {
                fs::remove_file(&record.path).map_err(|source| io(&record.path, source))?;
                // Only when nobody has put anything else there.
                let _ = record.folder.as_ref().map(fs::remove_dir);
            }
        }
        forget()?;
        let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
        let diff = diff(&shown, &text(after.as_deref()), &text(before.as_deref()));
        return Ok(Undone { path: record.path, diff, removed: before.is_none() });
    }
}

fn io(path: &Path, source: std::io::Error) -> WriteError {
    WriteError::Io { path: path.display().to_string(), source }
}

fn current(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
        Err(why) => Err(io(path, why)),
    }
}

/// The newest record of a project, with its name.
fn last_of(state: &StateDir, project: &Path) -> Result<(String, Record), WriteError> {
    let entries = fs::read_dir(state.root()).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|n| n.starts_with(PREFIX));
    let mut names: Vec<String> = names.collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    let mut elsewhere = None;
    for name in names {
        let record = state.read(&name).and_then(|text| serde_json::from_str::<Record>(&text).ok());
        let Some(record) = record else { return Err(WriteError::Record(name)) };
        let other = match &record.project {
            Some(of) if of == project => return Ok((name, record)),
            None if record.path.starts_with(project) => return Ok((name, record)),
            Some(of) => of.clone(),
            None => record.path.parent().unwrap_or(Path::new("/")).to_owned(),
        };
        elsewhere.get_or_insert(other);
    }
    Err(elsewhere.map_or(WriteError::Nothing, |other| WriteError::Elsewhere(other.display().to_string())))
}

/// A path without links, as far as it is there.
fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Puts a whole file in the place of another, with its mode and its owner.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let fail = |source| io(path, source);
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    like(path, file.as_file()).map_err(fail)?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist(path).map_err(|why| fail(why.error))?;
    Ok(())
}

/// Gives a new file the mode and the owner of the one that it replaces.
#[cfg(unix)]
fn like(path: &Path, file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let Ok(old) = fs::metadata(path) else {
        return file.set_permissions(fs::Permissions::from_mode(0o644));
    };
    let new = file.metadata()?;
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid()))?;
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn like(path: &Path, file: &fs::File) -> std::io::Result<()> {
    match fs::metadata(path) {
        Ok(old) => file.set_permissions(old.permissions()),
        Err(_) => Ok(()),
    }
}
