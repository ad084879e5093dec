//! One frame, composed of the panes. Drawing does not change the model, except that an open question is marked as
//! drawn.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::bench::{Band, Layout, Size, Zoom, band, detail, event_line, event_pane, hooks, layout, pins};
use crate::compare;
use crate::events;
use crate::files;
use crate::header::header;
use crate::intercept::{self, banner};
use crate::keymap::{Binding, Verb};
use crate::matching;
use crate::model::{Focus, Model, Row};
use crate::page::Page;
use crate::popup;
use crate::problems;
use crate::widgets::{Cells, rule, width};
use hookbench_app::Holding;

/// Draws the whole screen.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width == 0 || area.height == 0 {
        return;
    }
    let buf = frame.buffer_mut();
    let text = band_now(model);
    let (area, below) = banner::split(model, area);
    let at = places(model, &text, area);
    header(model, at.header, buf);
    for line in at.rules.into_iter().chain([at.between]) {
        if line.height > 0 {
            rule(line, buf, model.theme);
        }
    }
    let typed = match model.page {
        Page::Events => events::top_line(model, at.event_line, buf),
        Page::Problems => problems::top_line(model, at.event_line, buf),
        Page::Files => {
            files::top_line(model, at.event_line, buf);
            None
        }
        Page::Match => matching::top_line(model, at.event_line, buf),
        Page::Intercept => {
            intercept::top_line(model, at.event_line, buf);
            None
        }
        Page::Bench | Page::Compare => {
            event_line(model, at.event_line, buf);
            None
        }
    };
    band(model, &text, at.band, buf);
    match model.page {
        Page::Bench => panes(model, &at, buf),
        Page::Match => matching::draw(model, at.shared, buf),
        Page::Events => events::draw(model, at.shared, buf),
        Page::Problems => problems::draw(model, at.shared, buf),
        Page::Compare => compare::draw(model, at.shared, buf),
        Page::Files => files::draw(model, at.shared, buf),
        Page::Intercept => intercept::draw(model, at.shared, buf),
    }
    footer(model, &at, buf);
    let cursor = match model.popups.last() {
        Some(top) => {
            model.unseen.set(false);
            popup::draw(top, area, buf, model)
        }
        None => typed,
    };
    banner::draw(model, below, buf);
    model.shades.apply(buf);
    if let Some((x, y)) = cursor {
        frame.set_cursor_position((x, y));
    }
}

fn band_now(model: &Model) -> Band {
    match model.page {
        Page::Bench => Band::of(model),
        Page::Match => matching::band_of(model),
        Page::Events => events::band_of(model),
        Page::Problems => problems::band_of(model),
        Page::Compare => compare::band_of(model),
        Page::Files => files::band_of(model),
        Page::Intercept => intercept::band_of(model),
    }
}

/// Draws the panes of the bench below its band.
fn panes(model: &Model, at: &Layout, buf: &mut Buffer) {
    hooks(model, at.hooks, buf, at.size == Size::Wide);
    for y in at.bar.top()..at.bar.bottom() {
        buf.set_string(at.bar.x, y, model.theme.bar(), model.theme.quiet());
    }
    pane(model, event_in_detail(model, at), at.detail, buf);
    event_pane(model, at.event, buf);
    pins(model, at.pins, buf);
}

/// Computes the layout.
fn places(model: &Model, text: &Band, area: Rect) -> Layout {
    let rows = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    if model.page != Page::Bench {
        return crate::bench::whole(area, rows(text.reserved));
    }
    let hook_rows = model.rows.iter().filter(|r| !matches!(r, Row::EventName(_))).count();
    let wants = crate::bench::Wants {
        band: rows(text.reserved),
        hooks: if model.rows.is_empty() { u16::MAX } else { rows(hook_rows) },
        event: rows(model.event.wants()),
        pins: u16::from(!model.session.watch.pins.is_empty()),
        split: model.split,
    };
    let zoom = model.zoomed.then_some(if model.focus == Focus::Hooks { Zoom::List } else { Zoom::Pane });
    layout(area, wants, zoom, model.focus != Focus::Hooks)
}

/// The current layout, for scrolling and for the mouse.
pub fn frame_layout(model: &Model) -> Layout {
    let (width, height) = model.size;
    let (area, _) = banner::split(model, Rect::new(0, 0, width, height));
    places(model, &band_now(model), area)
}

