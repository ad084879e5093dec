//! Processes on Windows. Each hook runs in a job, which ends with everything that it has started. Not known: how much of its
//! stdin a process has read, and which process holds a pipe. Nothing asks a process to end, as SIGTERM does elsewhere.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

use crate::windows_job::{ProcessJob, START_FLAGS};

/// The size of a read.
const CHUNK: usize = 16 << 10;
/// If nothing arrives for this time, the pipe counts as drained.
const PAUSE: Duration = Duration::from_millis(50);

/// The number of the next job. Windows may give the number of a process to another one while the job goes on.
static NEXT: AtomicU32 = AtomicU32::new(1);
/// The jobs of the hooks.
static JOBS: Mutex<BTreeMap<u32, ProcessJob>> = Mutex::new(BTreeMap::new());

fn jobs() -> MutexGuard<'static, BTreeMap<u32, ProcessJob>> {
    JOBS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A started process.
pub(super) struct StartedProcess {
    pub child: Child,
    pub stdin: StdinPipe,
    pub stdout: OutputPipe,
    pub stderr: OutputPipe,
}

/// Starts a process. Any thread can do it here.
#[allow(clippy::unused_async, reason = "the same interface as on systems where one thread starts every process")]
pub(super) async fn on_starter<T>(start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    start()
}

/// Starts a process in a job. The returned id names the job.
pub(super) fn start(mut command: Command) -> io::Result<(StartedProcess, u32)> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let job = ProcessJob::new()?;
    let mut child = command.creation_flags(START_FLAGS).spawn()?;
    job.admit(child.raw_handle().ok_or(io::ErrorKind::NotFound)?.cast())?;
    let stdin = StdinPipe { pipe: child.stdin.take(), given: 0 };
    let stdout = OutputPipe::new(child.stdout.take());
    let stderr = OutputPipe::new(child.stderr.take());
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    jobs().insert(id, job);
    Ok((StartedProcess { child, stdin, stdout, stderr }, id))
}

/// Adds the arguments. `cmd /s /c` runs the rest of the command line, between two quotes, and does not know the usual way
/// to quote.
pub(super) fn add_arguments(command: &mut Command, args: &[String]) {
    let program = Path::new(command.as_std().get_program());
    let is_cmd = program.file_stem().is_some_and(|name| name.eq_ignore_ascii_case("cmd"));
    match args {
        [flags @ .., text] if is_cmd && flags.iter().any(|flag| flag.eq_ignore_ascii_case("/s")) => {
            command.args(flags).raw_arg(OsString::from(format!("\"{text}\"")));
        }
        _ => _ = command.args(args),
    }
}

/// The pipe that a process reads from.
pub(super) struct StdinPipe {
    pipe: Option<ChildStdin>,
    given: u64,
}

impl StdinPipe {
    /// Writes everything and closes the pipe. Does not return while the pipe is full and the process does not read.
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

    /// The number of bytes written to the pipe, including unread ones.
    pub fn bytes_read(&self) -> u64 {
        self.given
    }
}

/// A pipe that a process writes to.
pub(super) struct OutputPipe {
    pipe: Option<Box<dyn AsyncRead + Send + Unpin>>,
}

impl OutputPipe {
    fn new(pipe: Option<impl AsyncRead + Send + Unpin + 'static>) -> OutputPipe {
        OutputPipe { pipe: pipe.map(|pipe| Box::new(pipe) as Box<dyn AsyncRead + Send + Unpin>) }
    }

    /// Reads until all writers have closed the pipe.
    pub async fn pump(&mut self, sink: impl Fn(&[u8])) {
        let mut chunk = vec![0; CHUNK];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut chunk).await {
                Ok(0) | Err(_) => self.pipe = None,
                Ok(count) => sink(&chunk[..count]),
            }
        }
    }

    /// Reads until nothing arrives for a moment. Returns true if a process still holds the other end.
    pub async fn drain(&mut self, sink: impl Fn(&[u8])) -> bool {
        timeout(PAUSE, self.pump(sink)).await.is_err()
    }

    /// Pipes have no names on Windows.
    pub fn name(&self) -> String {
        String::new()
    }
}

/// Nothing asks a process to end here.
pub(super) fn terminate_group(_: u32) -> bool {
    false
}

/// Ends all processes of a job.
pub(super) fn kill_group(id: u32) {
    if let Some(job) = jobs().get(&id) {
        job.kill();
    }
}

/// Whether a process of a job is running.
pub(super) fn group_exists(id: u32) -> bool {
    jobs().get(&id).is_some_and(ProcessJob::is_alive)
}

/// Forgets a job, which ends its processes.
pub(super) fn forget_group(id: u32) {
    jobs().remove(&id);
}

/// Writes a file that may later be executed. On Windows, processes do not inherit it.
pub fn with_starts_blocked<T>(write: impl FnOnce() -> T) -> T {
    write()
}

/// Ended processes need no removal.
pub(super) fn reap_process(_id: u32) {}

/// Has no child of such a kind on this system.
pub(super) fn reap_group(_id: u32) {}

/// There is no `/proc` in which hookbench would have found the process.
pub(super) fn kill_process(_id: u32) {}
