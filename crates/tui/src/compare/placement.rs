//! The placed lines of the page, computed once for drawing and for the mouse.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::state::CompareSheet;
use super::{detail, layout};
use crate::bench::SizeClass;
use crate::model::Model;
use crate::page_layout::frame_layout;

/// Lays the page out.
pub fn sheet(model: &Model, area: Rect) -> CompareSheet {
    let Some(shown) = &model.compare.shown else { return CompareSheet::default() };
    let size = frame_layout(model).size;
    let area = size.pane(area).inner;
    if model.compare.open.is_some() {
        return detail::sheet(model, shown, area);
    }
    match columns(model) {
        Some(columns) => layout::column_sheet(model, shown, area, columns),
        None => layout::row_sheet(model, shown, area, size),
    }
}

/// The area inside the pane.
pub fn inner(model: &Model) -> Rect {
    let at = frame_layout(model);
    at.size.pane(at.shared).inner
}

/// The width of each agent's column; `None` if the agents are rows.
fn columns(model: &Model) -> Option<usize> {
    let at = frame_layout(model);
    let agents = model.compare.shown.as_ref()?.len();
    layout::column_width(inner(model).width, agents).filter(|_| at.size == SizeClass::Wide)
}

/// Whether the agents are columns; otherwise they are rows.
pub fn in_columns(model: &Model) -> bool {
    columns(model).is_some()
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let pane = frame_layout(model).size.pane(area);
    let title = if model.compare.open.is_some() { "Agent" } else { "Agents" };
    pane.draw((model.theme.strong(), title), "", model.popups.is_empty(), buf, model.theme);
    let sheet = sheet(model, area);
    for rule in sheet.rules {
        crate::widgets::rule(rule, buf, model.theme);
    }
    for put in sheet.lines {
        put.draw(buf, model.theme);
    }
}
