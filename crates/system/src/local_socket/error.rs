//! Errors of a client that does not connect, and of a server that does not start.

use std::io;
use std::path::PathBuf;

use hookbench_core::live::MAX_SOCKET_PATH;

/// The reason why a client does not connect.
#[derive(Debug)]
pub enum ConnectError {
    /// No server was started, which is normal.
    Absent,
    /// A server has left its socket there.
    Refused,
    /// The server accepts no more connections.
    Busy,
    /// A sentence: the socket, or the server, may be another user's.
    Untrusted(String),
    Other(io::Error),
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
    File { path: PathBuf, why: io::Error },
}
