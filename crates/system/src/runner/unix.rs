//! Processes on Unix: pipes of our own making, process groups, signals.

use std::io::{self, ErrorKind, PipeReader};
use std::os::fd::OwnedFd;
use std::sync::{PoisonError, RwLock};

use rustix::fs::fstat;
use rustix::io::{Errno, ioctl_fionread, read};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};

/// Read at once, always.
const CHUNK: usize = 16 << 10;

/// Held for writing while a process is being started.
static STARTING: RwLock<()> = RwLock::new(());

/// Writes a file that may be started later. A process that is born meanwhile would keep it open for writing until it is the
/// program that it is to be, and as long as somebody has it so nobody can start it ("text file busy").
pub fn while_nothing_starts<T>(write: impl FnOnce() -> T) -> T {
    let _nothing_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    write()
}

/// A process that has been started.
pub(super) struct Started {
    pub child: Child,
    pub stdin: Input,
    pub stdout: Output,
    pub stderr: Output,
}

/// Starts a process as the leader of a session and a group of its own. The number is its own and its group's.
pub(super) fn start(command: Command) -> io::Result<(Started, u32)> {
    super::starter::have_started(move || start_here(command))
}

fn start_here(command: Command) -> io::Result<(Started, u32)> {
    // Between fork and exec a child holds everything that we have open: a hook that is started meanwhile would seem to
    // have left somebody behind who holds its pipes. `spawn` returns after exec, and dropped last is the lock.
    let _one_at_a_time = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    // A parameter would be dropped after the lock, and with it our copies of the child's ends.
    let mut command = command;
    let (stdin_theirs, stdin) = io::pipe()?;
    let (stdout, stdout_theirs) = io::pipe()?;
    let (stderr, stderr_theirs) = io::pipe()?;
    // Everything that can fail comes before the start.
    let stdin = Input::new(stdin.into(), stdin_theirs.try_clone()?)?;
    let stdout = Output::new(stdout.into())?;
    let stderr = Output::new(stderr.into())?;
    command.stdin(stdin_theirs).stdout(stdout_theirs).stderr(stderr_theirs).kill_on_drop(true);
    settle_child(&mut command);
    let child = command.spawn()?;
    // The command goes with this function, and with it our copies of the child's ends: or else no pipe would ever end.
    let id = child.id().unwrap_or_default();
    Ok((Started { child, stdin, stdout, stderr }, id))
}

/// Takes our terminal away from the process: in a session of its own there is no `/dev/tty` to write escape sequences
/// to, and none to wait for input from. The agents do the same. And ties its life to ours, where the system can.
#[allow(unsafe_code, reason = "the only way to act between fork and exec; the closure only makes system calls")]
fn settle_child(command: &mut Command) {
    let own = rustix::process::getpid();
    // SAFETY: the calls are async-signal-safe, and the closure neither allocates nor locks.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            die_with(own)?;
            Ok(())
        });
    }
}

/// Has the system end this process when the thread that has started it ends: even SIGKILL to us leaves no hook behind.
#[cfg(target_os = "linux")]
fn die_with(parent: Pid) -> rustix::io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have ended before that.
    if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(Errno::SRCH) }
}

/// Nothing of the kind is known of this system.
#[cfg(not(target_os = "linux"))]
fn die_with(_parent: Pid) -> rustix::io::Result<()> {
    Ok(())
}

/// The pipe that a process reads from.
pub(super) struct Input {
    pipe: Option<pipe::Sender>,
    /// The other end, to see how much lies unread. It also keeps writes from failing when the process has closed its
    /// own, which nobody needs to know.
    theirs: PipeReader,
    given: u64,
}

impl Input {
    fn new(pipe: OwnedFd, theirs: PipeReader) -> io::Result<Input> {
        Ok(Input { pipe: Some(pipe::Sender::from_owned_fd(pipe)?), theirs, given: 0 })
    }

    /// Writes everything and closes the pipe. Never ends when nobody reads.
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

    /// How many bytes were taken out of the pipe so far, by the process or by whoever inherited its stdin. What a
    /// program reads ahead into a buffer of its own counts.
    pub fn taken(&self) -> u64 {
        self.given.saturating_sub(ioctl_fionread(&self.theirs).unwrap_or(0))
    }
}

/// A pipe that a process writes to.
pub(super) struct Output {
    pipe: pipe::Receiver,
}

impl Output {
    fn new(pipe: OwnedFd) -> io::Result<Output> {
        Ok(Output { pipe: pipe::Receiver::from_owned_fd(pipe)? })
    }

    /// Reads until everybody has closed it.
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

    /// Reads what is in the pipe at this moment, and no more even if somebody keeps writing. True: somebody still
    /// holds the other end.
    #[allow(clippy::unused_async, reason = "the same interface as on systems where this has to wait")]
    pub async fn drain(&mut self, sink: impl Fn(&[u8])) -> bool {
        let mut chunk = vec![0; CHUNK];
        let mut left = ioctl_fionread(&self.pipe).unwrap_or(0);
        loop {
            // Straight from the system: the runtime may not have noticed yet that there is something to read.
            match read(&self.pipe, &mut chunk) {
                Ok(0) => return false,
                Ok(count) => {
                    sink(&chunk[..count]);
                    // The read that finds nothing left is the one that tells an end from a pause.
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

    /// How `/proc` names the pipe.
    pub fn name(&self) -> String {
        fstat(&self.pipe).map_or_else(|_| String::new(), |stat| format!("pipe:[{}]", stat.st_ino))
    }
}

/// SIGTERM. True: it can be asked to end at all.
pub(super) fn terminate_group(id: u32) -> bool {
    signal(id, Signal::TERM);
    true
}

/// SIGKILL.
pub(super) fn kill_group(id: u32) {
    signal(id, Signal::KILL);
}

/// Whether anything has this group, be it alive or not reaped yet.
pub(super) fn group_exists(id: u32) -> bool {
    // Not being permitted to signal it means that it is there.
    group(id).is_some_and(|group| test_kill_process_group(group) != Err(Errno::SRCH))
}

fn signal(id: u32, signal: Signal) {
    if let Some(group) = group(id) {
        // It may have ended meanwhile.
        let _ = kill_process_group(group, signal);
    }
}

/// Group 0 is our own and group 1 everybody's: never these.
fn group(id: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(id).ok()?).filter(|pid| pid.as_raw_nonzero().get() > 1)
}
