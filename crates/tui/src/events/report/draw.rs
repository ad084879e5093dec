//! The layout of a report, its band, and the path to the open level.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::rows::{ascii_ellipsis, preview};
use super::{EventsReport, LevelContent, ReportLevel, ReportSubject, RowLink, counts, stats};
use crate::bench::{Band, SizeClass, band_height, band_row};
use crate::events::filter_line::{crumbs, separator};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::widgets::{ListWindow, Pane, RowWriter, hidden_words};
use hookbench_app::replay::{ReplayHeadline, ReplaySummary};
use hookbench_app::{EventReplay, ReplayTarget};
use hookbench_core::decide::Verdict;
use hookbench_core::text::pluralize;

/// The smallest height of the preview below the rows, with its border, in lines.
const PREVIEW: u16 = 8;

/// The pane of the rows, and the pane below it that shows what the selected row leads to. `None` if the rows need the
/// page, or if the size of the screen has one pane.
pub fn panes(model: &Model, report: &EventsReport, area: Rect, size: SizeClass) -> (Pane, Option<Pane>) {
    let rows = report.current().map_or(0, |level| level.rows.len());
    let wanted = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
    let upper = wanted.min(area.height * 3 / 5).max(PREVIEW.min(area.height));
    let is_event = matches!(report.current().map(|level| &level.content), Some(LevelContent::Event(_)));
    // An event is read as a whole first.
    let has_preview = size.has_two_panes()
        && (wanted <= upper || !is_event)
        && area.height - upper >= PREVIEW
        && !preview(model, report, 1).1.is_empty();
    if !has_preview {
        return (size.pane(area), None);
    }
    let below = Rect { y: area.y + upper, height: area.height - upper, ..area };
    (size.pane(Rect { height: upper, ..area }), Some(size.pane(below)))
}

/// The number of rows that fit.
pub fn room(model: &Model) -> usize {
    let at = frame_layout(model);
    let pane = match &model.events.report {
        Some(report) => panes(model, report, at.shared, at.size).0,
        None => at.size.pane(at.shared),
    };
    usize::from(pane.inner.height).saturating_sub(1).max(1)
}

/// Draws the rows and the preview.
pub fn draw(model: &Model, report: &EventsReport, area: Rect, size: SizeClass, buf: &mut Buffer) {
    let (pane, below) = panes(model, report, area, size);
    let title = if let ReportSubject::Stats { .. } = &report.subject { "Hooks, slowest first" } else { "Result" };
    pane.draw((model.theme.strong(), title), "", model.popups.is_empty(), buf, model.theme);
    draw_level(model, report, pane.inner, buf);
    let Some(below) = below else { return };
    let (title, lines) = preview(model, report, usize::from(below.inner.height) + 1);
    below.draw((model.theme.strong(), title), "", false, buf, model.theme);
    let room = usize::from(below.inner.height);
    if let ReportSubject::Stats { .. } = &report.subject {
        let used = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX).min(below.inner.height);
        let chart = Rect { y: below.inner.y + used, height: below.inner.height - used, ..below.inner };
        stats::draw_course(report, chart, buf, model.theme);
    }
    for (y, line) in (below.inner.top()..).zip(lines.iter().take(room)) {
        let mut cells = RowWriter::new(Rect { y, height: 1, ..below.inner }, buf, model.theme);
        cells.skip(1);
        for (style, text) in line {
            cells.put(*style, text);
        }
    }
    let is_event = matches!(report.current().map(|level| &level.content), Some(LevelContent::Event(_)));
    if lines.len() > room && !is_event {
        let says = format!(" {} open ", model.key(UiCommand::Open));
        RowWriter::new(below.with_title(), buf, model.theme).right(model.theme.quiet(), &says);
    }
}

