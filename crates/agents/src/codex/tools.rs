//! Names of tools: those in payloads, their aliases in matchers, and names that only other agents know (spec
//! §3.1).

use hookbench_base::catalogue::{self, MatchExactness, catalogue};

/// Codex's id in the catalogue.
const OWN: &str = "codex";

/// Returns the other names by which a matcher finds a tool.
pub fn aliases(tool: &str) -> Vec<String> {
    let own = catalogue().agent(OWN).and_then(|own| own.by_id(tool));
    own.map_or_else(Vec::new, |tool| tool.aliases.iter().map(|alias| (*alias).to_owned()).collect())
}

/// Returns whether the tool's input is one text, so that a rewrite needs a `command`.
pub fn takes_command(tool: &str) -> bool {
    matches!(tool, "Bash" | "apply_patch")
}

/// Returns whether the tool belongs to an MCP server, so that its input must be an object.
pub fn is_mcp(tool: &str) -> bool {
    tool.starts_with("mcp__")
}

/// The meaning of a name that only other agents know.
pub enum ForeignTool {
    /// The equivalent tool of Codex.
    Equivalent(&'static str),
    /// Codex has no such tool.
    Missing,
}

/// Looks up another agent's tool name. Returns `None` if no other agent knows it either.
pub fn foreign(name: &str) -> Option<ForeignTool> {
    if let Some((ours, _)) = catalogue::find_foreign_tool(name, OWN) {
        return Some(ForeignTool::Equivalent(ours));
    }
    let found = catalogue().resolve(name, catalogue().agent(OWN)?);
    let lacking = found.id.is_none() && found.exactness == MatchExactness::Alias;
    catalogue().owner(name, OWN).filter(|_| lacking).map(|_| ForeignTool::Missing)
}
