//! The names that are known to occur on an event of an agent.

use serde_json::json;

use crate::catalogue::catalogue;
use crate::convert::mcp_name;
use crate::hook::{EventSpec, Subject};
use crate::port::Side;

/// What tool events are about.
const TOOL: &str = "tool_name";
/// A tool of a server that stands for all of them.
const EXAMPLE: (&str, &str) = ("server", "tool");

/// Whether an event is about a tool.
pub fn about_tools(event: &EventSpec) -> bool {
    event.subject == Some(TOOL)
}

/// The names, in the agent's own order.
pub fn known(side: &Side, event: &EventSpec) -> Vec<String> {
    if about_tools(event)
        && let Some(own) = catalogue().agent(side.dialect.id())
    {
        return own.tools.iter().map(|tool| tool.id.clone()).collect();
    }
    let closed = event.fields.iter().find(|field| Some(field.name) == event.subject).map(|field| field.values);
    let all = closed.filter(|values| !values.is_empty()).unwrap_or(event.subjects);
    all.iter().map(|value| (*value).to_owned()).collect()
}

/// A name that stands for every tool of a server, as the agent calls them.
pub fn example(side: &Side, event: &EventSpec) -> Option<String> {
    let own = catalogue().agent(side.dialect.id()).filter(|_| about_tools(event))?;
    Some(mcp_name(own, EXAMPLE.0, EXAMPLE.1))
}

/// Whether a name has the form of a server's tool in an agent.
pub fn is_server_tool(side: &Side, event: &EventSpec, name: &str) -> bool {
    about_tools(event) && catalogue().agent(side.dialect.id()).is_some_and(|own| own.is_server_tool(name))
}

/// What a matcher is held against when this name occurs.
pub fn subject(side: &Side, event: &EventSpec, name: &str) -> Subject {
    let Some(key) = event.subject else { return Subject::default() };
    side.dialect.subject(event, &json!({ key: name }), &side.version)
}
