//! The most frequent user problems, and the answer of `why`: the mistake that lint finds, its rung, and the fix.

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
        &["Codex does not set $CLAUDE_PROJECT_DIR", "Fix: write $PWD"],
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
