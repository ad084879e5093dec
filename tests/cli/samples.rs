//! The sample project in every agent: all of its hooks are in effect, their answers suit each agent, and they differ
//! where intended.

use std::path::Path;
use std::process::{Command, Output};

use hookbench::app::Demo;
use hookbench::core::dialects;
use serde_json::Value;

use crate::agent_words;

/// Runs the program in a project with this machine's PATH, which the scripts need.
fn run_program(args: &[&str], project: &Path, home: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
    command.args(args).current_dir(project).env_clear();
    command.arg("--project").arg(project).arg("--home").arg(home).env("HOME", home).env("LANG", "C.UTF-8");
    command.env("PATH", format!("/usr/bin:/bin:{}", std::env::var("PATH").unwrap_or_default()));
    command.output().unwrap()
}

/// Returns the agents for which the project has settings.
fn agents_with_settings(demo: &Demo) -> Vec<&'static str> {
    let has = |agent: &&str| demo.project().join(agent_words::words_of(agent).settings).exists();
    dialects::ALL.iter().map(|d| d.id().as_str()).filter(has).collect()
}

fn run(demo: &Demo, args: &[&str]) -> Value {
    let output = run_program(&[args, &["--format", "json"]].concat(), &demo.project(), &demo.home());
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{args:?}: {why}\n{said}"))
}

#[test]
fn every_hook_is_in_effect() {
    let demo = Demo::unpack().unwrap();
    for agent in agents_with_settings(&demo) {
        let list = run(&demo, &["list", "--agent", agent]);
        let layers = list["agents"][0]["layers"].as_array().unwrap();
        let hooks: Vec<&Value> = layers.iter().flat_map(|l| l["hooks"].as_array().unwrap()).collect();
        assert!(hooks.len() >= 10, "{agent}: {hooks:#?}");
        // For an agent with reviews, an edit of the hooks requires a new review in the sample.
        let path = demo.project().canonicalize().unwrap();
        let settings = std::fs::read_to_string(path.join(agent_words::words_of(agent).settings)).unwrap();
        let wanted = agent_words::words_of(agent).reviewed_files(path.to_str().unwrap(), "~", &settings);
        for hook in hooks {
            assert_eq!(hook["verdict"], "fires", "{agent}: {hook:#}\nthe home folder wants {wanted:#?}");
        }
        // The planted mistake is reported in every agent before anything fires. In agents with other tool names it
        // is a different finding.
        let all = list["agents"][0]["diagnostics"].as_array().unwrap();
        let told: Vec<&str> = all.iter().filter_map(|d| d["code"].as_str()).filter(|c| c.starts_with("HW3")).collect();
        let want: &[&str] =
            if agent_words::words_of(agent).tool == "PreToolUse" { &["HW301"] } else { &["HW302", "HW302"] };
        assert_eq!(told, want, "{agent}: {all:#?}");
    }
}

