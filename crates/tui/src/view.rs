//! One frame, composed of the panes. Drawing does not change the model, except that an open question is marked as
//! drawn.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::bench::{Band, FrameLayout, draw_band};
use crate::header::draw_header;
use crate::intercept::banner;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::popup;
use crate::screen::FooterKey;
use crate::widgets::{RowWriter, width};

/// Draws the whole screen.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width == 0 || area.height == 0 {
        return;
    }
    let buf = frame.buffer_mut();
    let text = model.page.screen().band(model);
    let (area, below) = banner::split(model, area);
    let at = compute_layout(model, &text, area);
    draw_header(model, at.header, buf);
    let screen = model.page.screen();
    let typed = screen.draw_top_line(model, at.event_line, buf);
    draw_band(model, &text, at.band, buf);
    screen.draw(model, &at, buf);
    draw_footer(model, &at, buf);
    let cursor = match model.popups.last() {
        Some(top) => {
            model.question_unseen.set(false);
            buf.set_style(area, model.theme.behind_popup());
            popup::draw(top, area, buf, model)
        }
        None => typed,
    };
    banner::draw(model, below, buf);
    model.shades.apply(buf);
    if let Some((x, y)) = cursor {
        frame.set_cursor_position((x, y));
    }
}

/// Computes the layout.
fn compute_layout(model: &Model, text: &Band, area: Rect) -> FrameLayout {
    model.page.screen().layout(model, area, u16::try_from(text.reserved).unwrap_or(u16::MAX))
}

/// The current layout, for scrolling and for the mouse.
pub fn frame_layout(model: &Model) -> FrameLayout {
    let (width, height) = model.size;
    let (area, _) = banner::split(model, Rect::new(0, 0, width, height));
    compute_layout(model, &model.page.screen().band(model), area)
}

/// Maximum number of keys in the footer.
const KEYS: usize = 8;

/// A key in the footer and its label.
type LabelledKey<'a> = (&'a str, &'a str);

fn draw_footer(model: &Model, at: &FrameLayout, buf: &mut Buffer) {
    let area = at.footer;
    if area.height == 0 {
        return;
    }
    let theme = model.theme;
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1);
    if let Some(toast) = &model.toast {
        cells.put(theme.strong(), toast);
        return;
    }
    let key = |(command, label): FooterKey| -> Option<LabelledKey<'_>> {
        let (binding, chords) = model.config.keys.rows().find(|(binding, _)| binding.command == command)?;
        let label = [label, binding.short, binding.name].into_iter().find(|label| !label.is_empty())?;
        Some((chords.first()?, label))
    };
    // Help and quit are always shown. Quit leads to the bench from every other page.
    let quit = (UiCommand::Quit, if model.page == Page::default() { "" } else { "back" });
    let end: Vec<LabelledKey<'_>> = [(UiCommand::Help, ""), quit].into_iter().filter_map(key).collect();
    let begin = model.page.screen().footer(model, at).into_iter().filter_map(key).take(KEYS - end.len());
    let wide = |(key, label): &LabelledKey<'_>| width(key) + 1 + width(label);
    let reserved = end.iter().map(|key| wide(key) + 3).sum::<usize>().saturating_sub(3);
    let mut put = |(key, label): LabelledKey<'_>| {
        cells.put(theme.name(), key).put(theme.plain(), &format!(" {label}")).skip(3);
        cells.left()
    };
    let mut left = usize::from(area.width.saturating_sub(1));
    for key in begin {
        if left >= wide(&key) + 3 + reserved {
            left = put(key);
        }
    }
    for key in end {
        put(key);
    }
}
