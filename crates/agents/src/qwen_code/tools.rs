//! Tool names: the aliases that exact matchers may use (spec §4.3), and the names that other agents use for the
//! same tools.

use crate::shared::javascript::trim;
use hookbench_base::catalogue::{self, AgentTools, CatalogueTool, catalogue};

/// Qwen Code's id in the catalogue.
const OWN: &str = "qwen";

/// Returns all tools of the agent.
fn own_tools() -> Option<&'static AgentTools> {
    catalogue().agent(OWN)
}

/// Returns the tool with this id.
pub fn by_id(id: &str) -> Option<&'static CatalogueTool> {
    own_tools()?.by_id(id)
}

/// Returns the other names that a matcher may use for a tool. The only alias of an unknown tool, such as an MCP
/// tool, is its name trimmed and without leading underscores.
pub fn aliases(name: &str) -> Vec<String> {
    if let Some(tool) = by_id(name) {
        return tool.aliases.iter().map(|alias| (*alias).to_owned()).collect();
    }
    let plain = trim(name).trim_start_matches('_');
    if plain == name || plain.is_empty() { Vec::new() } else { vec![plain.to_owned()] }
}

/// Returns the most familiar name of a tool: an alias that is another agent's own name, or its first alias.
pub fn familiar_name(tool: &'static CatalogueTool) -> &'static str {
    let others = || catalogue().agents.iter().filter(|agent| agent.id != OWN);
    let known = tool.aliases.iter().find(|alias| others().any(|agent| agent.by_id(alias).is_some()));
    known.or_else(|| tool.aliases.first()).unwrap_or(&tool.id)
}

/// Translates another agent's tool name: returns the id of the equivalent tool, and that agent.
pub fn foreign(name: &str) -> Option<(&'static str, &'static str)> {
    let (ours, whose) = catalogue::find_foreign_tool(name, OWN)?;
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
        assert_eq!(table.len(), own_tools().unwrap().tools.len());
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
        assert_eq!(by_id("run_shell_command").map(familiar_name), Some("Bash"));
        assert_eq!(by_id("edit").map(familiar_name), Some("Edit"));
    }
}