#[test]
fn every_agent_takes_their_answers() {
    let demo = Demo::unpack().unwrap();
    let fire = |line: &[&str]| -> Vec<(String, Value)> {
        let all = run(&demo, &[&["fire"], line, &["--agent", "all", "--yes"]].concat());
        let firings = all["firings"].as_array().unwrap().clone();
        let own = firings.into_iter().map(|f| (f["agent"].as_str().unwrap().to_owned(), f));
        own.filter(|(agent, _)| agents_with_settings(&demo).contains(&agent.as_str())).collect()
    };
    let deny = ["deny"; 4];
    let quiet = ["no_objection"; 4];
    for (line, want) in [
        (&["pre_tool_use", "--tool", "Bash"][..], deny),
        (&["pre_tool_use", "--tool", "Bash", "--input", r#"{"command": "make test"}"#], quiet),
        // An agent that does not run protect.py has the verdict no_objection; one that cannot ask the user denies.
        (
            &["pre_tool_use", "--tool", "Bash", "--input", r#"{"command": "cat .env"}"#],
            ["ask", "ask", "no_objection", "deny"],
        ),
        (&["UserPromptSubmit", "--set", "prompt=the password = correct-horse-9"], deny),
        (&["UserPromptSubmit", "--set", "prompt=how long may a password be?"], quiet),
        (&["Stop", "--set", "stop_hook_active=false"], deny),
        (&["Stop", "--set", "stop_hook_active=true"], quiet),
    ] {
        let fired = fire(line);
        let verdicts: Vec<&str> = fired.iter().map(|(_, f)| f["outcome"]["verdict"].as_str().unwrap()).collect();
        assert_eq!(verdicts, want, "{line:?}");
        for (agent, firing) in &fired {
            let refused = firing["runs"].as_array().unwrap().iter().find(|r| r["invalid"] != Value::Array(Vec::new()));
            assert!(refused.is_none(), "{agent} refuses a part of an answer: {refused:#?}");
        }
    }
    // Context added after the fact reaches every agent.
    for (line, says) in [
        (&["SessionStart"][..], "Branch: "),
        (&["PostToolUse", "--tool", "Bash", "--input", r#"{"command": "git commit -m x"}"#], "changelog.py: "),
    ] {
        for (agent, firing) in fire(line) {
            let context = firing["outcome"]["additional_context"].as_str().unwrap_or_default();
            assert!(context.contains(says), "{agent} {line:?}: {firing:#}");
        }
    }
}

/// The suite that the page about tests shows is the sample's suite, and it passes.
#[test]
fn the_suite_holds_and_is_the_one_of_the_page() {
    let demo = Demo::unpack().unwrap();
    let suite = std::fs::read_to_string(demo.project().join("hooks.test.yaml")).unwrap();
    assert!(suite.lines().count() <= 16, "a newcomer copies it: {suite}");
    let page = include_str!("../../docs/test-hooks-in-ci.md");
    assert!(page.contains(&format!("```yaml\n{suite}```\n")), "the page shows another suite");
    let doc = run(&demo, &["test", "--yes"]);
    assert_eq!((&doc["passed"], &doc["failed"], &doc["skipped"]), (&4.into(), &0.into(), &0.into()), "{doc:#}");
}

/// The commands of the example workflow, in order, in its shell: they pass for a correct project, and in a faulty
/// one the step that detects the fault fails.
#[test]
fn the_workflow_lints_and_tests_the_sample_project() {
    let demo = Demo::unpack().unwrap();
    let workflow = include_str!("../../assets/ci/hooks.yml");
    // A home directory like that of a CI machine.
    let home = tempfile::tempdir().unwrap();
    let sh = |line: &str| {
        let bin = Path::new(env!("CARGO_BIN_EXE_hookbench")).parent().unwrap().display();
        let mut command = Command::new("bash");
        command.args(["-e", "-c", line]).current_dir(demo.project()).env_clear().env("HOME", home.path());
        command.env("PATH", format!("{bin}:/usr/bin:/bin:{}", std::env::var("PATH").unwrap_or_default()));
        let output = command.output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let commands = |word: &str| workflow.lines().map(str::trim).filter(|l| l.starts_with(word)).collect::<Vec<_>>();
    let [lint] = commands("hookbench lint")[..] else { panic!("one line lints") };
    let [parts] = commands("mkdir ")[..] else { panic!("one folder for the reports") };
    let [test] = commands("hookbench test")[..] else { panic!("one line tests") };
    let [junit, github] = commands("hookbench report")[..] else { panic!("two reports") };
    let all_parts = || {
        for part in ["1", "2", "3"] {
            assert_eq!(sh(&test.replace("${{ matrix.part }}", part)), (0, String::new()), "{part}");
        }
    };
    let good = (0, "4 passed, 0 failed, 0 skipped\n".to_owned());
    assert_eq!(sh("git init -q . && git add -A").0, 0, "what is checked out is a repository");
    // The sample's matchers have deliberate mistakes.
    let (status, found) = sh(lint);
    assert_eq!((status, found.contains("::error file=.claude/settings.json,line=")), (1, true), "{found}");
    let status = sh("hookbench lint --ignore HW703 --fix --yes --proposed").0;
    assert_eq!(status, 0, "{}", sh("hookbench lint --ignore HW703 --format short").1);
    let (status, found) = sh(lint);
    assert_eq!((status, found.contains("::error")), (0, false), "{found}");
    assert_eq!(sh("hookbench undo --yes").0, 0);
    assert_eq!(sh(parts).0, 0);
    all_parts();
    assert_eq!((sh(junit), sh(github)), ((0, String::new()), good));
    let report = || std::fs::read_to_string(demo.project().join("hooks.xml")).unwrap();
    assert!(report().contains("tests=\"4\" failures=\"0\""), "{}", report());
    // A guard that blocks nothing.
    std::fs::write(demo.project().join("hooks/guard.sh"), "#!/bin/sh\nexit 0\n").unwrap();
    all_parts();
    assert_eq!(sh(junit), (0, String::new()));
    assert!(report().contains("tests=\"4\" failures=\"2\""), "{}", report());
    let (status, says) = sh(github);
    assert_eq!(status, 1);
    assert!(
        says.starts_with("::error file=hooks.test.yaml,line=3,col=")
            && says.ends_with("2 passed, 2 failed, 0 skipped\n")
    );
    // An unreadable suite gives no report, and a failed machine's part is missing.
    std::fs::write(demo.project().join("hooks.test.yaml"), "cases: [").unwrap();
    assert_eq!(sh(&test.replace("${{ matrix.part }}", "2")).0, 1, "the step fails");
    std::fs::remove_file(demo.project().join("parts/2.json")).unwrap();
    assert_eq!((sh(junit).0, sh(github).0), (1, 5));
}

/// Hooks of the sample work if the project's path has a space.
#[test]
fn a_blank_in_the_path() {
    let demo = Demo::unpack().unwrap();
    let moved = demo.project().parent().unwrap().join("my shop");
    copy(&demo.project(), &moved);
    for agent in agents_with_settings(&demo) {
        let home = demo.home();
        for (path, text) in agent_words::words_of(agent).reviewed_files(
            moved.canonicalize().unwrap().to_str().unwrap(),
            home.to_str().unwrap(),
            &std::fs::read_to_string(moved.join(agent_words::words_of(agent).settings)).unwrap(),
        ) {
            std::fs::write(path, text).unwrap();
        }
        let words = agent_words::words_of(agent);
        let output = run_program(&["fire", words.tool, "--yes", "--agent", agent, "--expect", "deny"], &moved, &home);
        assert!(output.status.success(), "{agent}: {}", String::from_utf8_lossy(&output.stdout));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("guard.sh") && !text.contains("exit 127"), "{agent}: {text}");
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
