//! `--agent-args` in every command that reads settings. Which hooks run is in `rules/agent_arguments.rs`.

use serde_json::Value;

use crate::sandbox::Sandbox;

const HOOK: &str =
    r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./h"}]}]}}"#;

/// A project whose own hook passes, and whose `ci.json` has one that refuses.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::for_agent("claude");
    sandbox.script("h", "#!/bin/sh\nexit 0\n").script("ci", "#!/bin/sh\necho of ci >&2\nexit 2\n");
    sandbox.file(".claude/settings.json", HOOK).file("ci.json", HOOK.replace("./h", "./ci"));
    sandbox
}

fn json(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.run(line).raw).unwrap()
}

#[test]
fn every_command_follows_the_arguments() {
    let sandbox = sandbox();
    let fire = "PreToolUse --tool Bash --agent claude --format json";
    let verdict = |arguments: &str| {
        json(&sandbox, &format!("fire {fire} --yes {arguments}"))["outcome"]["verdict"].as_str().unwrap().to_owned()
    };
    let of_ci = "--agent-args '--settings ci.json'";
    assert_eq!(verdict(""), "no_objection");
    assert_eq!(verdict(of_ci), "deny");
    assert_eq!(verdict("--agent-args '--settings ci.json --bare'"), "not_run");
    assert_eq!(verdict("--agent-args 'claude --setting-sources user'"), "not_run");

    let plan = json(&sandbox, &format!("plan {fire} {of_ci}"));
    let fires = plan["plan"].as_array().unwrap().iter().filter(|hook| hook["verdict"] == "fires");
    let files: Vec<&str> = fires.filter_map(|hook| hook["source"]["file"].as_str()).collect();
    assert_eq!(files, [".claude/settings.json", "ci.json"], "{plan:#}");

    let list = json(&sandbox, &format!("list --agent claude --format json {of_ci}"));
    let layers = list["agents"][0]["layers"].as_array().unwrap();
    let flag = layers.iter().find(|layer| layer["layer"] == "flag").unwrap();
    assert_eq!((&flag["file"], &flag["state"]), (&Value::from("ci.json"), &Value::from("read")));
    assert_eq!(flag["says"], "an argument of the agent gives it: --settings");

    let why = sandbox.run("why h1 --agent claude --agent-args '--setting-sources user'").stdout;
    assert!(why.contains("`--setting-sources user` excludes the project settings"), "{why}");

    sandbox.file(
        "hooks.test.yaml",
        "agent: claude\ncases:\n  - name: t\n    event: PreToolUse\n    tool: Bash\n    expect: { verdict: deny }\n",
    );
    sandbox.run("test --yes").assert_status(1);
    sandbox.run(&format!("test --yes {of_ci}")).assert_status(0);
}

#[test]
fn a_text_in_an_argument_is_a_layer_that_nothing_changes() {
    let sandbox = sandbox();
    let text = HOOK.replace("\"Bash\"", "\"bash\"").replace('"', "\\\"");
    let line = format!("lint --agent claude --agent-args '--settings \"{text}\"'");
    let page = sandbox.run(&line).stdout;
    assert!(page.contains("--settings:1:"), "{page}");
    sandbox.run(&line.replace("--agent-args", "--fix --proposed --agent-args"));
    assert!(!sandbox.project.join("--settings").exists());
}

#[test]
fn what_is_not_followed_is_said() {
    let sandbox = sandbox();
    let unknown =
        "the argument --frobnicate of Claude Code is unknown, so hookbench ignores it; it may change which hooks run";
    let fire = "PreToolUse --tool Bash --agent claude --format json";
    for command in [format!("plan {fire}"), format!("fire {fire} --yes"), "list --agent claude".to_owned()] {
        let output = sandbox.run(&format!("{command} --agent-args --frobnicate"));
        assert_eq!(output.stdout.matches(unknown).count(), 1, "{command}: {output}");
        assert!(!output.stderr.contains(unknown), "{command}: {output}");
        let silent = sandbox.run(&format!("{command} --agent-args '-p \"fix it\" --model m --verbose'"));
        assert!(!format!("{}{}", silent.stdout, silent.stderr).contains("argument"), "{command}: {silent}");
    }
    let list = "list --agent claude --format json --agent-args --frobnicate";
    let says = |sandbox: &Sandbox| json(sandbox, list)["agents"][0]["diagnostics"][0]["message"].clone();
    assert_eq!((says(&sandbox), says(&Sandbox::new())), (unknown.into(), unknown.into()));
    let lint = sandbox.run("lint --agent claude --agent-args --frobnicate").stdout;
    assert!(lint.contains("HW715") && lint.contains(unknown), "{lint}");
    let two = sandbox.run("list --agent all --agent-args --bare").assert_status(2);
    assert!(two.stderr.contains("--agent-args needs one agent"), "{}", two.stderr);
    let open = sandbox.run("list --agent claude --agent-args '--settings \"x'").assert_status(2);
    assert!(open.stderr.contains("--agent-args"), "{}", open.stderr);
}