/// The places of the rows with their indexes.
pub fn row_places(report: &EventsReport, area: Rect) -> Vec<(usize, Rect)> {
    let Some(level) = report.current() else { return Vec::new() };
    let all = level.rows.len();
    // If rows are hidden, the last line shows their count.
    let room = usize::from(area.height) - usize::from(all > usize::from(area.height) && area.height > 1);
    let first = ListWindow::around(level.selected, all, room).first;
    let place = |index: usize| Rect { y: area.y + u16::try_from(index - first).unwrap_or(0), height: 1, ..area };
    (first..all).take(room).map(|index| (index, place(index))).collect()
}

/// Draws the rows of the open level.
fn draw_level(model: &Model, report: &EventsReport, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let Some(level) = report.current() else { return };
    let places = row_places(report, area);
    for (index, place) in &places {
        let Some(row) = level.rows.get(*index) else { continue };
        let selected = *index == level.selected;
        let mut cells = RowWriter::new(*place, buf, theme);
        cells.put(theme.strong(), if selected { theme.cursor() } else { " " });
        for (style, text) in &row.line {
            cells.put(*style, text);
        }
        if selected && row.link != RowLink::Nowhere {
            buf.set_style(*place, theme.selected());
        }
    }
    if level.rows.is_empty() {
        let says = match &report.subject {
            ReportSubject::Stats { .. } => "no run of a hook is recorded for these events",
            ReportSubject::Replay(_) | ReportSubject::Impact(..) => "no recorded event is affected",
        };
        RowWriter::new(area, buf, theme).skip(1).put(theme.quiet(), says);
    }
    let above = places.first().map_or(0, |(index, _)| *index);
    let below = level.rows.len().saturating_sub(above + places.len());
    if above + below > 0 && area.height > 1 {
        let last = Rect { y: area.bottom() - 1, height: 1, ..area };
        RowWriter::new(last, buf, theme).skip(1).put(theme.quiet(), &hidden_words(above, below));
    }
}

/// Draws the path from the summary to the open level.
pub fn draw_path(model: &Model, report: &EventsReport, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1);
    if let ReportSubject::Replay(_) | ReportSubject::Stats { .. } = &report.subject {
        for crumb in crumbs(model) {
            cells.put(theme.quiet(), &crumb).put(theme.quiet(), separator(theme));
        }
    }
    for (index, name) in path(report).iter().enumerate() {
        if index > 0 {
            cells.put(theme.quiet(), separator(theme));
        }
        cells.put(theme.strong(), name);
    }
}

/// The names of the open levels, the summary first.
pub fn path(report: &EventsReport) -> Vec<String> {
    let begin = match &report.subject {
        ReportSubject::Replay(result) => match result.events.as_slice() {
            [one] => format!("replay of #{}", one.seq),
            all => format!("replay of {}", pluralize(all.len() as u64, "event")),
        },
        ReportSubject::Impact(agent, _) => format!("effect of the last change in {agent}"),
        ReportSubject::Stats { typed_filter, .. } if typed_filter.is_empty() => "times of hooks".to_owned(),
        ReportSubject::Stats { typed_filter, .. } => format!("times of hooks, {typed_filter}"),
    };
    let name = |level: &ReportLevel| match (&level.content, &report.subject) {
        (LevelContent::Events { title, .. }, _) => Some(title.clone()),
        (LevelContent::Event(place), ReportSubject::Replay(result)) if result.events.len() > 1 => {
            result.events.get(*place).map(|one| format!("#{}", one.seq))
        }
        _ => None,
    };
    std::iter::once(begin).chain(report.levels().iter().filter_map(name)).collect()
}

/// The number of changed events, and the counts that are not 0.
fn counts_sentence(summary: &ReplaySummary, least: &str) -> String {
    let events = pluralize(summary.events, "event");
    let changed = summary.events - summary.same - summary.not_compared;
    // One event can be in several counts.
    let rest: Vec<String> = counts(summary)
        .into_iter()
        .filter(|(count, what)| *count > 0 && !(changed > 0 && what.starts_with("same")))
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let begin = if changed > 0 { format!("{least}{changed} of {events}") } else { format!("{least}{events}") };
    if rest.is_empty() { begin } else { format!("{begin}: {}", rest.join(", ")) }
}

