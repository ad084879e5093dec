//! The report of a finished run.

use std::time::Duration;

use super::{CapturedStream, RunId};

/// The end of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    TimedOut {
        after: Duration,
    },
    FailedToStart {
        error: String,
    },
    Cancelled,
    Http {
        status: u16,
    },
    /// A user answered by hand, or the user's own model; the answer is on stdout.
    Answered {
        /// The name of the model. `None` for a user.
        by: Option<String>,
    },
    /// There is no answer, because only the agent's model or process could give one.
    Unanswered,
}

impl Exit {
    /// The exit status, for processes that ended by themselves.
    pub fn code(&self) -> Option<i32> {
        match self {
            Exit::Code(code) => Some(*code),
            _ => None,
        }
    }

    /// A short description.
    pub fn describe(&self) -> String {
        match self {
            Exit::Code(code) => format!("exit {code}"),
            Exit::Signal(signal) => format!("signal {signal}"),
            Exit::TimedOut { .. } => "timed out".to_owned(),
            Exit::FailedToStart { .. } => "did not start".to_owned(),
            Exit::Cancelled => "cancelled".to_owned(),
            Exit::Http { status } => format!("HTTP {status}"),
            Exit::Answered { by: None } => "answered by you".to_owned(),
            Exit::Answered { by: Some(model) } => format!("answered by {model}, not by the agent"),
            Exit::Unanswered => "not answered".to_owned(),
        }
    }
}

/// The start and end of a run, measured from the start of the firing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    pub started: Duration,
    pub ended: Duration,
}

impl Timing {
    /// The duration of the run.
    pub fn duration(&self) -> Duration {
        self.ended.saturating_sub(self.started)
    }
}

/// A process of the hook's process group that outlived the hook.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Leftover {
    #[serde(rename = "says")]
    pub message: String,
    /// Whether it has left the group, so that it is not killed.
    #[serde(skip)]
    pub left_group: bool,
    /// Whether it ignored SIGTERM.
    #[serde(skip)]
    pub ignored_sigterm: bool,
}

/// The report of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    pub run: RunId,
    pub exit: Exit,
    pub stdout: CapturedStream,
    pub stderr: CapturedStream,
    pub timing: Timing,
    /// The number of bytes of stdin that the process read.
    pub stdin_read: u64,
    pub leftovers: Vec<Leftover>,
    /// How long the agent waited after the process ended, because other processes held its output open.
    pub lingered: Duration,
    /// The `content-type` of an HTTP response.
    pub content_type: Option<String>,
    /// Whether the directory named by the last line of stdout existed at the end. `None` if it was not checked.
    pub named_directory: Option<bool>,
}

impl RunReport {
    /// A report with the given end and output, for tests and for answers by hand.
    pub fn new(run: RunId, exit: Exit, stdout: impl Into<Vec<u8>>, stderr: impl Into<Vec<u8>>) -> RunReport {
        RunReport {
            run,
            exit,
            stdout: CapturedStream::whole(stdout),
            stderr: CapturedStream::whole(stderr),
            timing: Timing::default(),
            stdin_read: 0,
            leftovers: Vec::new(),
            lingered: Duration::ZERO,
            content_type: None,
            named_directory: None,
        }
    }
}
