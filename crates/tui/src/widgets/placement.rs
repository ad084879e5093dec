//! Lines that are laid out before they are drawn, so that drawing and the mouse use the same places.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::RowWriter;
use crate::theme::Theme;

/// A line in parts that differ in style.
pub type StyledLine = Vec<(Style, String)>;

/// One placed line.
#[derive(Debug, Clone)]
pub struct PlacedLine {
    pub at: Rect,
    pub line: StyledLine,
    /// Whether the line is highlighted over its full width.
    pub selected: bool,
}

impl PlacedLine {
    /// A line that is not highlighted.
    pub fn new(at: Rect, line: StyledLine) -> PlacedLine {
        PlacedLine { at, line, selected: false }
    }

    /// Draws the line.
    pub fn draw(&self, buf: &mut Buffer, theme: Theme) {
        let mut cells = RowWriter::new(self.at, buf, theme);
        for (style, text) in &self.line {
            cells.put(*style, text);
        }
        if self.selected {
            buf.set_style(self.at, theme.selected());
        }
    }
}

/// Returns one row of an area; `None` if the area is too low.
pub fn row_of(area: Rect, index: usize) -> Option<Rect> {
    let index = u16::try_from(index).ok().filter(|index| *index < area.height)?;
    Some(Rect { y: area.y + index, height: 1, ..area })
}

/// Returns the target at a position; where places overlap, the last one.
pub fn target_at<T>(places: impl IntoIterator<Item = (T, Rect)>, at: Position) -> Option<T> {
    places.into_iter().filter(|(_, place)| place.contains(at)).last().map(|(target, _)| target)
}

/// A line, and the column in which it continues when it is wrapped.
#[derive(Debug, Clone)]
pub struct IndentedLine {
    pub indent: usize,
    pub line: StyledLine,
}

impl IndentedLine {
    /// A line with the given indent for its continuation.
    pub fn new(indent: usize, line: StyledLine) -> IndentedLine {
        IndentedLine { indent, line }
    }
}
