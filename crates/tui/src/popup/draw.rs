//! Drawing of popups.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::input::draw_input;
use super::long_text::LongText;
use super::pick::draw_pick;
use super::replay::replay_question;
use super::{Popup, answer_row, foot, frame, row};
use crate::consent::ConsentQuestion;
use crate::layer_keys::LayerKey;
use crate::matching::write_question;
use crate::model::Model;
use crate::theme::Theme;
use crate::update::runs_hooks;
use crate::widgets::{RowWriter, StyledLine, width};
use crate::{calibration, intercept, stress};
use hookbench_core::live::Decision;
use hookbench_core::text::{one_line, pluralize};

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
            let text = LongText::Lines.lay_out(lines, (area.width, area.height));
            let inner = frame(area, buf, theme, title, text.width, text.height);
            let window = text.window(*top);
            foot(inner, buf, theme, window.hidden());
            draw_rows(text.rows.iter().skip(window.first).take(text.room), inner, buf, theme);
            None
        }
        Popup::NewHook(sheet) => Some(sheet.draw(area, buf, model)),
        Popup::Patch { title, lines, top, .. } => {
            draw_diff((title, lines, &popup.footer(model)), *top, area, buf, theme);
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
        Popup::SendInput { lines, top, decision, .. } => {
            let title = send_question(decision);
            draw_diff((title, lines, &popup.footer(model)), *top, area, buf, theme);
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
            let lines = quit_lines(model);
            let columns = lines.iter().map(|line| width(line)).max().unwrap_or(0).clamp(46, 86) + 4;
            let height = u16::try_from(lines.len() + 4).unwrap_or(u16::MAX);
            let inner = frame(area, buf, theme, "Quit hookbench?", u16::try_from(columns).unwrap_or(90), height);
            for (index, line) in lines.iter().enumerate() {
                RowWriter::new(row(inner, index), buf, theme).sentence(theme.plain(), line);
            }
            answer_row(row(inner, lines.len() + 1), buf, theme, &popup.footer(model));
            None
        }
        Popup::Help(help) => {
            help.draw(area, buf, model);
            None
        }
    }
}

/// The question before a decision about a held event is sent.
pub fn send_question(decision: &Decision) -> &'static str {
    if *decision == Decision::Observe { "Let it continue as without a hook?" } else { "Continue with this input?" }
}

/// The consequences of quitting.
pub fn quit_lines(model: &Model) -> Vec<String> {
    let hooks = runs_hooks(model).then(|| "Hooks are running. Quitting ends them.".to_owned());
    let matching = &model.matching;
    let matcher = matching
        .differs(model)
        .then(|| one_line(&format!("The matcher {} is not written to the settings.", matching.text.text())));
    hooks.into_iter().chain(matcher).chain(intercept::quit_lines(model)).collect()
}

/// Draws a diff and the question below it. Between them, a line says how much is hidden below.
fn draw_diff(
    (title, lines, keys): (&str, &[StyledLine], &[LayerKey]),
    top: usize,
    area: Rect,
    buf: &mut Buffer,
    theme: Theme,
) {
    let text = LongText::Diff.lay_out(lines, (area.width, area.height));
    let inner = frame(area, buf, theme, title, text.width, text.height);
    let window = text.window(top);
    draw_rows(text.rows.iter().skip(window.first).take(text.room), inner, buf, theme);
    let hidden = &text.rows[text.rows.len() - window.below.min(text.rows.len())..];
    let place = |from_end: u16| row(inner, usize::from(inner.height.saturating_sub(from_end)));
    if !hidden.is_empty() && text.room > 0 {
        let changes = hidden.iter().filter(|row| is_change(row)).count();
        let lines = pluralize(hidden.len(), "more line");
        let changed = if changes > 0 { format!(", {}", pluralize(changes, "change")) } else { String::new() };
        RowWriter::new(place(2), buf, theme).put(theme.ask(), &format!("{lines} below{changed}"));
    }
    foot(inner, buf, theme, (window.first, 0));
    answer_row(place(1), buf, theme, keys);
}

/// Whether a row of a diff is an added or a removed line.
fn is_change(row: &StyledLine) -> bool {
    row.first().is_some_and(|(_, text)| text.starts_with(['+', '-']))
}

pub(super) fn draw_rows<'a>(rows: impl Iterator<Item = &'a StyledLine>, inner: Rect, buf: &mut Buffer, theme: Theme) {
    for (index, line) in rows.enumerate() {
        RowWriter::new(row(inner, index), buf, theme).line(line);
    }
}
