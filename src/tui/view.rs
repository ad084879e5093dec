//! One frame, put together from the panes. Drawing changes nothing.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::bench::{Band, Layout, Size, Zoom, band, detail, event_line, event_pane, hooks, layout, pins};
use crate::tui::keymap::{Binding, Verb};
use crate::tui::model::{Focus, Model, Row};
use crate::tui::popup;
use crate::tui::widgets::{Cells, rule, width};

/// Draws the whole screen.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width == 0 || area.height == 0 {
        return;
    }
    let buf = frame.buffer_mut();
    let text = Band::of(model);
    let at = places(model, &text, area);
    header(model, at.header, buf);
    for line in at.rules.into_iter().chain([at.between]) {
        if line.height > 0 {
            rule(line, buf, model.theme);
        }
    }
    event_line(model, at.event_line, buf);
    band(model, &text, at.band, buf);
    hooks(model, at.hooks, buf, at.size == Size::Wide);
    for y in at.bar.top()..at.bar.bottom() {
        buf.set_string(at.bar.x, y, model.theme.bar(), model.theme.quiet());
    }
    let event_in_detail = event_in_detail(model, &at);
    pane(model, event_in_detail, at.detail, buf);
    event_pane(model, at.event, buf);
    pins(model, at.pins, buf);
    footer(model, &at, buf);
    let cursor = model.popups.last().and_then(|top| popup::draw(top, area, buf, model));
    model.shades.apply(buf);
    if let Some((x, y)) = cursor {
        frame.set_cursor_position((x, y));
    }
}

/// Where everything is.
fn places(model: &Model, text: &Band, area: Rect) -> Layout {
    let rows = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let hook_rows = model.rows.iter().filter(|r| !matches!(r, Row::EventName(_))).count();
    let wants = crate::tui::bench::Wants {
        band: rows(text.reserved),
        hooks: if model.rows.is_empty() { u16::MAX } else { rows(hook_rows) },
        event: rows(model.event.wants()),
        pins: u16::from(!model.session.watch.pins.is_empty()),
        split: model.split,
    };
    let zoom = model.zoomed.then_some(if model.focus == Focus::Hooks { Zoom::List } else { Zoom::Pane });
    layout(area, wants, zoom, model.focus != Focus::Hooks)
}

/// Where everything is now, for those who move in it.
pub fn frame_layout(model: &Model) -> Layout {
    let (width, height) = model.size;
    places(model, &Band::of(model), Rect::new(0, 0, width, height))
}

/// The event is shown in the place of the detail.
pub fn event_in_detail(model: &Model, at: &Layout) -> bool {
    at.event.height == 0 && model.focus == Focus::Event
}

fn pane(model: &Model, event: bool, area: Rect, buf: &mut Buffer) {
    if event { event_pane(model, area, buf) } else { detail(model, area, buf) }
}

const OFF: &str = "auto-fire off";

fn header(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let theme = model.theme;
    let mut cells = Cells::new(area, buf, theme);
    cells.skip(1).put(theme.strong(), "hookbench");
    let place = &model.session.place;
    let project = if model.demo {
        "demo project".to_owned()
    } else {
        place.project.strip_prefix(&place.home).map_or_else(|| place.project.clone(), |rest| format!("~{rest}"))
    };
    if let Some(agent) = model.session.current() {
        let words = format!("{} {} ", agent.dialect.name(), agent.version_words());
        cells.right(if agent.unmeasured.is_some() { theme.warn() } else { theme.plain() }, &words);
    }
    // The project is worth more than what is off.
    if model.session.watch.armed {
        cells.right(theme.warn(), "auto-fire ARMED");
    } else if cells.left() >= 2 + width(&project) + 2 + width(OFF) + 2 {
        cells.right(theme.quiet(), OFF);
    }
    if model.session.watch.lost.is_some() {
        cells.right(theme.warn(), "watch lost");
    }
    cells.skip(2).put(theme.plain(), &project);
}

/// A verb of the footer with its key.
type Key<'a> = (&'a Binding, &'a str);

/// Keys in the footer at most.
const KEYS: usize = 8;

/// What leads into the pane that the list hides, or out of the one that hides the list.
fn way(model: &Model, at: &Layout) -> Option<Verb> {
    let alone = at.hooks.height == 0 || model.zoomed;
    let hidden = matches!(at.size, Size::Narrow | Size::Tiny) && model.definition().is_some();
    if alone { Some(Verb::Back) } else { Some(Verb::Open).filter(|_| hidden) }
}

fn footer(model: &Model, at: &Layout, buf: &mut Buffer) {
    let area = at.footer;
    if area.height == 0 {
        return;
    }
    let theme = model.theme;
    let mut cells = Cells::new(area, buf, theme);
    cells.skip(1);
    if let Some(toast) = &model.toast {
        cells.put(theme.strong(), toast);
        return;
    }
    // Help and the way out are the last to go.
    let last = |(b, _): &Key<'_>| matches!(b.verb, Verb::Help | Verb::Quit);
    let word = |b: &Binding| if b.short.is_empty() { b.name } else { b.short };
    let wide = |(b, key): &Key<'_>| width(key) + 1 + width(word(b));
    let way = way(model, at);
    let keys = model.config.keys.rows().filter(|(b, _)| !b.short.is_empty() || Some(b.verb) == way);
    let keys = keys.filter_map(|(b, chords)| Some((b, chords.first()?.as_str())));
    let (end, mut begin): (Vec<Key<'_>>, Vec<Key<'_>>) = keys.partition(last);
    // The way back comes first, the way in after what the bench is for.
    begin.sort_by_key(|(b, _)| (way != Some(Verb::Back) && b.verb != Verb::Fire, Some(b.verb) != way));
    begin.truncate(KEYS - end.len());
    let reserved = end.iter().map(|key| wide(key) + 3).sum::<usize>().saturating_sub(3);
    let mut put = |(binding, key): &Key<'_>| {
        cells.put(theme.name(), key).put(theme.plain(), &format!(" {}", word(binding))).skip(3);
        cells.left()
    };
    let mut left = usize::from(area.width.saturating_sub(1));
    for key in &begin {
        if left >= wide(key) + 3 + reserved {
            left = put(key);
        }
    }
    for key in &end {
        put(key);
    }
}
