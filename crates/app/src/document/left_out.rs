//! Agents that a document leaves out.

use serde::Serialize;

use crate::session::Session;

/// An agent that is left out: a new hook cannot work in it, or it is not in use.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOutAgentDoc {
    pub agent: &'static str,
    pub reason: String,
}

/// The agents that a session leaves out. `None` if there are none.
pub fn left_out_agents(session: &Session) -> Option<Vec<LeftOutAgentDoc>> {
    let left_out = session.left_out_agents().into_iter();
    let left_out = left_out.map(|(agent, reason)| LeftOutAgentDoc { agent: agent.as_str(), reason });
    Some(left_out.collect()).filter(|left_out: &Vec<_>| !left_out.is_empty())
}
