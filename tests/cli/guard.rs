//! `hookbench guard`: as a hook, and its commands.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use hookbench::core::dialects;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agent_words;
use crate::for_each_agent;
use crate::sandbox::Sandbox;

const BYPASS: &str = "git commit --no-verify -m wip";

fn payload(agent: &str, command: &str) -> Vec<u8> {
    let words = agent_words::words_of(agent);
    let call = json!({
        "session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/work", "hook_event_name": words.tool,
        "tool_name": words.shell_id, "tool_input": {"command": command}, "tool_use_id": "call-1",
    });
    call.to_string().into_bytes()
}

fn stop(message: &str, active: bool) -> Vec<u8> {
    let call = json!({
        "session_id": "s", "cwd": "/work", "hook_event_name": "Stop", "stop_hook_active": active,
        "last_assistant_message": message, "background_tasks": [{"id": "t", "type": "shell", "status": "running"}],
    });
    call.to_string().into_bytes()
}

fn hits(sandbox: &Sandbox) -> Vec<Value> {
    let path = sandbox.home.join(".local/state/hookbench/guards.ndjson");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_guard_answers_in_the_words_of_each_agent() {
    let sandbox = Sandbox::new();
    for agent in dialects::released().map(|dialect| dialect.id().as_str()) {
        let run = |mode: &str, command: &str| {
            let line = format!("guard malicious --agent {agent} --mode {mode}");
            let done = sandbox.run_with(&line, &payload(agent, command)).assert_status(0);
            assert_eq!(done.stderr, "", "{agent}");
            done.json()
        };
        assert_eq!(run("deny", "git status"), json!({}), "{agent}");
        assert_eq!(run("shadow", BYPASS), json!({}), "{agent}");
        let warning = run("warn", BYPASS);
        assert!(warning["systemMessage"].as_str().unwrap().starts_with("malicious: warning [MB-R1]\n"), "{warning}");
        assert_eq!(warning.as_object().unwrap().len(), 1, "{agent}");
        // The record says whether the user saw it.
        let seen = if ["claude", "gemini", "codex"].contains(&agent) { "warn" } else { "pass" };
        let recorded = hits(&sandbox).pop().unwrap();
        assert_eq!((&recorded["mode"], &recorded["answer"]), (&json!("warn"), &json!(seen)), "{agent}");
        let refused = run("deny", BYPASS);
        let own = &refused["hookSpecificOutput"];
        let said = (own["permissionDecision"].as_str(), own["permissionDecisionReason"].as_str());
        let cancels = refused["cancel"].as_bool().map(|_| "deny").zip(refused["errorMessage"].as_str());
        let said = said.0.zip(said.1).or(refused["decision"].as_str().zip(refused["reason"].as_str()));
        let said = said.or(cancels).unwrap();
        assert_eq!(said.0, if agent == "hermes" { "block" } else { "deny" }, "{agent}");
        assert!(said.1.starts_with("malicious: denied [MB-R1]\n"), "{agent}: {refused}");
        assert!(said.1.ends_with("\nDo instead: let the hooks run, and fix what they report"), "{agent}: {refused}");
    }
}

#[test]
fn payloads_that_cannot_be_checked() {
    let sandbox = Sandbox::new();
    let run = |line: &str, stdin: &[u8]| {
        let done = sandbox.run_with(line, stdin).assert_status(0);
        assert_eq!(done.raw.lines().count(), 1, "{line}");
        done.json()
    };
    let large = vec![b' '; 10 * 1024 * 1024 + 1];
    for stdin in [b"{not json".as_slice(), b"", b"[]", b"null", b"\xff\xfe\x00", b"{\"a\":"] {
        assert_eq!(run("guard malicious --mode deny", stdin), json!({}));
    }
    for agent in dialects::released().map(|dialect| dialect.id()) {
        let line = format!("guard malicious --mode deny --agent {agent}");
        assert_eq!(run(&line, b"{not json"), json!({}), "{agent}");
        let refused = run(&line, &large);
        let reason = refused["hookSpecificOutput"]["permissionDecisionReason"].as_str().or(refused["reason"].as_str());
        let reason = reason.or(refused["errorMessage"].as_str());
        assert!(reason.is_some_and(|text| text.starts_with("malicious: denied [IN-SIZE]\n")), "{agent}: {refused}");
    }
    // The largest payload that is read.
    let mut largest = payload("claude", BYPASS);
    largest.resize(10 * 1024 * 1024, b' ');
    let refused = run("guard malicious --mode deny", &largest);
    let reason = refused["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.starts_with("malicious: denied [MB-R1]\n"), "{reason}");
    // Agents read halves of surrogate pairs and any depth.
    for depth in [300, 2_000] {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let text = String::from_utf8(payload("claude", BYPASS)).unwrap();
        let deep = text.replacen('{', &format!("{{\"deep\":{nested},\"half\":\"\\ud800\","), 1);
        let refused = run("guard malicious --mode deny", deep.as_bytes());
        assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny", "{depth}");
    }
    for line in ["guard malicious", "guard malicious --mode warn", "guard response --mode deny"] {
        assert_eq!(run(line, &large), json!({}), "{line}");
    }
    sandbox.run("guard mode malicious deny --yes").assert_status(0);
    let config = sandbox.home.join("config/hookbench/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text + "unreadable = \"deny\"\n").unwrap();
    let refused = run("guard malicious", b"{not json");
    assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn wrong_calls_refuse_nothing() {
    let sandbox = Sandbox::new();
    for (line, says) in [
        ("guard tod", "unknown guard tod"),
        ("guard todo --mode block", "unknown mode block"),
        ("guard todo --agent nobody", "unknown agent nobody"),
        ("guard todo --verbose", "--verbose needs a value"),
    ] {
        let done = sandbox.run_with(line, &payload("claude", BYPASS)).assert_status(1).assert_stderr(&[says]);
        assert_eq!(done.raw, "{}\n", "{line}");
    }
}

#[test]
fn findings_are_recorded_judged_and_allowed() {
    let sandbox = Sandbox::new();
    let secret = "ghp_0123456789abcdefghij0123456789abcdef";
    let command = format!("TOKEN={secret} {BYPASS}");
    sandbox.run_with("guard malicious", &payload("claude", &command)).assert_status(0);
    sandbox.run_with("guard malicious", &payload("claude", "git status")).assert_status(0);
    let recorded = hits(&sandbox);
    assert_eq!(recorded.len(), 1);
    let hit = &recorded[0];
    assert_eq!((&hit["rule"], &hit["mode"], &hit["answer"]), (&json!("MB-R1"), &json!("shadow"), &json!("pass")));
    assert!(!hit.to_string().contains(secret), "{hit}");
    let id = hit["id"].as_str().unwrap();

    sandbox.run(&format!("guard judge {id} right")).assert_status(0);
    let list = sandbox.run("guard list --format json").assert_status(0).json();
    assert_eq!((&list["hits"][0]["id"], &list["hits"][0]["judged"]), (&json!(id), &json!("right")));
    let guard = list["guards"].as_array().unwrap().iter().find(|guard| guard["guard"] == "malicious").unwrap();
    assert_eq!((&guard["mode"], &guard["hits"], &guard["right"]), (&json!("shadow"), &json!(1), &json!(1)));
    sandbox.run("guard judge zzz wrong").assert_status(2);

    sandbox.run(&format!("guard allow {id} --reason wip")).assert_status(4);
    sandbox.run(&format!("guard allow {id} --text --no-verify --reason 'work in progress' --yes")).assert_status(0);
    let line = "guard malicious --mode deny";
    assert_eq!(sandbox.run_with(line, &payload("claude", BYPASS)).assert_status(0).json(), json!({}));
    assert_eq!(hits(&sandbox).last().unwrap()["allowed"], "work in progress");
    sandbox.run("undo --yes").assert_status(0);
    assert_ne!(sandbox.run_with(line, &payload("claude", BYPASS)).assert_status(0).json(), json!({}));
    sandbox.run("config --check").assert_status(0);
}

#[test]
fn a_session_is_kept_from_stopping_twice() {
    let sandbox = Sandbox::new();
    let run = |active: bool| {
        sandbox.run_with("guard response --mode deny", &stop("All done.", active)).assert_status(0).json()["decision"]
            .clone()
    };
    assert_eq!([run(false), run(true), run(true)], [json!("block"), json!("block"), Value::Null]);
    // The counter starts again when the agent was allowed to stop.
    assert_eq!(run(true), "block");
    let open = sandbox.run_with("guard response --mode deny", &stop("The build still runs.", false)).json();
    assert_eq!(open, json!({}));
}

/// Todos and counters belong to one session, and an id that is not a file name leads to no file.
#[test]
fn sessions_do_not_share_state() {
    let sandbox = Sandbox::new();
    let todos = sandbox.home.join(".claude/todos");
    fs::create_dir_all(&todos).unwrap();
    let list = r#"[{"id":"1","content":"Fix login bug","status":"completed"}]"#;
    fs::write(todos.join("s1-agent-s1.json"), list).unwrap();
    let prompt = json!({"type": "user", "uuid": "1", "sessionId": "s", "message": {"role": "user", "content": "go"}});
    sandbox.file("t.jsonl", format!("{prompt}\n"));
    let completed = |session: &str| {
        let call = json!({
            "session_id": session, "cwd": sandbox.project, "hook_event_name": "PreToolUse", "tool_name": "TodoWrite",
            "transcript_path": sandbox.project.join("t.jsonl"),
            "tool_input": {"todos": [{"id": "1", "content": "Fix login bug", "status": "completed"}]},
        });
        let done = sandbox.run_with("guard todo --mode deny", call.to_string().as_bytes()).assert_status(0);
        done.json()["hookSpecificOutput"]["permissionDecision"].clone()
    };
    // The first session completed this todo before; the others did not.
    assert_eq!(completed("s1"), Value::Null);
    for session in ["s2", "../todos/s1", "..", ""] {
        assert_eq!(completed(session), "deny", "{session}");
    }
    let stops = |session: &str| {
        let mut call: Value = serde_json::from_slice(&stop("All done.", true)).unwrap();
        call["session_id"] = json!(session);
        sandbox.run_with("guard response --mode deny", call.to_string().as_bytes()).json()["decision"].clone()
    };
    assert_eq!([stops("a"), stops("a"), stops("a")], [json!("block"), json!("block"), Value::Null]);
    assert_eq!(stops("b"), "block");
    assert_eq!([stops("../b"), stops("../b"), stops("../b")], [json!("block"), json!("block"), json!("block")]);
    let counters = sandbox.home.join(".local/state/hookbench/guard-blocks");
    let names: Vec<_> = fs::read_dir(&counters).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["b"]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&counters), mode(&counters.join("b"))), (0o700, 0o600));
    let hits = sandbox.home.join(".local/state/hookbench/guards.ndjson");
    assert_eq!((mode(hits.parent().unwrap()), mode(&hits)), (0o700, 0o600));
}

