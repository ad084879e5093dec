//! Ensures one server per user: the private directory, the lock next to the socket, the socket, and the file through
//! which clients find it.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::process::{getpid, umask};
use tokio::net::{UnixListener, UnixSocket};

use hookbench_core::live::{
    DirectoryMetadata, MAX_SOCKET_PATH, SocketDirectories, default_socket, distrust_reason, is_fixed, state_directory,
};

use crate::own_directories::home_directory;

/// The length of the system's queue of connections.
const BACKLOG: u32 = 1024;
/// The size limit for reading a lock or state file.
const LONGEST: u64 = 4096;
const LOCK: &str = "hookbench.lock";

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
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let named = || text("HOOKBENCH_SOCKET").map(PathBuf::from).filter(|path| is_fixed(path));
        let directories = || SocketDirectories {
            runtime: text("XDG_RUNTIME_DIR"),
            temporary: text("TMPDIR"),
            mac: cfg!(target_os = "macos"),
            uid: own_uid(),
        };
        let said = said.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let socket = said.or_else(named).unwrap_or_else(|| default_socket(&directories()));
        ServerPaths { socket, state_file: home_directory().map(|home| state_directory(&home).join("socket")) }
    }

    /// The socket path in the state file, which clients use.
    pub fn advertised_socket(&self) -> Option<PathBuf> {
        let path = PathBuf::from(beginning(self.state_file.as_deref()?)?.trim_end_matches('\n'));
        is_fixed(&path).then_some(path)
    }
}

/// The reason why no server can run here.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("another hookbench server is running at {}{}", socket.display(), pid.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    Held { socket: PathBuf, pid: Option<u32> },
    #[error("the path of the socket {} is too long: it has {length} bytes, at most {MAX_SOCKET_PATH} are allowed\n  help: set a shorter path with --socket or HOOKBENCH_SOCKET", socket.display())]
    LongPath { socket: PathBuf, length: usize },
    #[error("the directory {} is not used for the socket: {why}", directory.display())]
    Directory { directory: PathBuf, why: String },
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: std::io::Error },
}

/// The exclusive right to serve. Dropping it removes the socket and the state file.
#[derive(Debug)]
pub struct ServerClaim {
    paths: ServerPaths,
    /// Device and inode of the created socket, so that another server's socket is not removed.
    socket_identity: (u64, u64),
    /// Locked until the process ends.
    _lock: File,
}

impl ServerClaim {
    /// Takes the lock, creates the socket and writes the state file. Must be called in a tokio runtime.
    ///
    /// # Errors
    /// Returns an error if a server is already running, or if the path cannot be used.
    pub fn acquire(whereabouts: ServerPaths) -> Result<(ServerClaim, UnixListener), ServeError> {
        let socket = &whereabouts.socket;
        let length = socket.as_os_str().len();
        if length > MAX_SOCKET_PATH {
            return Err(ServeError::LongPath { socket: socket.clone(), length });
        }
        let directory = socket.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("/"));
        ensure_private_directory(directory)?;
        check_other_server(&whereabouts)?;
        let lock = lock(socket)?;
        let at = |why| ServeError::File { path: socket.clone(), why };
        remove_stale_socket(socket).map_err(at)?;
        let listener = listen(socket).map_err(at)?;
        let seen = std::fs::symlink_metadata(socket).map_err(at)?;
        let claim = ServerClaim { socket_identity: (seen.dev(), seen.ino()), paths: whereabouts, _lock: lock };
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
        let beside = directory.join(format!(".socket-{}", getpid().as_raw_nonzero()));
        let write = || {
            DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
            let mut new = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
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
        let seen = std::fs::symlink_metadata(&self.paths.socket);
        if seen.is_ok_and(|seen| (seen.dev(), seen.ino()) == self.socket_identity) {
            let _ = std::fs::remove_file(&self.paths.socket);
        }
    }
}

/// Whether a file belongs to this user and is inaccessible to others.
fn is_private(file: &Path) -> bool {
    let seen = std::fs::symlink_metadata(file);
    seen.is_ok_and(|seen| seen.is_file() && seen.uid() == own_uid() && seen.mode() & 0o777 == 0o600)
}

pub(super) fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Creates the directory if it is missing. In any case it must belong to the user alone.
fn ensure_private_directory(directory: &Path) -> Result<(), ServeError> {
    let refused = |why: String| ServeError::Directory { directory: directory.to_owned(), why };
    if let Err(why) = DirBuilder::new().recursive(true).mode(0o700).create(directory)
        && why.kind() != ErrorKind::AlreadyExists
    {
        return Err(refused(why.to_string()));
    }
    let seen = std::fs::symlink_metadata(directory).map_err(|why| refused(why.to_string()))?;
    let directory = DirectoryMetadata { real: seen.is_dir(), owner: seen.uid(), mode: seen.mode() & 0o777 };
    distrust_reason(directory, own_uid()).map_or(Ok(()), |why| Err(refused(why.to_owned())))
}

/// Checks that no server runs at another path to which the state file points.
fn check_other_server(whereabouts: &ServerPaths) -> Result<(), ServeError> {
    let Some(other) = whereabouts.advertised_socket().filter(|other| *other != whereabouts.socket) else {
        return Ok(());
    };
    let Some(directory) = other.parent() else { return Ok(()) };
    let Ok(mut file) = crate::disk::open(directory.join(LOCK)) else { return Ok(()) };
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(()),
        Err(_) => Err(ServeError::Held { socket: other, pid: pid_in(&mut file) }),
    }
}

fn lock(socket: &Path) -> Result<File, ServeError> {
    let path = socket.with_file_name(LOCK);
    let at = |why: std::io::Error| ServeError::File { path: path.clone(), why };
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR).map_err(|why| at(why.into()))?;
    let mut file = File::from(file);
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => {
            return Err(ServeError::Held { socket: socket.to_owned(), pid: pid_in(&mut file) });
        }
        Err(why) => return Err(at(why.into())),
    }
    let write = |mut file: &File| {
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{}", getpid().as_raw_nonzero())
    };
    write(&file).map_err(at)?;
    Ok(file)
}

fn pid_in(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Removes the socket of a server that did not clean up. Any other file stays, and listening fails.
fn remove_stale_socket(socket: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::FileTypeExt as _;
    match std::fs::symlink_metadata(socket) {
        Ok(seen) if seen.file_type().is_socket() => std::fs::remove_file(socket),
        Ok(_) => Err(std::io::Error::new(ErrorKind::AlreadyExists, "the file there is not a socket")),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(()),
        Err(why) => Err(why),
    }
}

fn listen(socket: &Path) -> std::io::Result<UnixListener> {
    let end = UnixSocket::new_stream()?;
    let before = umask(Mode::RWXG | Mode::RWXO);
    let bound = end.bind(socket);
    umask(before);
    bound?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
    end.listen(BACKLOG)
}

fn beginning(path: &Path) -> Option<String> {
    String::from_utf8(crate::disk::read_beginning(path, LONGEST).ok()?).ok()
}
