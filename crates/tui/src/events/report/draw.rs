//! The layout of a report, its band, and the path to the open level.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{About, Leads, Report, Showing, counts};
use crate::bench::{Band, band_row, hidden_words};
use crate::keymap::Verb;
use crate::model::Model;
use crate::view::frame_layout;
use crate::widgets::Cells;
use hookbench_app::replay::Summary;
use hookbench_app::{Against, OfEvent};
use hookbench_core::decide::Verdict;
use hookbench_core::text::counted;

/// The number of rows that fit.
pub fn room(model: &Model) -> usize {
    usize::from(frame_layout(model).shared.height).saturating_sub(1).max(1)
}

/// The places of the rows with their indexes.
pub fn places(report: &Report, area: Rect) -> Vec<(usize, Rect)> {
    let Some(level) = report.top() else { return Vec::new() };
    let all = level.rows.len();
    // If rows are hidden, the last line shows their count.
    let room = usize::from(area.height) - usize::from(all > usize::from(area.height) && area.height > 1);
    let first = level.selected.saturating_sub(room / 2).min(all.saturating_sub(room));
    let place = |index: usize| Rect { y: area.y + u16::try_from(index - first).unwrap_or(0), height: 1, ..area };
    (first..all).take(room).map(|index| (index, place(index))).collect()
}

/// Draws the open level.
pub fn draw(model: &Model, report: &Report, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let Some(level) = report.top() else { return };
    let places = places(report, area);
    for (index, place) in &places {
        let Some(row) = level.rows.get(*index) else { continue };
        let selected = *index == level.selected;
        let mut cells = Cells::new(*place, buf, theme);
        cells.put(theme.strong(), if selected { ">" } else { " " });
        for (style, text) in &row.line {
            cells.put(*style, text);
        }
        if selected && row.leads != Leads::Nowhere {
            buf.set_style(*place, theme.selected());
        }
    }
    if level.rows.is_empty() {
        Cells::new(area, buf, theme).skip(1).put(theme.quiet(), "no recorded event is planned otherwise");
    }
    let above = places.first().map_or(0, |(index, _)| *index);
    let below = level.rows.len().saturating_sub(above + places.len());
    if above + below > 0 && area.height > 1 {
        let last = Rect { y: area.bottom() - 1, height: 1, ..area };
        Cells::new(last, buf, theme).skip(1).put(theme.quiet(), &hidden_words(above, below));
    }
}

/// Draws the path from the summary to the open level.
pub fn way(model: &Model, report: &Report, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = Cells::new(area, buf, theme);
    let begin = match &report.about {
        About::Replay(result) => format!("replay of {}", result.order.of()),
        About::Impact(agent, _) => format!("what the last change comes to in {agent}"),
    };
    cells.skip(1).put(theme.strong(), &begin);
    for level in report.levels() {
        let name = match &level.showing {
            Showing::Summary => continue,
            Showing::Events { title, .. } => title.clone(),
            Showing::One(place) => match &report.about {
                About::Replay(result) if result.all.len() > 1 => {
                    result.all.get(*place).map(|one| format!("#{}", one.seq)).unwrap_or_default()
                }
                _ => continue,
            },
        };
        cells.put(theme.quiet(), " > ").put(theme.strong(), &name);
    }
}

/// The counts in a sentence, without those that are 0.
fn numbers(summary: &Summary, least: &str, ran: bool) -> String {
    let events = counted(summary.events, "event");
    let mut all = vec![events];
    for (count, what) in counts(summary, ran) {
        if count > 0 {
            all.push(format!("{least}{count} {what}"));
        }
    }
    all.join("   ")
}

/// Builds the band for the current state.
pub fn band_of(model: &Model, report: &Report) -> Band {
    let theme = model.theme;
    let reserved = if model.size.1 >= 20 { 3 } else { 2 };
    let quiet = |word: &str, says: String| band_row(word, theme.quiet(), vec![(theme.quiet(), says)]);
    let block = theme.verdict(Verdict::NoObjection);
    let mut rows = Vec::new();
    match &report.about {
        About::Replay(result) => {
            let word = if result.order.run { "RAN" } else { "PLANNED" };
            let strong = theme.strong();
            rows.push(band_row(word, block, vec![(strong, numbers(&result.summary, "", result.order.run))]));
            if let Some(all) = result.broken_off {
                let says = format!("broken off: {} of {all} are here, and stay", result.all.len());
                rows.push(band_row("ended", theme.warn(), vec![(theme.warn(), says)]));
            }
            if let Some(trouble) = &result.trouble {
                rows.push(band_row("not kept", theme.bad(), vec![(theme.bad(), trouble.clone())]));
            }
            // Containment is shown at any width.
            let (word, before, how) = match (result.order.run, result.order.contain) {
                (false, _) => ("against", "", "nothing was run: what was recorded answers for the hooks"),
                (true, true) => ("how", "contained, against ", "kept as new rows"),
                (true, false) => ("how", "not contained, against ", "kept as new rows"),
            };
            let implied = |one: &OfEvent| one.replayed.before.as_ref().is_some_and(|judged| !judged.only_verdict);
            let held = match &result.order.against {
                Against::Commit(rev) => format!(", held against git:{rev}"),
                _ if result.all.iter().any(implied) => ", held against git:HEAD where nothing was recorded".to_owned(),
                _ => String::new(),
            };
            let against = match &result.order.against {
                Against::Commit(_) => Against::Now.words(),
                other => other.words(),
            };
            rows.push(quiet(word, format!("{before}{against}{held}   {how}")));
            if !result.order.run {
                let key = model.key(Verb::ReplayMarked);
                rows.push(quiet(&key, "runs them, and asks before, with every command".to_owned()));
            }
        }
        About::Impact(_, impact) => {
            let least = if impact.at_least { "at least " } else { "" };
            rows.push(band_row("CHANGED", block, vec![(theme.strong(), numbers(&impact.summary, least, false))]));
            let whose = impact.project.as_deref().unwrap_or("every project");
            rows.push(quiet("of", format!("{whose}   nothing was run; each row leads to its events")));
        }
    }
    rows.truncate(reserved);
    Band { rows, reserved }
}
