//! The part of the recorded events that the list shows.

use hookbench_core::filter::{Filter, FilterTest};

/// The part of the recorded events that the list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ListScope {
    /// The events of one session, by its name.
    Session(String),
    /// The events of the open project, and of folders in it.
    #[default]
    Project,
    /// The events of all projects.
    All,
}

impl ListScope {
    /// The filter for these events. `project` is the folder of the open project.
    pub fn filter(&self, project: &str) -> Filter {
        match self {
            ListScope::Session(name) => Filter::Test(FilterTest::Session(name.clone())),
            ListScope::Project => Filter::Test(FilterTest::Project(project.to_owned())),
            ListScope::All => Filter::everything(),
        }
    }

    /// The scope after this one: session, project, all. `session` is the session of the selected event.
    #[must_use]
    pub fn next(&self, session: Option<String>) -> ListScope {
        match self {
            ListScope::Session(_) => ListScope::Project,
            ListScope::Project => ListScope::All,
            ListScope::All => session.map_or(ListScope::Project, ListScope::Session),
        }
    }
}
