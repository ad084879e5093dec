//! The breakpoints and the recent events.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::held_band::state_words;
use super::overview::ORDER;
use super::state::InterceptFocus;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::popup::row;
use crate::widgets::{RowWriter, rule};
use hookbench_app::live::{LiveConnection, action_word, conditions};
use hookbench_core::dialects;
use hookbench_core::live::intercept::BreakpointAction;
use hookbench_core::recorded::format_time;

/// Splits the area into the breakpoints above and the recent events below, which are left out (`None`) if the area
/// is too low.
fn parts(model: &Model, area: Rect) -> (Rect, Option<Rect>) {
    let live = model.session.live();
    let count = if attached(model) { live.server_breakpoints.len() } else { live.breakpoints.len() };
    let rows = u16::try_from(count.max(1) + 1).unwrap_or(u16::MAX).min(area.height.div_ceil(2).max(2)).min(area.height);
    let upper = Rect { height: rows, ..area };
    let below = Rect { y: upper.bottom() + 1, height: area.height.saturating_sub(rows + 1), ..area };
    (upper, (below.height > 1).then_some(below))
}

fn attached(model: &Model) -> bool {
    matches!(model.session.live().connection, LiveConnection::Attached { .. })
}

/// Draws both lists, and returns the rows below them.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) -> Rect {
    let (upper, below) = parts(model, area);
    if attached(model) {
        draw_remote_breakpoints(model, upper, buf);
    } else {
        draw_breakpoints(model, upper, buf);
    }
    if let Some(below) = below {
        rule(Rect { y: below.y - 1, height: 1, ..below }, buf, model.theme);
        draw_recent(model, below, buf);
    }
    let recent = u16::try_from(model.session.live().recent.len()).unwrap_or(u16::MAX);
    let used = below.map_or(0, |below| if recent == 0 { STEPS } else { recent.min(below.height) });
    let end = below.map_or(upper.bottom(), |below| (below.y + used).min(area.bottom()));
    Rect { y: end, height: area.bottom() - end, ..area }
}

/// An entry's index in its list, and its place.
type PlacedRow = (usize, Rect);

/// The visible breakpoints that can be selected, and the visible events.
pub fn rows(model: &Model, area: Rect) -> (Vec<PlacedRow>, Vec<PlacedRow>) {
    let (upper, below) = parts(model, area);
    let live = model.session.live();
    let listed = if attached(model) { 0 } else { live.breakpoints.len() };
    let (first, room) = shown_points(model, upper);
    let points = (first..listed).take(room).map(|point| (point, row(upper, point - first + 1))).collect();
    let recent = below.map_or_else(Vec::new, |below| {
        let first = live.recent.len().saturating_sub(usize::from(below.height));
        (first..live.recent.len()).map(|event| (event, row(below, event - first))).collect()
    });
    (points, recent)
}

/// The first visible breakpoint, and the number of visible ones.
fn shown_points(model: &Model, area: Rect) -> (usize, usize) {
    let room = usize::from(area.height).saturating_sub(1).max(1);
    (model.intercept.breakpoint.saturating_sub(room.saturating_sub(1)), room)
}

