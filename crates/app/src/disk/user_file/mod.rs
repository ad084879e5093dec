//! Writes the user's files. A write is atomic, keeps mode and owner, is refused if another program changed the file
//! meanwhile or changes it at the same moment, and can be undone. Several files that change together are one step.

mod exchange;
mod held_directory;
mod journal;

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::disk::state_dir::StateDir;

pub use held_directory::WriteError;
use held_directory::{in_held_directory, io};
use hookbench_core::config::Place;
use hookbench_core::text::unified_diff;
use hookbench_system::disk::canonical;
use journal::{JournalFile, JournalStep};
pub use journal::{UndoStep, UndoneFile, UndoneStep, next_undo, steps, undo};

/// Whether to write through a link that leads out of the project. A repository can contain such links, for example to
/// the user's own settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LinkPolicy {
    /// Refuse.
    #[default]
    Refuse,
    /// Write, because the user requested it.
    Follow,
}

impl LinkPolicy {
    /// Converts the command line switch.
    pub fn from_flag(follow: bool) -> LinkPolicy {
        if follow { LinkPolicy::Follow } else { LinkPolicy::Refuse }
    }

    fn allow(self, project: &Path, path: &str) -> Result<(), WriteError> {
        match outside_target(project, Path::new(path)).filter(|_| self == LinkPolicy::Refuse) {
            Some(real) => Err(WriteError::LeadsOut { path: path.to_owned(), real: real.display().to_string() }),
            None => Ok(()),
        }
    }
}

/// The real path of a file, if its name is inside the project but its target is outside.
pub fn outside_target(project: &Path, path: &Path) -> Option<PathBuf> {
    let (named_project, named) = (named(project), named(path));
    let real_project = real_path(&named_project);
    let inside = named.starts_with(&named_project) || named.starts_with(&real_project);
    Some(real_path(&named)).filter(|real| inside && !real.starts_with(&real_project))
}

/// The displayed name of a file: with the link target, if that is outside the project.
pub fn shown(project: &Path, path: &str, name: &str) -> String {
    match outside_target(project, Path::new(path)) {
        Some(real) => format!("{name} (a link out of the project, to {})", real.display()),
        None => name.to_owned(),
    }
}

/// An absolute path without `.` and `..`; links are not resolved.
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

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path as displayed.
    pub file: String,
    /// The path as opened.
    pub path: String,
    /// The content that the user was shown; `None` if the file does not exist.
    pub before: Option<Vec<u8>>,
    pub after: Vec<u8>,
    /// Whether the file becomes executable.
    pub executable: bool,
}

impl FileChange {
    /// The change as a unified diff.
    pub fn diff(&self) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        unified_diff(&self.file, &self.before.as_deref().map(text).unwrap_or_default(), &text(&self.after))
    }
}

/// A file to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRemoval {
    pub path: String,
    /// The content that the user was shown.
    pub before: Vec<u8>,
    /// The directories from this one to the file are removed if they are empty.
    pub directory: Option<PathBuf>,
}

/// Replaces or creates a file of a project. `before` is the content that the user was shown.
pub fn write(
    state: &StateDir,
    project: &Path,
    path: &str,
    before: Option<&[u8]>,
    after: &[u8],
    links: LinkPolicy,
) -> Result<(), WriteError> {
    let (file, path, before) = (path.to_owned(), path.to_owned(), before.map(<[u8]>::to_vec));
    let change = FileChange { file, path, before, after: after.to_vec(), executable: false };
    change_all(state, project, &[change], &[], links)
}

/// Writes several files for the project of a place, all or none, as one step that can be undone.
pub fn write_all(place: &Place, changes: &[FileChange], links: LinkPolicy) -> Result<(), WriteError> {
    change_all(&StateDir::of(place), Path::new(&place.project), changes, &[], links)
}

/// Writes and removes several files, all or none, as one step that can be undone.
///
/// # Errors
/// Returns an error if the content of a file has changed in the meantime, if a link leads out of the project and
/// following it was not requested, or if a file or the record of the change cannot be written.
pub fn change_all(
    state: &StateDir,
    project: &Path,
    changes: &[FileChange],
    removals: &[FileRemoval],
    links: LinkPolicy,
) -> Result<(), WriteError> {
    let mut files = Vec::new();
    for change in changes {
        let real = unchanged_file(project, &change.path, change.before.as_deref(), links)?;
        let directory = directory_to_create(&real);
        let mode = mode_of(&real);
        // Everyone with read permission gets execute permission.
        let runs = mode.filter(|_| change.executable).map(|mode| mode | (mode & 0o444) >> 2);
        let old_mode = runs.and(mode);
        let created = mode.is_none().then_some(0o755).filter(|_| cfg!(unix) && change.executable);
        files.push(JournalFile {
            path: real,
            before: change.before.clone(),
            after: Some(change.after.clone()),
            created_directory: directory,
            old_mode,
            new_mode: runs.or(created),
        });
    }
    for removal in removals {
        files.push(JournalFile {
            path: unchanged_file(project, &removal.path, Some(&removal.before), links)?,
            before: Some(removal.before.clone()),
            after: None,
            created_directory: removal.directory.as_deref().map(real_path),
            old_mode: None,
            new_mode: None,
        });
    }
    step(state, project, files)
}

