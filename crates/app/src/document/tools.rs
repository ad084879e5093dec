//! The document of `tools`.

use serde::Serialize;

use hookbench_core::catalogue::{AgentTools, Catalogue, CatalogueRow, CatalogueTool, ResolvedTool, UnmatchedName};
use hookbench_core::dialects::{self, Agent};

/// The tools of some agents, or the meaning of one name in them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolsDoc {
    /// `tools/1`.
    pub schema: &'static str,
    /// The version of the catalogue.
    pub version: u32,
    /// The day when the catalogue was last checked against the agents.
    pub checked_on: String,
    /// The requested name; null for the whole catalogue.
    pub name: Option<String>,
    /// The kinds of work that tools do, independent of the agent.
    pub rows: Vec<CatalogueRow>,
    pub agents: Vec<AgentToolsDoc>,
}

/// The tools of one agent; if a name was requested, only the entries for that name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentToolsDoc {
    pub agent: String,
    pub name: String,
    pub version: String,
    /// The name format of MCP servers' tools.
    pub mcp: String,
    /// Whether patterns are matched against aliases too.
    pub aliases_in_patterns: bool,
    pub tools: Vec<CatalogueTool>,
    /// Current or former names of the agent's tools that its matchers do not accept.
    pub others: Vec<UnmatchedName>,
    /// The meaning of the requested name in this agent; null if none was requested.
    pub answer: Option<ToolAnswerDoc>,
}

/// The meaning of a name in one agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolAnswerDoc {
    /// A row of `rows`, or `mcp` or `other`.
    pub canonical: String,
    /// The runtime id; null if the agent has no such tool.
    pub id: Option<String>,
    /// `id`, `alias`, `mcp`, `loose` or `unknown`.
    pub exactness: &'static str,
    /// Whether matchers accept the name as written.
    pub accepted: bool,
    /// Whether the name matches anyway as a pattern, because the runtime id contains it.
    pub inside: bool,
    /// Every name that matchers accept for the tool.
    pub matchers: Vec<String>,
    /// The tool that does the work if the agent has no tool for it.
    pub instead: Option<String>,
    pub says: String,
}

/// Builds the document of the whole catalogue, or of the meaning of `name`, in all agents or in `only` one.
pub fn tools_doc(all: &Catalogue, name: Option<&str>, only: Option<&str>) -> ToolsDoc {
    let released = |id: &str| dialects::by_id(id).is_some_and(Agent::is_released);
    let specified = all.specified.iter().filter(|agent| only == Some(agent.id) || released(agent.id));
    let agents: Vec<AgentToolsDoc> = all
        .agents
        .iter()
        .chain(specified)
        .filter(|agent| only.is_none_or(|id| agent.id == id))
        .map(|agent| match name {
            None => agent_doc(agent, agent.tools.to_vec(), agent.others.to_vec(), None),
            Some(name) => named(all, name, agent),
        })
        .collect();
    let meant = |row: &&CatalogueRow| {
        name.is_none() || agents.iter().filter_map(|a| a.answer.as_ref()).any(|a| a.canonical == row.canonical)
    };
    ToolsDoc {
        schema: "tools/1",
        version: all.version,
        checked_on: all.checked_on.to_owned(),
        name: name.map(str::to_owned),
        rows: all.rows.iter().filter(meant).cloned().collect(),
        agents,
    }
}

fn named(all: &Catalogue, name: &str, agent: &AgentTools) -> AgentToolsDoc {
    let found = all.resolve(name, agent);
    let others: Vec<UnmatchedName> = agent.others.iter().filter(|other| other.name == name).cloned().collect();
    let tools: Vec<CatalogueTool> = found.tool.into_iter().cloned().collect();
    agent_doc(agent, tools, others, Some(answer(all, name, agent, &found)))
}

fn answer(all: &Catalogue, name: &str, agent: &AgentTools, found: &ResolvedTool<'_>) -> ToolAnswerDoc {
    let own = found.tool.iter().flat_map(|tool| tool.names()).map(str::to_owned);
    let mcp = found.id.clone().filter(|_| found.tool.is_none());
    ToolAnswerDoc {
        canonical: found.canonical.to_owned(),
        id: found.id.clone(),
        exactness: found.exactness.word(),
        accepted: found.accepted,
        inside: found.matched_inside,
        matchers: own.chain(mcp).collect(),
        instead: found.instead.map(|tool| tool.id.to_owned()),
        says: all.describe(name, agent, found),
    }
}

fn agent_doc(
    agent: &AgentTools,
    tools: Vec<CatalogueTool>,
    others: Vec<UnmatchedName>,
    answer: Option<ToolAnswerDoc>,
) -> AgentToolsDoc {
    AgentToolsDoc {
        agent: agent.id.to_owned(),
        name: agent.name.to_owned(),
        version: agent.version.to_owned(),
        mcp: agent.mcp.form.to_owned(),
        aliases_in_patterns: agent.aliases_in_patterns,
        tools,
        others,
        answer,
    }
}
