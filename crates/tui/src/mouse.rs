//! The mouse: click targets, clicks, the wheel and dragging. A click only selects and shows; it never runs a hook
//! or changes a file.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::bench::SizeClass;
use crate::bench::{Band, PaneEdge, band_places, event_places, hook_places, pin_places, tab_places};
use crate::compare::{self, CompareTarget, sheet};
use crate::events;
use crate::files;
use crate::header::page_places;
use crate::intercept;
use crate::matching;
use crate::model::{Focus, HookListRow, Model, Tab};
use crate::page::Page;
use crate::payload_keys::on_click;
use crate::problems;
use crate::update::{LoopRequest, choose_tab, command, drag, move_by, on_key, open_page};
use crate::view::{event_in_detail, frame_layout};
use hookbench_app::Command;

/// Lines scrolled by one turn of the wheel.
const LINES: isize = 3;

/// The target of a click.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ClickTarget {
    Pane(Focus),
    Row(usize),
    Tab(Tab),
    /// A row of the event.
    PayloadRow(usize),
    /// A hook named in the band, by its row in the list.
    BandHook(usize),
    Pin(usize),
    Edge(PaneEdge),
    Page(Page),
    Compare(CompareTarget),
    /// A target on the Match page.
    Match(matching::MatchTarget),
    /// A row of the recorded events.
    EventRow(usize),
    /// A row of the problems.
    ProblemRow(usize),
    /// A row of the files.
    FileRow(usize),
    /// A target on the Intercept page.
    Intercept(intercept::InterceptTarget),
    /// The line about held events.
    HeldBanner,
}

/// All click targets, the topmost last.
fn click_targets(model: &Model) -> Vec<(Rect, ClickTarget)> {
    let (width, height) = model.size;
    let waits =
        intercept::banner::place(model, Rect::new(0, 0, width, height)).map(|place| (place, ClickTarget::HeldBanner));
    page_targets(model).into_iter().chain(waits).collect()
}

fn page_targets(model: &Model) -> Vec<(Rect, ClickTarget)> {
    let at = frame_layout(model);
    let pages = page_places(model, at.header).into_iter().map(|(page, place)| (place, ClickTarget::Page(page)));
    if model.page == Page::Compare {
        let compared = sheet(model, at.shared).hits.into_iter().map(|(place, hit)| (place, ClickTarget::Compare(hit)));
        return compared.chain(pages).collect();
    }
    if model.page == Page::Files {
        let rows = files::row_places(model, at.shared, at.size).into_iter();
        return rows.map(|(row, place)| (place, ClickTarget::FileRow(row))).chain(pages).collect();
    }
    if model.page == Page::Match {
        let tried =
            matching::sheet(model, at.shared).hits.into_iter().map(|(place, hit)| (place, ClickTarget::Match(hit)));
        return tried.chain(pages).collect();
    }
    if model.page == Page::Intercept {
        let live = intercept::click_targets(model, at.event_line, at.shared, at.size).into_iter();
        return live.map(|(place, hit)| (place, ClickTarget::Intercept(hit))).chain(pages).collect();
    }
    if model.page == Page::Events {
        let rows = events::row_places(model, at.shared, at.size).into_iter();
        return rows.map(|(row, place)| (place, ClickTarget::EventRow(row))).chain(pages).collect();
    }
    if model.page == Page::Problems {
        let rows = problems::row_places(model, at.shared, at.size).into_iter();
        return rows.map(|(row, place)| (place, ClickTarget::ProblemRow(row))).chain(pages).collect();
    }
    let in_detail = event_in_detail(model, &at);
    let (below, event) = if in_detail { (Focus::Event, at.detail) } else { (Focus::Detail, at.event) };
    let mut all = vec![
        (at.hooks, ClickTarget::Pane(Focus::Hooks)),
        (at.detail, ClickTarget::Pane(below)),
        (at.event, ClickTarget::Pane(Focus::Event)),
    ];
    let rows = hook_places(model, at.hooks, at.size == SizeClass::Wide);
    all.extend(rows.into_iter().map(|(row, place)| (place, ClickTarget::Row(row))));
    if !in_detail {
        let tabs = tab_places(model, Rect { height: at.detail.height.min(1), ..at.detail });
        all.extend(tabs.into_iter().map(|(tab, place)| (place, ClickTarget::Tab(tab))));
    }
    all.extend(event_places(model, event).into_iter().map(|(row, place)| (place, ClickTarget::PayloadRow(row))));
    all.extend(band_hooks(model, at.band).into_iter().map(|(row, place)| (place, ClickTarget::BandHook(row))));
    all.extend(pin_places(model, at.pins).into_iter().map(|(pin, place)| (place, ClickTarget::Pin(pin))));
    all.extend(pages);
    all.extend(at.edges().into_iter().map(|(edge, place)| (place, ClickTarget::Edge(edge))));
    all
}

