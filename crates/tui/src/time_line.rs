//! A firing as a small chart: the waiting, the run and the end of each hook on one line of time.

use std::time::Duration;

use crate::model::Model;
use crate::run_time::{limit, took};
use crate::theme::Theme;
use crate::widgets::{StyledLine, fit, width};
use hookbench_app::document::format_share;
use hookbench_app::{FiringRecord, RunRecord, RunState};
use hookbench_core::recorded::RecordedEvent;
use hookbench_core::run::Exit;
use hookbench_core::text::{one_line, pluralize};

/// Maximum width of names, in columns.
const NAME: usize = 22;
/// Width of a time and of its part of the limit.
const TIME: usize = 8;
const SHARE: usize = 7;
/// Minimum and maximum number of cells of a bar.
const FEWEST_CELLS: usize = 6;
const MOST_CELLS: usize = 64;
/// The width from which the waiting of a hook is written beside its bar.
const WITH_WAITING: usize = 80;

/// The time of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedRun {
    pub hook: String,
    /// Since the start of the firing; `None` if only the length is known.
    pub started: Option<Duration>,
    /// `None` if the run has not started yet.
    pub length: Option<Duration>,
    pub limit: Option<Duration>,
    pub is_awaited: bool,
    /// Whether the run has ended.
    pub is_over: bool,
    /// The state, unless the process has ended by itself: `timed out`, `running`.
    pub end: Option<String>,
}

impl TimedRun {
    fn ended(&self) -> Duration {
        self.started.unwrap_or_default() + self.length.unwrap_or_default()
    }

    /// Whether the run ended, but not by itself.
    fn is_failure(&self) -> bool {
        self.is_over && self.end.is_some()
    }

    fn words(&self) -> String {
        let aside = (!self.is_awaited).then(|| "not awaited".to_owned());
        self.end.clone().into_iter().chain(aside).collect::<Vec<_>>().join(", ")
    }
}

/// The runs of a firing with their times. Answers that no process gave have none.
pub fn firing_times(model: &Model, firing: &FiringRecord) -> Vec<TimedRun> {
    let timed = |run: &RunRecord| {
        let hook = firing.loaded.definition(&run.hook).map_or_else(|| run.hook.clone(), |one| one.label());
        let (started, length, end) = match &run.state {
            RunState::Requested => (None, None, Some("waiting".to_owned())),
            RunState::Running { at } => {
                let elapsed = model.elapsed(model.started).saturating_sub(*at);
                (Some(*at), Some(elapsed), Some("running".to_owned()))
            }
            RunState::Ended(ended) if !is_timed(&ended.report.exit) => return None,
            RunState::Ended(ended) => {
                let timing = ended.report.timing;
                (Some(timing.started), Some(timing.duration()), other_end(&ended.report.exit))
            }
        };
        let limit = limit(&run.launch);
        let is_over = run.ended().is_some();
        Some(TimedRun { hook, started, length, limit, is_awaited: run.awaited, is_over, end })
    };
    firing.runs.iter().filter(|run| !model.is_assumed(run)).filter_map(timed).collect()
}

/// The recorded runs with their times. A run from a transcript has a length at most.
pub fn recorded_times(model: &Model, event: &RecordedEvent) -> Vec<TimedRun> {
    let configured = model.session.configured_hooks();
    let runs = event.runs.iter().filter_map(|run| {
        let timing = run.report.timing;
        let hook = run.definition.as_ref().and_then(|key| configured.get(key));
        let is_known = is_timed(&run.report.exit) && (!run.partial || !timing.duration().is_zero());
        is_known.then(|| TimedRun {
            hook: run.hook.clone(),
            started: (!run.partial).then_some(timing.started),
            length: Some(timing.duration()),
            limit: hook.and_then(|hook| hook.limit),
            is_awaited: true,
            is_over: true,
            end: other_end(&run.report.exit),
        })
    });
    runs.collect()
}

/// Whether a process or a server gave the answer, so that its time is known.
fn is_timed(exit: &Exit) -> bool {
    !matches!(exit, Exit::Answered { .. } | Exit::Unanswered)
}

