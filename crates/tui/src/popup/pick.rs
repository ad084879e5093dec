//! A list to choose from, filtered by typing.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{PopupResult, foot, frame, row};
use crate::theme::Theme;
use crate::widgets::{ListWindow, RowWriter, moved_row, width};
use hookbench_app::Command;

/// The space between the facts about an item.
const FACTS: &str = "   ";

/// Columns from which on the beginning of a sentence says enough.
const SENTENCE: usize = 40;

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
    /// Facts with three spaces between them.
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
    let columns = usize::from(inner.width);
    // The widths depend on all items, so that the columns stay while the filter leaves fewer of them.
    let wide = pick.items.iter().map(|item| width(&item.label)).max().unwrap_or(0);
    let wide = wide.min(columns.saturating_sub(ABOUT).max(columns / 2));
    let about_columns = columns.saturating_sub(wide + 2);
    // Facts that do not fit beside the labels are shown below the list for the selected item.
    let is_cut = pick.items.iter().any(|item| width(&item.about) > about_columns && item.about.contains(FACTS));
    let is_narrow = is_cut && about_columns < SENTENCE;
    let below = usize::from(is_cut) * 2;
    let room = usize::from(inner.height.saturating_sub(2)).saturating_sub(below);
    let hidden = ListWindow::around(pick.selected, shown.len(), room).hidden();
    for (index, item) in shown.iter().enumerate().skip(hidden.0).take(room) {
        let place = row(inner, 2 + index - hidden.0);
        let style = if index == pick.selected { theme.plain() } else { theme.quiet() };
        let about = if is_narrow { fitting_facts(&item.about, about_columns) } else { &item.about };
        RowWriter::new(place, buf, theme).cell(theme.plain(), &item.label, wide).sentence(style, about);
        if index == pick.selected {
            buf.set_style(place, theme.selected());
        }
    }
    if let Some(item) = shown.get(pick.selected).filter(|_| is_cut) {
        let place = row(inner, usize::from(inner.height.saturating_sub(1)));
        let listed = fitting_facts(&item.about, about_columns).len();
        RowWriter::new(place, buf, theme).sentence(theme.quiet(), item.about.get(listed..).unwrap_or_default().trim());
    }
    foot(inner, buf, theme, hidden);
    if shown.is_empty() {
        RowWriter::new(row(inner, 2), buf, theme).put(theme.quiet(), none);
    }
    (cursor, inner.y)
}

/// The first facts that fit whole into these columns.
fn fitting_facts(about: &str, columns: usize) -> &str {
    let ends = about.match_indices(FACTS).map(|(end, _)| end).chain([about.len()]);
    ends.filter_map(|end| about.get(..end)).take_while(|facts| width(facts) <= columns).last().unwrap_or_default()
}
