//! Progress on stderr: a line that is updated in place on a terminal, else a line from time to time. And warnings
//! before a command begins.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Moves to the first column and erases the line.
const ERASE: &str = "\r\u{1b}[K";
/// The time between two updates on a terminal, and between two lines elsewhere.
const UPDATE: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(10);

/// The progress of one piece of work.
pub struct ProgressLine {
    terminal: bool,
    shown: bool,
    /// When the next line is due.
    due: Instant,
}

impl ProgressLine {
    pub fn new() -> ProgressLine {
        let terminal = std::io::stderr().is_terminal();
        let due = Instant::now() + if terminal { Duration::ZERO } else { LINE };
        ProgressLine { terminal, shown: false, due }
    }

    /// For work that is known to take long: the first line is printed at once, without a terminal too.
    pub fn for_long_work() -> ProgressLine {
        ProgressLine { due: Instant::now(), ..ProgressLine::new() }
    }

    /// Whether the line is updated in place.
    pub fn is_on_terminal(&self) -> bool {
        self.terminal
    }

    /// Prints a separate line, for each step of work whose steps take long.
    pub fn print(&self, text: &str) {
        let before = if self.shown { ERASE } else { "" };
        write(&format!("{before}{text}\n"));
    }

    /// Shows the progress if an update is due. The text is built only if it is shown.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        let now = Instant::now();
        if now < self.due {
            return;
        }
        self.due = now + if self.terminal { UPDATE } else { LINE };
        if self.terminal {
            self.shown = true;
            write(&format!("{ERASE}{}", text()));
        } else {
            write(&format!("{}\n", text()));
        }
    }

    /// Erases the line.
    pub fn clear(&self) {
        if self.shown {
            write(ERASE);
        }
    }
}

/// Prints a warning before a command begins its work.
pub fn warn(text: &str) {
    write(&format!("warning: {text}\n"));
}

/// Ignores errors: the command succeeds without its progress line.
fn write(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
