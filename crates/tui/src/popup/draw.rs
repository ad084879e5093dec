//! Drawing of popups.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::input::draw_input;
use super::pick::draw_pick;
use super::replay::replay_question;
use super::{Popup, answer_row, foot, frame, row};
use crate::calibration;
use crate::consent::ConsentQuestion;
use crate::layer_keys::LayerKey;
use crate::matching::write_question;
use crate::model::Model;
use crate::stress;
use crate::theme::Theme;
use crate::widgets::{ListWindow, RowWriter, StyledLine, wrap};

/// Draws a popup in the middle. Returns the cursor's position, if the popup has a cursor.
pub fn draw(popup: &Popup, area: Rect, buf: &mut Buffer, model: &Model) -> Option<(u16, u16)> {
    let theme = model.theme;
    match popup {
        Popup::Pick(pick) => {
            let none = "no match";
            Some(draw_pick(pick, (pick.title, none), area, buf, theme))
        }
        Popup::Find(finder) => Some(finder.draw(area, buf, theme)),
        Popup::Values { title, pick, .. } => {
            let none = format!("no known value; Enter sets {}", pick.filter);
            Some(draw_pick(pick, (title, &none), area, buf, theme))
        }
        Popup::Input(input) => Some(draw_input(input, area, buf, theme)),
        Popup::Runs(runs) => runs.draw(area, buf, model),
        Popup::Consent { items, top } => {
            let mut question = ConsentQuestion::to_fire(items, &model.need_counts());
            if let Some(purpose) = model.session.consent_purpose() {
                purpose.clone_into(&mut question.title);
            }
            question.draw(*top, area, buf, theme);
            None
        }
        Popup::Replay { question, top } => {
            replay_question(question).draw(*top, area, buf, theme);
            None
        }
        Popup::PayloadRefused(why) => {
            let lines: Vec<&str> = why.lines().collect();
            let height = u16::try_from(lines.len()).unwrap_or(10).saturating_add(2);
            let inner = frame(area, buf, theme, "This payload is not valid", 90, height);
            for (index, line) in lines.iter().enumerate() {
                RowWriter::new(row(inner, index), buf, theme)
                    .put(if index == 0 { theme.bad() } else { theme.plain() }, line);
            }
            None
        }
        Popup::Lines { title, lines, top } => {
            let rows: Vec<_> = lines.iter().flat_map(|l| wrap(l, lines_columns(area.width), 4)).collect();
            let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(2);
            let inner =
                frame(area, buf, theme, title, area.width.saturating_sub(4), height.min(area.height.saturating_sub(4)));
            let room = usize::from(inner.height);
            let (top, below) = ListWindow::from(*top, rows.len(), room).hidden();
            foot(inner, buf, theme, (top, below));
            for (index, line) in rows.iter().skip(top).take(room).enumerate() {
                let mut cells = RowWriter::new(row(inner, index), buf, theme);
                for (style, text) in line {
                    cells.put(*style, text);
                }
            }
            None
        }
        Popup::NewHook(sheet) => Some(sheet.draw(area, buf, model)),
        Popup::Patch { title, lines, top, .. } => {
            draw_patch((title, lines, &popup.footer(model)), *top, area, buf, theme);
            None
        }
        Popup::Calibration { agent, top } => {
            calibration::draw((*agent, *top), area, buf, model);
            None
        }
        Popup::Stress { top } => {
            stress::draw(*top, area, buf, model);
            None
        }
        Popup::SendInput { lines, top, .. } => {
            draw_send((lines, &popup.footer(model)), *top, area, buf, theme);
            None
        }
        Popup::Copy(all) => {
            let height = u16::try_from(all.len()).unwrap_or(u16::MAX).saturating_add(2);
            let inner = frame(area, buf, theme, "Copy", 90, height);
            for (index, yank) in all.iter().enumerate() {
                let key = yank.key.to_string();
                let text = yank.text.split_whitespace().collect::<Vec<_>>().join(" ");
                let mut cells = RowWriter::new(row(inner, index), buf, theme);
                cells.cell(theme.name(), &key, 1).cell(theme.plain(), yank.name, 31).put(theme.quiet(), &text);
            }
            None
        }
        Popup::WriteMatcher { change, .. } => {
            write_question::draw(change, &popup.footer(model), area, buf, model);
            None
        }
        Popup::Quit => {
            let inner = frame(area, buf, theme, "Hooks are running", 50, 5);
            RowWriter::new(row(inner, 0), buf, theme).put(theme.plain(), "Quitting ends them.");
            answer_row(row(inner, 2), buf, theme, &popup.footer(model));
            None
        }
        Popup::Help(help) => {
            help.draw(area, buf, model);
            None
        }
    }
}

/// The columns that a popup of lines has for its text on a screen of this width.
pub fn lines_columns(screen: u16) -> usize {
    usize::from(screen.saturating_sub(8)).max(8)
}

/// Draws the patch and the question whether to write it.
fn draw_patch(
    (title, lines, keys): (&str, &[StyledLine], &[LayerKey]),
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
    let place = row(inner, usize::from(inner.height.saturating_sub(1)));
    foot(inner, buf, theme, (top, below));
    answer_row(place, buf, theme, keys);
}

/// Draws the diff of the input to be sent.
fn draw_send((lines, keys): (&[String], &[LayerKey]), top: usize, area: Rect, buf: &mut Buffer, theme: Theme) {
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(4).min(area.height);
    let inner = frame(area, buf, theme, "Continue with this input?", area.width.saturating_sub(4).min(100), height);
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
    let place = row(inner, usize::from(inner.height.saturating_sub(1)));
    foot(inner, buf, theme, (top, below));
    answer_row(place, buf, theme, keys);
}
