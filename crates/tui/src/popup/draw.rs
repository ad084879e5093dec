//! Drawing of popups.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::input::draw_input;
use super::pick::draw_pick;
use super::replay::replay_question;
use super::{Popup, foot, frame, row};
use crate::consent::ConsentQuestion;
use crate::matching::write_question;
use crate::model::Model;
use crate::theme::Theme;
use crate::widgets::{ListWindow, RowWriter, wrap};

/// Draws a popup in the middle. Returns the cursor's position, if the popup has a cursor.
pub fn draw(popup: &Popup, area: Rect, buf: &mut Buffer, model: &Model) -> Option<(u16, u16)> {
    let theme = model.theme;
    match popup {
        Popup::Pick(pick) => {
            let none = "nothing contains these words";
            Some(draw_pick(pick, (pick.title, none), area, buf, theme))
        }
        Popup::Find(finder) => Some(finder.draw(area, buf, theme)),
        Popup::Values { title, pick, .. } => {
            let none = format!("no known value; Enter takes {}", pick.filter);
            Some(draw_pick(pick, (title, &none), area, buf, theme))
        }
        Popup::Input(input) => Some(draw_input(input, area, buf, theme)),
        Popup::Runs(runs) => runs.draw(area, buf, model),
        Popup::Consent { items, top } => {
            ConsentQuestion::to_fire(items, &model.need_counts()).draw(*top, area, buf, theme);
            None
        }
        Popup::Replay { question, top } => {
            replay_question(question).draw(*top, area, buf, theme);
            None
        }
        Popup::PayloadRefused(why) => {
            let lines: Vec<&str> = why.lines().collect();
            let height = u16::try_from(lines.len()).unwrap_or(10) + 4;
            let inner = frame(area, buf, theme, "The payload was not taken", 90, height);
            for (index, line) in lines.iter().enumerate() {
                RowWriter::new(row(inner, index), buf, theme)
                    .put(if index == 0 { theme.bad() } else { theme.plain() }, line);
            }
            let keys = row(inner, lines.len() + 1);
            RowWriter::new(keys, buf, theme)
                .put(theme.name(), "e")
                .put(theme.plain(), " edit it again   ")
                .put(theme.name(), "Esc")
                .put(theme.plain(), " keep it as it is");
            None
        }
        Popup::Lines { title, lines, top } => {
            let inner = frame(area, buf, theme, title, area.width.saturating_sub(4), area.height.saturating_sub(4));
            let room = usize::from(inner.height);
            let rows: Vec<_> = lines.iter().flat_map(|l| wrap(l, usize::from(inner.width), 4)).collect();
            let (top, below) = ListWindow::from(*top, rows.len(), room).hidden();
            foot(inner, buf, theme, if top + below > 0 { "arrows move, Esc closes" } else { "" }, (top, below));
            for (index, line) in rows.iter().skip(top).take(room).enumerate() {
                let mut cells = RowWriter::new(row(inner, index), buf, theme);
                for (style, text) in line {
                    cells.put(*style, text);
                }
            }
            None
        }
        Popup::Patch { title, lines, top, undo, .. } => {
            draw_patch((title, lines, undo), *top, area, buf, theme);
            None
        }
        Popup::SendInput { lines, top, .. } => {
            draw_send(lines, *top, area, buf, theme);
            None
        }
        Popup::Copy(all) => {
            let height = u16::try_from(all.len()).unwrap_or(u16::MAX).saturating_add(2);
            let inner = frame(area, buf, theme, "Copy", 90, height);
            for (index, yank) in all.iter().enumerate() {
                let key = yank.key.to_string();
                let text = yank.text.lines().next().unwrap_or_default();
                let mut cells = RowWriter::new(row(inner, index), buf, theme);
                cells.cell(theme.name(), &key, 1).cell(theme.plain(), yank.name, 31).put(theme.quiet(), text);
            }
            None
        }
        Popup::WriteMatcher { change, undo } => {
            write_question::draw(change, undo, area, buf, model);
            None
        }
        Popup::Quit => {
            let inner = frame(area, buf, theme, "Hooks are running", 50, 4);
            RowWriter::new(row(inner, 0), buf, theme)
                .put(theme.plain(), "Quit ends them.  ")
                .put(theme.name(), "y")
                .put(theme.plain(), " quit   ")
                .put(theme.name(), "n")
                .put(theme.plain(), " stay");
            None
        }
        Popup::Help { filter, top } => {
            draw_help(filter, *top, area, buf, model);
            None
        }
    }
}

