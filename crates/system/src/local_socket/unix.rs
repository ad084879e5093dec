//! The Unix socket, in a directory of the user, with a lock beside it.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, socket};
use rustix::process::{getpid, umask};
use tokio::net::{UnixListener, UnixSocket};

use super::error::{ConnectError, ServeError};
use crate::owner_only::{create_directory, lock, user_id};
use hookbench_core::live::{DirectoryMetadata, MAX_SOCKET_PATH, distrust_reason};

/// The length of the system's queue of connections.
const BACKLOG: u32 = 1024;
/// The size limit for reading a lock.
const LONGEST: u64 = 4096;
const LOCK: &str = "hookbench.lock";

/// A connection that is read and written without a runtime.
pub type LocalStream = UnixStream;
/// A connection in a runtime.
pub type AsyncStream = tokio::net::UnixStream;

/// Connects, or fails at once. Waiting for a place in a full connection queue could take forever.
///
/// # Errors
/// Returns an error if no server of this user listens there.
pub fn connect(path: &Path) -> Result<LocalStream, ConnectError> {
    match distrust(path) {
        Ok(None) => {}
        Ok(Some(why)) => return Err(ConnectError::Untrusted(why)),
        Err(_) => return Err(ConnectError::Absent),
    }
    let other = |why: Errno| ConnectError::Other(why.into());
    let address = SocketAddrUnix::new(path).map_err(other)?;
    let failed = |why: Errno| match why {
        Errno::NOENT => ConnectError::Absent,
        Errno::AGAIN | Errno::INPROGRESS => ConnectError::Busy,
        Errno::CONNREFUSED => ConnectError::Refused,
        why => other(why),
    };
    let end = socket(AddressFamily::UNIX, SocketType::STREAM, None).map_err(failed)?;
    ioctl_fionbio(&end, true).map_err(failed)?;
    rustix::net::connect(&end, &address).map_err(failed)?;
    ioctl_fionbio(&end, false).map_err(failed)?;
    let stream = UnixStream::from(end);
    if !is_ours(peer(&stream), user_id()) {
        return Err(ConnectError::Untrusted("the server belongs to another user".to_owned()));
    }
    Ok(stream)
}

#[allow(clippy::unused_async, reason = "the same interface as on systems where only the runtime connects")]
pub(super) async fn connect_async(path: &Path) -> Result<AsyncStream, ConnectError> {
    let stream = connect(path)?;
    stream.set_nonblocking(true).map_err(ConnectError::Other)?;
    let stream = AsyncStream::from_std(stream).map_err(ConnectError::Other)?;
    // The runtime's call works on more systems.
    match stream.peer_cred() {
        Ok(peer) if peer.uid() != user_id() => {
            Err(ConnectError::Untrusted("the server belongs to another user".to_owned()))
        }
        _ => Ok(stream),
    }
}

/// The reason why events are not sent to a socket, if there is one.
pub fn distrust(path: &Path) -> io::Result<Option<String>> {
    let file = std::fs::symlink_metadata(path)?;
    let directory = directory_of(path);
    if let Some(why) = distrust_reason(ownership(&std::fs::symlink_metadata(directory)?), user_id()) {
        return Ok(Some(format!("{} is not used: {why}", directory.display())));
    }
    let is_ours = file.file_type().is_socket() && file.uid() == user_id();
    Ok((!is_ours).then(|| format!("{} is not a socket of this user", path.display())))
}

