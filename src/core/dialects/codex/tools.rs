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

/// What a name that only other agents know stands for here.
pub enum Foreign {
    /// The tool that does the same.
    Is(&'static str),
    /// There is none.
    Lacking,
}

/// Nothing, when other agents do not know the name either.
pub fn foreign(name: &str) -> Option<Foreign> {
    Some(match name {
        "exec_command" | "shell" | "local_shell" | "run_shell_command" | "unified_exec" => Foreign::Is("Bash"),
        "MultiEdit" | "NotebookEdit" | "write_file" | "edit" | "replace" | "write" => Foreign::Is("apply_patch"),
        "Task" | "Subagent" | "agent" => Foreign::Is("spawn_agent"),
        "Read" | "Grep" | "Glob" | "LS" | "WebFetch" | "WebSearch" | "read_file" | "grep_search" | "glob"
        | "list_directory" | "web_fetch" | "TodoWrite" => Foreign::Lacking,
        _ => return None,
    })
}
