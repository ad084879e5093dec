//! `--env`: hooks run in the environment of this shell, of a login shell, or as an agent last started a forwarding hook.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::sandbox::{ProgramOutput, Sandbox};

/// A project whose hook denies with a program that only `tools` has.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    for program in ["env", "printf"] {
        sandbox.program(program);
    }
    let hook = json!({"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"});
    sandbox.settings(&json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string());
    sandbox.script("../tools/refuse-all", "#!/bin/sh\nexit 2\n");
    sandbox.file("guard.sh", "cat > /dev/null\nprintf '%s' \"$MARK\"\nrefuse-all\n");
    sandbox
}

fn run(sandbox: &Sandbox, own: &[(&str, &str)], line: &str) -> ProgramOutput {
    let mut env = vec![("SHELL".to_owned(), "/bin/sh".to_owned())];
    env.extend(own.iter().map(|(name, value)| ((*name).to_owned(), sandbox.fill_directories(value))));
    sandbox.run_in(&env, line)
}

fn tools(sandbox: &Sandbox) -> String {
    let root = sandbox.project.parent().unwrap();
    format!("{0}/tools:{0}/bin", root.display())
}

#[test]
fn a_firing_names_its_environment_and_runs_in_it() {
    let sandbox = project();
    let path = tools(&sandbox);
    let fire = "fire PreToolUse --tool Bash --as-trusted --yes --format json";
    let verdict = |own: &[(&str, &str)], env: &str| {
        let done = run(&sandbox, own, &format!("{fire}{env}")).json();
        let (environment, run) = (&done["environment"], &done["runs"][0]);
        (
            done["outcome"]["verdict"].clone(),
            environment["source"].clone(),
            run["stdout"].clone(),
            run["inherited"].clone(),
        )
    };
    let own = [("PATH", path.as_str()), ("MARK", "own")];
    assert_eq!(verdict(&own, ""), (json!("deny"), json!("shell"), json!("own"), json!(["MARK"])));
    // A login shell reads the profile only, so it does not find the program.
    sandbox.file("../home/.profile", "echo noise; MARK=login; export MARK; cat\n");
    assert_eq!(verdict(&own, " --env login"), (json!("failed_open"), json!("login"), json!("login"), json!(["MARK"])));
    sandbox.file("../home/.profile", format!("PATH='{path}'\n"));
    assert_eq!(verdict(&[("MARK", "own")], " --env login"), (json!("deny"), json!("login"), json!(""), json!([])));
    let doc = run(&sandbox, &own, &format!("{fire} --env login")).json();
    assert_eq!(doc["environment"]["path"], json!(path.split(':').collect::<Vec<_>>()));
    assert_eq!(doc["runs"][0]["set"].as_array().map(|set| set.contains(&json!("CLAUDE_PROJECT_DIR"))), Some(true));
    let page = run(&sandbox, &own, "fire PreToolUse --tool Bash --as-trusted --yes");
    assert!(
        page.stdout.contains(" env      your shell's PATH and variables; the hooks read MARK from there\n"),
        "{page}"
    );
    let page = run(&sandbox, &own, "fire PreToolUse --tool Bash --as-trusted --yes --env login");
    assert!(
        page.stdout.contains(" env      the PATH and variables of a login shell: PATH=<root>/tools:<root>/bin\n"),
        "{page}"
    );
}

/// A PATH from a settings file is what the hooks find, so no other PATH is named.
#[test]
fn a_path_of_the_settings_is_named_with_its_file() {
    let sandbox = project();
    let path = tools(&sandbox);
    let hook = json!({"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"});
    let settings = json!({"env": {"PATH": path}, "hooks": {"PreToolUse": [{"hooks": [hook]}]}});
    sandbox.settings(&settings.to_string());
    for env in ["", " --env login"] {
        let page = run(&sandbox, &[], &format!("fire PreToolUse --tool Bash --as-trusted --yes{env}"));
        let lines: Vec<&str> = page.stdout.lines().filter(|line| line.contains("PATH=")).collect();
        assert_eq!(lines, ["          PATH=<root>/tools:<root>/bin, from .claude/settings.json:1"], "{page}");
    }
}

#[test]
fn a_login_shell_that_fails_is_named() {
    let sandbox = project();
    sandbox.file("../home/.profile", "exit 3\n");
    let done = run(&sandbox, &[], "fire PreToolUse --tool Bash --as-trusted --yes --env login");
    let done = done.assert_stderr(&["the login shell /bin/sh did not print its environment: exit 3"]);
    assert_ne!(done.status, 0);
}

