//! The bundled sample project, laid out in a scratch folder that goes away with the demo.

use std::path::{Path, PathBuf};

use include_dir::{Dir, DirEntry, include_dir};

static SHOP: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/sample-hooks/shop");
/// What a user of the agents would have said of the project: that it is trusted, and its hooks reviewed.
static HOME: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/sample-hooks/home");
/// Stands in the files of the home folder for the project's path.
const PROJECT: &str = "{{project}}";

/// A scratch copy of the sample project with a home beside it. Dropping it removes both.
#[derive(Debug)]
pub struct Demo {
    root: tempfile::TempDir,
}

impl Demo {
    /// Lays the project out.
    ///
    /// # Errors
    /// When the scratch folder cannot be written.
    pub fn unpack() -> std::io::Result<Demo> {
        let root = tempfile::Builder::new().prefix("hookbench-demo-").tempdir()?;
        let demo = Demo { root };
        std::fs::create_dir_all(demo.home())?;
        std::fs::create_dir_all(demo.project())?;
        lay(&SHOP, &demo.project(), None)?;
        // Agents ask the system for their folder and get it resolved.
        let project = std::fs::canonicalize(demo.project())?.to_string_lossy().replace('\\', "/");
        lay(&HOME, &demo.home(), Some(&project))?;
        Ok(demo)
    }

    /// The project folder.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("shop")
    }

    /// A home folder with the project's trust in it, and no hooks.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }
}

/// Lays a folder out; `project` takes the place of what stands for it.
fn lay(dir: &Dir<'_>, into: &Path, project: Option<&str>) -> std::io::Result<()> {
    for entry in dir.entries() {
        let name = entry.path().file_name().unwrap_or_default();
        match entry {
            DirEntry::Dir(dir) => {
                let target = into.join(name);
                std::fs::create_dir_all(&target)?;
                lay(dir, &target, project)?;
            }
            DirEntry::File(file) => {
                let target = into.join(name);
                match (file.contents_utf8(), project) {
                    (Some(text), Some(project)) => std::fs::write(&target, text.replace(PROJECT, project))?,
                    _ => std::fs::write(&target, file.contents())?,
                }
                // Embedding keeps no modes; what starts like a script is one.
                if file.contents().starts_with(b"#!") {
                    set_run_bit(&target)?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn set_run_bit(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn set_run_bit(_path: &Path) -> std::io::Result<()> {
    Ok(())
}
