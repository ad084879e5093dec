//! One process, from its start to its report.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use tempfile::TempPath;
use tokio::process::Command;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::control::StartTurn;
use super::group::ProcessGroup;
use super::leftovers::{self, HeldPipe, LeftoverState};
use super::output_tap::OutputTap;
use super::plain_file;
use super::platform::{self, StartedProcess};
use super::run_event::SupervisorMessage;
use super::supervisor::SupervisorContext;
use hookbench_core::run::{EnvChange, Exit, FinishCondition, Leftover, ProcessSpec, Stream, Timing};

/// The polling interval for a group that was asked to terminate. Only the end of its leader is reported by the
/// system.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// A killed process that has not ended by then is stuck in the kernel, and is not waited for.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);
/// The number of attempts: a newly written script may still be open for writing in another process that is being
/// started.
const BUSY_TRIES: u32 = 8;

/// Runs a process, reports it, and terminates the processes that it leaves behind.
pub(super) async fn supervise(mut job: SupervisorContext, spec: ProcessSpec, turn: &mut StartTurn) {
    let scratch = match scratch_files(&spec.env) {
        Ok(scratch) => scratch,
        Err(error) => return job.report_start_error(format!("could not create a scratch file: {error}")),
    };
    let (mut started, mut group) = match start(&spec, &scratch, turn).await {
        Ok(started) => started,
        Err(error) => return job.report_start_error(describe(&spec, &error)),
    };
    turn.pass();
    let at = job.clock.now();
    let _ = job.news.send(SupervisorMessage::Started { pid: started.child.id(), at });
    let limit = job.clock.limit(spec.timeout);
    let course = run(&mut started, &mut group, &spec, limit, &job.tap, &mut job.stopped).await;

    let ended = job.clock.now();
    let mut leftovers = course.leftovers;
    let held = if course.eof { Vec::new() } else { held_pipes(&mut started, &job.tap).await };
    if leftovers.is_empty() && group.alive() {
        // A process that is about to leave the group leaves it, so that it is not said to end with the group.
        sleep(POLL_INTERVAL).await;
    }
    let alive = group.alive();
    if leftovers.is_empty() && (alive || !held.is_empty() || leftovers::any_orphan(group.id())) {
        leftovers = leftovers::list(group.id(), alive, &held, LeftoverState::Outlived);
        if leftovers.is_empty() {
            // Another hook that was just starting may have held them. By now it has closed them.
            let held = held_pipes(&mut started, &job.tap).await;
            leftovers.extend(leftovers::unknown_holder(group.id(), &held));
        }
    }
    let exit = match (course.cause, course.exit) {
        (EndCause::Deadline, _) => Exit::TimedOut { after: spec.timeout.unwrap_or_default() },
        (EndCause::Exited, Some(exit)) => exit,
        (EndCause::Stopped, _) | (EndCause::Exited, None) => Exit::Cancelled,
    };
    drop(scratch);
    job.report(exit, Timing { started: at, ended }, |report| {
        report.named_directory = spec.names_directory.then(|| names_directory(&report.stdout.text(), &spec.cwd));
        report.stdin_read = started.stdin.bytes_read();
        report.leftovers = leftovers;
        report.lingered = course.lingered;
    });
    // The agent has its result. Dropping the group kills the remaining processes; this gives them time to end on
    // their own.
    if alive && group.terminate() {
        let until = Instant::now() + spec.kill.grace;
        while Instant::now() < until && group.alive() {
            sleep(POLL_INTERVAL).await;
        }
    }
}

/// Reads what the pipes hold now, and returns those that a process still holds open.
async fn held_pipes(started: &mut StartedProcess, tap: &OutputTap) -> Vec<HeldPipe> {
    let mut held = Vec::new();
    for (stream, output) in [(Stream::Stdout, &mut started.stdout), (Stream::Stderr, &mut started.stderr)] {
        if output.drain(|bytes| tap.push(stream, bytes)).await {
            held.push(HeldPipe { stream, name: output.name() });
        }
    }
    held
}

