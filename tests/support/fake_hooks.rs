//! Hooks that misbehave, and a runner for them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookbench::core::run::{
    CapturedStream, EnvChange, FinishCondition, KillSpec, Launch, ProcessSpec, RunId, RunReport, RunRequest, Stream,
};
use hookbench::runner::{RunEvent, Runner};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The timeout for one event. Nothing takes this long, so a test that reaches it hangs.
const HANGS: Duration = Duration::from_secs(120);

/// A shell script as a hook, without a timeout.
pub fn sh(script: &str) -> ProcessSpec {
    exec("/bin/sh", &["-c", script])
}

/// A program as a hook, without a timeout.
pub fn exec(program: &str, args: &[&str]) -> ProcessSpec {
    ProcessSpec {
        program: program.to_owned(),
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        cwd: "/".to_owned(),
        env: EnvChange::default(),
        stdin: Arc::from(*b""),
        timeout: None,
        finish: FinishCondition::AtExit,
        kill: KillSpec { grace: Duration::from_millis(200) },
        keep: 1 << 20,
        names_directory: false,
        runs_plain_files: false,
    }
}

/// The same hook in another directory.
pub fn within(directory: &Path, spec: ProcessSpec) -> ProcessSpec {
    ProcessSpec { cwd: directory.to_str().expect("a UTF-8 path").to_owned(), ..spec }
}

/// A runner and the events that it reports.
pub struct RunnerHarness {
    pub runner: Option<Runner>,
    events: mpsc::Receiver<RunEvent>,
    /// The output of each run so far, as reported by `Grew` events.
    output: Vec<(RunId, Stream, Vec<u8>)>,
    /// Number of bytes that the events skipped.
    pub skipped: u64,
    next: u32,
}

impl RunnerHarness {
    pub fn new() -> RunnerHarness {
        RunnerHarness::scaled(1.0)
    }

    pub fn scaled(scale: f64) -> RunnerHarness {
        let (sender, events) = mpsc::channel(64);
        RunnerHarness { runner: Some(Runner::new(sender, scale)), events, output: Vec::new(), skipped: 0, next: 0 }
    }

    pub fn runner(&self) -> &Runner {
        self.runner.as_ref().expect("it has not been dropped")
    }

    pub fn start(&mut self, launch: Launch) -> RunId {
        let run = RunId(self.next);
        self.next += 1;
        self.runner().start(RunRequest { run, hook: format!("hook {run:?}"), launch, awaited: true });
        run
    }

    /// Starts a process and waits for its report.
    pub async fn run(&mut self, spec: ProcessSpec) -> RunReport {
        self.start(Launch::Process(spec));
        self.next_report().await
    }

    pub async fn event(&mut self) -> RunEvent {
        let event = timeout(HANGS, self.events.recv()).await.expect("something happens").expect("somebody tells");
        if let RunEvent::Grew { run, stream, bytes, skipped, .. } = &event {
            self.skipped += skipped;
            match self.output.iter_mut().find(|heard| heard.0 == *run && heard.1 == *stream) {
                Some(heard) => heard.2.extend(bytes),
                None => self.output.push((*run, *stream, bytes.clone())),
            }
        }
        event
    }

    /// Waits for the next report.
    pub async fn next_report(&mut self) -> RunReport {
        loop {
            if let RunEvent::Ended(report) = self.event().await {
                return *report;
            }
        }
    }

    /// Waits until a run has printed this many lines on stdout, and returns all of its lines.
    pub async fn lines(&mut self, run: RunId, count: usize) -> Vec<String> {
        loop {
            let text = String::from_utf8_lossy(self.output_of(run, Stream::Stdout)).into_owned();
            if text.matches('\n').count() >= count {
                return text.lines().map(str::to_owned).collect();
            }
            if let RunEvent::Ended(report) = self.event().await {
                panic!("ended before it said enough: {report:?}");
            }
        }
    }

    /// Returns the reported output of a stream.
    pub fn output_of(&self, run: RunId, stream: Stream) -> &[u8] {
        self.output.iter().find(|heard| heard.0 == run && heard.1 == stream).map_or(&[], |heard| &heard.2)
    }
}

/// Returns captured bytes as text. Panics if they were truncated.
pub fn text(captured: &CapturedStream) -> &str {
    assert!(!captured.truncated(), "cut off after {} of {}", captured.head.len(), captured.total);
    std::str::from_utf8(&captured.head).expect("UTF-8")
}

/// Waits until a process has ended.
#[cfg(target_os = "linux")]
#[expect(deprecated, reason = "its successor is unsafe; an owned handle is sound with this one too")]
pub async fn wait_until_gone(pid: &str) {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let pid = Pid::from_raw(pid.parse().expect("a number")).expect("a pid");
    // An error means that the process has ended; otherwise the handle becomes readable when it ends.
    if let Ok(handle) = pidfd_open(pid, PidfdFlags::NONBLOCK) {
        let handle = tokio::io::unix::AsyncFd::new(handle).expect("it can be polled");
        let _ready = timeout(HANGS, handle.readable()).await.expect("it ends").expect("it can be polled");
    }
}
