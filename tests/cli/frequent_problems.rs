//! The most frequent user problems, and the answer of `why`: the mistake that lint finds, its rung, and the fix.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::sandbox::Sandbox;

/// Agent, file, content, hook, failing rung, parts of the answer.
type FrequentProblem = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static [&'static str]);

const COMPLAINTS: [FrequentProblem; 5] = [
    (
        "claude",
        ".claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "type": "command", "command": "true"}]}}"#,
        "true",
        "parsed",
        &["true does not run here: this handler is not inside a `hooks: [ … ]` list", "Fix: wrap it"],
    ),
    (
        "claude",
        ".claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "Command", "command": "true"}]}]}}"#,
        "true",
        "parsed",
        &["the handler type \"Command\" is unknown", "Fix: write \"command\""],
    ),
    (
        "claude",
        ".claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/crlf.sh"}]}]}}"#,
        "crlf.sh",
        "command",
        &["the first line ends in a carriage return", "Fix: save it with LF line endings"],
    ),
    (
        "codex",
        ".codex/hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/guard.sh"}]}]}}"#,
        "guard.sh",
        "command",
        &[
            "Codex does not set $CLAUDE_PROJECT_DIR",
            r#"Fix: write "$(git rev-parse --show-toplevel 2>/dev/null || pwd)""#,
        ],
    ),
    (
        "codex",
        ".codex/hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "\"$(git rev-parse --show-toplevel)\"/x.sh"}]}]}}"#,
        "x.sh",
        "command",
        &["this directory is not in a git repository, so /x.sh does not exist", "Fix: run `git init`"],
    ),
];

#[test]
fn why_names_the_mistake_and_what_to_do() {
    for (agent, file, text, hook, rung, says) in COMPLAINTS {
        let sandbox = Sandbox::for_agent(agent);
        sandbox.file(file, text).script("crlf.sh", "#!/bin/sh\r\ntrue\r\n");
        sandbox.mark_reviewed(text);
        let doc = sandbox.run(&format!("why {hook} --agent {agent} --format json")).assert_status(0).json();
        let red = doc["rungs"].as_array().unwrap().iter().find(|rung| rung["state"] == "no");
        assert_eq!(red.map(|rung| &rung["rung"]), Some(&rung.into()), "{text}\n{doc:#}");
        let answer = doc["answer"].as_str().unwrap();
        for part in says {
            assert!(answer.contains(part), "{text}: {answer}");
        }
    }
}

/// A hook that passes all ten steps may still do nothing: what lint knows of its command and of its answer stands at the
/// ninth and the tenth, for each hook that starts the script.
#[test]
fn why_names_what_lint_knows_of_the_script() {
    let sandbox = Sandbox::for_agent("claude");
    let hook =
        |matcher: &str, command: &str| json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]});
    let hooks = json!({"PreToolUse": [
        hook("Bash", "sh hooks/note.sh"),
        hook("Write", "sh \"$CLAUDE_PROJECT_DIR\"/hooks/note.sh"),
        hook("Read", "sh \"$CLAUDE_PROJECT_DIR\"/hooks/good.sh"),
    ]});
    sandbox.settings(&json!({"hooks": hooks}).to_string());
    sandbox.file("hooks/note.sh", "#!/bin/sh\necho '{\"additionalContext\": \"hello\"}'\n");
    sandbox.file("hooks/good.sh", "#!/bin/sh\nexit 0\n");
    let lost = "`additionalContext` at the top of the answer does nothing on PreToolUse";
    let finding = json!([{"code": "HW603", "severity": "error", "says": lost, "file": "hooks/note.sh", "line": 2}]);
    for (hook, of_command, of_answer) in
        [("h1", json!("HW404"), finding.clone()), ("h2", Value::Null, finding), ("h3", Value::Null, Value::Null)]
    {
        let doc = sandbox.run(&format!("why {hook} --agent claude --format json")).assert_status(0).json();
        let (command, started) = (&doc["rungs"][8], &doc["rungs"][9]);
        assert_eq!(
            (&command["findings"][0]["code"], &started["findings"]),
            (&of_command, &of_answer),
            "{hook}: {doc:#}"
        );
        assert_eq!(doc["answer"].as_str().unwrap().contains(lost), !of_answer.is_null(), "{hook}: {doc:#}");
        assert_eq!((&command["state"], &started["state"]), (&json!("ok"), &json!("skipped")), "{hook}");
    }
    let page = sandbox.run("why h2 --agent claude").stdout;
    assert!(
        page.contains(&format!(
            "\n 10 started          -   not run yet\n{:21}error   HW603 at hooks/note.sh:2: {lost}",
            ""
        )),
        "{page}"
    );
}

