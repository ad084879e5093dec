//! Text for people: aligned, coloured only on a terminal, readable without colour.

mod page;
mod pages;

pub use pages::{events, firing, list, plan, why};

use std::io::Write as _;

/// Writes to stdout. A reader that has gone away is no trouble of ours.
pub fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
