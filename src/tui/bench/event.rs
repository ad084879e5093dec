//! The event: its line above the band, and its payload.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::model::{Focus, Model};
use crate::tui::widgets::{Cells, json_line};

/// The event in one line: name, subject, what it is about.
pub fn event_line(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let bench = &model.session.bench;
    let mut cells = Cells::new(area, buf, theme);
    cells.skip(1);
    let Some(event) = bench.event else {
        cells.put(theme.quiet(), "no event");
        return;
    };
    let origin = match (bench.template, bench.edited) {
        (Some(index), false) => format!("template {} of {}", index + 1, bench.templates.len()),
        (Some(_), true) => "template, edited".to_owned(),
        (None, _) => "edited".to_owned(),
    };
    cells.right(theme.quiet(), &format!("{origin} "));
    cells.put(theme.strong(), event.name);
    let subject = bench.input.as_ref().and_then(|i| i.subject.value.clone());
    if let Some(subject) = subject {
        cells.put(theme.plain(), &format!("  {subject}"));
    }
    if let Some(what) = gist(model) {
        cells.put(theme.name(), &format!("  {what}"));
    }
}

/// The most telling value of the payload: the first text of the tool's input, else of the event's own keys.
fn gist(model: &Model) -> Option<String> {
    let body = model.session.bench.body()?;
    let first_text =
        |value: &serde_json::Value| value.as_object()?.values().find_map(|v| v.as_str().map(str::to_owned));
    if let Some(text) = body.get("tool_input").and_then(first_text) {
        return Some(one_line(&text));
    }
    let fields = model.session.bench.event?.fields;
    let subject = model.session.bench.event?.subject;
    fields.iter().filter(|f| Some(f.name) != subject).find_map(|f| body.get(f.name)?.as_str().map(one_line))
}

fn one_line(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or("").to_owned();
    if lines.next().is_some() { format!("{first} …") } else { first }
}

/// The payload, with its keys told from its values.
pub fn event_pane(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    if area.height == 0 {
        return;
    }
    let title = Rect { height: 1, ..area };
    let mut cells = Cells::new(title, buf, theme);
    let focused = model.focus == Focus::Event;
    cells.skip(1).put(
        if focused { theme.strong().add_modifier(ratatui::style::Modifier::UNDERLINED) } else { theme.strong() },
        "Event",
    );
    let bench = &model.session.bench;
    if let Some(refused) = &bench.refused {
        cells.put(theme.bad(), &format!("   not taken: {}", refused.why.lines().next().unwrap_or("")));
    } else if let Some(note) = bench.diagnostics.first() {
        cells.put(theme.warn(), &format!("   {}", note.message));
    } else if !bench.filled.is_empty() {
        cells.put(theme.quiet(), &format!("   filled in: {}", bench.filled.join(", ")));
    }
    let room = usize::from(area.height - 1);
    let last = model.event_lines.len().saturating_sub(room);
    let top = model.event_scroll.min(last);
    if top > 0 {
        cells.put(theme.quiet(), &format!("   {top} lines above"));
    }
    cells.right(theme.quiet(), "e edits it ");
    for (index, line) in model.event_lines.iter().skip(top).take(room).enumerate() {
        let y = area.y + 1 + u16::try_from(index).unwrap_or(0);
        let (indent, key, value) = json_line(line);
        Cells::new(Rect { y, height: 1, ..area }, buf, theme)
            .skip(1)
            .put(theme.plain(), indent)
            .put(theme.name(), key)
            .put(theme.plain(), value);
    }
    let more = model.event_lines.len().saturating_sub(top + room);
    if more > 0 {
        let place = Rect { y: area.bottom() - 1, height: 1, ..area };
        Cells::new(place, buf, theme).right(theme.quiet(), &format!("{more} more lines "));
    }
}
