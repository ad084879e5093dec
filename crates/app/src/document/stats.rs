//! The document of `stats --format json`: the times and failures of each hook.

use serde::Serialize;

use crate::recordings::hook_stats::HookStats;

/// The heights of a bar of the course.
pub const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

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
    pub hooks: Vec<HookStats>,
}

/// Builds the document.
pub fn stats_doc(filter: &str, stats: Vec<HookStats>) -> StatsDoc {
    StatsDoc {
        schema: "stats/1",
        filter: filter.to_owned(),
        runs: stats.iter().map(|one| one.runs).sum(),
        hooks: stats,
    }
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
