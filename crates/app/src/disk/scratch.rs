//! Temporary directories: an empty home, a copy of a home, a copy of a project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::disk::copying::copy_tree;
use crate::disk::file_copy::CopyStop;
use crate::disk::files::DiskFiles;
use crate::disk::owned_directory::create_owned_directory;
use hookbench_core::config::Place;
use hookbench_core::dialects::Agent;
use hookbench_system::isolation::{Bind, IsolationSpec, SharedNamespaces};

/// The home directory that hooks see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    /// An empty one, for this firing only.
    Scratch,
    Real,
    /// A copy of this one, for this firing only.
    CopyOf(PathBuf),
    /// This one itself, to plan: nothing is fired in it.
    Itself(PathBuf),
}

/// The directories that something is fired in. Dropping it deletes the temporary ones.
#[derive(Debug)]
pub struct ScratchDirectories {
    pub project: PathBuf,
    /// `None` for the real home.
    pub home: Option<PathBuf>,
    /// Links that are missing in the copies, with reasons.
    pub left_out: Vec<String>,
    /// Shows the copy of the project in the place of the project.
    in_place: Option<SharedNamespaces>,
    _directories: Vec<TempDir>,
}

impl ScratchDirectories {
    /// Prepares a project, or a copy of it, and a home.
    ///
    /// # Errors
    /// Returns an error that names the directory if something cannot be copied.
    pub(crate) fn create(
        project: &Path,
        copied: bool,
        home: &Home,
        stop: &CopyStop,
    ) -> Result<ScratchDirectories, String> {
        let (mut made, mut left_out) = (Vec::new(), Vec::new());
        let mut fresh = |what: &str| -> Result<PathBuf, String> {
            let dir = create_owned_directory();
            let dir = dir.map_err(|why| format!("cannot create a directory for {what}: {why}"))?;
            let path = dir.path().to_owned();
            made.push(dir);
            Ok(path)
        };
        let home = match home {
            Home::Real => None,
            Home::Scratch => Some(fresh("the home directory")?),
            Home::Itself(home) => Some(home.clone()),
            Home::CopyOf(from) => {
                let to = fresh("the home directory")?;
                let left =
                    copy_tree(from, &to, stop).map_err(|why| format!("home directory {}: {why}", from.display()))?;
                left_out.extend(left);
                Some(to)
            }
        };
        let project = if copied {
            let to = fresh("the copy of the project")?.join(project.file_name().unwrap_or("project".as_ref()));
            let left = copy_tree(project, &to, stop).map_err(|why| format!("copy of {}: {why}", project.display()))?;
            left_out.extend(left);
            to
        } else {
            project.to_owned()
        };
        Ok(ScratchDirectories { project, home, left_out, in_place: None, _directories: made })
    }

    /// Mounts the copy of a project over the project's path, so a hook cannot change the project by its absolute path.
    ///
    /// # Errors
    /// Returns the reason if the system does not allow it.
    pub(crate) fn show_in_place_of(&mut self, project: &Path) -> io::Result<()> {
        let directory = create_owned_directory()?;
        let bind = Bind { source: self.project.clone(), target: fs::canonicalize(project)?, writable: true };
        let spec = IsolationSpec { binds: vec![bind], directory: "/".into(), ..IsolationSpec::default() };
        let made = SharedNamespaces::create(&std::env::current_exe()?, &spec, &directory.path().join("spec"))?;
        self.in_place = Some(made);
        Ok(())
    }

    /// The program and its first arguments that start a hook, if it needs any.
    pub(crate) fn prefix(&self) -> Vec<String> {
        self.in_place.as_ref().map(SharedNamespaces::prefix).unwrap_or_default()
    }
}

/// Turns an empty home directory into that of a user who trusts the project and has reviewed its hooks.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub(crate) fn write_trust(
    project: &Path,
    home: &Path,
    dialects: impl Iterator<Item = &'static Agent>,
) -> io::Result<()> {
    // The canonical path, because agents get their working directory resolved by the system.
    let real = |path: &Path| fs::canonicalize(path).map(|path| path.to_string_lossy().replace('\\', "/"));
    // An empty environment, so that no variable points outside the home directory.
    let place = Place { project: real(project)?, home: real(home)?, home_given: true, ..Place::default() };
    for (path, text) in dialects.flat_map(|dialect| dialect.trust_files(&place, &DiskFiles)) {
        if let Some(directory) = Path::new(&path).parent() {
            fs::create_dir_all(directory)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}
