//! HW501: a timeout that was meant in milliseconds and counts in seconds.

use std::time::Duration;

use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Looked;

/// From here on nobody writes seconds.
const NEVER_SECONDS: u64 = 10_000;
/// From here on round thousands are milliseconds; 1200, 1800 and 3600 are seconds.
const LOOKS_ROUND: u64 = 1_000;

/// A number that makes sense only in milliseconds, where the agent takes it as seconds.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let written = at.definition.raw.get("timeout")?.as_u64()?;
    if at.definition.timeout != Some(Duration::from_secs(written)) {
        return None;
    }
    let round = written >= LOOKS_ROUND && written.is_multiple_of(500) && !written.is_multiple_of(300);
    if written < NEVER_SECONDS && !round {
        return None;
    }
    let says = format!("the timeout {written} counts in seconds in {}: {}", at.agent(), long(written));
    let help = format!("if milliseconds were meant, write {}", (written / 1000).max(1));
    Some(Diagnostic::error("HW501", says).at(at.handler()).help(help))
}

/// `8 h 20 min`.
fn long(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let parts = [(hours, "h"), (minutes, "min"), (rest, "s")];
    let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n} {unit}")).collect();
    parts.join(" ")
}
