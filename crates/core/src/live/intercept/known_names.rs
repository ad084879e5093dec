//! The names that a breakpoint may have: events and tools of any agent, so that a misspelled one is not accepted.

use super::breakpoint::event_named;
use crate::catalogue::catalogue;
use crate::dialects::{self, default_version};
use crate::live::{agents, live_form, wire_event};
use crate::text::nearest;

/// Returns the wire name of an event in any spelling, of this agent or of any.
///
/// # Errors
/// Returns a message with a suggestion if no agent has the event.
pub fn known_event(agent: Option<&str>, spelled: &str) -> Result<String, String> {
    let whose = agent.and_then(dialects::by_id).map_or("no agent", |dialect| dialect.name());
    let names = event_names(agent);
    if let Some(event) = event_named(agent, spelled).filter(|event| names.iter().any(|(_, wire)| wire == event)) {
        return Ok(event);
    }
    let own: Vec<&str> = names.iter().flat_map(|(own, wire)| [own.as_str(), wire.as_str()]).collect();
    let help = nearest(spelled, &own)
        .map_or_else(|| "`hookbench events` lists all events".to_owned(), |near| format!("did you mean {near}?"));
    let has = if agent.is_some() { "has no event" } else { "has an event" };
    Err(format!("{whose} {has} {spelled}; {help}"))
}

/// Checks the name of a tool, in the words of any agent. Tools of MCP servers have any names.
///
/// # Errors
/// Returns a message with a suggestion if no agent has an event or a tool with this name.
pub fn check_tool(spelled: &str) -> Result<(), String> {
    let known = || catalogue().every_agent().flat_map(|agent| agent.tools).flat_map(|tool| tool.names());
    let rows = || catalogue().rows.iter().flat_map(|row| row.spellings.iter().copied().chain([row.canonical]));
    let is_known = || known().chain(rows()).any(|name| name == spelled);
    let resolves = || catalogue().every_agent().any(|agent| catalogue().resolve(spelled, agent).id.is_some());
    if spelled.contains("__") || is_known() || resolves() {
        return Ok(());
    }
    let events = event_names(None);
    let words: Vec<&str> = events.iter().flat_map(|(own, wire)| [own.as_str(), wire.as_str()]).collect();
    let tools: Vec<&str> = known().collect();
    match nearest(spelled, &words).or_else(|| nearest(spelled, &tools)) {
        Some(near) => Err(format!("no agent has an event or a tool {spelled}; did you mean {near}?")),
        // The tool of a server in an agent that writes `server-tool` or `server_tool`.
        None if spelled.contains(['-', '_']) => Ok(()),
        None => Err(format!(
            "no agent has an event or a tool {spelled}; `hookbench events` and `hookbench tools` list them"
        )),
    }
}

/// Every event: the agent's name, and the name on the wire.
fn event_names(agent: Option<&str>) -> Vec<(String, String)> {
    let asked = agents().filter(|id| agent.is_none_or(|agent| *id == agent));
    let dialects = asked.filter_map(|id| Some((dialects::by_id(id.as_str())?, live_form(id.as_str())?)));
    let events = dialects.flat_map(|(dialect, form)| {
        let of_agent = dialect.events(&default_version(dialect)).into_iter();
        of_agent.map(move |event| (event.name.to_owned(), wire_event(Some(form), event.name)))
    });
    events.collect()
}
