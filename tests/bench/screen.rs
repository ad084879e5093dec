//! `cargo bench --bench screen`: the speed of the screen, measured on the built program in a real terminal (a pty
//! whose other end is parsed here).
//!
//! Budgets are for comparison and never asserted. Measured times include two passes through the pty and the parsing
//! here; the first line measures the same path to `cat` and back, a lower bound for any program.
//!
//! | figure | meaning | budget | measured: median, p99 |
//! |---|---|---|---|
//! | echo | from a key to `cat` in raw mode until its letter is on the screen | | 0.02, 0.05 ms |
//! | first frame | from the start of the process until the plan's verdict is on the screen | p99 50 ms | 14, 20 ms |
//! | first frame, many hooks | the same with 10,000 hooks, each with a different command | median 300 ms | 259, 371 ms
//! |
//! | key | from a key until its effect is on the screen: help, the list of runs, its filter | p99 16 ms | 0.4, 1.6 ms |
//! | key, long history | the same with 100,000 runs in the list, and its far end | p99 16 ms | 0.6, 7.3 ms |
//! | key, flood | the same while a hook writes as fast as it can | p99 16 ms | 0.7, 4.5 ms |
//! | key, times | the same on the times of hooks over 100,000 events: moving, with another chart for each hook | p99 16 ms | 2.9, 28 ms without optimization |
//! | key, counting | the same while their runs are counted | p99 16 ms | 12, 38 ms without optimization |
//! | idle | CPU time of the process in three seconds without input | 0 ticks | 0 |
//! | memory | peak memory of the process after all of this | below 250 MB | 70 MB |
//!
//! Measured on two busy cores, release.
//!
//! The runs are real: the event is fired with its key 100,000 times, as fast as the program reads keys.
#![allow(clippy::disallowed_methods, reason = "measures a real process")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::collections::BTreeMap;
use std::io::{Read as _, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use hookbench::app::{NewEvent, OpenMode, StateDir, open_store};
use hookbench::core::config::Place;
use hookbench::core::dialects;
use hookbench::core::recorded::{RecordedEvent, RecordedRun, RecordedSession};
use hookbench::core::run::{Exit, RunId, RunReport, Timing};
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

const STARTS: usize = 100;
const FEW_STARTS: usize = 10;
const MANY: usize = 10_000;
const KEYS: usize = 600;
const RUNS: usize = 100_000;
/// Number of keys sent at once. It must stay below a thousand: the library that reads keys would otherwise wait for
/// the next key before it processes the rest.
const BURST: usize = 500;
/// The recorded events with hooks, and how many are stored at a time.
const EVENTS: usize = 100_000;
const BATCH: usize = 1_000;
const HOOKS: usize = 6;
const SIZE: (u16, u16) = (120, 40);
const IDLE: Duration = Duration::from_secs(3);
/// The timeout for every wait.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    if !Path::new("/proc/self/stat").exists() {
        println!("screen: measured on Linux only, where the kernel says what a process used");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    lay(directory.path());
    let echo = measure_echo();
    report("echo", &echo, &[]);
    let (moving, counting) = measure_times(directory.path());
    report("key, times", &moving, &echo);
    report("key, counting", &counting, &echo);
    report("first frame", &measure_starts(directory.path(), STARTS), &[]);
    let crowded = tempfile::tempdir().unwrap();
    lay(crowded.path());
    crowd(crowded.path());
    report("first frame, many hooks", &measure_starts(crowded.path(), FEW_STARTS), &[]);

    let mut program = TerminalProgram::workbench(directory.path());
    program.until(|s| s.contains("READY"));
    program.consent();
    program.until(|s| s.contains("run 1"));
    report("key", &program.measure_keys(1), &echo);
    println!("idle: {} ticks of CPU time in {} s", program.idle(), IDLE.as_secs());

    // Fires an event without hooks repeatedly.
    program.press("tUserPromptSubmit\r");
    program.until(|s| s.contains("UserPromptSubmit") && s.contains("NO HOOK RUNS"));
    let start = Instant::now();
    for done in (1..RUNS).step_by(BURST) {
        let more = BURST.min(RUNS - done);
        program.press(&"f".repeat(more));
        program.until(|s| s.contains(&format!("run {} ", done + more)));
    }
    let took = start.elapsed();
    println!("{RUNS} runs by keys: {:.1} s", took.as_secs_f64());
    println!("memory with {RUNS} runs: {} MB", program.megabytes("VmRSS"));
    report("key, long history", &program.measure_keys(RUNS), &echo);
    println!("idle, long history: {} ticks of CPU time in {} s", program.idle(), IDLE.as_secs());

    program.press("tStop\r");
    program.until(|s| s.contains("READY"));
    program.consent();
    program.until(|s| s.contains("RUNNING") && s.contains("water water"));
    let (start, before) = (Instant::now(), program.has_read());
    report("key, flood", &program.measure_keys(RUNS), &echo);
    let megabytes = u128::from(program.has_read() - before) / start.elapsed().as_micros();
    println!("the hook meanwhile wrote {megabytes} MB a second");
    program.press("\u{3}");
    program.until(|s| s.contains("UNKNOWN"));
    println!("idle, after the flood: {} ticks of CPU time in {} s", program.idle(), IDLE.as_secs());
    println!("memory, at most: {} MB", program.megabytes("VmHWM"));
    program.press("q");
    program.child.wait().unwrap();
}

