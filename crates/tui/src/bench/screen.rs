//! The registration of the bench as a page: its panes, its click targets and its footer.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{
    Band, FrameLayout, PaneEdge, SizeClass, band_places, detail_height, draw_detail, draw_event_pane, draw_hooks,
    draw_payload_line, draw_pins, event_places, has_detail, hook_places, pin_places, streams, tab_places, trial_target,
};
use crate::hook_list::HookListRow;
use crate::keymap::{BINDINGS, UiCommand};
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::{Focus, Model, Tab};
use crate::page_layout::frame_layout;
use crate::plain::sentences;
use crate::screen::{FooterKey, HelpRow, PageKeys, PageList, Screen};
use crate::theme::Theme;
use crate::update::{LoopRequest, choose_tab, command, move_by};
use crate::widgets::{WHEEL_LINES, target_at};
use crate::{payload_keys, problems, time_line};
use hookbench_app::Command;

/// The page.
pub struct BenchScreen;

impl Screen for BenchScreen {
    fn on_command(&self, model: &mut Model, verb: UiCommand, _: &mut Vec<LoopRequest>) -> bool {
        model.focus == Focus::Event && payload_keys::on_command(model, verb, self.page_rows(model))
    }

    fn on_typing_key(&self, model: &mut Model, key: KeyEvent, _: &mut Vec<LoopRequest>) -> bool {
        streams::search_key(model, key) || payload_keys::on_typing_key(model, key)
    }

    fn on_paste(&self, model: &mut Model, text: &str, _: &mut Vec<LoopRequest>) -> bool {
        streams::paste(model, text)
    }

    fn on_click(&self, model: &mut Model, at: Position, asks: &mut Vec<LoopRequest>) {
        on_click(model, at, asks);
    }

    fn step(&self, model: &mut Model, by: isize, _: &mut Vec<LoopRequest>) {
        move_by(model, by);
    }

    fn turn_page(&self, model: &mut Model, forward: bool, _: &mut Vec<LoopRequest>) {
        let rows = self.page_rows(model);
        let by = if forward { rows } else { -rows };
        // A list that is all visible has no pages, but the text beside it may have.
        let shown = usize::from(frame_layout(model).hooks.inner.height);
        if model.focus == Focus::Hooks && has_detail(model.size) && model.rows.len() <= shown {
            streams::scroll(model, by);
        } else {
            move_by(model, by);
        }
    }

    fn visible_rows(&self, model: &Model) -> usize {
        usize::from(detail_height(model.size, model.pane_sizes))
    }

    fn on_wheel(&self, model: &mut Model, at: Position, by: isize, _: &mut Vec<LoopRequest>) {
        on_wheel(model, at, by);
    }

    fn draw(&self, model: &Model, at: &FrameLayout, buf: &mut Buffer) {
        draw(model, at, buf);
    }

