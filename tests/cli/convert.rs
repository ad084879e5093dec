//! `hookbench convert` and `hookbench undo`: every agent's hooks converted for every other, the named losses, and
//! the files that are written and reverted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hookbench::core::dialects;
use serde_json::{Value, json};

use crate::agent_words;
use crate::sandbox::Sandbox;

/// Settings with every feature of an agent, and common mistakes.
fn rich(agent: &str) -> String {
    match agent {
        "claude" => include_str!("convert/claude.json"),
        "qwen" => include_str!("convert/qwen.json"),
        "gemini" => include_str!("convert/gemini.json"),
        "codex" => include_str!("convert/codex.json"),
        "copilot" => include_str!("convert/copilot.json"),
        "droid" => include_str!("convert/droid.json"),
        other => panic!("tests/cli/convert has no settings of {other}"),
    }
    .to_owned()
}

fn read(sandbox: &Sandbox, file: &str) -> String {
    fs::read_to_string(sandbox.project.join(file)).unwrap()
}

/// A project with these settings of one agent.
fn with(agent: &str, settings: &str) -> Sandbox {
    let sandbox = Sandbox::for_agent(agent);
    sandbox.settings(settings);
    sandbox
}

/// The commands of another agent's spelling of an event are adapted with that spelling.
#[test]
fn an_adapted_command_names_the_spelling_of_its_event() {
    let sandbox = with("copilot", &rich("copilot"));
    let done = sandbox.run("convert --from copilot --to claude --adapt --yes");
    let text = read(&sandbox, ".claude/settings.json");
    for command in [
        "hookbench adapt --from copilot --agent claude -- sh hooks/guard.sh",
        "hookbench adapt --from copilot --event preToolUse --agent claude -- sh hooks/camel.sh",
        "hookbench adapt --from copilot --event sessionStart --agent claude -- hooks/start.sh 'a b' '$HOME'",
    ] {
        assert!(text.contains(&format!("\"{command}\"")), "{command}: {text}\n{done}");
    }
    assert!(!done.stdout.contains("with other keys"), "{done}");
}

/// One hook on the event before a tool, in the agent's words.
fn one(matcher: &str, handler: &Value) -> String {
    json!({"hooks": {"@tool": [{"matcher": matcher, "hooks": [handler]}]}}).to_string()
}

fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

/// Every agent's settings as every other's: the page, and the written file.
#[test]
fn every_pair() {
    let optional = || ["copilot", "droid"].into_iter().filter_map(dialects::by_id);
    let agents = || dialects::ALL.iter().copied().chain(optional()).map(|dialect| dialect.id());
    for from in agents() {
        for to in agents().filter(|to| *to != from) {
            let sandbox = with(from.as_str(), &rich(from.as_str()));
            let done = sandbox.run(&format!("convert --from {from} --to {to} --yes")).assert_status(1);
            // The patch is left out, because the whole file follows.
            let page: Vec<&str> = done.stdout.lines().filter(|line| !line.starts_with("  +")).collect();
            let written = read(&sandbox, agent_words::words_of(to.as_str()).settings);
            let shown = format!("{}\n\n{written}", page.join("\n"));
            insta::assert_snapshot!(format!("convert_{from}_{to}"), shown);
            assert!(!done.stdout.contains("nothing above explains this"), "{done}");
            let file = agent_words::words_of(to.as_str()).settings;
            let again = sandbox.run(&format!("convert --from {from} --to {to} --yes")).assert_status(1);
            assert!(again.stdout.contains(&format!("{file}: nothing to do")), "{again}");
            assert_eq!(read(&sandbox, file), written, "{from} to {to} twice");
        }
    }
}

