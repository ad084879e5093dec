//! The screen without a terminal: the output of a script, and error messages for invalid scripts.

use super::sandbox::{ProgramOutput, Sandbox};
use super::{for_each_agent, project, settings_file};

/// Asserts that stdout contains all of these parts.
#[track_caller]
fn shows(done: ProgramOutput, parts: &[&str]) -> ProgramOutput {
    for part in parts {
        assert!(done.stdout.contains(part), "\"{part}\" is not shown:\n{done}");
    }
    done
}

#[test]
fn a_script_drives_the_real_screen() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        sandbox.file("keys", "# what an author does first\nkey f\nuntil Y run\ndump asked\nkey Y\nuntil exit 2\n");
        let done = sandbox.run(&format!("tui --agent {agent} --script keys --size 100x30 --dump")).assert_status(0);
        let done = shows(done, &["=== asked  100x30", "=== end  100x30", "sh hooks/guard.sh"]);
        // Some agents take the reason from stdout.
        let said = |text: &str| done.stdout.split("=== end").nth(1).is_some_and(|end| end.contains(text));
        assert!(said("rm is not allowed here") || said("looking"), "{done}");
        let verdict = done.stdout.find("DENY");
        assert!(verdict > done.stdout.find("=== end"), "nothing was decided before consent:\n{done}");
    });
}

#[test]
fn keys_text_and_sizes_reach_the_screen() {
    let sandbox = project("claude");
    let script =
        "key s\ntype tool_input.x=1\ndump\nkey Esc\nresize 40x12\nkey ]\ndump small\nkey f\nuntil DENY\nkey Ctrl+C\n";
    let done = sandbox.run_with("tui --agent claude --script - --yes", script.as_bytes()).assert_status(0);
    let done = shows(done, &["Set a field", "tool_input.x=1", "=== small  40x12"]);
    let small = done.stdout.split("=== small").nth(1).unwrap();
    assert_eq!(small.lines().count(), 13, "{done}");
    assert!(!done.stdout.contains("=== end"), "the last frame is printed when it is asked for");
}

#[test]
fn the_sample_needs_nothing() {
    let sandbox = super::Sandbox::new();
    let done = sandbox.run_with("tui --demo --script - --dump", b"until never\n").assert_status(0);
    shows(done, &["guard.sh", "\"bash\" is not \"Bash\" (case)"]);
}

#[test]
fn scripts_that_cannot_be_played_say_where() {
    let sandbox = project("claude");
    sandbox.file("keys", "key f\npress g\n").file(settings_file("claude"), "{}");
    let run = |line: &str, script: &str| sandbox.run_with(&format!("tui --agent claude {line}"), script.as_bytes());
    run("--script keys", "").assert_status(5).assert_stderr(&["keys:2: \"press g\" is not a step; steps are key"]);
    run("--script absent", "").assert_status(5).assert_stderr(&["absent: No such file"]);
    run("--script - --limit 0.2", "until nothing shows this\n")
        .assert_status(1)
        .assert_stderr(&["<stdin>:1: did not see", "in 0.2 s"]);
    run("--script -", "key q\nkey f\n")
        .assert_status(5)
        .assert_stderr(&["<stdin>:2: the workbench quit before this step"]);
    run("--script - --size wide", "").assert_status(2).assert_stderr(&["write a size as 80x24"]);
}

#[test]
fn the_configuration_is_documented_checked_and_obeyed() {
    let sandbox = project("claude");
    let documented = sandbox.run("config").assert_status(0);
    let settings = documented.stdout.split("\n[keys]").next().unwrap_or_default();
    insta::assert_snapshot!("config", settings);
    let put = |text: &str| {
        let sandbox = sandbox.file("../home/config/hookbench/config.toml", text);
        sandbox.run("config --check")
    };
    shows(sandbox.run("config --check").assert_status(0), &["config.toml does not exist, so all defaults apply"]);
    shows(put(&documented.raw).assert_status(0), &["config.toml is fine"]);
    let wrong = put("theme = \"blue\"\n[keys]\nfire = [\"Q\"]\nwhi = [\"w\"]\n").assert_status(5);
    let wrong =
        wrong.assert_stderr(&["config.toml:1:9: theme cannot be \"blue\"", "config.toml:4:1: unknown command \"whi\""]);
    let played = sandbox
        .run_with("tui --agent claude --yes --script - --dump", b"until 2 mistakes\nkey Q\nuntil DENY\n")
        .assert_status(0);
    assert_eq!(played.stderr, wrong.stderr, "never fatal");
    shows(played, &[" Q fire "]);
}