fn directory_of(socket: &Path) -> &Path {
    socket.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn ownership(seen: &Metadata) -> DirectoryMetadata {
    DirectoryMetadata { real: seen.is_dir(), owner: seen.uid(), mode: seen.mode() & 0o777 }
}

/// Whether the other end runs as the same user. Root is not an exception. On systems that do not report the peer's
/// user, the checks of the directory and the socket are sufficient, because only that user can create them.
fn is_ours(peer: Option<u32>, uid: u32) -> bool {
    match peer {
        Some(peer) => peer == uid,
        None => !cfg!(target_os = "linux"),
    }
}

#[cfg(target_os = "linux")]
fn peer(stream: &UnixStream) -> Option<u32> {
    rustix::net::sockopt::socket_peercred(stream).ok().map(|peer| peer.uid.as_raw())
}

#[cfg(not(target_os = "linux"))]
fn peer(_stream: &UnixStream) -> Option<u32> {
    None
}

/// The process of the server at a path: `None` without a server, `Some(None)` if its number is not known.
pub fn server_at(socket: &Path) -> Option<Option<u32>> {
    let mut file = crate::disk::open(socket.parent()?.join(LOCK)).ok()?;
    let is_free = file.try_lock_shared().is_ok();
    (!is_free).then(|| pid_in(&mut file))
}

/// The exclusive right to serve at a path. Dropping it removes the socket.
#[derive(Debug)]
pub struct ClaimedSocket {
    path: PathBuf,
    /// Device and inode of the created socket, so that another server's socket is not removed.
    identity: (u64, u64),
    /// Locked until the process ends.
    _lock: File,
}

impl ClaimedSocket {
    /// Takes the lock and creates the socket. Must be called in a tokio runtime.
    ///
    /// # Errors
    /// Returns an error if a server is already running there, or if the path cannot be used.
    pub fn claim(socket: &Path) -> Result<(ClaimedSocket, LocalListener), ServeError> {
        let length = socket.as_os_str().len();
        if length > MAX_SOCKET_PATH {
            return Err(ServeError::LongPath { socket: socket.to_owned(), length });
        }
        ensure_private_directory(directory_of(socket))?;
        let lock = take_lock(socket)?;
        let at = |why| ServeError::File { path: socket.to_owned(), why };
        remove_stale_socket(socket).map_err(at)?;
        let listener = listen(socket).map_err(at)?;
        let seen = std::fs::symlink_metadata(socket).map_err(at)?;
        let claim = ClaimedSocket { path: socket.to_owned(), identity: (seen.dev(), seen.ino()), _lock: lock };
        Ok((claim, LocalListener(listener)))
    }
}

impl Drop for ClaimedSocket {
    fn drop(&mut self) {
        let seen = std::fs::symlink_metadata(&self.path);
        if seen.is_ok_and(|seen| (seen.dev(), seen.ino()) == self.identity) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Listens for connections.
#[derive(Debug)]
pub struct LocalListener(UnixListener);

impl LocalListener {
    /// Waits for a connection. `None` for one of another user, which gets no answer; root is not an exception.
    ///
    /// # Errors
    /// Returns an error such as too many open files, after which it can be called again.
    pub async fn accept(&mut self) -> io::Result<Option<AsyncStream>> {
        let (stream, _) = self.0.accept().await?;
        let is_ours = stream.peer_cred().is_ok_and(|peer| is_ours(Some(peer.uid()), user_id()));
        Ok(is_ours.then_some(stream))
    }
}

/// Creates the directory if it is missing. In any case it must belong to the user alone.
fn ensure_private_directory(directory: &Path) -> Result<(), ServeError> {
    let refused = |why: String| ServeError::Directory { directory: directory.to_owned(), why };
    if let Err(why) = create_directory(directory)
        && why.kind() != ErrorKind::AlreadyExists
    {
        return Err(refused(why.to_string()));
    }
    let seen = std::fs::symlink_metadata(directory).map_err(|why| refused(why.to_string()))?;
    distrust_reason(ownership(&seen), user_id()).map_or(Ok(()), |why| Err(refused(why.to_owned())))
}

fn take_lock(socket: &Path) -> Result<File, ServeError> {
    let path = socket.with_file_name(LOCK);
    let at = |why: io::Error| ServeError::File { path: path.clone(), why };
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR).map_err(|why| at(why.into()))?;
    let mut file = File::from(file);
    if !lock(&file).map_err(at)? {
        return Err(ServeError::Held { socket: socket.to_owned(), pid: pid_in(&mut file) });
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
fn remove_stale_socket(socket: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(socket) {
        Ok(seen) if seen.file_type().is_socket() => std::fs::remove_file(socket),
        Ok(_) => Err(io::Error::new(ErrorKind::AlreadyExists, "the file there is not a socket")),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(()),
        Err(why) => Err(why),
    }
}

fn listen(socket: &Path) -> io::Result<UnixListener> {
    let end = UnixSocket::new_stream()?;
    let before = umask(Mode::RWXG | Mode::RWXO);
    let bound = end.bind(socket);
    umask(before);
    bound?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
    end.listen(BACKLOG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_user_s_process_is_not_spoken_to() {
        for (peer, uid, ours) in [(Some(7), 7, true), (Some(0), 7, false), (Some(7), 0, false)] {
            assert_eq!(is_ours(peer, uid), ours, "{peer:?} {uid}");
        }
    }
}
