//! A popup that fills the screen or nearly, with rows that grow while something runs.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw::draw_rows;
use super::long_text::scroll_rows;
use super::{Popup, PopupResult, foot, frame};
use crate::model::Model;
use crate::page_layout::popup_area;
use crate::theme::Theme;
use crate::widgets::{ListWindow, StyledLine};

/// Columns and rows of an area from which on the popup leaves a margin.
const ROOMY: (u16, u16) = (100, 30);

/// The length of a side of the popup with its border.
fn outer(all: u16, roomy: u16) -> u16 {
    if all < roomy { all } else { all - 4 }
}

/// The columns for the rows in an area of this width.
pub(crate) fn full_columns(width: u16) -> usize {
    usize::from(outer(width, ROOMY.0).saturating_sub(4))
}

/// Draws the rows, beginning with row `top`.
pub(crate) fn draw_full((title, rows): (&str, &[StyledLine]), top: usize, area: Rect, buf: &mut Buffer, theme: Theme) {
    let inner = frame(area, buf, theme, title, outer(area.width, ROOMY.0), outer(area.height, ROOMY.1));
    let window = ListWindow::from(top, rows.len(), usize::from(inner.height));
    foot(inner, buf, theme, window.hidden());
    draw_rows(rows.iter().skip(window.first).take(usize::from(inner.height)), inner, buf, theme);
}

/// Scrolls the topmost popup, if it is such a one with `rows` rows. Returns whether the key scrolls.
pub(crate) fn scroll_full(model: &mut Model, code: KeyCode, rows: usize) -> bool {
    let room = usize::from(outer(popup_area(model).height, ROOMY.1).saturating_sub(2));
    let Some(Popup::Stress { top } | Popup::Calibration { top, .. }) = model.popups.last_mut() else { return false };
    scroll_rows(top, code, rows.saturating_sub(room)) == PopupResult::Stay
}
