//! The layout: the list, and the selected row in full beside or below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{GuardsView, detail, rows};
use crate::bench::{Band, SizeClass, band_row};
use crate::keymap::UiCommand;
use crate::list_detail::{ListDetailLayout, ListDetailSizes};
use crate::model::Model;
use crate::page_layout::frame_layout;
use crate::widgets::{RowWriter, StyledLine};
use hookbench_core::decide::Verdict;
use hookbench_core::text::pluralize;

const SIZES: ListDetailSizes = ListDetailSizes { list_eighths: 4, below: 9 };

fn places(view: &GuardsView, area: Rect, size: SizeClass) -> ListDetailLayout {
    ListDetailLayout::new(&SIZES, area, size, view.detail_open)
}

/// The visible rows and their places.
pub fn row_places(model: &Model, area: Rect, size: SizeClass) -> Vec<(usize, Rect)> {
    let view = &model.guards;
    places(view, area, size).row_places(view.selected, view.rows.len())
}

/// The height of the list, used to scroll by a page.
pub fn room(model: &Model) -> usize {
    let at = frame_layout(model);
    places(&model.guards, at.shared, at.size).room()
}

/// The lines of the detail, and the number of rows for them.
pub fn current_detail(model: &Model) -> (Vec<StyledLine>, usize) {
    let at = frame_layout(model);
    let (columns, rows) = places(&model.guards, at.shared, at.size).detail_size();
    (detail::lines(&model.guards, columns, model.theme), rows)
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let size = frame_layout(model).size;
    let layout = places(&model.guards, area, size);
    layout.draw_frames("Guards", model.popups.is_empty(), buf, theme);
    let list = layout.list.inner;
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
    layout.draw_detail(&lines, model.guards.scroll, buf, theme);
}

/// Draws the line above the band.
pub fn draw_top_line(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = RowWriter::new(Rect { height: area.height.min(1), ..area }, buf, theme);
    cells.skip(1).put(theme.plain(), "guards are ready-made hooks that stop bad habits of agents");
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
