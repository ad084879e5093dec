//! The strip of pinned events: what each came to, and what changed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::app::Pin;
use crate::core::text::one_line;
use crate::tui::model::Model;
use crate::tui::widgets::{Cells, width};

/// What a pin is called: its event's subject and its most telling text.
fn pin_label(pin: &Pin) -> String {
    let subject = pin.input.subject.value.clone().unwrap_or_else(|| pin.input.event.clone());
    let text = pin.input.body.get("tool_input").and_then(|i| i.as_object()?.values().find_map(|v| v.as_str()));
    let gist: String = text.map_or(subject, str::to_owned).lines().next().unwrap_or("").chars().take(18).collect();
    gist.trim_end().to_owned()
}

/// A pin in pieces: its number, what it is called, what it came to.
fn pieces(model: &Model, index: usize, pin: &Pin) -> Vec<(Style, String)> {
    let theme = model.theme;
    let name = if model.session.pinned() == Some(index) { theme.strong() } else { theme.plain() };
    let mut pieces =
        vec![(theme.name(), format!("{} ", index + 1)), (name, pin_label(pin)), (theme.plain(), "  ".to_owned())];
    if pin.waits {
        pieces.push((theme.warn(), "waits for consent".to_owned()));
        return pieces;
    }
    if let Some(before) = pin.before.filter(|b| Some(*b) != pin.verdict) {
        let arrow = if theme.unicode { " → " } else { " -> " };
        pieces.push((theme.quiet(), format!("{}{arrow}", before.title().to_lowercase())));
    }
    pieces.push(match pin.verdict {
        Some(verdict) => (theme.verdict(verdict), verdict.title().to_owned()),
        None => (theme.quiet(), "not fired".to_owned()),
    });
    pieces
}

/// What stands before the first.
const TITLE: &str = "Pinned";

/// Draws the strip on one row.
pub fn pins(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let mut cells = Cells::new(area, buf, model.theme);
    cells.skip(1).put(model.theme.quiet(), TITLE);
    for (index, pin) in model.session.watch.pins.iter().enumerate() {
        cells.skip(2);
        for (style, text) in pieces(model, index, pin) {
            cells.put(style, &text);
        }
    }
}

/// Where each pin stands on its row, for the mouse.
pub fn pin_places(model: &Model, area: Rect) -> Vec<(usize, Rect)> {
    let mut x = usize::from(area.x) + 1 + TITLE.len();
    let place = |(index, pin): (usize, &Pin)| {
        let wide: usize = pieces(model, index, pin).iter().map(|(_, text)| width(&one_line(text))).sum();
        let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        let place = Rect { x: number(x + 2), width: number(wide), ..area }.intersection(area);
        x += 2 + wide;
        (index, place)
    };
    model.session.watch.pins.iter().enumerate().map(place).collect()
}
