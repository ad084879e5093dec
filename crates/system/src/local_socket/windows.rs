//! The named pipe, which only its owner can open. Its name is the lock: the first one to create it serves.

#![allow(unsafe_code, reason = "the rights of a pipe are a pointer")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeServer, PipeMode, ServerOptions};
use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_FILE_NOT_FOUND, ERROR_PIPE_BUSY, HANDLE};
use windows_sys::Win32::Storage::FileSystem::SECURITY_IDENTIFICATION;

use super::error::{ConnectError, ServeError};
use crate::windows_user::{self, OwnerOnly};

/// The longest name of a pipe, with its beginning.
const MAX_NAME: usize = 256;
const BEGINNING: &str = r"\\.\pipe\";
/// How often, and after which pause, a connection is tried again while the server makes room for it.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// A connection that is read and written without a runtime.
pub type LocalStream = File;
/// A connection in a runtime.
pub type AsyncStream = Box<dyn AsyncConnection>;

/// Both ends of a pipe, which have different types.
pub trait AsyncConnection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> AsyncConnection for T {}

/// Connects, or fails soon.
///
/// # Errors
/// Returns an error if no server of this user listens there.
pub fn connect(path: &Path) -> Result<LocalStream, ConnectError> {
    check_path(path)?;
    for _ in 0..TRIES {
        // A server of another user may learn who asks, and nothing more.
        match OpenOptions::new().read(true).write(true).security_qos_flags(SECURITY_IDENTIFICATION).open(path) {
            Ok(pipe) => return check_owner(pipe.as_raw_handle()).map(|()| pipe),
            Err(why) if is(&why, ERROR_PIPE_BUSY) => std::thread::sleep(PAUSE),
            Err(why) => return Err(connect_error(why)),
        }
    }
    Err(ConnectError::Busy)
}

pub(super) async fn connect_async(path: &Path) -> Result<AsyncStream, ConnectError> {
    check_path(path)?;
    for _ in 0..TRIES {
        match ClientOptions::new().open(path) {
            Ok(pipe) => {
                check_owner(pipe.as_raw_handle())?;
                return Ok(Box::new(pipe));
            }
            Err(why) if is(&why, ERROR_PIPE_BUSY) => tokio::time::sleep(PAUSE).await,
            Err(why) => return Err(connect_error(why)),
        }
    }
    Err(ConnectError::Busy)
}

fn is(why: &io::Error, code: u32) -> bool {
    why.raw_os_error() == i32::try_from(code).ok()
}

fn connect_error(why: io::Error) -> ConnectError {
    if is(&why, ERROR_FILE_NOT_FOUND) {
        ConnectError::Absent
    } else if is(&why, ERROR_ACCESS_DENIED) {
        ConnectError::Untrusted("the server belongs to another user".to_owned())
    } else {
        ConnectError::Other(why)
    }
}

/// Another user can create a pipe of this name first, so its owner is checked before anything is sent.
fn check_owner(pipe: HANDLE) -> Result<(), ConnectError> {
    let (owner, user) = (windows_user::owner(pipe), windows_user::user());
    match (owner, user) {
        (Ok(owner), Ok(user)) if owner == user => Ok(()),
        (Ok(_), Ok(_)) => Err(ConnectError::Untrusted("the server belongs to another user".to_owned())),
        (Err(why), _) | (_, Err(why)) => Err(ConnectError::Other(why)),
    }
}

/// The reason why events are not sent to a pipe, if there is one. The owner is known only of an open pipe.
pub fn distrust(path: &Path) -> io::Result<Option<String>> {
    match connect(path) {
        Err(ConnectError::Untrusted(why)) => Ok(Some(why)),
        Err(ConnectError::Absent) => Err(io::ErrorKind::NotFound.into()),
        _ => Ok(None),
    }
}

/// Refuses a file, and a pipe of another machine: events are not sent there.
fn check_path(path: &Path) -> Result<(), ConnectError> {
    let not_a_pipe = || format!("{} is not the path of a pipe, which begins with {BEGINNING}", path.display());
    if is_pipe(path) { Ok(()) } else { Err(ConnectError::Untrusted(not_a_pipe())) }
}

fn is_pipe(path: &Path) -> bool {
    let name = path.to_str().and_then(|path| path.strip_prefix(BEGINNING));
    name.is_some_and(|name| !name.is_empty() && !name.contains(['\\', '/']))
}

