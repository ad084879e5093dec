//! Tool names: the aliases that exact matchers may use (spec §4.3), and what other agents call the same tools.

use super::tool_table::{TOOLS, Tool};
use crate::core::dialects::shared::whitespace::trim;

/// The tool of that id.
pub fn by_id(id: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.id == id)
}

/// The other names that a matcher may use for a tool. An unknown tool (an MCP tool, say) has only its own name, trimmed
/// and without leading underscores.
pub fn aliases(name: &str) -> Vec<String> {
    if let Some(tool) = by_id(name) {
        return tool.aliases.iter().map(|a| (*a).to_owned()).collect();
    }
    let plain = trim(name).trim_start_matches('_');
    if plain == name || plain.is_empty() { Vec::new() } else { vec![plain.to_owned()] }
}

/// The name by which people know a tool best: the one of permission rules where there is one, else its first alias.
pub fn familiar(tool: &Tool) -> &'static str {
    const FAMILIAR: [&str; 4] = ["Bash", "Write", "Read", "TodoWrite"];
    let known = tool.aliases.iter().find(|alias| FAMILIAR.contains(alias));
    known.or_else(|| tool.aliases.first()).copied().unwrap_or(tool.id)
}

/// The id that does the work of a tool which only another agent has.
pub fn foreign(name: &str) -> Option<(&'static str, &'static str)> {
    const FOREIGN: [(&str, &str, &str); 14] = [
        ("MultiEdit", "edit", "Claude Code"),
        ("LS", "list_directory", "Claude Code"),
        ("NotebookRead", "read_file", "Claude Code"),
        ("BashOutput", "run_shell_command", "Claude Code"),
        ("KillBash", "task_stop", "Claude Code"),
        ("KillShell", "task_stop", "Claude Code"),
        ("SlashCommand", "skill", "Claude Code"),
        ("search_file_content", "grep_search", "Gemini CLI"),
        ("google_web_search", "web_search", "Gemini CLI"),
        ("read_many_files", "read_file", "Gemini CLI"),
        ("apply_patch", "edit", "Codex"),
        ("shell", "run_shell_command", "Codex"),
        ("local_shell", "run_shell_command", "Codex"),
        ("update_plan", "todo_write", "Codex"),
    ];
    FOREIGN.iter().find(|(theirs, _, _)| *theirs == name).map(|(_, ours, agent)| (*ours, *agent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_the_programs_own() {
        let table: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/tables/qwen/tool-aliases.json")).unwrap();
        let table = table.as_object().unwrap();
        assert_eq!(table.len(), TOOLS.len());
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
