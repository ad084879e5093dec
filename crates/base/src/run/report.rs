//! The report of a finished run.

use std::borrow::Cow;
use std::time::Duration;

use super::RunId;

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

/// Milliseconds to the microsecond, which keeps documents readable.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
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

/// The kept part of one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapturedStream {
    /// The beginning, without gaps, up to the size that the agent keeps.
    pub head: Vec<u8>,
    /// The end of the stream, if it is longer than `head`.
    pub tail: Vec<u8>,
    /// The number of bytes received, kept or not.
    pub total: u64,
}

impl CapturedStream {
    /// A stream that was kept completely.
    pub fn whole(bytes: impl Into<Vec<u8>>) -> CapturedStream {
        let head = bytes.into();
        let total = head.len() as u64;
        CapturedStream { head, tail: Vec::new(), total }
    }

    /// Whether bytes were dropped.
    pub fn truncated(&self) -> bool {
        self.total > self.head.len() as u64
    }

    /// The beginning as text; invalid UTF-8 becomes U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.head)
    }

    /// Whether the kept bytes are UTF-8.
    pub fn is_utf8(&self) -> bool {
        std::str::from_utf8(&self.head).is_ok()
    }
}

/// The shortest part of a printed text that identifies a line.
const SHORTEST: usize = 6;

/// Returns the line, counted from 1, at which a script decided: the last line of an error's traceback, otherwise the
/// line that contains what the run printed, otherwise the last line that exits with the run's status. `None` if the
/// script does not show it.
pub fn deciding_line(script: &str, report: &RunReport) -> Option<u32> {
    let (stderr, stdout) = (report.stderr.text(), report.stdout.text());
    traceback_line(script, &stderr)
        .or_else(|| printed_line(script, &stderr))
        .or_else(|| printed_line(script, &stdout))
        .or_else(|| exit_line(script, &report.exit))
}

/// Interpreters end an error with the places that led to it; the last one of this script is the deepest. A place
/// belongs to the script if the quoted source line, where there is one, stands there.
fn traceback_line(script: &str, stderr: &str) -> Option<u32> {
    let mut found = None;
    let mut lines = stderr.lines().peekable();
    while let Some(line) = lines.next() {
        let number = line.trim_start().strip_prefix("File \"").and_then(|rest| {
            let (_, rest) = rest.split_once("\", line ")?;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()
        });
        let Some(number) = number.filter(|number| *number > 0) else { continue };
        let source = script.lines().nth(number as usize - 1);
        if source.is_some_and(|source| lines.peek().is_some_and(|quoted| quoted.trim() == source.trim())) {
            found = Some(number);
        }
    }
    found
}

/// The line with the longest text in common with what was printed, if that text is long enough to identify it.
fn printed_line(script: &str, printed: &str) -> Option<u32> {
    let printed = printed.trim();
    let score = |line: &str| {
        let code = line.trim_start();
        if code.starts_with('#') || code.starts_with("//") {
            return 0;
        }
        // Variables are written differently in the script and in the output, so the texts between them are compared.
        let parts = line.split(['"', '\'', '$', '{', '}', '`', '\\', '%']).map(str::trim);
        parts.filter(|part| part.len() >= SHORTEST && printed.contains(part)).map(str::len).max().unwrap_or(0)
    };
    let scored = (1..).zip(script.lines()).map(|(number, line)| (score(line), number));
    let (best, number) = scored.fold((0, 0), |best, one| if one.0 > best.0 { one } else { best });
    (best > 0).then_some(number)
}

/// The last line that exits with the status.
fn exit_line(script: &str, exit: &Exit) -> Option<u32> {
    let Exit::Code(code) = exit else { return None };
    let code = code.to_string();
    let exits = |line: &str| {
        let line = line.split(['#', ';']).next().unwrap_or("");
        let words: Vec<&str> = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).collect();
        words.windows(2).any(|pair| matches!(pair, ["exit" | "_exit", status] if *status == code))
    };
    (1..).zip(script.lines()).filter(|(_, line)| exits(line)).last().map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::super::RunId;
    use super::*;

    const GUARD: &str = "#!/bin/sh\n# refused: never\ncommand=$(jq -r .tool_input.command)\ncase $command in\n  *'rm -rf'*)\n    echo \"refused: rm -rf in $PWD\" >&2\n    exit 2;;\nesac\nexit 0\n";
    const PYTHON: &str = "import json, sys\nevent = json.load(sys.stdin)\nif event[\"command\"]:\n    sys.exit(2)\nprint(json.dumps({\"decision\": \"block\", \"reason\": \"not on main\"}))\n";

    #[test]
    fn the_line_that_decided() {
        let traceback = "Traceback (most recent call last):\n  File \"/p/guard.py\", line 3, in <module>\n    if event[\"command\"]:\n  File \"/usr/lib/x.py\", line 1, in load\n    other\nKeyError: 'command'\n";
        for (script, code, stdout, stderr, want) in [
            (GUARD, 2, "", "refused: rm -rf in /p\n", Some(6)),
            (GUARD, 0, "", "", Some(9)),
            (GUARD, 7, "", "", None),
            (PYTHON, 2, "", "", Some(4)),
            (PYTHON, 0, "{\"decision\": \"block\", \"reason\": \"not on main\"}", "", Some(5)),
            (PYTHON, 1, "", traceback, Some(3)),
        ] {
            let report = RunReport::new(RunId(0), Exit::Code(code), stdout, stderr);
            assert_eq!(deciding_line(script, &report), want, "{code} {stdout} {stderr}");
        }
    }
}