/// A project with a hook that ends at once and one that floods.
fn lay(project: &Path) {
    let agent = dialects::ALL.first().unwrap().id();
    let hook = |command: &str| serde_json::json!([{"hooks": [{"type": "command", "command": command}]}]);
    let settings = serde_json::json!({"hooks": {"PreToolUse": hook("true"), "Stop": hook("sh flood.sh")}});
    let directory = project.join(format!(".{agent}"));
    std::fs::create_dir(&directory).unwrap();
    std::fs::create_dir(project.join("home")).unwrap();
    std::fs::write(project.join("flood.sh"), "exec yes 'water water water'\n").unwrap();
    std::fs::write(directory.join("settings.json"), settings.to_string()).unwrap();
}

fn measure_echo() -> Vec<Duration> {
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "stty raw -echo; echo ready; exec cat"]);
    let mut cat = TerminalProgram::start(command, b"", tempfile::tempdir().unwrap());
    cat.until(|s| s.contains("ready"));
    let mut all = Vec::new();
    for _ in 0..KEYS {
        let before = cat.seen.0.lock().unwrap().screen().cursor_position();
        let start = Instant::now();
        cat.press(if before.1 > 100 { "\r" } else { "x" });
        cat.until_screen(|screen| screen.cursor_position() != before);
        all.push(start.elapsed());
    }
    cat.child.kill().unwrap();
    all
}

/// Adds hooks for another tool, each with its own command.
fn crowd(project: &Path) {
    let file = project.join(format!(".{}", dialects::ALL.first().unwrap().id())).join("settings.json");
    let mut settings: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let more = (0..MANY).map(|n| {
        let hook = serde_json::json!({"type": "command", "command": format!("echo {n}")});
        serde_json::json!({"matcher": format!("Tool{n}"), "hooks": [hook]})
    });
    settings["hooks"]["PreToolUse"].as_array_mut().unwrap().extend(more);
    std::fs::write(file, settings.to_string()).unwrap();
}

fn measure_starts(project: &Path, starts: usize) -> Vec<Duration> {
    let mut all = Vec::new();
    for _ in 0..starts {
        let start = Instant::now();
        let mut program = TerminalProgram::workbench(project);
        program.until(|s| s.contains("READY") && s.contains("will run"));
        all.push(start.elapsed());
        program.press("q");
        program.child.wait().unwrap();
    }
    all
}

