//! HW504, HW505, HW508, HW509: runs that exceeded or nearly exceeded their time limit, and leftover processes.

use std::time::Duration;

use super::{FiringContext, RunContext};
use crate::diagnostic::{Code, Diagnostic};
use crate::run::{Exit, Launch, RunId};

/// Shorter waits for leftover processes are not reported.
const MIN_LINGER: Duration = Duration::from_millis(500);
/// A shorter run is never slow.
const NEVER_SLOW: Duration = Duration::from_secs(1);
/// The part of the time limit from which a run counts as slow.
const SLOW_PART: f64 = 0.8;
/// With a shorter grace period, the agent kills the process without giving it time to end.
const GRACE: Duration = Duration::from_millis(500);
/// The minimum number of runs for a statement about all of them.
const MIN_RUNS: usize = 5;

pub(super) fn check(at: &RunContext<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let report = &at.run.report;
    let timed_out = matches!(report.exit, Exit::TimedOut { .. });
    if let Some(limit) = at.timeout().filter(|_| !timed_out && at.awaited() && at.process()) {
        let took = report.timing.duration();
        if took >= NEVER_SLOW && took.as_secs_f64() >= SLOW_PART * limit.as_secs_f64() {
            let says = format!(
                "the hook took {} of its {}: if it takes longer, its answer is ignored",
                format_duration(took),
                format_duration(limit)
            );
            found.push(Diagnostic::new(Code::HW505, says).with_help("make it faster, or increase its timeout"));
        }
    }
    if report.lingered >= MIN_LINGER && at.awaited() {
        let says = format!(
            "the hook had ended, but {} waited {} more for a background process that kept its output open",
            at.agent(),
            format_duration(report.lingered)
        );
        let help = "redirect the output of background processes: >/dev/null 2>&1 &";
        found.push(Diagnostic::new(Code::HW508, says).with_help(help));
    }
    let asked = matches!(&at.run.launch, Launch::Process(spec) if spec.kill.grace >= GRACE);
    if timed_out && asked && report.leftovers.iter().any(|left| left.ignored_sigterm) {
        let says = "the hook timed out and ignored SIGTERM: only SIGKILL ended it";
        let help =
            "exit on SIGTERM: a trap that does not exit, or that first waits for a program, keeps the shell alive";
        found.push(Diagnostic::new(Code::HW509, says).with_help(help));
    }
    found
}

/// HW504: runs that timed out, on an event that was therefore not blocked.
pub(super) fn check_timeouts(at: &FiringContext<'_>) -> Vec<(RunId, Diagnostic)> {
    if at.event.blockable_action.is_none() || at.outcome.blocked {
        return Vec::new();
    }
    let late = at.runs.iter().filter(|run| run.awaited && !at.outcome.decided_by.contains(&run.hook));
    late.filter_map(|run| {
        let Exit::TimedOut { after } = run.report.exit else { return None };
        let says = format!(
            "the hook did not answer in {}, and a timeout does not block {}",
            format_duration(after),
            at.event.name
        );
        let form = at.dialect.settings_format();
        let fails = form.handlers.iter().any(|handler| handler.optional.contains(&"onFailure"));
        let stop = at.event.fields.iter().any(|field| field.name == "stop_hook_active");
        let help = if fails && !stop {
            "make it faster, or set `onFailure` to \"block\""
        } else {
            "make it faster, or increase its timeout"
        };
        Some((run.run, Diagnostic::new(Code::HW504, says).with_help(help)))
    })
    .collect()
}

/// HW505: reports recorded runs that are slow. `times` is in any order; `limit` is the hook's time limit.
pub fn check_durations(times: &[Duration], limit: Duration, per_tool: bool) -> Option<Diagnostic> {
    if times.len() < MIN_RUNS || limit.is_zero() {
        return None;
    }
    let mut times = times.to_vec();
    times.sort_unstable();
    let p95 = *times.get((times.len() * 95).div_ceil(100).saturating_sub(1))?;
    let part = p95.as_secs_f64() / limit.as_secs_f64();
    if p95 < NEVER_SLOW || part < SLOW_PART {
        return None;
    }
    let each = if per_tool { ", and each tool call waits for it" } else { "" };
    let says = format!(
        "95 % of its {} recorded runs took up to {} of the allowed {}{each}",
        times.len(),
        format_duration(p95),
        format_duration(limit)
    );
    Some(Diagnostic::new(Code::HW505, says).with_help("make it faster, narrow its matcher, or increase its timeout"))
}

/// Formats a duration: `1.2 s`, `340 ms`.
pub(super) fn format_duration(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        return format!("{} ms", time.as_millis());
    }
    if time.subsec_millis() < 50 { format!("{} s", time.as_secs()) } else { format!("{:.1} s", time.as_secs_f64()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_times() {
        let secs = |list: &[u64]| list.iter().map(|ms| Duration::from_millis(*ms)).collect::<Vec<_>>();
        for (times, limit, want) in [
            (secs(&[4500, 4600, 4700, 4800, 4900]), 5, true),
            (secs(&[4500, 4600, 4700, 4800]), 5, false),
            (secs(&[100, 100, 100, 100, 4900]), 5, true),
            (secs(&[100; 40]), 1, false),
            (secs(&[900; 40]), 1, false),
            (secs(&[30_000; 40]), 600, false),
        ] {
            assert_eq!(
                check_durations(&times, Duration::from_secs(limit), true).is_some(),
                want,
                "{times:?} of {limit}"
            );
        }
        let one = [vec![Duration::from_millis(10); 99], vec![Duration::from_secs(5)]].concat();
        assert_eq!(check_durations(&one, Duration::from_secs(5), false), None, "one in a hundred");
    }
}
