//! A list to choose from, filtered by typing.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{PopupResult, foot, frame, row};
use crate::theme::Theme;
use crate::widgets::moved_row;
use crate::widgets::{ListWindow, RowWriter, width};
use hookbench_app::Command;

/// Columns that the labels leave for the texts about them.
const ABOUT: usize = 20;

/// Minimum width of the popup, in columns.
const LEAST: u16 = 64;

/// A list to choose from, filtered by typing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PickList {
    pub title: &'static str,
    pub items: Vec<PickItem>,
    pub filter: String,
    pub selected: usize,
}

/// One entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PickItem {
    pub label: String,
    pub about: String,
    /// The commands to run when the item is chosen.
    pub commands: Vec<Command>,
}

impl PickList {
    /// The items that contain every word of the filter.
    pub fn shown(&self) -> Vec<&PickItem> {
        let words: Vec<String> = self.filter.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let fits = |item: &&PickItem| {
            let text = format!("{} {}", item.label, item.about).to_lowercase();
            words.iter().all(|w| text.contains(w))
        };
        self.items.iter().filter(fits).collect()
    }
}

/// Handles a key.
pub(crate) fn list_key(pick: &mut PickList, code: KeyCode, control: bool) -> PopupResult {
    let last = pick.shown().len().saturating_sub(1);
    if let Some(selected) = moved_row(code, control, pick.selected, last) {
        pick.selected = selected;
        return PopupResult::Stay;
    }
    match code {
        KeyCode::Esc => return PopupResult::Close,
        KeyCode::Enter => {
            let chosen = pick.shown().get(pick.selected).map(|item| item.commands.clone());
            return chosen.map_or(PopupResult::Stay, PopupResult::Run);
        }
        KeyCode::Backspace => {
            pick.filter.pop();
            pick.selected = 0;
        }
        KeyCode::Char(c) if !control => {
            pick.filter.push(c);
            pick.selected = 0;
        }
        _ => return PopupResult::Unknown,
    }
    PopupResult::Stay
}

/// Draws the list. Returns the cursor's position.
pub(super) fn draw_pick(
    pick: &PickList,
    (title, none): (&str, &str),
    area: Rect,
    buf: &mut Buffer,
    theme: Theme,
) -> (u16, u16) {
    let items = u16::try_from(pick.items.len()).unwrap_or(u16::MAX).saturating_add(5);
    let height = (area.height * 2 / 3).min(items).max(8);
    let longest = |text: fn(&PickItem) -> &str| pick.items.iter().map(|item| width(text(item))).max().unwrap_or(0);
    let wide = longest(|item| &item.label) + longest(|item| &item.about) + 6;
    let wide = u16::try_from(wide).unwrap_or(u16::MAX).clamp(LEAST, area.width.saturating_sub(4).max(LEAST));
    let inner = frame(area, buf, theme, title, wide, height);
    draw_list(pick, none, inner, buf, theme)
}

/// Draws the filter and the list into an area. Returns the cursor's position.
pub(crate) fn draw_list(pick: &PickList, none: &str, inner: Rect, buf: &mut Buffer, theme: Theme) -> (u16, u16) {
    let shown = pick.shown();
    let mut cells = RowWriter::new(row(inner, 0), buf, theme);
    cells.put(theme.name(), "/ ").put(theme.strong(), &pick.filter);
    let cursor = inner.right() - u16::try_from(cells.left()).unwrap_or(0);
    cells.right(theme.quiet(), &format!("{} of {}", shown.len(), pick.items.len()));
    let room = usize::from(inner.height.saturating_sub(2));
    let (first, below) = ListWindow::around(pick.selected, shown.len(), room).hidden();
    let columns = usize::from(inner.width);
    let wide = shown.iter().map(|i| width(&i.label)).max().unwrap_or(0);
    let wide = wide.min(columns.saturating_sub(ABOUT).max(columns / 2));
    for (index, item) in shown.iter().enumerate().skip(first).take(room) {
        let place = row(inner, 2 + index - first);
        let about = if index == pick.selected { theme.plain() } else { theme.quiet() };
        RowWriter::new(place, buf, theme).cell(theme.plain(), &item.label, wide).sentence(about, &item.about);
        if index == pick.selected {
            buf.set_style(place, theme.selected());
        }
    }
    foot(inner, buf, theme, (first, below));
    if shown.is_empty() {
        RowWriter::new(row(inner, 2), buf, theme).put(theme.quiet(), none);
    }
    (cursor, inner.y)
}
