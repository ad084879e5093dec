//! The pages of the workbench. Each is a tab in the header, and has a key.

use crate::keymap::Verb;

/// What the screen is about. A page is here once it works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Page {
    /// One event of one agent: its verdict, its hooks, their bytes.
    #[default]
    Bench,
    /// One matcher, tried on everything in every agent.
    Match,
    /// What was recorded: searched, marked, fired again.
    Events,
    /// Everything that is found wrong with the hooks of all agents.
    Problems,
    /// The same event in every agent.
    Compare,
    /// What every agent looks at.
    Files,
    /// What is held of running agents. It has no tab: it comes and goes.
    Intercept,
}

impl Page {
    /// Those with a tab, from left to right.
    pub const ALL: [Page; 6] = [Page::Bench, Page::Match, Page::Events, Page::Problems, Page::Compare, Page::Files];

    /// For people.
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

    /// What opens it; its key stands in the tab.
    pub fn verb(self) -> Verb {
        Verb::Page(self)
    }
}
