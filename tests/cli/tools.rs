//! `hookbench tools`: the catalogue as text and JSON, and the meaning of one name.

use hookbench::core::catalogue::catalogue;
use serde_json::{Value, json};

use crate::outputs;
use crate::sandbox::Sandbox;

#[test]
fn the_catalogue_for_people() {
    let sandbox = Sandbox::new();
    let tools = |line: &str| sandbox.run(&format!("tools {line}")).assert_status(0);
    insta::assert_snapshot!("tools", outputs(&[tools(""), tools("--agent codex"), tools("--agent gemini")]));
    let names = ["Bash", "LS", "Task", "shell", "GREP", "ReadManyFiles", "exec_command", "mcp__a__b", "lsp"];
    let named: Vec<_> = names.iter().map(|name| tools(name)).collect();
    insta::assert_snapshot!("tools_named", outputs(&named));
}

#[test]
fn the_catalogue_for_scripts() {
    let sandbox = Sandbox::new();
    let tools = |line: &str| sandbox.run(&format!("tools {line} --format json")).assert_status(0).json();
    let all = tools("");
    assert_eq!((&all["schema"], &all["name"]), (&json!("tools/1"), &Value::Null));
    assert_eq!(all["rows"].as_array().unwrap().len(), catalogue().rows.len());
    for (agent, known) in all["agents"].as_array().unwrap().iter().zip(catalogue().agents) {
        assert_eq!(agent["tools"].as_array().unwrap().len(), known.tools.len(), "{}", known.id);
        assert_eq!((&agent["agent"], &agent["answer"]), (&json!(known.id), &Value::Null));
    }
    insta::assert_snapshot!(
        "tools_json",
        outputs(&[sandbox.run("tools Write --agent qwen --format json").assert_status(0)])
    );
    let one = tools("Bash --agent gemini");
    assert_eq!(one["agents"].as_array().unwrap().len(), 1);
    assert_eq!(one["agents"][0]["answer"]["id"], "run_shell_command");
    assert_eq!(one["agents"][0]["answer"]["accepted"], false);
    let none = tools("Read --agent codex");
    assert_eq!(none["agents"][0]["answer"]["id"], Value::Null);
    assert_eq!(none["agents"][0]["answer"]["matchers"], json!([]));
}

#[test]
fn a_small_terminal_is_enough() {
    let sandbox = Sandbox::new();
    let agents = catalogue().agents.iter().map(|agent| format!("--agent {}", agent.id));
    let names = catalogue().rows.iter().map(|row| row.canonical.to_owned());
    for line in agents.chain(names).chain([String::new(), "mcp__a_server__a_tool".to_owned()]) {
        let done = sandbox.run(&format!("tools {line}")).assert_status(0);
        let wide: Vec<&str> = done.raw.lines().filter(|line| line.chars().count() > 80).collect();
        assert_eq!(wide, [""; 0], "tools {line}");
    }
}

/// `--tool` accepts another agent's tool name. The event is fired with the agent's own name
/// for the tool, and a note says so.
#[test]
fn tools_of_other_agents_are_translated() {
    let sandbox = Sandbox::for_agent("gemini");
    let hook = json!({"type": "command", "command": "sh hooks/guard.sh"});
    let settings = json!({"hooks": {"BeforeTool": [{"matcher": "run_shell_command", "hooks": [hook]}]}});
    sandbox.settings(&settings.to_string()).file("hooks/guard.sh", "cat >got.json\necho no >&2\nexit 2\n");
    let fired = sandbox.run("fire BeforeTool --tool Bash --yes --agent gemini --format json").assert_status(0).json();
    assert_eq!((&fired["outcome"]["verdict"], &fired["subject"]), (&json!("deny"), &json!("run_shell_command")));
    assert_eq!(fired["diagnostics"][0]["code"], "tool/alias");
    let got = std::fs::read_to_string(sandbox.project.join("got.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&got).unwrap()["tool_name"], "run_shell_command");
    let text = sandbox.run("plan BeforeTool --tool Bash --agent gemini").assert_status(0).stdout;
    assert!(text.contains("info the tool is run_shell_command (alias used: Bash)"), "{text}");
    // `--set` and an unknown name are not translated.
    for (what, tool) in [("--set tool_name=Bash", "Bash"), ("--tool Bsh_x", "Bsh_x")] {
        let plan = sandbox.run(&format!("plan BeforeTool {what} --agent gemini --format json")).assert_status(0).json();
        assert_eq!((&plan["subject"], &plan["plan"][0]["verdict"]), (&json!(tool), &json!("skipped")), "{plan:#}");
    }
    let near = sandbox.run("plan BeforeTool --tool run_shel_command --agent gemini").assert_status(0).stdout;
    assert!(near.contains("no tool \"run_shel_command\"; did you mean run_shell_command?"), "{near}");
}

#[test]
fn names_that_nobody_knows() {
    let sandbox = Sandbox::new();
    sandbox.run("tools Bsh").assert_status(2).assert_stderr(&["no agent has a tool \"Bsh\"", "did you mean \"Bash\"?"]);
    sandbox.run("tools Nonsense").assert_status(2).assert_stderr(&["`hookbench tools` lists all tools"]);
    sandbox.run("tools Bash --agent nobody").assert_status(2).assert_stderr(&["possible values", "codex"]);
    // Known to one agent, and not a tool of the other.
    let done = sandbox.run("tools lsp --agent codex").assert_status(0);
    assert!(done.stdout.contains("no such tool in Codex; last known in Qwen"), "{done}");
}

#[test]
fn every_released_agent_has_its_page() {
    for agent in ["claude", "qwen", "gemini", "codex", "copilot", "droid"] {
        let page = Sandbox::new().run(&format!("tools --agent {agent}")).assert_status(0).stdout;
        assert!(page.contains("shell"), "{agent}: {page}");
    }
}
