//! The bundled sample project, unpacked into a scratch folder that is deleted with the demo.

use std::path::{Path, PathBuf};

use include_dir::{Dir, DirEntry, include_dir};

use crate::disk::scratch::write_trust;
use hookbench_core::dialects;

static SHOP: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../sample-hooks/shop");

/// A scratch copy of the sample project with a home directory beside it. Dropping it removes both.
#[derive(Debug)]
pub struct Demo {
    root: tempfile::TempDir,
}

impl Demo {
    /// Unpacks the project.
    ///
    /// # Errors
    /// Returns an error if the scratch folder cannot be written.
    pub fn unpack() -> std::io::Result<Demo> {
        let root = tempfile::Builder::new().prefix("hookbench-demo-").tempdir()?;
        let demo = Demo { root };
        std::fs::create_dir_all(demo.home())?;
        std::fs::create_dir_all(demo.project())?;
        unpack_into(&SHOP, &demo.project())?;
        write_trust(&demo.project(), &demo.home(), dialects::ALL)?;
        Ok(demo)
    }

    /// The project folder.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("shop")
    }

    /// The home directory of a user who trusts the project and has reviewed its hooks. It contains no hooks itself.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }
}

fn unpack_into(dir: &Dir<'_>, into: &Path) -> std::io::Result<()> {
    for entry in dir.entries() {
        let target = into.join(entry.path().file_name().unwrap_or_default());
        match entry {
            DirEntry::Dir(dir) => {
                std::fs::create_dir_all(&target)?;
                unpack_into(dir, &target)?;
            }
            DirEntry::File(file) => {
                std::fs::write(&target, file.contents())?;
                // Embedded files have no modes, so a file that starts with `#!` is made executable.
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
