//! The state of the help.

use crossterm::event::KeyCode;

use super::PopupResult;

/// The open help.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HelpView {
    /// Whether all keys are listed.
    pub all: bool,
    pub(super) filter: String,
    pub(super) top: usize,
}

impl HelpView {
    /// Handles a key.
    pub fn key(&mut self, code: KeyCode, control: bool) -> PopupResult {
        match code {
            KeyCode::Esc => return PopupResult::Close,
            KeyCode::Down => self.top += 1,
            KeyCode::Up => self.top = self.top.saturating_sub(1),
            KeyCode::PageDown => self.top += 10,
            KeyCode::PageUp => self.top = self.top.saturating_sub(10),
            KeyCode::Tab => *self = HelpView { all: !self.all, ..HelpView::default() },
            KeyCode::Char('?') if self.filter.is_empty() => *self = HelpView { all: !self.all, ..HelpView::default() },
            KeyCode::Backspace if self.all => _ = self.filter.pop(),
            KeyCode::Char(c) if self.all && !control => {
                self.filter.push(c);
                self.top = 0;
            }
            _ => return PopupResult::Unknown,
        }
        PopupResult::Stay
    }

    /// Adds pasted text to the search.
    pub fn push(&mut self, text: &str) {
        if self.all {
            self.filter.push_str(text);
            self.top = 0;
        }
    }
}
