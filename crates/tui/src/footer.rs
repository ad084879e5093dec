//! The footer: a message, and the keys of the topmost layer. The layers are a popup, a text that is typed on the page,
//! and the page.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget as _};

use crate::bench::FrameLayout;
use crate::keymap::UiCommand;
use crate::layer_keys::LayerKey;
use crate::model::Model;
use crate::page_registry::screen_of;
use crate::screen::FooterKey;
use crate::theme::Theme;
use crate::update::is_opened;
use crate::widgets::{RowWriter, fit, width, wrap};
use hookbench_core::text::one_line;

/// Maximum number of keys in the footer.
const KEYS: usize = 8;
/// Maximum number of rows of a message.
const MESSAGE_ROWS: usize = 4;

/// Draws the footer. Under a popup it is the last row of the area, even where the page has no footer.
pub fn draw_footer(model: &Model, area: Rect, at: &FrameLayout, buf: &mut Buffer) {
    let layer = match model.popups.last() {
        Some(popup) => Some(popup.footer(model)),
        None => model
            .first_key
            .map(|first| following_keys(model, first))
            .or_else(|| screen_of(model.page).typing_keys(model)),
    };
    let place = match &layer {
        Some(_) => Rect { y: area.bottom().saturating_sub(1), height: 1, ..area },
        None => at.footer,
    };
    if place.height == 0 {
        return;
    }
    Clear.render(place, buf);
    let theme = model.theme;
    let (begin, end) = layer.map_or_else(|| page_keys(model, at), |keys| (keys, Vec::new()));
    let wide = |(key, label): &LayerKey| width(key) + 1 + width(label);
    // The keys stay where they are. A message takes the right end, or a row above if it does not fit beside them.
    let keys: usize = begin.iter().chain(&end).map(|key| wide(key) + 3).sum();
    let beside = model.toast.as_ref().filter(|toast| usize::from(place.width) >= keys + width(toast) + 2);
    if let Some(toast) = model.toast.as_ref().filter(|_| beside.is_none() && place.y > area.y) {
        draw_message(toast, message_row(model, place, at), area.y, buf, theme);
    }
    let mut cells = RowWriter::new(place, buf, theme);
    cells.skip(1);
    if let Some(toast) = beside {
        cells.right(theme.strong(), &format!("{toast} "));
    }
    let reserved: usize = end.iter().map(|key| wide(key) + 3).sum();
    for (index, key) in begin.iter().chain(&end).enumerate() {
        // The last keys are always shown.
        let is_last = index >= begin.len();
        if is_last || cells.left() >= wide(key) + reserved {
            cells.put(theme.name(), &key.0).put(theme.plain(), &format!(" {}", key.1)).skip(3);
        }
    }
}

/// The row for a message that has no room beside the keys: the lower border of the panes, which says nothing. Under a
/// popup and without borders it is the row above the keys.
fn message_row(model: &Model, keys: Rect, at: &FrameLayout) -> Rect {
    let panes = at.size.pane(at.shared);
    let has_border = panes.inner.bottom() < at.shared.bottom();
    let row = if model.popups.is_empty() && has_border { at.shared.bottom() - 1 } else { keys.y - 1 };
    Rect { y: row, height: 1, ..keys }
}

/// Draws a message over a row, and over those above it if it is long, with a space on both sides.
fn draw_message(message: &str, row: Rect, top: u16, buf: &mut Buffer, theme: Theme) {
    let columns = usize::from(row.width.saturating_sub(4));
    let lines = wrap(&[(theme.strong(), one_line(message))], columns, 0);
    let shown = lines.len().min(MESSAGE_ROWS).min(usize::from(row.y - top) + 1);
    let mut texts: Vec<String> =
        lines.iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect()).collect();
    let rest = texts.split_off(shown.saturating_sub(1)).concat();
    texts.push(fit(rest.trim_end(), columns, theme));
    let widest = texts.iter().map(|text| width(text.trim_end())).max().unwrap_or(0);
    let wide = u16::try_from(widest).unwrap_or(row.width).saturating_add(2).min(row.width.saturating_sub(1));
    for (text, y) in texts.iter().rev().zip((top..=row.y).rev()) {
        let place = Rect { x: row.x + 1, y, width: wide, ..row };
        Clear.render(place, buf);
        RowWriter::new(place, buf, theme).skip(1).put(theme.strong(), text.trim_end());
    }
}

/// The keys that can follow the first key of a sequence.
fn following_keys(model: &Model, first: KeyEvent) -> Vec<LayerKey> {
    let of = |(key, command): (String, UiCommand)| (key, command.name().replace('-', " "));
    let cancel = ("Esc".to_owned(), "cancel".to_owned());
    model.config.keys.sequences(first).into_iter().map(of).chain([cancel]).collect()
}

/// The keys of the page, and those that are shown on every page.
fn page_keys(model: &Model, at: &FrameLayout) -> (Vec<LayerKey>, Vec<LayerKey>) {
    let key = |(command, label): FooterKey| -> Option<LayerKey> {
        let (binding, chords) = model.config.keys.rows().find(|(binding, _)| binding.command == command)?;
        let label = [label, binding.short, binding.name].into_iter().find(|label| !label.is_empty())?;
        Some((chords.first()?.clone(), label.to_owned()))
    };
    // The key that quits only goes back while something is opened.
    let last = [(UiCommand::Help, ""), (UiCommand::Quit, "")];
    let shown = last.into_iter().filter(|(command, _)| *command != UiCommand::Quit || !is_opened(model));
    let end: Vec<LayerKey> = shown.filter_map(key).collect();
    let page = screen_of(model.page).footer(model, at);
    (page.into_iter().filter_map(key).take(KEYS - end.len()).collect(), end)
}
