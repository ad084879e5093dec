//! Runs the script: feeds its stdin and collects its output without threads, up to the size that its agent keeps.
//! When the agent that runs the hook ends it, the script ends with it.

use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hookbench_core::run::{Exit, FinishCondition, ProcessSpec};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

/// The number of bytes kept of each stream if the script's agent is unknown.
const KEEP: usize = 1 << 20;
/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);
/// The exit status of a shell for a command that is missing.
const NOT_FOUND: i32 = 127;
/// The exit status of a shell for a file that cannot be run.
const NOT_EXECUTABLE: i32 = 126;

/// A script to run.
pub struct ScriptProcess<'a> {
    pub command: &'a [OsString],
    pub stdin: &'a [u8],
    /// How the script's agent would start it, for the environment and the limits.
    pub spec: Option<&'a ProcessSpec>,
}

/// How the script ended.
pub struct ScriptOutput {
    pub exit: Exit,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The exit status if the agent ended the hook.
    pub killed_by_caller: Option<u8>,
}

/// Wakes the loop when the script ends, and when the agent ends the hook.
pub struct SignalPipes {
    script_ended: UnixStream,
    hook_ended: UnixStream,
}

impl SignalPipes {
    /// Catches the signals of this process.
    ///
    /// # Errors
    /// Returns an error if the system has no more pipes.
    pub fn open() -> std::io::Result<SignalPipes> {
        let pipe = |signals: &[i32]| -> std::io::Result<UnixStream> {
            let (read, write) = UnixStream::pair()?;
            read.set_nonblocking(true)?;
            for signal in signals {
                signal_hook::low_level::pipe::register(*signal, write.try_clone()?)?;
            }
            Ok(read)
        };
        Ok(SignalPipes { script_ended: pipe(&[SIGCHLD])?, hook_ended: pipe(&[SIGTERM, SIGINT, SIGHUP])? })
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

impl ScriptProcess<'_> {
    /// Runs the script to its end. `meanwhile` is called once it has started.
    pub fn run(&self, signals: &SignalPipes, meanwhile: impl FnOnce()) -> ScriptOutput {
        let keep = self.spec.map_or(KEEP, |spec| spec.keep);
        let child =
            self.command().and_then(|mut command| command.spawn()).and_then(|child| RunningScript::of(child, keep));
        match child {
            Ok(script) => {
                let finish = self.spec.map_or(FinishCondition::AtEof, |spec| spec.finish);
                script.finish(self.stdin, signals, finish, meanwhile)
            }
            Err(why) => self.not_started(&why),
        }
    }

    fn command(&self) -> std::io::Result<Command> {
        let (program, args) = self
            .command
            .split_first()
            .ok_or_else(|| std::io::Error::new(ErrorKind::NotFound, "there is no command"))?;
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(spec) = self.spec {
            for name in &spec.env.remove {
                command.env_remove(name);
            }
            command.envs(spec.env.set.iter().map(|(name, value)| (name, value)));
            // What the script writes there would only have an effect in its own agent.
            command.envs(spec.env.scratch_files.iter().map(|name| (name, "/dev/null")));
        }
        Ok(command)
    }

    /// What a shell reports for a program that cannot be started.
    fn not_started(&self, why: &std::io::Error) -> ScriptOutput {
        let status = if why.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
        let program = self.command.first().map(|program| program.to_string_lossy()).unwrap_or_default();
        let stderr = format!("hookbench adapt: {program} did not start: {why}\n").into_bytes();
        ScriptOutput { exit: Exit::Code(status), stdout: Vec::new(), stderr, killed_by_caller: None }
    }
}

/// One output stream of the script.
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
        let mut bytes = [0; 32 * 1024];
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

/// A script that was started.
struct RunningScript {
    child: Child,
    stdout: OutputStream<std::process::ChildStdout>,
    stderr: OutputStream<std::process::ChildStderr>,
}

impl RunningScript {
    fn of(mut child: Child, keep: usize) -> std::io::Result<RunningScript> {
        let stdout = OutputStream::of(child.stdout.take(), keep)?;
        let stderr = OutputStream::of(child.stderr.take(), keep)?;
        if let Some(stdin) = &child.stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        Ok(RunningScript { child, stdout, stderr })
    }

    fn finish(
        mut self,
        stdin: &[u8],
        signals: &SignalPipes,
        finish: FinishCondition,
        meanwhile: impl FnOnce(),
    ) -> ScriptOutput {
        let mut rest = stdin;
        self.write(&mut rest);
        meanwhile();
        let mut kill_at: Option<Instant> = None;
        let mut ended = None;
        loop {
            self.write(&mut rest);
            self.stdout.read();
            self.stderr.read();
            if ended.is_none() && has_arrived(&signals.script_ended) {
                ended = self.child.try_wait().ok().flatten();
            }
            if kill_at.is_none() && has_arrived(&signals.hook_ended) {
                kill_at = Some(Instant::now() + GRACE);
                if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
                    let _ = kill_process(pid, Signal::TERM);
                }
            }
            let is_closed = self.stdout.pipe.is_none() && self.stderr.pipe.is_none();
            let is_over = ended.is_some() && (is_closed || kill_at.is_some() || finish == FinishCondition::AtExit);
            if is_over {
                break;
            }
            let wait = kill_at.map(|at| at.saturating_duration_since(Instant::now()));
            if wait == Some(Duration::ZERO) {
                let _ = self.child.kill();
                ended = self.child.wait().ok();
                break;
            }
            self.wait(!rest.is_empty(), signals, wait);
        }
        self.stdout.read();
        self.stderr.read();
        let exit = match ended.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => Exit::Code(code),
            Some((None, Some(signal))) => Exit::Signal(signal),
            _ => Exit::Code(1),
        };
        let killed_by_caller = kill_at.and_then(|_| u8::try_from(128 + SIGTERM).ok());
        ScriptOutput { exit, stdout: self.stdout.kept, stderr: self.stderr.kept, killed_by_caller }
    }

    /// Writes as much of the payload as fits, and closes stdin at its end.
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
                // The script does not read its stdin.
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
            Some(signals.script_ended.as_fd()),
            Some(signals.hook_ended.as_fd()),
        ];
        let stdin: Option<BorrowedFd<'_>> = self.child.stdin.as_ref().filter(|_| is_writing).map(AsFd::as_fd);
        let mut fds: Vec<PollFd<'_>> =
            readable.into_iter().flatten().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        fds.extend(stdin.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        // An interrupted wait is followed by another look at all pipes.
        let _ = poll(&mut fds, limit.as_ref());
    }
}
