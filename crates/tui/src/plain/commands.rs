//! The commands of plain mode: those of the key table except screen-only ones, and names for the panes.

use super::say;
use super::words::sentence;
use crate::keymap::{BINDINGS, Binding, Verb};
use crate::model::Tab;

/// Commands in addition to those of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    /// A tab of the selected hook.
    Pane(Tab),
    /// All hooks of the event.
    Hooks,
    /// Repeats the last description of the event.
    Again,
    /// Chooses another event.
    Events,
}

/// Their names and descriptions.
pub const MORE: [(&str, More, &str); 8] = [
    ("hooks", More::Hooks, "every hook of this event, and what becomes of it"),
    ("stdin", More::Pane(Tab::Stdin), "what the selected hook is given"),
    ("stdout", More::Pane(Tab::Stdout), "what it has printed"),
    ("stderr", More::Pane(Tab::Stderr), "what it has printed as errors"),
    ("decision", More::Pane(Tab::Decision), "what the agent makes of its answer"),
    ("process", More::Pane(Tab::Process), "how it is started"),
    ("events", More::Events, "the same as template"),
    ("again", More::Again, "the event and what comes of it, once more"),
];

/// Commands that only work on a screen.
pub const ON_A_SCREEN: [Verb; 15] = [
    Verb::Left,
    Verb::Right,
    Verb::NextPane,
    Verb::PreviousPane,
    Verb::PageUp,
    Verb::PageDown,
    Verb::Mode,
    Verb::Search,
    Verb::NextMatch,
    Verb::PreviousMatch,
    Verb::Zoom,
    Verb::Grow,
    Verb::Shrink,
    Verb::ResetLayout,
    Verb::Mouse,
];

/// Prints every command except the screen-only ones.
pub fn help() -> std::io::Result<()> {
    let told = |b: &&Binding| !ON_A_SCREEN.contains(&b.verb);
    BINDINGS.iter().filter(told).try_for_each(|b| say(&sentence(&format!("{}: {}", b.name, b.help))))?;
    MORE.iter().try_for_each(|(name, _, help)| say(&sentence(&format!("{name}: {help}"))))
}

/// The command with this name, or the only one whose name begins with it.
pub fn verb_of(name: &str) -> Option<Verb> {
    let exact = BINDINGS.iter().find(|b| b.name == name);
    let mut begin = BINDINGS.iter().filter(|b| b.name.starts_with(name));
    let only = || begin.next().filter(|_| begin.next().is_none());
    exact.or_else(only).map(|b| b.verb)
}