/// Whether the last non-empty line is the path of a directory.
fn names_directory(stdout: &str, cwd: &str) -> bool {
    let line = stdout.lines().rev().map(str::trim).find(|line| !line.is_empty());
    line.is_some_and(|path| std::path::Path::new(cwd).join(path).is_dir())
}

/// The course of a run up to its result.
struct RunCourse {
    cause: EndCause,
    /// The exit of the process, once it has ended.
    exit: Option<Exit>,
    /// Whether both pipes were closed.
    eof: bool,
    /// The processes found when the run had to be terminated.
    leftovers: Vec<Leftover>,
    /// How long its output stayed open after it had ended.
    lingered: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EndCause {
    Exited,
    Deadline,
    Stopped,
}

/// Feeds and reads the process until the agent would collect its result, or terminates it.
async fn run(
    started: &mut StartedProcess,
    group: &mut ProcessGroup,
    spec: &ProcessSpec,
    limit: Option<Duration>,
    tap: &OutputTap,
    stopped: &mut oneshot::Receiver<()>,
) -> RunCourse {
    let StartedProcess { child, stdin, stdout, stderr } = started;
    let pipes = [(Stream::Stdout, &*stdout), (Stream::Stderr, &*stderr)];
    let pipes = pipes.map(|(stream, output)| HeldPipe { stream, name: output.name() });
    let mut deadline = pin!(async {
        match limit {
            Some(limit) => sleep(limit).await,
            None => std::future::pending().await,
        }
    });
    let mut feed = pin!(stdin.feed(&spec.stdin));
    let mut done = false;
    let mut pumps = pin!(async {
        tokio::join!(
            stdout.pump(|bytes| tap.push(Stream::Stdout, bytes)),
            stderr.pump(|bytes| tap.push(Stream::Stderr, bytes)),
        );
    });
    let mut course =
        RunCourse { cause: EndCause::Exited, exit: None, eof: false, leftovers: Vec::new(), lingered: Duration::ZERO };
    let mut over: Option<Instant> = None;
    while course.exit.is_none() || (spec.finish == FinishCondition::AtEof && !course.eof) {
        tokio::select! {
            biased;
            status = child.wait(), if course.exit.is_none() => {
                course.exit = Some(exit(status));
                over = Some(Instant::now());
            }
            _ = &mut *stopped => {
                course.cause = EndCause::Stopped;
                break;
            }
            () = &mut deadline => {
                course.cause = EndCause::Deadline;
                break;
            }
            () = &mut pumps, if !course.eof => course.eof = true,
            () = &mut feed, if !done => done = true,
        }
    }
    course.lingered = over.map_or(Duration::ZERO, |over| over.elapsed());
    if course.cause == EndCause::Exited {
        return course;
    }
    if course.exit.is_some() {
        let alive = group.alive();
        course.leftovers = leftovers::list(group.id(), alive, &pipes, LeftoverState::Outlived);
        if course.leftovers.is_empty() {
            course.leftovers.extend(leftovers::unknown_holder(group.id(), &pipes));
        }
    }

    // Output is still read during termination: the output of a trap belongs to the report, and a full pipe would
    // block the process.
    // Without a grace period, the agent kills at once.
    let asked = !spec.kill.grace.is_zero() && group.terminate();
    let until = Instant::now() + if asked { spec.kill.grace } else { Duration::ZERO };
    let mut left;
    loop {
        left = course.exit.is_none() || group.alive();
        let now = Instant::now();
        if !left || now >= until {
            break;
        }
        // While the leader is alive, only its end is waited for.
        let look = if course.exit.is_none() { until } else { until.min(now + POLL_INTERVAL) };
        tokio::select! {
            biased;
            status = child.wait(), if course.exit.is_none() => course.exit = Some(exit(status)),
            () = sleep_until(look) => {}
            () = &mut pumps, if !course.eof => course.eof = true,
        }
    }
    if left {
        if asked && course.leftovers.is_empty() {
            course.leftovers = leftovers::list(group.id(), true, &[], LeftoverState::Stubborn);
        }
        group.kill();
        // Without process groups, this ends the process.
        let _ = child.start_kill();
        let until = Instant::now() + KILL_TIMEOUT;
        if course.exit.is_none() {
            course.exit = timeout(KILL_TIMEOUT, child.wait()).await.ok().map(exit);
        }
        while Instant::now() < until && group.alive() {
            sleep(POLL_INTERVAL).await;
        }
        // Processes that left the group have lost their parent only now.
        if leftovers::any_orphan(group.id()) {
            course.leftovers.extend(leftovers::list(group.id(), false, &[], LeftoverState::Stubborn));
        }
    }
    course
}

/// Starts the process, with retries if its file is busy. Other processes do not wait for a retry.
async fn start(
    spec: &ProcessSpec,
    scratch: &[(String, TempPath)],
    turn: &mut StartTurn,
) -> io::Result<(StartedProcess, ProcessGroup)> {
    let mut pause = Duration::from_millis(2);
    for _ in 0..BUSY_TRIES {
        match start_once(command(spec, scratch)).await {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                turn.pass();
                sleep(pause).await;
            }
            done => return done,
        }
        pause *= 2;
    }
    start_once(command(spec, scratch)).await
}