#[test]
fn plain_text_mode() {
    let sandbox = project("claude");
    let say = |lines: &str| sandbox.run_with("--plain --agent claude", lines.as_bytes());
    shows(
        say("fire\nno\nfire\nyes\nwhy\nhistory\n1\nnonsense\ntemplate Stop\n").assert_status(0),
        &[
            "PreToolUse, Bash. Ready: 1 hook will run",
            "fire (asks first)",
            "Run this command? It has not run before.\nsh hooks/guard.sh, .claude/settings.json line 7.",
            "Say yes or no, or read to print the scripts.",
            "\nRunning.\n",
            "Deny: The command does not run. Run 1. By: guard.sh, project .claude/settings.json line 7, exit 2 blocks",
            "Why of guard.sh.\n",
            "Step 7, matcher, yes: ",
            "Unknown command nonsense. help lists all commands.",
            "Claude Code, Stop. Ready: ",
        ],
    );
    shows(
        say("help\nquit\nfire\n").assert_status(0),
        &["Commands of Bench:\nfire: fire the event; on Compare", "stdout: print its stdout.", "\nPages:\nbench: "],
    );
    let all = say("help all\n").assert_status(0);
    shows(all, &["\ntemplate: choose an event", "\njudge-right: the finding is right."]);
    let done = say("set-field nothing\nset-field prompt=1\nagent nobody\n").assert_status(0);
    shows(done, &["the form is a.b=VALUE", "no match for nobody"]);
}

#[test]
fn plain_commands_may_name_the_hook() {
    let sandbox = project("claude");
    let say = |lines: &str| sandbox.run_with("--plain --agent claude", lines.as_bytes()).assert_status(0);
    shows(
        say("why format.sh\nwhy h3\nstdin nobody\n"),
        &["Why of format.sh.", "Why of context.sh.", "No hook is named nobody."],
    );
    let done = shows(say("fire\nyes\nwhat-if guard.sh=0\nhistory now\n"), &["No objection", "assumed: exit 0"]);
    assert!(!done.stdout.contains("an exit status comes first"), "{done}");
    // Quitting also leaves a question, and nothing has run.
    let done = project("claude").run_with("--plain --agent claude", b"fire\nquit\nfire\nyes\n").assert_status(0);
    assert!(!done.stdout.contains("Running"), "{done}");
}

/// One event in every agent: shown, fired, and one agent's result moved to the bench.
#[test]
fn a_stress_test_in_plain_text() {
    let sandbox = project("claude");
    sandbox.program("env");
    sandbox.file("hooks/guard.sh", "#!/bin/sh\nif grep -q 'rm -rf'; then echo 'no rm -rf' >&2; exit 2; fi\n");
    let lines = b"stress guard.sh\nyes\nS\nyes\nlist\n";
    let done = sandbox.run_with("--plain --agent claude", lines).assert_status(0);
    let done = shows(
        done,
        &[
            "The stress test of guard.sh runs in a copy of the project.",
            "variants of `rm -rf build`, but not `",
            "not refused: ",
            "Say S to keep the misses as tests, x to open the script, or no.",
            "Say yes to write it, or no.",
            "written: hooks.test.yaml",
        ],
    );
    // The result is printed once, and the next line is a command again.
    assert_eq!(done.stdout.matches("Stress test of guard.sh: refuses ").count(), 1, "{done}");
    assert!(!done.stdout.contains("Unknown command") && !done.stdout.contains("does nothing here"), "{done}");
    assert!(std::fs::read_to_string(sandbox.project.join("hooks.test.yaml")).unwrap().contains("verdict: deny"));
}