/// Five mistakes that an agent's own migration leaves behind: a time limit in the wrong unit, MCP tools in another
/// agent's form, a matcher for unknown tools, an empty handler, an unknown event.
#[test]
fn five_mistakes_of_a_migration() {
    let settings = r#"{"hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 30}]},
            {"matcher": "mcp__github__.*", "hooks": [{"type": "command", "command": "b", "timeout": 30}]},
            {"matcher": "MultiEdit|NotebookEdit", "hooks": [{"type": "command", "command": "c"}]}],
        "Stop": [{"hooks": [{}]}],
        "SubagentStop": [{"hooks": [{"type": "command", "command": "d"}]}]
    }}"#;
    let sandbox = with("claude", settings);
    let done = sandbox.run("convert --from claude --to gemini --yes").assert_status(1);
    let written: Value = serde_json::from_str(&read(&sandbox, ".gemini/settings.json")).unwrap();
    assert_eq!(
        written,
        json!({"hooks": {"BeforeTool": [
            {"matcher": "^run_shell_command$", "hooks": [{"type": "command", "command": "a", "timeout": 30000}]},
            {"matcher": "mcp_github_.*", "hooks": [{"type": "command", "command": "b", "timeout": 30000}]}
        ]}})
    );
    for said in [
        "no part of \"MultiEdit|NotebookEdit\" exists",
        "`type` is missing in this handler",
        "no event when a subagent has finished; the nearest is AfterAgent",
    ] {
        assert!(done.stdout.contains(said), "{said} is not said:\n{done}");
    }
}

#[test]
fn nothing_is_lost() {
    let sandbox = with("claude", &one("Bash", &json!({"type": "command", "command": "sh a.sh", "timeout": 5})));
    for to in ["qwen", "gemini", "codex"] {
        let done = sandbox.run(&format!("convert --from claude --to {to}")).assert_status(0);
        assert!(done.stdout.contains("nothing is lost"), "{done}");
        assert!(!sandbox.project.join(agent_words::words_of(to).settings).exists(), "{to}: written without --yes");
    }
}

/// A conversion keeps the rest of the file, including comments. Undo restores the file's bytes and mode.
#[test]
fn written_and_undone() {
    let before = "{\n    // mine\n    \"model\": {\"name\": \"x\"}, /* here */\n    \"hooks\": {\n        \"BeforeTool\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"own\"}]} // last\n        ]\n    }\n}\n";
    let sandbox = with("claude", &one("Edit", &json!({"type": "command", "command": "sh a.sh", "timeout": 5})));
    sandbox.file(".gemini/settings.json", before);
    let path = sandbox.project.join(".gemini/settings.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let done = sandbox.run("convert --from claude --to gemini --yes").assert_status(0);
    let after = read(&sandbox, ".gemini/settings.json");
    let kept = "{\n    // mine\n    \"model\": {\"name\": \"x\"}, /* here */\n    \"hooks\": {\n        \"BeforeTool\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"own\"}]}, // last\n            {\n";
    assert!(after.starts_with(kept), "{after}\n{done}");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let undone = sandbox.run("undo --yes").assert_status(0);
    assert_eq!(read(&sandbox, ".gemini/settings.json"), before);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(undone.stdout.contains("restored") && undone.stdout.contains("sh a.sh"), "{undone}");
    sandbox.run("undo --yes").assert_status(2).assert_stderr(&["nothing to undo"]);
}

#[test]
fn undo_removes_a_new_file() {
    let sandbox = with("claude", &one("Edit", &command("sh a.sh")));
    sandbox.run("convert --from claude --to codex --yes").assert_status(1);
    let state = sandbox.home.join("state/hookbench");
    for entry in fs::read_dir(&state).unwrap().flatten() {
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0, "{entry:?} is for its owner");
    }
    let undone = sandbox.run("undo --yes --format json").assert_status(0).json();
    assert_eq!((&undone["schema"], &undone["files"][0]["removed"]), (&json!("undo/2"), &json!(true)));
    assert!(!sandbox.project.join(".codex").exists());
}

/// `undo` reverts only changes that were made for the same project.
#[test]
fn another_project_s_change_is_not_undone() {
    let sandbox = with("claude", &one("Edit", &command("sh a.sh")));
    let other = sandbox.home.join("other");
    fs::create_dir_all(&other).unwrap();
    sandbox.run("convert --from claude --to qwen --yes").assert_status(1);
    let after = read(&sandbox, ".qwen/settings.json");
    let elsewhere = format!("undo --yes --project {}", other.display());
    sandbox
        .run(&elsewhere)
        .assert_status(2)
        .assert_stderr(&["the last change was made in <project>: undo it with --project <project>"]);
    assert_eq!(read(&sandbox, ".qwen/settings.json"), after);
    sandbox.run(&format!("undo --yes --project {}", sandbox.project.display())).assert_status(0);
    assert!(!sandbox.project.join(".qwen").exists());
}

