//! The page on which a command has a meaning.

use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page_layout::frame_layout;
use crate::page_registry::screen_of;
use crate::screen::Screen;

/// Whether a page lists a command among its own.
pub(super) fn lists(page: &dyn Screen, verb: UiCommand) -> bool {
    page.keys().iter().any(|(commands, _)| commands.contains(&verb))
}

/// Whether a command has a meaning on a page.
pub(super) fn is_understood(page: &dyn Screen, verb: UiCommand) -> bool {
    verb.is_general() || lists(page, verb)
}

/// Whether something is opened on the page, so that the footer begins with the way back.
pub fn is_opened(model: &Model) -> bool {
    let mut keys = screen_of(model.page).footer(model, &frame_layout(model)).into_iter();
    keys.any(|(command, label)| command == UiCommand::Back && label.is_empty())
}
