//! What stands where: choices beside or above the payload; breakpoints where nothing is held.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::state::Part;
use super::{choices, points};
use crate::app::live::HeldEvent;
use crate::core::live::DecisionKind;
use crate::tui::bench::{Size, hidden_words};
use crate::tui::model::Model;
use crate::tui::popup::row;
use crate::tui::view::frame_layout;
use crate::tui::widgets::{Cells, rule};

/// Columns of the choices where the payload stands beside them.
const LEFT: u16 = 64;
/// Rows of the choices.
const CHOICES: u16 = 7;

/// Columns that the payload is laid out for.
pub fn payload_columns(model: &Model) -> usize {
    let wide = model.size.0 >= 110 && model.size.1 >= 15;
    usize::from(if wide { model.size.0 - LEFT - 2 } else { model.size.0 }).saturating_sub(2).max(8)
}

/// Draws it.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let size = frame_layout(model).size;
    let Some(held) = model.intercept.held(model) else {
        points::draw(model, area, buf);
        return;
    };
    if model.intercept.part == Part::Points {
        points::draw(model, area, buf);
        return;
    }
    match size {
        Size::Wide => {
            let left = Rect { width: LEFT, ..area };
            answers(model, held, left, buf);
            for y in area.top()..area.bottom() {
                buf.set_string(area.x + LEFT, y, model.theme.bar(), model.theme.quiet());
            }
            content(model, held, Rect { x: area.x + LEFT + 2, width: area.width - LEFT - 2, ..area }, buf);
        }
        Size::Tiny if model.intercept.part == Part::Payload => content(model, held, area, buf),
        Size::Tiny => answers(model, held, area, buf),
        Size::Medium | Size::Narrow => {
            let rows = (CHOICES + 1).min(area.height);
            answers(model, held, Rect { height: rows, ..area }, buf);
            let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
            if below.height > 1 {
                rule(Rect { height: 1, ..below }, buf, model.theme);
                content(model, held, Rect { y: below.y + 1, height: below.height - 1, ..below }, buf);
            }
        }
    }
}

/// The choices, and what belongs to the chosen one.
fn answers(model: &Model, held: &HeldEvent, area: Rect, buf: &mut Buffer) {
    let rows = CHOICES.min(area.height.saturating_sub(1)).max(1);
    choices::list(model, held, Rect { height: rows, ..area }, buf);
    choices::written(model, held, row(area, usize::from(rows)), buf);
    others(model, Rect { y: area.y + rows + 2, height: area.height.saturating_sub(rows + 2), ..area }, buf);
}

/// The other hooks, where there is room for a row each.
fn others(model: &Model, area: Rect, buf: &mut Buffer) {
    let Some(Ok(others)) = &model.intercept.others else { return };
    if area.height < 2 || others.run.is_empty() {
        return;
    }
    let theme = model.theme;
    let bench = model.key(crate::tui::keymap::Verb::Fire);
    Cells::new(row(area, 0), buf, theme)
        .skip(1)
        .put(theme.strong(), "Other hooks")
        .put(theme.quiet(), &format!("   planned, nothing ran   {bench} fires them on the bench"));
    for (index, (name, place)) in others.run.iter().enumerate() {
        Cells::new(row(area, index + 1), buf, theme).skip(3).cell(theme.plain(), name, 18).put(theme.quiet(), place);
    }
}

/// The payload; the new input against the old one while that is being chosen.
fn content(model: &Model, held: &HeldEvent, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let draft = model.intercept.draft();
    let diff = if draft.kind == Some(DecisionKind::Modify) { choices::diff(held, &draft) } else { None };
    let mut head = Cells::new(row(area, 0), buf, theme);
    if let Some(lines) = diff {
        head.skip(1).put(theme.strong(), "Input").put(theme.quiet(), "   - as the agent sent it   + as it would go on");
        for (index, line) in lines.iter().enumerate().take(usize::from(area.height).saturating_sub(1)) {
            let style = match line.as_bytes().first() {
                Some(b'+') => theme.good(),
                Some(b'-') => theme.bad(),
                _ => theme.plain(),
            };
            Cells::new(row(area, index + 1), buf, theme).skip(1).put(style, line);
        }
        return;
    }
    let all = &model.intercept.lines;
    let room = usize::from(area.height).saturating_sub(1).max(1);
    let first = model.intercept.at.saturating_sub(room / 2).min(all.len().saturating_sub(room));
    let says = hidden_words(first, all.len().saturating_sub(first + room));
    if !says.is_empty() {
        head.right(theme.quiet(), &format!("{says} "));
    }
    let focused = model.intercept.part == Part::Payload;
    let style =
        if focused { theme.strong().add_modifier(ratatui::style::Modifier::UNDERLINED) } else { theme.strong() };
    head.skip(1).put(style, "Payload").put(theme.quiet(), &format!("   {} bytes", held.fact.arrived.bytes));
    for (index, line) in all.iter().enumerate().skip(first).take(room) {
        let place = row(area, index - first + 1);
        let mut cells = Cells::new(place, buf, theme);
        for (style, text) in line {
            cells.put(*style, text);
        }
        if focused && index == model.intercept.at {
            buf.set_style(place, theme.selected());
        }
    }
}
