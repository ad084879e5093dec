//! One frame, composed of the panes. Drawing does not change the model, except that an open question is marked as
//! drawn.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::bench::{
    Band, FrameLayout, SizeClass, Zoom, draw_band, draw_detail, draw_event_line, draw_event_pane, draw_hooks,
    draw_pins, layout,
};
use crate::compare;
use crate::events;
use crate::files;
use crate::header::draw_header;
use crate::intercept::{self, banner};
use crate::keymap::{KeyBinding, UiCommand};
use crate::matching;
use crate::model::{Focus, HookListRow, Model};
use crate::page::Page;
use crate::popup;
use crate::problems;
use crate::widgets::{RowWriter, rule, width};
use hookbench_app::EventStoreState;

/// Draws the whole screen.
pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width == 0 || area.height == 0 {
        return;
    }
    let buf = frame.buffer_mut();
    let text = current_band(model);
    let (area, below) = banner::split(model, area);
    let at = compute_layout(model, &text, area);
    draw_header(model, at.header, buf);
    for line in at.rules.into_iter().chain([at.between]) {
        if line.height > 0 {
            rule(line, buf, model.theme);
        }
    }
    let typed = match model.page {
        Page::Events => events::draw_top_line(model, at.event_line, buf),
        Page::Problems => problems::draw_top_line(model, at.event_line, buf),
        Page::Files => {
            files::draw_top_line(model, at.event_line, buf);
            None
        }
        Page::Match => matching::draw_top_line(model, at.event_line, buf),
        Page::Intercept => {
            intercept::draw_top_line(model, at.event_line, buf);
            None
        }
        Page::Bench | Page::Compare => {
            draw_event_line(model, at.event_line, buf);
            None
        }
    };
    draw_band(model, &text, at.band, buf);
    match model.page {
        Page::Bench => draw_panes(model, &at, buf),
        Page::Match => matching::draw(model, at.shared, buf),
        Page::Events => events::draw(model, at.shared, buf),
        Page::Problems => problems::draw(model, at.shared, buf),
        Page::Compare => compare::draw(model, at.shared, buf),
        Page::Files => files::draw(model, at.shared, buf),
        Page::Intercept => intercept::draw(model, at.shared, buf),
    }
    draw_footer(model, &at, buf);
    let cursor = match model.popups.last() {
        Some(top) => {
            model.question_unseen.set(false);
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

fn current_band(model: &Model) -> Band {
    match model.page {
        Page::Bench => Band::of(model),
        Page::Match => matching::build_band(model),
        Page::Events => events::build_band(model),
        Page::Problems => problems::build_band(model),
        Page::Compare => compare::build_band(model),
        Page::Files => files::build_band(model),
        Page::Intercept => intercept::build_band(model),
    }
}

/// Draws the panes of the bench below its band.
fn draw_panes(model: &Model, at: &FrameLayout, buf: &mut Buffer) {
    draw_hooks(model, at.hooks, buf, at.size == SizeClass::Wide);
    for y in at.bar.top()..at.bar.bottom() {
        buf.set_string(at.bar.x, y, model.theme.bar(), model.theme.quiet());
    }
    draw_pane(model, event_in_detail(model, at), at.detail, buf);
    draw_event_pane(model, at.event, buf);
    draw_pins(model, at.pins, buf);
}

/// Computes the layout.
fn compute_layout(model: &Model, text: &Band, area: Rect) -> FrameLayout {
    let rows = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    if model.page != Page::Bench {
        return crate::bench::single_area_layout(area, rows(text.reserved));
    }
    let hook_rows = model.rows.iter().filter(|r| !matches!(r, HookListRow::EventName(_))).count();
    let wants = crate::bench::RequestedRows {
        band: rows(text.reserved),
        hooks: if model.rows.is_empty() { u16::MAX } else { rows(hook_rows) },
        event: rows(model.payload_view.wanted_rows()),
        pins: u16::from(!model.session.auto_fire.pins.is_empty()),
        split: model.pane_sizes,
    };
    let zoom = model.zoomed.then_some(if model.focus == Focus::Hooks { Zoom::List } else { Zoom::Pane });
    layout(area, wants, zoom, model.focus != Focus::Hooks)
}

/// The current layout, for scrolling and for the mouse.
pub fn frame_layout(model: &Model) -> FrameLayout {
    let (width, height) = model.size;
    let (area, _) = banner::split(model, Rect::new(0, 0, width, height));
    compute_layout(model, &current_band(model), area)
}

/// Whether the event is shown in place of the detail.
pub fn event_in_detail(model: &Model, at: &FrameLayout) -> bool {
    at.event.height == 0 && model.focus == Focus::Event
}

fn draw_pane(model: &Model, event: bool, area: Rect, buf: &mut Buffer) {
    if event { draw_event_pane(model, area, buf) } else { draw_detail(model, area, buf) }
}

/// A command in the footer with its key.
type FooterKey<'a> = (&'a KeyBinding, &'a str);

/// Maximum number of keys in the footer.
const KEYS: usize = 8;

/// The footer of the Compare page.
const ON_COMPARE: [UiCommand; KEYS] = [
    UiCommand::Fire,
    UiCommand::Open,
    UiCommand::Agent,
    UiCommand::Edit,
    UiCommand::Template,
    UiCommand::Palette,
    UiCommand::Help,
    UiCommand::Quit,
];

/// The footer of the Files page.
const ON_FILES: [UiCommand; 7] = [
    UiCommand::Open,
    UiCommand::Why,
    UiCommand::OpenEditor,
    UiCommand::Search,
    UiCommand::Palette,
    UiCommand::Help,
    UiCommand::Quit,
];
/// The footer of the Match page.
const ON_MATCH: [UiCommand; KEYS] = [
    UiCommand::Edit,
    UiCommand::Open,
    UiCommand::Fix,
    UiCommand::NextMatch,
    UiCommand::Search,
    UiCommand::Palette,
    UiCommand::Help,
    UiCommand::Quit,
];

/// The footer of the Events page.
const ON_EVENTS: [UiCommand; 7] = [
    UiCommand::Search,
    UiCommand::LeaveOut,
    UiCommand::Replay,
    UiCommand::ToBench,
    UiCommand::Palette,
    UiCommand::Help,
    UiCommand::Quit,
];
/// The footer of the Problems page.
const ON_PROBLEMS: [UiCommand; KEYS] = [
    UiCommand::Search,
    UiCommand::Fix,
    UiCommand::Explain,
    UiCommand::OpenEditor,
    UiCommand::Why,
    UiCommand::Palette,
    UiCommand::Help,
    UiCommand::Quit,
];

/// The footer of a replay's result, the most important first, and of an effect.
const ON_REPLAY: [UiCommand; 6] = [
    UiCommand::ReplayMarked,
    UiCommand::Open,
    UiCommand::Agent,
    UiCommand::CopyCommand,
    UiCommand::Help,
    UiCommand::Quit,
];
const ON_IMPACT: [UiCommand; 3] = [UiCommand::Open, UiCommand::Help, UiCommand::Quit];
/// The footer of the Intercept page with a held event, and without one.
const ON_HELD: [UiCommand; KEYS] = [
    UiCommand::Open,
    UiCommand::Edit,
    UiCommand::ReleaseAll,
    UiCommand::NextPane,
    UiCommand::ToBench,
    UiCommand::PauseHolding,
    UiCommand::Help,
    UiCommand::Quit,
];
const ON_NOT_HELD: [UiCommand; 6] = [
    UiCommand::Capture,
    UiCommand::Edit,
    UiCommand::LeaveOut,
    UiCommand::PauseHolding,
    UiCommand::Help,
    UiCommand::Quit,
];
const ON_NO_EVENTS: [UiCommand; 3] = [UiCommand::Palette, UiCommand::Help, UiCommand::Quit];

/// The command that opens the hidden pane, or leaves the one that hides the list.
fn navigation_command(model: &Model, at: &FrameLayout) -> Option<UiCommand> {
    if model.page == Page::Events {
        if model.events.report.is_some() {
            return Some(UiCommand::Back);
        }
        let shelf = &model.session.event_list;
        let enter = match &shelf.store {
            EventStoreState::Events => shelf.window.row().is_some(),
            EventStoreState::Empty => shelf.agent_sessions.as_ref().is_some_and(|own| !own.is_empty()),
            _ => false,
        };
        return if model.events.open { Some(UiCommand::Back) } else { Some(UiCommand::Open).filter(|_| enter) };
    }
    if matches!(model.page, Page::Match | Page::Intercept) {
        return None;
    }
    if model.page == Page::Compare {
        return Some(if model.compare.open.is_some() { UiCommand::Back } else { UiCommand::Open });
    }
    if model.page == Page::Problems {
        let enter = model.problems.group().map(|_| UiCommand::Open);
        return if model.problems.open.is_some() { Some(UiCommand::Back) } else { enter };
    }
    if model.page == Page::Files {
        return Some(if model.files.detail_open { UiCommand::Back } else { UiCommand::Open });
    }
    let alone = at.hooks.height == 0 || model.zoomed;
    let hidden = matches!(at.size, SizeClass::Narrow | SizeClass::Tiny) && model.definition().is_some();
    if alone { Some(UiCommand::Back) } else { Some(UiCommand::Open).filter(|_| hidden) }
}

fn draw_footer(model: &Model, at: &FrameLayout, buf: &mut Buffer) {
    let area = at.footer;
    if area.height == 0 {
        return;
    }
    let theme = model.theme;
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1);
    if let Some(toast) = &model.toast {
        cells.put(theme.strong(), toast);
        return;
    }
    // Help and quit are always shown.
    let last = |(b, _): &FooterKey<'_>| matches!(b.command, UiCommand::Help | UiCommand::Quit);
    let events = model.session.event_list.store == EventStoreState::Events;
    let report = model.page == Page::Events && model.events.report.is_some();
    let on_report = if model.events.can_replay() { &ON_REPLAY[..] } else { &ON_IMPACT[..] };
    let held = !model.session.live().pending.is_empty();
    let word = |b: &KeyBinding| match (model.page, b.command) {
        (Page::Problems, UiCommand::Search) => "filter",
        (Page::Problems, UiCommand::OpenEditor) => "editor",
        (_, UiCommand::ReplayMarked) if model.events.ran_hooks() => "run again",
        (Page::Compare | Page::Events | Page::Files | Page::Match | Page::Problems, UiCommand::Quit) => "back",
        (Page::Intercept, UiCommand::Quit) => "back",
        (Page::Intercept, UiCommand::Open) => "decide",
        (Page::Intercept, UiCommand::Edit) if !held => "add",
        (Page::Intercept, UiCommand::Edit) => intercept::edit_label(model),
        (Page::Intercept, UiCommand::Capture) if model.session.live().is_connected() => "capture off",
        (Page::Intercept, UiCommand::LeaveOut) => "on or off",
        (Page::Intercept, UiCommand::NextPane) => "payload",
        (Page::Intercept, UiCommand::ToBench) => "bench",
        (Page::Intercept, UiCommand::PauseHolding) if model.session.live().paused => "hold again",
        (Page::Files, UiCommand::Open) if files::hook_selected(model) => "bench",
        (Page::Files, UiCommand::Open) => "unfold",
        (Page::Files, UiCommand::OpenEditor) => "editor",
        (_, UiCommand::ReplayMarked) if report => "run them",
        (_, UiCommand::Agent) if report => "against",
        (_, UiCommand::CopyCommand) if report => "command line",
        (_, UiCommand::Open) if report => "open",
        (Page::Match, UiCommand::Open) => "take",
        (Page::Match, UiCommand::Fix) => "write",
        (Page::Match, UiCommand::NextMatch) => "next problem",
        (Page::Match, UiCommand::Search) => "names",
        (Page::Events, UiCommand::Search) => "filter",
        (Page::Events, UiCommand::LeaveOut) => "mark",
        (Page::Events, UiCommand::ToBench) => "bench",
        (Page::Events, UiCommand::Open) if !events => "import",
        (Page::Compare, UiCommand::Agent) => "agents",
        (Page::Compare, UiCommand::Open) if model.compare.open.is_some() => "bench",
        _ if b.short.is_empty() => b.name,
        _ => b.short,
    };
    let wide = |(b, key): &FooterKey<'_>| width(key) + 1 + width(word(b));
    let way = navigation_command(model, at);
    let here = |b: &KeyBinding| match model.page {
        Page::Events if report => on_report.contains(&b.command),
        Page::Bench => !b.short.is_empty(),
        Page::Events if events => ON_EVENTS.contains(&b.command),
        Page::Events => ON_NO_EVENTS.contains(&b.command),
        Page::Problems if model.problems.group().is_none() => ON_NO_EVENTS.contains(&b.command),
        Page::Problems => ON_PROBLEMS.contains(&b.command),
        Page::Match => ON_MATCH.contains(&b.command),
        Page::Compare => ON_COMPARE.contains(&b.command),
        Page::Files => ON_FILES.contains(&b.command),
        Page::Intercept if held => ON_HELD.contains(&b.command),
        Page::Intercept if b.command == UiCommand::LeaveOut => !model.session.live().breakpoints.is_empty(),
        Page::Intercept => ON_NOT_HELD.contains(&b.command),
    };
    let keys = model.config.keys.rows().filter(|(b, _)| here(b) || Some(b.command) == way);
    let keys = keys.filter_map(|(b, chords)| Some((b, chords.first()?.as_str())));
    let (end, mut begin): (Vec<FooterKey<'_>>, Vec<FooterKey<'_>>) = keys.partition(last);
    // The way back comes first; the way in comes after "fire".
    begin.sort_by_key(|(b, _)| (way != Some(UiCommand::Back) && b.command != UiCommand::Fire, Some(b.command) != way));
    if model.page == Page::Intercept {
        let order: &[UiCommand] = if held { &ON_HELD } else { &ON_NOT_HELD };
        begin.sort_by_key(|(b, _)| order.iter().position(|verb| *verb == b.command));
    }
    if report {
        begin.sort_by_key(|(b, _)| on_report.iter().position(|verb| *verb == b.command).map_or(0, |at| at + 1));
    }
    begin.truncate(KEYS - end.len());
    let reserved = end.iter().map(|key| wide(key) + 3).sum::<usize>().saturating_sub(3);
    let mut put = |(binding, key): &FooterKey<'_>| {
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
