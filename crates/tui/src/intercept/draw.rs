//! What stands where: choices beside or above the payload; breakpoints where nothing is held.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::state::Part;
use super::{choices, points};
use crate::bench::{Size, hidden_words};
use crate::model::Model;
use crate::popup::row;
use crate::view::frame_layout;
use crate::widgets::{Cells, rule};
use hookbench_app::live::HeldEvent;
use hookbench_core::live::DecisionKind;

/// Columns of the choices where the payload stands beside them.
const LEFT: u16 = 64;
/// Rows of the choices.
const CHOICES: u16 = 7;

/// Columns that the payload is laid out for.
pub fn payload_columns(model: &Model) -> usize {
    let wide = model.size.0 >= 110 && model.size.1 >= 15;
    usize::from(if wide { model.size.0 - LEFT - 2 } else { model.size.0 }).saturating_sub(2).max(8)
}

/// Where the parts of the page are; those that are not shown have no rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Places {
    pub answers: Rect,
    pub content: Rect,
    pub points: Rect,
    /// The line between answers and payload: it stands or it lies.
    between: Rect,
}

/// Where everything is.
pub fn places(model: &Model, area: Rect, size: Size) -> Places {
    let none = Places::default();
    let part = model.intercept.part;
    if model.intercept.held(model).is_none() || part == Part::Points {
        return Places { points: area, ..none };
    }
    match size {
        Size::Wide => Places {
            answers: Rect { width: LEFT, ..area },
            between: Rect { x: area.x + LEFT, width: 1, ..area },
            content: Rect { x: area.x + LEFT + 2, width: area.width - LEFT - 2, ..area },
            ..none
        },
        Size::Tiny if part == Part::Payload => Places { content: area, ..none },
        Size::Tiny => Places { answers: area, ..none },
        Size::Medium | Size::Narrow => {
            let rows = (CHOICES + 1).min(area.height);
            let answers = Rect { height: rows, ..area };
            let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
            if below.height < 2 {
                return Places { answers, ..none };
            }
            let content = Rect { y: below.y + 1, height: below.height - 1, ..below };
            Places { answers, between: Rect { height: 1, ..below }, content, ..none }
        }
    }
}

/// Draws it.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let at = places(model, area, frame_layout(model).size);
    let Some(held) = model.intercept.held(model).filter(|_| at.points.height == 0) else {
        points::draw(model, area, buf);
        return;
    };
    if at.answers.height > 0 {
        answers(model, held, at.answers, buf);
    }
    if at.between.width > 1 {
        rule(at.between, buf, model.theme);
    } else {
        for y in at.between.top()..at.between.bottom() {
            buf.set_string(at.between.x, y, model.theme.bar(), model.theme.quiet());
        }
    }
    if at.content.height > 0 {
        content(model, held, at.content, buf);
    }
}

/// The rows of the choices.
fn choice_rows(area: Rect) -> Rect {
    Rect { height: CHOICES.min(area.height.saturating_sub(1)).max(1), ..area }
}

/// The choices, and what belongs to the chosen one.
fn answers(model: &Model, held: &HeldEvent, area: Rect, buf: &mut Buffer) {
    let list = choice_rows(area);
    let rows = list.height;
    choices::list(model, held, list, buf);
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
    let bench = model.key(crate::keymap::Verb::Fire);
    Cells::new(row(area, 0), buf, theme)
        .skip(1)
        .put(theme.strong(), "Other hooks")
        .put(theme.quiet(), &format!("   planned, nothing ran   {bench} fires them on the bench"));
    for (index, (name, place)) in others.run.iter().enumerate() {
        Cells::new(row(area, index + 1), buf, theme).skip(3).cell(theme.plain(), name, 18).put(theme.quiet(), place);
    }
}

/// The first line of the payload that is shown, and how many there is room for.
fn shown(model: &Model, area: Rect) -> (usize, usize) {
    let room = usize::from(area.height).saturating_sub(1).max(1);
    let last = model.intercept.lines.len().saturating_sub(room);
    (model.intercept.at.saturating_sub(room / 2).min(last), room)
}

/// What lies under the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// An answer.
    Choice(DecisionKind),
    /// A line of the payload, or nothing in particular of it.
    Payload(Option<usize>),
    /// A breakpoint, or nothing in particular of that part.
    Point(Option<usize>),
    /// One of the events that have come lately, by its place among them.
    Event(usize),
    /// The first line, which says how many are held.
    Held,
}

/// Where what can be clicked lies, the nearest last.
pub fn hits(model: &Model, top: Rect, area: Rect, size: Size) -> Vec<(Rect, Hit)> {
    let at = places(model, area, size);
    let mut all = vec![(top, Hit::Held)];
    if at.answers.height > 0 {
        let list = choice_rows(at.answers);
        all.extend(choices::rows(model, list).into_iter().map(|(kind, place)| (place, Hit::Choice(kind))));
    }
    if at.content.height > 0 {
        all.push((at.content, Hit::Payload(None)));
        let (first, room) = shown(model, at.content);
        let lines = (first..model.intercept.lines.len()).take(room);
        all.extend(lines.map(|line| (row(at.content, line - first + 1), Hit::Payload(Some(line)))));
    }
    if at.points.height > 0 {
        all.push((at.points, Hit::Point(None)));
        let (listed, events) = points::rows(model, at.points);
        all.extend(listed.into_iter().map(|(point, place)| (place, Hit::Point(Some(point)))));
        all.extend(events.into_iter().map(|(event, place)| (place, Hit::Event(event))));
    }
    all
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
    let (first, room) = shown(model, area);
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