/// The real path of a file, so that a link is followed and stays a link, after a check of its content.
fn unchanged_file(project: &Path, path: &str, before: Option<&[u8]>, links: LinkPolicy) -> Result<PathBuf, WriteError> {
    links.allow(project, path)?;
    let real = real_path(Path::new(path));
    if read_current(&real)?.as_deref() == before { Ok(real) } else { Err(WriteError::Changed(path.to_owned())) }
}

fn step(state: &StateDir, project: &Path, files: Vec<JournalFile>) -> Result<(), WriteError> {
    let record = JournalStep { project: Some(real_path(project)), files };
    let name = record.store(state)?;
    for (index, file) in record.files.iter().enumerate() {
        if let Err(why) = apply(file) {
            // All or none: files that were already written are restored.
            for written in record.files.iter().take(index + 1).rev() {
                let _ = restore(written);
            }
            let _ = fs::remove_file(state.file(&name));
            return Err(why);
        }
    }
    Ok(())
}

fn apply(file: &JournalFile) -> Result<(), WriteError> {
    match &file.after {
        Some(after) if file.before.as_ref() != Some(after) => write_file(&file.path, file.before.as_deref(), after)?,
        Some(_) => {}
        None => remove_created(file, file.before.as_deref())?,
    }
    file.new_mode.map_or(Ok(()), |mode| set_mode(&file.path, mode))
}

/// Restores the earlier state of a file.
fn restore(file: &JournalFile) -> Result<(), WriteError> {
    match &file.before {
        Some(before) if file.after.as_ref() != Some(before) => write_file(&file.path, file.after.as_deref(), before)?,
        Some(_) => {}
        None => remove_created(file, file.after.as_deref())?,
    }
    file.old_mode.map_or(Ok(()), |mode| set_mode(&file.path, mode))
}

/// Writes a file that has the expected content, and creates its directory if necessary.
fn write_file(path: &Path, expected: Option<&[u8]>, bytes: &[u8]) -> Result<(), WriteError> {
    let parent = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(|source| io(parent, source))?;
    in_held_directory(path, |path| exchange::replace(path, expected, bytes))
}

/// Removes a file that has the expected content, and the directories that were created for it.
fn remove_created(file: &JournalFile, expected: Option<&[u8]>) -> Result<(), WriteError> {
    in_held_directory(&file.path, |path| exchange::remove(path, expected.unwrap_or_default()))?;
    if let Some(created) = &file.created_directory {
        // Ends at the first directory that has other files.
        let directories = file.path.ancestors().skip(1).take_while(|directory| directory.starts_with(created));
        let _ = directories.map(fs::remove_dir).take_while(Result::is_ok).count();
    }
    Ok(())
}

/// The outermost directory that has to be created for a file. `None` if the file's directory exists.
pub fn directory_to_create(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).take_while(|directory| !directory.exists()).last().map(Path::to_owned)
}

fn read_current(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    match hookbench_system::disk::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
        Err(why) => Err(io(path, why)),
    }
}

/// A path with links resolved, as far as it exists. If the path is a dangling link, the result is the link itself, so
/// a write replaces the link.
fn real_path(path: &Path) -> PathBuf {
    let above = || Some(real_path(path.parent()?).join(path.file_name()?));
    canonical(path).ok().or_else(above).unwrap_or_else(|| path.to_owned())
}

/// The permission bits of a file. `None` if it does not exist or the system has no such bits.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hookbench_core::config::Os;

    use super::*;

    #[test]
    fn an_undo_removes_the_directories_that_were_created() {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().canonicalize().unwrap().join("project");
        fs::create_dir(&project).unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let place = Place {
            project: text(&project),
            home: text(root.path()),
            home_given: true,
            env: BTreeMap::from([("XDG_STATE_HOME".to_owned(), text(&root.path().join("state")))]),
            os: Os::Linux,
            ..Place::default()
        };
        let state = StateDir::of(&place);
        let write = |name: &str| {
            write(&state, &project, &text(&project.join(name)), None, b"1", LinkPolicy::Refuse).unwrap();
        };
        write("a/b/c/one");
        undo(&state, &place.project).unwrap();
        assert!(project.exists() && !project.join("a").exists());
        // A directory that another program uses meanwhile stays.
        write("a/b/c/one");
        fs::write(project.join("a/two"), "2").unwrap();
        undo(&state, &place.project).unwrap();
        assert!(project.join("a/two").exists() && !project.join("a/b").exists());
    }
}
