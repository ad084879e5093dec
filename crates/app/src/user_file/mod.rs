//! Writing files of the user: at once, with their mode and owner, never over a change that somebody else has made
//! meanwhile, and so that it can be taken back byte for byte. Several files that are changed together are one step.

mod journal;

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};

use similar::TextDiff;

use super::state_dir::{StateDir, StoreError};

use journal::{Changed, Record};
pub use journal::{Step, Undone, UndoneFile, steps, undo};

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
    #[error(
        "{path} leads out of the project: it is a link to {real}; nothing was written. To write there add --follow-links, or \
         run hookbench in the folder of that file"
    )]
    LeadsOut { path: String, real: String },
}

/// Whether a file of the project may be written that really lies elsewhere. A repository brings its links with it: one of
/// them could lead into the settings of its user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Links {
    /// Refuse it.
    #[default]
    Stay,
    /// The user has asked for it.
    Follow,
}

impl Links {
    /// As a switch on the command line says it.
    pub fn of(follow: bool) -> Links {
        if follow { Links::Follow } else { Links::Stay }
    }

    fn allow(self, project: &Path, path: &str) -> Result<(), WriteError> {
        match leads_out(project, Path::new(path)).filter(|_| self == Links::Stay) {
            Some(real) => Err(WriteError::LeadsOut { path: path.to_owned(), real: real.display().to_string() }),
            None => Ok(()),
        }
    }
}

/// Where a file really lies that is called by a name inside the project, and lies outside it.
pub fn leads_out(project: &Path, path: &Path) -> Option<PathBuf> {
    let (named_project, named) = (named(project), named(path));
    let real_project = real_path(&named_project);
    let inside = named.starts_with(&named_project) || named.starts_with(&real_project);
    Some(real_path(&named)).filter(|real| inside && !real.starts_with(&real_project))
}

/// The name of a file as patches and pages show it: with its real place, where that is outside the project.
pub fn shown(project: &Path, path: &str, name: &str) -> String {
    match leads_out(project, Path::new(path)) {
        Some(real) => format!("{name} (a link out of the project, to {})", real.display()),
        None => name.to_owned(),
    }
}

/// An absolute path without `.` and `..`, as it is written: links are not looked at.
fn named(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// What is to become of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: String,
    /// What the user was shown; none: it is not there.
    pub before: Option<Vec<u8>>,
    pub after: Vec<u8>,
    /// It may be run from now on.
    pub executable: bool,
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
    links: Links,
) -> Result<(), WriteError> {
    let before = before.map(<[u8]>::to_vec);
    let change = Change { path: path.to_owned(), before, after: after.to_vec(), executable: false };
    write_all(state, project, &[change], links)
}

/// The same for several files: all of them or none, and one step to take back.
///
/// # Errors
/// When something else is in one of the files now, one of them leads out of the project and that was not asked for, or one
/// of them or the record of the change cannot be written.
pub fn write_all(state: &StateDir, project: &Path, changes: &[Change], links: Links) -> Result<(), WriteError> {
    let mut files = Vec::new();
    for change in changes {
        links.allow(project, &change.path)?;
        // Through a link, so that it stays one.
        let real = real_path(Path::new(&change.path));
        if current(&real)? != change.before {
            return Err(WriteError::Changed(change.path.clone()));
        }
        let parent = real.parent().unwrap_or(Path::new("/"));
        let folder = (!parent.exists()).then(|| parent.to_owned());
        let mode = mode_of(&real);
        // Who may read it may run it.
        let runs = mode.filter(|_| change.executable).map(|mode| mode | (mode & 0o444) >> 2);
        let mode = runs.and(mode);
        files.push(Changed {
            path: real,
            before: change.before.clone(),
            after: Some(change.after.clone()),
            folder,
            mode,
            runs,
        });
    }
    step(state, project, files)
}

/// Removes a file, and the folder that was made for it when nothing else is in it.
///
/// # Errors
/// When something else is in the file now, or it cannot be removed, or the record of that cannot be written.
pub fn remove(
    state: &StateDir,
    project: &Path,
    path: &str,
    before: &[u8],
    folder: Option<&Path>,
    links: Links,
) -> Result<(), WriteError> {
    links.allow(project, path)?;
    let real = real_path(Path::new(path));
    if current(&real)?.as_deref() != Some(before) {
        return Err(WriteError::Changed(path.to_owned()));
    }
    let (before, folder) = (Some(before.to_vec()), folder.map(Path::to_owned));
    step(state, project, vec![Changed { path: real, before, after: None, folder, mode: None, runs: None }])
}

fn step(state: &StateDir, project: &Path, files: Vec<Changed>) -> Result<(), WriteError> {
    let record = Record { project: Some(real_path(project)), files };
    let name = record.keep(state)?;
    for (index, file) in record.files.iter().enumerate() {
        if let Err(why) = put(file) {
            // All or none: those that were written already are as they were.
            for written in record.files.iter().take(index + 1).rev() {
                let _ = take_back(written);
            }
            let _ = fs::remove_file(state.file(&name));
            return Err(why);
        }
    }
    Ok(())
}

fn put(file: &Changed) -> Result<(), WriteError> {
    match &file.after {
        Some(after) if file.before.as_ref() != Some(after) => make(&file.path, after)?,
        Some(_) => {}
        None => clear(file)?,
    }
    file.runs.map_or(Ok(()), |mode| set_mode(&file.path, mode))
}

/// Makes a file what it was before.
fn take_back(file: &Changed) -> Result<(), WriteError> {
    match &file.before {
        Some(before) if file.after.as_ref() != Some(before) => make(&file.path, before)?,
        Some(_) => {}
        None => clear(file)?,
    }
    file.mode.map_or(Ok(()), |mode| set_mode(&file.path, mode))
}

/// Puts a file there, and the folder that it lies in.
fn make(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let parent = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(|source| io(parent, source))?;
    replace(path, bytes)
}

/// Takes a file away, and the folder that was made for it.
fn clear(file: &Changed) -> Result<(), WriteError> {
    fs::remove_file(&file.path).map_err(|source| io(&file.path, source))?;
    // Only when nobody has put anything else there.
    let _ = file.folder.as_ref().map(fs::remove_dir);
    Ok(())
}

fn io(path: &Path, source: std::io::Error) -> WriteError {
    WriteError::Io { path: path.display().to_string(), source }
}

fn current(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    match hookbench_system::disk::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
        Err(why) => Err(io(path, why)),
    }
}

/// A path without links, as far as it is there. A link to nothing is a name like any other: a file takes its place.
fn real_path(path: &Path) -> PathBuf {
    let above = || Some(real_path(path.parent()?).join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(above).unwrap_or_else(|| path.to_owned())
}

/// Puts a whole file in the place of another, with its mode and its owner.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let fail = |source| io(path, source);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
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

/// Who may do what with a file; none where it is not there, or that is said in another way.
#[cfg(unix)]
fn mode_of(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).ok().map(|meta| meta.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode_of(_path: &Path) -> Option<u32> {
    None
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<(), WriteError> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(|source| io(path, source))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> Result<(), WriteError> {
    Ok(())
}
