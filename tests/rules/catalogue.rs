//! The catalogue of tools: the meaning of a name in every agent (C-23 to C-26 of the compatibility list), its
//! description, and that the dialects use only tools in the catalogue.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::path::Path;

use hookbench::app::{InputRequest, build_input};
use hookbench::core::catalogue::{AgentTools, catalogue, find_foreign_tool};
use hookbench::core::config::{MemoryFiles, Place};
use hookbench::core::diagnostic::Diagnostic;
use hookbench::core::dialects;
use hookbench::core::text::{JsonSyntax, Node, SourceId, parse_json};

fn agent(id: &str) -> &'static AgentTools {
    catalogue().agent(id).expect("an agent of the catalogue")
}

#[test]
fn names_are_found_in_order() {
    for (name, id, canonical, runtime, exactness, accepted) in [
        // The id at run time.
        ("Bash", "claude", "shell", Some("Bash"), "id", true),
        ("run_shell_command", "qwen", "shell", Some("run_shell_command"), "id", true),
        ("replace", "gemini", "edit_file", Some("replace"), "id", true),
        ("apply_patch", "codex", "edit_file", Some("apply_patch"), "id", true),
        ("omni_clip_audio", "qwen", "other", Some("omni_clip_audio"), "id", true),
        ("agent", "qwen", "agent", Some("agent"), "id", true),
        // Aliases that the agent's matchers accept.
        ("Bash", "qwen", "shell", Some("run_shell_command"), "alias", true),
        ("replace", "qwen", "edit_file", Some("edit"), "alias", true),
        ("Task", "claude", "agent", Some("Agent"), "alias", true),
        ("Write", "codex", "write_file", Some("apply_patch"), "alias", true),
        ("Edit", "codex", "edit_file", Some("apply_patch"), "alias", true),
        ("Agent", "codex", "agent", Some("spawn_agent"), "alias", true),
        // Aliases that only the catalogue has.
        ("Bash", "gemini", "shell", Some("run_shell_command"), "alias", false),
        ("Edit", "gemini", "edit_file", Some("replace"), "alias", false),
        ("Write", "gemini", "write_file", Some("write_file"), "alias", false),
        ("write_file", "claude", "write_file", Some("Write"), "alias", false),
        ("apply_patch", "claude", "edit_file", Some("Edit"), "alias", false),
        ("MultiEdit", "claude", "edit_file", Some("Edit"), "alias", false),
        ("MultiEdit", "codex", "edit_file", Some("apply_patch"), "alias", false),
        ("shell", "gemini", "shell", Some("run_shell_command"), "alias", false),
        ("LS", "qwen", "list_dir", Some("list_directory"), "alias", false),
        ("LS", "claude", "list_dir", None, "alias", false),
        ("Task", "codex", "agent", Some("spawn_agent"), "alias", false),
        ("read_many_files", "qwen", "read_many", None, "alias", false),
        ("save_memory", "gemini", "memory", None, "alias", false),
        ("search_file_content", "gemini", "grep", Some("grep_search"), "alias", false),
        ("Read", "codex", "read_file", None, "alias", false),
        // MCP tools in both forms.
        ("mcp__mem__put", "claude", "mcp", Some("mcp__mem__put"), "mcp", true),
        ("mcp__a__b__c", "qwen", "mcp", Some("mcp__a__b__c"), "mcp", true),
        ("mcp__mem__put", "gemini", "mcp", Some("mcp_mem_put"), "mcp", false),
        ("mcp_mem_put", "gemini", "mcp", Some("mcp_mem_put"), "mcp", true),
        ("mcp_mem_put", "codex", "mcp", None, "mcp", false),
        ("mcp__mem", "claude", "other", None, "unknown", false),
        ("mcp__mem__", "gemini", "other", None, "unknown", false),
        ("mcp____put", "claude", "other", None, "unknown", false),
        ("mcp_mem", "gemini", "other", None, "unknown", false),
        // Names that differ in case, `_` and `-` only.
        ("bash", "claude", "shell", Some("Bash"), "loose", false),
        ("bash", "qwen", "shell", Some("run_shell_command"), "loose", false),
        ("Read-File", "gemini", "read_file", Some("read_file"), "loose", false),
        ("WEBSEARCH", "gemini", "web_search", Some("google_web_search"), "loose", false),
        ("multi_edit", "qwen", "edit_file", Some("edit"), "loose", false),
        // Unknown names, and names that only other agents have.
        ("Nonsense", "claude", "other", None, "unknown", false),
        ("", "qwen", "other", None, "unknown", false),
        ("lsp", "claude", "other", None, "unknown", false),
    ] {
        let found = catalogue().resolve(name, agent(id));
        let got = (found.canonical, found.id.as_deref(), found.exactness.word(), found.accepted);
        assert_eq!(got, (canonical, runtime, exactness, accepted), "{name} in {id}");
    }
    let parts = |name: &str, id: &str| catalogue().resolve(name, agent(id)).mcp;
    assert_eq!(parts("mcp__a__b__c", "claude"), Some(("a".to_owned(), "b__c".to_owned())));
    assert_eq!(parts("mcp_a_b", "gemini"), None, "does not separate the server from the tool");
}

