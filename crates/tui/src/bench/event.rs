//! The event: its line above the band, and the payload pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::event_rows::{draw_event_rows, row_places};

use crate::keymap::UiCommand;
use crate::model::{Focus, Model};
use crate::payload_view::is_own_key;
use crate::sent_payload::SentRow;
use crate::widgets::{ListWindow, Pane, RowWriter, escaped, json_line, width};
use hookbench_app::{gist, is_minor_key};
use serde_json::Value;

/// Columns of the event's line that its origin never takes.
const LONG: usize = 60;

/// Draws the event in one line: name, subject, gist.
pub fn draw_event_line(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let bench = model.session.bench();
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1);
    let Some(event) = bench.payload.event else {
        cells.put(theme.quiet(), "no event");
        return;
    };
    let origin = bench.origin_words();
    let subject = bench.payload.input.as_ref().and_then(|i| i.subject.value.clone());
    let about =
        [(theme.plain(), subject), (theme.name(), bench.body().and_then(|body| gist(bench.payload.event, body)))];
    let about: Vec<(Style, String)> =
        about.into_iter().filter_map(|(style, text)| Some((style, format!("  {}", text?)))).collect();
    // The origin is hidden if the event needs the space, up to a limit.
    let wide = width(event.name) + about.iter().map(|(_, text)| width(text)).sum::<usize>();
    // Without a header, its warnings are shown here.
    let bare = model.size.0 < 60 || model.size.1 < 15;
    if let Some((style, sign)) = crate::intercept::banner::recording_sign(model, false).filter(|_| bare) {
        cells.right(style, &format!("{sign} "));
    }
    if bare && model.session.auto_fire().lost.is_some() {
        cells.right(theme.warn(), "watch lost ");
    } else if bare && model.session.auto_fire().armed {
        cells.right(theme.warn(), "ARMED ");
    } else if cells.left() > wide.min(LONG) + 2 + width(&origin) {
        cells.right(theme.quiet(), &format!("{origin} "));
    }
    cells.put(theme.strong(), event.name);
    cells.line(&about);
}

/// Draws the payload as rows, or a payload text that was refused.
pub fn draw_event_pane(model: &Model, pane: Pane, buf: &mut Buffer) {
    if !pane.is_shown() {
        return;
    }
    pane.draw_border(model.focus == Focus::Event && model.popups.is_empty(), buf, model.theme);
    let area = pane.with_title();
    let line = Rect { height: 1, ..area };
    let body = body(model, area);
    if model.session.bench().payload.refused.is_some() {
        title(model, false, line, buf);
        refused_lines(model, body, buf);
        return;
    }
    if body.y > line.bottom() {
        draw_missing_keys(model, Rect { y: line.bottom(), ..line }, buf);
    }
    title(model, model.payload_view.tree.rows.len() > usize::from(body.height), line, buf);
    draw_event_rows(model, body, buf);
}

/// Draws the payload in one line where it has no pane: the keys of this event, without those that every event has.
pub fn draw_payload_line(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let bench = model.session.bench();
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1);
    if let Some(refused) = &bench.payload.refused {
        cells.put(theme.bad(), &format!("payload refused: {}", refused.reason.lines().next().unwrap_or("")));
        return;
    }
    let Some(Value::Object(body)) = bench.body() else { return };
    cells.right(theme.quiet(), &format!("{} edit ", model.key(UiCommand::Edit)));
    cells.put(theme.quiet(), "payload ");
    let own = body.iter().filter(|(key, _)| *key != "hook_event_name" && is_own_key(bench, key));
    // What the agent does comes first.
    let (minor, telling): (Vec<_>, Vec<_>) = own.partition(|(key, _)| is_minor_key(key));
    for (index, (key, value)) in telling.into_iter().chain(minor).enumerate() {
        if cells.left() == 0 {
            break;
        }
        let sent = model.payload_view.sent.as_ref().and_then(|sent| sent.row(&format!("/{}", escaped(key))));
        let (key, value) = match sent {
            Some(SentRow::NotSent) => continue,
            Some(SentRow::Sent(sent)) => (sent.name(), &sent.value),
            None => (key.as_str(), value),
        };
        cells.put(theme.quiet(), if index > 0 { "  " } else { " " });
        cells.put(theme.key(), &format!("{key}: "));
        let mut text = String::new();
        write_start(value, cells.left(), &mut text);
        cells.put(theme.plain(), &text);
    }
}

