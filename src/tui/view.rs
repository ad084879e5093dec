//! One frame, put together from the panes. Drawing changes nothing.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::bench::{Band, Size, Zoom, band, detail, event_line, event_pane, hooks, layout, pins};
use crate::tui::keymap::{BINDINGS, Binding, Verb};
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
    let rows = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let hook_rows = model.rows.iter().filter(|r| !matches!(r, Row::EventName(_))).count();
    let wants = crate::tui::bench::Wants {
        band: rows(text.rows.len()).min((area.height / 3).max(3)),
        hooks: if model.rows.is_empty() { u16::MAX } else { rows(hook_rows) },
        event: rows(model.event.wants()),
        pins: u16::from(!model.session.watch.pins.is_empty()),
    };
    let zoom = model.zoomed.then_some(if model.focus == Focus::Hooks { Zoom::List } else { Zoom::Pane });
    let at = layout(area, wants, zoom, model.focus != Focus::Hooks);
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
    if at.size == Size::Medium && at.detail.height > 0 && !model.zoomed {
        rule(Rect { height: 1, ..at.detail }, buf, model.theme);
        let inner = Rect { y: at.detail.y + 1, height: at.detail.height - 1, ..at.detail };
        pane(model, event_in_detail, inner, buf);
    } else {
        pane(model, event_in_detail, at.detail, buf);
    }
    event_pane(model, at.event, buf);
    pins(model, at.pins, buf);
    footer(model, at.footer, buf);
    if let Some(top) = model.popups.last()
        && let Some((x, y)) = popup::draw(top, area, frame.buffer_mut(), model.theme)
    {
        frame.set_cursor_position((x, y));
    }
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
        cells.right(if agent.out_of_range { theme.warn() } else { theme.plain() }, &words);
    }
    let armed = model.session.watch.armed;
    cells.right(
        if armed { theme.warn() } else { theme.quiet() },
        if armed { "auto-fire ARMED" } else { "auto-fire off" },
    );
    cells.skip(2).put(theme.plain(), &project);
}

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
    let last = |b: &&Binding| matches!(b.verb, Verb::Help | Verb::Quit);
    let text = |b: &Binding| (b.keys.split(' ').next().unwrap_or(b.keys), b.short);
    let wide = |b: &Binding| width(text(b).0) + 1 + width(text(b).1);
    let (end, begin): (Vec<&Binding>, Vec<&Binding>) = BINDINGS.iter().filter(|b| !b.short.is_empty()).partition(last);
    let reserved: usize = end.iter().map(|b| wide(b) + 3).sum();
    let mut put = |binding: &Binding| {
        let (keys, short) = text(binding);
        cells.put(theme.name(), keys).put(theme.plain(), &format!(" {short}")).skip(3);
        cells.left()
    };
    let mut left = usize::from(area.width.saturating_sub(1));
    for binding in begin {
        if left >= wide(binding) + 3 + reserved {
            left = put(binding);
        }
    }
    for binding in end {
        put(binding);
    }
}
