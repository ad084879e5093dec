//! Times of runs: durations as text, and timeouts.

use std::time::Duration;

use hookbench_core::run::Launch;

/// A duration as text: `600 s`, `1.5 s`, `38 ms`.
pub fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) && !time.is_zero() {
        return format!("{} ms", time.as_millis());
    }
    let text = format!("{:.1}", time.as_secs_f64());
    format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
}

/// The timeout of a run.
pub fn limit(launch: &Launch) -> Option<Duration> {
    match launch {
        Launch::Process(spec) => spec.timeout,
        Launch::Http(spec) => spec.timeout,
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => None,
    }
}
