//! Processes on Windows: enough to run a hook. What is missing: process groups (job objects), so only the hook itself is
//! ended and nobody is told who outlived it; asking a process to end; how much of its stdin a process has taken.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

/// Read at once, always.
const CHUNK: usize = 16 << 10;
/// Nothing new for so long: what was in the pipe has been read.
const PAUSE: Duration = Duration::from_millis(50);

/// A process that has been started.
pub(super) struct Started {
    pub child: Child,
    pub stdin: Input,
    pub stdout: Output,
    pub stderr: Output,
}

/// Starts a process.
pub(super) fn start(mut command: Command) -> io::Result<(Started, u32)> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let stdin = Input { pipe: child.stdin.take(), given: 0 };
    let stdout = Output::new(child.stdout.take());
    let stderr = Output::new(child.stderr.take());
    let id = child.id().unwrap_or_default();
    Ok((Started { child, stdin, stdout, stderr }, id))
}

/// The pipe that a process reads from.
pub(super) struct Input {
    pipe: Option<ChildStdin>,
    given: u64,
}

impl Input {
    /// Writes everything and closes the pipe. Never ends when nobody reads.
    pub async fn feed(&mut self, mut bytes: &[u8]) {
        if let Some(pipe) = &mut self.pipe {
            while !bytes.is_empty() {
                match pipe.write(bytes).await {
                    Ok(0) | Err(_) => break,
                    Ok(written) => {
                        self.given += written as u64;
                        bytes = &bytes[written..];
                    }
                }
            }
        }
        self.pipe = None;
    }

    /// How many bytes went into the pipe; some of them may lie there unread.
    pub fn taken(&self) -> u64 {
        self.given
    }
}

/// A pipe that a process writes to.
pub(super) struct Output {
    pipe: Option<Box<dyn AsyncRead + Send + Unpin>>,
}

impl Output {
    fn new(pipe: Option<impl AsyncRead + Send + Unpin + 'static>) -> Output {
        Output { pipe: pipe.map(|pipe| Box::new(pipe) as Box<dyn AsyncRead + Send + Unpin>) }
    }

    /// Reads until everybody has closed it.
    pub async fn pump(&mut self, sink: impl Fn(&[u8])) {
        let mut chunk = vec![0; CHUNK];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut chunk).await {
                Ok(0) | Err(_) => self.pipe = None,
                Ok(count) => sink(&chunk[..count]),
            }
        }
    }

    /// Reads what is in the pipe until nothing comes for a moment. True: somebody still holds the other end.
    pub async fn drain(&mut self, sink: impl Fn(&[u8])) -> bool {
        timeout(PAUSE, self.pump(sink)).await.is_err()
    }

    /// Pipes have no names here.
    pub fn name(&self) -> String {
        String::new()
    }
}

/// There is no such thing.
pub(super) fn terminate_group(_: u32) -> bool {
    false
}

/// There are no groups; the process itself is ended by its supervisor.
pub(super) fn kill_group(_: u32) {}

/// There are no groups.
pub(super) fn group_exists(_: u32) -> bool {
    false
}

/// Writes a file that may be started later. Nobody inherits it here.
pub fn while_nothing_starts<T>(write: impl FnOnce() -> T) -> T {
    write()
}
