//! The times and failures of hooks as a report: a row for each hook, and the course of the selected one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::symbols::bar;
use ratatui::widgets::{Bar, BarChart, BarGroup, Widget as _};

use super::{EventsReport, ReportRow, ReportSubject, RowLink};
use crate::theme::Theme;
use crate::widgets::{RowWriter, StyledLine, fit, width};
use hookbench_app::HookStats;
use hookbench_app::document::{StatsDoc, format_millis, format_share, sparkline};
use hookbench_core::dialects;
use hookbench_core::filter::{Filter, FilterTest, WordPattern, parse};
use hookbench_core::text::{one_line, pluralize};

/// A column after the name of the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StatsColumn {
    Event,
    Agent,
    Runs,
    Failed,
    P50,
    P95,
    Slowest,
    OfLimit,
    Course,
}

use StatsColumn::{Agent, Course, Event, Failed, OfLimit, P50, P95, Runs, Slowest};

/// All columns, from left to right.
const ALL: [StatsColumn; 9] = [Event, Agent, Runs, Failed, P50, P95, Slowest, OfLimit, Course];

/// The order in which columns are hidden on a narrow screen.
const HIDING_ORDER: [StatsColumn; 6] = [Agent, P50, Event, Course, Slowest, Failed];

/// Maximum width of names, in columns.
const NAME: usize = 24;
/// Width of the number of hidden columns.
const HIDDEN: usize = 4;
/// The smallest width of a bar of the course with its time, in columns.
const WITH_TIME: u16 = 6;
/// Maximum width of a bar.
const WIDEST_BAR: u16 = 9;

impl StatsColumn {
    fn title(self) -> &'static str {
        match self {
            Event => "event",
            Agent => "agent",
            Runs => "runs",
            Failed => "failed",
            P50 => "p50",
            P95 => "p95",
            Slowest => "slowest",
            OfLimit => "of limit",
            Course => "course",
        }
    }

    /// Whether the column is right-aligned.
    fn is_number(self) -> bool {
        !matches!(self, Event | Agent | Course)
    }

    fn cell(self, hook: &HookStats, theme: Theme) -> (Style, String) {
        let time = |of: &dyn Fn(&hookbench_app::TimeSummary) -> f64| {
            hook.times.as_ref().map_or_else(|| "-".to_owned(), |times| format_millis(of(times)))
        };
        match self {
            Event => (theme.plain(), hook.event.clone()),
            Agent => (theme.plain(), agent_name(hook).to_owned()),
            Runs => (theme.plain(), hook.runs.to_string()),
            Failed if hook.failures == 0 => (theme.quiet(), "-".to_owned()),
            Failed => (theme.bad(), hook.failures.to_string()),
            P50 => (theme.plain(), time(&|times| times.p50_ms)),
            P95 => (theme.strong(), time(&|times| times.p95_ms)),
            Slowest => (theme.plain(), time(&|times| times.slowest_ms)),
            OfLimit => {
                let share = hook.share_of_limit.map_or_else(|| "-".to_owned(), format_share);
                if hook.is_near_limit() { (theme.warn(), format!("! {share}")) } else { (theme.quiet(), share) }
            }
            Course => {
                let course = hook.times.as_ref().map(|times| sparkline(&times.course_ms, theme.bars()));
                (theme.name(), course.unwrap_or_default())
            }
        }
    }
}

fn agent_name(hook: &HookStats) -> &str {
    dialects::by_id(&hook.agent).map_or(hook.agent.as_str(), |dialect| dialect.name())
}

/// The columns that fit beside the names, each with its width.
fn columns(stats: &StatsDoc, room: usize, theme: Theme) -> (usize, Vec<(StatsColumn, usize)>) {
    let widest = |texts: &mut dyn Iterator<Item = usize>, title: &str| texts.max().unwrap_or(0).max(width(title));
    let names = widest(&mut stats.hooks.iter().map(|hook| width(&one_line(&hook.hook))), "hook").min(NAME);
    let of = |column: StatsColumn| {
        let cells = &mut stats.hooks.iter().map(|hook| width(&column.cell(hook, theme).1));
        (column, widest(cells, column.title()).min(NAME))
    };
    let mut all: Vec<(StatsColumn, usize)> = ALL.into_iter().map(of).collect();
    for next in HIDING_ORDER {
        // The number of hidden columns needs room, too.
        let sign = if all.len() < ALL.len() { HIDDEN } else { 0 };
        if names + sign + all.iter().map(|(_, wide)| wide + 2).sum::<usize>() <= room {
            break;
        }
        all.retain(|(column, _)| *column != next);
    }
    (names, all)
}