/// Measures keys on the times of hooks over recorded events: those that select another hook, and those that are pressed while
/// the runs are counted.
fn measure_times(project: &Path) -> (Vec<Duration>, Vec<Duration>) {
    let state = tempfile::tempdir().unwrap();
    let project_text = project.to_str().unwrap();
    let env = BTreeMap::from([("XDG_STATE_HOME".to_owned(), state.path().to_str().unwrap().to_owned())]);
    let place = Place { env, ..Place::default() };
    let agent = dialects::ALL.first().unwrap().id().as_str();
    let session = RecordedSession {
        agent: agent.to_owned(),
        session: "day".to_owned(),
        project: Some(project_text.to_owned()),
        ..RecordedSession::default()
    };
    let event = |n: usize| {
        let run = |hook: usize| {
            let took = Duration::from_micros(u64::try_from(1_000 * (hook + 1) + n % 977).unwrap());
            let timing = Timing { started: Duration::ZERO, ended: took };
            RecordedRun {
                hook: format!("hook-{hook}.sh"),
                command: None,
                definition: None,
                layer: None,
                stdin: None,
                report: RunReport { timing, ..RunReport::new(RunId(0), Exit::Code(0), "", "") },
                partial: false,
            }
        };
        RecordedEvent {
            id: format!("e{n}"),
            project: Some(project_text.to_owned()),
            at: Some(1_795_185_062_000 + i64::try_from(n).unwrap()),
            runs: (0..HOOKS).map(run).collect(),
            ..RecordedEvent::new(agent, "day", "PreToolUse", b"{\"tool_name\":\"Bash\"}".to_vec())
        }
    };
    std::fs::create_dir_all(state.path().join("hookbench")).unwrap();
    let mut store = open_store(&StateDir::of(&place), OpenMode::Write).unwrap();
    for from in (0..EVENTS).step_by(BATCH) {
        let events: Vec<RecordedEvent> = (from..from + BATCH).map(event).collect();
        let new: Vec<NewEvent<'_>> = events.iter().map(|event| NewEvent::imported(event, None)).collect();
        store.add(std::slice::from_ref(&session), &new, false).unwrap();
    }
    drop(store);
    let mut program = TerminalProgram::workbench_with(project, state);
    program.until(|s| s.contains("READY"));
    program.press("3");
    program.until(|s| s.contains(&format!("{EVENTS} events")));
    let (mut moving, mut counting) = (Vec::new(), Vec::new());
    for _ in 0..KEYS / (2 * HOOKS) {
        program.press("%");
        for (keys, is_open) in [("?", true), ("\u{1b}", false)] {
            let start = Instant::now();
            program.press(keys);
            program.until(|s| s.contains("Esc close") == is_open);
            counting.push(start.elapsed());
        }
        program.until(|s| s.contains("TIMES"));
        for hook in (0..HOOKS - 1).rev().chain(1..HOOKS) {
            let start = Instant::now();
            program.press(if moving.len() % (2 * HOOKS - 2) < HOOKS - 1 { "j" } else { "k" });
            program.until(|s| s.contains(&format!("hook-{hook}.sh   ")) && s.contains(&format!("❯hook-{hook}.sh")));
            moving.push(start.elapsed());
        }
        program.press("\u{1b}");
        program.until(|s| !s.contains("TIMES"));
    }
    program.press("q");
    program.child.wait().unwrap();
    (moving, counting)
}

/// Prints median and p99, and both as a multiple of the terminal's own time.
fn report(name: &str, all: &[Duration], echo: &[Duration]) {
    let at = |all: &[Duration], percent: usize| {
        let mut all = all.to_vec();
        all.sort();
        all[(all.len() - 1) * percent / 100].as_secs_f64() * 1e3
    };
    let (median, p99, worst) = (at(all, 50), at(all, 99), at(all, 100));
    let ratio =
        if echo.is_empty() { String::new() } else { format!(", {:.0} times an echo (medians)", median / at(echo, 50)) };
    println!("{name}: median {median:.2} ms, p99 {p99:.2} ms, worst {worst:.2} ms, of {}{ratio}", all.len());
}

/// Returns true if the screen shows the effect of a key.
type ScreenCheck<'a> = Box<dyn Fn(&str) -> bool + 'a>;
type SharedScreen = Arc<(Mutex<vt100::Parser>, Condvar)>;

/// A program in a terminal.
struct TerminalProgram {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    seen: SharedScreen,
    _state: tempfile::TempDir,
}

impl TerminalProgram {
    fn workbench(project: &Path) -> TerminalProgram {
        TerminalProgram::workbench_with(project, tempfile::tempdir().unwrap())
    }

    /// Opens the workbench with a state directory.
    fn workbench_with(project: &Path, state: tempfile::TempDir) -> TerminalProgram {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookbench"));
        let path = project.to_str().unwrap();
        command.args([path, "--home", project.join("home").to_str().unwrap()]);
        TerminalProgram::start(command, b"\x1b[?2026l", state)
    }

