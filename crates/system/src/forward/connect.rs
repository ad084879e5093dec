//! Connects to the server without blocking, and only if the server belongs to the same user.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};

use super::outcome::ForwardNote;
use hookbench_core::live::{DirectoryMetadata, distrust_reason};

/// The reason why there is no connection.
#[derive(Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// No server is running, which is normal.
    Absent,
    Problem(ForwardNote),
}

fn problem(problem: &'static str, detail: impl Into<String>) -> ConnectError {
    ConnectError::Problem(ForwardNote::new(problem, detail))
}

/// Connects, or fails at once. Waiting for a place in a full connection queue could take forever.
pub fn connect_to_server(path: &Path, uid: u32) -> Result<UnixStream, ConnectError> {
    let seen = |path: &Path| std::fs::symlink_metadata(path).map_err(|_| ConnectError::Absent);
    let file = seen(path)?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let directory_seen = seen(directory)?;
    if let Some(why) = distrust_reason(owned(&directory_seen), uid) {
        return Err(problem("owner", format!("{} is not used: {why}", directory.display())));
    }
    if !file.file_type().is_socket() || file.uid() != uid {
        return Err(problem("owner", format!("{} is not a socket of this user", path.display())));
    }
    let address = SocketAddrUnix::new(path).map_err(|why| problem("socket", format!("{}: {why}", path.display())))?;
    let failed = |why: Errno| match why {
        Errno::NOENT => ConnectError::Absent,
        Errno::AGAIN | Errno::INPROGRESS => problem("busy", "the server accepts no more connections"),
        Errno::CONNREFUSED => problem("refused", format!("no server listens at {}", path.display())),
        why => problem("socket", format!("{}: {why}", path.display())),
    };
    let end = socket(AddressFamily::UNIX, SocketType::STREAM, None).map_err(failed)?;
    ioctl_fionbio(&end, true).map_err(failed)?;
    connect(&end, &address).map_err(failed)?;
    ioctl_fionbio(&end, false).map_err(failed)?;
    let stream = UnixStream::from(end);
    if !is_ours(peer(&stream), uid) {
        return Err(problem("owner", "the server belongs to another user"));
    }
    Ok(stream)
}

fn owned(seen: &Metadata) -> DirectoryMetadata {
    DirectoryMetadata { real: seen.is_dir(), owner: seen.uid(), mode: seen.mode() & 0o777 }
}

/// Whether the server runs as the same user. Root is not an exception. On systems that do not report the peer's
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_another_user_is_no_server() {
        for (peer, uid, ours) in [(Some(7), 7, true), (Some(0), 7, false), (Some(7), 0, false)] {
            assert_eq!(is_ours(peer, uid), ours, "{peer:?} {uid}");
        }
    }
}
