//! Matchers with a name that has no effect in their agent: the finding before anything fires, and the cases without
//! a finding.

use serde_json::json;

use crate::sandbox::Sandbox;

/// Returns the code, the message and the help of the finding for a matcher.
fn finding_for(agent: &str, event: &str, matcher: &str) -> Option<(String, String, String)> {
    let sandbox = Sandbox::for_agent(agent);
    let hook = json!({"type": "command", "command": "true"});
    let settings = json!({"hooks": {event: [{"matcher": matcher, "hooks": [hook.clone(), hook]}]}});
    sandbox.settings(&serde_json::to_string_pretty(&settings).unwrap());
    let list = sandbox.run(&format!("list --agent {agent} --format json")).assert_status(0).json();
    let all = list["agents"][0]["diagnostics"].as_array().unwrap().clone();
    let about = |code: &str| ["HW301", "HW302", "HW305", "HW315"].contains(&code);
    let mut found = all.iter().filter(|d| about(d["code"].as_str().unwrap()));
    let first = found.next()?;
    assert!(found.next().is_none(), "a matcher is judged once, whatever it has hooks: {all:?}");
    assert_eq!((&first["severity"], &first["line"]), (&"warning".into(), &5.into()), "{first}");
    let text = |key: &str| first[key].as_str().unwrap().to_owned();
    Some((text("code"), text("message"), text("help")))
}

#[test]
fn names_that_do_not_count() {
    for (agent, matcher, code, says, tool) in [
        ("claude", "bash", "HW301", "\"bash\" differs from \"Bash\" in case, so it never matches Bash", "Bash"),
        ("claude", "replace", "HW302", "\"replace\" is Gemini CLI's name, so it never matches Edit", "Edit"),
        ("claude", "^run_shell_command$", "HW302", "name, so it never matches Bash", "Bash"),
        (
            "claude",
            "Bash|write_file",
            "HW302",
            "\"write_file\" is Qwen Code's name, so it never matches Write",
            "Write",
        ),
        ("qwen", "bash", "HW301", "\"bash\" differs from \"Bash\" in case", "run_shell_command"),
        (
            "qwen",
            "^Bash$",
            "HW315",
            "\"Bash\" is an alias of run_shell_command only as a plain name",
            "run_shell_command",
        ),
        ("qwen", "ls", "HW302", "so it never matches list_directory", "list_directory"),
        ("gemini", "Edit", "HW302", "\"Edit\" is Claude Code's name, so it never matches replace", "replace"),
        ("gemini", "Bash", "HW302", "\"Bash\" is Claude Code's name", "run_shell_command"),
        (
            "gemini",
            "(Edit|Write)",
            "HW302",
            "\"Edit\" is Claude Code's name, so it never matches replace; the same holds for \"Write\"",
            "replace for Edit, write_file for Write",
        ),
        ("gemini", "ls", "HW302", "so it never matches list_directory", "list_directory"),
        ("gemini", "mcp__mem__put", "HW305", "MCP tools are called mcp_<server>_<tool>", "mcp_mem_put"),
        ("codex", "bash", "HW301", "\"bash\" differs from \"Bash\" in case", "Bash"),
        ("codex", "run_shell_command", "HW302", "name, so it never matches Bash", "Bash"),
        ("codex", "Task", "HW302", "so it never matches spawn_agent", "spawn_agent"),
    ] {
        let found = finding_for(agent, "@tool", matcher);
        let Some((got, sentence, help)) = found else { panic!("nothing is said of {matcher:?} in {agent}") };
        assert_eq!(got, code, "{agent} {matcher}: {sentence}");
        assert!(sentence.contains(says), "{agent} {matcher}: {sentence}");
        let wanted = if tool.contains(" for ") { format!("write {tool}") } else { format!("write {tool} instead") };
        assert_eq!(help, wanted, "{agent} {matcher}");
    }
}

#[test]
fn plausible_matchers_have_no_findings() {
    for (agent, event, matchers) in [
        // In order: a correct matcher, one for several agents, patterns, unknown names, and matchers without a name.
        (
            "claude",
            "@tool",
            &["Edit|Write", "Edit|replace", "Task", "^Ba.*", "mcp__mem__put", "NoSuchTool", "*", ""][..],
        ),
        ("claude", "@start", &["bash", "replace"]),
        ("qwen", "@tool", &["Bash", "Edit|Write", "replace", "Bash|run_shell_command", "read", "(?!Edit).*"]),
        ("gemini", "@tool", &["replace", "write_file|Write", "read", "grep", "mcp_mem_put", "Bash|run_shell_command"]),
        ("gemini", "@start", &["Bash"]),
        ("codex", "@tool", &["Edit", "^Edit$", "apply_patch|Write", "Agent", "Bash|bash", "mcp__mem__put", "Wri.e"]),
        ("codex", "@prompt", &["bash"]),
    ] {
        for matcher in matchers {
            assert_eq!(finding_for(agent, event, matcher), None, "{agent} {event} {matcher:?}");
        }
    }
}
