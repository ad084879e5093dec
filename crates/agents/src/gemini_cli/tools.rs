//! The tools of 0.61.0, their required keys, and the names that other agents use for them.

use serde_json::Value;

use crate::kernel::matching::foreign_tool;

/// One tool: its id, and the keys that a call must have.
pub struct ToolSchema {
    pub id: &'static str,
    pub required: &'static [&'static str],
}

const fn tool(id: &'static str, required: &'static [&'static str]) -> ToolSchema {
    ToolSchema { id, required }
}

/// The tools of the package, with the keys that their schemas require.
pub const TOOLS: &[ToolSchema] = &[
    tool("run_shell_command", &["command"]),
    tool("replace", &["file_path", "instruction", "old_string", "new_string"]),
    tool("write_file", &["file_path", "content"]),
    tool("read_file", &["file_path"]),
    tool("read_many_files", &["include"]),
    tool("list_directory", &["dir_path"]),
    tool("glob", &["pattern"]),
    tool("grep_search", &["pattern"]),
    tool("web_fetch", &["prompt"]),
    tool("google_web_search", &["query"]),
    tool("write_todos", &["todos"]),
    tool("ask_user", &["questions"]),
    tool("activate_skill", &["name"]),
    tool("get_internal_docs", &[]),
    tool("enter_plan_mode", &[]),
    tool("exit_plan_mode", &["plan_filename"]),
    tool("update_topic", &["strategic_intent"]),
    tool("read_mcp_resource", &["uri"]),
    tool("list_mcp_resources", &[]),
    tool("invoke_agent", &["agent_name", "prompt"]),
    tool("list_background_processes", &[]),
    tool("read_background_output", &["pid"]),
];

/// Returns the tool with this id.
pub fn by_id(id: &str) -> Option<&'static ToolSchema> {
    TOOLS.iter().find(|tool| tool.id == id)
}

/// Returns the first key that the tool's schema requires and the input lacks. `None` for tools that are not in the
/// table, such as MCP tools.
pub fn missing_key(tool: &str, input: &Value) -> Option<&'static str> {
    by_id(tool)?.required.iter().copied().find(|key| input.get(key).is_none())
}

/// Translates another agent's tool name: returns the id of the equivalent tool, and that agent.
pub fn foreign(name: &str) -> Option<(&'static str, &'static str)> {
    foreign_tool("gemini", name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_missing() {
        for (tool, input, want) in [
            ("write_file", json!({"content": "x"}), Some("file_path")),
            ("write_file", json!({"content": "", "file_path": null}), None),
            ("run_shell_command", json!({"cmd": "x"}), Some("command")),
            ("mcp_mem_put", json!({}), None),
        ] {
            assert_eq!(missing_key(tool, &input), want, "{tool} {input}");
        }
    }
}
