//! What is typed, line by line.

use std::io::BufRead as _;

use tokio::sync::mpsc;

/// Lines of stdin, as they come.
pub fn typed() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    // A thread of its own, since nothing can interrupt its reading; it ends with the program.
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
