//! `events`: the events of each agent, and their equivalents in the other agents.

use super::args::EventsArgs;
use super::error::CliError;
use super::print::{self, emit};
use hookbench_app::{ExitStatus, document, make_place, write_stderr};
use hookbench_core::dialects::{self, Agent, Version, VersionBasis};
use hookbench_core::port::{mapping, nearest_event};

/// An agent, and the version whose events are listed.
type ListedAgent = (&'static Agent, Version);

/// Runs `events`.
pub fn events(args: &EventsArgs) -> Result<ExitStatus, CliError> {
    let place = make_place(args.project.as_deref(), args.home.as_deref())?;
    let wanted: Vec<&'static Agent> = match args.agent.and_then(dialects::by_id) {
        Some(dialect) => vec![dialect],
        None => dialects::released().collect(),
    };
    let version = |dialect| version_to_list(dialect, args.agent_version.as_ref());
    let agents: Vec<ListedAgent> = wanted.into_iter().map(|dialect| (dialect, version(dialect))).collect();
    let doc = document::events_doc(&agents, &place, args.event.as_deref());
    if let Some(event) = args.event.as_ref().filter(|_| doc.agents.iter().all(|a| a.events.is_empty())) {
        let no_agent = mapping().row(event).filter(|row| !row.is_in_released_agent()).map(|row| row.no_agent_message());
        return Err(CliError::Usage(no_agent.unwrap_or_else(|| unknown_event_message(event, &agents))));
    }
    emit(args.format, &doc, || print::events(&doc, args.event.is_some()))
}

/// Returns the version to list: the requested one, or the newest whose behaviour is known.
fn version_to_list(dialect: &'static Agent, asked: Option<&Version>) -> Version {
    let meant = asked.cloned().unwrap_or_else(|| dialects::default_version(dialect));
    let (version, basis) = VersionBasis::of(dialect, meant);
    if let Some(sentence) = basis.sentence(dialect.name()) {
        write_stderr(sentence);
    }
    version
}

/// The error message for an event that none of these agents has: the version that has it, or a suggestion.
fn unknown_event_message(event: &str, agents: &[ListedAgent]) -> String {
    let whose = match agents {
        [(dialect, version)] => format!("{} {version} has no event \"{event}\"", dialect.name()),
        _ => format!("no agent has an event \"{event}\""),
    };
    let newer = agents.iter().find_map(|(dialect, _)| {
        let newest = dialects::default_version(dialect);
        dialects::find_event(dialect, &newest, event).map(|_| format!("{} {newest} has it", dialect.name()))
    });
    let near = || agents.iter().find_map(|(dialect, version)| nearest_event(dialect, version, event));
    let meant = || near().map(|near| format!("did you mean {near}?"));
    let rest = newer.or_else(meant).unwrap_or_else(|| "`hookbench events` lists all events".to_owned());
    format!("{whose}; {rest}")
}