#[test]
fn changes_by_others_are_not_undone() {
    let sandbox = with("claude", &one("Edit", &command("sh a.sh")));
    sandbox.run("convert --from claude --to qwen --yes").assert_status(1);
    sandbox.file(".qwen/settings.json", "{\"mine\": 1}");
    sandbox.run("undo --yes").assert_status(5).assert_stderr(&["has changed since"]);
    assert_eq!(read(&sandbox, ".qwen/settings.json"), "{\"mine\": 1}");
}

/// The check finds differences that result from the other agent's own settings.
#[test]
fn the_check_finds_unnamed_differences() {
    let handler = json!({"type": "command", "command": "sh a.sh", "timeout": 5});
    for (to, file, text, why) in [
        ("qwen", ".qwen/settings.json", r#"{"disableAllHooks": true}"#, "disableAllHooks"),
        ("gemini", ".gemini/settings.json", r#"{"hooksConfig": {"disabled": ["sh a.sh"]}}"#, "disabled"),
    ] {
        let sandbox = with("claude", &one("Bash", &handler));
        sandbox.run(&format!("convert --from claude --to {to}")).assert_status(0);
        sandbox.file(file, text);
        let done = sandbox.run(&format!("convert --from claude --to {to} --format json")).assert_status(1).json();
        let difference = &done["check"]["differences"][0];
        assert_eq!(done["whole"], false);
        assert_eq!((&difference["here"], &difference["there"]), (&json!(1), &json!(0)), "{done}");
        assert_eq!(difference["named"], Value::Null);
        assert!(difference["says_there"].as_str().unwrap().contains(why), "{difference}");
        let page = sandbox.run(&format!("convert --from claude --to {to}")).assert_status(1);
        assert!(page.stdout.contains("nothing above explains this"), "{page}");
    }
}

#[test]
fn layers() {
    let sandbox = with("claude", &one("Bash", &command("project")));
    sandbox.file(".claude/settings.local.json", one("Bash", &command("local")).replace("@tool", "PreToolUse"));
    fs::create_dir_all(sandbox.home.join(".claude")).unwrap();
    let user = one("Bash", &command("user")).replace("@tool", "PreToolUse");
    fs::write(sandbox.home.join(".claude/settings.json"), user).unwrap();
    let run = |layer: &str| sandbox.run(&format!("convert --from claude --to qwen {layer} --format json")).json();
    let labels = |doc: &Value| -> Vec<String> {
        doc["definitions"].as_array().unwrap().iter().map(|d| d["name"].as_str().unwrap().to_owned()).collect()
    };
    let project = run("");
    assert_eq!(labels(&project), ["project", "local"]);
    assert_eq!(project["file"], ".qwen/settings.json");
    let said: Vec<&str> = project["notes"].as_array().unwrap().iter().map(|n| n["code"].as_str().unwrap()).collect();
    assert_eq!(said, ["layer.others", "layer.local"]);
    assert_eq!(labels(&run("--layer local")), ["local"]);
    let user = run("--layer user");
    assert_eq!((labels(&user), &user["file"]), (vec!["user".to_owned()], &json!("~/.qwen/settings.json")));
}

#[test]
fn what_cannot_be_converted() {
    let sandbox = with("claude", &one("Bash", &command("a")));
    sandbox.run("convert --from claude --to claude").assert_status(2).assert_stderr(&["name two different agents"]);
    sandbox.run("convert --from claude --to nobody").assert_status(2).assert_stderr(&["possible values"]);
    sandbox.run("convert --from claude").assert_status(2).assert_stderr(&["--to"]);
    sandbox
        .run("convert --from claude --to qwen --layer managed")
        .assert_status(2)
        .assert_stderr(&["possible values: project, local, user"]);
    sandbox.run("convert --from claude --to qwen --project nowhere").assert_status(5).assert_stderr(&["nowhere"]);
    for (text, says) in [
        ("{\n  nope", ".gemini/settings.json:2:3"),
        ("[]", "the file is a list, but must be an object"),
        ("{\"hooks\": 5}", "`hooks` is a number, but must be an object"),
        ("{\"hooks\": {\"BeforeTool\": {}}}", "`BeforeTool` is an object, but must be a list"),
    ] {
        sandbox.file(".gemini/settings.json", text);
        sandbox
            .run("convert --from claude --to gemini --yes")
            .assert_status(5)
            .assert_stderr(&[says, "Nothing was added"]);
        assert_eq!(read(&sandbox, ".gemini/settings.json"), text);
    }
    // The source settings are empty or invalid.
    let none = Sandbox::for_agent("claude");
    let done = none.run("convert --from claude --to gemini").assert_status(0);
    assert!(done.stdout.contains("so nothing is converted"), "{done}");
    assert!(!done.stdout.contains("+++"), "{done}");
    none.file(".claude/settings.json", "{\n  \"hooks\": { nope }\n}");
    let done = none.run("convert --from claude --to gemini --yes").assert_status(1);
    assert!(done.stdout.contains(".claude/settings.json:2:14: this is not valid JSON"), "{done}");
    assert!(!none.project.join(".gemini").exists());
    // All hooks are disabled.
    none.file(
        ".claude/settings.json",
        one("Bash", &command("a")).replace("@tool", "PreToolUse").replacen('{', "{\"disableAllHooks\": true, ", 1),
    );
    let done = none.run("convert --from claude --to gemini").assert_status(1);
    assert!(done.stdout.contains("Claude Code does not run it either"), "{done}");
}

#[test]
fn documents_have_their_keys() {
    let sandbox = with("claude", &rich("claude"));
    let doc = sandbox.run("convert --from claude --to gemini --format json").assert_status(1).json();
    let keys: Vec<&str> = doc.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "schema",
            "from",
            "to",
            "layer",
            "whole",
            "definitions",
            "notes",
            "file",
            "diff",
            "files",
            "written",
            "check",
            "answers"
        ]
    );
    assert_eq!((&doc["schema"], &doc["whole"], &doc["written"]), (&json!("convert/1"), &json!(false), &json!(false)));
    let kinds = ["dropped", "changed", "kept", "warned"];
    for definition in doc["definitions"].as_array().unwrap() {
        assert!(definition["source"]["line"].as_u64().unwrap() > 1, "{definition}");
        let notes = definition["notes"].as_array().unwrap();
        assert!(notes.iter().all(|note| kinds.contains(&note["kind"].as_str().unwrap())));
        let dropped = definition["written"].as_array().unwrap().is_empty();
        assert!(!dropped || notes.iter().any(|note| note["loss"] == true), "dropped without a word: {definition}");
    }
}

