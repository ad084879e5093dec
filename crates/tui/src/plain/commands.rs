//! The commands of plain mode: those of the key table except screen-only ones, and names for the panes.

use super::say;
use super::sentences::sentence;
use crate::keymap::{BINDINGS, KeyBinding, UiCommand};
use crate::model::{Model, Tab};
use crate::page_registry::screen_of;

/// Commands in addition to those of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainCommand {
    /// A tab of the selected hook.
    Pane(Tab),
    /// All rows of the page's list.
    List,
    /// Repeats the last description of the event.
    Repeat,
    /// Chooses another event.
    Events,
}

/// Their names and descriptions.
pub const PLAIN_COMMANDS: [(&str, PlainCommand, &str); 9] = [
    (
        "list",
        PlainCommand::List,
        "list all hooks, problems, events or files of this page; open with a number opens one",
    ),
    ("stdin", PlainCommand::Pane(Tab::Stdin), "print the stdin of the selected hook"),
    ("stdout", PlainCommand::Pane(Tab::Stdout), "print its stdout"),
    ("stderr", PlainCommand::Pane(Tab::Stderr), "print its stderr"),
    ("decision", PlainCommand::Pane(Tab::Decision), "print its effect on the decision"),
    ("process", PlainCommand::Pane(Tab::Process), "print how it is started"),
    ("script", PlainCommand::Pane(Tab::Script), "print its script with the findings and the line that decided"),
    ("events", PlainCommand::Events, "choose an event; recorded lists the recorded ones"),
    ("again", PlainCommand::Repeat, "print the event and its result again"),
];

/// Commands of every page, for the help.
const EVERYWHERE: [UiCommand; 8] = [
    UiCommand::Up,
    UiCommand::Down,
    UiCommand::Open,
    UiCommand::Back,
    UiCommand::Agent,
    UiCommand::NewHook,
    UiCommand::Copy,
    UiCommand::Quit,
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

/// Prints the commands of the open page and those of every page.
pub fn help(model: &Model) -> std::io::Result<()> {
    let page = screen_of(model.page);
    let named = |command: &UiCommand| BINDINGS.iter().find(|binding| binding.command == *command);
    let on_page = page.keys().iter().flat_map(|(commands, _)| *commands).filter_map(named);
    say(&format!("Commands of {}:", model.page.title()))?;
    on_page.filter(|binding| is_spoken(binding)).try_for_each(say_command)?;
    say("Commands of plain mode:")?;
    PLAIN_COMMANDS.iter().try_for_each(|(name, _, help)| say(&sentence(&format!("{name}: {help}"))))?;
    say("Pages:")?;
    BINDINGS.iter().filter(|binding| matches!(binding.command, UiCommand::Page(_))).try_for_each(say_command)?;
    say("Commands of every page:")?;
    EVERYWHERE.iter().filter_map(named).try_for_each(say_command)?;
    say("help all lists every command.")
}

/// Prints every command except the screen-only ones.
pub fn help_all() -> std::io::Result<()> {
    BINDINGS.iter().filter(|binding| is_spoken(binding)).try_for_each(say_command)?;
    PLAIN_COMMANDS.iter().try_for_each(|(name, _, help)| say(&sentence(&format!("{name}: {help}"))))
}

fn is_spoken(binding: &KeyBinding) -> bool {
    !SCREEN_ONLY.contains(&binding.command)
}

fn say_command(binding: &KeyBinding) -> std::io::Result<()> {
    say(&sentence(&format!("{}: {}", binding.name, binding.help)))
}

/// The command with this name, or the only one whose name begins with it.
pub fn command_of(name: &str) -> Option<UiCommand> {
    let exact = BINDINGS.iter().find(|b| b.name == name);
    let mut begin = BINDINGS.iter().filter(|b| b.name.starts_with(name));
    let only = || begin.next().filter(|_| begin.next().is_none());
    exact.or_else(only).map(|b| b.command)
}