/// The rows: the titles of the columns, and a row for each hook that leads to its runs.
pub fn rows(stats: &StatsDoc, typed_filter: &str, room: usize, theme: Theme) -> Vec<ReportRow> {
    if stats.hooks.is_empty() {
        return Vec::new();
    }
    let (names, shown) = columns(stats, room, theme);
    let line = |name: (Style, &str), cell: &dyn Fn(StatsColumn) -> (Style, String)| -> StyledLine {
        let text = fit(&one_line(name.1), names, theme);
        let mut line = vec![(name.0, format!("{text}{}", " ".repeat(names.saturating_sub(width(&text)))))];
        for (column, wide) in &shown {
            let (style, text) = cell(*column);
            let text = fit(&one_line(&text), *wide, theme);
            let air = " ".repeat(wide.saturating_sub(width(&text)));
            let text = if column.is_number() { format!("  {air}{text}") } else { format!("  {text}{air}") };
            line.push((style, text));
        }
        line
    };
    let mut titles = line((theme.quiet(), "hook"), &|column| (theme.quiet(), column.title().to_owned()));
    let hidden = ALL.len() - shown.len();
    if hidden > 0 {
        titles.push((theme.quiet(), format!("  +{hidden}")));
    }
    let row = |hook: &HookStats| ReportRow {
        line: line((theme.strong(), &hook.hook), &|column| column.cell(hook, theme)),
        link: RowLink::Runs(runs_filter(hook, typed_filter)),
    };
    std::iter::once(ReportRow { line: titles, link: RowLink::Nowhere }).chain(stats.hooks.iter().map(row)).collect()
}

/// The filter for the runs of a hook among the events that the typed filter selects.
fn runs_filter(hook: &HookStats, typed_filter: &str) -> String {
    let tests = [
        FilterTest::Hook(hook.hook.clone()),
        FilterTest::Event(WordPattern(hook.event.clone())),
        FilterTest::Agent(WordPattern(hook.agent.clone())),
    ];
    let typed = parse(typed_filter).ok().filter(|filter| filter.as_constant().is_none());
    Filter::All(typed.into_iter().chain(tests.into_iter().map(Filter::Test)).collect()).to_string()
}

/// The hook of the selected row.
fn selected(report: &EventsReport) -> Option<&HookStats> {
    let ReportSubject::Stats { stats, .. } = &report.subject else { return None };
    stats.hooks.get(report.current()?.selected.checked_sub(1)?)
}

/// The facts about the selected hook that its row has no room for.
pub fn facts(report: &EventsReport, theme: Theme) -> Vec<StyledLine> {
    let Some(hook) = selected(report) else { return Vec::new() };
    let limit = hook.limit_ms.map(|limit| format!("   limit {}", format_millis(limit))).unwrap_or_default();
    let source = hook.source.as_deref().unwrap_or("no longer configured");
    let mut lines = vec![vec![
        (theme.strong(), one_line(&hook.hook)),
        (theme.plain(), format!("   {} {}", agent_name(hook), hook.event)),
        (theme.quiet(), format!("   {source}{limit}")),
    ]];
    let late = if hook.timeouts > 0 { format!(", {} timed out", hook.timeouts) } else { String::new() };
    let runs = format!("{}, {} failed{late}", pluralize(hook.runs as u64, "run"), hook.failures);
    let times = match &hook.times {
        None => "   no times recorded".to_owned(),
        Some(times) => format!("   slowest {} in #{}", format_millis(times.slowest_ms), times.slowest_event),
    };
    lines.push(vec![(theme.plain(), runs), (theme.quiet(), times)]);
    lines
}

/// Draws the course of the selected hook's times: the median of each part of its runs, the oldest first.
pub fn draw_course(report: &EventsReport, area: Rect, buf: &mut Buffer, theme: Theme) {
    let Some(times) = selected(report).and_then(|hook| hook.times.as_ref()) else { return };
    let count = u16::try_from(times.course_ms.len()).unwrap_or(u16::MAX).max(1);
    // One bar compares with nothing.
    if area.height < 3 || area.width < count || count < 2 {
        return;
    }
    let axis = Rect { y: area.bottom() - 1, height: 1, ..area };
    RowWriter::new(axis, buf, theme).skip(1).put(theme.quiet(), "medians of its runs, the oldest first");
    let pitch = (area.width.saturating_sub(1) / count).clamp(1, WIDEST_BAR + 1);
    let wide = (pitch - 1).max(1);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a height in microseconds")]
    let bar = |time: &f64| {
        let text = if wide >= WITH_TIME { format_millis(*time) } else { String::new() };
        Bar::new((time * 1000.0).max(1.0) as u64).text_value(text)
    };
    let bars: Vec<Bar<'_>> = times.course_ms.iter().map(bar).collect();
    let place = Rect { x: area.x + 1, width: area.width - 1, height: area.height - 1, ..area };
    BarChart::default()
        .data(BarGroup::default().bars(&bars))
        .bar_width(wide)
        .bar_gap(pitch - wide)
        .bar_set(bar_set(theme))
        .bar_style(theme.name().remove_modifier(Modifier::BOLD))
        .value_style(theme.name().add_modifier(Modifier::REVERSED))
        .render(place, buf);
}

fn bar_set(theme: Theme) -> bar::Set<'static> {
    const ASCII: bar::Set<'static> = bar::Set {
        full: "#",
        seven_eighths: "#",
        three_quarters: "#",
        five_eighths: "=",
        half: "=",
        three_eighths: "-",
        one_quarter: "-",
        one_eighth: "_",
        empty: " ",
    };
    if theme.unicode { bar::NINE_LEVELS } else { ASCII }
}