/// The process of the server at a path, whose number is not known. `None` without a server.
pub fn server_at(socket: &Path) -> Option<Option<u32>> {
    match connect(socket) {
        Err(ConnectError::Absent | ConnectError::Other(_)) => None,
        _ => Some(None),
    }
}

/// The exclusive right to serve at a path. The pipe ends with its listener.
#[derive(Debug)]
pub struct ClaimedSocket;

impl ClaimedSocket {
    /// Creates the pipe. Must be called in a tokio runtime.
    ///
    /// # Errors
    /// Returns an error if a server is already running there, or if the path cannot be used.
    pub fn claim(socket: &Path) -> Result<(ClaimedSocket, LocalListener), ServeError> {
        let at = |why| ServeError::File { path: socket.to_owned(), why };
        if !is_pipe(socket) {
            return Err(at(io::Error::other(format!("the path of a pipe begins with {BEGINNING}"))));
        }
        let length = socket.as_os_str().len();
        if length > MAX_NAME {
            return Err(ServeError::LongPath { socket: socket.to_owned(), length });
        }
        let held = || ServeError::Held { socket: socket.to_owned(), pid: None };
        // Wine lets a second program create an end of a pipe as if it were the first.
        if server_at(socket).is_some() {
            return Err(held());
        }
        match create(socket, true) {
            Ok(next) => Ok((ClaimedSocket, LocalListener { path: socket.to_owned(), next })),
            Err(why) if is(&why, ERROR_ACCESS_DENIED) => Err(held()),
            Err(why) => Err(at(why)),
        }
    }
}

/// Creates one end of the pipe, to which one client can connect.
fn create(path: &Path, is_first: bool) -> io::Result<NamedPipeServer> {
    let rights = OwnerOnly::new()?;
    let mut options = ServerOptions::new();
    options.first_pipe_instance(is_first).pipe_mode(PipeMode::Byte).reject_remote_clients(true);
    // SAFETY: the rights are alive during the call.
    unsafe { options.create_with_security_attributes_raw(path, rights.attributes().cast_mut().cast()) }
}

/// Listens for connections.
#[derive(Debug)]
pub struct LocalListener {
    path: PathBuf,
    /// The end to which the next client connects. There is always one, so that the name stays taken.
    next: NamedPipeServer,
}

impl LocalListener {
    /// Waits for a connection. Those of other users are refused by the system.
    ///
    /// # Errors
    /// Returns an error such as too many open handles, after which it can be called again.
    pub async fn accept(&mut self) -> io::Result<Option<AsyncStream>> {
        let connected = self.next.connect().await;
        let next = create(&self.path, false)?;
        let stream = std::mem::replace(&mut self.next, next);
        // The client may have gone already.
        connected.map(|()| Some(Box::new(stream) as AsyncStream))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn a_pipe_is_claimed_once_and_answers_each_client() {
        let path = PathBuf::from(format!(r"{BEGINNING}hookbench-test-{}", std::process::id()));
        assert!(matches!(connect(&path), Err(ConnectError::Absent)));
        assert_eq!(server_at(&path), None);
        let (_claim, mut listener) = ClaimedSocket::claim(&path).unwrap();
        assert!(matches!(ClaimedSocket::claim(&path), Err(ServeError::Held { .. })));
        for question in ["a", "b"] {
            let to = path.clone();
            let client = tokio::task::spawn_blocking(move || {
                let mut pipe = connect(&to).unwrap();
                pipe.write_all(question.as_bytes()).unwrap();
                let mut answer = String::new();
                pipe.read_to_string(&mut answer).ok();
                answer
            });
            let mut byte = [0; 1];
            // The claim above has connected, too, and is gone.
            let mut stream = loop {
                if let Ok(Some(mut stream)) = listener.accept().await
                    && stream.read_exact(&mut byte).await.is_ok()
                {
                    break stream;
                }
            };
            stream.write_all(&[byte[0], b'!']).await.unwrap();
            drop(stream);
            assert_eq!(client.await.unwrap(), format!("{question}!"));
        }
        for path in ["C:/x", r"\\elsewhere\pipe\x", BEGINNING] {
            let path = Path::new(path);
            assert!(matches!(connect(path), Err(ConnectError::Untrusted(_))), "{}", path.display());
            assert!(matches!(ClaimedSocket::claim(path), Err(ServeError::File { .. })), "{}", path.display());
        }
    }
}