#[test]
fn a_mode_changes_by_one_word() {
    let sandbox = Sandbox::new();
    sandbox.run("guard mode todo deny").assert_status(4).assert_stderr(&["nothing was written"]);
    sandbox.run("guard mode todo deny --yes").assert_status(0);
    sandbox.run("guard mode todo warn --rule TV-R5 --yes").assert_status(0);
    let other = sandbox.run("guard mode todo warn --rule MB-R1 --yes").assert_status(2);
    other.assert_stderr(&["guard todo has no rule MB-R1; hookbench explain lists the rules"]);
    let list = sandbox.run("guard list --format json").assert_status(0).json();
    let todo = list["guards"].as_array().unwrap().iter().find(|guard| guard["guard"] == "todo").unwrap();
    assert_eq!(todo["mode"], "deny");
    assert!(todo["since"].is_string(), "{todo}");
    let config = fs::read_to_string(sandbox.home.join("config/hookbench/config.toml")).unwrap();
    assert_eq!(config, "[guard.todo]\nmode = \"deny\"\n\n[guard.todo.modes]\n\"TV-R5\" = \"warn\"\n");
    sandbox.run("config --check").assert_status(0);
}

/// An agent that runs every copy of a hook gets a guard once; the other scope does not add it again.
#[test]
fn a_guard_is_not_installed_in_two_scopes_of_an_agent_that_runs_both() {
    for agent in ["claude", "copilot", "droid"] {
        let sandbox = Sandbox::for_agent(agent);
        let install = |scope: &str| {
            sandbox
                .run(&format!("guard install malicious --agent {agent} --scope {scope} --yes"))
                .assert_status(0)
                .stdout
        };
        assert!(install("user").contains(" added "), "{agent}");
        let second = install("project");
        let runs_both = agent != "claude";
        assert_eq!((second.contains(" unchanged "), second.contains("   in ~/.")), (runs_both, runs_both), "{second}");
    }
}

