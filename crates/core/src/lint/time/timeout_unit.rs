//! HW501: a timeout that is meant in milliseconds but counts in seconds.

use std::time::Duration;

use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::dialects::RuleContext;
use crate::lint::handler_spans;

/// Larger numbers are never meant as seconds.
const NEVER_SECONDS: u64 = 10_000;
/// From here on, round thousands are milliseconds. 1200, 1800 and 3600 are seconds.
const LOOKS_ROUND: u64 = 1_000;

/// Checks for a number that makes sense only in milliseconds, where the agent counts seconds.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let (key, written) = timeout_in_seconds(at)?;
    if !looks_like_milliseconds(written) {
        return None;
    }
    let says = format!("the timeout {written} is in seconds in {}: {}", at.agent_name(), long(written));
    let seconds = written.div_ceil(1000).max(1);
    let place = handler_spans::value_span(at, key);
    let found =
        Diagnostic::new(Code::HW501, says).at(place).with_help(format!("if you meant milliseconds, write {seconds}"));
    // Group the findings by file: an author who confuses the unit does so in all timeouts.
    let found = found.with_cause(format!("timeouts in {}", at.definition.provenance.file));
    let exact = at.agent.sources.slice(place).trim() == written.to_string();
    Some(if exact { found.with_fix(Fix::safe(place, seconds.to_string())) } else { found })
}

/// The key of the handler whose number of seconds is its limit. Its name depends on the agent, and may contain the unit.
fn timeout_in_seconds<'a>(at: &RuleContext<'a>) -> Option<(&'a str, u64)> {
    let limits = at.definition.raw.as_object()?.iter().filter(|(key, _)| key.starts_with("timeout"));
    let mut seconds = limits.filter_map(|(key, value)| Some((key.as_str(), value.as_u64()?)));
    seconds.find(|(_, written)| at.definition.timeout == Some(Duration::from_secs(*written)))
}

/// Whether a number of seconds was meant in milliseconds.
pub(super) fn looks_like_milliseconds(written: u64) -> bool {
    let day = written == 86_400 || (written.is_multiple_of(3600) && written < NEVER_SECONDS);
    let round = written >= LOOKS_ROUND && (written.is_multiple_of(1000) || written == 1500 || written == 2500);
    !day && (round || written >= NEVER_SECONDS)
}

/// Formats seconds as `8 h 20 min`.
fn long(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let parts = [(hours, "h"), (minutes, "min"), (rest, "s")];
    let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n} {unit}")).collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::looks_like_milliseconds;

    #[test]
    fn seconds_are_left_alone() {
        for (written, want) in [
            (5, false),
            (60, false),
            (300, false),
            (600, false),
            (900, false),
            (1200, false),
            (1800, false),
            (3600, false),
            (7200, false),
            (86_400, false),
            (1000, true),
            (1500, true),
            (3000, true),
            (5000, true),
            (30_000, true),
            (60_000, true),
            (600_000, true),
        ] {
            assert_eq!(looks_like_milliseconds(written), want, "{written}");
        }
    }
}
