//! Names of tools: those that payloads carry, the aliases that matchers may use for them, and names that only other agents
//! know (spec §3.1).

/// Other names under which a matcher finds a tool.
pub fn aliases(tool: &str) -> &'static [&'static str] {
    match tool {
        "apply_patch" => &["Write", "Edit"],
        "spawn_agent" => &["Agent"],
        _ => &[],
    }
}

/// Tools whose input is one text, so that a rewrite must have a `command`.
pub fn takes_command(tool: &str) -> bool {
    matches!(tool, "Bash" | "apply_patch")
}

/// What a name that never occurs here stands for: the tool that does the same, where there is one, else nothing.
pub fn foreign(name: &str) -> Option<Option<&'static str>> {
    Some(match name {
        "exec_command" | "shell" | "local_shell" | "run_shell_command" | "unified_exec" => Some("Bash"),
        "MultiEdit" | "NotebookEdit" | "write_file" | "edit" | "replace" | "write" => Some("apply_patch"),
        "Task" | "Subagent" | "agent" => Some("spawn_agent"),
        "Read" | "Grep" | "Glob" | "LS" | "WebFetch" | "WebSearch" | "read_file" | "grep_search" | "glob"
        | "list_directory" | "web_fetch" | "TodoWrite" => None,
        _ => return None,
    })
}