/// What lint reads in a script is told at the step that it concerns.
#[test]
fn why_tells_findings_about_a_script_at_their_step() {
    let sandbox = Sandbox::for_agent("claude");
    let hook = |script: &str, more: serde_json::Value| {
        let mut hook = json!({"type": "command", "command": format!("sh \"$CLAUDE_PROJECT_DIR\"/{script}")});
        hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"hooks": [hook]})
    };
    let hooks = json!({
        "PreToolUse": [
            hook("guard.sh", json!({"async": true})),
            hook("guard.sh", json!({"if": "Bash(git push *)"})),
            hook("eval.sh", json!({})),
        ],
        "Notification": [hook("note.sh", json!({}))],
        "SessionStart": [hook("chain.sh", json!({}))],
    });
    sandbox.settings(&json!({"hooks": hooks}).to_string());
    for script in ["guard.sh", "note.sh"] {
        sandbox.file(script, "#!/bin/sh\necho no >&2\nexit 2\n");
    }
    sandbox.file("eval.sh", "#!/bin/sh\neval \"$(jq -r .tool_input.command)\"\n");
    sandbox.file("chain.sh", "#!/bin/sh\nclaude -p 'summarize'\n");
    for (hook, rung, code) in [
        ("h1", "started", "HW510"),
        ("h2", "condition", "HW802"),
        ("h3", "started", "HW807"),
        ("h4", "event_known", "HW205"),
        ("h5", "started", "HW814"),
    ] {
        let doc = sandbox.run(&format!("why {hook} --agent claude --format json")).assert_status(0).json();
        let rungs = doc["rungs"].as_array().unwrap();
        let has_code = |rung: &&serde_json::Value| {
            rung["findings"].as_array().is_some_and(|all| all.iter().any(|found| found["code"] == code))
        };
        let at: Vec<&serde_json::Value> = rungs.iter().filter(has_code).map(|rung| &rung["rung"]).collect();
        assert_eq!(at, [rung], "{hook}: {doc:#}");
    }
}

/// A hook that only the main checkout has is not there, and `why` says so.
#[test]
fn why_names_the_worktree_without_the_hooks_of_the_main_checkout() {
    let sandbox = Sandbox::for_agent("claude");
    let main = |path: &str| sandbox.home.join("main").join(path).to_str().unwrap().to_owned();
    sandbox.file(".git", format!("gitdir: {}\n", main(".git/worktrees/w")));
    sandbox.file(&main(".git/HEAD"), "ref: refs/heads/main\n");
    sandbox.file(&main(".git/worktrees/w/gitdir"), format!("{}\n", sandbox.project.join(".git").display()));
    let hook = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "sh guard.sh"}]});
    sandbox.file(&main(".claude/settings.json"), json!({"hooks": {"PreToolUse": [hook]}}).to_string());
    let told = sandbox.run("why guard.sh --agent claude").assert_status(2);
    told.assert_stderr(&["no hook has the id, name or place \"guard.sh\"", "they do not run here [HW716]"]);
}

/// If an entry is not a valid hook, `why` explains the mistake in the entry.
#[test]
fn why_explains_an_invalid_entry() {
    let sandbox = Sandbox::for_agent("claude");
    sandbox.file(
        ".claude/settings.json",
        r#"{"PreToolUse": [{"hooks": [{"type": "command", "command": "sh guard.sh"}]}]}"#,
    );
    let told = sandbox.run("why guard.sh --agent claude").assert_status(2);
    told.assert_stderr(&[
        "no hook has the id, name or place \"guard.sh\"",
        "hooks are outside `hooks`, where they do not load",
        "Fix: ",
    ]);
}

/// The six mistakes of a first hook, in the words of an agent: a name, a mistake in the settings, and its code.
/// `None` where the agent has no such mistake.
const MISTAKES: [&str; 6] = ["case", "mode", "event", "switch", "comma", "blocked by no status"];

