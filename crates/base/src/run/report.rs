//! What is reported back when a run has ended.

use std::time::Duration;

use super::{Captured, RunId};

/// How a run ended.
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
    /// Somebody answered by hand; the answer is on stdout.
    Answered,
    /// Nobody answered: only the agent's own model or process could.
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

    /// In a few words.
    pub fn words(&self) -> String {
        match self {
            Exit::Code(code) => format!("exit {code}"),
            Exit::Signal(signal) => format!("signal {signal}"),
            Exit::TimedOut { .. } => "timed out".to_owned(),
            Exit::FailedToStart { .. } => "did not start".to_owned(),
            Exit::Cancelled => "cancelled".to_owned(),
            Exit::Http { status } => format!("HTTP {status}"),
            Exit::Answered => "answered by hand".to_owned(),
            Exit::Unanswered => "not answered".to_owned(),
        }
    }
}

/// Measured from the start of the firing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    pub started: Duration,
    pub ended: Duration,
}

impl Timing {
    /// How long the run took.
    pub fn duration(&self) -> Duration {
        self.ended.saturating_sub(self.started)
    }
}

/// A process of the hook's group that outlived it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Leftover {
    pub says: String,
    /// Nobody ends it: it has left the group.
    #[serde(skip)]
    pub runs_on: bool,
    /// It was asked to end (SIGTERM) and did not.
    #[serde(skip)]
    pub stubborn: bool,
}

/// The report of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    pub run: RunId,
    pub exit: Exit,
    pub stdout: Captured,
    pub stderr: Captured,
    pub timing: Timing,
    /// Bytes of stdin that the process took.
    pub stdin_read: u64,
    pub leftovers: Vec<Leftover>,
    /// How long the agent waited after the process itself had ended, because others held its output open.
    pub lingered: Duration,
    /// `content-type` of an HTTP answer.
    pub content_type: Option<String>,
    /// Whether the folder that the last line of stdout names was there at the end, where that was asked.
    pub named_folder: Option<bool>,
}

impl RunReport {
    /// A report of a run that ended this way and printed this, for tests and for answers by hand.
    pub fn of(run: RunId, exit: Exit, stdout: impl Into<Vec<u8>>, stderr: impl Into<Vec<u8>>) -> RunReport {
        RunReport {
            run,
            exit,
            stdout: Captured::whole(stdout),
            stderr: Captured::whole(stderr),
            timing: Timing::default(),
            stdin_read: 0,
            leftovers: Vec::new(),
            lingered: Duration::ZERO,
            content_type: None,
            named_folder: None,
        }
    }
}
