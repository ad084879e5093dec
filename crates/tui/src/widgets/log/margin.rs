//! The margin of a text: line numbers, marks, and notes below lines.

use std::collections::BTreeMap;

use ratatui::style::Style;

use super::LogArea;
use crate::theme::Mark;
use crate::widgets::{StyledLine, wrap};

/// The mark and the notes of one line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MarginMark {
    pub mark: Mark,
    pub style: Style,
    pub notes: Vec<StyledLine>,
}

/// The margin of a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineMargin {
    /// The number of lines.
    pub lines: usize,
    /// The marked lines, counted from 1.
    pub marks: BTreeMap<usize, MarginMark>,
}

impl LineMargin {
    /// The columns of the largest number.
    fn digits(&self) -> usize {
        self.lines.max(10).to_string().len()
    }

    /// The columns of the margin: a mark, a number, and spaces.
    pub fn width(&self) -> usize {
        self.digits() + 4
    }

    /// Adds the margin to the rows of a line, counted from 0, and its notes below them.
    pub(super) fn add(&self, line: usize, rows: Vec<StyledLine>, pane: LogArea) -> Vec<StyledLine> {
        let (theme, digits, number) = (pane.theme, self.digits(), line + 1);
        let marked = self.marks.get(&number);
        let before = |index: usize| match marked {
            _ if index > 0 => vec![(theme.plain(), " ".repeat(self.width()))],
            Some(of) => vec![
                (of.style, format!("{} ", theme.mark(of.mark))),
                (of.style, format!("{number:>digits$}")),
                (theme.plain(), "  ".to_owned()),
            ],
            None => vec![(theme.quiet(), format!("  {number:>digits$}  "))],
        };
        let rows = rows.into_iter().enumerate().map(|(index, row)| before(index).into_iter().chain(row).collect());
        let notes = marked.into_iter().flat_map(|of| &of.notes).flat_map(|note| {
            let columns = pane.columns.saturating_sub(self.width() + NOTE).max(8);
            let lead = |index: usize| if index > 0 { "  " } else { theme.branch() };
            let rows = wrap(note, columns, 0).into_iter().enumerate();
            rows.map(move |(index, row)| {
                let lead = (theme.quiet(), format!("{}{}", " ".repeat(self.width()), lead(index)));
                std::iter::once(lead).chain(row).collect::<StyledLine>()
            })
        });
        rows.chain(notes).collect()
    }
}

/// The columns before a note.
const NOTE: usize = 2;