    fn keys(&self) -> &'static [PageKeys] {
        &[
            (&[UiCommand::Fire, UiCommand::Verify, UiCommand::TryHook], "fire, verify, try hook"),
            (&[UiCommand::Edit, UiCommand::SetField, UiCommand::OpenEditor], "edit payload or script"),
            (&[UiCommand::UndoPayload, UiCommand::RedoPayload], "undo, redo payload edit"),
            (&[UiCommand::Template, UiCommand::PreviousEvent, UiCommand::NextEvent], "choose event"),
            (&[UiCommand::Why, UiCommand::PreviousTab, UiCommand::NextTab], "show why, switch stream"),
            (&[UiCommand::Fix, UiCommand::Undo, UiCommand::Explain, UiCommand::Allow], "fix, undo, explain, allow"),
            (&[UiCommand::Diff, UiCommand::History], "compare, list runs"),
            (
                &[UiCommand::WhatIf, UiCommand::LeaveOut, UiCommand::Stress, UiCommand::AskModel],
                "what-if, skip hook, stress",
            ),
            (&[UiCommand::SaveTest, UiCommand::OpenSettings], "keep as test, settings"),
            (&[UiCommand::Pin, UiCommand::AutoFire, UiCommand::Contain], "pin, auto-fire, contain"),
            (&[UiCommand::Search, UiCommand::NextMatch, UiCommand::PreviousMatch], "search, next, previous"),
            (&[UiCommand::Mode, UiCommand::Zoom, UiCommand::Grow, UiCommand::Shrink], "wrap, zoom, resize"),
        ]
    }

    fn typing_keys(&self, model: &Model) -> Option<Vec<LayerKey>> {
        (streams::is_typing(model) || payload_keys::is_typing(model)).then(|| typing_keys("keep search", "end search"))
    }

    fn footer(&self, model: &Model, at: &FrameLayout) -> Vec<FooterKey> {
        footer(model, at)
    }

    fn signs(&self, theme: Theme) -> Vec<HelpRow> {
        let ticks = (theme.tick().to_owned(), "key that it reads".to_owned());
        theme.mark_legend().into_iter().chain(time_line::legend(theme)).chain([ticks]).collect()
    }

    fn page_list(&self, model: &Model) -> Option<PageList> {
        let rows = model.rows.iter().map(|row| sentences::row(model, row));
        Some(PageList::new("", rows, model.selected))
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        sentences::band(model)
    }
}

/// Whether the event is shown in place of the detail.
fn event_in_detail(model: &Model, at: &FrameLayout) -> bool {
    !at.event.is_shown() && model.focus == Focus::Event
}

/// Whether a hook with a problem has a second line for it: where the list is narrow and has rows to spare.
fn two_lines(at: &FrameLayout) -> bool {
    matches!(at.size, SizeClass::Wide | SizeClass::Narrow)
}

fn draw(model: &Model, at: &FrameLayout, buf: &mut Buffer) {
    draw_hooks(model, at.hooks, buf, two_lines(at));
    let draw_pane = if event_in_detail(model, at) { draw_event_pane } else { draw_detail };
    draw_pane(model, at.detail, buf);
    draw_event_pane(model, at.event, buf);
    draw_payload_line(model, at.payload_line, buf);
    draw_pins(model, at.pins, buf);
}

fn footer(model: &Model, at: &FrameLayout) -> Vec<FooterKey> {
    let mut all: Vec<FooterKey> =
        BINDINGS.iter().filter(|binding| !binding.short.is_empty()).map(|binding| (binding.command, "")).collect();
    all.retain(|(command, _)| !matches!(command, UiCommand::Help | UiCommand::Quit));
    if model.rows.is_empty() {
        all.insert(0, (UiCommand::NewHook, "new hook"));
    }
    if let Some(firing) = model.firing() {
        if firing.settled {
            // A verdict is worth keeping.
            replace(&mut all, UiCommand::AutoFire, (UiCommand::SaveTest, "keep as test"));
        } else {
            replace(&mut all, UiCommand::Fire, (UiCommand::Cancel, "stop"));
        }
    }
    let fix = problems::fix_target(model).map(|_| "").or_else(|| trial_target(model).map(|_| "try once"));
    if let Some(label) = fix {
        all.insert(1.min(all.len()), (UiCommand::Fix, label));
    }
    let hidden = matches!(at.size, SizeClass::Narrow | SizeClass::Tiny) && model.definition().is_some();
    // A screen without room for the list hides it, too, but then there is nothing to go back to.
    if model.zoomed || (!at.hooks.is_shown() && model.focus != Focus::Hooks) {
        all.insert(0, (UiCommand::Back, ""));
    } else if hidden {
        // The way in comes after "fire".
        all.insert(1, (UiCommand::Open, ""));
    }
    all
}

/// Puts a key in the place of another one.
fn replace(all: &mut [FooterKey], of: UiCommand, by: FooterKey) {
    if let Some(key) = all.iter_mut().find(|(command, _)| *command == of) {
        *key = by;
    }
}