/// The end of a run that did not end by itself.
fn other_end(exit: &Exit) -> Option<String> {
    (!matches!(exit, Exit::Code(_) | Exit::Http { .. })).then(|| exit.describe())
}

/// The number of the runs, whether they overlap, and the time until the last end.
pub fn summary(runs: &[TimedRun]) -> String {
    let hooks = pluralize(runs.len() as u64, "hook");
    let total = runs.iter().map(TimedRun::ended).max().unwrap_or_default();
    let starts: Option<Vec<(Duration, Duration)>> =
        runs.iter().filter(|run| run.length.is_some()).map(|run| Some((run.started?, run.ended()))).collect();
    let order = match starts {
        None if runs.len() > 1 => ": their starts are not recorded, longest",
        Some(spans) if spans.len() > 1 => {
            let last_start = spans.iter().map(|(start, _)| *start).max().unwrap_or_default();
            let first_end = spans.iter().map(|(_, end)| *end).min().unwrap_or_default();
            let mut ordered = spans;
            ordered.sort();
            let is_chain = ordered.is_sorted_by(|before, after| before.1 <= after.0);
            match (last_start < first_end, is_chain) {
                (true, _) => " in parallel,",
                (false, true) => " one after the other,",
                (false, false) => " partly in parallel,",
            }
        }
        _ => ",",
    };
    format!("{hooks}{order} {}", took(total))
}

/// Whether the times compare with something: with each other, or with a limit.
pub fn is_worth_drawing(runs: &[TimedRun]) -> bool {
    runs.len() > 1 || runs.iter().any(|run| run.limit.is_some())
}

/// The chart with its summary; empty if it is not worth drawing.
pub fn chart(theme: Theme, runs: &[TimedRun], columns: usize) -> Vec<StyledLine> {
    let title = || vec![(theme.strong(), "Time".to_owned()), (theme.quiet(), format!("  {}", summary(runs)))];
    let runs = if is_worth_drawing(runs) { runs } else { &[] };
    (!runs.is_empty()).then(title).into_iter().chain(lines(theme, runs, columns)).collect()
}

/// A line for each run: its waiting, its run, its length and its part of the time limit.
pub fn lines(theme: Theme, runs: &[TimedRun], columns: usize) -> Vec<StyledLine> {
    let names = runs.iter().map(|run| width(&one_line(&run.hook))).max().unwrap_or(0).min(NAME).min(columns / 3);
    let words = runs.iter().map(|run| width(&run.words())).max().filter(|wide| *wide > 0).map_or(0, |wide| wide + 2);
    let waits = |run: &TimedRun| run.started.filter(|start| columns >= WITH_WAITING && start.as_millis() > 0);
    let waiting = if runs.iter().any(|run| waits(run).is_some()) { "  after 00000 ms".len() } else { 0 };
    let cells = columns.saturating_sub(names + 2 + TIME + SHARE + words + waiting).clamp(FEWEST_CELLS, MOST_CELLS);
    let total = runs.iter().map(TimedRun::ended).max().unwrap_or_default();
    let row = |run: &TimedRun| {
        let name = fit(&one_line(&run.hook), names, theme);
        let share = run.length.zip(run.limit.filter(|limit| !limit.is_zero()));
        let share = share.map(|(length, limit)| format_share(length.as_secs_f64() / limit.as_secs_f64()));
        let mut line = vec![(theme.plain(), format!("{name}{}  ", " ".repeat(names.saturating_sub(width(&name)))))];
        line.extend(bar(theme, run, total, cells));
        let length = run.length.map(took).unwrap_or_default();
        line.push((theme.plain(), format!("{length:>TIME$}")));
        line.push((theme.quiet(), format!("{:>SHARE$}", share.unwrap_or_default())));
        if let Some(start) = waits(run) {
            line.push((theme.quiet(), format!("  after {}", took(start))));
        }
        if !run.words().is_empty() {
            line.push((if run.is_failure() { theme.warn() } else { theme.quiet() }, format!("  {}", run.words())));
        }
        line
    };
    runs.iter().map(row).collect()
}

/// The signs of a waiting hook, of a run, and of one that is not awaited.
const UNICODE: [&str; 3] = ["·", "━", "╍"];
const ASCII: [&str; 3] = [".", "=", "~"];

