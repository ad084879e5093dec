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

/// The events of a filter without stored replays. A replay repeats an event, so it is listed only on request.
pub fn without_replays(filter: Filter) -> Filter {
    let replay = Filter::Not(Box::new(Filter::Test(FilterTest::Replay)));
    match filter.as_constant() {
        Some(true) => replay,
        _ => Filter::All(vec![filter, replay]),
    }
}

/// Whether stored replays are a part of a filter's condition.
pub fn mentions_replays(filter: &Filter) -> bool {
    match filter {
        Filter::Test(test) => *test == FilterTest::Replay,
        Filter::Not(inner) => mentions_replays(inner),
        Filter::All(parts) | Filter::Any(parts) => parts.iter().any(mentions_replays),
    }
}
