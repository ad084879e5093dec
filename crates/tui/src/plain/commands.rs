//! The commands of plain mode: those of the key table except screen-only ones, and names for the panes.

use super::say;
use super::sentences::sentence;
use crate::keymap::{BINDINGS, KeyBinding, UiCommand};
use crate::model::Tab;

/// Commands in addition to those of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainCommand {
    /// A tab of the selected hook.
    Pane(Tab),
    /// All hooks of the event.
    Hooks,
    /// Repeats the last description of the event.
    Repeat,
    /// Chooses another event.
    Events,
}

/// Their names and descriptions.
pub const PLAIN_COMMANDS: [(&str, PlainCommand, &str); 8] = [
    ("hooks", PlainCommand::Hooks, "list the hooks of this event with their results"),
    ("stdin", PlainCommand::Pane(Tab::Stdin), "print the stdin of the selected hook"),
    ("stdout", PlainCommand::Pane(Tab::Stdout), "print its stdout"),
    ("stderr", PlainCommand::Pane(Tab::Stderr), "print its stderr"),
    ("decision", PlainCommand::Pane(Tab::Decision), "print its effect on the decision"),
    ("process", PlainCommand::Pane(Tab::Process), "print how it is started"),
    ("events", PlainCommand::Events, "same as template"),
    ("again", PlainCommand::Repeat, "print the event and its result again"),
];

/// Commands that only work on a screen.
pub const SCREEN_ONLY: [UiCommand; 15] = [
    UiCommand::Left,
    UiCommand::Right,
    UiCommand::NextPane,
    UiCommand::PreviousPane,
    UiCommand::PageUp,
    UiCommand::PageDown,
    UiCommand::Mode,
    UiCommand::Search,
    UiCommand::NextMatch,
    UiCommand::PreviousMatch,
    UiCommand::Zoom,
    UiCommand::Grow,
    UiCommand::Shrink,
    UiCommand::ResetLayout,
    UiCommand::Mouse,
];

/// Prints every command except the screen-only ones.
pub fn help() -> std::io::Result<()> {
    let told = |b: &&KeyBinding| !SCREEN_ONLY.contains(&b.command);
    BINDINGS.iter().filter(told).try_for_each(|b| say(&sentence(&format!("{}: {}", b.name, b.help))))?;
    PLAIN_COMMANDS.iter().try_for_each(|(name, _, help)| say(&sentence(&format!("{name}: {help}"))))
}

/// The command with this name, or the only one whose name begins with it.
pub fn command_of(name: &str) -> Option<UiCommand> {
    let exact = BINDINGS.iter().find(|b| b.name == name);
    let mut begin = BINDINGS.iter().filter(|b| b.name.starts_with(name));
    let only = || begin.next().filter(|_| begin.next().is_none());
    exact.or_else(only).map(|b| b.command)
}
