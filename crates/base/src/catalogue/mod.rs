//! The tools of the agents, under all their names. The table is data: one embedded file with a version and a date.
//! No other part of the code knows which tools exist.

mod data;
mod resolve;

pub use data::{AgentTools, Catalogue, CatalogueRow, CatalogueTool, McpNaming, UnmatchedName, catalogue};
pub use resolve::{MCP, MatchExactness, OTHER, ResolvedTool, find_foreign_tool};
