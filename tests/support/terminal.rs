//! A program in a terminal: tests send keys, and a terminal emulator reads what the program draws.

use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

use crate::programs::kept_by;

/// The longest wait for a text. Only a broken program reaches it.
const PATIENCE: Duration = Duration::from_secs(120);

struct TerminalOutput {
    screen: vt100::Parser,
    raw: Vec<u8>,
    closed: bool,
}

/// A running program and its terminal.
pub struct TestTerminal {
    child: Box<dyn Child + Send + Sync>,
    pub master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    seen: Arc<(Mutex<TerminalOutput>, Condvar)>,
    /// The directory for the program's state and settings.
    pub state: tempfile::TempDir,
}

impl TestTerminal {
    /// Starts hookbench.
    pub fn open(args: &[&str], env: &[(&str, &str)], size: (u16, u16)) -> TestTerminal {
        TestTerminal::start(env!("CARGO_BIN_EXE_hookbench"), args, env, size)
    }

    /// Starts any program.
    pub fn start(program: &str, args: &[&str], env: &[(&str, &str)], size: (u16, u16)) -> TestTerminal {
        let (cols, rows) = size;
        let pty = native_pty_system().openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        let state = tempfile::tempdir().unwrap();
        let child = pty.slave.spawn_command(command(program, args, env, state.path())).unwrap();
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().unwrap();
        let keys = pty.master.take_writer().unwrap();
        let screen = vt100::Parser::new(emulated(rows), emulated(cols), 0);
        let seen = Arc::new((Mutex::new(TerminalOutput { screen, raw: Vec::new(), closed: false }), Condvar::new()));
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                let count = reader.read(&mut buffer).unwrap_or(0);
                let mut seen = shared.0.lock().unwrap();
                seen.screen.process(&buffer[..count]);
                seen.raw.extend_from_slice(&buffer[..count]);
                seen.closed = count == 0;
                shared.1.notify_all();
                if count == 0 {
                    return;
                }
            }
        });
        TestTerminal { child, master: pty.master, keys, seen, state }
    }

    /// Waits until the screen shows a text.
    pub fn wait_for(&mut self, text: &str) -> &mut TestTerminal {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = self.seen.0.lock().unwrap();
        while !seen.screen.screen().contents().contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !seen.closed, "never saw {text:?}:\n{}", seen.screen.screen().contents());
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
        drop(seen);
        self
    }

    /// Waits until the screen no longer shows a text.
    pub fn wait_for_gone(&mut self, text: &str) -> &mut TestTerminal {
        wait_until(&format!("{text:?} goes"), || !self.contents().contains(text));
        self
    }

    /// Types keys.
    pub fn press(&mut self, keys: &str) -> &mut TestTerminal {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    /// Waits for the program to end, and returns its exit status and everything it wrote.
    pub fn wait_for_end(mut self) -> (u32, String) {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = self.seen.0.lock().unwrap();
        while !seen.closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let _ = self.child.kill();
                panic!("the program did not end:\n{}", seen.screen.screen().contents());
            }
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
        let raw = String::from_utf8_lossy(&seen.raw).into_owned();
        drop(seen);
        (self.child.wait().unwrap().exit_code(), raw)
    }

    /// Resizes the terminal and the emulator.
    pub fn resize(&mut self, (cols, rows): (u16, u16)) {
        self.seen.0.lock().unwrap().screen.screen_mut().set_size(emulated(rows), emulated(cols));
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Returns everything written so far.
    pub fn raw(&self) -> Vec<u8> {
        self.seen.0.lock().unwrap().raw.clone()
    }

    /// Returns the current text of the screen.
    pub fn contents(&self) -> String {
        self.seen.0.lock().unwrap().screen.screen().contents()
    }

    /// Ends the program in a way that it cannot handle.
    pub fn kill(&self) {
        kill_process(kept_by(self.child.process_id().unwrap()), Signal::KILL).unwrap();
    }

    /// Sends a signal to the program.
    pub fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }
}

/// The size of the emulator, which requires a cell and reserves memory for all.
fn emulated(cells: u16) -> std::num::NonZeroU16 {
    std::num::NonZeroU16::new(cells.clamp(1, 1000)).unwrap()
}

/// Creates a command with the environment of a test.
pub fn command(program: &str, args: &[&str], env: &[(&str, &str)], state: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(program);
    command.args(args);
    command.env("XDG_STATE_HOME", state);
    command.env("XDG_CONFIG_HOME", state);
    // A running server of the user is not seen.
    command.env("XDG_RUNTIME_DIR", state);
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    // The editor in whose terminal the tests run is not asked.
    for name in ["NVIM", "TERM_PROGRAM", "ZED_TERM"] {
        command.env_remove(name);
    }
    for (name, value) in env {
        command.env(name, value);
    }
    command
}

/// Returns the crash reports in a state directory, oldest first.
pub fn crash_reports(state: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(state.join("hookbench")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut all: Vec<_> = all.filter(|p| p.file_name().unwrap().to_str().unwrap().starts_with("crash-")).collect();
    all.sort();
    all
}

/// Polls until the condition holds. For conditions that nothing signals.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::yield_now();
    }
}

/// A project with one hook that never ends. The hook writes its process id and that of its child to a file, then
/// prints `it-is-up`.
pub struct EndlessHook {
    pub directory: tempfile::TempDir,
}

impl EndlessHook {
    pub fn new() -> EndlessHook {
        let directory = tempfile::tempdir().unwrap();
        let pids = directory.path().join("pids");
        let script = format!("sleep 3600 & echo $$ $! > {}; echo it-is-u''p; wait", pids.display());
        let settings = serde_json::json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
            {"type": "command", "command": script},
        ]}]}});
        std::fs::create_dir(directory.path().join(".claude")).unwrap();
        std::fs::write(directory.path().join(".claude/settings.json"), settings.to_string()).unwrap();
        EndlessHook { directory }
    }

    pub fn path(&self) -> &str {
        self.directory.path().to_str().unwrap()
    }

    /// Returns true if the hook has written its process ids.
    pub fn started(&self) -> bool {
        std::fs::read_to_string(self.directory.path().join("pids")).is_ok_and(|text| text.ends_with('\n'))
    }

    /// Waits until the last started hook and its child have ended.
    pub fn wait_until_all_gone(&self) {
        let file = self.directory.path().join("pids");
        let pids = std::fs::read_to_string(&file).unwrap();
        assert_eq!(pids.split_whitespace().count(), 2);
        for pid in pids.split_whitespace() {
            wait_until(&format!("process {pid} ends"), || is_gone(pid));
        }
        std::fs::remove_file(&file).unwrap();
    }
}

/// Returns true if the process has ended or is a zombie.
fn is_gone(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.map_or(true, |stat| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
}

/// Returns true if the output ends with the alternate screen left, mouse and bracketed paste off, and the cursor
/// shown.
pub fn is_restored(raw: &[u8]) -> bool {
    let text = String::from_utf8_lossy(raw);
    let last = |sequence: &str| text.rfind(sequence);
    let off = |mode: u16| {
        let on = last(&format!("\u{1b}[?{mode}h"));
        on.is_none() || last(&format!("\u{1b}[?{mode}l")) > on
    };
    let mouse = [1000, 1002, 1004, 1006].into_iter().all(off);
    mouse
        && last("\u{1b}[?1049l") > last("\u{1b}[?1049h")
        && last("\u{1b}[?2004l") > last("\u{1b}[?2004h")
        && last("\u{1b}[?25h") > last("\u{1b}[?25l")
}
