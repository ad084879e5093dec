//! `hookbench record`: stands between an agent and a hook, and notes the run. The hook gets the same bytes on stdin, the
//! agent's own pipes for its output, and the agent's signals; the agent gets the hook's exit status.
//!
//! It writes what the probes of a calibration write: a line of a log when the hook starts and when it ends, and a file with
//! its stdin and one with its environment.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use hookbench_core::calibration::LOG_FILE;

/// The first argument of the program when it records a run.
pub const RECORD: &str = "record";
/// The exit status of a shell for a command that is missing.
const NOT_FOUND: u8 = 127;
/// The time in which the rest of a payload arrives that a hook does not read.
const REST_LIMIT: Duration = Duration::from_millis(500);

/// Runs a hook and returns its exit status. `args` are the directory of the notes, the name of the hook, and `--` with
/// the program and its arguments.
pub fn run(args: impl Iterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.collect();
    let [directory, hook, dashes, program, rest @ ..] = args.as_slice() else { return NOT_FOUND };
    if dashes != "--" {
        return NOT_FOUND;
    }
    let notes = RunNotes {
        directory: PathBuf::from(directory),
        name: format!("{}.{}", hook.to_string_lossy(), std::process::id()),
    };
    // A note that is missing shows as a difference; the hook runs in any case.
    let _ = notes.environment();
    let _ = notes.line("start");
    let mut command = Command::new(program);
    command.args(rest).stdin(Stdio::piped());
    tie_to_recorder(&mut command);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(why) => {
            eprintln!("{}: {why}", program.to_string_lossy());
            let _ = notes.end(&format!("exit {NOT_FOUND}"));
            return NOT_FOUND;
        }
    };
    let stdin = child.stdin.take();
    let (told, ended) = channel();
    let file = notes.file("stdin");
    std::thread::spawn(move || {
        let _ = copy_stdin(stdin, file);
        let _ = told.send(());
    });
    forward_signals(&child);
    let status = child.wait();
    let _ = ended.recv_timeout(REST_LIMIT);
    finish(&notes, status.ok())
}

/// Copies stdin to the hook and to the notes. The rest that the hook does not read is noted as well.
fn copy_stdin(mut hook: Option<std::process::ChildStdin>, file: io::Result<File>) -> io::Result<()> {
    let mut notes = file.ok();
    let mut bytes = [0; 16 << 10];
    loop {
        let count = match io::stdin().read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
            Err(why) => return Err(why),
        };
        let part = bytes.get(..count).unwrap_or_default();
        if let Some(file) = &mut notes {
            file.write_all(part)?;
        }
        if hook.as_mut().is_some_and(|pipe| pipe.write_all(part).is_err()) {
            hook = None;
        }
    }
}

/// The notes of one run.
struct RunNotes {
    directory: PathBuf,
    /// The name of the hook, and the process.
    name: String,
}

impl RunNotes {
    fn file(&self, what: &str) -> io::Result<File> {
        File::create(self.directory.join(format!("{}.{what}", self.name)))
    }

    /// Adds a line to the log: a word, the hook, the process.
    fn line(&self, word: &str) -> io::Result<()> {
        let (hook, process) = self.name.rsplit_once('.').unwrap_or((&self.name, ""));
        let mut log = OpenOptions::new().append(true).create(true).open(self.directory.join(LOG_FILE))?;
        log.write_all(format!("{word} {hook} {process}\n").as_bytes())
    }

    fn environment(&self) -> io::Result<()> {
        let mut file = self.file("env")?;
        let mut text = Vec::new();
        for (name, value) in std::env::vars_os() {
            text.extend_from_slice(bytes_of(&name));
            text.push(b'=');
            text.extend_from_slice(bytes_of(&value));
            text.push(b'\n');
        }
        file.write_all(&text)
    }

    /// Notes the end, and how it ended.
    fn end(&self, exit: &str) -> io::Result<()> {
        self.file("exit")?.write_all(exit.as_bytes())?;
        self.line("end")
    }
}

#[cfg(unix)]
fn bytes_of(text: &OsStr) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(text)
}

#[cfg(not(unix))]
fn bytes_of(text: &OsStr) -> &[u8] {
    text.to_str().unwrap_or_default().as_bytes()
}

/// Makes the hook end with this process, which the agent may kill.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the only way to act between fork and exec; the closure only makes a system call")]
fn tie_to_recorder(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    // SAFETY: the call is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
            Ok(())
        });
    }
}

#[cfg(not(target_os = "linux"))]
fn tie_to_recorder(_command: &mut Command) {}

/// Passes the agent's signals on to the hook.
#[cfg(unix)]
fn forward_signals(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let signal = match signal {
                SIGINT => Signal::INT,
                SIGHUP => Signal::HUP,
                _ => Signal::TERM,
            };
            // The hook may have ended.
            let _ = kill_process(pid, signal);
        }
    });
}

#[cfg(not(unix))]
fn forward_signals(_child: &Child) {}

/// Notes the end and ends as the hook did.
fn finish(notes: &RunNotes, status: Option<ExitStatus>) -> u8 {
    let Some(status) = status else { return NOT_FOUND };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let _ = notes.end(&format!("signal {signal}"));
        // The agent sees the same signal.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        return u8::try_from(128 + signal).unwrap_or(NOT_FOUND);
    }
    let code = status.code().unwrap_or(-1);
    let _ = notes.end(&format!("exit {code}"));
    u8::try_from(code).unwrap_or(NOT_FOUND)
}
