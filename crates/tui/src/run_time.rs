//! Times of runs and events as text, and timeouts.

use std::time::Duration;

use hookbench_core::recorded::format_time;
use hookbench_core::run::Launch;

/// A duration as text: `600 s`, `1.5 s`, `38 ms`.
pub fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) && !time.is_zero() {
        return format!("{} ms", time.as_millis());
    }
    let text = format!("{:.1}", time.as_secs_f64());
    format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
}

/// The duration of a run as text, at least 1 ms: `38 ms`, `1.7 s`.
pub fn took(time: Duration) -> String {
    match time.as_millis().max(1) {
        millis @ 1..1_000 => format!("{millis} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

/// The time of an event, in milliseconds since 1970, as text: `2026-11-27 14:03:37 UTC`.
pub fn utc(at: i64) -> Option<String> {
    let text = format_time(at)?;
    Some(format!("{} {} UTC", text.get(..10)?, text.get(11..19)?))
}

/// The timeout of a run.
pub fn limit(launch: &Launch) -> Option<Duration> {
    match launch {
        Launch::Process(spec) => spec.timeout,
        Launch::Http(spec) => spec.timeout,
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => None,
    }
}
