//! Reading the typed lines.

use std::io::BufRead as _;

use tokio::sync::mpsc;

/// Starts reading lines from stdin.
pub fn stdin_lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    // In its own thread, because the blocking read cannot be interrupted; the thread ends with the program.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
