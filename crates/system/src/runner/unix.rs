//! Processes on Unix: pipes, process groups, signals.

use std::io::{self, ErrorKind, PipeReader};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Sender, channel};
use std::sync::{OnceLock, PoisonError, RwLock};

use rustix::fs::fstat;
use rustix::io::{Errno, ioctl_fionread, read};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::guardian;

/// The size of a read.
const CHUNK: usize = 16 << 10;

/// Write-locked while a process is being started.
static STARTING: RwLock<()> = RwLock::new(());

/// Writes a file that may later be executed. A process that forks in the meantime would inherit the open file until
/// its exec, and the file could not be executed ("text file busy").
pub fn with_starts_blocked<T>(write: impl FnOnce() -> T) -> T {
    let _nothing_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    write()
}

/// The process group of this program. `None` if its leader is outside the container in which the program runs.
#[allow(unsafe_code, reason = "the library has no value for a leader outside, and panics")]
pub fn own_group() -> Option<Pid> {
    // SAFETY: the call takes and returns a number.
    Pid::from_raw(unsafe { libc::getpgid(0) })
}

/// The session of this program. `None` if its leader is outside the container, as with `docker exec`.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the library has no value for a leader outside, and panics")]
pub(super) fn own_session() -> Option<Pid> {
    // SAFETY: the call takes and returns a number.
    Pid::from_raw(unsafe { libc::getsid(0) })
}

/// Keeps the open files with which hookbench was started from the hooks: an open directory outside would let a contained
/// hook write there.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no library has this call for all open files")]
pub fn keep_open_files() {
    const FIRST: libc::c_uint = 3;
    // SAFETY: the call changes a flag of files. An old system does not know it, and changes nothing.
    unsafe { libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

/// A started process.
pub(super) struct StartedProcess {
    pub child: Child,
    pub stdin: StdinPipe,
    pub stdout: OutputPipe,
    pub stderr: OutputPipe,
}

/// Starts a process as the leader of a new session and group. The returned id is that of the process and of its
/// group.
pub(super) fn start(command: Command) -> io::Result<(StartedProcess, u32)> {
    // Between fork and exec, a child holds all open file descriptors, so another hook that starts in the meantime
    // would seem to leave a process that holds its pipes. `spawn` returns after exec, and the lock is dropped last.
    let _one_at_a_time = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    // A parameter would be dropped after the lock, together with this process's copies of the child's pipe ends.
    let mut command = command;
    let (stdin_theirs, stdin) = io::pipe()?;
    let (stdout, stdout_theirs) = io::pipe()?;
    let (stderr, stderr_theirs) = io::pipe()?;
    // Everything that can fail comes before the start.
    let stdin = StdinPipe::new(stdin.into(), stdin_theirs.try_clone()?)?;
    let stdout = OutputPipe::new(stdout.into())?;
    let stderr = OutputPipe::new(stderr.into())?;
    command.stdin(stdin_theirs).stdout(stdout_theirs).stderr(stderr_theirs).kill_on_drop(true);
    detach_child(&mut command);
    let child = command.spawn().inspect_err(|_| guardian::remove_last())?;
    // The command is dropped at the end of this function, and with it the copies of the child's pipe ends.
    // Otherwise the pipes would never reach their end.
    let id = child.id().unwrap_or_default();
    Ok((StartedProcess { child, stdin, stdout, stderr }, id))
}

/// Detaches the process from the terminal: in its own session, it has no `/dev/tty` to write escape sequences to or
/// to wait for input from. The agents do the same. Also ties the life of the process to hookbench's if the system
/// supports that.
#[allow(unsafe_code, reason = "the only way to act between fork and exec; the closure only makes system calls")]
fn detach_child(command: &mut Command) {
    let (own, guardian) = (rustix::process::getpid(), guardian::pipe());
    // SAFETY: the calls are async-signal-safe, and the closure neither allocates nor locks.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            if let Some(pipe) = guardian {
                guardian::add_own_group(pipe);
            }
            die_with(own)?;
            Ok(())
        });
    }
}

/// Makes the system kill this process when the thread that started it ends, so that no hook survives even a SIGKILL
/// of hookbench.
#[cfg(target_os = "linux")]
fn die_with(parent: Pid) -> rustix::io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // The parent may have ended before the call.
    if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(Errno::SRCH) }
}

/// This system has no such feature.
#[cfg(not(target_os = "linux"))]
fn die_with(_parent: Pid) -> rustix::io::Result<()> {
    Ok(())
}

/// The pipe that a process reads from.
pub(super) struct StdinPipe {
    pipe: Option<pipe::Sender>,
    /// The read end, for counting unread bytes. It also keeps writes from failing after the process has closed its
    /// own copy.
    theirs: PipeReader,
    given: u64,
}

impl StdinPipe {
    fn new(pipe: OwnedFd, theirs: PipeReader) -> io::Result<StdinPipe> {
        Ok(StdinPipe { pipe: Some(pipe::Sender::from_owned_fd(pipe)?), theirs, given: 0 })
    }

