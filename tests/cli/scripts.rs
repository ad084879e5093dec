//! An agent whose hooks are scripts: what is written for it, and what is not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hookbench::core::recipe::recipes;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A guard of the project, whose language is that of a shell line.
const HOOK: &str = "#!/bin/bash\nif grep -q 'rm -rf'; then echo '{\"cancel\": true, \"errorMessage\": \"no\"}'; fi\n";

/// A hook needs no right to execute, and its answer counts whatever its status is.
#[test]
fn a_file_with_the_name_of_an_event_is_a_hook() {
    let sandbox = Sandbox::for_agent("cline");
    sandbox.file(".clinerules/hooks/pretooluse", HOOK);
    for (command, verdict) in [("rm -rf build", "deny"), ("ls", "no_objection")] {
        let input = json!({ "commands": [command] });
        let line = format!("fire PreToolUse --agent cline --tool run_commands --input '{input}' --yes --format json");
        let fired = sandbox.run(&line).assert_status(0).json();
        assert_eq!(fired["outcome"]["verdict"], verdict, "{fired:#}");
    }
}

/// Each event has its own script, which is removed with the entry. A script of the user is not changed.
#[test]
fn install_writes_a_script_for_each_event() {
    let sandbox = Sandbox::for_agent("cline");
    sandbox.hookbench();
    let folder = sandbox.home.join(".cline/hooks");
    sandbox.run("install --agent cline --yes").assert_status(0);
    let script = fs::read_to_string(folder.join("PreToolUse.sh")).unwrap();
    assert!(script.starts_with("#!/bin/sh\n") && script.ends_with(" forward --agent cline\n"), "{script}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 9);
    sandbox.run("install --agent cline --yes").assert_status(0);
    assert_eq!(fs::read_to_string(folder.join("PreToolUse.sh")).unwrap(), script);
    sandbox.run("uninstall --agent cline --yes").assert_status(0);
    assert!(!folder.join("PreToolUse.sh").exists());
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("PreToolUse.sh"), HOOK).unwrap();
    let refused = sandbox.run("install --agent cline --yes");
    refused.assert_status(5).assert_stderr(&["this file is a hook already, and a file is only one"]);
    assert_eq!(fs::read_to_string(folder.join("PreToolUse.sh")).unwrap(), HOOK);
}

/// A project with hooks of another agent on the event before a tool: matchers with their commands.
fn project_with(hooks: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::for_agent("cline");
    sandbox.hookbench();
    let group = |(matcher, command): &(&str, &str)| json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]});
    let groups: Vec<_> = hooks.iter().map(group).collect();
    sandbox.file(".claude/settings.json", json!({"hooks": {"PreToolUse": groups}}).to_string());
    sandbox
}

/// The files of the project's folder, with their texts.
fn scripts(sandbox: &Sandbox) -> Vec<(String, String)> {
    let entries = fs::read_dir(sandbox.project.join(".clinerules/hooks")).into_iter().flatten().flatten();
    let mut all: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn a_script_is_converted_to_another_agent() {
    let sandbox = Sandbox::for_agent("cline");
    sandbox.file(".clinerules/hooks/PreToolUse", HOOK);
    let made = sandbox.run("convert --from cline --to claude --layer project").stdout;
    assert!(made.contains("PreToolUse"), "{made}");
}

/// The guard refuses with exit status 2, which means nothing to the other agent.
#[test]
fn an_adapted_guard_cancels_the_tools_of_its_matcher() {
    let sandbox = project_with(&[("Bash", "sh guard.sh")]);
    sandbox.file("guard.sh", "if grep -q 'rm -rf'; then echo no >&2; exit 2; fi\n");
    let done = sandbox.run("convert --from claude --to cline --adapt --yes").assert_status(1);
    for said in [
        "Bash → run_commands",
        ".clinerules/hooks/PreToolUse.sh   written; `hookbench undo` restores the file",
        "a refusal of PreToolUse does more in Cline than in Claude Code: the tool does not run, and the whole run ends",
        "5 the same, 0 differ",
    ] {
        assert!(done.stdout.contains(said), "{said}: {done}");
    }
    assert!(!done.stdout.contains("exit 2 blocks"), "{done}");
    let path = sandbox.project.join(".clinerules/hooks/PreToolUse.sh");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o111, 0o111);
    for (tool, input, verdict) in [
        ("run_commands", json!({"commands": ["rm -rf build"]}), "deny"),
        ("run_commands", json!({"commands": ["ls"]}), "no_objection"),
        ("editor", json!({"path": "a", "new_text": "rm -rf build"}), "no_objection"),
        ("spawn_agent", json!({"task": {"toolName": "run_commands"}, "x": "rm -rf build"}), "no_objection"),
    ] {
        let line = format!("fire PreToolUse --agent cline --tool {tool} --input '{input}' --yes --format json");
        let fired = sandbox.run(&line).assert_status(0).json();
        assert_eq!(fired["outcome"]["verdict"], verdict, "{tool} {input}: {fired:#}");
    }
    sandbox.run("undo --yes").assert_status(0);
    assert!(!sandbox.project.join(".clinerules").exists());
}