    /// Starts a program. Output counts as seen up to the last `end`, so that partial frames are ignored.
    fn start(mut command: CommandBuilder, end: &'static [u8], state: tempfile::TempDir) -> TerminalProgram {
        let (cols, rows) = SIZE;
        let pty = native_pty_system().openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        command.env("XDG_STATE_HOME", state.path());
        command.env("XDG_CONFIG_HOME", state.path());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        let child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().unwrap();
        let keys = pty.master.take_writer().unwrap();
        let size = |n| std::num::NonZeroU16::new(n).unwrap();
        let seen: SharedScreen = Arc::new((Mutex::new(vt100::Parser::new(size(rows), size(cols), 0)), Condvar::new()));
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            // The terminal stays open while the reader holds it.
            let _master = pty.master;
            let (mut buffer, mut waiting) = ([0; 1 << 16], Vec::new());
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                waiting.extend_from_slice(&buffer[..count]);
                let whole = match end {
                    [] => waiting.len(),
                    end => waiting.windows(end.len()).rposition(|b| b == end).map_or(0, |at| at + end.len()),
                };
                shared.0.lock().unwrap().process(&waiting[..whole]);
                waiting.drain(..whole);
                shared.1.notify_all();
            }
        });
        TerminalProgram { child, keys, seen, _state: state }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Fires for the first time, which requires consent.
    fn consent(&mut self) {
        self.press("f");
        self.until(|s| s.contains("Y run"));
        self.press("Y");
    }

    fn until(&mut self, holds: impl Fn(&str) -> bool) {
        self.until_screen(|screen| holds(&screen.contents()));
    }

    fn until_screen(&mut self, holds: impl Fn(&vt100::Screen) -> bool) {
        let end = Instant::now() + PATIENCE;
        let mut seen = self.seen.0.lock().unwrap();
        while !holds(seen.screen()) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "never came:\n{}", seen.screen().contents());
            seen = self.seen.1.wait_timeout(seen, left.min(Duration::from_secs(5))).unwrap().0;
        }
    }

    /// Measures keys that each change the screen in a unique way, repeatedly.
    fn measure_keys(&mut self, runs: usize) -> Vec<Duration> {
        let count = format!("of {runs} ");
        let listed = |s: &str| s.contains(&count) && s.contains("verdict  ");
        let mut steps: Vec<(&str, ScreenCheck<'_>)> = vec![
            ("?", Box::new(|s| s.contains("Esc close"))),
            ("\u{1b}", Box::new(|s| !s.contains("Esc close"))),
            ("H", Box::new(|s| listed(s) && s.contains("/ event, verdict"))),
            ("/", Box::new(|s| s.contains("Enter keeps it"))),
            ("e", Box::new(|s| s.contains("/ e "))),
            ("o", Box::new(|s| s.contains("/ eo "))),
            ("\u{7f}", Box::new(|s| s.contains("/ e "))),
            ("\u{1b}", Box::new(|s| !s.contains("Enter keeps it") && s.contains("/ event, verdict"))),
            ("q", Box::new(|s| !listed(s) && !s.contains("verdict  "))),
        ];
        if runs == RUNS {
            // Far down the list, where a run keeps only its outcome.
            steps.insert(3, ("G", Box::new(|s| s.contains("was dropped"))));
            steps.insert(4, ("g", Box::new(|s| !s.contains("was dropped"))));
        }
        let mut all = Vec::new();
        for (keys, shows) in steps.iter().cycle().take(KEYS / steps.len() * steps.len()) {
            let start = Instant::now();
            self.press(keys);
            self.until(shows);
            all.push(start.elapsed());
        }
        all
    }

    /// Returns the number of bytes that the process has read so far, from hooks and other sources.
    fn has_read(&self) -> u64 {
        let io = self.of_process("io");
        let line = io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
        line.parse().unwrap()
    }

    /// Reads a file about the process that does the work, the child of the one that was started.
    fn of_process(&self, file: &str) -> String {
        let keeper = self.child.process_id().unwrap();
        let child = std::fs::read_to_string(format!("/proc/{keeper}/task/{keeper}/children")).unwrap();
        std::fs::read_to_string(format!("/proc/{}/{file}", child.trim())).unwrap()
    }

    /// Returns the CPU ticks that the process uses while idle.
    fn idle(&self) -> u64 {
        // Waits until the effects of the last key, such as its frame, have ended.
        std::thread::sleep(Duration::from_millis(300));
        let before = self.ticks();
        std::thread::sleep(IDLE);
        self.ticks() - before
    }

    fn ticks(&self) -> u64 {
        let stat = self.of_process("stat");
        // The name in parentheses may contain spaces; user and system time are the 14th and 15th field.
        let rest = stat.rsplit_once(')').unwrap().1;
        rest.split_whitespace().skip(11).take(2).map(|n| n.parse::<u64>().unwrap()).sum()
    }

    fn megabytes(&self, key: &str) -> u64 {
        let status = self.of_process("status");
        let line = status.lines().find(|line| line.starts_with(key)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
    }
}
