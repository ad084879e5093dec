//! The mouse: click targets, clicks, the wheel and dragging. A click only selects and shows; it never runs a hook
//! or changes a file.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::bench::Size;
use crate::bench::{Band, Edge, band_places, event_places, hook_places, pin_places, tab_places};
use crate::compare::{self, Hit, sheet};
use crate::event_keys::on_row;
use crate::events;
use crate::files;
use crate::header::page_places;
use crate::intercept;
use crate::matching;
use crate::model::{Focus, Model, Row, Tab};
use crate::page::Page;
use crate::problems;
use crate::update::{Ask, choose_tab, command, drag, move_by, on_key, open_page};
use crate::view::{event_in_detail, frame_layout};
use hookbench_app::Command;

/// Lines scrolled by one turn of the wheel.
const LINES: isize = 3;

/// The target of a click.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Pane(Focus),
    Row(usize),
    Tab(Tab),
    /// A row of the event.
    Key(usize),
    /// A hook named in the band, by its row in the list.
    Named(usize),
    Pin(usize),
    Edge(Edge),
    Page(Page),
    Compared(Hit),
    /// A target on the Match page.
    Tried(matching::Hit),
    /// A row of the recorded events.
    Recorded(usize),
    /// A row of the problems.
    Problem(usize),
    /// A row of the files.
    Listed(usize),
    /// A target on the Intercept page.
    Live(intercept::Hit),
    /// The line about held events.
    Waits,
}

/// All click targets, the topmost last.
fn hits(model: &Model) -> Vec<(Rect, Target)> {
    let (width, height) = model.size;
    let waits = intercept::banner::place(model, Rect::new(0, 0, width, height)).map(|place| (place, Target::Waits));
    page_hits(model).into_iter().chain(waits).collect()
}

fn page_hits(model: &Model) -> Vec<(Rect, Target)> {
    let at = frame_layout(model);
    let pages = page_places(model, at.header).into_iter().map(|(page, place)| (place, Target::Page(page)));
    if model.page == Page::Compare {
        let compared = sheet(model, at.shared).hits.into_iter().map(|(place, hit)| (place, Target::Compared(hit)));
        return compared.chain(pages).collect();
    }
    if model.page == Page::Files {
        let rows = files::rows_at(model, at.shared, at.size).into_iter();
        return rows.map(|(row, place)| (place, Target::Listed(row))).chain(pages).collect();
    }
    if model.page == Page::Match {
        let tried = matching::sheet(model, at.shared).hits.into_iter().map(|(place, hit)| (place, Target::Tried(hit)));
        return tried.chain(pages).collect();
    }
    if model.page == Page::Intercept {
        let live = intercept::hits(model, at.event_line, at.shared, at.size).into_iter();
        return live.map(|(place, hit)| (place, Target::Live(hit))).chain(pages).collect();
    }
    if model.page == Page::Events {
        let rows = events::rows_at(model, at.shared, at.size).into_iter();
        return rows.map(|(row, place)| (place, Target::Recorded(row))).chain(pages).collect();
    }
    if model.page == Page::Problems {
        let rows = problems::rows_at(model, at.shared, at.size).into_iter();
        return rows.map(|(row, place)| (place, Target::Problem(row))).chain(pages).collect();
    }
    let in_detail = event_in_detail(model, &at);
    let (below, event) = if in_detail { (Focus::Event, at.detail) } else { (Focus::Detail, at.event) };
    let mut all = vec![
        (at.hooks, Target::Pane(Focus::Hooks)),
        (at.detail, Target::Pane(below)),
        (at.event, Target::Pane(Focus::Event)),
    ];
    let rows = hook_places(model, at.hooks, at.size == Size::Wide);
    all.extend(rows.into_iter().map(|(row, place)| (place, Target::Row(row))));
    if !in_detail {
        let tabs = tab_places(model, Rect { height: at.detail.height.min(1), ..at.detail });
        all.extend(tabs.into_iter().map(|(tab, place)| (place, Target::Tab(tab))));
    }
    all.extend(event_places(model, event).into_iter().map(|(row, place)| (place, Target::Key(row))));
    all.extend(named(model, at.band).into_iter().map(|(row, place)| (place, Target::Named(row))));
    all.extend(pin_places(model, at.pins).into_iter().map(|(pin, place)| (place, Target::Pin(pin))));
    all.extend(pages);
    all.extend(at.edges().into_iter().map(|(edge, place)| (place, Target::Edge(edge))));
    all
}