/// The tool names of the project's original documents are understood in every agent (C-24).
#[test]
fn old_spellings_are_understood() {
    for (spelling, canonical) in [
        ("edit", "edit_file"),
        ("replace", "edit_file"),
        ("todo_write", "todo"),
        ("todoWrite", "todo"),
        ("ls", "list_dir"),
        ("Ls", "list_dir"),
        ("LS", "list_dir"),
        ("grep", "grep"),
        ("grep_search", "grep"),
        ("search_file_content", "grep"),
        ("task", "agent"),
        ("Task", "agent"),
        ("Shell", "shell"),
        ("ReadManyFiles", "read_many"),
        ("edit_notebook", "notebook"),
        ("smart_replace", "edit_file"),
        ("execute_shell_command", "shell"),
    ] {
        for agent in catalogue().agents {
            let found = catalogue().resolve(spelling, agent);
            assert_eq!(found.canonical, canonical, "{spelling} in {}", agent.id);
            assert!(matches!(found.exactness.word(), "id" | "alias"), "{spelling} in {}", agent.id);
        }
    }
}

/// The table of tools of the documents: what each name means, and the id in each agent.
#[test]
fn tools_of_the_documents_in_every_agent() {
    let agents = ["claude", "qwen", "gemini", "codex", "qwen-legacy"];
    for (names, canonical, ids) in [
        ("Write write_file", "write_file", "Write write_file write_file apply_patch Write"),
        ("Edit edit replace", "edit_file", "Edit edit replace apply_patch Edit"),
        ("Bash Shell run_shell_command", "shell", "Bash run_shell_command run_shell_command Bash Bash"),
        ("TodoWrite todo_write todoWrite write_todos", "todo", "TodoWrite todo_write write_todos - TodoWrite"),
        ("Read read_file", "read_file", "Read read_file read_file - Read"),
        ("ReadManyFiles read_many_files", "read_many", "- - read_many_files - ReadManyFiles"),
        ("Grep grep grep_search search_file_content", "grep", "Grep grep_search grep_search - Grep"),
        ("Glob glob", "glob", "Glob glob glob - Glob"),
        ("LS Ls ls list_directory", "list_dir", "- list_directory list_directory - Ls"),
        ("WebSearch web_search google_web_search", "web_search", "WebSearch web_search google_web_search - WebSearch"),
        ("WebFetch web_fetch", "web_fetch", "WebFetch web_fetch web_fetch - WebFetch"),
        ("Memory save_memory", "memory", "- save_memory - - Memory"),
        ("Agent Task agent task", "agent", "Agent agent invoke_agent spawn_agent Task"),
        ("ExitPlanMode exit_plan_mode", "exit_plan", "ExitPlanMode exit_plan_mode exit_plan_mode - ExitPlanMode"),
        ("NotebookEdit notebook_edit edit_notebook", "notebook", "NotebookEdit notebook_edit - - NotebookEdit"),
        ("mcp__s__t", "mcp", "mcp__s__t mcp__s__t mcp_s_t mcp__s__t mcp__s__t"),
    ] {
        for name in names.split(' ') {
            let found = agents.map(|id| catalogue().resolve(name, agent(id)));
            assert!(found.iter().all(|one| one.canonical == canonical), "{name}: {found:?}");
            let got: Vec<&str> = found.iter().map(|one| one.id.as_deref().unwrap_or("-")).collect();
            assert_eq!(got.join(" "), ids, "{name}");
        }
    }
}

