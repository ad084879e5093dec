//! The skill that teaches an agent to write hooks, and the plugin that brings it.

use std::fs;
use std::path::Path;

use hookbench::core::dialects;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::sandbox::Sandbox;

const SKILL: &str = include_str!("../../assets/skill/SKILL.md");

/// Every command line of the skill runs in every agent, whatever names its events and tools have there.
#[test]
fn the_commands_of_the_skill_run_in_every_agent() {
    for agent in dialects::released().filter(|agent| agent.settings_format().script.is_none()) {
        let sandbox = Sandbox::for_agent(agent.id().as_str());
        sandbox.settings("{}\n");
        let blocks = SKILL.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
        // A stress test takes long, and no name in it is an agent's own. A hook of the user has no suite in the project.
        let has_suite = agent.settings_format().list.is_none();
        let left_out =
            |line: &str| line.starts_with("hookbench stress") || (!has_suite && line.starts_with("hookbench test"));
        let lines = blocks.flat_map(str::lines).filter(|line| !left_out(line));
        let mut verdicts = Vec::new();
        for line in lines {
            let args = line.strip_prefix("hookbench ").unwrap();
            let named = if args == "tools" { String::new() } else { format!(" --agent {}", agent.id()) };
            let done = sandbox.run(&(args.to_owned() + &named)).assert_status(0);
            if line.starts_with("hookbench fire") {
                verdicts.push(done.json()["outcome"]["verdict"].as_str().unwrap().to_owned());
            }
        }
        // Some agents wait until the user has reviewed a new hook.
        let waits = verdicts == ["not_run", "not_run"];
        assert!(waits || verdicts == ["deny", "no_objection"], "{}: {verdicts:?}", agent.id());
    }
}

/// Every command line of the skill runs, in its order, and its output has what the skill says about it.
#[test]
fn the_commands_of_the_skill_do_what_it_says() {
    let sandbox = Sandbox::new();
    sandbox.file(".claude/settings.json", "{}\n");
    let blocks = SKILL.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    let lines: Vec<&str> = blocks.flat_map(str::lines).collect();
    assert!(lines.len() >= 11, "{lines:?}");
    let mut firings = Vec::new();
    for line in lines {
        let args = line.strip_prefix("hookbench ").unwrap_or_else(|| panic!("{line}"));
        let done = sandbox.run(args).assert_status(0);
        match args.split(' ').next().unwrap() {
            "fire" => firings.push(done.json()["outcome"].clone()),
            "lint" => assert_eq!(done.json()["diagnostics"], Value::Array(Vec::new())),
            "stress" => {
                assert!(done.stdout.contains("git push origin +main"), "{done}");
                let rows = sandbox.run(&format!("{args} --format json")).assert_status(0).json()["rows"].clone();
                let results = |word: &str| rows.as_array().unwrap().iter().filter(|row| row["result"] == word).count();
                assert!(results("let_through") > 0 && results("refused") > 0);
            }
            "why" => assert!(done.stdout.contains("no-force-push.py"), "{done}"),
            _ => {}
        }
    }
    let verdict = |outcome: &Value| (outcome["verdict"].as_str().unwrap().to_owned(), outcome["blocked"].clone());
    assert_eq!(
        firings.iter().map(verdict).collect::<Vec<_>>(),
        [("deny".to_owned(), Value::from(true)), ("no_objection".to_owned(), Value::from(false)),]
    );
    assert_eq!(firings[0]["decided_by"], serde_json::json!(["h1"]));
    assert!(sandbox.project.join("hooks.test.yaml").exists());
}

/// The plugin has the agent's own manifest, the hooks of `install`, and the skill.
#[test]
fn a_plugin_of_each_agent_that_has_one() {
    for dialect in dialects::released() {
        let (agent, Some(format)) = (dialect.id().as_str(), dialect.plugin_format()) else { continue };
        let sandbox = crate::project(agent);
        let line = format!("install --agent {agent} --as-plugin plug");
        let shown = sandbox.run(&format!("{line} --dry-run")).assert_status(0);
        let directory = sandbox.project.join("plug");
        assert!(!directory.exists() && shown.raw.contains("loads it with:"), "{agent}");
        let path = directory.to_str().unwrap();
        for line in format.load {
            let line = line.replace("DIR", path).replace("BASE", "plug");
            assert!(shown.raw.contains(&format!("  {line}\n")), "{line}: {shown}");
        }
        assert!(format.note.is_none_or(|note| shown.raw.contains(note)), "{shown}");
        sandbox.run(&line).assert_status(4).assert_stderr(&["add --yes"]);
        sandbox.run(&format!("{line} --yes")).assert_status(0);
        let json = |path: &str| -> Value { serde_json::from_slice(&fs::read(directory.join(path)).unwrap()).unwrap() };
        assert_eq!(json(format.manifest)["name"], "hookbench");
        let hooks = json(format.hooks);
        let installed =
            sandbox.run(&format!("install --agent {agent} --dry-run --format json")).assert_status(0).json();
        let events: Vec<&str> =
            installed["entries"].as_array().unwrap().iter().map(|entry| entry["event"].as_str().unwrap()).collect();
        let written: Vec<&String> = hooks["hooks"].as_object().unwrap().keys().collect();
        assert_eq!(written, events, "{agent}");
        let command = &hooks["hooks"][events[0]][0]["hooks"][0]["command"];
        assert!(command.as_str().unwrap().ends_with(&format!("forward --agent {agent}")), "{command}");
        let skill = Path::new(format.skills).join("hookbench/SKILL.md");
        assert_eq!(fs::read_to_string(directory.join(skill)).unwrap(), SKILL);
        if let Some(path) = format.marketplace {
            assert_eq!(json(path)["plugins"][0]["name"], "hookbench");
        }
        let again = sandbox.run(&format!("{line} --yes")).assert_status(0);
        assert!(again.raw.contains("nothing to do"), "{again}");
        sandbox.run("undo --yes").assert_status(0);
        assert!(!directory.exists(), "{agent}");
    }
}
