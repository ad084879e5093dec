//! Tool names: the aliases that exact matchers may use (spec §4.3), and what other agents call the same tools.

use crate::shared::whitespace::trim;
use hookbench_base::catalogue::{self, AgentTools, Tool, catalogue};

/// This agent in the catalogue.
const OWN: &str = "qwen";

/// All tools of the agent.
fn own() -> Option<&'static AgentTools> {
    catalogue().agent(OWN)
}

/// The tool of that id.
pub fn by_id(id: &str) -> Option<&'static Tool> {
    own()?.by_id(id)
}

/// The other names that a matcher may use for a tool. An unknown tool (an MCP tool, say) has only its own name, trimmed
/// and without leading underscores.
pub fn aliases(name: &str) -> Vec<String> {
    if let Some(tool) = by_id(name) {
        return tool.aliases.clone();
    }
    let plain = trim(name).trim_start_matches('_');
    if plain == name || plain.is_empty() { Vec::new() } else { vec![plain.to_owned()] }
}

/// The name by which people know a tool best: the one that is another agent's own, else its first alias.
pub fn familiar(tool: &'static Tool) -> &'static str {
    let others = || catalogue().agents.iter().filter(|agent| agent.id != OWN);
    let known = tool.aliases.iter().find(|alias| others().any(|agent| agent.by_id(alias).is_some()));
    known.or_else(|| tool.aliases.first()).unwrap_or(&tool.id)
}

/// The id that does the work of a tool which only another agent has, and who that is.
pub fn foreign(name: &str) -> Option<(&'static str, &'static str)> {
    let (ours, whose) = catalogue::foreign(name, OWN)?;
    Some((ours, whose?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_the_programs_own() {
        let table: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/tables/qwen/tool-aliases.json")).unwrap();
        let table = table.as_object().unwrap();
        assert_eq!(table.len(), own().unwrap().tools.len());
        for (id, names) in table {
            let mut ours = vec![id.clone()];
            ours.extend(aliases(id));
            assert_eq!(serde_json::json!(ours), *names, "{id}");
        }
    }

    #[test]
    fn unknown_tools_have_only_themselves() {
        for (name, want) in [("mcp__srv__tool", vec![]), ("__x", vec!["x"]), (" y ", vec!["y"]), ("_", vec![])] {
            assert_eq!(aliases(name), want, "{name}");
        }
        assert_eq!(by_id("run_shell_command").map(familiar), Some("Bash"));
        assert_eq!(by_id("edit").map(familiar), Some("Edit"));
    }
}