#[test]
fn description_of_a_name() {
    for (name, id, want) in [
        ("Bash", "claude", "Bash"),
        ("Bash", "qwen", "run_shell_command (alias used: Bash)"),
        ("bash", "claude", "Bash (alias used: bash, which is only similar to its name)"),
        ("mcp__m__t", "claude", "mcp__m__t: the tool t of the MCP server m"),
        ("mcp__m__t", "gemini", "mcp_m_t (alias used: mcp__m__t): the tool t of the MCP server m"),
        ("mcp_m_t", "gemini", "mcp_m_t: an MCP tool whose name does not separate the server from the tool"),
        ("mcp_m_t", "claude", "no such tool in Claude Code; its MCP tools are called mcp__<server>__<tool>"),
        (
            "LS",
            "claude",
            "no such tool in Claude Code; last known in an earlier version (LS), Qwen Code 0.24.4 (list_directory), \
             Gemini CLI 0.61.0 (list_directory)",
        ),
        (
            "ReadManyFiles",
            "claude",
            "no such tool in Claude Code; last known in Gemini CLI 0.61.0 (read_many_files); Read replaces it",
        ),
        (
            "ReadManyFiles",
            "qwen",
            "no such tool in Qwen Code; last known in an earlier version (read_many_files), Gemini CLI 0.61.0 (read_many_files); read_file replaces it",
        ),
        ("TaskOutput", "claude", "no such tool in Claude Code; last known in an earlier version (TaskOutput)"),
        ("lsp", "codex", "no such tool in Codex; last known in Qwen Code 0.24.4 (lsp)"),
        ("Nonsense", "codex", "no such tool in Codex; last known in no known agent"),
    ] {
        let agent = agent(id);
        assert_eq!(catalogue().describe(name, agent, &catalogue().resolve(name, agent)), want, "{name} in {id}");
    }
}

/// Names in matchers for which the intended tool is suggested.
#[test]
fn names_of_other_agents() {
    for (name, id, want) in [
        ("MultiEdit", "qwen", Some(("edit", Some("Claude Code")))),
        ("LS", "qwen", Some(("list_directory", Some("Claude Code")))),
        ("NotebookRead", "qwen", Some(("read_file", Some("Claude Code")))),
        ("BashOutput", "qwen", Some(("run_shell_command", Some("Claude Code")))),
        ("KillBash", "qwen", Some(("task_stop", Some("Claude Code")))),
        ("KillShell", "qwen", Some(("task_stop", Some("Claude Code")))),
        ("SlashCommand", "qwen", Some(("skill", Some("Claude Code")))),
        ("google_web_search", "qwen", Some(("web_search", Some("Gemini CLI")))),
        ("read_many_files", "qwen", Some(("read_file", Some("Gemini CLI")))),
        ("apply_patch", "qwen", Some(("edit", Some("Codex")))),
        ("shell", "qwen", Some(("run_shell_command", Some("Codex")))),
        ("local_shell", "qwen", Some(("run_shell_command", Some("Codex")))),
        ("update_plan", "qwen", Some(("todo_write", Some("Codex")))),
        ("Bash", "qwen", None),
        ("bash", "qwen", None),
        ("run_shell_command", "claude", Some(("Bash", Some("Qwen Code")))),
        ("exec_command", "claude", Some(("Bash", Some("Codex")))),
        ("read_many_files", "claude", Some(("Read", Some("Gemini CLI")))),
        ("edit_file", "claude", Some(("Edit", None))),
        ("MultiEdit", "claude", Some(("Edit", None))),
        ("ripGrep", "claude", Some(("Grep", None))),
        ("write_todos", "claude", Some(("TodoWrite", Some("Gemini CLI")))),
        ("save_memory", "claude", Some(("Write", Some("Qwen Code")))),
        ("list_directory", "claude", None),
        ("Bash", "gemini", Some(("run_shell_command", Some("Claude Code")))),
        ("LS", "gemini", Some(("list_directory", Some("Claude Code")))),
        ("AskUserQuestion", "gemini", Some(("ask_user", Some("Claude Code")))),
        ("edit", "gemini", Some(("replace", Some("Qwen Code")))),
        ("web_search", "gemini", Some(("google_web_search", Some("Qwen Code")))),
        ("apply_patch", "gemini", Some(("replace", Some("Codex")))),
        ("update_plan", "gemini", Some(("write_todos", Some("Codex")))),
        ("unified_exec", "codex", Some(("Bash", None))),
        ("run_shell_command", "codex", Some(("Bash", Some("Qwen Code")))),
        ("NotebookEdit", "codex", Some(("apply_patch", Some("Claude Code")))),
        ("Task", "codex", Some(("spawn_agent", Some("Claude Code")))),
        ("Subagent", "codex", Some(("spawn_agent", None))),
        ("Write", "codex", None),
        ("Read", "codex", None),
        ("Bash", "droid", Some(("Execute", Some("Claude Code")))),
        ("Write", "droid", Some(("Create", Some("Claude Code")))),
        ("run_shell_command", "droid", Some(("Execute", Some("Qwen Code")))),
        ("replace", "droid", Some(("Edit", Some("Gemini CLI")))),
        ("Edit", "droid", None),
        ("Edit", "claude", None),
        ("Task", "claude", None),
    ] {
        assert_eq!(find_foreign_tool(name, id), want, "{name} in {id}");
    }
}