/// Whether the event is shown in place of the detail.
pub fn event_in_detail(model: &Model, at: &Layout) -> bool {
    at.event.height == 0 && model.focus == Focus::Event
}

fn pane(model: &Model, event: bool, area: Rect, buf: &mut Buffer) {
    if event { event_pane(model, area, buf) } else { detail(model, area, buf) }
}

/// A command in the footer with its key.
type Key<'a> = (&'a Binding, &'a str);

/// Maximum number of keys in the footer.
const KEYS: usize = 8;

/// The footer of the Compare page.
const ON_COMPARE: [Verb; KEYS] =
    [Verb::Fire, Verb::Open, Verb::Agent, Verb::Edit, Verb::Template, Verb::Palette, Verb::Help, Verb::Quit];

/// The footer of the Files page.
const ON_FILES: [Verb; 7] =
    [Verb::Open, Verb::Why, Verb::OpenEditor, Verb::Search, Verb::Palette, Verb::Help, Verb::Quit];
/// The footer of the Match page.
const ON_MATCH: [Verb; KEYS] =
    [Verb::Edit, Verb::Open, Verb::Fix, Verb::NextMatch, Verb::Search, Verb::Palette, Verb::Help, Verb::Quit];

/// The footer of the Events page.
const ON_EVENTS: [Verb; 7] =
    [Verb::Search, Verb::LeaveOut, Verb::Replay, Verb::ToBench, Verb::Palette, Verb::Help, Verb::Quit];
/// The footer of the Problems page.
const ON_PROBLEMS: [Verb; KEYS] =
    [Verb::Search, Verb::Fix, Verb::Explain, Verb::OpenEditor, Verb::Why, Verb::Palette, Verb::Help, Verb::Quit];

/// The footer of a replay's result, the most important first, and of an effect.
const ON_REPLAY: [Verb; 6] = [Verb::ReplayMarked, Verb::Open, Verb::Agent, Verb::CopyCommand, Verb::Help, Verb::Quit];
const ON_IMPACT: [Verb; 3] = [Verb::Open, Verb::Help, Verb::Quit];
/// The footer of the Intercept page with a held event, and without one.
const ON_HELD: [Verb; KEYS] = [
    Verb::Open,
    Verb::Edit,
    Verb::ReleaseAll,
    Verb::NextPane,
    Verb::ToBench,
    Verb::PauseHolding,
    Verb::Help,
    Verb::Quit,
];
const ON_NOT_HELD: [Verb; 6] = [Verb::Capture, Verb::Edit, Verb::LeaveOut, Verb::PauseHolding, Verb::Help, Verb::Quit];
const ON_NO_EVENTS: [Verb; 3] = [Verb::Palette, Verb::Help, Verb::Quit];