/// The rows of the band that name a hook, with the hook's row in the list.
fn named(model: &Model, area: Rect) -> Vec<(usize, Rect)> {
    let band = Band::of(model);
    let row_of = |hook: &String| model.rows.iter().position(|r| matches!(r, Row::Hook(id) if id == hook));
    let about = |index: usize| band.rows.get(index)?.hook.as_ref().and_then(row_of);
    band_places(&band, area).into_iter().filter_map(|(index, place)| Some((about(index)?, place))).collect()
}

/// Handles a mouse event.
pub fn on_mouse(model: &mut Model, event: MouseEvent, asks: &mut Vec<Ask>) {
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
    let mut under: Vec<Target> =
        hits(model).into_iter().filter(|(place, _)| place.contains(at)).map(|(_, target)| target).collect();
    let pane = under.iter().find_map(|t| if let Target::Pane(pane) = t { Some(*pane) } else { None });
    if wheel != 0 {
        if model.page == Page::Compare {
            compare::turn(model, wheel);
        } else if model.page == Page::Files {
            files::turn(model, wheel);
        } else if model.page == Page::Match {
            matching::turn(model, wheel);
        } else if model.page == Page::Events {
            events::turn(model, wheel, asks);
        } else if model.page == Page::Problems {
            problems::turn(model, wheel);
        } else if model.page == Page::Intercept {
            let hit = under.iter().rev().find_map(|t| if let Target::Live(hit) = t { Some(*hit) } else { None });
            intercept::turn(model, hit, wheel * LINES);
        } else if let Some(pane) = pane {
            turn(model, pane, wheel);
        }
        return;
    }
    let top = under.pop();
    match (top, pane) {
        (Some(Target::Page(page)), _) => open_page(model, page),
        (Some(Target::Compared(hit)), _) => compare::click(model, hit),
        (Some(Target::Waits), _) => open_page(model, Page::Intercept),
        (Some(Target::Live(hit)), _) => intercept::click(model, hit),
        (Some(Target::Listed(row)), _) => files::click(model, row),
        (Some(Target::Tried(hit)), _) => matching::click(model, hit),
        (Some(Target::Recorded(row)), _) => events::click(model, row, asks),
        (Some(Target::Problem(row)), _) => problems::click(model, row),
        (Some(Target::Edge(edge)), _) => model.dragged = Some(edge),
        (Some(Target::Pin(pin)), _) => {
            command(model, Command::UsePin(pin), asks);
        }
        (Some(Target::Named(row)), _) => {
            model.focus = Focus::Hooks;
            select(model, row);
        }
        (Some(target), Some(pane)) => {
            model.focus = pane;
            match target {
                Target::Row(row) => select(model, row),
                Target::Tab(tab) => choose_tab(model, tab),
                Target::Key(row) => on_row(model, row),
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
fn turn(model: &mut Model, pane: Focus, wheel: isize) {
    let focus = std::mem::replace(&mut model.focus, pane);
    move_by(model, if pane == Focus::Hooks { wheel } else { wheel * LINES });
    model.focus = focus;
}

/// Turns mouse capture on or off.
pub fn toggle(model: &mut Model, asks: &mut Vec<Ask>) {
    model.config.mouse = !model.config.mouse;
    asks.push(Ask::Mouse(model.config.mouse));
    let says = if model.config.mouse {
        "the mouse is on: click to select, wheel to scroll, drag the lines between panes; hold Shift to mark text"
    } else {
        "the mouse is off: the terminal marks text as usual"
    };
    model.toast = Some(says.to_owned());
}
