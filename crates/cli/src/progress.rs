//! A line of progress on stderr that is updated in place, and warnings before a command begins.

use std::io::{IsTerminal as _, Write as _};

/// Moves to the first column and erases the line.
const ERASE: &str = "\r\u{1b}[K";

/// A progress line. It shows nothing if stderr is not a terminal.
pub struct ProgressLine {
    terminal: bool,
    shown: bool,
}

impl ProgressLine {
    pub fn new() -> ProgressLine {
        ProgressLine { terminal: std::io::stderr().is_terminal(), shown: false }
    }

    /// Replaces the line. The text is built only if it is shown.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        if self.terminal {
            self.shown = true;
            write(&format!("{ERASE}{}", text()));
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
