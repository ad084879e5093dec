//! The times and failures of each hook over recorded runs.

use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;

use crate::recordings::store::{Store, StoreError};
use hookbench_core::filter::Filter;
use hookbench_core::run::{Exit, milliseconds};

/// The number of parts of the course of a hook's times.
const PARTS: usize = 16;

/// The part of the time limit from which p95 is marked.
const NEAR_LIMIT: f64 = 0.8;

/// One definition of a hook. A changed definition is another one.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "HookStatsDoc"))]
pub struct HookStats {
    pub agent: String,
    pub event: String,
    pub hook: String,
    // The key of the definition; `None` if only the agent knew it.
    #[serde(skip)]
    pub definition: Option<String>,
    /// `file:line`; null if the definition is not configured now.
    pub source: Option<String>,
    pub runs: usize,
    /// Runs that failed or timed out: every exit status but 0 and 2, a signal, and an HTTP status other than 2xx.
    pub failures: usize,
    pub timeouts: usize,
    /// Null if the time of no run is known.
    pub times: Option<TimeSummary>,
    /// The time limit of the definition; null if it is not configured now or has none.
    pub limit_ms: Option<f64>,
    /// `p95_ms` divided by `limit_ms`.
    pub share_of_limit: Option<f64>,
}

/// The times of runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TimesDoc"))]
pub struct TimeSummary {
    /// The number of runs whose time is known.
    pub runs: usize,
    #[serde(skip)]
    p95: Duration,
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub slowest_ms: f64,
    /// The number of the event of the slowest run, for `db show`.
    pub slowest_event: i64,
    /// The medians of up to 16 equal parts of the runs, in the order in which they were recorded.
    pub course_ms: Vec<f64>,
}

/// A definition in the current settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredHook {
    /// `file:line`.
    pub source: String,
    pub limit: Option<Duration>,
}

impl HookStats {
    /// Adds the place and the time limit of the definition.
    pub fn add_configured(&mut self, hook: &ConfiguredHook) {
        let limit = hook.limit.filter(|limit| !limit.is_zero());
        self.source = Some(hook.source.clone());
        self.limit_ms = hook.limit.map(milliseconds);
        self.share_of_limit =
            limit.zip(self.times.as_ref()).map(|(limit, times)| times.p95.as_secs_f64() / limit.as_secs_f64());
    }

    /// Whether p95 comes near the time limit.
    pub fn is_near_limit(&self) -> bool {
        self.share_of_limit.is_some_and(|share| share >= NEAR_LIMIT)
    }
}

/// Reads the runs of all matching events. The hooks with the longest times come first.
pub fn hook_stats(store: &Store, filter: &Filter, now: i64) -> Result<Vec<HookStats>, StoreError> {
    let mut stats: Vec<HookStats> = Vec::new();
    let mut times: Vec<Vec<(Duration, i64)>> = Vec::new();
    // A kind of events has few hooks, so a list finds the hook of a run without a copy of its name.
    let mut known: HashMap<i64, Vec<usize>> = HashMap::new();
    store.for_each_run(filter, now, &mut |run| {
        let of_kind = known.entry(run.kind.id()).or_default();
        let is_same = |one: &HookStats| one.hook == run.hook && one.definition.as_deref() == run.definition;
        let place = |index: &usize| stats.get(*index).is_some_and(is_same);
        let index = of_kind.iter().copied().find(|index| place(index)).unwrap_or_else(|| {
            let of_event = |one: &HookStats| one.agent == run.kind.agent && one.event == run.kind.event && is_same(one);
            let index = stats.iter().position(of_event).unwrap_or_else(|| {
                stats.push(HookStats {
                    agent: run.kind.agent.clone(),
                    event: run.kind.event.clone(),
                    hook: run.hook.to_owned(),
                    definition: run.definition.map(str::to_owned),
                    ..HookStats::default()
                });
                times.push(Vec::new());
                stats.len() - 1
            });
            of_kind.push(index);
            index
        });
        if let (Some(one), Some(all)) = (stats.get_mut(index), times.get_mut(index)) {
            one.runs += 1;
            one.failures += usize::from(is_failure(&run.exit));
            one.timeouts += usize::from(matches!(run.exit, Exit::TimedOut { .. }));
            all.extend(run.took.filter(|_| has_time(&run.exit)).map(|took| (took, run.event)));
        }
    })?;
    for (one, all) in stats.iter_mut().zip(times) {
        one.times = TimeSummary::of(all);
    }
    let slowness = |one: &HookStats| one.times.as_ref().map(|times| times.p95);
    stats.sort_by(|a, b| slowness(b).cmp(&slowness(a)).then(b.runs.cmp(&a.runs)).then(a.hook.cmp(&b.hook)));
    Ok(stats)
}