/// Draws the patch and the question whether to write it.
fn draw_patch(
    (title, lines, undo): (&str, &[Vec<(Style, String)>], &str),
    top: usize,
    area: Rect,
    buf: &mut Buffer,
    theme: Theme,
) {
    let width = area.width.saturating_sub(4);
    let rows: Vec<_> = lines.iter().flat_map(|l| wrap(l, usize::from(width.saturating_sub(4)), 2)).collect();
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(4).min(area.height.saturating_sub(2));
    let inner = frame(area, buf, theme, title, width, height);
    let room = usize::from(inner.height.saturating_sub(2));
    let (top, below) = ListWindow::from(top, rows.len(), room).hidden();
    for (index, line) in rows.iter().skip(top).take(room).enumerate() {
        let mut cells = RowWriter::new(row(inner, index), buf, theme);
        for (style, text) in line {
            cells.put(*style, text);
        }
    }
    let mut cells = RowWriter::new(row(inner, usize::from(inner.height.saturating_sub(1))), buf, theme);
    if top + below > 0 {
        cells.right(theme.quiet(), &format!("{top} above, {below} below"));
    }
    cells
        .put(theme.name(), "y")
        .put(theme.plain(), " write it   ")
        .put(theme.name(), "n")
        .put(theme.plain(), " leave it");
    if !undo.is_empty() {
        cells.put(theme.quiet(), &format!("   {undo} takes it back later"));
    }
}

/// Draws the diff of the input to be sent.
fn draw_send(lines: &[String], top: usize, area: Rect, buf: &mut Buffer, theme: Theme) {
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(4).min(area.height);
    let inner = frame(area, buf, theme, "Go on with this input?", area.width.saturating_sub(4).min(100), height);
    let room = usize::from(inner.height.saturating_sub(2));
    let (top, below) = ListWindow::from(top, lines.len(), room).hidden();
    for (index, line) in lines.iter().skip(top).take(room).enumerate() {
        let style = match line.as_bytes().first() {
            Some(b'+') => theme.good(),
            Some(b'-') => theme.bad(),
            _ => theme.plain(),
        };
        RowWriter::new(row(inner, index), buf, theme).put(style, line);
    }
    let mut cells = RowWriter::new(row(inner, usize::from(inner.height.saturating_sub(1))), buf, theme);
    if top + below > 0 {
        cells.right(theme.quiet(), &format!("{top} above, {below} below"));
    }
    cells
        .put(theme.name(), "Enter")
        .put(theme.plain(), " send it   ")
        .put(theme.name(), "Esc")
        .put(theme.plain(), " leave it held");
}

fn draw_help(filter: &str, top: usize, area: Rect, buf: &mut Buffer, model: &Model) {
    let theme = model.theme;
    let (title, first) = model.page.screen().help(model);
    let inner = frame(area, buf, theme, title, 96, area.height.saturating_sub(4).max(8));
    RowWriter::new(row(inner, 0), buf, theme)
        .put(theme.name(), "/ ")
        .put(theme.strong(), filter)
        .right(theme.quiet(), "Esc closes");
    let wanted = filter.to_lowercase();
    let keys = model.config.keys.rows().map(|(binding, chords)| (chords.join(", "), binding.help.to_owned()));
    let rows = first.into_iter().chain(keys);
    let shown: Vec<_> = rows.filter(|(keys, help)| format!("{keys} {help}").to_lowercase().contains(&wanted)).collect();
    let room = usize::from(inner.height.saturating_sub(2));
    let (top, below) = ListWindow::from(top, shown.len(), room).hidden();
    foot(inner, buf, theme, "arrows move, letters narrow the list", (top, below));
    for (index, (keys, help)) in shown.iter().skip(top).take(room).enumerate() {
        RowWriter::new(row(inner, index + 2), buf, theme).cell(theme.name(), keys, 12).put(theme.plain(), help);
    }
}