/// A guard that compares the tool name with one agent's name is reported as a loss for an agent that sends another
/// name. It is not reported if the script accepts both.
#[test]
fn a_guard_that_the_other_agent_never_satisfies() {
    let guard = |test: &str| {
        format!(
            "import json, sys\ne = json.load(sys.stdin)\nif {test} and 'rm -rf' in e['tool_input']['command']:\n    sys.exit(2)\n"
        )
    };
    for (from, to, own, there) in [
        ("claude", "qwen", "Bash", "run_shell_command"),
        ("claude", "gemini", "Bash", "run_shell_command"),
        ("gemini", "claude", "run_shell_command", "Bash"),
        ("qwen", "codex", "run_shell_command", "Bash"),
        ("codex", "gemini", "Bash", "run_shell_command"),
    ] {
        let sandbox = with(from, &one("@shell-id", &command("python3 guard.py")));
        sandbox.file("guard.py", guard(&format!("e['tool_name'] == '{own}'")));
        let done = sandbox.run(&format!("convert --from {from} --to {to}")).assert_status(1);
        let name = dialects::by_id(to).unwrap().name();
        let says = format!(
            "guard.py:3: this script compares `tool_name` with \"{own}\", which {name} never sends; {name} sends \"{there}\" for \"{own}\""
        );
        assert!(done.stdout.contains(&says), "{done}");
        sandbox.file("guard.py", guard(&format!("e['tool_name'] in ('{own}', '{there}')")));
        let done = sandbox.run(&format!("convert --from {from} --to {to}"));
        assert!(!done.stdout.contains("never sends"), "{}", done.stdout);
    }
    let sandbox = with("claude", &one("@shell-id", &command("python3 guard.py")));
    sandbox.file("guard.py", guard("e['tool_name'] == 'Bash'"));
    let done = sandbox.run("convert --from claude --to codex");
    assert!(!done.stdout.contains("never sends"), "{done}");
}

