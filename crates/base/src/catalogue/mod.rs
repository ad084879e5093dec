//! The tools of the agents, under all their names. The table is data: one embedded file with a version and a date.
//! No other part of the code knows which tools exist.

mod data;
mod resolve;
mod words;

pub use data::{AgentTools, Catalogue, McpForm, OtherName, Row, Tool, catalogue};
pub use resolve::{Exactness, MCP, OTHER, Resolved, foreign};
