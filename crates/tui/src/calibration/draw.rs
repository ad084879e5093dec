//! Drawing and scrolling of the popup.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::rows::rows;
use crate::model::Model;
use crate::popup::{foot, frame, row};
use crate::widgets::{ListWindow, RowWriter, StyledLine, scroll};
use hookbench_core::dialects::name_of;
use hookbench_core::names::AgentId;

/// Columns and rows of an area from which on the popup leaves a margin.
const ROOMY: (u16, u16) = (100, 30);

/// Draws the popup, beginning with row `top`.
pub fn draw((agent, top): (AgentId, usize), area: Rect, buf: &mut Buffer, model: &Model) {
    let (width, height) = outer_size((area.width, area.height));
    let inner = frame(area, buf, model.theme, &format!("Calibration of {}", name_of(agent)), width, height);
    let (rows, room) = rows_and_room(model, agent, (area.width, area.height));
    let (top, below) = ListWindow::from(top, rows.len(), room).hidden();
    foot(inner, buf, model.theme, (top, below));
    for (index, line) in rows.iter().skip(top).take(room).enumerate() {
        let mut cells = RowWriter::new(row(inner, index), buf, model.theme);
        for (style, text) in line {
            cells.put(*style, text);
        }
    }
}

/// The first visible row after scrolling by some rows, or by pages.
pub(super) fn scrolled(
    model: &Model,
    (agent, top): (AgentId, usize),
    (by, pages): (isize, bool),
    area: (u16, u16),
) -> usize {
    let (rows, room) = rows_and_room(model, agent, area);
    let page = isize::try_from(room.saturating_sub(1).max(1)).unwrap_or(1);
    scroll(top, if pages { by.saturating_mul(page) } else { by }, rows.len(), room)
}

/// The rows at this size, and the number of rows that fit.
fn rows_and_room(model: &Model, agent: AgentId, area: (u16, u16)) -> (Vec<StyledLine>, usize) {
    let (width, height) = outer_size(area);
    (rows(model, agent, usize::from(width.saturating_sub(4))), usize::from(height.saturating_sub(2)))
}

/// The size of the popup with its border.
fn outer_size((width, height): (u16, u16)) -> (u16, u16) {
    let margin = |all: u16, roomy: u16| if all < roomy { all } else { all - 4 };
    (margin(width, ROOMY.0), margin(height, ROOMY.1))
}
