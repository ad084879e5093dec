//! Feeds and reads a process with threads. The process is in a job, which ends with this program.

use std::io::{Read, Write as _};
use std::process::Stdio;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use hookbench_core::run::{Exit, FinishCondition};

use super::process::{ChildOutput, ChildProcess, ThreadEnd};
use crate::windows_job::ProcessJob;

/// The pause between two looks at a process that may have ended.
const LOOK: Duration = Duration::from_millis(2);
/// The time in which the rest of the output arrives after the end. Streams that are closed take no time.
const REST: Duration = Duration::from_millis(500);

/// Windows has no signals: what ends this program ends its job as well.
pub(crate) struct SignalPipes;

impl SignalPipes {
    /// Never fails.
    #[allow(clippy::unnecessary_wraps, reason = "the same interface as on systems with signals")]
    pub fn open() -> std::io::Result<SignalPipes> {
        Ok(SignalPipes)
    }

    /// Waits until the time is up, and returns false.
    pub fn wait(&self, limit: Duration) -> bool {
        thread::sleep(limit);
        false
    }

    /// Does the work in a thread, and waits for its result. A thread that is late is left behind.
    pub fn wait_for<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> ThreadEnd<T> {
        let (sender, result) = mpsc::channel();
        thread::spawn(move || {
            // The receiver may have given up.
            let _ = sender.send(work());
        });
        result.recv_timeout(limit).map_or(ThreadEnd::Late, ThreadEnd::Result)
    }
}

impl ChildProcess<'_> {
    /// Runs the process to its end. `meanwhile` is called once it has started.
    pub fn run(mut self, _signals: &SignalPipes, meanwhile: impl FnOnce()) -> std::io::Result<ChildOutput> {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let deadline = self.limit.map(|limit| Instant::now() + limit);
        let (mut child, job) = ProcessJob::spawn(&mut self.command)?;
        if let Some(mut stdin) = child.stdin.take() {
            let input = self.stdin.to_vec();
            // A process that does not read its stdin leaves this thread behind.
            thread::spawn(move || stdin.write_all(&input));
        }
        let stdout = OutputThread::start(child.stdout.take(), self.keep);
        let stderr = OutputThread::start(child.stderr.take(), self.keep);
        meanwhile();
        let mut is_late = false;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                is_late = true;
                job.kill();
                break child.wait()?;
            }
            thread::sleep(LOOK);
        };
        // A process that holds the output after the end keeps the agent waiting, if the agent waits for the end of the output.
        let waits = self.finish == FinishCondition::AtEof && !is_late;
        let until = if waits { deadline } else { Some(Instant::now() + REST) };
        let ((stdout, is_stdout_whole), (stderr, is_stderr_whole)) = (stdout.take(until), stderr.take(until));
        is_late |= waits && !(is_stdout_whole && is_stderr_whole);
        if self.has_own_session || is_late {
            drop(job)
        } else {
            job.release()
        }
        let exit = match status.code() {
            _ if is_late => Exit::TimedOut { after: self.limit.unwrap_or_default() },
            code => Exit::Code(code.unwrap_or(1)),
        };
        Ok(ChildOutput { exit, stdout, stderr, killed_by_caller: None })
    }
}

/// Reads one stream to its end.
struct OutputThread(mpsc::Receiver<Vec<u8>>);

impl OutputThread {
    fn start(pipe: Option<impl Read + Send + 'static>, keep: usize) -> OutputThread {
        let (sender, parts) = mpsc::channel();
        thread::spawn(move || {
            let (Some(mut pipe), mut room, mut bytes) = (pipe, keep, vec![0; 8 * 1024]) else { return };
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                let part = bytes.get(..count.min(room)).unwrap_or_default();
                room -= part.len();
                if sender.send(part.to_vec()).is_err() {
                    return;
                }
            }
        });
        OutputThread(parts)
    }

    /// The bytes that were read until the stream ended, or until a time, and whether the stream has ended.
    fn take(self, until: Option<Instant>) -> (Vec<u8>, bool) {
        let mut output = Vec::new();
        loop {
            let part = match until {
                Some(until) => self.0.recv_timeout(until.saturating_duration_since(Instant::now())),
                None => self.0.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match part {
                Ok(part) => output.extend(part),
                Err(why) => return (output, why == RecvTimeoutError::Disconnected),
            }
        }
    }
}
