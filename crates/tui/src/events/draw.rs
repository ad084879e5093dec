//! The layout below the band: the list with the selected event below it, or the open event alone.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{filter_line, list, report};
use crate::bench::SizeClass;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page_layout::frame_layout;
use crate::widgets::{ListWindow, Pane, RowWriter, hidden_words, width};
use hookbench_app::live::LiveEvent;
use hookbench_app::{AgentSession, EventListScope, EventStoreState};
use hookbench_core::dialects;
use hookbench_core::filter::OPERATORS;
use hookbench_core::recorded::format_time;
use hookbench_core::text::one_line;

/// Number of live events that are checked for the list, and maximum number shown below it.
const SCANNED_EVENTS: usize = 50;
const UNLISTED: usize = 6;

/// The area of the list with its titles, and the area below it; `None` if the page is too small for both.
fn list_and_detail(area: Rect, size: SizeClass) -> (Pane, Option<Pane>) {
    if !size.has_two_panes() || area.height < 12 {
        return (size.pane(area), None);
    }
    let rows = area.height * 3 / 5;
    // All operators of the filter fit into a high page.
    let operators = u16::try_from(OPERATORS.len().div_ceil(2)).unwrap_or(u16::MAX).saturating_add(2);
    let rows = if area.height >= 2 * operators { rows.min(area.height - operators) } else { rows };
    let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
    (size.pane(Rect { height: rows, ..area }), Some(size.pane(below)))
}

/// The area of a report or of an open event.
fn whole(model: &Model) -> Rect {
    let at = frame_layout(model);
    at.size.pane(at.shared).inner
}

/// Live events that are not in the list yet, the newest last; empty if the list is filtered or does not show its
/// end.
fn unlisted(model: &Model) -> Vec<&LiveEvent> {
    let shelf = model.session.event_list();
    let whole = shelf.filter.trim().is_empty() && !matches!(shelf.scope, EventListScope::Session(_));
    let at_end = shelf.store != EventStoreState::Events || shelf.window.ends;
    if !whole || !at_end || model.events.open || model.events.typing.is_some() {
        return Vec::new();
    }
    let project = &model.session.place().project;
    let in_scope = |event: &&LiveEvent| {
        shelf.scope == EventListScope::All || Path::new(&event.arrived.project).starts_with(project)
    };
    let listed = |id: &str| shelf.window.rows.iter().rev().any(|row| row.id == id);
    let recent = model.session.live().recent.iter().rev().take(SCANNED_EVENTS);
    let mut all: Vec<&LiveEvent> =
        recent.filter(in_scope).filter(|event| !listed(&event.arrived.id)).take(UNLISTED).collect();
    all.reverse();
    all
}

/// Splits an area into the list and the rows for events that are not in it yet, directly below the last listed
/// event.
fn list_and_unlisted(model: &Model, area: Rect) -> (Rect, Rect) {
    let wanted = u16::try_from(unlisted(model).len()).unwrap_or(u16::MAX);
    let rows = wanted.min(area.height / 3);
    let list = Rect { height: area.height - rows, ..area };
    let listed = u16::try_from(model.session.event_list().window.rows.len()).unwrap_or(u16::MAX);
    let used =
        if model.session.event_list().store == EventStoreState::Events { listed.saturating_add(1) } else { u16::MAX };
    (list, Rect { y: list.y + used.min(list.height), height: rows, ..area })
}

/// Draws the events that are not in the list yet, the newest last.
fn draw_unlisted(model: &Model, area: Rect, buf: &mut Buffer) {
    for (event, y) in unlisted(model).into_iter().rev().zip((area.top()..area.bottom()).rev()) {
        list::draw_unlisted(model, event, Rect { y, height: 1, ..area }, buf);
    }
}

/// The number of rows of the list.
pub fn room(model: &Model) -> usize {
    let at = frame_layout(model);
    let (list, _) = list_and_unlisted(model, list_and_detail(at.shared, at.size).0.inner);
    usize::from(list.height).saturating_sub(1).max(1)
}

/// The number of rows of an open event.
pub fn open_room(model: &Model) -> usize {
    usize::from(whole(model).height).saturating_sub(1).max(1)
}

