//! Output to stdout and stderr. A closed pipe is ignored; `println!` would panic.

use std::io::Write as _;

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