/// Without a session nothing happens on an event, so the headline promises nothing.
#[test]
fn an_agent_that_does_not_start_does_nothing() {
    let sandbox = sandbox();
    let hook = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#;
    sandbox.file(".factory/settings.json", hook).file(".claude/settings.json", hook);
    for agent in ["claude", "droid"] {
        let run = |line: &str| {
            let line = format!("{line} --agent {agent} --agent-args '--settings nope.json'");
            sandbox.run(&line).assert_status(0).stdout
        };
        let says = "The agent does not start, so no session begins\n";
        let (fired, planned, why) = (run("fire PreToolUse --yes"), run("plan PreToolUse"), run("why 'exit 2'"));
        assert!(fired.contains(&format!(" NO HOOK RUNS  {says}")) && !fired.contains("\n\n\n"), "{fired}");
        assert!(planned.contains(&format!(" NO HOOK RUNS   {says}")), "{planned}");
        assert!(why.contains("  2 parsed           NO  the agent does not start: "), "{why}");
        let causes =
            fired.lines().take_while(|line| !line.contains("not run")).filter(|line| line.contains("nope.json"));
        assert_eq!(causes.count(), 1, "the cause is said once above the hooks: {fired}");
    }
}

#[test]
fn an_agent_that_does_not_start_is_named_with_the_argument() {
    let sandbox = sandbox();
    for (arguments, why) in [
        ("--settings nope.json", "the agent does not start: the file of `--settings nope.json` cannot be read"),
        ("--settings \"{bad}\"", "the agent does not start: the text of `--settings` is not valid JSON"),
    ] {
        let line = format!("plan PreToolUse --tool Bash --agent claude --agent-args '{arguments}'");
        let page = sandbox.run(&line).stdout;
        assert!(page.contains(why), "{arguments}: {page}");
    }
}

/// Whoever writes a plugin works in its directory, where the agent does not load it on its own.
#[test]
fn the_plugins_of_a_project_are_checked_and_their_start_is_named() {
    let late = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 600000}]}]}}"#;
    let sandbox = Sandbox::for_agent("claude");
    sandbox.file(".claude-plugin/plugin.json", r#"{"name": "late"}"#).file("hooks/hooks.json", late);
    let lint = json(&sandbox, "lint --agent claude --format json");
    let codes = |lint: &Value| -> Vec<String> {
        lint["diagnostics"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((codes(&lint), &lint["started_with"]), (vec!["HW501".to_owned()], &"claude --plugin-dir .".into()));
    let page = sandbox.run("lint --agent claude").stdout;
    assert!(page.ends_with("\nChecked as started with: claude --plugin-dir ."), "{page}");

    let cure = "--agent-args 'claude --plugin-dir .' shows a start that loads it";
    for line in ["plan Stop", "why hooks/hooks.json", "why true", "list"] {
        let output = sandbox.run(&format!("{line} --agent claude"));
        let (out, err) = (&output.stdout, &output.stderr);
        assert!(out.contains(cure) || err.contains(cure), "{line}: {output}");
    }
    let started = sandbox.run("plan Stop --agent claude --agent-args 'claude --plugin-dir .'").stdout;
    assert!(!started.contains(cure) && started.contains("1 would run"), "{started}");
    let other = json(&sandbox, "lint --agent claude --agent-args --bare --format json");
    assert_eq!(codes(&other), ["HW107"], "the given arguments are kept");
}

#[test]
fn a_marketplace_lists_the_plugins_of_a_project() {
    let sandbox = Sandbox::for_agent("claude");
    let entries = r#"{"plugins": [{"source": "./p/one"}, {"source": "./p/two/"}, {"source": "./p/bare"}, {"source": {"github": "a/b"}}]}"#;
    sandbox.file(".claude-plugin/marketplace.json", entries);
    for name in ["one", "two"] {
        sandbox.file(&format!("p/{name}/.claude-plugin/plugin.json"), format!(r#"{{"name": "{name}"}}"#));
        sandbox.file(
            &format!("p/{name}/hooks/hooks.json"),
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#,
        );
    }
    sandbox.file("p/bare/.claude-plugin/plugin.json", r#"{"name": "bare"}"#);
    let lint = json(&sandbox, "lint --agent claude --format json");
    let started = "claude --plugin-dir p/one --plugin-dir p/two";
    assert_eq!((&lint["hooks"], &lint["started_with"]), (&2.into(), &started.into()), "{lint:#}");
}