/// Whether a run ended in a way that decides nothing.
fn is_failure(exit: &Exit) -> bool {
    match exit {
        Exit::Code(code) => !matches!(code, 0 | 2),
        Exit::Http { status } => !(200..300).contains(status),
        Exit::Signal(_) | Exit::TimedOut { .. } | Exit::FailedToStart { .. } => true,
        Exit::Cancelled | Exit::Answered { .. } | Exit::Unanswered => false,
    }
}

/// Whether the time of a run is that of the hook, and not that of its user.
fn has_time(exit: &Exit) -> bool {
    matches!(exit, Exit::Code(_) | Exit::Http { .. } | Exit::Signal(_) | Exit::TimedOut { .. })
}

impl TimeSummary {
    /// Summarizes times with the numbers of their events, in the order in which they were recorded.
    fn of(mut runs: Vec<(Duration, i64)>) -> Option<TimeSummary> {
        let course = runs.chunks(runs.len().div_ceil(PARTS).max(1)).filter_map(|part| {
            let mut part: Vec<Duration> = part.iter().map(|(took, _)| *took).collect();
            percentile(&mut part, 50).map(milliseconds)
        });
        let course_ms: Vec<f64> = course.collect();
        let (p50, _) = percentile(&mut runs, 50)?;
        let (p95, _) = percentile(&mut runs, 95)?;
        let (slowest, slowest_event) = runs.iter().copied().max()?;
        let [p50_ms, p95_ms, slowest_ms] = [p50, p95, slowest].map(milliseconds);
        Some(TimeSummary { runs: runs.len(), p95, p50_ms, p95_ms, slowest_ms, slowest_event, course_ms })
    }
}

/// The value that this part of the values stays within, by the nearest rank. `None` without a value.
pub fn percentile<T: Ord + Copy>(values: &mut [T], percent: usize) -> Option<T> {
    let index = (values.len() * percent).div_ceil(100).checked_sub(1)?;
    Some(*values.select_nth_unstable(index).1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use pretty_assertions::assert_eq;

    use super::{TimeSummary, percentile};

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    #[test]
    fn percentiles_are_the_nearest_ranks() {
        for (times, p50, p95) in [
            (vec![7], Some(7), Some(7)),
            (vec![4, 1, 3, 2], Some(2), Some(4)),
            ((1..=100).rev().collect(), Some(50), Some(95)),
            (Vec::new(), None, None),
        ] {
            let of = |percent| {
                let mut times: Vec<Duration> = times.iter().map(|time| ms(*time)).collect();
                percentile(&mut times, percent)
            };
            assert_eq!((of(50), of(95)), (p50.map(ms), p95.map(ms)), "{times:?}");
        }
    }

    #[test]
    fn the_course_keeps_the_order_and_the_slowest_its_event() {
        let runs: Vec<(Duration, i64)> =
            (1..=40).map(|n| (ms(if n == 30 { 900 } else { 40 - n }), i64::try_from(n).unwrap_or(0))).collect();
        let summary = TimeSummary::of(runs).expect("there are runs");
        assert_eq!((summary.runs, summary.slowest_ms, summary.slowest_event), (40, 900.0, 30));
        assert_eq!(summary.course_ms.len(), 14, "three runs a part");
        assert_eq!((summary.course_ms[0], summary.course_ms[13]), (38.0, 0.0));
    }
}