#[test]
fn the_comparison_in_plain_text() {
    let sandbox = crate::everywhere::project("exit 2\n");
    let lines = "compare\nfire\nyes\nopen nobody\nopen Qwen\nnext-stream\nopen\n5\nquit\nfire\n";
    let done = sandbox.run_with("--plain --agent claude", lines.as_bytes()).assert_status(0);
    let done = shows(
        done,
        &[
            "Ready: 4 hooks will run, in all 4 agents, fire in all agents (asks first).",
            "sh hooks/guard.sh, .claude/settings.json line 7, .qwen/settings.json line 7, .gemini/settings.json line 7, \
             .codex/hooks.json line 7.",
            "Differ: 1 of 4 agents blocks. Left out: Copilot CLI is not installed, but would read .claude/settings.json, \
             too; Droid, Kimi Code, CodeBuddy Code, Mistral Vibe, Hermes Agent and Cline are not installed and not configured; agent on the bench \
             adds one. \
             Claude Code: deny. The command does not run.",
            "Codex: not checked. The tool runs, if the user's policy allows it. It runs guard.sh exit 2 failed.",
            "No agent is called nobody.",
            "exit 2 without text on stderr does not block.",
            "\"tool_name\": \"run_shell_command\"",
            "Qwen Code, PreToolUse, run_shell_command. Not checked: A hook failed, so the tool runs. Run 2.",
        ],
    );
    assert_eq!(done.stdout.matches("Running").count(), 1, "{done}");
}

/// `why --tool` is about that tool.
#[test]
fn why_about_a_tool_is_about_that_tool() {
    let sandbox = project("claude");
    shows(
        sandbox.run("why guard.sh --agent claude --tool Write").assert_status(0),
        &["guard.sh does not run here: \"Bash\" is not \"Write\""],
    );
    shows(
        sandbox.run("why guard.sh --agent claude --tool Bash").assert_status(0),
        &["guard.sh runs: \"Bash\" is exactly \"Bash\""],
    );
    shows(sandbox.run("why guard.sh --agent claude").assert_status(0), &["guard.sh matches Bash"]);
}

/// `docs/keys.md` is generated from the keymap, so its command lines are those of the keymap's actions.
#[test]
fn every_command_line_of_the_key_table_is_understood() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md")).unwrap();
    let table = page.split_once("| Key |").unwrap().1;
    let lines = table.split('`').filter_map(|code| code.strip_prefix("hookbench "));
    let mut lines: Vec<&str> = lines.collect();
    lines.sort_unstable();
    lines.dedup();
    assert!(lines.len() > 8, "{lines:?}");
    let sandbox = project("claude");
    sandbox.file("payload.json", "{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"Bash\", \"tool_input\": {}}");
    // Commands for recorded events need an event.
    sandbox.run("import payload.json").assert_status(0);
    sandbox.run("db mark 1").assert_status(0);
    for line in lines {
        let filled = [
            ("EVENT", "PreToolUse"),
            ("HOOK", "guard.sh"),
            ("AGENT", "claude"),
            ("FILE", "payload.json"),
            ("NUMBER", "1"),
            ("VALUE", "1"),
            ("ANSWER", "{}"),
            ("FILTER", "PreToolUse"),
            ("DIR", "."),
            ("RECIPE", "sudo --dry-run"),
            ("GUARD MODE", "todo warn --yes"),
        ]
        .iter()
        .fold(line.to_owned(), |line, (word, value)| line.replace(word, value));
        // A placeholder that is not replaced stays in capitals and makes the command fail.
        if filled == "undo" {
            // `undo` needs a change to undo.
            sandbox.file(".claude/settings.local.json", "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}");
            sandbox.run("lint --fix --yes --select HW301");
        }
        // `serve` does not end, so only its arguments are checked.
        let besides = if filled.starts_with("serve") {
            " --help"
        } else if filled.starts_with("stress") {
            " --yes --variants-only"
        } else if filled.starts_with("fire") || filled.contains("--run") || filled == "undo" {
            " --yes"
        } else {
            ""
        };
        // No agent is installed.
        let status = match filled.as_str() {
            line if line.contains("--verify") => 1,
            line if line.starts_with("calibrate") => 5,
            // No guard has found anything.
            line if line.starts_with("guard judge") => 2,
            // No model is configured.
            line if line.contains("--ask-model") => 5,
            // A hook of the project only exits.
            "lint --run" => 1,
            _ => 0,
        };
        sandbox.run(&format!("{filled}{besides}")).assert_status(status);
    }
}

