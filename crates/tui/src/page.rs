//! The pages of the screen. Each has a key, and all but Intercept have a tab in the header.

use crate::keymap::UiCommand;

/// A page of the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Page {
    /// One event of one agent: its verdict, its hooks, their output.
    #[default]
    Bench,
    /// One matcher, tested on every known name in every agent.
    Match,
    /// Recorded events: search, mark, replay.
    Events,
    /// The findings of lint for the hooks of all agents.
    Problems,
    /// The same event in every agent.
    Compare,
    /// The files that every agent reads.
    Files,
    /// The held events of running agents. It has no tab because it is temporary.
    Intercept,
}

impl Page {
    /// The pages with a tab, from left to right.
    pub const ALL: [Page; 6] = [Page::Bench, Page::Match, Page::Events, Page::Problems, Page::Compare, Page::Files];

    /// The display name.
    pub fn title(self) -> &'static str {
        match self {
            Page::Bench => "Bench",
            Page::Match => "Match",
            Page::Events => "Events",
            Page::Problems => "Problems",
            Page::Compare => "Compare",
            Page::Files => "Files",
            Page::Intercept => "Intercept",
        }
    }

    /// The command that opens the page; its key is shown in the tab.
    pub fn command(self) -> UiCommand {
        UiCommand::Page(self)
    }
}