#[test]
fn the_environment_of_an_agent_is_what_its_forwarding_hook_saw() {
    let sandbox = project();
    let fire = "fire PreToolUse --tool Bash --agent claude --as-trusted --yes --format json --env agent";
    let unseen = run(&sandbox, &[], fire);
    unseen.assert_stderr(&["Claude Code has not started a forwarding hook yet", "hookbench install --agent claude"]);
    let path = tools(&sandbox);
    let seen = [("PATH", path.as_str()), ("MARK", "agent"), ("SOME_TOKEN", "secret"), ("NVM_DIR", "/nvm")];
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let forward = |own: &[(&str, &str)]| {
        let env: Vec<_> = own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        sandbox.run_in_with(&env, "forward --agent claude", payload.to_string().as_bytes()).assert_status(0);
    };
    forward(&seen);
    let file = sandbox.home.join(".local/state/hookbench/environment-claude");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(&format!("PATH={path}\n")) && text.contains("NVM_DIR=/nvm\n"), "{text}");
    assert!(!text.contains("secret") && !text.contains("MARK"), "{text}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    forward(&seen);
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before, "it is written only if it changed");
    let doc = run(&sandbox, &[("MARK", "own"), ("NVM_DIR", "/other")], fire).json();
    assert_eq!((&doc["outcome"]["verdict"], &doc["environment"]["source"]), (&json!("deny"), &json!("agent")));
    assert_eq!(doc["runs"][0]["stdout"], "own", "variables that are not stored are those of this shell");
    // The same firing in this shell says what the agent would not find.
    let narrow = sandbox.project.parent().unwrap().join("bin").display().to_string();
    forward(&[("PATH", narrow.as_str())]);
    let page = run(&sandbox, &seen, "fire PreToolUse --tool Bash --agent claude --as-trusted --yes");
    let said =
        "refuse-all is not on the PATH that Claude Code was last seen with: <root>/bin; --env agent runs hooks with it";
    assert!(page.stdout.contains(said), "{page}");
    let page = run(&sandbox, &seen, "why guard.sh --agent claude --as-trusted");
    let said = "guard.sh runs with your PATH, but refuse-all is not on the PATH that Claude Code was last seen with: <root>/bin\n";
    assert!(page.stdout.contains(said), "{page}");
    let lint = |own: &[(&str, &str)]| {
        run(&sandbox, own, "lint --agent claude --as-trusted --select HW409 --format short").stdout
    };
    let said =
        "refuse-all (<root>/tools/refuse-all) is not on the PATH that Claude Code was last seen with: <root>/bin";
    assert!(lint(&seen).contains(said), "{}", lint(&seen));
    forward(&seen);
    assert_eq!(lint(&seen), "", "the agent has it");
    let other = run(&sandbox, &[], "fire BeforeTool --agent gemini --as-trusted --yes --env agent");
    other.assert_stderr(&["Gemini CLI has not started a forwarding hook yet"]);
    let all = run(&sandbox, &[], "fire PreToolUse --agent all --as-trusted --yes --env agent");
    all.assert_status(2).assert_stderr(&["--env agent needs one agent"]);
}

#[test]
fn a_hook_that_hookbench_runs_does_not_change_what_the_agent_was_seen_with() {
    let sandbox = project();
    let program = env!("CARGO_BIN_EXE_hookbench");
    let hook = json!({"type": "command", "command": format!("'{program}' forward --agent claude")});
    sandbox.settings(&json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string());
    run(&sandbox, &[], "fire PreToolUse --tool Bash --as-trusted --yes").assert_status(0);
    assert!(!sandbox.home.join(".local/state/hookbench/environment-claude").exists());
}

#[test]
fn suites_stress_and_replays_take_the_environment() {
    let sandbox = project();
    let path = tools(&sandbox);
    sandbox.file("../home/.profile", format!("PATH='{path}'\n"));
    let suite = "agent: claude\ntrusted: true\ncases:\n  - name: refused\n    event: PreToolUse\n    tool: Bash\n    input: {command: ls}\n    expect: {verdict: deny}\n";
    sandbox.file("hooks.test.yaml", suite);
    run(&sandbox, &[], "test --yes").assert_status(1);
    run(&sandbox, &[], "test --yes --env login").assert_status(0);
    let event = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
        "cwd": sandbox.project.to_str().unwrap(), "session_id": "s"});
    sandbox.file("event.json", event.to_string());
    let verdict = |env: &str| {
        let line =
            format!("replay event.json --agent claude --as-trusted --run --yes --baseline recorded --format json{env}");
        let doc: Value = run(&sandbox, &[], &line).json();
        doc["events"][0]["after"]["verdict"].clone()
    };
    assert_eq!((verdict(""), verdict(" --env login")), (json!("failed_open"), json!("deny")));
    let says = |env: &str| {
        let line = format!("stress guard.sh --as-trusted --world-only --in-place --yes --format json{env}");
        run(&sandbox, &[], &line).json()["verdict"].clone()
    };
    assert_eq!((says(""), says(" --env login")), (json!("failed_open"), json!("deny")));
}

