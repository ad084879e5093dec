//! A pane: a bordered area with a title in its upper border. The border shows which pane has the focus.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{RowWriter, width};
use crate::theme::{BorderLines, Theme};

/// A pane and the area inside its border. A pane that is not shown has the height 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pane {
    /// The border; its height is 0 if the pane has none.
    pub frame: Rect,
    pub inner: Rect,
}

impl Pane {
    /// A pane with a border.
    pub fn bordered(frame: Rect) -> Pane {
        let inner = Rect {
            x: frame.x.saturating_add(1),
            y: frame.y.saturating_add(1),
            width: frame.width.saturating_sub(2),
            height: frame.height.saturating_sub(2),
        };
        Pane { frame, inner }
    }

    /// A pane without a border, for terminals without room for it.
    pub fn plain(inner: Rect) -> Pane {
        Pane { frame: Rect { height: 0, ..inner }, inner }
    }

    /// Whether anything of the pane is shown.
    pub fn is_shown(&self) -> bool {
        self.inner.height > 0 || self.frame.height > 0
    }

    /// The whole area of the pane.
    pub fn outer(&self) -> Rect {
        if self.frame.height > 0 { self.frame } else { self.inner }
    }

    /// The area inside, with a first row for the title: the upper border, or the first row of a plain pane.
    pub fn with_title(&self) -> Rect {
        if self.frame.height == 0 {
            return self.inner;
        }
        Rect { y: self.frame.y, height: self.frame.height.saturating_sub(1), ..self.inner }
    }

    /// Draws the border with a title, and a text at its right end if it fits.
    pub fn draw(&self, title: (Style, &str), right: &str, focused: bool, buf: &mut Buffer, theme: Theme) {
        self.draw_border(focused, buf, theme);
        if self.frame.height == 0 {
            return;
        }
        let style = if focused { theme.name() } else { title.0 };
        let row = Rect { height: 1, ..self.with_title() };
        let mut cells = RowWriter::new(row, buf, theme);
        if !right.is_empty() {
            cells.right(theme.quiet(), &format!(" {right} "));
        }
        if width(title.1) > 0 {
            cells.put(style, &format!(" {} ", title.1));
        }
    }

    /// Draws the border only; the caller draws the title.
    pub fn draw_border(&self, focused: bool, buf: &mut Buffer, theme: Theme) {
        let Rect { x, y, width, height } = self.frame;
        if height < 2 || width < 2 {
            return;
        }
        let BorderLines { corners: [top_left, top_right, bottom_left, bottom_right], rule, bar } =
            theme.border_lines(focused);
        let style = theme.border(focused);
        let line = rule.repeat(usize::from(width - 2));
        let (right, bottom) = (x + width - 1, y + height - 1);
        buf.set_string(x, y, format!("{top_left}{line}{top_right}"), style);
        buf.set_string(x, bottom, format!("{bottom_left}{line}{bottom_right}"), style);
        for row in y + 1..bottom {
            buf.set_string(x, row, bar, style);
            buf.set_string(right, row, bar, style);
        }
    }
}
