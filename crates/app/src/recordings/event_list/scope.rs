//! The part of the recorded events that the list shows.

use hookbench_core::filter::{Filter, FilterTest};

/// The part of the recorded events that the list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EventListScope {
    /// The events of one session, by its name.
    Session(String),
    /// The events of the open project, and of directories in it.
    #[default]
    Project,
    /// The events of all projects.
    All,
}

impl EventListScope {
    /// The filter for these events. `project` is the directory of the open project.
    pub fn filter(&self, project: &str) -> Filter {
        match self {
            EventListScope::Session(name) => Filter::Test(FilterTest::Session(name.clone())),
            EventListScope::Project => Filter::Test(FilterTest::Project(project.to_owned())),
            EventListScope::All => Filter::everything(),
        }
    }

    /// The scope after this one: session, project, all. `session` is the session of the selected event.
    #[must_use]
    pub fn next(&self, session: Option<String>) -> EventListScope {
        match self {
            EventListScope::Session(_) => EventListScope::Project,
            EventListScope::Project => EventListScope::All,
            EventListScope::All => session.map_or(EventListScope::Project, EventListScope::Session),
        }
    }
}
