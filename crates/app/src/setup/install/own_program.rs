//! Determines how a command refers to this program.

use std::path::{Path, PathBuf};

use crate::disk::files::DiskFiles;
use hookbench_core::config::{Files as _, Os, Place};
use hookbench_core::hook::Layer;
use hookbench_core::install::ShellQuoting;

/// The name looked up on `PATH`.
const NAME: &str = "hookbench";

/// The running program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnProgram {
    /// Its canonical path.
    pub path: String,
    /// The word for commands: its name if `PATH` leads to it, otherwise its path.
    pub command_word: String,
    /// Another program of the same name that `PATH` leads to instead.
    other_program: Option<PathBuf>,
}

impl OwnProgram {
    /// Determines how commands refer to this program.
    ///
    /// # Errors
    /// Returns an error if the system does not report the path of the running program.
    pub fn locate(place: &Place) -> std::io::Result<OwnProgram> {
        let own = std::env::current_exe()?;
        let own = std::fs::canonicalize(&own).unwrap_or(own);
        let path = own.to_string_lossy().into_owned();
        let found = on_path(NAME, place);
        let ours = found.as_deref().is_some_and(|found| std::fs::canonicalize(found).is_ok_and(|real| real == own));
        let word = if ours { NAME.to_owned() } else { path.clone() };
        Ok(OwnProgram { path, command_word: word, other_program: found.filter(|_| !ours) })
    }

    /// A remark about the name.
    pub fn name_note(&self, layer: Layer) -> Option<String> {
        let shared =
            if layer == Layer::Project { "; other users of this project's settings do not have that file" } else { "" };
        match &self.other_program {
            _ if self.command_word == NAME => None,
            Some(other) => Some(format!(
                "the entries use {}, because hookbench on PATH is {}{shared}",
                self.command_word,
                other.display()
            )),
            None => Some(format!("the entries use {}, because hookbench is not on PATH{shared}", self.command_word)),
        }
    }
}

/// The shell syntax in which the command is quoted.
pub fn quoting(place: &Place) -> ShellQuoting {
    if place.os == Os::Windows { ShellQuoting::Windows } else { ShellQuoting::Posix }
}

/// The executable that a name on `PATH` leads to.
pub fn on_path(name: &str, place: &Place) -> Option<PathBuf> {
    let path = place.var("PATH").unwrap_or("");
    std::env::split_paths(path).map(|directory| directory.join(name)).find(|file| is_executable(file))
}

/// Returns whether a file is executable.
pub fn is_executable(file: &Path) -> bool {
    DiskFiles.executable(&file.to_string_lossy()) == Some(true)
}