    /// Writes everything and closes the pipe. Does not return while the pipe is full and the process does not read.
    pub async fn feed(&mut self, mut bytes: &[u8]) {
        if let Some(pipe) = &self.pipe {
            while !bytes.is_empty() && pipe.writable().await.is_ok() {
                match pipe.try_write(bytes) {
                    Ok(written) => {
                        self.given += written as u64;
                        bytes = &bytes[written..];
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    Err(_) => break,
                }
            }
        }
        self.pipe = None;
    }

    /// The number of bytes that the process, or a process that inherited its stdin, has read. Bytes in the
    /// program's own buffer count as read.
    pub fn bytes_read(&self) -> u64 {
        self.given.saturating_sub(ioctl_fionread(&self.theirs).unwrap_or(0))
    }
}

/// A pipe that a process writes to.
pub(super) struct OutputPipe {
    pipe: pipe::Receiver,
}

impl OutputPipe {
    fn new(pipe: OwnedFd) -> io::Result<OutputPipe> {
        Ok(OutputPipe { pipe: pipe::Receiver::from_owned_fd(pipe)? })
    }

    /// Reads until all writers have closed the pipe.
    pub async fn pump(&mut self, sink: impl Fn(&[u8])) {
        let mut chunk = vec![0; CHUNK];
        while self.pipe.readable().await.is_ok() {
            match self.pipe.try_read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => sink(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => break,
            }
        }
    }

    /// Reads the bytes that are in the pipe now, and no more even if a process keeps writing. Returns true if a
    /// process still holds the other end.
    #[allow(clippy::unused_async, reason = "the same interface as on systems where this has to wait")]
    pub async fn drain(&mut self, sink: impl Fn(&[u8])) -> bool {
        let mut chunk = vec![0; CHUNK];
        let mut left = ioctl_fionread(&self.pipe).unwrap_or(0);
        loop {
            // Reads directly, because the runtime may not have noticed yet that the pipe is readable.
            match read(&self.pipe, &mut chunk) {
                Ok(0) => return false,
                Ok(count) => {
                    sink(&chunk[..count]);
                    // Only a read from an empty pipe can distinguish its end from a pause.
                    if left == 0 {
                        return true;
                    }
                    left = left.saturating_sub(count as u64);
                }
                Err(Errno::INTR) => {}
                Err(error) => return error == Errno::AGAIN,
            }
        }
    }

    /// The name of the pipe in `/proc`.
    pub fn name(&self) -> String {
        fstat(&self.pipe).map_or_else(|_| String::new(), |stat| format!("pipe:[{}]", stat.st_ino))
    }
}

/// Adds the arguments.
pub(super) fn add_arguments(command: &mut Command, args: &[String]) {
    command.args(args);
}

/// The group has ended.
pub(super) fn forget_group(id: u32) {
    guardian::remove(id);
}

/// Sends SIGTERM. Returns true because this system supports it.
pub(super) fn terminate_group(id: u32) -> bool {
    signal(id, Signal::TERM);
    true
}

/// Sends SIGKILL.
pub(super) fn kill_group(id: u32) {
    signal(id, Signal::KILL);
}

/// Removes a child that has ended.
pub(super) fn reap_process(id: u32) {
    if let Some(child) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // It may be the child of another process by now.
        let _ = rustix::process::waitpid(Some(child), rustix::process::WaitOptions::NOHANG);
    }
}

/// Removes what has ended in a group whose leader was waited for: processes that lost their parent and are children of
/// hookbench.
pub(super) fn reap_group(id: u32) {
    use rustix::process::{WaitOptions, waitpgid};
    let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return };
    while let Ok(Some(_)) = waitpgid(group, WaitOptions::NOHANG) {}
}

/// Sends SIGKILL to one process.
pub(super) fn kill_process(id: u32) {
    let process = i32::try_from(id).ok().and_then(Pid::from_raw).filter(|pid| pid.as_raw_nonzero().get() > 1);
    if let Some(process) = process {
        // It may have ended in the meantime.
        let _ = rustix::process::kill_process(process, Signal::KILL);
    }
}

/// Whether the group has any process, including zombies.
pub(super) fn group_exists(id: u32) -> bool {
    // A permission error means that the group exists.
    group(id).is_some_and(|group| test_kill_process_group(group) != Err(Errno::SRCH))
}

fn signal(id: u32, signal: Signal) {
    if let Some(group) = group(id) {
        // The group may have ended in the meantime.
        let _ = kill_process_group(group, signal);
    }
}

/// Group 0 is hookbench's own group, and group 1 addresses all processes: neither may be signalled.
fn group(id: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(id).ok()?).filter(|pid| pid.as_raw_nonzero().get() > 1)
}

type StartTask = Box<dyn FnOnce() + Send>;

static STARTER: OnceLock<Option<Sender<StartTask>>> = OnceLock::new();

/// Starts a process on that thread, inside the caller's runtime. Dropping the future drops what is started.
pub(super) async fn on_starter<T: Send + 'static>(
    start: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let gone = || io::Error::other("the thread that starts processes has ended");
    let runtime = Handle::current();
    let (tell, told) = oneshot::channel();
    let work = Box::new(move || {
        let _inside = runtime.enter();
        let _ = tell.send(start());
    });
    let starter = STARTER.get_or_init(begin).as_ref().ok_or_else(gone)?;
    starter.send(work).map_err(|_| gone())?;
    told.await.map_err(|_| gone())?
}

fn begin() -> Option<Sender<StartTask>> {
    let (sender, works) = channel::<StartTask>();
    let run = move || works.into_iter().for_each(|work| work());
    std::thread::Builder::new().name("starter".to_owned()).spawn(run).ok()?;
    Some(sender)
}
