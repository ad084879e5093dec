//! The strip of pinned events: what each came to, and what changed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Pin;
use crate::tui::model::Model;
use crate::tui::widgets::Cells;

/// What a pin is called: its event's subject and its most telling text.
fn pin_label(pin: &Pin) -> String {
    let subject = pin.input.subject.value.clone().unwrap_or_else(|| pin.input.event.clone());
    let text = pin.input.body.get("tool_input").and_then(|i| i.as_object()?.values().find_map(|v| v.as_str()));
    let gist: String = text.map_or(subject, str::to_owned).lines().next().unwrap_or("").chars().take(18).collect();
    gist.trim_end().to_owned()
}

/// Draws the strip on one row.
pub fn pins(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let theme = model.theme;
    let here = model.session.pinned();
    let mut cells = Cells::new(area, buf, theme);
    cells.skip(1).put(theme.quiet(), "Pinned");
    for (index, pin) in model.session.watch.pins.iter().enumerate() {
        let name = if here == Some(index) { theme.strong() } else { theme.plain() };
        cells.skip(2).put(theme.name(), &format!("{} ", index + 1)).put(name, &pin_label(pin)).put(theme.plain(), "  ");
        if pin.waits {
            cells.put(theme.warn(), "waits for consent");
            continue;
        }
        if let Some(before) = pin.before.filter(|b| Some(*b) != pin.verdict) {
            cells
                .put(theme.quiet(), &before.title().to_lowercase())
                .put(theme.quiet(), if theme.unicode { " → " } else { " -> " });
        }
        match pin.verdict {
            Some(verdict) => cells.put(theme.verdict(verdict), verdict.title()),
            None => cells.put(theme.quiet(), "not fired"),
        };
    }
}