/// Agent, settings file, correct settings, and for each mistake what replaces what, and the code of the finding.
type FirstHook = (&'static str, &'static str, &'static str, [Option<(&'static str, &'static str, &'static str)>; 6]);

const FIRST_HOOKS: [FirstHook; 6] = [
    (
        "claude",
        ".claude/settings.json",
        r#"{"disableAllHooks":false,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/guard.sh"}]}]}}"#,
        [
            Some((r#""Bash""#, r#""bash""#, "HW301")),
            Some(("", "", "HW402")),
            Some(("PreToolUse", "PreTooluse", "HW201")),
            Some(("false", "true", "HW701")),
            Some(("}]}]}}", "}]},]}}", "HW101")),
            Some(("", "", "HW601")),
        ],
    ),
    (
        "qwen",
        ".qwen/settings.json",
        r#"{"disableAllHooks":false,"hooks":{"PreToolUse":[{"matcher":"run_shell_command","hooks":[{"type":"command","command":"\"$QWEN_PROJECT_DIR\"/guard.sh"}]}]}}"#,
        [
            Some(("run_shell", "Run_shell", "HW301")),
            Some(("", "", "HW402")),
            Some(("PreToolUse", "PreTooluse", "HW201")),
            Some(("false", "true", "HW701")),
            Some(("}]}]}}", "}]},]}}", "HW101")),
            Some(("", "", "HW601")),
        ],
    ),
    (
        "gemini",
        ".gemini/settings.json",
        r#"{"hooksConfig":{"enabled":true},"hooks":{"BeforeTool":[{"matcher":"run_shell_command","hooks":[{"type":"command","command":"\"$GEMINI_PROJECT_DIR\"/guard.sh"}]}]}}"#,
        [
            Some(("run_shell", "Run_shell", "HW301")),
            Some(("", "", "HW402")),
            Some(("BeforeTool", "Beforetool", "HW201")),
            Some(("true", "false", "HW207")),
            Some(("}]}]}}", "}]},]}}", "HW101")),
            Some(("", "", "HW601")),
        ],
    ),
    (
        "codex",
        ".codex/hooks.json",
        r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"\"$PWD\"/guard.sh"}]}]}}"#,
        [
            Some((r#""Bash""#, r#""bash""#, "HW301")),
            Some(("", "", "HW402")),
            Some(("PreToolUse", "PreTooluse", "HW201")),
            None,
            Some(("}]}]}}", "}]},]}}", "HW101")),
            Some(("", "", "HW601")),
        ],
    ),
    (
        "copilot",
        ".github/hooks/guard.json",
        r#"{"version":1,"disableAllHooks":false,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"\"$COPILOT_PROJECT_DIR\"/guard.sh"}]}]}}"#,
        [
            Some((r#""Bash""#, r#""BASH""#, "HW301")),
            Some(("", "", "HW402")),
            Some(("PreToolUse", "PreTooluse", "HW201")),
            Some(("false", "true", "HW207")),
            Some(("}]}]}}", "}]},]}}", "HW101")),
            // Exit 1 denies in this agent; its reason is lost.
            Some(("", "", "HW634")),
        ],
    ),
    (
        "droid",
        ".factory/settings.json",
        r#"{"hooks":{"PreToolUse":[{"matcher":"Execute","hooks":[{"type":"command","command":"\"$FACTORY_PROJECT_DIR\"/guard.sh"}]}]}}"#,
        [
            Some(("Execute", "execute", "HW301")),
            Some(("", "", "HW402")),
            Some(("PreToolUse", "PreTooluse", "HW201")),
            // No key switches hooks off.
            None,
            Some(("}]}]}}", "}]},]}}", "HW101")),
            Some(("", "", "HW601")),
        ],
    ),
];

#[test]
fn the_mistakes_of_a_first_hook_are_found_and_mended_in_every_agent() {
    const REFUSES: &str = "#!/bin/sh\necho 'Blocked: not here' >&2\nexit 2\n";
    for (agent, file, correct, mistakes) in FIRST_HOOKS {
        for (name, mistake) in MISTAKES.into_iter().zip(mistakes) {
            let Some((right, wrong, code)) = mistake else { continue };
            let sandbox = Sandbox::for_agent(agent);
            let text = if right.is_empty() { correct.to_owned() } else { correct.replacen(right, wrong, 1) };
            sandbox.file(file, &text).script("guard.sh", REFUSES);
            match name {
                "mode" => sandbox.file("guard.sh", REFUSES),
                "blocked by no status" => sandbox.script("guard.sh", &REFUSES.replace("exit 2", "exit 1")),
                _ => &sandbox,
            };
            sandbox.mark_reviewed(&text);
            let lint = format!("lint --agent {agent} --as-trusted --format json");
            let found = || -> Vec<String> {
                let doc = sandbox.run(&lint).json();
                let all = doc["diagnostics"].as_array().unwrap().iter();
                all.map(|one| one["code"].as_str().unwrap().to_owned()).collect()
            };
            let before = found();
            assert_eq!(before.iter().filter(|one| *one == code).count(), 1, "{agent}, {name}: {before:?}");
            if name == "blocked by no status" && agent == "copilot" {
                continue;
            }
            sandbox.run(&format!("lint --agent {agent} --as-trusted --fix --proposed --yes --select {code}"));
            let after = found();
            assert!(!after.iter().any(|one| one == code), "{agent}, {name}: {after:?}");
        }
    }
}

/// Without an event, `why` speaks of the tool that the matcher means, and of the hook that runs in place of an equal one.
#[test]
fn why_chooses_an_event_that_is_meant() {
    let group = |matcher: &str| {
        format!(
            r#"{{"hooks": {{"PostToolUse": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "true"}}]}}]}}}}"#
        )
    };
    for (project, local, rung, says) in [
        ("edit|write", "", "matcher", "\"write\" is not \"Write\" (case)"),
        (
            "Edit|Write",
            "Edit|Write",
            "started",
            "the same hook is in .claude/settings.local.json:1; of equal hooks, the last one runs",
        ),
    ] {
        let sandbox = Sandbox::for_agent("claude");
        sandbox.file(".claude/settings.json", group(project));
        if !local.is_empty() {
            sandbox.file(".claude/settings.local.json", group(local));
        }
        let doc = sandbox.run("why true --agent claude --format json").assert_status(0).json();
        let red = doc["rungs"].as_array().unwrap().iter().find(|rung| rung["state"] == "no").unwrap();
        assert_eq!((&red["rung"], &red["says"]), (&rung.into(), &says.into()), "{doc:#}");
    }
}

/// A plan names a hook that matches and cannot start, and one fix corrects all names of a matcher.
#[test]
fn what_cannot_start_is_planned_to_fail() {
    let sandbox = Sandbox::for_agent("claude");
    let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/gone.sh"}]}], "PostToolUse": [{"matcher": "edit|write", "hooks": [{"type": "command", "command": "true"}]}]}}"#;
    sandbox.file(".claude/settings.json", text);
    let planned = sandbox.run("plan PreToolUse --agent claude").assert_status(0);
    for says in ["WILL FAIL   1 would run and fail", "will fail: gone.sh does not exist"] {
        assert!(planned.stdout.contains(says), "{}", planned.stdout);
    }
    let found = sandbox.run("lint --agent claude").assert_status(1).stdout;
    let says = "\"edit\" and \"write\" differ from \"Edit\" and \"Write\" in case, so they never match";
    assert!(found.contains(says) && found.contains("Edit|Write"), "{found}");
}

/// A misspelt variable is replaced by the agent's own, in the form in which it is written.
#[test]
fn a_misspelt_variable_has_a_fix() {
    for (written, fixed) in
        [("$CLAUDE_PROJET_DIR", "$CLAUDE_PROJECT_DIR"), ("${CLAUDE_PROJ_DIR}", "${CLAUDE_PROJECT_DIR}")]
    {
        let sandbox = Sandbox::for_agent("claude");
        let command = format!(r#"\"{written}\"/guard.sh"#);
        sandbox.file(
            ".claude/settings.json",
            format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#),
        );
        sandbox.script("guard.sh", "#!/bin/sh\n");
        sandbox.run("lint --agent claude --fix --proposed --yes").assert_status(0);
        let text = std::fs::read_to_string(sandbox.project.join(".claude/settings.json")).unwrap();
        assert!(text.contains(&format!("{fixed}\\\"/guard.sh")), "{text}");
    }
}