/// The target of a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BenchTarget {
    Row(usize),
    Tab(Tab),
    /// A row of the event.
    PayloadRow(usize),
    /// A hook named in the band, by its row in the list.
    BandHook(usize),
    Pin(usize),
    Edge(PaneEdge),
}

/// The panes and their places.
fn panes(model: &Model, at: &FrameLayout) -> [(Focus, Rect); 3] {
    let below = if event_in_detail(model, at) { Focus::Event } else { Focus::Detail };
    [(Focus::Event, at.event.outer()), (below, at.detail.outer()), (Focus::Hooks, at.hooks.outer())]
}

/// The click targets and their places, the topmost last.
fn targets(model: &Model, at: &FrameLayout) -> Vec<(BenchTarget, Rect)> {
    let in_detail = event_in_detail(model, at);
    let event = if in_detail { at.detail.with_title() } else { at.event.with_title() };
    let mut all = Vec::new();
    // The tabs are on the border that is also an edge, so they come later.
    all.extend(at.edges().into_iter().map(|(edge, place)| (BenchTarget::Edge(edge), place)));
    let mut add = |places: Vec<(usize, Rect)>, target: fn(usize) -> BenchTarget| {
        all.extend(places.into_iter().map(|(index, place)| (target(index), place)));
    };
    add(hook_places(model, at.hooks.inner, two_lines(at)), BenchTarget::Row);
    add(event_places(model, event), BenchTarget::PayloadRow);
    add(band_hooks(model, at.band), BenchTarget::BandHook);
    add(pin_places(model, at.pins), BenchTarget::Pin);
    if !in_detail {
        let tabs = tab_places(model, Rect { height: at.detail.with_title().height.min(1), ..at.detail.with_title() });
        all.extend(tabs.into_iter().map(|(tab, place)| (BenchTarget::Tab(tab), place)));
    }
    all
}

/// The rows of the band that name a hook, with the hook's row in the list.
fn band_hooks(model: &Model, area: Rect) -> Vec<(usize, Rect)> {
    let band = Band::of(model);
    let row_of = |hook: &String| model.rows.iter().position(|r| matches!(r, HookListRow::Hook(id) if id == hook));
    let about = |index: usize| band.rows.get(index)?.hook.as_ref().and_then(row_of);
    band_places(&band, area).into_iter().filter_map(|(index, place)| Some((about(index)?, place))).collect()
}

fn on_click(model: &mut Model, at: Position, asks: &mut Vec<LoopRequest>) {
    let frame = frame_layout(model);
    if let Some(pane) = target_at(panes(model, &frame), at) {
        model.focus = pane;
    }
    match target_at(targets(model, &frame), at) {
        Some(BenchTarget::Edge(edge)) => model.dragged = Some(edge),
        Some(BenchTarget::Pin(pin)) => command(model, Command::UsePin(pin), asks),
        Some(BenchTarget::BandHook(row)) => {
            model.focus = Focus::Hooks;
            select(model, row);
        }
        Some(BenchTarget::Row(row)) => select(model, row),
        Some(BenchTarget::Tab(tab)) => choose_tab(model, tab),
        Some(BenchTarget::PayloadRow(row)) => payload_keys::on_click(model, row),
        None => {}
    }
}

fn select(model: &mut Model, row: usize) {
    if row != model.selected {
        model.selected = row;
        model.scroll = None;
    }
}

/// Scrolls the pane under the pointer without changing the focus.
fn on_wheel(model: &mut Model, at: Position, by: isize) {
    let Some(pane) = target_at(panes(model, &frame_layout(model)), at) else { return };
    let focus = std::mem::replace(&mut model.focus, pane);
    move_by(model, if pane == Focus::Hooks { by } else { by * WHEEL_LINES });
    model.focus = focus;
}
