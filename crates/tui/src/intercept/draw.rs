//! The layout: the choices beside or above the payload; the breakpoints if no event is held.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::refresh::LEFT;
use super::state::InterceptFocus;
use super::{breakpoints, choices, overview};
use crate::bench::SizeClass;
use crate::model::Model;
use crate::page_layout::frame_layout;
use crate::popup::row;
use crate::widgets::{ListWindow, RowWriter, hidden_words, rule};
use hookbench_app::live::PendingEventView;
use hookbench_core::live::DecisionKind;

/// Minimum height of the overview below the lists, with the line above it.
const LOWEST_OVERVIEW: u16 = 4;
/// Number of choices.
const CHOICES: u16 = 7;

/// The places of the page's parts; a hidden part has height 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct InterceptLayout {
    pub answers: Rect,
    pub content: Rect,
    pub points: Rect,
    /// The overview, beside the breakpoints.
    pub overview: Rect,
    /// The line between answers and payload, vertical or horizontal.
    between: Rect,
}

/// Computes the places.
pub fn places(model: &Model, area: Rect, size: SizeClass) -> InterceptLayout {
    let none = InterceptLayout::default();
    let area = size.pane(area).inner;
    let part = model.intercept.focus;
    if model.intercept.held(model).is_none() || part == InterceptFocus::Points {
        if size != SizeClass::Wide {
            return InterceptLayout { points: area, ..none };
        }
        let (points, between, overview) = beside(area);
        return InterceptLayout { points, overview, between, ..none };
    }
    match size {
        SizeClass::Wide => {
            let (answers, between, content) = beside(area);
            InterceptLayout { answers, content, between, ..none }
        }
        SizeClass::Tiny if part == InterceptFocus::Payload => InterceptLayout { content: area, ..none },
        SizeClass::Tiny => InterceptLayout { answers: area, ..none },
        SizeClass::Medium | SizeClass::Narrow => {
            let rows = (CHOICES + 1).min(area.height);
            let answers = Rect { height: rows, ..area };
            let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
            if below.height < 2 {
                return InterceptLayout { answers, ..none };
            }
            let content = Rect { y: below.y + 1, height: below.height - 1, ..below };
            InterceptLayout { answers, between: Rect { height: 1, ..below }, content, ..none }
        }
    }
}

/// The left part, the line, and the right part.
fn beside(area: Rect) -> (Rect, Rect, Rect) {
    let line = Rect { x: area.x + LEFT, width: 1, ..area };
    (Rect { width: LEFT, ..area }, line, Rect { x: line.x + 2, width: area.width - LEFT - 2, ..area })
}

fn draw_vertical(at: Rect, model: &Model, buf: &mut Buffer) {
    for y in at.top()..at.bottom() {
        buf.set_string(at.x, y, model.theme.bar(), model.theme.border(false));
    }
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let size = frame_layout(model).size;
    let at = places(model, area, size);
    let pane = size.pane(area);
    pane.draw((model.theme.strong(), "Intercept"), "", model.popups.is_empty(), buf, model.theme);
    let Some(held) = model.intercept.held(model).filter(|_| at.points.height == 0) else {
        let below = breakpoints::draw(model, at.points, buf);
        draw_vertical(at.between, model, buf);
        if at.overview.height > 0 {
            overview::draw(model, at.overview, buf);
        } else if below.height >= LOWEST_OVERVIEW {
            rule(Rect { height: 1, ..below }, buf, model.theme);
            overview::draw(model, Rect { y: below.y + 1, height: below.height - 1, ..below }, buf);
        }
        return;
    };
    if at.answers.height > 0 {
        answers(model, held, at.answers, buf);
    }
    if at.between.width > 1 {
        rule(at.between, buf, model.theme);
    } else {
        draw_vertical(at.between, model, buf);
    }
    if at.content.height > 0 {
        content(model, held, at.content, buf);
    }
}

/// The area of the choices.
fn choice_rows(area: Rect) -> Rect {
    Rect { height: CHOICES.min(area.height.saturating_sub(1)).max(1), ..area }
}

/// Draws the choices, the text of the chosen one, and the other hooks.
fn answers(model: &Model, held: &PendingEventView, area: Rect, buf: &mut Buffer) {
    let list = choice_rows(area);
    let rows = list.height;
    choices::draw_choices(model, held, list, buf);
    choices::draw_answer_text(model, held, row(area, usize::from(rows)), buf);
    draw_other_hooks(model, Rect { y: area.y + rows + 2, height: area.height.saturating_sub(rows + 2), ..area }, buf);
}