/// Every tool that changes files is matched, also one that only some models get, and so are commands in skills.
#[test]
fn a_guard_matches_every_tool_that_changes_files() {
    for (agent, want) in [
        ("claude", "(Write|Edit|NotebookEdit|Bash)"),
        ("claude", "PreSkillShellCommand (Bash)"),
        ("codex", "(apply_patch|Bash)"),
        ("copilot", "(Write|Edit|Bash)"),
        ("droid", "(Create|ApplyPatch|Edit|Execute)"),
    ] {
        let sandbox = Sandbox::for_agent(agent);
        let page = sandbox.run(&format!("guard install malicious --agent {agent} --dry-run")).assert_status(0).stdout;
        assert!(page.contains(want), "{page}");
    }
}

#[test]
fn guards_are_installed_in_shadow_mode() {
    for_each_agent(|agent| {
        let sandbox = Sandbox::for_agent(agent);
        let scope = sandbox.settings_layer();
        let line = format!("guard install response malicious --agent {agent} --scope {scope}");
        sandbox.run(&format!("{line} --dry-run")).assert_status(0);
        sandbox.run(&line).assert_status(4);
        assert!(!sandbox.project.join(sandbox.settings_file()).exists());
        sandbox.run(&format!("{line} --yes")).assert_status(0);
        let settings = fs::read_to_string(sandbox.project.join(sandbox.settings_file())).unwrap();
        sandbox.mark_reviewed(&settings);
        assert!(!settings.contains("--mode"), "{settings}");
        let again = sandbox.run(&format!("{line} --yes")).assert_status(0);
        assert!(again.stdout.contains("unchanged") && !again.stdout.contains("written"), "{}", again.stdout);
        let verdict = || {
            let fire = format!("fire @tool --tool @shell-id --set 'tool_input.command={BYPASS}' --agent {agent}");
            let done = sandbox.run(&format!("{fire} --yes --format json")).assert_status(0).json();
            done["outcome"]["verdict"].clone()
        };
        assert_eq!(verdict(), "no_objection");
        sandbox.run("guard mode malicious deny --yes").assert_status(0);
        assert_eq!(verdict(), "deny");
        let list = sandbox.run("guard list --format json").assert_status(0).json();
        let installed: Vec<&Value> = list["guards"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|guard| guard["installed"].as_array().unwrap())
            .collect();
        assert!(installed.iter().all(|one| one["agent"] == agent) && installed.len() >= 2, "{list}");
        sandbox.run("undo --yes").assert_status(0);
        sandbox.run("undo --yes").assert_status(0);
        assert!(!sandbox.project.join(sandbox.settings_file()).exists());
    });
}

