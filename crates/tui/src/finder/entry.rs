//! An entry of the finder, and its effect.

use crate::guard_mode::GuardModeChange;
use crate::keymap::UiCommand;
use crate::theme::ThemeChoice;
use hookbench_app::{Command, EventListCommand};

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FinderEntry {
    pub label: String,
    pub key: String,
    pub about: String,
    /// The equivalent command line, or why the entry has no equivalent.
    pub equivalent: String,
    pub choice: FinderAction,
}

/// The effect of choosing an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinderAction {
    Verb(UiCommand),
    /// Goes to a hook, by its event and id.
    Hook {
        event: String,
        id: String,
    },
    Do(Vec<Command>),
    /// Does something with recorded events, on their page.
    Events(Box<EventListCommand>),
    /// Tests a matcher on the Match page.
    Matcher(String),
    /// Begins the argument of a command.
    Argument(&'static str),
    /// Shows the screen in a theme and keeps it.
    Theme(ThemeChoice),
    /// Shows the change of a guard's mode.
    GuardMode(GuardModeChange),
    /// Turns the log of runs on or off.
    LogRuns(bool),
}