/// The command that opens the hidden pane, or leaves the one that hides the list.
fn way(model: &Model, at: &Layout) -> Option<Verb> {
    if model.page == Page::Events {
        if model.events.report.is_some() {
            return Some(Verb::Back);
        }
        let shelf = &model.session.shelf;
        let enter = match &shelf.holding {
            Holding::Events => shelf.list.row().is_some(),
            Holding::Nothing => shelf.own.as_ref().is_some_and(|own| !own.is_empty()),
            _ => false,
        };
        return if model.events.open { Some(Verb::Back) } else { Some(Verb::Open).filter(|_| enter) };
    }
    if matches!(model.page, Page::Match | Page::Intercept) {
        return None;
    }
    if model.page == Page::Compare {
        return Some(if model.compare.open.is_some() { Verb::Back } else { Verb::Open });
    }
    if model.page == Page::Problems {
        let enter = model.problems.group().map(|_| Verb::Open);
        return if model.problems.open.is_some() { Some(Verb::Back) } else { enter };
    }
    if model.page == Page::Files {
        return Some(if model.files.open { Verb::Back } else { Verb::Open });
    }
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
    // Help and quit are always shown.
    let last = |(b, _): &Key<'_>| matches!(b.verb, Verb::Help | Verb::Quit);
    let events = model.session.shelf.holding == Holding::Events;
    let report = model.page == Page::Events && model.events.report.is_some();
    let on_report = if model.events.runs_again() { &ON_REPLAY[..] } else { &ON_IMPACT[..] };
    let held = !model.session.live().held.is_empty();
    let word = |b: &Binding| match (model.page, b.verb) {
        (Page::Problems, Verb::Search) => "filter",
        (Page::Problems, Verb::OpenEditor) => "editor",
        (_, Verb::ReplayMarked) if model.events.has_run() => "run again",
        (Page::Compare | Page::Events | Page::Files | Page::Match | Page::Problems, Verb::Quit) => "back",
        (Page::Intercept, Verb::Quit) => "back",
        (Page::Intercept, Verb::Open) => "decide",
        (Page::Intercept, Verb::Edit) if !held => "add",
        (Page::Intercept, Verb::Edit) => intercept::edits(model),
        (Page::Intercept, Verb::Capture) if model.session.live().on() => "capture off",
        (Page::Intercept, Verb::LeaveOut) => "on or off",
        (Page::Intercept, Verb::NextPane) => "payload",
        (Page::Intercept, Verb::ToBench) => "bench",
        (Page::Intercept, Verb::PauseHolding) if model.session.live().paused => "hold again",
        (Page::Files, Verb::Open) if files::on_hook(model) => "bench",
        (Page::Files, Verb::Open) => "unfold",
        (Page::Files, Verb::OpenEditor) => "editor",
        (_, Verb::ReplayMarked) if report => "run them",
        (_, Verb::Agent) if report => "against",
        (_, Verb::CopyCommand) if report => "command line",
        (_, Verb::Open) if report => "open",
        (Page::Match, Verb::Open) => "take",
        (Page::Match, Verb::Fix) => "write",
        (Page::Match, Verb::NextMatch) => "next problem",
        (Page::Match, Verb::Search) => "names",
        (Page::Events, Verb::Search) => "filter",
        (Page::Events, Verb::LeaveOut) => "mark",
        (Page::Events, Verb::ToBench) => "bench",
        (Page::Events, Verb::Open) if !events => "import",
        (Page::Compare, Verb::Agent) => "agents",
        (Page::Compare, Verb::Open) if model.compare.open.is_some() => "bench",
        _ if b.short.is_empty() => b.name,
        _ => b.short,
    };
    let wide = |(b, key): &Key<'_>| width(key) + 1 + width(word(b));
    let way = way(model, at);
    let here = |b: &Binding| match model.page {
        Page::Events if report => on_report.contains(&b.verb),
        Page::Bench => !b.short.is_empty(),
        Page::Events if events => ON_EVENTS.contains(&b.verb),
        Page::Events => ON_NO_EVENTS.contains(&b.verb),
        Page::Problems if model.problems.group().is_none() => ON_NO_EVENTS.contains(&b.verb),
        Page::Problems => ON_PROBLEMS.contains(&b.verb),
        Page::Match => ON_MATCH.contains(&b.verb),
        Page::Compare => ON_COMPARE.contains(&b.verb),
        Page::Files => ON_FILES.contains(&b.verb),
        Page::Intercept if held => ON_HELD.contains(&b.verb),
        Page::Intercept if b.verb == Verb::LeaveOut => !model.session.live().breakpoints.is_empty(),
        Page::Intercept => ON_NOT_HELD.contains(&b.verb),
    };
    let keys = model.config.keys.rows().filter(|(b, _)| here(b) || Some(b.verb) == way);
    let keys = keys.filter_map(|(b, chords)| Some((b, chords.first()?.as_str())));
    let (end, mut begin): (Vec<Key<'_>>, Vec<Key<'_>>) = keys.partition(last);
    // The way back comes first; the way in comes after "fire".
    begin.sort_by_key(|(b, _)| (way != Some(Verb::Back) && b.verb != Verb::Fire, Some(b.verb) != way));
    if model.page == Page::Intercept {
        let order: &[Verb] = if held { &ON_HELD } else { &ON_NOT_HELD };
        begin.sort_by_key(|(b, _)| order.iter().position(|verb| *verb == b.verb));
    }
    if report {
        begin.sort_by_key(|(b, _)| on_report.iter().position(|verb| *verb == b.verb).map_or(0, |at| at + 1));
    }
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
