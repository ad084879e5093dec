//! The layout: the list, and the selected row in full beside or below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{GuardsView, detail, rows};
use crate::bench::{Band, SizeClass, band_row};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page_layout::frame_layout;
use crate::widgets::{ListWindow, Pane, RowWriter, StyledLine};
use hookbench_core::decide::Verdict;
use hookbench_core::text::pluralize;

/// Minimum height of the detail below the list, in rows.
const BELOW: u16 = 9;

/// The places of list and detail.
#[derive(Default)]
struct GuardsLayout {
    list: Pane,
    detail: Pane,
}

fn places(view: &GuardsView, area: Rect, size: SizeClass) -> GuardsLayout {
    match size {
        SizeClass::Wide => {
            let left = area.width / 2;
            let right = Rect { x: area.x + left, width: area.width - left, ..area };
            GuardsLayout { list: size.pane(Rect { width: left, ..area }), detail: size.pane(right) }
        }
        SizeClass::Medium => {
            let below = (area.height / 3).max(BELOW).min(area.height);
            let above = area.height - below;
            let detail = Rect { y: area.y + above, height: below, ..area };
            GuardsLayout { list: size.pane(Rect { height: above, ..area }), detail: size.pane(detail) }
        }
        _ if view.detail_open => GuardsLayout { detail: size.pane(area), ..GuardsLayout::default() },
        _ => GuardsLayout { list: size.pane(area), ..GuardsLayout::default() },
    }
}

/// The visible rows and their places.
pub fn row_places(model: &Model, area: Rect, size: SizeClass) -> Vec<(usize, Rect)> {
    let list = places(&model.guards, area, size).list.inner;
    let count = model.guards.rows.len();
    let first = ListWindow::around(model.guards.selected, count, usize::from(list.height)).first;
    let row = |at: u16| Rect { y: list.y + at, height: 1, ..list };
    (first..count).zip((0..list.height).map(row)).collect()
}

/// The height of the list, used to scroll by a page.
pub fn room(model: &Model) -> usize {
    let at = frame_layout(model);
    let places = places(&model.guards, at.shared, at.size);
    usize::from(if places.list.is_shown() { places.list } else { places.detail }.inner.height)
}

/// The lines of the detail, and the number of rows for them.
pub fn current_detail(model: &Model) -> (Vec<StyledLine>, usize) {
    let at = frame_layout(model);
    let area = places(&model.guards, at.shared, at.size).detail.inner;
    let columns = usize::from(area.width).saturating_sub(2).max(20);
    (detail::lines(&model.guards, columns, model.theme), usize::from(area.height))
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let size = frame_layout(model).size;
    let GuardsLayout { list, detail } = places(&model.guards, area, size);
    let free = model.popups.is_empty();
    list.draw((theme.strong(), "Guards"), "", free, buf, theme);
    detail.draw((theme.strong(), "Details"), "", free && !list.is_shown(), buf, theme);
    let (list, detail) = (list.inner, detail.inner);
    if model.guards.rows.is_empty() {
        let place = Rect { height: list.height.min(1), ..list };
        RowWriter::new(place, buf, theme).skip(2).put(theme.quiet(), "reading guards");
    }
    for (index, place) in row_places(model, area, size) {
        let Some(row) = model.guards.rows.get(index) else { continue };
        let mut cells = RowWriter::new(place, buf, theme);
        for (style, text) in rows::line(&model.guards, *row, usize::from(place.width), theme) {
            cells.put(style, &text);
        }
        if index == model.guards.selected {
            buf.set_style(place, theme.selected());
        }
    }
    let (lines, _) = current_detail(model);
    let scroll = ListWindow::from(model.guards.scroll, lines.len(), usize::from(detail.height)).first;
    for (y, line) in (0..detail.height).zip(lines.iter().skip(scroll)) {
        let mut cells = RowWriter::new(Rect { y: detail.y + y, height: 1, ..detail }, buf, theme);
        cells.skip(1);
        for (style, text) in line {
            cells.put(*style, text);
        }
    }
}

/// Draws the line above the band.
pub fn draw_top_line(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = RowWriter::new(Rect { height: area.height.min(1), ..area }, buf, theme);
    cells.skip(1).put(theme.plain(), "guards, and what they found in sessions of agents");
}

/// Builds the band: the number of findings, and how to judge them.
pub fn build_band(model: &Model) -> Band {
    let theme = model.theme;
    let view = &model.guards;
    let open = view.hits().iter().filter(|one| one.judged.is_none() && one.hit.allowed.is_none()).count();
    let (right, wrong) = (model.key(UiCommand::JudgeRight), model.key(UiCommand::JudgeWrong));
    let text = match (view.hits().len(), open) {
        (0, _) => match view.tried() {
            Some(events) => format!("{} checked, nothing found", pluralize(events, "recorded event")),
            None => format!("nothing found yet; {} tries the guards on recorded events", model.key(UiCommand::Replay)),
        },
        (all, 0) => format!("{}, all judged", pluralize(all, "finding")),
        (all, open) => format!("{}, {open} not judged: {right} right, {wrong} wrong", pluralize(all, "finding")),
    };
    Band { rows: vec![band_row("GUARDS", theme.verdict(Verdict::NoObjection), vec![(theme.strong(), text)])] }
}
