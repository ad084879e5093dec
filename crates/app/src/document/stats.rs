//! The document of `stats --format json`: the times and failures of each hook.

use std::time::Duration;

use serde::Serialize;

use crate::recordings::hook_stats::HookStats;

/// The heights of a bar of the course.
pub const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The part of the time limit from which p95 is marked.
const NEAR_LIMIT: f64 = 0.8;

/// The top level of the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatsDoc {
    /// `stats/1`.
    pub schema: &'static str,
    /// The filter that selected the events; empty for all.
    pub filter: String,
    /// The number of runs of all hooks.
    pub runs: usize,
    /// The slowest first.
    pub hooks: Vec<HookStatsDoc>,
}

/// One definition of a hook. A changed definition is another one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HookStatsDoc {
    pub agent: String,
    pub event: String,
    pub hook: String,
    /// `file:line`; null if the definition is not configured now.
    pub source: Option<String>,
    pub runs: usize,
    /// Runs that failed or timed out: every exit status but 0 and 2, a signal, and an HTTP status other than 2xx.
    pub failures: usize,
    pub timeouts: usize,
    /// Null if the time of no run is known.
    pub times: Option<TimesDoc>,
    /// The time limit of the definition; null if it is not configured now or has none.
    pub limit_ms: Option<f64>,
    /// `p95_ms` divided by `limit_ms`.
    pub share_of_limit: Option<f64>,
}

/// The times of runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimesDoc {
    /// The number of runs whose time is known.
    pub runs: usize,
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub slowest_ms: f64,
    /// The number of the event of the slowest run, for `db show`.
    pub slowest_event: i64,
    /// The medians of up to 16 equal parts of the runs, in the order in which they were recorded.
    pub course_ms: Vec<f64>,
}

impl HookStatsDoc {
    /// Whether p95 comes near the time limit.
    pub fn is_near_limit(&self) -> bool {
        self.share_of_limit.is_some_and(|share| share >= NEAR_LIMIT)
    }
}

/// Builds the document.
pub fn stats_doc(filter: &str, stats: &[HookStats]) -> StatsDoc {
    let hook = |one: &HookStats| HookStatsDoc {
        agent: one.agent.clone(),
        event: one.event.clone(),
        hook: one.hook.clone(),
        source: one.configured.as_ref().map(|configured| configured.source.clone()),
        runs: one.runs,
        failures: one.failures,
        timeouts: one.timeouts,
        times: one.times.as_ref().map(|times| TimesDoc {
            runs: times.runs,
            p50_ms: millis(times.p50),
            p95_ms: millis(times.p95),
            slowest_ms: millis(times.slowest),
            slowest_event: times.slowest_event,
            course_ms: times.course.iter().copied().map(millis).collect(),
        }),
        limit_ms: one.configured.as_ref().and_then(|configured| configured.limit).map(millis),
        share_of_limit: one.share_of_limit(),
    };
    StatsDoc {
        schema: "stats/1",
        filter: filter.to_owned(),
        runs: stats.iter().map(|one| one.runs).sum(),
        hooks: stats.iter().map(hook).collect(),
    }
}

/// Milliseconds to the microsecond.
pub(super) fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// A time for people: `7 ms`, `0.4 ms`, `1.2 s`.
pub fn format_millis(time: f64) -> String {
    match time {
        time if time >= 1000.0 => format!("{:.1} s", time / 1000.0),
        time if time >= 9.95 => format!("{time:.0} ms"),
        time => format!("{time:.1} ms"),
    }
}

/// A part of the time limit for people: `3 %`, `<1 %`.
pub fn format_share(share: f64) -> String {
    if share > 0.0 && share < 0.005 { "<1 %".to_owned() } else { format!("{:.0} %", share * 100.0) }
}

/// A bar of these heights for each value, on the scale from 0 to the largest.
pub fn sparkline(values: &[f64], bars: [char; 8]) -> String {
    let most = values.iter().copied().fold(0.0, f64::max);
    let bar = |value: &f64| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of 8")]
        let height = if most > 0.0 { (value / most * 7.0).round() as usize } else { 0 };
        bars.get(height).copied().unwrap_or(' ')
    };
    values.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::{BARS, format_millis, sparkline};

    #[test]
    fn a_course_is_drawn_from_zero_to_its_largest_value() {
        for (values, want) in
            [(vec![], ""), (vec![0.0, 0.0], "▁▁"), (vec![5.0], "█"), (vec![0.0, 1.0, 3.5, 7.0], "▁▂▅█")]
        {
            assert_eq!(sparkline(&values, BARS), want, "{values:?}");
        }
    }

    #[test]
    fn times_have_as_many_digits_as_help() {
        for (time, want) in [
            (0.42, "0.4 ms"),
            (9.94, "9.9 ms"),
            (9.96, "10 ms"),
            (999.4, "999 ms"),
            (1000.0, "1.0 s"),
            (61_250.0, "61.2 s"),
        ] {
            assert_eq!(format_millis(time), want);
        }
    }
}
