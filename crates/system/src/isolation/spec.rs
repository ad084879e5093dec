//! The part of the machine that an isolated program sees.

use std::io;
#[cfg(target_os = "linux")]
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::ExitStatus;

#[cfg(target_os = "linux")]
use rustix::thread::LinkNameSpaceType;
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
    #[cfg(target_os = "linux")]
    pub(super) fn writable<'a>(&'a self, discarded: &'a [PathBuf]) -> Vec<&'a Path> {
        let binds = self.binds.iter().filter(|bind| bind.writable).map(|bind| bind.target.as_path());
        binds.chain(discarded.iter().map(PathBuf::as_path)).collect()
    }

    /// Writes the specification to a file.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        std::fs::write(file, serde_json::to_vec(self)?)
    }

    /// Reads a specification.
    #[cfg(target_os = "linux")]
    pub(super) fn read(file: &Path) -> io::Result<IsolationSpec> {
        Ok(serde_json::from_slice(&crate::disk::read(file)?)?)
    }
}

/// The first argument of the first stage.
pub const OUTER_STAGE: &str = "isolate";
/// The first argument of the second stage.
pub const INNER_STAGE: &str = "isolated";
/// The first argument of the stage that creates namespaces for several programs.
pub const HOLDER_STAGE: &str = "isolate-several";
/// The first argument of the stage that enters them.
pub const ENTRY_STAGE: &str = "enter-isolation";
/// The first argument of the stage that runs a program on a slow disk.
pub const SLOW_DISK_STAGE: &str = "slow-disk";
/// The line by which a stage says that it is complete.
#[cfg(target_os = "linux")]
pub(super) const READY: &str = "ready";
/// The namespaces that several programs share, with their names in `/proc`. The first one gives the right to enter the
/// others, and the first two are enough to show files in other places.
#[cfg(target_os = "linux")]
pub(super) const NAMESPACES: [(&str, LinkNameSpaceType); 5] = [
    ("user", LinkNameSpaceType::User),
    ("mnt", LinkNameSpaceType::Mount),
    ("net", LinkNameSpaceType::Network),
    ("ipc", LinkNameSpaceType::InterProcessCommunication),
    ("pid_for_children", LinkNameSpaceType::ProcessID),
];
/// The number of namespaces that change nothing but what files programs see.
#[cfg(target_os = "linux")]
pub(super) const FILE_NAMESPACES: usize = 2;
/// The exit status of a stage that could not prepare what the program needs.
pub const PREPARATION_FAILED: u8 = 125;

/// The reason that a stage gave on stderr.
#[cfg(target_os = "linux")]
pub(super) fn first_message(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let first = text.lines().next().unwrap_or("hookbench cannot start itself");
    first.trim_start_matches("hookbench isolate: ").to_owned()
}

/// The exit status as shells write it.
#[cfg(target_os = "linux")]
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(PREPARATION_FAILED)
}

/// Adds the action that failed to an error.
#[cfg(target_os = "linux")]
pub(super) fn with_action(action: &'static str) -> impl Fn(io::Error) -> io::Error {
    move |why| io::Error::new(why.kind(), format!("cannot {action}: {why}"))
}
