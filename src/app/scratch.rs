//! Folders that are thrown away: an empty home, a copy of a home, a copy of a project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::files::DiskFiles;
use crate::core::config::Place;
use crate::core::dialects::Dialect;
use crate::runner::while_nothing_starts;

/// The home folder that hooks get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    /// An empty one, for this firing only.
    Scratch,
    Real,
    /// A copy of this one, for this firing only.
    CopyOf(PathBuf),
}

/// Where something is fired. What it made is deleted with it.
#[derive(Debug)]
pub struct Scratch {
    pub project: PathBuf,
    /// None: the real home.
    pub home: Option<PathBuf>,
    _made: Vec<TempDir>,
}

impl Scratch {
    /// A project, or a copy of it, and a home.
    ///
    /// # Errors
    /// When something cannot be copied; the text names it.
    pub fn of(project: &Path, copied: bool, home: &Home) -> Result<Scratch, String> {
        let mut made = Vec::new();
        let mut fresh = |what: &str| -> Result<PathBuf, String> {
            let dir = tempfile::Builder::new().prefix("hookbench-").tempdir();
            let dir = dir.map_err(|why| format!("no folder for {what}: {why}"))?;
            let path = dir.path().to_owned();
            made.push(dir);
            Ok(path)
        };
        let home = match home {
            Home::Real => None,
            Home::Scratch => Some(fresh("the home")?),
            Home::CopyOf(from) => {
                let to = fresh("the home")?;
                copy_tree(from, &to).map_err(|why| format!("home {}: {why}", from.display()))?;
                Some(to)
            }
        };
        let project = if copied {
            let to = fresh("the copy of the project")?.join(project.file_name().unwrap_or("project".as_ref()));
            copy_tree(project, &to).map_err(|why| format!("copy of {}: {why}", project.display()))?;
            to
        } else {
            project.to_owned()
        };
        Ok(Scratch { project, home, _made: made })
    }
}

/// Makes a home folder in which nothing lies yet the one of somebody who trusts the project and has reviewed its hooks.
///
/// # Errors
/// When it cannot be written.
pub(super) fn trust(project: &Path, home: &Path, dialects: &[&'static dyn Dialect]) -> io::Result<()> {
    // Agents ask the system for their folder and get it resolved.
    let real = |path: &Path| fs::canonicalize(path).map(|path| path.to_string_lossy().replace('\\', "/"));
    // Without an environment: no variable leads out of the home folder.
    let place = Place { project: real(project)?, home: real(home)?, home_given: true, ..Place::default() };
    for (path, text) in dialects.iter().flat_map(|dialect| dialect.trusting(&place, &DiskFiles)) {
        if let Some(folder) = Path::new(&path).parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

/// Copies a folder with everything in it. Links stay links; sockets, pipes and devices are left out.
///
/// # Errors
/// The first thing that cannot be copied.
pub(super) fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let named = |path: &Path, why: io::Error| io::Error::new(why.kind(), format!("{}: {why}", path.display()));
    fs::create_dir_all(to).map_err(|why| named(to, why))?;
    for entry in fs::read_dir(from).map_err(|why| named(from, why))? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_tree(&source, &target)?;
        } else if kind.is_symlink() {
            let aim = fs::read_link(&source)?;
            #[cfg(unix)]
            std::os::unix::fs::symlink(aim, &target).map_err(|why| named(&target, why))?;
            #[cfg(not(unix))]
            drop(aim);
        } else if kind.is_file() {
            while_nothing_starts(|| fs::copy(&source, &target)).map_err(|why| named(&source, why))?;
        }
    }
    Ok(())
}
