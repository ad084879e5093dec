//! Names of tools: those that payloads carry, the aliases that matchers may use for them, and names that only other agents
//! know (spec §3.1).

use hookbench_base::catalogue::{self, Exactness, catalogue};

/// This agent in the catalogue.
const OWN: &str = "codex";

/// Other names under which a matcher finds a tool.
pub fn aliases(tool: &str) -> Vec<String> {
    let own = catalogue().agent(OWN).and_then(|own| own.by_id(tool));
    own.map_or_else(Vec::new, |tool| tool.aliases.clone())
}

/// Tools whose input is one text, so that a rewrite must have a `command`.
pub fn takes_command(tool: &str) -> bool {
    matches!(tool, "Bash" | "apply_patch")
}

/// Tools of an MCP server, whose input must be an object.
pub fn is_mcp(tool: &str) -> bool {
    tool.starts_with("mcp__")
}

/// What a name that only other agents know stands for here.
pub enum Foreign {
    /// The tool that does the same.
    Is(&'static str),
    /// There is none.
    Lacking,
}

/// Nothing, when other agents do not know the name either.
pub fn foreign(name: &str) -> Option<Foreign> {
    if let Some((ours, _)) = catalogue::foreign(name, OWN) {
        return Some(Foreign::Is(ours));
    }
    let found = catalogue().resolve(name, catalogue().agent(OWN)?);
    let lacking = found.id.is_none() && found.exactness == Exactness::Alias;
    catalogue().owner(name, OWN).filter(|_| lacking).map(|_| Foreign::Lacking)
}
