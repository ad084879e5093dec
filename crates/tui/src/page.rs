//! The pages of the screen: their names, keys and tabs. A page is a directory, a row of [`pages!`] here, and a line of
//! `page_registry`.

/// The tab of a page, and the command that opens the page.
#[derive(Debug, Clone, Copy)]
pub struct PageSpec {
    pub title: &'static str,
    /// The command's name in the configuration and in the command palette.
    pub command: &'static str,
    /// The default key.
    pub key: &'static str,
    pub help: &'static str,
    /// The equivalent command line.
    pub equivalent: &'static str,
    /// Whether the tab of the page keeps its name where room is short.
    pub has_tab: bool,
}

/// Declares the pages in the order of their tabs: title, command, key, help, equivalent, tab.
macro_rules! pages {
    ($($(#[$doc:meta])* $page:ident: $title:literal, $command:literal, $key:literal, $help:literal, $line:literal, $tab:literal;)*) => {
        /// A page of the screen.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub enum Page {
            $($(#[$doc])* $page,)*
        }

        impl Page {
            /// All pages.
            pub const ALL: &[Page] = &[$(Page::$page),*];

            /// The page's tab and command.
            pub fn spec(self) -> PageSpec {
                match self {
                    $(Page::$page => PageSpec {
                        title: $title,
                        command: $command,
                        key: $key,
                        help: $help,
                        equivalent: $line,
                        has_tab: $tab,
                    },)*
                }
            }
        }
    };
}

pages! {
    /// One event of one agent: its verdict, its hooks, their output.
    #[default]
    Bench: "Bench", "bench", "1", "one event of one agent", "hookbench plan EVENT", true;
    /// One matcher, tested on every known name in every agent.
    Match: "Match", "match", "2", "test one matcher in every agent while you type", "hookbench match --hook HOOK", true;
    /// Recorded events: search, mark, replay.
    Events: "Events", "recorded", "3", "list recorded events: filter, mark, replay", "hookbench db list", true;
    /// The findings of lint for the hooks of all agents.
    Problems: "Problems", "problems", "4", "list the problems of all hooks with their fixes", "hookbench lint", true;
    /// The same event in every agent.
    Compare: "Compare", "compare", "5", "compare one event in every agent", "hookbench plan EVENT --agent all", true;
    /// The files that every agent reads.
    Files: "Files", "files", "6", "list every settings file and what it contributes", "hookbench list", true;
    /// The guards and their findings. It is rarely open, so its tab shortens first.
    Guards:
        "Guards", "guards", "7", "judge the findings of guards, allow them", "hookbench guard list", false;
    /// The held events of running agents. Its tab keeps its name while it is open or an event is held.
    Intercept:
        "Intercept", "intercept", "i", "answer held events of running agents, set breakpoints",
        "hookbench serve --remote-decide", false;
}

impl Page {
    /// The display name.
    pub fn title(self) -> &'static str {
        self.spec().title
    }
}
