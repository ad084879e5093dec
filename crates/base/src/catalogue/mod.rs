//! The tools of the agents, by every name that anybody has for them. It is data, one embedded file with a version and a
//! date; nothing else in the code knows which tools there are.

mod data;
mod resolve;
mod words;

pub use data::{AgentTools, Catalogue, McpForm, OtherName, Row, Tool, catalogue};
pub use resolve::{Exactness, MCP, OTHER, Resolved, foreign};