/// Each hook is a file with a free name, in the order of the settings, and what is there stays.
#[test]
fn several_hooks_are_several_files() {
    let sandbox = project_with(&[("", "one"), ("*", "two"), ("Edit|Write", "three"), ("Read", "four")]);
    sandbox.file(".clinerules/hooks/PreToolUse.bash", HOOK);
    let run = |options: &str| sandbox.run(&format!("convert --from claude --to cline --format json {options}"));
    let shown = run("").assert_status(1).json();
    assert_eq!(scripts(&sandbox).len(), 1, "nothing is written without --yes");
    let written = run("--yes").assert_status(1).json();
    let there = vec![
        ("PreToolUse".to_owned(), "#!/bin/sh\none\n".to_owned()),
        ("PreToolUse.bash".to_owned(), HOOK.to_owned()),
        ("PreToolUse.sh".to_owned(), "#!/bin/sh\ntwo\n".to_owned()),
    ];
    assert_eq!(scripts(&sandbox), there);
    for (doc, is_written) in [(&shown, false), (&written, true)] {
        let names: Vec<_> = doc["files"].as_array().unwrap().iter().map(|file| &file["file"]).collect();
        assert_eq!(names, [".clinerules/hooks/PreToolUse", ".clinerules/hooks/PreToolUse.sh"]);
        assert_eq!((&doc["file"], &doc["written"]), (&json!(".clinerules/hooks"), &json!(is_written)));
        let lost = doc["definitions"].as_array().unwrap().iter().map(|one| {
            let mut notes = one["notes"].as_array().unwrap().iter();
            notes.find(|note| note["code"] == "file.taken").map(|note| note["says"].as_str().unwrap())
        });
        let left_out = |command: &str| {
            format!(
                "Cline has a hook in .clinerules/hooks/PreToolUse.sh and in each file beside it for PreToolUse; add `{command}` to one"
            )
        };
        let lost: Vec<_> = lost.map(|says| says.map(str::to_owned)).collect();
        assert_eq!(lost, [None, None, Some(left_out("three")), Some(left_out("four"))]);
    }
    let again = run("--yes").assert_status(1).json();
    assert_eq!((&again["files"], &again["diff"]), (&json!([]), &json!("")));
    sandbox.run("undo --yes").assert_status(0);
    assert_eq!(scripts(&sandbox), [("PreToolUse.bash".to_owned(), HOOK.to_owned())]);
}

/// A script reads the tool's name, and its command gets the whole event.
#[test]
fn a_matcher_becomes_a_check_in_the_script() {
    for (matcher, command, want) in [
        ("", "true", "true"),
        ("Bash", "a.sh b", "{before}\n*'\"preToolUse\":{\"toolName\":\"run_commands\"'*) ;;\n{after}a.sh b"),
        (
            "Bash|Read",
            "cd x; a",
            "{before}\n*'\"preToolUse\":{\"toolName\":\"run_commands\"'* | *'\"preToolUse\":{\"toolName\":\"read_files\"'*) ;;\n\
             {after}sh -c 'cd x; a'",
        ),
        ("mcp__git__.*", "a", "{before}\n*'\"preToolUse\":{\"toolName\":\"git__'*) ;;\n{after}a"),
    ] {
        let sandbox = project_with(&[(matcher, command)]);
        let done = sandbox.run("convert --from claude --to cline --yes");
        let before = "# Cline has no matchers, so this script reads the name.\nevent=$(cat)\ncase $event in";
        let after = "*) exit 0 ;;\nesac\nprintf '%s\\n' \"$event\" | ";
        let want = format!("#!/bin/sh\n{}\n", want.replace("{before}", before).replace("{after}", after));
        assert_eq!(scripts(&sandbox), [("PreToolUse.sh".to_owned(), want)], "{matcher}: {done}");
        assert!(!done.stdout.contains("unexpected"), "{done}");
    }
}

