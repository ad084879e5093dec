//! The mouse: what lies under it, and what a click or the wheel does there. A click only ever looks; nothing is started,
//! opened or changed by one.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::tui::bench::{hook_places, tab_places};
use crate::tui::model::{Focus, Model, Tab};
use crate::tui::update::{Ask, choose_tab, move_by, on_key};
use crate::tui::view::{Panes, panes};

/// Lines that one turn of the wheel moves.
const LINES: isize = 3;

/// What can be clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Pane(Focus),
    Row(usize),
    Tab(Tab),
}

/// Everything that can be clicked, what lies on top last.
fn hits(model: &Model) -> Vec<(Rect, Target)> {
    let Panes { hooks, two_lines, detail, detail_is_event, event } = panes(model);
    let below = if detail_is_event { Focus::Event } else { Focus::Detail };
    let mut all =
        vec![(hooks, Target::Pane(Focus::Hooks)), (detail, Target::Pane(below)), (event, Target::Pane(Focus::Event))];
    all.extend(hook_places(model, hooks, two_lines).into_iter().map(|(row, place)| (place, Target::Row(row))));
    if !detail_is_event {
        let tabs = tab_places(model, Rect { height: detail.height.min(1), ..detail });
        all.extend(tabs.into_iter().map(|(tab, place)| (place, Target::Tab(tab))));
    }
    all
}

/// Takes what the mouse did.
pub fn on_mouse(model: &mut Model, event: MouseEvent, asks: &mut Vec<Ask>) {
    let wheel = match event.kind {
        MouseEventKind::ScrollUp => -1,
        MouseEventKind::ScrollDown => 1,
        MouseEventKind::Down(MouseButton::Left) => 0,
        _ => return,
    };
    if !model.popups.is_empty() {
        // A question is answered with a letter, never with a click; long ones scroll.
        let code = if wheel < 0 { KeyCode::Up } else { KeyCode::Down };
        if wheel != 0 {
            on_key(model, KeyEvent::new(code, KeyModifiers::NONE), model.size, asks);
        }
        return;
    }
    let at = Position { x: event.column, y: event.row };
    let under: Vec<Target> = hits(model).into_iter().filter(|(place, _)| place.contains(at)).map(|(_, t)| t).collect();
    let pane = under.iter().find_map(|t| if let Target::Pane(pane) = t { Some(*pane) } else { None });
    let Some(pane) = pane else { return };
    if wheel != 0 {
        // The wheel turns what is under it, and leaves the focus where it is.
        let focus = std::mem::replace(&mut model.focus, pane);
        move_by(model, if pane == Focus::Hooks { wheel } else { wheel * LINES });
        model.focus = focus;
        return;
    }
    model.focus = pane;
    match under.last() {
        Some(Target::Row(row)) if *row != model.selected => {
            model.selected = *row;
            model.scroll = None;
        }
        Some(Target::Tab(tab)) => choose_tab(model, *tab),
        _ => {}
    }
}

/// Gives the mouse to the screen or back to the terminal.
pub fn toggle(model: &mut Model, asks: &mut Vec<Ask>) {
    model.config.mouse = !model.config.mouse;
    asks.push(Ask::Mouse(model.config.mouse));
    let says = if model.config.mouse {
        "the mouse is on: click to select, wheel to scroll; hold Shift to mark text"
    } else {
        "the mouse is off: the terminal marks text as usual"
    };
    model.toast = Some(says.to_owned());
}