/// The tools that dialects list for display and in examples are in the catalogue.
#[test]
fn dialects_use_no_other_tools() {
    let place = Place { project: "/home/user/project".to_owned(), home: "/home/user".to_owned(), ..Place::default() };
    for dialect in dialects::ALL {
        let tools = agent(dialect.id().as_str());
        assert_eq!(tools.name, dialect.name());
        let version = dialects::default_version(dialect);
        assert_eq!(tools.version, version.to_string(), "the newest that is known of {}", tools.name);
        let mut seen = 0;
        let about_tools = dialect.events(&version).into_iter().find(|e| e.subject == Some("tool_name")).unwrap();
        for tool in tools.tools {
            let body = serde_json::json!({"hook_event_name": about_tools.name, "tool_name": tool.id});
            let aliases = dialect.subject(about_tools, &body, &version).aliases;
            assert_eq!(aliases, tool.aliases, "{}: other names of {}", tools.id, tool.id);
        }
        for event in dialect.events(&version).into_iter().filter(|e| e.subject == Some("tool_name")) {
            for subject in event.subjects {
                assert!(tools.by_id(subject).is_some(), "{}: {} matches {subject}", tools.id, event.name);
                seen += 1;
            }
            for example in dialect.examples(event, &place, &version) {
                let name = example.body["tool_name"].as_str().unwrap().to_owned();
                let known = tools.by_id(&name).is_some() || name.starts_with("mcp");
                assert!(known, "{}: {} has an example of {name}", tools.id, event.name);
                seen += 1;
            }
        }
        assert!(seen > 10, "{} has tools", tools.id);
    }
}

/// A tool name from the user is replaced by the agent's own, with a note.
#[test]
fn tools_that_users_name() {
    for (agent, given, fired, code, says) in [
        ("claude", "Bash", "Bash", None, ""),
        ("claude", "mcp__mem__put", "mcp__mem__put", None, ""),
        ("claude", "bash", "Bash", Some("tool/alias"), "the tool is Bash (alias used: bash"),
        ("claude", "Task", "Agent", Some("tool/alias"), "the tool is Agent (alias used: Task)"),
        ("claude", "replace", "Edit", Some("tool/alias"), "the tool is Edit (alias used: replace)"),
        ("claude", "Basg", "Basg", Some("tool/unknown"), "has no tool \"Basg\"; did you mean Bash?"),
        ("claude", "Zzzzzzzz", "Zzzzzzzz", Some("tool/unknown"), "has no known tool \"Zzzzzzzz\""),
        ("claude", "LS", "LS", Some("tool/unknown"), "\"LS\": no such tool in Claude Code; last known in"),
        ("qwen", "Bash", "run_shell_command", Some("tool/alias"), "run_shell_command (alias used: Bash)"),
        ("gemini", "Bash", "run_shell_command", Some("tool/alias"), "run_shell_command (alias used: Bash)"),
        ("gemini", "ls", "list_directory", Some("tool/alias"), "list_directory (alias used: ls)"),
        ("gemini", "mcp__mem__put", "mcp_mem_put", Some("tool/alias"), "mcp_mem_put (alias used: mcp__mem__put)"),
        ("codex", "Edit", "apply_patch", Some("tool/alias"), "apply_patch (alias used: Edit)"),
        ("droid", "Bash", "Execute", Some("tool/alias"), "Execute (alias used: Bash)"),
        ("droid", "Write", "Create", Some("tool/alias"), "Create (alias used: Write)"),
        ("codex", "Read", "Read", Some("tool/unknown"), "\"Read\": no such tool in Codex; last known in"),
    ] {
        let (got, notes) = fired_as(agent, given);
        let note = notes.iter().find(|n| n.code.as_str().starts_with("tool/"));
        assert_eq!((got.as_str(), note.map(|n| n.code.as_str())), (fired, code), "{agent} {given}");
        assert!(note.is_none_or(|n| n.message.contains(says)), "{agent} {given}: {note:?}");
    }
}

