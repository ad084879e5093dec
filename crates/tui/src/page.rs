//! The pages of the screen. A page is a folder with an implementation of [`Screen`] and a line of [`pages!`] here.

use crate::bench::BenchScreen;
use crate::compare::CompareScreen;
use crate::events::EventsScreen;
use crate::files::FilesScreen;
use crate::intercept::InterceptScreen;
use crate::keymap::UiCommand;
use crate::matching::MatchScreen;
use crate::problems::ProblemsScreen;
use crate::screen::Screen;

/// Declares the pages in the order of their tabs.
macro_rules! pages {
    ($($(#[$doc:meta])* $page:ident: $screen:path,)*) => {
        /// A page of the screen.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub enum Page {
            $($(#[$doc])* $page,)*
        }

        impl Page {
            /// All pages.
            pub const ALL: &[Page] = &[$(Page::$page),*];

            /// The page's behaviour.
            pub(crate) fn screen(self) -> &'static dyn Screen {
                match self {
                    $(Page::$page => &$screen,)*
                }
            }
        }
    };
}

pages! {
    /// One event of one agent: its verdict, its hooks, their output.
    #[default]
    Bench: BenchScreen,
    /// One matcher, tested on every known name in every agent.
    Match: MatchScreen,
    /// Recorded events: search, mark, replay.
    Events: EventsScreen,
    /// The findings of lint for the hooks of all agents.
    Problems: ProblemsScreen,
    /// The same event in every agent.
    Compare: CompareScreen,
    /// The files that every agent reads.
    Files: FilesScreen,
    /// The held events of running agents. It has no tab because it is temporary.
    Intercept: InterceptScreen,
}

impl Page {
    /// The pages with a tab, from left to right.
    pub fn with_tab() -> impl Iterator<Item = Page> {
        Page::ALL.iter().copied().filter(|page| page.screen().has_tab())
    }

    /// The display name.
    pub fn title(self) -> &'static str {
        self.screen().title()
    }

    /// The command that opens the page; its key is shown in the tab.
    pub fn command(self) -> UiCommand {
        UiCommand::Page(self)
    }
}
