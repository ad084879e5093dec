//! Feeds and reads a process without threads: `poll` waits for its pipes and for signals.

use std::io::{ErrorKind, Read, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use std::sync::mpsc;

use super::process::{ChildOutput, ChildProcess, ThreadEnd};
use hookbench_core::run::{Exit, FinishCondition};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::SigId;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);

/// Wakes the loop when the process ends, and when a signal ends this program.
pub(crate) struct SignalPipes {
    child_ended: UnixStream,
    program_ended: UnixStream,
    registered: Vec<SigId>,
}

impl SignalPipes {
    /// Catches the signals of this program until the value is dropped.
    ///
    /// # Errors
    /// Returns an error if the system has no more pipes.
    pub fn open() -> std::io::Result<SignalPipes> {
        let mut registered = Vec::new();
        let mut pipe = |signals: &[i32]| -> std::io::Result<UnixStream> {
            let (read, write) = UnixStream::pair()?;
            read.set_nonblocking(true)?;
            for signal in signals {
                registered.push(signal_hook::low_level::pipe::register(*signal, write.try_clone()?)?);
            }
            Ok(read)
        };
        let (child_ended, program_ended) = (pipe(&[SIGCHLD])?, pipe(&[SIGTERM, SIGINT, SIGHUP])?);
        Ok(SignalPipes { child_ended, program_ended, registered })
    }
}

impl SignalPipes {
    /// Waits until the time is up or a signal ends this program. Returns whether a signal did.
    pub fn wait(&self, limit: Duration) -> bool {
        self.wait_with(limit, None)
    }

    /// Does the work in a thread, and waits for its result. A thread that is late is left behind.
    pub fn wait_for<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> ThreadEnd<T> {
        let Ok((done, waker)) = UnixStream::pair() else { return ThreadEnd::NoPipes };
        let (sender, result) = mpsc::channel();
        std::thread::spawn(move || {
            // The receiver may have given up.
            let _ = sender.send(work());
            drop(waker);
        });
        if self.wait_with(limit, Some(&done)) {
            return ThreadEnd::Signal;
        }
        result.try_recv().map_or(ThreadEnd::Late, ThreadEnd::Result)
    }

    /// Waits as `wait` does, or until the stream can be read.
    fn wait_with(&self, limit: Duration, also: Option<&UnixStream>) -> bool {
        let deadline = Instant::now().checked_add(limit);
        let mut fds: Vec<PollFd<'_>> = [Some(&self.program_ended), also]
            .into_iter()
            .flatten()
            .map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN))
            .collect();
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            // Other signals interrupt the wait, for example that of a child of another thread.
            if poll(&mut fds, left.as_ref()) != Err(Errno::INTR) {
                return has_arrived(&self.program_ended);
            }
        }
    }
}

impl Drop for SignalPipes {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// Whether a byte arrived since the last call.
fn has_arrived(mut pipe: &UnixStream) -> bool {
    let mut bytes = [0; 16];
    let mut arrived = false;
    while pipe.read(&mut bytes).is_ok_and(|count| count > 0) {
        arrived = true;
    }
    arrived
}

impl ChildProcess<'_> {
    /// Runs the process to its end. `meanwhile` is called once it has started.
    pub fn run(mut self, signals: &SignalPipes, meanwhile: impl FnOnce()) -> std::io::Result<ChildOutput> {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if self.has_own_session {
            start_session(&mut self.command);
        }
        let deadline = self.limit.map(|limit| Instant::now() + limit);
        let child = RunningChild::of(self.command.spawn()?, self.keep, self.has_own_session)?;
        Ok(child.finish(&self, deadline, signals, meanwhile))
    }
}

/// Makes the process the leader of a session, without a terminal to ask on, and lets it end with the thread that starts it.
#[allow(unsafe_code, reason = "the only way to act between fork and exec; the closure only makes system calls")]
fn start_session(command: &mut Command) {
    let own = rustix::process::getpid();
    // SAFETY: the calls are async-signal-safe, and the closure neither allocates nor locks.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            end_with(own)?;
            Ok(())
        });
    }
}

#[cfg(target_os = "linux")]
fn end_with(parent: Pid) -> rustix::io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // The parent may have ended before the call.
    if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(rustix::io::Errno::SRCH) }
}

#[cfg(not(target_os = "linux"))]
fn end_with(_parent: Pid) -> rustix::io::Result<()> {
    Ok(())
}

/// Returns the child to its parent, and nothing to the child, which has the parent's rights: a new program would not. Only
/// while no other thread runs.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no library has this call")]
pub(crate) fn fork() -> std::io::Result<Option<Pid>> {
    // SAFETY: no other thread runs, so the child may do everything.
    match unsafe { libc::fork() } {
        -1 => Err(std::io::Error::last_os_error()),
        child => Ok(Pid::from_raw(child)),
    }
}

/// Ends this process if a signal ended the other one, by the same signal.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no library has these calls")]
pub(crate) fn end_like(status: std::process::ExitStatus) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let Some(signal) = status.signal() else { return };
    // The other one has left a core dump, if any.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    set_action(signal, libc::SIG_DFL);
    let mut only = std::mem::MaybeUninit::uninit();
    // SAFETY: the first call fills the set.
    unsafe {
        libc::sigemptyset(only.as_mut_ptr());
        libc::sigaddset(only.as_mut_ptr(), signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, only.as_ptr(), std::ptr::null_mut());
        libc::raise(signal);
    }
}

