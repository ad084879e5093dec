//! Names of tools. Hooks get the names of Claude Code; matchers accept every name that one of the documents uses.

use hookbench_base::catalogue::{AgentTools, CatalogueTool, MatchExactness, catalogue};

/// The id in the catalogue.
const OWN: &str = "qwen-legacy";

/// All tools.
pub fn all() -> Option<&'static AgentTools> {
    catalogue().agent(OWN)
}

/// The tool with this name, if the name is exactly a known one.
pub fn by_name(name: &str) -> Option<&'static CatalogueTool> {
    let found = catalogue().resolve(name, all()?);
    found.tool.filter(|_| matches!(found.exactness, MatchExactness::Id | MatchExactness::Alias))
}

/// The tool with this name, if case, `_` and `-` are ignored.
pub fn by_similar_name(name: &str) -> Option<&'static CatalogueTool> {
    let found = catalogue().resolve(name, all()?);
    found.tool.filter(|_| found.exactness == MatchExactness::Loose)
}

/// The name that hooks get: `write_file` becomes `Write`. An unknown name is kept.
pub fn hook_name(name: &str) -> &str {
    by_name(name).map_or(name, |tool| tool.id)
}

/// The name in internal payloads: `Write` becomes `write_file`. An unknown name is kept.
pub fn internal_name(name: &str) -> &str {
    by_name(name).and_then(|tool| tool.aliases.first().copied()).unwrap_or(name)
}

/// The other names by which a matcher finds a tool.
pub fn aliases(name: &str) -> Vec<String> {
    by_name(name).map_or_else(Vec::new, |tool| tool.names().filter(|known| *known != name).map(str::to_owned).collect())
}

/// The keys of a tool's input that have to be there, each with its type.
pub fn required_input(tool: &str) -> &'static [(&'static str, &'static str)] {
    match tool {
        "Write" => &[("file_path", "string"), ("content", "string")],
        "Edit" => &[("file_path", "string"), ("old_string", "string"), ("new_string", "string")],
        "Bash" => &[("command", "string")],
        "Read" => &[("file_path", "string")],
        "TodoWrite" => &[("todos", "list")],
        "Grep" | "Glob" => &[("pattern", "string")],
        _ => &[],
    }
}

/// The key of the path in a tool's input, for tools whose path has had other keys.
pub fn path_key(tool: &str) -> Option<&'static str> {
    match tool {
        "Write" | "Edit" | "Read" | "NotebookEdit" => Some("file_path"),
        "Ls" => Some("path"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of both documents and of the fork's configuration, in both directions.
    #[test]
    fn names_of_the_documents() {
        for (hook, first, others) in [
            ("Write", "write_file", &[][..]),
            ("Edit", "edit", &["replace", "smart_replace"]),
            ("Bash", "run_shell_command", &["Shell", "execute_shell_command"]),
            ("TodoWrite", "todo_write", &["todoWrite"]),
            ("Read", "read_file", &[]),
            ("ReadManyFiles", "read_many_files", &[]),
            ("Grep", "grep_search", &["grep", "search_file_content"]),
            ("Glob", "glob", &[]),
            ("Ls", "ls", &["LS", "list_directory"]),
            ("WebSearch", "web_search", &[]),
            ("WebFetch", "web_fetch", &[]),
            ("Memory", "save_memory", &[]),
            ("Task", "task", &["Agent", "agent"]),
            ("ExitPlanMode", "exit_plan_mode", &[]),
            ("NotebookEdit", "edit_notebook", &["notebook_edit"]),
            ("mcp__s__t", "mcp__s__t", &[]),
            ("Unknown", "Unknown", &[]),
        ] {
            assert_eq!(internal_name(hook), first, "{hook}");
            for name in others.iter().chain([&first]) {
                assert_eq!(hook_name(name), hook, "{name}");
            }
        }
        assert_eq!(by_similar_name("bash").map(|tool| tool.id), Some("Bash"));
        assert_eq!(by_name("bash"), None);
    }
}
