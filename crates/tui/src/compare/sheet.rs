//! The placed lines and click targets of the page.

use ratatui::layout::Rect;

use super::CompareTab;
use crate::widgets::{PlacedLine, StyledLine};

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

/// Everything on the page below the band.
#[derive(Debug, Clone, Default)]
pub struct CompareSheet {
    pub lines: Vec<PlacedLine>,
    pub rules: Vec<Rect>,
    pub hits: Vec<(CompareTarget, Rect)>,
}

impl CompareSheet {
    /// Adds a line.
    pub fn put(&mut self, at: Rect, line: StyledLine) {
        self.lines.push(PlacedLine::new(at, line));
    }
}
