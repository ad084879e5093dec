//! `--agent all`: one event in every agent, with separate settings for each in one project.

use std::path::Path;

use hookbench::core::dialects;
use serde_json::{Value, json};

use crate::agent_words;
use crate::sandbox::Sandbox;

/// A project with settings for every agent, in its own words and reviewed if required.
fn project_of_all_agents(settings: impl Fn(&agent_words::AgentVocabulary) -> Value) -> Sandbox {
    let sandbox = Sandbox::new();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    for dialect in dialects::ALL {
        let words = agent_words::words_of(dialect.id().as_str());
        let settings = words.in_agent_words(&serde_json::to_string_pretty(&settings(words)).unwrap());
        sandbox.file(words.settings, &settings);
        for (path, text) in words.reviewed_files(&text(&sandbox.project), &text(&sandbox.home), &settings) {
            std::fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
    sandbox
}

/// The same two hooks for every agent, one on tools and one on prompts. Each run appends a line to a file.
pub fn project(script: &str) -> Sandbox {
    let sandbox = project_of_all_agents(|words| {
        json!({"hooks": {
            "@tool": [{"matcher": "@shell", "hooks": [
                {"type": "command", "command": "sh hooks/guard.sh", "timeout": 10 * words.second}
            ]}],
            "@prompt": [{"hooks": [{"type": "command", "command": "sh hooks/context.sh"}]}],
        }})
    });
    let counting = format!("echo run >> hooks/count\n{script}");
    sandbox.file("hooks/guard.sh", &counting).file("hooks/context.sh", "echo run >> hooks/count\necho 'branch main'\n");
    sandbox
}

fn runs(sandbox: &Sandbox) -> usize {
    std::fs::read_to_string(sandbox.project.join("hooks/count")).unwrap_or_default().lines().count()
}

fn assert_narrow(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
}

/// The hooks that `install` writes are not among those that run, and are said apart; JSON names the agents left out.
#[test]
fn hooks_of_hookbench_are_not_counted() {
    let sandbox = Sandbox::for_agent("claude");
    let hooks = r#"[{"type": "command", "command": "true"}, {"type": "command", "command": "hookbench forward --agent claude"}]"#;
    sandbox.settings(&format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": {hooks}}}]}}}}"#));
    let plan = sandbox.run("plan PreToolUse --tool Bash --agent all").assert_status(0);
    assert!(plan.stdout.contains("not counted: 1 hook of hookbench, to record events"), "{plan}");
    assert!(!plan.stdout.contains("true, "), "{plan}");
    for command in ["plan PreToolUse --agent all", "fire PreToolUse --agent all --yes", "list", "lint"] {
        let text = sandbox.run(command);
        let document: serde_json::Value = sandbox.run(&format!("{command} --format json")).json();
        let left_out = document["left_out"].as_array().unwrap();
        assert_eq!(left_out.len(), dialects::OPTIONAL.len(), "{document}");
        for left in left_out {
            let reason = left["reason"].as_str().unwrap();
            assert!(reason.contains(" is not installed"), "{document}");
            let name = reason.split(" is not ").next().unwrap();
            let words: Vec<&str> = text.stdout.split_whitespace().collect();
            assert!(words.join(" ").contains(name), "{name}: {text}");
        }
    }
}

#[test]
fn a_tool_call_in_four_agents() {
    let sandbox = project("echo 'rm is not allowed here' >&2\nexit 2\n");
    let plan = sandbox.run("plan PreToolUse --agent all").assert_status(0);
    assert_eq!(runs(&sandbox), 0, "planning runs nothing");
    let fired = sandbox.run("fire PreToolUse --agent all --yes").assert_status(0);
    assert_eq!(runs(&sandbox), 4, "no two agents give a hook the same bytes");
    // Exits with 2 without output: only Claude Code denies.
    sandbox.file("hooks/guard.sh", "exit 2\n");
    let silent = sandbox.run("fire PreToolUse --agent all --yes").assert_status(0);
    sandbox.file("hooks/guard.sh", "echo '{\"decision\": \"allow\", \"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"allow\"}}'\n");
    let allowed = sandbox.run("fire pre_tool_use --agent all --yes").assert_status(0);
    let all = [plan, fired, silent, allowed];
    for done in &all {
        assert_narrow(&done.stdout);
    }
    insta::assert_snapshot!("everywhere_tool", crate::outputs(&all));
}

/// The agent that has the event need not be in use.
#[test]
fn events_in_the_words_of_each_agent() {
    let sandbox = Sandbox::new();
    for event in ["preToolUse", "sessionStart", "agentStop", "userPromptSubmitted", "BeforeTool", "PreToolUse"] {
        let done = sandbox.run(&format!("plan {event} --agent all")).assert_status(0);
        let count = dialects::released().count();
        assert!(done.stdout.contains(&format!(" of {count} agents\n")), "{event}: {done}");
    }
}

#[test]
fn events_that_some_agents_lack() {
    let sandbox = project("exit 0\n");
    let all = [
        sandbox.run("plan PostToolBatch --agent all").assert_status(0),
        sandbox.run("plan Nonsense --agent all").assert_status(2),
        sandbox.run("plan AfterResponse --agent all").assert_status(2),
        sandbox.run("events app.startup").assert_status(2),
        sandbox.run("plan PreToolUse --tool Read --agent all").assert_status(0),
        sandbox.run("plan SessionStart --set source=compact --agent all").assert_status(0),
        sandbox.run("fire BeforeModel --agent all --yes").assert_status(0),
    ];
    for done in &all {
        assert_narrow(&done.stdout);
    }
    insta::assert_snapshot!("everywhere_missing", crate::outputs(&all));
}

#[test]
fn for_scripts() {
    let sandbox = project("exit 0\n");
    let plan = sandbox.run("plan PostToolBatch --agent all --format json").assert_status(0).json();
    assert_eq!(
        (&plan["schema"], &plan["event"], &plan["from"]),
        (&json!("firings/1"), &json!("post_tool_batch"), &json!("claude"))
    );
    let agents = |list: &Value| list.as_array().unwrap().iter().map(|d| d["agent"].clone()).collect::<Vec<_>>();
    assert_eq!(agents(&plan["firings"]), ["claude", "qwen"]);
    assert_eq!(agents(&plan["missing"]), ["gemini", "codex"]);
    assert_eq!(plan["missing"][0]["nearest"], "AfterTool");
    let fired =
        sandbox.run("fire UserPromptSubmit --agent all --yes --set prompt=x --format json").assert_status(0).json();
    assert_eq!(agents(&fired["firings"]), ["claude", "qwen", "gemini", "codex"]);
    for firing in fired["firings"].as_array().unwrap() {
        assert_eq!((&firing["schema"], &firing["input"]["prompt"]), (&json!("firing/1"), &json!("x")));
        assert_eq!(firing["runs"][0]["exit"], json!({"kind": "code", "code": 0}), "{firing:#}");
        assert!(firing["outcome"]["verdict"].is_string());
    }
    assert_eq!(runs(&sandbox), 4);
    let lines = sandbox.run("fire UserPromptSubmit --agent all --yes --format jsonl").assert_status(0);
    let lines: Vec<Value> = lines.raw.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for agent in ["claude", "qwen", "gemini", "codex"] {
        let kinds = lines.iter().filter(|l| l["agent"] == agent).map(|l| l["kind"].as_str().unwrap());
        assert_eq!(kinds.collect::<Vec<_>>(), ["planned", "started", "stdout", "ended", "settled"], "{agent}");
    }
}

#[test]
fn exit_statuses_and_consent() {
    let sandbox = project("echo no >&2\nexit 2\n");
    let asked = sandbox.run("fire PreToolUse --agent all").assert_status(4);
    assert_eq!(asked.raw, "");
    let places = ".claude/settings.json:7, .qwen/settings.json:7, .gemini/settings.json:7, .codex/hooks.json:7";
    assert!(
        asked.stderr.contains(&format!("  sh hooks/guard.sh\n    {places}\n")),
        "one command, all places:\n{asked}"
    );
    for file in [".claude/settings.json", ".qwen/settings.json", ".gemini/settings.json", ".codex/hooks.json"] {
        assert!(asked.stderr.contains(file), "{asked}");
    }
    assert_eq!(runs(&sandbox), 0);
    sandbox.run("fire PreToolUse --agent all --yes --expect deny").assert_status(0);
    sandbox.run("fire PreToolUse --agent all --yes --expect no_objection").assert_status(1);
    // One different verdict is enough.
    sandbox.file("hooks/guard.sh", "exit 2\n");
    sandbox.run("fire PreToolUse --agent all --yes --expect deny").assert_status(1);
    // An event without hooks needs no consent.
    sandbox.run("fire PreCompact --agent all").assert_status(0);
    sandbox.run("fire PreToolUse --agent all --yes --without guard.sh").assert_status(2).assert_stderr(&["one agent"]);
    sandbox.run("plan PreToolUse --agent all --agent-version 1.2.3").assert_status(2).assert_stderr(&["one agent"]);
    sandbox.run("why guard.sh --agent all").assert_status(2).assert_stderr(&["one agent at a time"]);
    sandbox.run("plan PreToolUse --agent some").assert_status(2).assert_stderr(&["all]"]);
    sandbox.run("list --agent all").assert_status(0);
}

/// Sixteen matchers on the start of a session, as measured on the four agents.
#[test]
fn sixteen_matchers() {
    let measured: [(&str, [bool; 4]); 16] = [
        ("startup", [true, true, true, true]),
        ("Startup", [false, false, false, false]),
        ("start", [false, true, false, false]),
        ("start.*", [true, true, false, true]),
        ("^startup$", [true, true, false, true]),
        ("art.p", [true, true, false, true]),
        ("resume|startup", [true, true, false, true]),
        ("resume | startup", [true, true, false, false]),
        ("resume,startup", [true, false, false, false]),
        (" startup ", [true, true, true, false]),
        ("*", [true, true, true, true]),
        ("", [true, true, true, true]),
        (".*", [true, true, false, true]),
        ("start*", [true, true, false, true]),
        ("(?!resume).*", [true, true, false, false]),
        ("(startup", [false, false, false, false]),
    ];
    let sandbox = project_of_all_agents(|_| {
        let hook = |(index, (matcher, _)): (usize, &(&str, [bool; 4]))| json!({"matcher": matcher, "hooks": [{"type": "command", "command": format!("true {index}")}]});
        json!({"hooks": {"SessionStart": measured.iter().enumerate().map(hook).collect::<Vec<_>>()}})
    });
    let plan = sandbox.run("plan SessionStart --set source=startup --agent all --format json").assert_status(0).json();
    for (column, firing) in plan["firings"].as_array().unwrap().iter().enumerate() {
        for (index, (matcher, fires)) in measured.iter().enumerate() {
            let command = format!("true {index}");
            let entry = firing["plan"].as_array().unwrap().iter().find(|hook| hook["command"] == command.as_str());
            let entry = entry.unwrap_or_else(|| panic!("`{matcher}` is not in the plan of {}", firing["agent"]));
            assert_eq!(entry["verdict"] == "fires", fires[column], "`{matcher}` in {}: {entry}", firing["agent"]);
        }
    }
    let text = sandbox.run("plan SessionStart --set source=startup --agent all").assert_status(0);
    assert_narrow(&text.stdout);
    insta::assert_snapshot!("everywhere_matchers", text);
}

/// An agent that is not in use here is named with the reason, wherever all agents are meant; `events` and `tools` need no
/// settings, so they name every agent.
#[test]
fn agents_that_are_left_out_are_named_with_the_reason() {
    let sandbox = Sandbox::new();
    let hook = json!({"type": "command", "command": "exit 2"});
    sandbox.file(".claude/settings.json", json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string());
    let reason = "Left out: Copilot CLI is not installed, but would read .claude/settings.json, too; Droid, Kimi Code, CodeBuddy \
                  Code, Mistral Vibe, Hermes Agent and Cline are not installed and not configured";
    for line in ["plan PreToolUse --agent all", "fire PreToolUse --agent all --yes", "list", "lint"] {
        let page = sandbox.run(line).stdout;
        let words: Vec<&str> = page.split_whitespace().collect();
        assert!(words.join(" ").contains(reason), "{line}:\n{page}");
    }
    for line in ["list --agent all", "list --agent claude", "lint --agent claude", "lint .claude/settings.json"] {
        let page = sandbox.run(line).stdout;
        assert!(!page.contains("Left out"), "{line}:\n{page}");
    }
    let page = sandbox.run("plan PreToolUse --agent all").stdout;
    let count = dialects::released().count();
    assert!(page.contains(&format!("in 4 of {count} agents")) && !page.contains("all agents"), "{page}");
    for line in ["events", "tools", "tools Bash"] {
        let (page, doc) = (sandbox.run(line).stdout, sandbox.run(&format!("{line} --format json")).json());
        let listed: Vec<&str> =
            doc["agents"].as_array().unwrap().iter().map(|agent| agent["agent"].as_str().unwrap()).collect();
        let all: Vec<&str> = dialects::released().map(|dialect| dialect.id().as_str()).collect();
        assert_eq!(listed, all, "{line}");
        for dialect in dialects::released() {
            assert!(page.contains(dialect.name()), "{line}: {}\n{page}", dialect.name());
        }
    }
}
