//! The mouse: click targets, clicks, the wheel and dragging. A click only selects and shows; it never runs a hook
//! or changes a file.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::header::page_places;
use crate::intercept::banner;
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::page_registry::screen_of;
use crate::update::{LoopRequest, drag, on_key, open_page};
use crate::widgets::target_at;

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
            on_key(model, KeyEvent::new(code, KeyModifiers::NONE), asks);
        }
        return;
    }
    if wheel != 0 {
        screen_of(model.page).on_wheel(model, at, wheel, asks);
        return;
    }
    let (width, height) = model.size;
    let banner = banner::place(model, Rect::new(0, 0, width, height));
    let tab = target_at(page_places(model, frame_layout(model).header), at);
    match (banner, tab) {
        (Some(banner), _) if banner.contains(at) => open_page(model, Page::Intercept),
        (_, Some(page)) => open_page(model, page),
        _ => screen_of(model.page).on_click(model, at, asks),
    }
}

/// Turns mouse capture on or off.
pub fn toggle(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    model.config.mouse = !model.config.mouse;
    asks.push(LoopRequest::Mouse(model.config.mouse));
    let says = if model.config.mouse {
        "the mouse is on: click to select, wheel to scroll, drag borders; hold Shift to select text"
    } else {
        "the mouse is off: the terminal selects text"
    };
    model.toast = Some(says.to_owned());
}