/// The places of the rows with their indexes, used for drawing and for the mouse.
pub fn row_places(model: &Model, area: Rect, size: SizeClass) -> Vec<(usize, Rect)> {
    if let Some(open) = &model.events.report {
        return report::row_places(open, report::panes(model, open, area, size).0.inner);
    }
    if model.events.open || model.session.event_list().store != EventStoreState::Events {
        return Vec::new();
    }
    let (area, _) = list_and_unlisted(model, list_and_detail(area, size).0.inner);
    let held = &model.session.event_list().window;
    let room = usize::from(area.height).saturating_sub(1);
    let first = ListWindow::around(held.selected, held.rows.len(), room).first;
    let place = |index: usize| Rect { y: area.y + 1 + u16::try_from(index).unwrap_or(0), height: 1, ..area };
    (first..held.rows.len()).take(room).map(|index| (index, place(index - first))).collect()
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let at = frame_layout(model);
    // Without an empty row below the filter, only the band shows the problem.
    if at.band.y > at.event_line.bottom() {
        filter_line::carets(model, at.event_line, buf);
    }
    if area.height == 0 {
        return;
    }
    if let Some(open) = &model.events.report {
        report::draw(model, open, area, at.size, buf);
        return;
    }
    if model.session.event_list().store != EventStoreState::Events {
        let pane = at.size.pane(area);
        pane.draw((model.theme.strong(), "Recorded events"), "", model.popups.is_empty(), buf, model.theme);
        let (area, fresh) = list_and_unlisted(model, pane.inner);
        draw_unlisted(model, fresh, buf);
        draw_empty(model, area, buf);
        return;
    }
    if model.events.open {
        let pane = at.size.pane(area);
        pane.draw((model.theme.strong(), "Event"), "", model.popups.is_empty(), buf, model.theme);
        let area = pane.inner;
        let all = model.events.lines.len();
        let room = usize::from(area.height).saturating_sub(1).max(1);
        let first = ListWindow::around(model.events.cursor, all, room).first;
        let below = lines(model, area, first, buf);
        let last = Rect { y: area.bottom() - 1, height: 1, ..area };
        if first + below > 0 {
            let says = hidden_words(first, below);
            RowWriter::new(last, buf, model.theme).skip(1).put(model.theme.quiet(), &says);
        }
        return;
    }
    let (pane, below) = list_and_detail(area, at.size);
    pane.draw((model.theme.strong(), "Recorded events"), "", model.popups.is_empty(), buf, model.theme);
    let list = pane.inner;
    draw_unlisted(model, list_and_unlisted(model, list).1, buf);
    list::draw_titles(model, Rect { height: 1, ..list }, buf);
    let held = &model.session.event_list().window;
    for (index, place) in row_places(model, area, at.size) {
        if let Some(row) = held.rows.get(index) {
            list::draw_row(model, row, index == held.selected, place, buf);
        }
    }
    let Some(below) = below else {
        if model.events.typing.is_some() && held.rows.is_empty() {
            operators(model, Rect { y: list.y + 1, height: list.height - 1, ..list }, buf);
        }
        return;
    };
    let title = if model.events.typing.is_some() { "Filters" } else { "Event" };
    below.draw((model.theme.strong(), title), "", false, buf, model.theme);
    if model.events.typing.is_some() {
        operators(model, below.inner, buf);
    } else if lines(model, below.inner, 0, buf) > 0 {
        let says = format!(" {} open ", model.key(UiCommand::Open));
        RowWriter::new(below.with_title(), buf, model.theme).right(model.theme.quiet(), &says);
    }
}

/// Draws the lines of the selected event beginning with `from`, and returns the number of lines that do not fit.
fn lines(model: &Model, area: Rect, from: usize, buf: &mut Buffer) -> usize {
    let all = &model.events.lines;
    let room = usize::from(area.height) - usize::from(model.events.open && area.height > 1);
    for (index, line) in all.iter().skip(from).take(room).enumerate() {
        let at = Rect { y: area.y + u16::try_from(index).unwrap_or(0), height: 1, ..area };
        let mut cells = RowWriter::new(at, buf, model.theme);
        let cursor = model.events.open && from + index == model.events.cursor;
        cells.put(model.theme.strong(), if cursor { model.theme.cursor() } else { " " });
        for (style, text) in line {
            cells.put(*style, text);
        }
        if cursor {
            buf.set_style(at, model.theme.selected());
        }
    }
    all.len().saturating_sub(from + room)
}

/// The number of events that an operator finds: `deny 12, ask 3` or one number; empty if not known.
pub fn operator_counts(model: &Model, operator: &str) -> String {
    let counts = model.session.event_list().counts.iter().find(|counts| counts.name == operator);
    let words = |(value, count): &(Option<String>, u64)| match value {
        Some(value) => format!("{} {count}", one_line(value)),
        None => count.to_string(),
    };
    counts.map(|counts| counts.values.iter().map(words).collect::<Vec<_>>().join(", ")).unwrap_or_default()
}

/// Columns of the examples.
const EXAMPLE: usize = 12;

