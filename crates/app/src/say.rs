//! Output to stdout and stderr. A closed pipe is ignored; `println!` would panic.

use std::io::Write as _;

use hookbench_core::text::visible_lines;

/// Writes to stdout.
pub fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Reports a problem on stderr.
pub fn complain(says: impl std::fmt::Display) {
    // The message may contain text from other sources, such as file names or values.
    let says = visible_lines(&says.to_string());
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(format!("hookbench: {says}\n").as_bytes()).and_then(|()| stderr.flush());
}
