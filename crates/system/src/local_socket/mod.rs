//! The place where agents and the server of this user meet: a Unix socket in a directory that is the user's own, or a named
//! pipe that only the user can open. Both ends check that the other one is the same user.

mod error;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;
use std::path::Path;

use hookbench_core::live::SocketDirectories;

use crate::own_directories::text_variable;
use crate::owner_only::user_id;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub use error::{ConnectError, ServeError};
pub use platform::{AsyncStream, ClaimedSocket, LocalListener, LocalStream, connect, distrust, server_at};

/// The inputs of the default path of the socket, from the environment of this process.
pub fn socket_directories() -> SocketDirectories {
    SocketDirectories {
        runtime: text_variable("XDG_RUNTIME_DIR"),
        temporary: text_variable("TMPDIR"),
        mac: cfg!(target_os = "macos"),
        // The name distinguishes users and proves nothing: both ends check who owns the pipe.
        pipes_of: cfg!(windows).then(|| text_variable("USERNAME").unwrap_or_else(|| "user".to_owned())),
        uid: user_id(),
    }
}

/// Connects without a runtime to wait in, and continues in one.
pub async fn connect_async(path: &Path) -> io::Result<AsyncStream> {
    platform::connect_async(path).await.map_err(|why| match why {
        ConnectError::Untrusted(why) => io::Error::new(io::ErrorKind::PermissionDenied, why),
        ConnectError::Absent => io::Error::new(io::ErrorKind::NotFound, "no server was started"),
        ConnectError::Refused => io::Error::new(io::ErrorKind::ConnectionRefused, "no server listens there"),
        ConnectError::Busy => io::Error::new(io::ErrorKind::WouldBlock, "the server accepts no more connections"),
        ConnectError::Other(why) => why,
    })
}