/// Draws the operators of the filter language, in one or two columns: each with its meaning, and with the number of
/// events that it finds if there is room. Operators without room are named in the last row.
fn operators(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let beside = if area.width >= 110 { 2 } else { 1 };
    let wide = area.width / beside;
    let rows = usize::from(area.height);
    let places = rows * usize::from(beside);
    let listed = if places < OPERATORS.len() { places.saturating_sub(1) } else { OPERATORS.len() };
    for (index, operator) in OPERATORS.iter().enumerate().take(listed) {
        let (column, row) = (index / rows.max(1), index % rows.max(1));
        if column >= usize::from(beside) {
            break;
        }
        let x = area.x + wide * u16::try_from(column).unwrap_or(0);
        let at = Rect { x, y: area.y + u16::try_from(row).unwrap_or(0), width: wide.saturating_sub(1), height: 1 };
        let mut cells = RowWriter::new(at, buf, theme);
        cells.skip(1).cell(theme.name(), operator.example, EXAMPLE);
        cells.sentence(theme.plain(), operator.description);
        let found = operator_counts(model, operator.name);
        // A cut list of counts would mislead.
        if !found.is_empty() && cells.left() >= width(&found) + 3 {
            cells.skip(3).put(theme.quiet(), &found);
        }
    }
    let more = OPERATORS.get(listed..).filter(|more| !more.is_empty()).unwrap_or_default();
    if !more.is_empty() && rows > 0 {
        let at = Rect { y: area.y + area.height - 1, height: 1, ..area };
        let names: Vec<&str> = more.iter().map(|operator| operator.name).collect();
        RowWriter::new(at, buf, theme).skip(1).put(theme.quiet(), "also ").sentence(theme.name(), &names.join(" "));
    }
}

/// A session in a line: agent and time, then size and title.
pub fn words(own: &AgentSession) -> (String, String) {
    let id = own.session.agent.as_str();
    let name = dialects::by_id(id).map_or(id, |dialect| dialect.name());
    let at = own.written.and_then(format_time).and_then(|at| at.get(..16).map(|at| at.replace('T', " ")));
    let title = own.session.title.clone().unwrap_or_else(|| own.session.session.clone());
    (format!("{name}  {}", at.unwrap_or_default()), format!("{} KB  {title}", own.bytes.div_ceil(1024)))
}

/// Draws the page.
pub fn draw_empty(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let shelf = model.session.event_list();
    let mut lines: Vec<(ratatui::style::Style, String)> = Vec::new();
    let own = shelf.agent_sessions.as_deref();
    match &shelf.store {
        EventStoreState::Fault { .. } => {
            lines.push((
                theme.plain(),
                "The recorded events cannot be shown. The rest of hookbench still works.".into(),
            ));
        }
        EventStoreState::Empty => match own {
            None => lines.push((theme.quiet(), "searching for agent sessions of this project".into())),
            Some([]) => {
                lines.push((theme.plain(), "No agent sessions found for this project.".into()));
                let says = "Paste the path of a file, or events as JSON, or type :import FILE.";
                lines.push((theme.quiet(), says.into()));
            }
            Some(_) => {
                lines.push((theme.plain(), "Agent sessions of this project:".into()));
            }
        },
        _ => lines.push((theme.quiet(), "reading".into())),
    }
    let mut rows = (area.top()..area.bottom()).map(|y| Rect { y, height: 1, ..area });
    for (style, text) in &lines {
        let Some(at) = rows.next() else { return };
        RowWriter::new(at, buf, theme).skip(1).put(*style, text);
    }
    let Some(own) = own.filter(|own| !own.is_empty() && shelf.store == EventStoreState::Empty) else { return };
    let room = usize::from(area.height).saturating_sub(lines.len() + 3).max(1);
    let selected = model.events.selected_session;
    let first = ListWindow::around(selected, own.len(), room).first;
    for (index, session) in own.iter().enumerate().skip(first).take(room) {
        let Some(at) = rows.next() else { return };
        let (who, about) = words(session);
        let mark = if index == selected { theme.cursor() } else { " " };
        RowWriter::new(at, buf, theme)
            .put(theme.strong(), mark)
            .cell(theme.plain(), &who, 30)
            .put(theme.quiet(), &about);
        if index == selected {
            buf.set_style(at, theme.selected());
        }
    }
    rows.next();
    let says = format!(
        "{} import: its tool calls, prompts and stops become events that you can search and",
        model.key(UiCommand::Open)
    );
    for text in [says.as_str(), "replay. hookbench stores a private copy; the session does not change."] {
        if let Some(at) = rows.next() {
            RowWriter::new(at, buf, theme).skip(1).put(theme.quiet(), text);
        }
    }
}
