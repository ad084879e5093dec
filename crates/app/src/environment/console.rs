//! Output to stdout and stderr, and the terminal of questions. A closed pipe is ignored; `println!` would panic.

use std::io::Write as _;
use std::process::ExitCode;

use hookbench_core::text::escape_lines_for_terminal;

/// Writes to stdout.
pub fn write_stdout(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Reports a problem on stderr.
pub fn write_stderr(says: impl std::fmt::Display) {
    // The message may contain text from other sources, such as file names or values.
    let says = escape_lines_for_terminal(&says.to_string());
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(format!("hookbench: {says}\n").as_bytes()).and_then(|()| stderr.flush());
}

/// The columns and rows of the terminal on stderr. `None` if it is none, or says nothing about its size.
#[cfg(unix)]
pub fn terminal_size() -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col.into(), size.ws_row.into()))
}

#[cfg(not(unix))]
pub fn terminal_size() -> Option<(usize, usize)> {
    None
}

/// Discards what was typed and not read yet: it does not answer the text that is shown next.
pub fn discard_typed_input() {
    #[cfg(unix)]
    // Fails only without a terminal, and then no question is asked.
    let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// The exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    Ok,
    /// The result differs from `--expect`.
    NotAsExpected,
    Usage,
    /// The verdict is `unknown`, or the agent version is untested, under `--strict`.
    Unknown,
    ConsentNeeded,
    /// A file named on the command line is unreadable or invalid.
    BadFile,
    Internal,
    Interrupted,
}

impl ExitStatus {
    /// The status as a number.
    pub fn code(self) -> u8 {
        match self {
            ExitStatus::Ok => 0,
            ExitStatus::NotAsExpected => 1,
            ExitStatus::Usage => 2,
            ExitStatus::Unknown => 3,
            ExitStatus::ConsentNeeded => 4,
            ExitStatus::BadFile => 5,
            ExitStatus::Internal => 70,
            ExitStatus::Interrupted => 130,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        ExitCode::from(status.code())
    }
}
