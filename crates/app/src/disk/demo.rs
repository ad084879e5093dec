//! The bundled sample project, unpacked into a scratch directory that is deleted with the demo. The directory also has
//! the demo's own state directory, so the demo neither reads nor changes what the user has recorded.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use include_dir::{Dir, DirEntry, include_dir};

use super::scratch::create_demo_directory;
use crate::disk::scratch::write_trust;
use crate::disk::state_dir::{StateDir, StateError};
use hookbench_core::config::Place;
use hookbench_core::dialects;

static SHOP: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../sample-hooks/shop");

/// The file in the user's own state directory that says that the tour was finished or left.
const TOUR_FILE: &str = "demo-tour";

/// A scratch copy of the sample project with a home directory beside it. Dropping it removes both.
#[derive(Debug)]
pub struct Demo {
    root: tempfile::TempDir,
    /// A thread that writes into the directory.
    writer: Option<JoinHandle<()>>,
}

impl Demo {
    /// Unpacks the project.
    pub fn unpack() -> std::io::Result<Demo> {
        let root = create_demo_directory()?;
        let demo = Demo { root, writer: None };
        std::fs::create_dir_all(demo.home())?;
        std::fs::create_dir_all(demo.project())?;
        unpack_into(&SHOP, &demo.project())?;
        write_trust(&demo.project(), &demo.home(), dialects::released())?;
        Ok(demo)
    }

    /// The scratch directory.
    pub fn directory(&self) -> &Path {
        self.root.path()
    }

    /// The project directory.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("shop")
    }

    /// Gives the place a state directory inside the scratch directory.
    pub fn use_own_state(&self, place: &mut Place) {
        let state = self.root.path().join("state").to_string_lossy().into_owned();
        place.env.insert("XDG_STATE_HOME".to_owned(), state);
    }

    /// Lets the scratch directory stay until a thread that writes into it has ended.
    pub fn wait_for(&mut self, writer: JoinHandle<()>) {
        self.writer = Some(writer);
    }

    /// The home directory of a user who trusts the project and has reviewed its hooks. It contains no hooks itself.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// Whether the user has finished or left the tour.
pub fn tour_is_over() -> bool {
    StateDir::for_process().file(TOUR_FILE).exists()
}

/// Remembers that the user has finished or left the tour.
pub fn remember_tour() -> Result<(), StateError> {
    StateDir::for_process().write(TOUR_FILE, "over\n")
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