/// Draws the other hooks, if each has room for a row.
fn draw_other_hooks(model: &Model, area: Rect, buf: &mut Buffer) {
    let Some(Ok(others)) = &model.intercept.others else { return };
    if area.height < 2 || others.run.is_empty() {
        return;
    }
    let theme = model.theme;
    let bench = model.key(crate::keymap::UiCommand::Fire);
    RowWriter::new(row(area, 0), buf, theme)
        .skip(1)
        .put(theme.strong(), "Other hooks")
        .put(theme.quiet(), &format!("   planned, nothing ran   {bench} put on bench"));
    for (index, (name, place)) in others.run.iter().enumerate() {
        RowWriter::new(row(area, index + 1), buf, theme)
            .skip(3)
            .cell(theme.plain(), name, 18)
            .put(theme.quiet(), place);
    }
}

/// The first visible line of the payload, and the number of visible lines.
fn shown(model: &Model, area: Rect) -> (usize, usize) {
    let room = usize::from(area.height).saturating_sub(1).max(1);
    (ListWindow::around(model.intercept.cursor, model.intercept.lines.len(), room).first, room)
}

/// The target of a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterceptTarget {
    /// An answer.
    Choice(DecisionKind),
    /// A line of the payload; `None` for the rest of its area.
    Payload(Option<usize>),
    /// A breakpoint; `None` for the rest of the area.
    Point(Option<usize>),
    /// A recent event, by its index.
    Event(usize),
    /// The first line with the number of held events.
    Held,
}

/// The click targets and their places, the most specific last.
pub fn click_targets(model: &Model, top: Rect, area: Rect, size: SizeClass) -> Vec<(InterceptTarget, Rect)> {
    let at = places(model, area, size);
    let mut all = vec![(InterceptTarget::Held, top)];
    if at.answers.height > 0 {
        let list = choice_rows(at.answers);
        all.extend(choices::rows(model, list).into_iter().map(|(kind, place)| (InterceptTarget::Choice(kind), place)));
    }
    if at.content.height > 0 {
        all.push((InterceptTarget::Payload(None), at.content));
        let (first, room) = shown(model, at.content);
        let lines = (first..model.intercept.lines.len()).take(room);
        all.extend(lines.map(|line| (InterceptTarget::Payload(Some(line)), row(at.content, line - first + 1))));
    }
    if at.points.height > 0 {
        all.push((InterceptTarget::Point(None), at.points));
        let (listed, events) = breakpoints::rows(model, at.points);
        all.extend(listed.into_iter().map(|(point, place)| (InterceptTarget::Point(Some(point)), place)));
        all.extend(events.into_iter().map(|(event, place)| (InterceptTarget::Event(event), place)));
    }
    all
}

/// Draws the payload, or the diff of the input if that is being edited.
fn content(model: &Model, held: &PendingEventView, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let draft = model.intercept.draft();
    let diff = if draft.kind == Some(DecisionKind::Modify) { choices::diff(held, &draft) } else { None };
    let mut head = RowWriter::new(row(area, 0), buf, theme);
    if let Some(lines) = diff {
        head.skip(1).put(theme.strong(), "Input").put(theme.quiet(), "   - as sent   + as it would continue");
        for (index, line) in lines.iter().enumerate().take(usize::from(area.height).saturating_sub(1)) {
            let style = match line.as_bytes().first() {
                Some(b'+') => theme.good(),
                Some(b'-') => theme.bad(),
                _ => theme.plain(),
            };
            RowWriter::new(row(area, index + 1), buf, theme).skip(1).put(style, line);
        }
        return;
    }
    let all = &model.intercept.lines;
    let (first, room) = shown(model, area);
    let says = hidden_words(first, all.len().saturating_sub(first + room));
    if !says.is_empty() {
        head.right(theme.quiet(), &format!("{says} "));
    }
    let focused = model.intercept.focus == InterceptFocus::Payload;
    let style =
        if focused { theme.strong().add_modifier(ratatui::style::Modifier::UNDERLINED) } else { theme.strong() };
    head.skip(1).put(style, "Payload").put(theme.quiet(), &format!("   {} bytes", held.fact.arrived.bytes));
    for (index, line) in all.iter().enumerate().skip(first).take(room) {
        let place = row(area, index - first + 1);
        let mut cells = RowWriter::new(place, buf, theme);
        for (style, text) in line {
            cells.put(*style, text);
        }
        if focused && index == model.intercept.cursor {
            buf.set_style(place, theme.selected());
        }
    }
}
