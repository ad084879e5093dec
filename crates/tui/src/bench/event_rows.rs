//! The rows of the payload: ticks, keys, values, warnings, and the full value under the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use serde_json::Value;

use crate::keymap::UiCommand;
use crate::model::{Focus, Model};
use crate::payload_keys::kind_words;
use crate::sent_payload::SentRow;
use crate::theme::Theme;
use crate::widgets::{ListWindow, RowWriter, TreeRow, TreeValue, shown_key, unescaped, width, wrap};

/// Columns before the keys: a space, the tick, the fold mark, a space.
const GUTTER: usize = 4;
/// Maximum length of a value that an agent spells differently: a name or a time.
const SHORT: usize = 64;
/// Maximum length of a value shown in full below its row, in characters.
const LONGEST: usize = 16_384;

/// The visible payload rows with their places, and the full value under the cursor below its row.
struct VisibleRows {
    rows: Vec<(usize, Rect)>,
    full: Vec<(Rect, String)>,
}

fn visible_rows(model: &Model, area: Rect) -> VisibleRows {
    let tree = &model.payload_view.tree;
    let room = usize::from(area.height);
    let focused = model.focus == Focus::Event;
    let mut full = if focused { full_value(model, usize::from(area.width)) } else { Vec::new() };
    let most = room.saturating_sub(1);
    if full.len() > most {
        let hidden = full.len() - most.saturating_sub(1);
        full.truncate(most.saturating_sub(1));
        full.push(format!("{hidden} more lines; {} opens it in $EDITOR", model.key(UiCommand::Edit)));
        full.truncate(most);
    }
    let all = tree.rows.len() + full.len();
    // The cursor's row and its full value are centred as far as the list allows.
    let middle = tree.cursor + full.len() / 2;
    let first = ListWindow::around(middle, all, room).first;
    // The cursor's row is always visible, and if possible the end of its text.
    let first = first.max((tree.cursor + full.len() + 1).saturating_sub(room)).min(tree.cursor);
    let mut lines = (area.top()..area.bottom()).map(|y| Rect { y, height: 1, ..area });
    let mut shown = VisibleRows { rows: Vec::new(), full: Vec::new() };
    for index in first..tree.rows.len() {
        let Some(place) = lines.next() else { break };
        shown.rows.push((index, place));
        if index == tree.cursor {
            shown.full = lines.by_ref().zip(std::mem::take(&mut full)).collect();
        }
    }
    shown
}

/// The places of the rows, for the mouse.
pub fn row_places(model: &Model, area: Rect) -> Vec<(usize, Rect)> {
    visible_rows(model, area).rows
}

/// Draws the visible rows; the row under the cursor is one of them.
pub fn draw_event_rows(model: &Model, area: Rect, buf: &mut Buffer) {
    let tree = &model.payload_view.tree;
    let focused = model.focus == Focus::Event;
    let shown = visible_rows(model, area);
    for (index, place) in shown.rows {
        if let Some(row) = tree.rows.get(index) {
            draw_row(model, row, focused && index == tree.cursor, place, buf);
        }
    }
    let indent = GUTTER + 2 * tree.row().map_or(0, |row| row.depth) + 2;
    for (place, line) in shown.full {
        RowWriter::new(place, buf, model.theme).skip(indent).put(model.theme.plain(), &line);
    }
}

fn draw_row(model: &Model, row: &TreeRow, cursor: bool, place: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = RowWriter::new(place, buf, theme);
    let tick = if is_read_by_script(model, row) { theme.tick() } else { " " };
    cells.skip(1).put(theme.good(), tick);
    let sent = model.payload_view.sent.as_ref().and_then(|sent| sent.row(&row.pointer));
    let (key, changed) = as_sent(row, sent);
    if let Some(says) = model.payload_view.remarks.get(&row.pointer) {
        cells.right(theme.warn(), &format!("{says} "));
    } else if sent == Some(&SentRow::NotSent) {
        cells.right(theme.quiet(), "not sent ");
    } else if key != row.key {
        cells.right(theme.quiet(), &format!("{} ", row.key));
    } else if filled(model, row) {
        cells.right(theme.quiet(), "filled in ");
    } else if cursor && let Some(words) = kind(model, row, usize::from(place.width)) {
        cells.right(theme.quiet(), &format!("{words} "));
    }
    cells.skip(2 * row.depth);
    let wanted = model.payload_view.tree.search.text.as_str();
    match &row.value {
        TreeValue::Fold { open, summary: says } if row.pointer.is_empty() => {
            let sign = if *open { theme.fold(true) } else { theme.ellipsis() };
            cells.put(theme.quiet(), &format!("{sign} {says}"));
        }
        TreeValue::Fold { open, summary: says } => {
            cells.put(theme.quiet(), theme.fold(*open)).skip(1);
            put_highlighted(&mut cells, theme, theme.key(), &key, wanted);
            if !open {
                cells.skip(row.column.saturating_sub(width(&key)) + 2).put(theme.quiet(), says);
            }
        }
        TreeValue::Scalar(text) => {
            cells.skip(2);
            put_highlighted(&mut cells, theme, theme.key(), &key, wanted);
            cells.skip(row.column.saturating_sub(width(&key)) + 2);
            put_highlighted(&mut cells, theme, theme.plain(), changed.as_deref().unwrap_or(text), wanted);
        }
    }
    if cursor {
        buf.set_style(place, theme.selected());
    }
}

