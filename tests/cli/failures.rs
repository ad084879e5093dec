//! One exit status for one kind of fault in every command, errors as JSON, and one word for "do it".

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::sandbox::Sandbox;

const SUITE: &str = "agent: claude\ncases:\n  - name: rm is refused\n    event: PreToolUse\n    tool: Bash\n    \
                     expect: { verdict: allow }\n";

/// The settings of a project with one hook.
fn settings(matcher: &str) -> String {
    let hook = json!({"type": "command", "command": "sh hooks/guard.sh"});
    json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}}).to_string()
}

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.settings(&settings("Bash")).file("hooks/guard.sh", "exit 2\n").file("hooks.test.yaml", SUITE);
    sandbox
}

/// Imports one event, so that the store exists.
fn with_store() -> Sandbox {
    let sandbox = project();
    let payload = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/", "transcript_path": "/t"});
    sandbox.file("events.jsonl", format!("{payload}\n"));
    sandbox.run("import events.jsonl").assert_status(0);
    sandbox
}

#[test]
fn one_kind_of_fault_has_one_exit_status_in_every_command() {
    let sandbox = with_store();
    let missing = [
        "fire --payload none.json",
        "fire --session none.jsonl",
        "plan --payload none.json",
        "why h1 --payload none.json",
        "stress h1 --payload none.json",
        "lint none.json",
        "lint --baseline none.json",
        "import none.jsonl",
        "replay none.jsonl",
        "test none.yaml",
        "report merge none.json",
        "guard try none.jsonl",
        "tui --script none.txt",
        "fire Stop --project none",
        "list --project none",
        "db export -o none/events.jsonl",
    ];
    let bad_argument = [
        "fire Stop --no-such-option",
        "plan Stop --set nonsense",
        "fire PreToolUse --tool Bash --input nonsense",
        "fire --format nonsense",
        "db list --filter ~nonsense",
        "db purge --before nonsense",
        "replay --filter ~nonsense",
        "replay",
        "stats --filter ~nonsense",
        "guard try --filter ~nonsense",
        "lint --fix --format sarif",
        "test --shard nonsense",
        "new",
        "match",
    ];
    let unknown_name = [
        "nonsense",
        "fire Nonsense",
        "plan Nonsense",
        "events Nonsense",
        "match x --event Nonsense",
        "why nonsense",
        "stress nonsense",
        "portable nonsense",
        "fire Stop --without nonsense --yes",
        "tools nonsense",
        "explain HW999",
        "schema nonsense",
        "man nonsense",
        "new nonsense",
        "list --agent nonsense",
        "calibrate --agent nonsense",
        "convert --from claude --to nonsense",
        "install --agent claude --events Nonsense",
        "guard mode nonsense deny",
        "guard judge nonsense right",
        "replay nonsense",
        "replay 99",
        "replay --filter absent",
        "db show 99",
        "db mark 99",
        "db comment 99 text",
        "diff 99 1",
    ];
    for (status, lines) in [(5, &missing[..]), (2, &bad_argument), (2, &unknown_name)] {
        for line in lines {
            let done = sandbox.run(line);
            assert_eq!(done.status, status, "{line}\n{done}");
        }
    }
    // Without a store, and with one that is no store.
    let reading = ["db list", "db stat", "db show 1", "db mark 1", "db export", "replay 1", "stats", "diff 1 2"];
    for sandbox in [project(), with_store()] {
        let state = sandbox.home.join("state/hookbench/hookbench.db");
        if state.exists() {
            std::fs::write(&state, "not a database, but long enough to have a header of a hundred bytes".repeat(9))
                .unwrap();
        }
        for line in reading {
            let done = sandbox.run(line);
            assert_eq!(done.status, 5, "{line}\n{done}");
        }
    }
    // Nothing happens without consent.
    for line in
        ["fire PreToolUse --tool Bash", "new sudo", "install --agent claude", "stress h1", "test", "db purge --all"]
    {
        let done = sandbox.run(line);
        assert_eq!(done.status, 4, "{line}\n{done}");
    }
}

#[test]
fn an_error_is_a_document_under_json() {
    let sandbox = project();
    for (line, kind, status, message, help) in [
        ("plan Stopp --format json", "usage", 2, "Claude Code has no event \"Stopp\"; did you mean Stop?", true),
        ("plan --payload none.json --format=json", "file", 5, "none.json: the file does not exist", false),
        ("list --agent claud --format json", "usage", 2, "invalid value 'claud' for '--agent <AGENT>'", true),
        ("list --format json --nonsense", "usage", 2, "unexpected argument '--nonsense' found", false),
        ("db list --format json", "file", 5, "no event has been recorded or imported yet", true),
    ] {
        let done = sandbox.run(line).assert_status(status);
        let doc = done.json();
        let error = &doc["error"];
        assert_eq!(
            (&doc["schema"], &error["kind"], &error["status"]),
            (&json!("error/1"), &json!(kind), &json!(status))
        );
        assert!(error["message"].as_str().unwrap().contains(message), "{line}\n{done}");
        assert_eq!(error["help"].is_string(), help, "{line}\n{done}");
        assert!(!done.stderr.is_empty(), "the message is on stderr, too");
    }
    // A stream of lines ends in one more line.
    let done = sandbox.run("fire Stopp --format jsonl").assert_status(2);
    let line: serde_json::Value = serde_json::from_str(done.raw.trim()).unwrap();
    assert_eq!(line["error"]["kind"], "usage");
    // A command that has printed its document prints no second one.
    let done = sandbox.run("new sudo --format json").assert_status(4);
    assert_eq!(done.json()["written"], false);
    assert_eq!(sandbox.run("plan Stopp").assert_status(2).stdout, "", "text stays on stderr");
}

/// The files of the project and of the home directory, but for those of hookbench itself.
fn files(sandbox: &Sandbox) -> BTreeMap<PathBuf, String> {
    fn add(directory: &Path, found: &mut BTreeMap<PathBuf, String>) {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !["state", "config", "run", "__pycache__"].iter().any(|own| path.ends_with(own)) {
                add(&path, found);
            } else if path.is_file() {
                found.insert(path.clone(), std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    add(&sandbox.project, &mut found);
    add(&sandbox.home, &mut found);
    found
}

#[test]
fn yes_does_it_in_every_command_and_the_older_word_too() {
    let writes = [
        "convert --from claude --to gemini",
        "lint --fix --proposed --select HW301",
        "match Bash --hook h1",
        "new sudo",
        "install --agent claude",
        "test --update",
    ];
    for line in writes {
        for yes in ["--yes", "--write", "--write --yes", "--yes --write"] {
            let sandbox = project();
            if !line.starts_with("test") {
                sandbox.settings(&settings("bash"));
            }
            let before = files(&sandbox);
            let alone = sandbox.run(line);
            assert_eq!(files(&sandbox), before, "{line} asks\n{alone}");
            let done = sandbox.run(&format!("{line} {yes}"));
            // `--write` of `test` writes, but runs nothing without approval.
            let refused = line == "test --update" && yes == "--write";
            assert_eq!(done.status == 4, refused, "{line} {yes}\n{done}");
            assert_eq!(files(&sandbox) != before, !refused, "{line} {yes}\n{done}");
            if !refused {
                sandbox.run("undo").assert_status(4).assert_stderr(&["nothing was written", "--yes"]);
                sandbox.run("undo --yes").assert_status(0);
                assert_eq!(files(&sandbox), before, "{line} {yes} is undone");
            }
        }
    }
}