/// Lets a signal have its default action, or none.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no library has this call without a handler")]
pub(crate) fn set_action(signal: i32, action: libc::sighandler_t) {
    // SAFETY: the signal gets no handler.
    unsafe { libc::signal(signal, action) };
}

/// One output stream of the process.
struct OutputStream<R> {
    pipe: Option<R>,
    kept: Vec<u8>,
    keep: usize,
}

impl<R: Read + AsFd> OutputStream<R> {
    fn of(pipe: Option<R>, keep: usize) -> std::io::Result<OutputStream<R>> {
        if let Some(pipe) = &pipe {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(OutputStream { pipe, kept: Vec::new(), keep })
    }

    /// Reads what is there. Bytes above the limit are dropped.
    fn read(&mut self) {
        let mut bytes = [0; 8 * 1024];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut bytes) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    let room = self.keep.saturating_sub(self.kept.len());
                    self.kept.extend_from_slice(&bytes[..count.min(room)]);
                }
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) if why.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }
}

/// A process that was started.
struct RunningChild {
    child: Child,
    stdout: OutputStream<std::process::ChildStdout>,
    stderr: OutputStream<std::process::ChildStderr>,
    has_own_session: bool,
}

impl RunningChild {
    fn of(mut child: Child, keep: usize, has_own_session: bool) -> std::io::Result<RunningChild> {
        let stdout = OutputStream::of(child.stdout.take(), keep)?;
        let stderr = OutputStream::of(child.stderr.take(), keep)?;
        if let Some(stdin) = &child.stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        Ok(RunningChild { child, stdout, stderr, has_own_session })
    }

    fn finish(
        mut self,
        process: &ChildProcess<'_>,
        deadline: Option<Instant>,
        signals: &SignalPipes,
        meanwhile: impl FnOnce(),
    ) -> ChildOutput {
        let mut rest = process.stdin;
        self.write(&mut rest);
        meanwhile();
        let mut kill_at: Option<Instant> = None;
        let mut ended = None;
        let mut is_late = false;
        loop {
            self.write(&mut rest);
            self.stdout.read();
            self.stderr.read();
            if ended.is_none() && has_arrived(&signals.child_ended) {
                ended = self.child.try_wait().ok().flatten();
            }
            if kill_at.is_none() && has_arrived(&signals.program_ended) {
                kill_at = Some(Instant::now() + GRACE);
                self.signal(Signal::TERM);
            }
            let is_closed = self.stdout.pipe.is_none() && self.stderr.pipe.is_none();
            let is_over =
                ended.is_some() && (is_closed || kill_at.is_some() || process.finish == FinishCondition::AtExit);
            if is_over {
                break;
            }
            let first = [kill_at, deadline].into_iter().flatten().min();
            let wait = first.map(|at| at.saturating_duration_since(Instant::now()));
            if wait == Some(Duration::ZERO) {
                is_late = kill_at.is_none();
                self.signal(Signal::KILL);
                ended = self.child.wait().ok();
                break;
            }
            self.wait(!rest.is_empty(), signals, wait);
        }
        self.stdout.read();
        self.stderr.read();
        if self.has_own_session {
            // What the process left behind.
            self.signal(Signal::KILL);
        }
        let exit = match ended.map(|status| (status.code(), status.signal())) {
            _ if is_late => Exit::TimedOut { after: process.limit.unwrap_or_default() },
            Some((Some(code), _)) => Exit::Code(code),
            Some((None, Some(signal))) => Exit::Signal(signal),
            _ => Exit::Code(1),
        };
        let killed_by_caller = kill_at.and_then(|_| u8::try_from(128 + SIGTERM).ok());
        ChildOutput { exit, stdout: self.stdout.kept, stderr: self.stderr.kept, killed_by_caller }
    }

    /// Signals the process, or its whole session. An empty session has no process to signal: its id is not reused
    /// before this returns, because ids are given in turn.
    fn signal(&self, signal: Signal) {
        let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) else { return };
        let _ = if self.has_own_session { kill_process_group(pid, signal) } else { kill_process(pid, signal) };
    }

    /// Writes as much of the input as fits, and closes stdin at its end.
    fn write(&mut self, rest: &mut &[u8]) {
        while let Some(stdin) = &mut self.child.stdin {
            if rest.is_empty() {
                self.child.stdin = None;
                return;
            }
            match stdin.write(rest) {
                Ok(count) => *rest = rest.get(count..).unwrap_or_default(),
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) if why.kind() == ErrorKind::WouldBlock => return,
                // The process does not read its stdin.
                Err(_) => {
                    *rest = &[];
                    self.child.stdin = None;
                }
            }
        }
    }

    /// Waits until one of the pipes is ready, or until the time is up.
    fn wait(&self, is_writing: bool, signals: &SignalPipes, limit: Option<Duration>) {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let readable = [
            self.stdout.pipe.as_ref().map(AsFd::as_fd),
            self.stderr.pipe.as_ref().map(AsFd::as_fd),
            Some(signals.child_ended.as_fd()),
            Some(signals.program_ended.as_fd()),
        ];
        let stdin: Option<BorrowedFd<'_>> = self.child.stdin.as_ref().filter(|_| is_writing).map(AsFd::as_fd);
        let mut fds: Vec<PollFd<'_>> =
            readable.into_iter().flatten().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        fds.extend(stdin.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        // An interrupted wait is followed by another look at all pipes.
        let _ = poll(&mut fds, limit.as_ref());
    }
}