/// The rows of the band that name a hook, with the hook's row in the list.
fn band_hooks(model: &Model, area: Rect) -> Vec<(usize, Rect)> {
    let band = Band::of(model);
    let row_of = |hook: &String| model.rows.iter().position(|r| matches!(r, HookListRow::Hook(id) if id == hook));
    let about = |index: usize| band.rows.get(index)?.hook.as_ref().and_then(row_of);
    band_places(&band, area).into_iter().filter_map(|(index, place)| Some((about(index)?, place))).collect()
}

/// Handles a mouse event.
pub fn on_mouse(model: &mut Model, event: MouseEvent, asks: &mut Vec<LoopRequest>) {
    let at = Position { x: event.column, y: event.row };
    let wheel = match event.kind {
        MouseEventKind::ScrollUp => -1,
        MouseEventKind::ScrollDown => 1,
        MouseEventKind::Down(MouseButton::Left) => 0,
        MouseEventKind::Drag(MouseButton::Left) => {
            if let Some(edge) = model.dragged {
                drag(model, edge, at);
            }
            return;
        }
        MouseEventKind::Up(MouseButton::Left) => {
            model.dragged = None;
            return;
        }
        _ => return,
    };
    model.dragged = None;
    if !model.popups.is_empty() {
        // A question is answered with a key, never with a click; the wheel scrolls it.
        let code = if wheel < 0 { KeyCode::Up } else { KeyCode::Down };
        if wheel != 0 {
            on_key(model, KeyEvent::new(code, KeyModifiers::NONE), model.size, asks);
        }
        return;
    }
    let mut under: Vec<ClickTarget> =
        click_targets(model).into_iter().filter(|(place, _)| place.contains(at)).map(|(_, target)| target).collect();
    let pane = under.iter().find_map(|t| if let ClickTarget::Pane(pane) = t { Some(*pane) } else { None });
    if wheel != 0 {
        if model.page == Page::Compare {
            compare::on_wheel(model, wheel);
        } else if model.page == Page::Files {
            files::on_wheel(model, wheel);
        } else if model.page == Page::Match {
            matching::on_wheel(model, wheel);
        } else if model.page == Page::Events {
            events::on_wheel(model, wheel, asks);
        } else if model.page == Page::Problems {
            problems::on_wheel(model, wheel);
        } else if model.page == Page::Intercept {
            let hit =
                under.iter().rev().find_map(|t| if let ClickTarget::Intercept(hit) = t { Some(*hit) } else { None });
            intercept::on_wheel(model, hit, wheel * LINES);
        } else if let Some(pane) = pane {
            scroll_pane(model, pane, wheel);
        }
        return;
    }
    let top = under.pop();
    match (top, pane) {
        (Some(ClickTarget::Page(page)), _) => open_page(model, page),
        (Some(ClickTarget::Compare(hit)), _) => compare::on_click(model, hit),
        (Some(ClickTarget::HeldBanner), _) => open_page(model, Page::Intercept),
        (Some(ClickTarget::Intercept(hit)), _) => intercept::on_click(model, hit),
        (Some(ClickTarget::FileRow(row)), _) => files::on_click(model, row),
        (Some(ClickTarget::Match(hit)), _) => matching::on_click(model, hit),
        (Some(ClickTarget::EventRow(row)), _) => events::on_click(model, row, asks),
        (Some(ClickTarget::ProblemRow(row)), _) => problems::on_click(model, row),
        (Some(ClickTarget::Edge(edge)), _) => model.dragged = Some(edge),
        (Some(ClickTarget::Pin(pin)), _) => {
            command(model, Command::UsePin(pin), asks);
        }
        (Some(ClickTarget::BandHook(row)), _) => {
            model.focus = Focus::Hooks;
            select(model, row);
        }
        (Some(target), Some(pane)) => {
            model.focus = pane;
            match target {
                ClickTarget::Row(row) => select(model, row),
                ClickTarget::Tab(tab) => choose_tab(model, tab),
                ClickTarget::PayloadRow(row) => on_click(model, row),
                _ => {}
            }
        }
        _ => {}
    }
}

fn select(model: &mut Model, row: usize) {
    if row != model.selected {
        model.selected = row;
        model.scroll = None;
    }
}

/// Scrolls the pane under the pointer without changing the focus.
fn scroll_pane(model: &mut Model, pane: Focus, wheel: isize) {
    let focus = std::mem::replace(&mut model.focus, pane);
    move_by(model, if pane == Focus::Hooks { wheel } else { wheel * LINES });
    model.focus = focus;
}

/// Turns mouse capture on or off.
pub fn toggle(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    model.config.mouse = !model.config.mouse;
    asks.push(LoopRequest::Mouse(model.config.mouse));
    let says = if model.config.mouse {
        "the mouse is on: click to select, wheel to scroll, drag the lines between panes; hold Shift to mark text"
    } else {
        "the mouse is off: the terminal marks text as usual"
    };
    model.toast = Some(says.to_owned());
}
