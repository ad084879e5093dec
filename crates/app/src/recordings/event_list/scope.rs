//! The part of the recorded events that the list shows.

use hookbench_core::filter::{Filter, FilterTest};

/// The part of the recorded events that the list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EventScope {
    /// The events of one session, by its name.
    Session(String),
    /// The events of the open project, and of folders in it.
    #[default]
    Project,
    /// The events of all projects.
    All,
}

impl EventScope {
    /// The filter for these events. `project` is the folder of the open project.
    pub fn filter(&self, project: &str) -> Filter {
        match self {
            EventScope::Session(name) => Filter::Test(FilterTest::Session(name.clone())),
            EventScope::Project => Filter::Test(FilterTest::Project(project.to_owned())),
            EventScope::All => Filter::everything(),
        }
    }

    /// The scope after this one: session, project, all. `session` is the session of the selected event.
    #[must_use]
    pub fn next(&self, session: Option<String>) -> EventScope {
        match self {
            EventScope::Session(_) => EventScope::Project,
            EventScope::Project => EventScope::All,
            EventScope::All => session.map_or(EventScope::Project, EventScope::Session),
        }
    }
}