/// Writes the beginning of a value as JSON, a little longer than `room` characters at most.
fn write_start(value: &Value, room: usize, out: &mut String) {
    let full = |out: &String| out.len() > room;
    match value {
        Value::String(text) => {
            let end = text.char_indices().nth(room).map_or(text.len(), |(end, _)| end);
            out.push_str(&Value::from(text.get(..end).unwrap_or_default()).to_string());
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_start(item, room, out);
                if full(out) {
                    return;
                }
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (index, (key, item)) in fields.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write_start(item, room, out);
                if full(out) {
                    return;
                }
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// The area of the payload rows, below the title and the line of missing keys.
fn body(model: &Model, area: Rect) -> Rect {
    let below = area.height.saturating_sub(1);
    let missing = model.session.bench().payload.refused.is_none() && model.payload_view.has_missing() && below > 2;
    let above = 1 + u16::from(missing);
    Rect { y: area.y + above, height: area.height.saturating_sub(above), ..area }
}

/// The places of the payload rows, for the mouse.
pub fn event_places(model: &Model, area: Rect) -> Vec<(usize, Rect)> {
    if model.session.bench().payload.refused.is_some() { Vec::new() } else { row_places(model, body(model, area)) }
}

fn title(model: &Model, scrolls: bool, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = RowWriter::new(area, buf, theme);
    let focused = model.focus == Focus::Event;
    cells.put(if focused { theme.name() } else { theme.strong() }, " Payload ");
    let search = &model.payload_view.tree.search;
    let bench = model.session.bench();
    if search.typing || !search.text.is_empty() {
        cells.put(theme.name(), "   /").put(theme.strong(), &search.text);
        if search.typing {
            cells.put(theme.selected(), " ");
        }
        let (at, of) = model.payload_view.tree.place();
        let says = match (of, search.text.is_empty()) {
            (_, true) => "keys and values".to_owned(),
            (0, false) => "not found".to_owned(),
            _ if search.typing => format!("{at} of {of}   Enter keep   Esc clear"),
            _ => {
                let (next, previous) = (model.key(UiCommand::NextMatch), model.key(UiCommand::PreviousMatch));
                format!("{at} of {of}   {next} next   {previous} previous")
            }
        };
        cells.put(theme.quiet(), &format!("   {says}"));
        return;
    }
    if let Some(refused) = &bench.payload.refused {
        cells.put(theme.bad(), &format!("   not taken: {}", refused.reason.lines().next().unwrap_or("")));
    } else if let Some(note) = bench.payload.diagnostics.first() {
        cells.put(theme.warn(), &format!("   {}", note.message));
    } else if let Some(text) = model.session.consecutive_stops() {
        cells.put(theme.quiet(), &format!("   {text}"));
    } else if let Some(hook) = model.payload_view.sent.as_ref().and_then(|_| model.definition()) {
        cells.put(theme.quiet(), "   as ").put(theme.strong(), &hook.label());
        cells.put(theme.quiet(), &format!(" gets it on {} ", hook.event));
    } else if !bench.payload.filled.is_empty() {
        cells.put(theme.quiet(), &format!("   filled in: {} ", bench.payload.filled.join(", ")));
    } else if let Some(reads) = &model.payload_view.reads {
        if !reads.present.is_empty() {
            cells.put(theme.quiet(), "   ").put(theme.good(), theme.tick());
            cells.put(theme.quiet(), &format!(" {} reads it", reads.script));
        }
        if !reads.other_times.is_empty() {
            let begin =
                if reads.present.is_empty() { format!("   {} reads", reads.script) } else { ", and".to_owned() };
            cells.put(theme.quiet(), &format!("{begin} {} on other events", reads.other_times.join(", ")));
        }
        if !reads.present.is_empty() || !reads.other_times.is_empty() {
            cells.put(theme.quiet(), " ");
        }
    }
    if scrolls {
        let tree = &model.payload_view.tree;
        cells.right(theme.quiet(), &format!(" row {} of {} ", tree.cursor + 1, tree.rows.len()));
    }
    let key = |verb| model.key(verb);
    let hint = if focused {
        let (change, fold, find, undo) =
            (key(UiCommand::Open), key(UiCommand::LeaveOut), key(UiCommand::Search), key(UiCommand::UndoPayload));
        format!(" {change} change   {fold} fold   {find} find   {undo} undo ")
    } else {
        format!(" {} edit ", key(UiCommand::Edit))
    };
    cells.right(theme.quiet(), &hint);
}

/// Draws the keys that the selected script reads and this event does not have.
fn draw_missing_keys(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let Some(reads) = &model.payload_view.reads else { return };
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1);
    cells.put(theme.warn(), "MISSING");
    if area.width >= 70 {
        cells.put(theme.plain(), &format!(" from this event, and {} reads it:", reads.script));
    }
    for (index, (path, elsewhere)) in reads.missing.iter().enumerate() {
        cells.put(theme.plain(), if index > 0 { ", " } else { " " }).put(theme.warn(), path);
        if let Some(elsewhere) = elsewhere {
            cells.put(theme.plain(), &format!(" (here it is {elsewhere})"));
        }
    }
}

fn refused_lines(model: &Model, area: Rect, buf: &mut Buffer) {
    let room = usize::from(area.height);
    let top = ListWindow::from(model.event_scroll, model.event_lines.len(), room).first;
    for (line, y) in model.event_lines.iter().skip(top).zip(area.top()..area.bottom()) {
        let (indent, key, value) = json_line(line);
        RowWriter::new(Rect { y, height: 1, ..area }, buf, model.theme)
            .skip(1)
            .put(model.theme.plain(), indent)
            .put(model.theme.name(), key)
            .put(model.theme.plain(), value);
    }
}
