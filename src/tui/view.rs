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
    for line in at.rules {
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
    let event_in_detail = at.event.height == 0 && model.focus == Focus::Event;
    if ruled(model, &at) {
        rule(Rect { height: 1, ..at.detail }, buf, model.theme);
    }
    pane(model, event_in_detail, below_rule(model, &at), buf);
    event_pane(model, at.event, buf);
    pins(model, at.pins, buf);
    footer(model, at.footer, buf);
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
        band: rows(text.rows.len()).min((area.height / 3).max(3)),
        hooks: if model.rows.is_empty() { u16::MAX } else { rows(hook_rows) },
        event: rows(model.event.wants()),
        pins: u16::from(!model.session.watch.pins.is_empty()),
    };
    let zoom = model.zoomed.then_some(if model.focus == Focus::Hooks { Zoom::List } else { Zoom::Pane });
    layout(area, wants, zoom, model.focus != Focus::Hooks)
}

/// A rule stands above the pane.
fn ruled(model: &Model, at: &Layout) -> bool {
    at.size == Size::Medium && at.detail.height > 0 && !model.zoomed
}

fn below_rule(model: &Model, at: &Layout) -> Rect {
    let rule = u16::from(ruled(model, at));
    Rect { y: at.detail.y + rule, height: at.detail.height - rule, ..at.detail }
}

/// Where the panes are, for the mouse.
pub struct Panes {
    pub hooks: Rect,
    pub two_lines: bool,
    pub detail: Rect,
    /// The detail's place shows the event now.
    pub detail_is_event: bool,
    pub event: Rect,
}

/// Where the panes are now.
pub fn panes(model: &Model) -> Panes {
    let (width, height) = model.size;
    let at = places(model, &Band::of(model), Rect::new(0, 0, width, height));
    let detail_is_event = at.event.height == 0 && model.focus == Focus::Event;
    let (two_lines, detail) = (at.size == Size::Wide, below_rule(model, &at));
    Panes { hooks: at.hooks, two_lines, detail, detail_is_event, event: at.event }
}

/// Where the detail is, for those who move in it.
pub fn detail_area(model: &Model) -> Rect {
    let (width, height) = model.size;
    below_rule(model, &places(model, &Band::of(model), Rect::new(0, 0, width, height)))
}

fn pane(model: &Model, event: bool, area: Rect, buf: &mut Buffer) {
    if event { event_pane(model, area, buf) } else { detail(model, area, buf) }
}

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
    let armed = model.session.watch.armed;
    cells.right(
        if armed { theme.warn() } else { theme.quiet() },
        if armed { "auto-fire ARMED" } else { "auto-fire off" },
    );
    if model.session.watch.lost.is_some() {
        cells.right(theme.warn(), "watch lost");
    }
    cells.skip(2).put(theme.plain(), &project);
}

/// A verb of the footer with its key.
type Key<'a> = (&'a Binding, &'a str);

fn footer(model: &Model, area: Rect, buf: &mut Buffer) {
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
    let wide = |(b, key): &Key<'_>| width(key) + 1 + width(b.short);
    let keys = model.config.keys.rows().filter(|(b, _)| !b.short.is_empty());
    let keys = keys.filter_map(|(b, chords)| Some((b, chords.first()?.as_str())));
    let (end, begin): (Vec<Key<'_>>, Vec<Key<'_>>) = keys.partition(last);
    let reserved = end.iter().map(|key| wide(key) + 3).sum::<usize>().saturating_sub(3);
    let mut put = |(binding, key): &Key<'_>| {
        cells.put(theme.name(), key).put(theme.plain(), &format!(" {}", binding.short)).skip(3);
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
