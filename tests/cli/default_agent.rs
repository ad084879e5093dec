//! Where a command looks if it is not told: the agent of the project, and the directory in which it runs.

use std::fs;
use std::path::Path;

use hookbench::app::{DiskFiles, agents_of_project};
use hookbench::core::config::Place;
use serde_json::json;

use crate::agent_words::{AgentVocabulary, words_of};
use crate::sandbox::{ProgramOutput, Sandbox};

const AGENTS: [&str; 6] = ["claude", "qwen", "gemini", "codex", "copilot", "droid"];

/// A project with settings of one agent only, trusted and reviewed.
fn project_of(agent: &str) -> (Sandbox, &'static AgentVocabulary) {
    let (sandbox, words) = (Sandbox::new(), words_of(agent));
    let hook = json!({"type": "command", "command": "sh hooks/guard.sh"});
    let settings = json!({"hooks": {"@tool": [{"hooks": [hook]}]}});
    let settings = words.in_agent_words(&settings.to_string());
    sandbox.file(words.settings, &settings).file("hooks/guard.sh", "cat >/dev/null\n");
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    for (path, text) in words.reviewed_files(&text(&sandbox.project), &text(&sandbox.home), &settings) {
        fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (sandbox, words)
}

#[test]
fn commands_choose_the_agent_of_the_project() {
    for agent in AGENTS {
        let (sandbox, words) = project_of(agent);
        let (tool, shell) = (words.tool, words.shell_id);
        let agent_of = |line: String, key: &str| {
            let doc = sandbox.run(&line).assert_status(0).json();
            doc.pointer(key).unwrap_or_else(|| panic!("{agent}: {line}: {doc:#}")).clone()
        };
        for (line, key) in [
            (format!("plan {tool} --format json"), "/agent"),
            (format!("plan {tool} --tool {shell} --format json"), "/agent"),
            ("plan pre_tool_use --format json".to_owned(), "/agent"),
            (format!("fire {tool} --yes --format json"), "/agent"),
            ("match X --format json".to_owned(), "/agents/0/agent"),
            (format!("match X --event {tool} --format json"), "/agents/0/agent"),
        ] {
            assert_eq!(agent_of(line.clone(), key), agent, "{line}");
        }
        for line in [
            "why guard.sh".to_owned(),
            format!("why guard.sh {tool}"),
            format!("why guard.sh --tool {shell}"),
            "why h1 pre_tool_use".to_owned(),
        ] {
            let hook = agent_of(format!("{line} --format json"), "/hook/source/file");
            assert_eq!(hook, words.settings, "{agent}: {line}");
        }
        // It asks for consent to run the hook that it has found.
        for line in [format!("stress guard.sh {tool}"), "stress guard.sh".to_owned()] {
            sandbox.run(&line).assert_status(4).assert_stderr(&["sh hooks/guard.sh", words.settings]);
        }
        // These show the agent among the others.
        let list = sandbox.run("list --format json").assert_status(0).json();
        let with_hooks = |one: &&serde_json::Value| one.to_string().contains("\"verdict\":\"fires\"");
        let listed: Vec<_> = list["agents"].as_array().unwrap().iter().filter(with_hooks).collect();
        assert_eq!(listed.len(), 1 + usize::from(agent == "claude" && listed.len() > 1), "{agent}: {list:#}");
        assert!(listed.iter().any(|one| one["agent"] == agent), "{agent}: {list:#}");
    }
}

/// A directory below the project, as the agents see it.
struct Below {
    agent: &'static str,
    in_git: bool,
    /// Whether the agent reads the project's settings from there.
    reads: bool,
}

#[test]
fn a_subdirectory_finds_the_settings_or_names_them() {
    let below = |agent, in_git, reads| Below { agent, in_git, reads };
    for Below { agent, in_git, reads } in [
        below("claude", false, false),
        below("claude", true, false),
        below("qwen", false, false),
        below("qwen", true, false),
        below("gemini", false, false),
        below("gemini", true, false),
        below("codex", false, false),
        below("codex", true, true),
        below("copilot", false, false),
        below("copilot", true, false),
        below("droid", false, false),
        below("droid", true, true),
    ] {
        let (sandbox, words) = project_of(agent);
        if in_git {
            sandbox.file(".git/HEAD", "ref: refs/heads/main\n");
        }
        let directory = sandbox.project.join("src/deep");
        fs::create_dir_all(&directory).unwrap();
        let run = |line: &str| -> ProgramOutput {
            sandbox.run(&format!("{line} --agent {agent} --project {}", directory.display()))
        };
        let case = format!("{agent}, git {in_git}");
        let above = format!("<project>/{}", words.settings);
        let tool = words.tool;
        let list = run("list").assert_status(0);
        let plan = run(&format!("plan {tool}")).assert_status(0);
        let fire = run(&format!("fire {tool} --yes")).assert_status(0);
        let why = run("why guard.sh");
        let lint = run("lint");
        for out in [&list, &plan, &fire, &why, &lint] {
            let text = format!("{}{}", out.stdout, out.stderr);
            assert!(text.contains(&above) || (reads && lint.stdout.contains("0 errors")), "{case}: {out}");
            let help = text.contains("start it in <project>, or") || text.contains("in <project>");
            assert_eq!(help && text.contains("start "), !reads, "{case}: {out}");
        }
        assert_eq!(
            (why.status, why.stdout.contains("file found       ok")),
            if reads { (0, true) } else { (2, false) }
        );
        assert_eq!(plan.stdout.contains("1 would run"), reads, "{case}: {plan}");
        assert_eq!(lint.stdout.contains("HW107"), !reads, "{case}: {lint}");
        // Without --agent, the files above tell which agent is meant.
        let place = Place {
            project: directory.to_str().unwrap().to_owned(),
            home: sandbox.home.to_str().unwrap().to_owned(),
            ..Place::default()
        };
        let found: Vec<&str> = agents_of_project(&place, &DiskFiles).iter().map(|one| one.id().as_str()).collect();
        assert_eq!(found, [agent], "{case}");
    }
}

/// Settings above that have nothing to do with hooks are not mentioned.
#[test]
fn settings_above_without_hooks_are_no_finding() {
    for agent in AGENTS {
        let (sandbox, words) = (Sandbox::new(), words_of(agent));
        sandbox.file(words.settings, "{\"model\": \"m\"}").file("src/main.rs", "");
        let lint = sandbox.run(&format!("lint --agent {agent} --project {}/src", sandbox.project.display()));
        assert!(lint.stdout.contains("0 errors, 0 warnings"), "{agent}: {lint}");
    }
}