/// Every spelling that users are known to write, in the order of the agents.
#[test]
fn spellings_that_users_use() {
    for (given, want) in [
        ("edit", ["Edit", "edit", "replace", "apply_patch"]),
        ("smart_replace", ["Edit", "edit", "replace", "apply_patch"]),
        ("execute_shell_command", ["Bash", "run_shell_command", "run_shell_command", "Bash"]),
        ("Shell", ["Bash", "run_shell_command", "run_shell_command", "Bash"]),
        ("todoWrite", ["TodoWrite", "todo_write", "write_todos", "todoWrite"]),
        ("Ls", ["Ls", "list_directory", "list_directory", "Ls"]),
        ("search_file_content", ["Grep", "grep_search", "grep_search", "search_file_content"]),
        ("task", ["Agent", "agent", "invoke_agent", "spawn_agent"]),
        ("edit_notebook", ["NotebookEdit", "notebook_edit", "edit_notebook", "edit_notebook"]),
        ("ReadManyFiles", ["ReadManyFiles", "ReadManyFiles", "read_many_files", "ReadManyFiles"]),
    ] {
        let got: Vec<String> = dialects::ALL.iter().map(|d| fired_as(d.id().as_str(), given).0).collect();
        assert_eq!(got, want, "{given}");
    }
}

/// Returns the tool in the payload that is fired for this name before a tool runs, and the diagnostics about it.
fn fired_as(agent: &'static str, given: &str) -> (String, Vec<Diagnostic>) {
    let dialect = dialects::by_id(agent).unwrap();
    let version = dialects::default_version(dialect);
    let events = dialect.events(&version);
    let before = events.iter().find(|e| e.subject == Some("tool_name") && e.blockable_action.is_some()).unwrap();
    let request = InputRequest {
        agent: Some(dialect.id()),
        event: Some(before.name.to_owned()),
        tool: Some(given.to_owned()),
        ..InputRequest::default()
    };
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    let built = build_input(&request, &place, &MemoryFiles::default(), &|_| version.clone()).unwrap();
    (built.input.body["tool_name"].as_str().unwrap().to_owned(), built.diagnostics)
}

/// The keys that an object has twice, at any depth.
fn doubled_keys(node: &Node, found: &mut Vec<String>) {
    let members = node.members().unwrap_or_default();
    let keys = members.iter().map(|member| &member.key);
    found.extend(
        keys.clone()
            .enumerate()
            .filter(|(at, key)| keys.clone().take(*at).any(|one| one == *key))
            .map(|(_, key)| key.clone()),
    );
    let inside = members.iter().map(|member| &member.value).chain(node.items().into_iter().flatten());
    inside.for_each(|node| doubled_keys(node, found));
}

/// Of a doubled key, one value is ignored without a word.
#[test]
#[allow(clippy::disallowed_methods, reason = "reads the data files")]
fn no_data_file_has_a_key_twice() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut directories = vec![root.join("assets"), root.join("crates/agents/src")];
    let (mut wrong, mut read) = (Vec::new(), 0);
    while let Some(directory) = directories.pop() {
        for path in std::fs::read_dir(&directory).unwrap().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|ending| ending == "json") {
                let text = std::fs::read_to_string(&path).unwrap();
                let mut doubled = Vec::new();
                doubled_keys(&parse_json(SourceId(0), &text, JsonSyntax::default()).unwrap(), &mut doubled);
                wrong.extend(doubled.into_iter().map(|key| format!("{}: {key}", path.display())));
                read += 1;
            }
        }
    }
    assert!(read > 50, "{read}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