/// The name of a row as the hook gets it, and its value if the hook gets another one.
fn as_sent(row: &TreeRow, sent: Option<&SentRow>) -> (String, Option<String>) {
    let Some(SentRow::Sent(sent)) = sent else { return (row.key.clone(), None) };
    let is_scalar = !matches!(sent.value, Value::Object(_) | Value::Array(_));
    let value = is_scalar.then(|| sent.value.to_string()).filter(|text| text.len() <= SHORT);
    (shown_key(sent.name()), value)
}

/// Whether the key was missing in the payload and was filled in.
fn filled(model: &Model, row: &TreeRow) -> bool {
    let key = row.pointer.strip_prefix('/').filter(|key| !key.contains('/'));
    key.is_some_and(|key| model.session.bench().payload.filled.contains(&unescaped(key)))
}

/// The allowed values of a key, if the value leaves room for them.
fn kind(model: &Model, row: &TreeRow, columns: usize) -> Option<String> {
    let bench = model.session.bench();
    let value = bench.body()?.pointer(&row.pointer).filter(|_| !row.pointer.is_empty())?;
    let words = kind_words(bench, &row.pointer, value);
    let shown = match &row.value {
        TreeValue::Scalar(text) | TreeValue::Fold { summary: text, .. } => text,
    };
    (GUTTER + 2 * row.depth + row.column + 2 + width(shown) + 3 + width(&words) <= columns).then_some(words)
}

/// Writes a text with the match of the search highlighted.
fn put_highlighted(cells: &mut RowWriter<'_>, theme: Theme, style: Style, text: &str, wanted: &str) {
    let lower = text.to_lowercase();
    let at = lower.find(&wanted.to_lowercase()).filter(|_| !wanted.is_empty() && lower.len() == text.len());
    let end = |at: usize| at + wanted.to_lowercase().len();
    match at.and_then(|at| Some((text.get(..at)?, text.get(at..end(at))?, text.get(end(at)..)?))) {
        Some((before, hit, after)) => cells.put(style, before).put(theme.highlight(), hit).put(style, after),
        None => cells.put(style, text),
    };
}

/// Whether the script reads this row or a row folded inside it.
fn is_read_by_script(model: &Model, row: &TreeRow) -> bool {
    let Some(reads) = &model.payload_view.reads else { return false };
    let below = |pointer: &str| reads.present.iter().any(|p| p.starts_with(&format!("{pointer}/")));
    let folded = matches!(row.value, TreeValue::Fold { open: false, .. });
    if row.pointer.is_empty() {
        let bench = model.session.bench();
        let common = |p: &String| {
            let first = p.split('/').nth(1).map(crate::widgets::unescaped);
            first.is_some_and(|key| !crate::payload_view::is_own_key(bench, &key))
        };
        return folded && reads.present.iter().any(common);
    }
    reads.present.contains(&row.pointer) || folded && below(&row.pointer)
}

/// The text under the cursor in lines, if its row cannot show all of it.
fn full_value(model: &Model, columns: usize) -> Vec<String> {
    let Some(row) = model.payload_view.tree.row() else { return Vec::new() };
    let TreeValue::Scalar(shown) = &row.value else { return Vec::new() };
    let value = model.session.bench().body().and_then(|b| b.pointer(&row.pointer));
    let Some(text) = value.and_then(Value::as_str) else { return Vec::new() };
    let indent = GUTTER + 2 * row.depth + 2;
    let before = GUTTER + 2 * row.depth + row.column + 2;
    if !text.contains('\n') && before + width(shown) <= columns && text.len() <= shown.len() {
        return Vec::new();
    }
    let cut = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    let room = columns.saturating_sub(indent + 1).max(8);
    let mut lines = Vec::new();
    for line in text.get(..cut).unwrap_or("").lines() {
        for row in wrap(&[(Style::new(), line.to_owned())], room, 0) {
            lines.push(row.into_iter().map(|(_, text)| text).collect());
        }
    }
    lines
}