/// Every page prints its rows with numbers, and `open` with a number opens one.
#[test]
fn lists_in_plain_text() {
    let demo = |lines: &str| super::Sandbox::new().run_with("demo --plain", lines.as_bytes()).assert_status(0);
    shows(
        demo("problems\nopen 3\nopen 99\nno\n"),
        &[
            "\n1: error HW301, .claude/settings.json line 26: ",
            "\nError HW301: .codex/hooks.json line 23 column 20, audit.py on PreToolUse.\n",
            "\nHelp: write Bash instead.\n",
            "\nBefore: \"matcher\": \"bash\",.\nNow: \"matcher\": \"Bash\",.\n",
            "No row has the number 99. list prints all rows.",
            "No question is open.",
        ],
    );
    shows(
        demo("recorded\nopen 9\nlist\nreplay 3\nback\nreplay nonsense\n"),
        &[
            "\n32: Claude Code SessionEnd, ",
            "\nlist prints 12 more.\n",
            "\nSource: recorded, exactly what the agent sent to a hook.\n",
            "\n1: Claude Code SessionStart, startup, ",
            "\nPlanned: the same hooks run; their answers are unknown until they do. ",
            "no match for nonsense.",
        ],
    );
    // An event is shown on the bench, and a command of another page leads to that page.
    shows(
        demo("files\nevents Stop\nmatch\nfiles\nagent\nno\nhistory\n"),
        &[
            "\n6: Droid. 6 hooks. not installed; assuming 0.225.2.\n",
            "\n3: project .claude/settings.json read 10 hooks.\n",
            "\nClaude Code, Stop. Ready: 1 hook will run, ",
            "Claude Code: the matcher is ignored, every event runs the hook.",
            "\nno runs yet; fire fires the event.",
        ],
    );
}

/// Plain text mode prints no columns, boxes or escape sequences.
#[test]
fn every_page_in_plain_text() {
    let sandbox = project("claude");
    let lines = "fire\nyes\nwhy\nstdin\nstdout\nstderr\ndecision\nprocess\nlist\nevents\nno\nfire\ndiff\npin\npin\ncopy v\nagain\nzoom\nfind guard\nhelp\n";
    let done = sandbox.run_with("--plain --agent claude", lines.as_bytes()).assert_status(0);
    let done = shows(
        done,
        &[
            "Step 1, file found, yes: .claude/settings.json line 7.",
            "Stdout of guard.sh.\nIt is empty.\n",
            "Decision of guard.sh.\nDecides: deny.\n",
            "Because of this: guard.sh: exit 2",
            "Timeout: 10 seconds, .claude/settings.json line 7 says 10.",
            "1: guard.sh: deny, exit 2, ",
            "PreToolUse: ",
            "verdict: DENY.",
            "pinned as 1; auto-fire fires it on save.\nunpinned.\n",
            "zoom works only on the screen.",
        ],
    );
    let drawn = |c: char| c.is_control() && c != '\n' || ('\u{2500}'..='\u{259f}').contains(&c);
    assert!(!done.raw.contains(drawn), "no boxes, no escapes:\n{done}");
    // A hook's input and output are printed unchanged.
    let ours =
        |line: &&str| !line.starts_with([' ', '{', '}']) && !["looking", "rm is not allowed here"].contains(line);
    for line in done.raw.lines().filter(ours) {
        assert!(!line.contains("  ") && line.ends_with(['.', '?', ':', ')']), "{line:?}:\n{done}");
        assert!(!line.split([' ', ',']).any(|word| word == "ms"), "{line:?}");
    }
}

/// `N` tries the hook that it writes, as `hookbench new` does.
#[test]
fn a_new_hook_is_tried_on_the_screen() {
    for (keys, says) in [
        ("type push\n", "; tried in Claude Code"),
        // Without sed, the command finds nothing. It has no script, so no editor opens.
        (
            "key Enter\nkey Down\nkey Down\nkey Down\ntype a \"b\"\nkey Down\nkey Down\nkey Left\n",
            "refuse-a-b does not do what it should; u undoes it.",
        ),
    ] {
        let sandbox = Sandbox::for_agent("claude");
        sandbox.program("env");
        let script = format!("key N\n{keys}key Enter\nkey Y\nuntil {says}\n");
        let done = sandbox.run_with("tui --agent claude --script - --size 160x40 --dump", script.as_bytes());
        shows(done.assert_status(0), &[says]);
    }
}