/// Nothing is written for a hook that the other agent could only run for more than its matcher says.
#[test]
fn what_a_script_cannot_say_is_lost() {
    let sandbox = project_with(&[("NotebookEdit", "a")]);
    for (handler, says) in [
        (json!({"type": "command", "command": "a"}), "no part of \"NotebookEdit\" exists in Cline"),
        (json!({"type": "command", "command": "a", "if": "Bash(rm *)"}), "the hook would run for every call"),
        (json!({"type": "http", "url": "http://127.0.0.1:1"}), "Cline has no http handlers"),
    ] {
        let settings = json!({"hooks": {"PreToolUse": [{"matcher": "NotebookEdit", "hooks": [handler]}]}});
        sandbox.file(".claude/settings.json", settings.to_string());
        let done = sandbox.run("convert --from claude --to cline --yes").assert_status(1);
        assert!(done.stdout.contains(says) && done.stdout.contains(".clinerules/hooks: nothing to do"), "{done}");
        assert_eq!(scripts(&sandbox), []);
    }
}

/// Every recipe either says why it cannot work here, or does what its page promises: a script that reads other keys runs through
/// the adapter.
#[test]
fn recipes_of_the_catalogue_act_in_an_agent_that_sends_other_keys() {
    let refusals = [
        ("ask-before-publish", "Cline does not accept this answer on PreToolUse"),
        ("tests-before-stop", "Cline cannot block on TaskComplete"),
        ("honest-todo", "Cline cannot block on TaskComplete"),
        ("notify", "Cline has no event when the agent notifies the user"),
        ("branch-and-date", "Cline does not accept this answer on TaskStart"),
        ("secrets-in-prompt", "Cline cannot block on UserPromptSubmit"),
    ];
    let losses = [
        "hookbench adapt runs it, so hookbench has to be on PATH",
        "Cline makes the reason of the stop of the output, Claude Code would not",
        "Cline stops working, Claude Code would not",
    ];
    let line = |id: &str| format!("new {id} --agent cline --yes --format json");
    for recipe in recipes() {
        let sandbox = Sandbox::for_agent("cline");
        sandbox.program("env").hookbench();
        if let Some((_, reason)) = refusals.iter().find(|(id, _)| *id == recipe.id) {
            sandbox.run(&line(&recipe.id)).assert_status(2).assert_stderr(&[reason]);
            continue;
        }
        let new = sandbox.run(&line(&recipe.id)).assert_status(0).json();
        let notes = match recipe.id.as_str() {
            "git-without-pager" | "log-commands" => json!(losses[..1]),
            "format-after-edit" => json!([
                losses[0],
                "Cline gives the reason to its model as a text",
                "the tool's output has another form in Claude Code",
            ]),
            _ => json!(losses),
        };
        assert_eq!(new["settings"][0]["notes"], notes, "{}", recipe.id);
        assert_eq!(
            sandbox.run(&line(&recipe.id)).json()["files"],
            json!([]),
            "{}: nothing is written twice",
            recipe.id
        );
        let tested = sandbox.run("test --yes --format json").assert_status(0).json();
        let cases = 1 + u64::from(recipe.caught.is_some());
        assert_eq!((&tested["passed"], &tested["skipped"]), (&json!(cases), &json!(0)), "{}", recipe.id);
        let linted = sandbox.run("lint --agent cline --format json").json();
        assert_eq!(linted["diagnostics"], json!([]), "{}", recipe.id);
    }
}

/// What a suite cannot check: a changed input, a text for the model, a log and a count.
#[test]
fn adapted_recipes_have_all_their_effects() {
    let fire = |sandbox: &Sandbox, event: &str| {
        sandbox.run(&format!("fire {event} --agent cline --yes --format json")).assert_status(0).json()
    };
    let command = "PreToolUse --tool run_commands --input '{\"commands\": [\"git log\"]}'";
    for (id, event, pointer, told) in [
        ("git-without-pager", command, "/outcome/updated_input/commands/0", "git --no-pager log"),
        (
            "format-after-edit",
            "PostToolUse --tool editor --input '{\"path\": \"bad.json\", \"new_text\": \"{\"}'",
            "/outcome/additional_context",
            "bad.json is not valid JSON",
        ),
        ("command-budget", command, "/outcome/verdict", "deny"),
        ("log-commands", command, "/outcome/verdict", "no_objection"),
    ] {
        let sandbox = Sandbox::for_agent("cline");
        sandbox.program("env").hookbench().file("bad.json", "{");
        sandbox.run(&format!("new {id} --agent cline --yes")).assert_status(0);
        let script = sandbox.project.join(format!(".hooks/{id}.py"));
        let text = fs::read_to_string(&script).unwrap();
        fs::write(&script, text.replace("BUDGET = 200", "BUDGET = 0")).unwrap();
        let fired = fire(&sandbox, event);
        let value = fired.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        assert!(value.contains(told), "{id}: {fired:#}");
        if id == "log-commands" {
            let log = fs::read_to_string(sandbox.home.join("state/agent-commands.jsonl")).unwrap();
            assert!(log.contains("\"command\": \"git log\""), "{log}");
        }
    }
}