fn draw_breakpoints(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let all = &model.session.live().breakpoints;
    let (add, remove, toggle) = (model.key(UiCommand::Edit), model.key(UiCommand::Fix), model.key(UiCommand::LeaveOut));
    let mut head = RowWriter::new(row(area, 0), buf, theme);
    head.skip(1).put(theme.strong(), "Breakpoints");
    if all.is_empty() {
        head.put(theme.quiet(), "   no breakpoint, so nothing is held");
        let mut cells = RowWriter::new(row(area, 1), buf, theme);
        cells.skip(3).put(theme.name(), &add).put(theme.plain(), " add one for this session, such as: hold PreToolUse");
        return;
    }
    let order = if usize::from(area.width) >= ORDER { "   the first match counts" } else { "" };
    head.put(theme.quiet(), &format!("{order}   {toggle} toggle   {add} add   {remove} remove"));
    let (first, room) = shown_points(model, area);
    for (index, point) in all.iter().enumerate().skip(first).take(room) {
        let place = row(area, index - first + 1);
        let mut cells = RowWriter::new(place, buf, theme);
        let here = index == model.intercept.breakpoint && model.intercept.focus == InterceptFocus::Points;
        cells.put(theme.strong(), &if here { format!(" {} ", theme.cursor()) } else { "   ".to_owned() });
        cells.cell(
            if point.enabled { theme.strong() } else { theme.quiet() },
            if point.enabled { "on" } else { "off" },
            3,
        );
        cells.cell(theme.plain(), action_word(point), 7);
        let about = conditions(point);
        let otherwise = match (&point.action, point.on_timeout.word()) {
            (BreakpointAction::Hold, word) => format!("else {word} "),
            (BreakpointAction::Fixed(_), _) => String::new(),
        };
        if area.width >= 60 {
            cells.right(theme.quiet(), &otherwise);
            if point.name != about {
                cells.cell(theme.plain(), &point.name, 16);
            }
        }
        cells.put(theme.plain(), &about);
        if here {
            buf.set_style(place, theme.selected());
        }
    }
}

/// Draws the breakpoints of another serving process; only their names are known.
fn draw_remote_breakpoints(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut head = RowWriter::new(row(area, 0), buf, theme);
    head.skip(1).put(theme.strong(), "Breakpoints").put(theme.quiet(), "   of the serving process");
    for (index, (name, on)) in model.session.live().server_breakpoints.iter().enumerate() {
        let mut cells = RowWriter::new(row(area, index + 1), buf, theme);
        cells.skip(3).cell(theme.plain(), if *on { "on" } else { "off" }, 3).put(theme.plain(), name);
    }
}

/// Rows of an empty list and its explanation.
const STEPS: u16 = 6;
/// Columns of the keys in the explanation.
const KEY: usize = 17;

/// The way from nothing to an event that waits for the user.
fn steps(model: &Model) -> Vec<(String, &'static str)> {
    let mut steps = vec![
        ("hookbench install".to_owned(), "lets an agent of yours forward its events"),
        (model.key(UiCommand::Edit), "adds a breakpoint: the agent waits for you"),
        (model.key(UiCommand::Open), "allows, denies or changes the held event"),
    ];
    // While events are received, the key stops that.
    if !model.session.live().is_connected() {
        steps.insert(1, (model.key(UiCommand::Capture), "starts to receive them"));
    }
    steps
}

/// Draws the recent events, the newest last.
fn draw_recent(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let recent = &model.session.live().recent;
    let room = usize::from(area.height);
    if recent.is_empty() {
        RowWriter::new(row(area, 0), buf, theme).skip(1).put(theme.quiet(), "no events from agents yet");
        for (index, (key, says)) in steps(model).into_iter().enumerate() {
            let at = row(area, index + 2);
            let at = Rect { height: if area.height > STEPS { at.height } else { 0 }, ..at };
            RowWriter::new(at, buf, theme).skip(1).cell(theme.name(), &key, KEY).sentence(theme.plain(), says);
        }
    }
    for (index, event) in recent.iter().skip(recent.len().saturating_sub(room)).enumerate() {
        let arrived = &event.arrived;
        let mut cells = RowWriter::new(row(area, index), buf, theme);
        let time = format_time(arrived.at).and_then(|text| text.get(11..19).map(str::to_owned)).unwrap_or_default();
        let name = dialects::by_id(&arrived.agent).map_or(arrived.agent.as_str(), |dialect| dialect.name());
        let (style, says) = state_words(theme, &event.state);
        cells.skip(1).cell(theme.quiet(), &time, 8);
        if area.width >= 60 {
            cells.cell(theme.plain(), name.split(' ').next().unwrap_or(name), 6);
        }
        cells.right(style, &format!("{says} "));
        cells.put(theme.plain(), &arrived.event);
        for text in [&arrived.subject, &arrived.what].into_iter().flatten() {
            cells.skip(2).put(theme.plain(), text);
        }
    }
}