#[test]
fn a_trial_shows_the_evidence() {
    let sandbox = Sandbox::new();
    let record = |uuid: &str, kind: &str, content: Value| {
        json!({"type": kind, "uuid": uuid, "sessionId": "s", "cwd": "/work", "version": "2.1.330",
            "userType": "external", "timestamp": "2026-11-20T12:00:00.000Z",
            "message": {"role": kind, "id": uuid, "content": content, "stop_reason": "end_turn"}})
    };
    let call = |id: &str, command: &str| json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
    let result = |id: &str, text: &str, failed: bool| json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}]);
    let lines = [
        record("1", "user", json!("fix the tests")),
        record("2", "assistant", call("a", "cargo test")),
        record("3", "user", result("a", "test result: FAILED. 3 failed", true)),
        record("4", "assistant", call("b", BYPASS)),
        record("5", "user", result("b", "ok", false)),
        record("6", "assistant", json!([{"type": "text", "text": "Everything works."}])),
        record("7", "user", json!("thanks")),
    ];
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    sandbox.file("session.jsonl", text);
    let check = |line: &str| {
        let done = sandbox.run(&format!("guard try {line} --format json")).assert_status(0).json();
        let hits = done["hits"].as_array().unwrap().iter().map(|hit| {
            let evidence: Vec<&str> =
                hit["evidence"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
            format!("{} {} {}", hit["rule"].as_str().unwrap(), hit["would"].as_str().unwrap(), evidence[0])
        });
        hits.collect::<Vec<_>>()
    };
    let want = [format!("MB-R1 deny {BYPASS}"), "RS-R5 deny cargo test: test result: FAILED. 3 failed".to_owned()];
    assert_eq!(check("session.jsonl"), want);
    assert_eq!(check("session.jsonl --guard todo"), Vec::<String>::new());
    assert_eq!(check(""), Vec::<String>::new(), "nothing is recorded yet");
    let nothing = sandbox.run("guard try").assert_status(0).stdout;
    assert_eq!(nothing.trim(), "no event to check; name a session file: hookbench guard try FILE");
    sandbox.run("import session.jsonl").assert_status(0);
    assert_eq!(check("--filter '~since 2026-01-01'"), want);
    sandbox.run("guard try --filter ~nonsense").assert_status(2);
}

