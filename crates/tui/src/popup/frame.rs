//! The frame of a popup.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget as _};

use crate::layer_keys::LayerKey;
use crate::theme::Theme;
use crate::widgets::{Pane, RowWriter, hidden_words, width};
use hookbench_core::text::one_line;

/// One row of an area; height 0 outside it.
pub(crate) fn row(area: Rect, index: usize) -> Rect {
    let y = area.y.saturating_add(u16::try_from(index).unwrap_or(u16::MAX));
    if y >= area.bottom() { Rect { height: 0, ..area } } else { Rect { y, height: 1, ..area } }
}

/// Columns beside a popup that are too few to read anything in.
const SCRAP: u16 = 8;

/// Clears a space in the middle, draws its border and title, and returns the inside. A popup that nearly fills the
/// width fills it, so that no scraps of the page are left beside it.
pub(crate) fn frame(area: Rect, buf: &mut Buffer, theme: Theme, title: &str, width: u16, height: u16) -> Rect {
    let width = if width.saturating_add(SCRAP) >= area.width { area.width } else { width };
    let height = height.min(area.height);
    let outer = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 3, width, height };
    clear_wide_neighbours(outer, buf);
    Clear.render(outer, buf);
    let pane = Pane::bordered(outer);
    pane.draw((theme.strong(), &one_line(title)), "", true, buf, theme);
    Rect {
        x: outer.x + 2,
        y: outer.y + 1,
        width: outer.width.saturating_sub(4),
        height: outer.height.saturating_sub(2),
    }
}

/// Removes wide characters left of a popup, whose right half would cover its border.
fn clear_wide_neighbours(outer: Rect, buf: &mut Buffer) {
    let Some(x) = outer.x.checked_sub(1) else { return };
    for y in outer.top()..outer.bottom() {
        if let Some(cell) = buf.cell_mut((x, y)).filter(|cell| width(cell.symbol()) > 1) {
            cell.set_symbol(" ");
        }
    }
}

/// Draws the number of hidden rows on the lower border.
pub(crate) fn foot(inner: Rect, buf: &mut Buffer, theme: Theme, (above, below): (usize, usize)) {
    let place = Rect { y: inner.bottom(), height: u16::from(inner.bottom() < buf.area.bottom()), ..inner };
    let hidden = hidden_words(above, below);
    if !hidden.is_empty() {
        RowWriter::new(place, buf, theme).right(theme.strong(), &format!(" {hidden} "));
    }
}

/// Draws the keys of a question in its last row.
pub(crate) fn answer_row(place: Rect, buf: &mut Buffer, theme: Theme, keys: &[LayerKey]) {
    let mut cells = RowWriter::new(place, buf, theme);
    for (key, label) in keys {
        // A cut key would be useless.
        if cells.left() > width(key) + width(label) {
            cells.put(theme.name(), key).skip(1).put(theme.plain(), label).skip(3);
        }
    }
}
