//! The placed lines of the page, computed once for drawing and for the mouse.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::detail::CompareTab;
use super::{StyledLine, column_layout, detail, row_layout};
use crate::bench::SizeClass;
use crate::model::Model;
use crate::view::frame_layout;
use crate::widgets::RowWriter;

/// The target of a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareTarget {
    /// An agent, by its index.
    Agent(usize),
    /// A difference, counted from 1.
    Difference(usize),
    /// A tab of the open detail.
    Part(CompareTab),
}

/// One placed line.
#[derive(Debug, Clone)]
pub struct PlacedLine {
    pub at: Rect,
    pub line: StyledLine,
    /// Whether the line is highlighted over its full width.
    pub selected: bool,
}

/// Everything on the page below the band.
#[derive(Debug, Clone, Default)]
pub struct CompareSheet {
    pub lines: Vec<PlacedLine>,
    pub rules: Vec<Rect>,
    pub hits: Vec<(Rect, CompareTarget)>,
}

impl CompareSheet {
    /// Adds a line.
    pub fn put(&mut self, at: Rect, line: StyledLine) {
        self.lines.push(PlacedLine { at, line, selected: false });
    }
}

/// One row of an area; `None` if the area is too low.
pub fn row(area: Rect, index: usize) -> Option<Rect> {
    let index = u16::try_from(index).ok().filter(|index| *index < area.height)?;
    Some(Rect { y: area.y + index, height: 1, ..area })
}

/// Lays the page out.
pub fn sheet(model: &Model, area: Rect) -> CompareSheet {
    let Some(shown) = &model.compare.shown else { return CompareSheet::default() };
    if model.compare.open.is_some() {
        return detail::sheet(model, shown, area);
    }
    match columns(model) {
        Some(columns) => column_layout::sheet(model, shown, area, columns),
        None => row_layout::sheet(model, shown, area, frame_layout(model).size),
    }
}

/// The width of each agent's column; `None` if the agents are rows.
fn columns(model: &Model) -> Option<usize> {
    let at = frame_layout(model);
    let agents = model.compare.shown.as_ref()?.len();
    column_layout::columns(at.shared.width, agents).filter(|_| at.size == SizeClass::Wide)
}

/// Whether the agents are columns; otherwise they are rows.
pub fn in_columns(model: &Model) -> bool {
    columns(model).is_some()
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let sheet = sheet(model, area);
    for rule in sheet.rules {
        crate::widgets::rule(rule, buf, model.theme);
    }
    for put in sheet.lines {
        let mut cells = RowWriter::new(put.at, buf, model.theme);
        for (style, text) in &put.line {
            cells.put(*style, text);
        }
        if put.selected {
            buf.set_style(put.at, model.theme.selected());
        }
    }
}
