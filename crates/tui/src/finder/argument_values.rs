//! The commands of the palette that take an argument, with their known values.

use std::path::PathBuf;

use super::list::{ArgumentCommand, FinderAction, FinderEntry, OtherValue};
use crate::choices::unused_agents;
use crate::events::{replay_orders, session_words};
use crate::model::Model;
use crate::theme::ThemeChoice;
use hookbench_app::{Command, EventListCommand, ReplayOrder};
use hookbench_core::dialects::{self, NEVER_RELEASED};

/// All commands with an argument.
pub(super) fn argument_commands(model: &Model) -> Vec<ArgumentCommand> {
    let place = model.session.place();
    let other = OtherValue::Path { directory: PathBuf::from(&place.project), home: PathBuf::from(&place.home) };
    vec![
        ArgumentCommand {
            name: "import",
            form: "FILE",
            help: "import a file of events, or a session of this project",
            values: sessions(model),
            current: 0,
            other: Some(other),
        },
        ArgumentCommand {
            name: "agent",
            form: "NAME",
            help: "choose the agent",
            values: agents(model),
            current: 0,
            other: None,
        },
        ArgumentCommand {
            name: "events",
            form: "EVENT",
            help: "choose an event of the agent",
            values: events(model),
            current: 0,
            other: None,
        },
        ArgumentCommand {
            name: "match",
            form: "MATCHER",
            help: "test a matcher in every agent",
            values: Vec::new(),
            current: 0,
            other: Some(OtherValue::Matcher),
        },
        ArgumentCommand {
            name: "recorded",
            form: "FILTER",
            help: "list the recorded events that match a filter, such as ~t Bash & rm",
            values: Vec::new(),
            current: 0,
            other: Some(OtherValue::Filter),
        },
        ArgumentCommand {
            name: "theme",
            form: "NAME",
            help: "choose the colours of the screen; your choice is kept in config.toml",
            values: themes(model),
            current: ThemeChoice::names().position(|name| name == model.config.theme.name()).unwrap_or(0),
            other: None,
        },
        ArgumentCommand {
            name: "log",
            form: "on|off",
            help: "keep your runs for later days; your choice is kept in config.toml",
            values: log_choices(model),
            current: usize::from(model.config.log_runs),
            other: None,
        },
        ArgumentCommand {
            name: "replay",
            form: "WHICH",
            help: "replay the selected, the marked or the listed events, or a number",
            values: replays(model),
            current: 0,
            other: Some(OtherValue::Number),
        },
    ]
}

/// A known value.
fn value(label: impl Into<String>, about: impl Into<String>, choice: FinderAction) -> FinderEntry {
    FinderEntry { label: label.into(), key: String::new(), about: about.into(), equivalent: String::new(), choice }
}

fn themes(model: &Model) -> Vec<FinderEntry> {
    let about = |choice| if choice == model.config.theme { "your choice now" } else { "" };
    let of = |name| {
        let choice = ThemeChoice::from_name(name)?;
        Some(value(name, about(choice), FinderAction::Theme(choice)))
    };
    ThemeChoice::names().filter_map(of).collect()
}

fn log_choices(model: &Model) -> Vec<FinderEntry> {
    let about = |on| if on == model.config.log_runs { "your choice now" } else { "" };
    [("on", true), ("off", false)].map(|(name, on)| value(name, about(on), FinderAction::LogRuns(on))).to_vec()
}

fn agents(model: &Model) -> Vec<FinderEntry> {
    let of = |agent: &hookbench_app::AgentState| {
        let id = agent.dialect.id();
        value(id.as_str(), agent.dialect.name(), FinderAction::Do(vec![Command::ChooseAgent(id)]))
    };
    // An agent that was never released is found by its whole name only here.
    let specified = dialects::SPECIFIED.iter().map(|dialect| {
        let about = format!("{}, {NEVER_RELEASED}", dialect.name());
        value(dialect.id().as_str(), about, FinderAction::Do(vec![Command::ChooseAgent(dialect.id())]))
    });
    let released = model.session.agents().iter().filter(|agent| agent.dialect.is_released());
    let unused = unused_agents(model).map(|dialect| {
        let about = format!("{}, not used here", dialect.name());
        value(dialect.id().as_str(), about, FinderAction::Do(vec![Command::ChooseAgent(dialect.id())]))
    });
    released.map(of).chain(unused).chain(specified).collect()
}

fn events(model: &Model) -> Vec<FinderEntry> {
    let Some(agent) = model.session.current() else { return Vec::new() };
    let events = agent.dialect.events(&agent.version);
    let of = |event: &'static hookbench_core::hook::EventSpec| {
        value(event.name, event.about, FinderAction::Do(vec![Command::ChooseEvent(event.name.to_owned())]))
    };
    events.into_iter().map(of).collect()
}

fn sessions(model: &Model) -> Vec<FinderEntry> {
    let own = model.session.event_list().agent_sessions.iter().flatten();
    let of = |session: &hookbench_app::AgentSession| {
        let (label, about) = session_words(session);
        let import = EventListCommand::Import(session.file.clone());
        let name = session.file.file_name().map_or(label, |name| name.to_string_lossy().into_owned());
        value(name, about, FinderAction::Events(Box::new(import)))
    };
    own.map(of).collect()
}

fn replays(model: &Model) -> Vec<FinderEntry> {
    let of = |(label, about, which)| {
        value(label, about, FinderAction::Events(Box::new(EventListCommand::Replay(ReplayOrder::planned(which)))))
    };
    replay_orders(model).into_iter().map(of).collect()
}
