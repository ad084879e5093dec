//! The names known to occur on an event of an agent.

use serde_json::json;

use crate::catalogue::catalogue;
use crate::convert::mcp_name;
use crate::hook::{EventSpec, Subject};
use crate::matcher::server_tools_in;
use crate::port::AgentVersion;

/// The subject key of tool events.
const TOOL: &str = "tool_name";
/// The server and the tool of the example MCP tool.
const EXAMPLE: (&str, &str) = ("server", "tool");

/// Whether an event is about a tool.
pub fn about_tools(event: &EventSpec) -> bool {
    event.subject == Some(TOOL)
}

/// Returns the names in the agent's own order.
pub fn known(side: &AgentVersion, event: &EventSpec) -> Vec<String> {
    if about_tools(event)
        && let Some(own) = catalogue().agent(side.dialect.id().as_str())
    {
        return own.tools.iter().map(|tool| tool.id.to_owned()).collect();
    }
    let closed = event.fields.iter().find(|field| Some(field.name) == event.subject).map(|field| field.values);
    let all = closed.filter(|values| !values.is_empty()).unwrap_or(event.subjects);
    all.iter().map(|value| (*value).to_owned()).collect()
}

/// Returns an example MCP tool name in the agent's form.
pub fn example(side: &AgentVersion, event: &EventSpec) -> Option<String> {
    let own = catalogue().agent(side.dialect.id().as_str()).filter(|_| about_tools(event))?;
    Some(mcp_name(own, EXAMPLE.0, EXAMPLE.1))
}

/// Returns the MCP tools that a matcher writes out in the agent's form.
pub fn server_tools(side: &AgentVersion, event: &EventSpec, matcher: &str) -> Vec<String> {
    let own = catalogue().agent(side.dialect.id().as_str()).filter(|_| about_tools(event));
    own.map(|own| server_tools_in(matcher, own)).unwrap_or_default()
}

/// Whether a name has the form of an MCP tool in an agent.
pub fn is_server_tool(side: &AgentVersion, event: &EventSpec, name: &str) -> bool {
    about_tools(event) && catalogue().agent(side.dialect.id().as_str()).is_some_and(|own| own.is_server_tool(name))
}

/// Returns the value that matchers are compared with when this name occurs.
pub fn subject(side: &AgentVersion, event: &EventSpec, name: &str) -> Subject {
    let Some(key) = event.subject else { return Subject::default() };
    side.dialect.subject(event, &json!({ key: name }), &side.version)
}