async fn start_once(command: Command) -> io::Result<(StartedProcess, ProcessGroup)> {
    platform::on_starter(move || ProcessGroup::start_leader(|| platform::start(command))).await
}

fn command(spec: &ProcessSpec, scratch: &[(String, TempPath)]) -> Command {
    let mut command = Command::new(&spec.program);
    platform::add_arguments(&mut command, &plain_file::arguments(spec));
    command.current_dir(&spec.cwd);
    for name in &spec.env.remove {
        command.env_remove(name);
    }
    command.envs(spec.env.pairs());
    command.envs(scratch.iter().map(|(name, path)| (name, AsRef::<Path>::as_ref(path))));
    command
}

/// Creates an empty file for each variable. Dropping the result deletes them.
fn scratch_files(env: &EnvChange) -> io::Result<Vec<(String, TempPath)>> {
    let file = || tempfile::Builder::new().prefix("hookbench-").tempfile();
    env.scratch_files.iter().map(|name| Ok((name.clone(), file()?.into_temp_path()))).collect()
}

fn exit(status: io::Result<ExitStatus>) -> Exit {
    let status = match status {
        Ok(status) => status,
        Err(error) => return Exit::FailedToStart { error: format!("waiting for the process failed: {error}") },
    };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Exit::Signal(signal);
    }
    Exit::Code(status.code().unwrap_or(-1))
}

/// Describes a start error. One error number of the system has several causes ("not found" may refer to the
/// program, its interpreter or the working directory), so each cause is checked.
pub(super) fn describe(spec: &ProcessSpec, error: &io::Error) -> String {
    let program = &spec.program;
    let cwd = Path::new(&spec.cwd);
    match cwd.metadata() {
        Err(_) => return format!("working directory {}: no such file or directory", spec.cwd),
        Ok(found) if !found.is_dir() => return format!("working directory {}: not a directory", spec.cwd),
        Ok(_) => {}
    }
    match error.kind() {
        ErrorKind::NotFound => match interpreter(&cwd.join(program)) {
            Some(interpreter) if program.contains('/') => {
                format!("{program}: bad interpreter: {}: no such file or directory", interpreter.display())
            }
            _ => format!("{program}: not found"),
        },
        ErrorKind::PermissionDenied if cwd.join(program).is_dir() => format!("{program}: is a directory"),
        ErrorKind::PermissionDenied => format!("{program}: permission denied"),
        _ => format!("{program}: {error}"),
    }
}

/// The interpreter that the first line of a script names.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let start = crate::disk::read_beginning(script, 256).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    line.split_whitespace().next().map(PathBuf::from)
}
