//! Ensures one server per user: its socket, and the file through which clients find it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use hookbench_core::live::{default_socket, is_fixed, state_directory};

use crate::local_socket::{ClaimedSocket, LocalListener, ServeError, server_at, socket_directories};
use crate::own_directories::{home_directory, text_variable};
#[cfg(unix)]
use crate::owner_only::user_id;
use crate::owner_only::{create_directory, open_options};

/// The size limit for reading the state file.
const LONGEST: u64 = 4096;

/// The paths of this user's server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPaths {
    pub socket: PathBuf,
    /// The file that tells clients the socket's path. `None` without a home directory.
    pub state_file: Option<PathBuf>,
}

impl ServerPaths {
    /// The given path, otherwise `HOOKBENCH_SOCKET`, otherwise the default path.
    pub fn resolve(said: Option<&Path>) -> ServerPaths {
        let named = || text_variable("HOOKBENCH_SOCKET").map(PathBuf::from).filter(|path| is_fixed(path));
        let said = said.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let socket = said.or_else(named).unwrap_or_else(|| default_socket(&socket_directories()));
        ServerPaths { socket, state_file: home_directory().map(|home| state_directory(&home).join("socket")) }
    }

    /// The paths of a private server, all in one directory. Only this process tells clients where it is.
    pub fn private(directory: &Path) -> ServerPaths {
        let user = socket_directories().pipes_of;
        let pipe = user.map(|user| PathBuf::from(format!(r"\\.\pipe\hookbench-{user}-{}", std::process::id())));
        ServerPaths { socket: pipe.unwrap_or_else(|| directory.join("live/hookbench.sock")), state_file: None }
    }

    /// The socket path in the state file, which clients use.
    pub fn advertised_socket(&self) -> Option<PathBuf> {
        let path = PathBuf::from(beginning(self.state_file.as_deref()?)?.trim_end_matches('\n'));
        is_fixed(&path).then_some(path)
    }
}

/// The exclusive right to serve. Dropping it removes the socket and the state file.
#[derive(Debug)]
pub struct ServerClaim {
    paths: ServerPaths,
    _socket: ClaimedSocket,
}

impl ServerClaim {
    /// Claims the socket and writes the state file. Must be called in a tokio runtime.
    ///
    /// # Errors
    /// Returns an error if a server is already running, or if the path cannot be used.
    pub fn acquire(paths: ServerPaths) -> Result<(ServerClaim, LocalListener), ServeError> {
        check_other_server(&paths)?;
        let (socket, listener) = ClaimedSocket::claim(&paths.socket)?;
        let claim = ServerClaim { paths, _socket: socket };
        claim.write_state_file()?;
        Ok((claim, listener))
    }

    /// The socket that agents connect to.
    pub fn socket(&self) -> &Path {
        &self.paths.socket
    }

    /// Writes the path to the state file.
    fn write_state_file(&self) -> Result<(), ServeError> {
        let Some(file) = &self.paths.state_file else { return Ok(()) };
        // A killed server may have left the file. It is not rewritten, because the disk may be full.
        if self.paths.advertised_socket().as_ref() == Some(&self.paths.socket) && is_private(file) {
            return Ok(());
        }
        let directory = file.parent().unwrap_or(Path::new("/"));
        let beside = directory.join(format!(".socket-{}", std::process::id()));
        let write = || {
            create_directory(directory)?;
            let mut new = open_options().write(true).create(true).truncate(true).open(&beside)?;
            writeln!(new, "{}", self.paths.socket.display())?;
            std::fs::rename(&beside, file)
        };
        write().map_err(|why| {
            let _ = std::fs::remove_file(&beside);
            ServeError::File { path: file.clone(), why }
        })
    }
}

impl Drop for ServerClaim {
    fn drop(&mut self) {
        if self.paths.advertised_socket().as_ref() == Some(&self.paths.socket)
            && let Some(file) = &self.paths.state_file
        {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Whether a file belongs to this user and is inaccessible to others.
#[cfg(unix)]
fn is_private(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let seen = std::fs::symlink_metadata(file);
    seen.is_ok_and(|seen| seen.is_file() && seen.uid() == user_id() && seen.mode() & 0o777 == 0o600)
}

/// Other users cannot open the directory of the file.
#[cfg(windows)]
fn is_private(_file: &Path) -> bool {
    true
}

/// Checks that no server runs at another path to which the state file points.
fn check_other_server(paths: &ServerPaths) -> Result<(), ServeError> {
    let other = paths.advertised_socket().filter(|other| *other != paths.socket);
    match other.and_then(|other| Some((server_at(&other)?, other))) {
        Some((pid, socket)) => Err(ServeError::Held { socket, pid }),
        None => Ok(()),
    }
}

fn beginning(path: &Path) -> Option<String> {
    String::from_utf8(crate::disk::read_beginning(path, LONGEST).ok()?).ok()
}