/// Builds the band for the current state.
pub fn build_band(model: &Model, report: &EventsReport) -> Band {
    let theme = model.theme;
    let reserved = usize::from(band_height(Page::Events, model.size));
    let quiet = |word: &str, says: String| band_row(word, theme.quiet(), vec![(theme.quiet(), says)]);
    let block = theme.verdict(Verdict::NoObjection);
    let mut rows = Vec::new();
    match &report.subject {
        ReportSubject::Replay(result) => {
            let word = if result.order.run { "REPLAYED" } else { "PLANNED" };
            let headline = ReplayHeadline::of(result.events.iter().map(|one| &one.replayed));
            let mut sentences = headline.sentences().into_iter();
            if let Some((change, says)) = sentences.next() {
                let style = change.map_or(block, |change| theme.verdict(change.verdict()));
                rows.push(band_row(word, style, vec![(theme.strong(), ascii_ellipsis(theme, &says))]));
            }
            if let Some(all) = result.stopped_of {
                let says = format!("stopped: {} of {all} are kept", result.events.len());
                rows.push(band_row("ended", theme.warn(), vec![(theme.warn(), says)]));
            }
            if let Some(trouble) = &result.trouble {
                rows.push(band_row("not kept", theme.bad(), vec![(theme.bad(), trouble.clone())]));
            }
            // Containment is shown at any width.
            let (word, before, how) = match (result.order.run, result.order.contain) {
                (false, _) => ("against", "", "dry run: recorded results are reused"),
                (true, true) => ("how", "contained, against ", "kept as new rows"),
                (true, false) => ("how", "not contained, against ", "kept as new rows"),
            };
            let implied = |one: &EventReplay| one.replayed.before.as_ref().is_some_and(|judged| !judged.is_recorded);
            let held = match &result.order.target {
                ReplayTarget::Commit(rev) => format!(", compared with git:{rev}"),
                _ if result.events.iter().any(implied) => {
                    ", compared with git:HEAD where nothing was recorded".to_owned()
                }
                _ => String::new(),
            };
            let against = match &result.order.target {
                ReplayTarget::Commit(_) => ReplayTarget::Current.describe(),
                other => other.describe(),
            };
            rows.push(quiet(word, format!("{before}{against}{held}   {how}")));
            rows.extend(sentences.map(|(_, says)| quiet("", ascii_ellipsis(theme, &says))));
            if !result.order.run {
                let key = model.key(UiCommand::RunAgain);
                rows.push(quiet(&key, "run them (asks first)".to_owned()));
            }
        }
        ReportSubject::Impact(_, impact) => {
            let least = if impact.at_least { "at least " } else { "" };
            rows.push(band_row("CHANGED", block, vec![(theme.strong(), counts_sentence(&impact.summary, least))]));
            let whose = impact.project.as_deref().unwrap_or("every project");
            rows.push(quiet("of", format!("{whose}   dry run; open a row to see its events")));
        }
        ReportSubject::Stats { stats, .. } => {
            let (hooks, runs) = (stats.hooks.len() as u64, stats.runs as u64);
            let says = format!("{} in {}", pluralize(runs, "run"), pluralize(hooks, "hook"));
            rows.push(band_row("TIMES", block, vec![(theme.strong(), says)]));
            let failed: usize = stats.hooks.iter().map(|hook| hook.failures).sum();
            let near = stats.hooks.iter().filter(|hook| hook.is_near_limit()).count();
            rows.push(quiet("", format!("{failed} failed   {} near the time limit", pluralize(near as u64, "hook"))));
            rows.push(quiet("of limit", "p95 of the time limit in the current settings".to_owned()));
        }
    }
    rows.truncate(reserved);
    Band { rows }
}
