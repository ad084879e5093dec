//! The tour among the layers of the screen.

use super::line;
use crate::model::{Focus, Model};
use crate::page::Page;
use crate::page_registry::screen_of;
use crate::update::is_opened;

/// Whether Esc ends the tour: its line is shown, and there is nothing to go back from.
pub fn is_topmost(model: &Model) -> bool {
    let typing = screen_of(model.page).typing_keys(model).is_some();
    let waits = model.first_key.is_some() || !model.session.live().advice.is_empty();
    // On the bench, Esc first goes back to the list of hooks.
    let away = model.page == Page::Bench && model.focus != Focus::Hooks;
    let opened = is_opened(model) || model.zoomed || away;
    line(model).is_some() && model.popups.is_empty() && !typing && !waits && !opened
}
