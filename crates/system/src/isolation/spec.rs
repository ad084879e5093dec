//! The part of the machine that an isolated program sees.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The port of the server that an isolated program can reach. Its network is new, so every port is free.
pub const SERVER_PORT: u16 = 8765;

/// A directory or file that an isolated program sees in another place than it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bind {
    pub source: PathBuf,
    pub target: PathBuf,
    pub writable: bool,
}

/// The part of the machine that an isolated program sees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IsolationSpec {
    /// An empty directory on which the file system of the program is built. `None` if the program only sees the binds: then
    /// the other files, the network and the processes are those of the machine.
    pub root: Option<PathBuf>,
    /// In this order over the file system of the machine, which is read-only if there is a root.
    pub binds: Vec<Bind>,
    /// Directories whose files the program can change in memory only, such as that of temporary files.
    pub discarded: Vec<PathBuf>,
    /// Directories in those that the program sees as they were at its start and cannot change. Their pipes are not those of
    /// the machine.
    pub read_only: Vec<PathBuf>,
    /// The working directory of the program, as it sees it.
    pub directory: PathBuf,
    /// A Unix socket that receives the listening socket of the server. `None` if the program needs no server.
    pub link: Option<PathBuf>,
    /// The text on its stdin.
    pub stdin: String,
}

impl IsolationSpec {
    /// The directories in which the program can write files, if writes to `discarded` are kept in memory.
    pub(super) fn writable<'a>(&'a self, discarded: &'a [PathBuf]) -> Vec<&'a Path> {
        let binds = self.binds.iter().filter(|bind| bind.writable).map(|bind| bind.target.as_path());
        binds.chain(discarded.iter().map(PathBuf::as_path)).collect()
    }

    /// Writes the specification to a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        std::fs::write(file, serde_json::to_vec(self)?)
    }

    /// Reads a specification.
    ///
    /// # Errors
    /// Returns an error if it cannot be read.
    #[cfg(target_os = "linux")]
    pub(super) fn read(file: &Path) -> io::Result<IsolationSpec> {
        Ok(serde_json::from_slice(&crate::disk::read(file)?)?)
    }
}
