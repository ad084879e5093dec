//! The pages of the screen. A page is a folder with a [`Screen`] and a line of [`pages!`] here.

use crate::keymap::UiCommand;
use crate::screen::Screen;
use crate::{bench, compare, events, files, intercept, matching, problems};

/// Declares the pages in the order of their tabs, each with its folder.
macro_rules! pages {
    ($($(#[$doc:meta])* $page:ident: $folder:ident,)*) => {
        /// A page of the screen.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub enum Page {
            $($(#[$doc])* $page,)*
        }

        impl Page {
            /// All pages.
            pub const ALL: &[Page] = &[$(Page::$page),*];

            /// The parts of the page.
            pub(crate) fn screen(self) -> &'static Screen {
                match self {
                    $(Page::$page => &$folder::SCREEN,)*
                }
            }
        }
    };
}

pages! {
    /// One event of one agent: its verdict, its hooks, their output.
    #[default]
    Bench: bench,
    /// One matcher, tested on every known name in every agent.
    Match: matching,
    /// Recorded events: search, mark, replay.
    Events: events,
    /// The findings of lint for the hooks of all agents.
    Problems: problems,
    /// The same event in every agent.
    Compare: compare,
    /// The files that every agent reads.
    Files: files,
    /// The held events of running agents. It has no tab because it is temporary.
    Intercept: intercept,
}

impl Page {
    /// The pages with a tab, from left to right.
    pub fn with_tab() -> impl Iterator<Item = Page> {
        Page::ALL.iter().copied().filter(|page| page.screen().has_tab)
    }

    /// The display name.
    pub fn title(self) -> &'static str {
        self.screen().title
    }

    /// The command that opens the page; its key is shown in the tab.
    pub fn command(self) -> UiCommand {
        UiCommand::Page(self)
    }
}