/// The comparison of agents names the script and the line.
#[test]
fn a_comparison_names_keys_that_are_never_sent() {
    let sandbox = with("claude", &one("@shell-id", &command("python3 guard.py")));
    let settings = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "python3 guard.py"}]}]}}"#;
    sandbox.file(".qwen/settings.json", settings);
    sandbox.file("guard.py", "import json, sys\nif json.load(sys.stdin)['tool_name'] == 'Bash':\n    sys.exit(2)\n");
    let done = sandbox.run("plan PreToolUse --tool Bash --agent all").assert_status(0);
    let says = "HW627: this script compares `tool_name` with \"Bash\", which Qwen Code never sends";
    assert!(done.stdout.contains(" guard.py:2\n") && done.stdout.contains(says), "{done}");
}

/// A hook of a file that the other agent reads itself is left out, because it would run twice. What the agent makes of
/// the hook itself is checked, and the reason on stderr is a loss.
#[test]
fn a_hook_that_the_other_agent_runs_already() {
    let sandbox = with("claude", &one("Bash", &command("sh a.sh")));
    let reads = "Copilot CLI reads .claude/settings.json itself, so a.sh would run twice; it is not converted";
    let lost = "exit 2 blocks PreToolUse in Copilot CLI too, but Copilot CLI discards the reason on stderr and reports \"hook exited with code 2\"";
    let done = sandbox.run("convert --from claude --to copilot --yes").assert_status(1);
    for says in [reads, lost, "left out  PreToolUse   Bash   a.sh", ".github/copilot/settings.json: nothing to do"] {
        assert!(done.stdout.contains(says), "{says}: {done}");
    }
    assert!(!done.stdout.contains("nothing is lost") && !done.stdout.contains("nothing above explains"), "{done}");
    assert!(!sandbox.project.join(".github").exists(), "{done}");
    // The copy in the other agent's words would run beside the plain hook.
    let unadapted = "Copilot CLI reads .claude/settings.json itself and runs a.sh unadapted, whatever is converted; to adapt it, first move it to a file that Copilot CLI does not read";
    let done = sandbox.run("convert --from claude --to copilot --adapt --yes").assert_status(1);
    assert!(done.stdout.contains(unadapted) && done.stdout.contains(lost), "{done}");
    assert!(!sandbox.project.join(".github").exists(), "{done}");
    // The agent skips this file as a whole, so its hooks are converted.
    let empty = r#"{"hooks": {"PreToolUse": [{"matcher": "", "hooks": [{"type": "command", "command": "sh a.sh"}]}]}}"#;
    sandbox.file(".claude/settings.json", empty);
    let done = sandbox.run("convert --from claude --to copilot --yes").assert_status(1);
    assert!(!done.stdout.contains("itself") && done.stdout.contains(lost), "{done}");
    assert!(read(&sandbox, ".github/copilot/settings.json").contains("sh a.sh"), "{done}");
}

/// An adapted script keeps its reason.
#[test]
fn the_reason_is_lost_without_an_adapter_only() {
    let sandbox = with("droid", &one("Execute", &command("sh a.sh")));
    let lost = "Copilot CLI discards the reason on stderr";
    let plain = sandbox.run("convert --from droid --to copilot").assert_status(1);
    assert!(plain.stdout.contains(lost), "{plain}");
    let adapted = sandbox.run("convert --from droid --to copilot --adapt");
    assert!(!adapted.stdout.contains(lost), "{adapted}");
}

/// Droid reads an event from one file of a directory. A conversion says that the other agent would not read its file.
#[test]
fn an_event_that_another_file_replaces() {
    let sandbox = with("claude", &one("Bash", &command("sh a.sh")));
    sandbox.file(".factory/hooks.json", r#"{"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}"#);
    let why = ".factory/hooks.json has hooks for PreToolUse, so Droid ignores those of this file";
    let done = sandbox.run("convert --from claude --to droid").assert_status(1);
    assert!(done.stdout.contains(&format!("{why}; move them to .factory/hooks.json")), "{done}");
    assert!(done.stdout.contains("as listed above") && !done.stdout.contains("nothing above explains this"), "{done}");
}
