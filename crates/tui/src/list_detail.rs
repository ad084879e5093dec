//! A page with a list and the selected row in full: beside the list, below it, or alone, by the size of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::bench::SizeClass;
use crate::theme::Theme;
use crate::widgets::{ListWindow, Pane, RowWriter, StyledLine};

/// The sizes of both panes where they share the screen.
pub struct ListDetailSizes {
    /// The width of the list beside the detail, in eighths of the page.
    pub list_eighths: u16,
    /// Minimum height of the detail below the list, in rows.
    pub below: u16,
}

/// The places of list and detail. A pane without room has none.
#[derive(Default)]
pub struct ListDetailLayout {
    pub list: Pane,
    pub detail: Pane,
}

impl ListDetailLayout {
    /// `detail_open` chooses the pane where only one has room.
    pub fn new(sizes: &ListDetailSizes, area: Rect, size: SizeClass, detail_open: bool) -> ListDetailLayout {
        match size {
            SizeClass::Wide => {
                let left = area.width * sizes.list_eighths / 8;
                let right = Rect { x: area.x + left, width: area.width - left, ..area };
                ListDetailLayout { list: size.pane(Rect { width: left, ..area }), detail: size.pane(right) }
            }
            SizeClass::Medium => {
                let below = (area.height / 3).max(sizes.below).min(area.height);
                let above = area.height - below;
                let detail = Rect { y: area.y + above, height: below, ..area };
                ListDetailLayout { list: size.pane(Rect { height: above, ..area }), detail: size.pane(detail) }
            }
            _ if detail_open => ListDetailLayout { detail: size.pane(area), ..ListDetailLayout::default() },
            _ => ListDetailLayout { list: size.pane(area), ..ListDetailLayout::default() },
        }
    }

    /// The visible rows of the list and their places.
    pub fn row_places(&self, selected: usize, count: usize) -> Vec<(usize, Rect)> {
        let list = self.list.inner;
        let first = ListWindow::around(selected, count, usize::from(list.height)).first;
        let row = |at: u16| Rect { y: list.y + at, height: 1, ..list };
        (first..count).zip((0..list.height).map(row)).collect()
    }

    /// The height of the list, or of the detail if it is alone, used to scroll by a page.
    pub fn room(&self) -> usize {
        usize::from(if self.list.is_shown() { &self.list } else { &self.detail }.inner.height)
    }

    /// The columns and the rows for the lines of the detail.
    pub fn detail_size(&self) -> (usize, usize) {
        let area = self.detail.inner;
        (usize::from(area.width).saturating_sub(2).max(20), usize::from(area.height))
    }

    /// Draws both frames. `has_focus` is whether the page has the keys.
    pub fn draw_frames(&self, title: &str, has_focus: bool, buf: &mut Buffer, theme: Theme) {
        self.list.draw((theme.strong(), title), "", has_focus, buf, theme);
        self.detail.draw((theme.strong(), "Details"), "", has_focus && !self.list.is_shown(), buf, theme);
    }

    /// Draws the lines of the detail, beginning with `scroll`.
    pub fn draw_detail(&self, lines: &[StyledLine], scroll: usize, buf: &mut Buffer, theme: Theme) {
        let detail = self.detail.inner;
        let first = ListWindow::from(scroll, lines.len(), usize::from(detail.height)).first;
        for (y, line) in (0..detail.height).zip(lines.iter().skip(first)) {
            RowWriter::new(Rect { y: detail.y + y, height: 1, ..detail }, buf, theme).skip(1).line(line);
        }
    }
}
