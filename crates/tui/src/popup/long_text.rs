//! A text in a popup that can be longer than the screen: its rows, and the keys that scroll it.

use crossterm::event::KeyCode;

use super::PopupResult;
use crate::widgets::{ListWindow, StyledLine, step, wrap_whole};

/// Rows that PgDn and PgUp scroll.
const PAGE: isize = 10;

/// The kinds of long texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LongText {
    /// Lines to read.
    Lines,
    /// A diff with a question below it.
    Diff,
}

/// A text laid out for a screen.
pub(super) struct LaidOutText {
    pub rows: Vec<StyledLine>,
    /// Height and width of the popup with its border.
    pub height: u16,
    pub width: u16,
    /// Rows of text that fit.
    pub room: usize,
}

/// The columns that a long text has on a screen of this width.
pub fn lines_columns(screen: u16) -> usize {
    usize::from(screen.saturating_sub(8)).max(8)
}

impl LongText {
    /// Lays out the lines in a popup on a screen of this size.
    pub fn lay_out(self, lines: &[StyledLine], (width, height): (u16, u16)) -> LaidOutText {
        let indent = if self == LongText::Lines { 4 } else { 2 };
        let columns = lines_columns(width);
        let rows: Vec<StyledLine> = lines.iter().flat_map(|line| wrap_whole(line, columns, indent)).collect();
        let width = width.saturating_sub(4);
        let most = height.saturating_sub(if self == LongText::Lines { 4 } else { 2 });
        let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(2 + self.rows_below()).min(most);
        let room = usize::from(height.saturating_sub(2 + self.rows_below()));
        LaidOutText { rows, height, width, room }
    }

    /// Rows below the text: a line about hidden rows, and the answers.
    fn rows_below(self) -> u16 {
        if self == LongText::Lines { 0 } else { 2 }
    }

    /// Handles a key that scrolls.
    pub fn scroll(self, top: &mut usize, code: KeyCode, lines: &[StyledLine], size: (u16, u16)) -> PopupResult {
        let text = self.lay_out(lines, size);
        scroll_rows(top, code, text.rows.len().saturating_sub(text.room))
    }
}

impl LaidOutText {
    /// The visible rows, if the first one is `top`.
    pub fn window(&self, top: usize) -> ListWindow {
        ListWindow::from(top, self.rows.len(), self.room)
    }
}

/// Scrolls rows of which the last screen begins with row `last`.
pub(super) fn scroll_rows(top: &mut usize, code: KeyCode, last: usize) -> PopupResult {
    let by = match code {
        KeyCode::Down | KeyCode::Char('j' | ' ') => 1,
        KeyCode::Up | KeyCode::Char('k') => -1,
        KeyCode::PageDown => PAGE,
        KeyCode::PageUp => -PAGE,
        KeyCode::Home | KeyCode::Char('g') => isize::MIN,
        KeyCode::End | KeyCode::Char('G') => isize::MAX,
        _ => return PopupResult::Unknown,
    };
    *top = step((*top).min(last), by, last.saturating_add(1));
    PopupResult::Stay
}