/// The shipped cases pass in every agent that has the event.
#[test]
fn the_sample_of_all_guards() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-hooks/validators");
    let sandbox = Sandbox::new();
    copy(&sample, &sandbox.project);
    symlink(env!("CARGO_BIN_EXE_hookbench"), sandbox.home.parent().unwrap().join("bin/hookbench")).unwrap();
    // The settings in the home directory of some cases.
    let config = sandbox.project.join("home/.config").to_str().unwrap().to_owned();
    let env = [("XDG_CONFIG_HOME".to_owned(), config)];
    let done = sandbox.run_in(&env, "test --yes --format json");
    let report = done.json();
    let cases = report["cases"].as_array().unwrap();
    let failed: Vec<&Value> = cases.iter().filter(|case| case["ok"] != true).collect();
    assert_eq!((done.status, failed), (0, Vec::new()));
    let names: BTreeSet<&str> =
        cases.iter().map(|case| case["case"].as_str().unwrap().split(' ').next().unwrap()).collect();
    assert_eq!(names.len(), 94);
    // The README of the sample says which cases an agent cannot have, and why.
    let of = |agent: &str| cases.iter().filter(|case| case["agent"] == agent).count();
    let counts = ["claude", "qwen", "gemini", "codex", "copilot", "droid"].map(|agent| (agent, of(agent)));
    let want = [("claude", 92), ("qwen", 92), ("gemini", 90), ("codex", 78), ("copilot", 64), ("droid", 89)];
    assert_eq!(counts, want);
    assert_eq!(cases.len(), 505);
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&to).unwrap();
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn a_finding_becomes_a_test() {
    let sandbox = Sandbox::new();
    let project = sandbox.project.display().to_string();
    let call = |command: &str| {
        let mut call: Value = serde_json::from_slice(&payload("claude", command)).unwrap();
        call["cwd"] = json!(project);
        call.to_string().into_bytes()
    };
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "hookbench guard malicious --mode deny"},
    ]}]}});
    fs::create_dir_all(sandbox.project.join(".claude")).unwrap();
    fs::write(sandbox.project.join(".claude/settings.json"), settings.to_string()).unwrap();
    for command in [BYPASS, "SKIP_TESTS=1 make"] {
        sandbox.run_with("guard malicious --mode deny", &call(command)).assert_status(0);
    }
    let found = hits(&sandbox);
    let id = |index: usize| found[index]["id"].as_str().unwrap().to_owned();
    let done = sandbox.run(&format!("guard judge {} right --save-test", id(0))).assert_status(0);
    assert!(done.raw.contains("written; hookbench test runs it"), "{}", done.raw);
    assert!(!done.raw.contains("--mode deny"), "{}", done.raw);
    sandbox.run(&format!("guard judge {} wrong --save-test", id(1))).assert_status(0);
    let suite = fs::read_to_string(sandbox.project.join("hooks.test.yaml")).unwrap();
    let want = "cases:
  - name: \"MB-R1 git commit --no-verify -m wip: is refused\"
    agent: claude
    event: PreToolUse
    tool: Bash
    input: {\"command\":\"git commit --no-verify -m wip\"}
    expect:
      verdict: deny
      reason: \"[MB-R1]\"
  - name: \"MB-R2 SKIP_TESTS=1 make: passes\"
    agent: claude
    event: PreToolUse
    tool: Bash
    input: {\"command\":\"SKIP_TESTS=1 make\"}
    expect:
      verdict: no_objection
";
    assert_eq!(suite, want);
    sandbox.run("guard judge 000000000000 right --save-test").assert_status(2);
}

/// Over the recorded sessions and payloads, the recommended rules refuse one event: a turn that ends with "finished" while a
/// sub-agent runs. A person calls that right. A new finding here needs a person's judgement.
#[test]
fn recorded_sessions_have_no_wrong_refusal() {
    let sandbox = Sandbox::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let (mut events, mut found) = (0, Vec::new());
    for set in ["recordings", "transcripts"] {
        let mut directories: Vec<_> =
            fs::read_dir(root.join(set)).unwrap().flatten().map(|entry| entry.path()).collect();
        directories.sort();
        for directory in directories.iter().filter(|path| path.is_dir() && !path.ends_with("read")) {
            let tried =
                sandbox.run(&format!("guard try {} --format json", directory.display())).assert_status(0).json();
            events += tried["events"].as_u64().unwrap();
            let text = |hit: &Value, key: &str| hit[key].as_str().unwrap().to_owned();
            found.extend(tried["hits"].as_array().unwrap().iter().map(|hit| (text(hit, "rule"), text(hit, "says"))));
        }
    }
    assert!(events >= 180, "{events}");
    found.dedup();
    assert_eq!(found, [("RS-R4".to_owned(), "a background task is running: sub".to_owned())]);
}