fn signs(theme: Theme) -> [&'static str; 3] {
    if theme.unicode { UNICODE } else { ASCII }
}

/// The signs of the chart with their meanings, for the help.
pub fn legend(theme: Theme) -> [(String, String); 2] {
    let [wait, awaited, aside] = signs(theme);
    [(format!("{wait} {awaited}"), "waits, runs".to_owned()), (aside.to_owned(), "runs, not awaited".to_owned())]
}

/// The waiting and the run on the line of time. A run that the agent does not wait for has another line, and one that did not
/// end by itself ends in a sign.
fn bar(theme: Theme, run: &TimedRun, total: Duration, cells: usize) -> StyledLine {
    let [wait, awaited, aside] = signs(theme);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "few cells"
    )]
    let place = |time: Duration| {
        let part = time.as_secs_f64() / total.as_secs_f64().max(1e-9);
        ((part * cells as f64).round() as usize).min(cells)
    };
    let Some(_) = run.length else { return vec![(theme.quiet(), wait.repeat(cells))] };
    let from = place(run.started.unwrap_or_default()).min(cells - 1);
    let to = place(run.ended()).max(from + 1);
    let has_failed = run.is_failure();
    let sign = if has_failed { "!" } else { "" };
    let style = match run.is_awaited {
        _ if has_failed => theme.warn(),
        true => theme.name(),
        false => theme.quiet(),
    };
    let cell = if run.is_awaited { awaited } else { aside };
    vec![
        (theme.quiet(), wait.repeat(from)),
        (style, format!("{}{sign}", cell.repeat(to - from - sign.len()))),
        (theme.plain(), " ".repeat(cells - to)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(hook: &str, started: Option<u64>, length: u64) -> TimedRun {
        TimedRun {
            hook: hook.to_owned(),
            started: started.map(Duration::from_millis),
            length: Some(Duration::from_millis(length)),
            limit: Some(Duration::from_secs(10)),
            is_awaited: true,
            is_over: true,
            end: None,
        }
    }

    fn drawn(unicode: bool, runs: &[TimedRun], columns: usize) -> Vec<String> {
        let text = |line: StyledLine| line.into_iter().map(|(_, text)| text).collect::<String>();
        chart(Theme { colour: false, unicode }, runs, columns).into_iter().map(text).collect()
    }

    #[test]
    fn order_waiting_and_ends_are_seen_without_colour() {
        let late = TimedRun { end: Some("timed out".to_owned()), ..run("c", Some(0), 400) };
        let aside = TimedRun { is_awaited: false, limit: None, ..run("d", Some(200), 200) };
        for (runs, want) in [
            (
                vec![run("a", Some(0), 200), run("b", Some(0), 400)],
                ["Time  2 hooks in parallel, 400 ms", "a  ━━━━━       200 ms    2 %", "b  ━━━━━━━━━━  400 ms    4 %"],
            ),
            (
                vec![run("a", Some(0), 200), run("b", Some(200), 200)],
                [
                    "Time  2 hooks one after the other, 400 ms",
                    "a  ━━━━━       200 ms    2 %",
                    "b  ·····━━━━━  200 ms    2 %",
                ],
            ),
            (
                vec![run("a", None, 200), run("b", None, 400)],
                [
                    "Time  2 hooks: their starts are not recorded, longest 400 ms",
                    "a  ━━━━━       200 ms    2 %",
                    "b  ━━━━━━━━━━  400 ms    4 %",
                ],
            ),
        ] {
            assert_eq!(drawn(true, &runs, 28), want);
        }
        assert_eq!(
            drawn(true, &[late.clone(), aside.clone()], 40),
            [
                "Time  2 hooks in parallel, 400 ms",
                "c  ━━━━━━━━!  400 ms    4 %  timed out",
                "d  ·····╍╍╍╍  200 ms         not awaited",
            ]
        );
        assert_eq!(
            drawn(false, &[late, aside], 40)[1..],
            ["c  ========!  400 ms    4 %  timed out", "d  .....~~~~  200 ms         not awaited",]
        );
    }
}