#[test]
fn the_log_of_runs_keeps_the_environment_of_each() {
    let sandbox = project();
    let path = tools(&sandbox);
    sandbox.file("../home/config/hookbench/config.toml", "[log]\nruns = true\n");
    sandbox.file("../home/.profile", format!("PATH='{path}'\n"));
    let fire = "fire PreToolUse --tool Bash --as-trusted --yes --format json";
    run(&sandbox, &[], &format!("{fire} --env login")).assert_status(0);
    let hook = json!({"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"});
    let settings = json!({"env": {"PATH": path}, "hooks": {"PreToolUse": [{"hooks": [hook]}]}});
    sandbox.settings(&settings.to_string());
    let fired = run(&sandbox, &[], fire).json();
    let directories: Vec<&str> = path.split(':').collect();
    let of_login = json!({"source": "login", "path": directories});
    let of_settings = json!({"source": "shell", "path": directories, "path_from": ".claude/settings.json:1"});
    assert_eq!(fired["environment"], of_settings, "the PATH that the hook got");
    let shown =
        |event: u32| run(&sandbox, &[], &format!("db show {event} --format json")).json()["environment"].clone();
    assert_eq!((shown(1), shown(2)), (of_login, of_settings));
    let page = run(&sandbox, &[], "db show 2").stdout;
    assert!(page.contains("PATH=<root>/tools:<root>/bin, from .claude/settings.json:1\n"), "{page}");
    let lines = run(&sandbox, &[], "db export").raw;
    let sources: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["outcome"]["environment"]["source"].clone())
        .collect();
    assert_eq!(sources, ["login", "shell"]);
}

/// A suite of one agent names the agent whose environment is meant.
#[test]
fn the_environment_of_the_agent_of_a_suite() {
    let sandbox = project();
    let case = "cases:\n  - name: refused\n    event: PreToolUse\n    tool: Bash\n";
    sandbox.file("hooks.test.yaml", format!("agent: claude\n{case}"));
    let unseen = run(&sandbox, &[], "test --yes --env agent");
    unseen.assert_stderr(&["Claude Code has not started a forwarding hook yet"]);
    sandbox.file("hooks.test.yaml", format!("agent: [claude, codex]\n{case}"));
    run(&sandbox, &[], "test --yes --env agent").assert_status(2).assert_stderr(&["--env agent needs one agent"]);
}

#[test]
fn a_missing_program_names_the_environment_that_lacks_it() {
    let page = run(&project(), &[], "fire PreToolUse --tool Bash --as-trusted --yes --format json").raw;
    assert!(
        page.contains("the hook ran with your shell's PATH and variables; `--env agent` uses that of the agent"),
        "{page}"
    );
}

/// A firing is a test: hookbench's own hooks would record it as an event of the agent.
#[test]
fn a_firing_leaves_out_the_hooks_that_record_events() {
    let sandbox = project();
    let own = json!({"type": "command", "command": "hookbench forward --agent claude"});
    let hook = json!({"type": "command", "command": "exit 2"});
    sandbox.settings(&json!({"hooks": {"PreToolUse": [{"hooks": [own, hook]}]}}).to_string());
    let asked = run(&sandbox, &[], "fire PreToolUse --tool Bash --as-trusted").assert_status(4);
    assert!(!format!("{asked}").contains("hookbench forward"), "{asked}");
    for line in ["fire PreToolUse --tool Bash --as-trusted --yes", "replay event.json --run --as-trusted --yes"] {
        let event = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
            "cwd": sandbox.project.to_str().unwrap(), "session_id": "s"});
        sandbox.file("event.json", event.to_string());
        let page = run(&sandbox, &[], line);
        assert!(!page.raw.contains("failed") && page.stdout.contains("exit 2"), "{line}:\n{page}");
    }
    let doc = run(&sandbox, &[], "fire PreToolUse --tool Bash --as-trusted --yes --format json").json();
    assert_eq!(doc["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(doc["plan"][0]["why"]["rule"], "plan.left-out");
    let plan = run(&sandbox, &[], "plan PreToolUse --tool Bash --as-trusted --format json").json();
    assert_eq!(plan["plan"][0]["verdict"], "fires", "the agent runs it");
}
