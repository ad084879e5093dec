//! `replay`: recorded events against current settings, planned and run.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookbench::core::recorded::{PayloadSource, RecordedEvent, event_id, format_event_line};
use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::outputs;
use crate::sandbox::Sandbox;

/// Settings with a guard for commands, and a second hook with this matcher.
fn settings(second: &str) -> String {
    let hook = |matcher: &str, script: &str| json!({"matcher": matcher, "hooks": [{"type": "command", "command": format!("sh hooks/{script}.sh")}]});
    json!({"hooks": {"@tool": [hook("@shell", "guard"), hook(second, "second")]}}).to_string()
}

/// A git repository whose hooks only answer.
pub fn replay_project(agent: &str) -> Sandbox {
    let sandbox = Sandbox::for_agent(agent);
    sandbox.program("git").settings(&settings("@edits"));
    sandbox.file("hooks/guard.sh", "grep -q 'rm ' && { echo no rm >&2; exit 2; }\nexit 0\n");
    sandbox.file("hooks/second.sh", "echo '{\"systemMessage\": \"seen\"}'\n");
    commit(&sandbox);
    sandbox
}

fn commit(sandbox: &Sandbox) {
    let who = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false"];
    for args in [&["init", "-q"][..], &["add", "-A"], &[&who[..], &["commit", "-q", "-m", "x"]].concat()] {
        let done = Command::new("git").args(args).current_dir(&sandbox.project).output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

pub fn event(sandbox: &Sandbox, n: u32, tool: &str, input: &Value) -> RecordedEvent {
    let cwd = sandbox.project.to_str().unwrap();
    let payload = json!({
        "session_id": "s-1", "transcript_path": cwd, "cwd": cwd, "hook_event_name": "PreToolUse",
        "permission_mode": "default", "prompt_id": "p", "effort": {"level": "medium"}, "tool_name": tool, "tool_input": input, "tool_use_id": format!("toolu_{n}"),
    });
    RecordedEvent {
        id: event_id("claude", "s-1", &n.to_string()),
        project: Some(cwd.to_owned()),
        subject: Some(tool.to_owned()),
        at: Some(1_700_000_000_000 + i64::from(n)),
        payload_source: PayloadSource::Recorded,
        ..RecordedEvent::new("claude", "s-1", "PreToolUse", payload.to_string().into_bytes())
    }
}

/// Two commands and a file edit, as lines in `events.jsonl`.
fn events(sandbox: &Sandbox) -> Vec<RecordedEvent> {
    let all = vec![
        event(sandbox, 1, "Bash", &json!({"command": "rm -rf build"})),
        event(sandbox, 2, "Bash", &json!({"command": "ls"})),
        event(sandbox, 3, "Write", &json!({"file_path": "/x", "content": "rm x"})),
    ];
    lines(sandbox, "events.jsonl", &all);
    all
}

pub fn lines(sandbox: &Sandbox, name: &str, events: &[RecordedEvent]) {
    let text = events.iter().map(|event| format_event_line(event) + "\n").collect::<String>();
    sandbox.file(name, text);
}

/// Returns all stored events, oldest first.
pub fn stored_events(sandbox: &Sandbox) -> Vec<RecordedEvent> {
    let done = sandbox.run("db export").assert_status(0);
    done.raw.lines().map(|line| hookbench::core::recorded::parse_event_line(line).unwrap()).collect()
}

/// Returns the ids of rows, as arguments.
fn ids(rows: &[RecordedEvent]) -> String {
    rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>().join(" ")
}

/// Removes values that differ from run to run.
fn without_variable_parts(mut doc: Value) -> Value {
    for event in doc["events"].as_array_mut().unwrap() {
        event["event"] = Value::Null;
        for side in ["before", "after"] {
            if event[side].is_object() {
                event[side]["duration_ms"] = Value::Null;
            }
        }
    }
    doc
}

#[test]
fn a_wider_matcher_against_the_last_commit() {
    let sandbox = replay_project("claude");
    events(&sandbox);
    sandbox.run("replay events.jsonl --diff").assert_status(0);
    sandbox.settings(&settings("*"));
    let doc = sandbox.run("replay events.jsonl --format json").assert_status(0).json();
    let counts = ["events", "same", "newly_run", "no_longer_run", "verdict_changed", "unknown", "not_compared"];
    let counts: Vec<u64> = counts.iter().map(|key| doc["summary"][key].as_u64().unwrap()).collect();
    assert_eq!(counts, [3, 1, 2, 0, 0, 2, 0], "{doc:#}");
    let rule = &doc["summary"]["rules"][0];
    assert_eq!((&rule["newly"], &rule["hook"], &rule["subject"]), (&json!(true), &json!("second.sh"), &json!("Bash")));
    assert_eq!(rule["count"], 2);
    insta::assert_snapshot!("replay_dry", outputs(&[sandbox.run("replay events.jsonl --diff").assert_status(1)]));
}

/// A directory gives the same result as the commit that it is a copy of.
#[test]
fn a_directory_is_a_baseline() {
    let sandbox = replay_project("claude");
    events(&sandbox);
    sandbox.file("before/.claude/settings.json", sandbox.in_agent_words(&settings("@edits")));
    sandbox.settings(&settings("*"));
    let doc = |baseline: &str| {
        let doc =
            sandbox.run(&format!("replay events.jsonl --format json --baseline {baseline}")).assert_status(0).json();
        (doc["summary"].clone(), doc["events"][0]["changes"].clone())
    };
    assert_eq!(doc("before"), doc("git:HEAD"));
    assert_eq!(doc("before").0["newly_run"], 2);
    // The results of the hooks were not recorded.
    assert_eq!(doc("recorded").0["not_compared"], 3);
}

/// Every run is a new row that refers to its origin. The recorded row does not change.
#[test]
fn real_runs_are_new_rows() {
    let sandbox = replay_project("claude");
    let before = events(&sandbox);
    let doc = sandbox.run("replay events.jsonl --run --yes --format json").assert_status(0).json();
    let verdicts: Vec<&Value> = doc["events"].as_array().unwrap().iter().map(|e| &e["after"]["verdict"]).collect();
    assert_eq!(verdicts, ["deny", "no_objection", "no_objection"]);
    let rows = stored_events(&sandbox);
    assert_eq!(rows.len(), 3);
    for ((row, event), shown) in rows.iter().zip(&before).zip(doc["events"].as_array().unwrap()) {
        assert_eq!(
            (row.origin.as_ref(), &row.payload, &row.payload_source),
            (Some(&event.id), &event.payload, &PayloadSource::Recorded)
        );
        assert_eq!(
            (shown["event"].as_str(), shown["origin"].as_str()),
            (Some(row.id.as_str()), Some(event.id.as_str()))
        );
        assert_eq!(row.runs.len(), 1);
    }
    // Rows can be replayed again. They do not change, and their reports are used for hooks that are not run.
    let again = sandbox.run(&format!("replay {} --format json", ids(&rows))).assert_status(0).json();
    assert_eq!((&again["summary"]["same"], &again["summary"]["events"]), (&json!(3), &json!(3)), "{again:#}");
    sandbox.file("hooks/guard.sh", "exit 0\n");
    let now = sandbox.run(&format!("replay {} --run --yes --format json", ids(&rows))).assert_status(0).json();
    assert_eq!(now["summary"]["verdict_changed"], 1, "{now:#}");
    let changes: Vec<Value> =
        now["events"][0]["changes"].as_array().unwrap().iter().map(|c| c["what"].clone()).collect();
    assert_eq!(changes, ["verdict", "ended", "blocked", "decided_by", "reason"]);
    assert_eq!(now["events"][0]["changes"][3]["before"], json!(["guard.sh"]));
    // The rows of a run are found by the hooks' layer.
    let counted =
        |filter: &str| sandbox.run(&format!("db export --filter '{filter}'")).assert_status(0).raw.lines().count();
    assert_eq!((counted("~l project"), counted("~l user")), (6, 0));
    let all = stored_events(&sandbox);
    assert_eq!((all.len(), &all[..3]), (6, &rows[..]), "the recorded rows are as they were");
}

#[test]
fn the_same_twice() {
    let sandbox = replay_project("claude");
    events(&sandbox);
    sandbox.settings(&settings("*"));
    let doc = |line: &str| {
        without_variable_parts(sandbox.run(&format!("replay {line} --format json")).assert_status(0).json())
    };
    let raw = |line: &str| sandbox.run(&format!("replay {line} --format json")).assert_status(0).raw;
    assert_eq!(raw("events.jsonl"), raw("events.jsonl"));
    let one = doc("events.jsonl --run --yes --jobs 4");
    assert_eq!(one, doc("events.jsonl --run --yes --jobs 1"), "hooks that only answer agree, in the order of the plan");
    let hooks: Vec<&Value> = one["events"][0]["after"]["runs"].as_array().unwrap().iter().map(|r| &r["hook"]).collect();
    assert_eq!(hooks, ["guard.sh", "second.sh"]);
    assert_eq!(
        raw("--filter ~replay"),
        raw("--filter ~replay"),
        "recorded reports say the same however often they are asked"
    );
}

/// The order in which events and hooks end does not affect the stored rows. The first event and its first hook wait
/// for the last event.
#[test]
fn the_same_twice_in_any_order_of_ends() {
    let sandbox = replay_project("claude");
    let all: Vec<RecordedEvent> = (0..4)
        .map(|n| {
            let session = format!("s-{}", n % 3);
            let one = event(&sandbox, n, "Bash", &json!({"command": format!("ls {n}")}));
            RecordedEvent { session, ..one }
        })
        .collect();
    lines(&sandbox, "events.jsonl", &all);
    sandbox.settings(&settings("*"));
    let wait = "case \"$(cat)\" in *'ls 0'*) until test -e last; do :; done ;; esac\nexit 0\n";
    sandbox.file("hooks/guard.sh", wait);
    sandbox.file("hooks/second.sh", "case \"$(cat)\" in *'ls 3'*) : > last ;; esac\nexit 0\n");
    let doc = |line: &str| {
        without_variable_parts(sandbox.run(&format!("replay {line} --format json")).assert_status(0).json())
    };
    let one = doc("events.jsonl --run --yes --jobs 4");
    let want: Vec<&str> =
        one["events"].as_array().unwrap().iter().map(|event| event["origin"].as_str().unwrap()).collect();
    let rows = stored_events(&sandbox);
    let origins: Vec<&str> = rows.iter().filter_map(|row| row.origin.as_deref()).collect();
    assert_eq!(origins, want, "whoever ends first");
    let times: Vec<i64> = rows.iter().map(|row| row.at.unwrap() - rows[0].at.unwrap()).collect();
    assert_eq!(times, [0, 1, 2, 3]);
    // A comparison lists recorded runs in configuration order, not in the order in which they ended.
    let recorded = doc("--filter ~replay");
    let mut ended = rows[0].clone();
    ended.runs.sort_by(|a, b| b.hook.cmp(&a.hook));
    lines(&sandbox, "ended.jsonl", &[ended]);
    for told in [&recorded, &doc("ended.jsonl")] {
        let before = told["events"][0]["before"]["runs"].as_array().unwrap();
        assert_eq!(before.iter().map(|run| &run["hook"]).collect::<Vec<_>>(), ["guard.sh", "second.sh"]);
    }
    std::fs::remove_file(sandbox.project.join("last")).unwrap();
    sandbox.run("db purge --all --yes").assert_status(0);
    assert_eq!(doc("events.jsonl --run --yes --jobs 4"), one);
    let mut again = doc("--filter ~replay");
    for (event, row) in again["events"].as_array_mut().unwrap().iter_mut().zip(&rows) {
        event["origin"] = json!(row.id);
    }
    assert_eq!(again, recorded, "apart from ids and durations");
}

/// Each event is in exactly one shard.
#[test]
fn parts_make_the_whole() {
    let sandbox = replay_project("claude");
    let all: Vec<RecordedEvent> = (0..20).map(|n| event(&sandbox, n, "Bash", &json!({"command": "ls"}))).collect();
    lines(&sandbox, "many.jsonl", &all);
    let part = |n: u32| {
        let doc = sandbox.run(&format!("replay many.jsonl --format json --shard {n}/3")).assert_status(0).json();
        doc["events"].as_array().unwrap().iter().map(|e| e["origin"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut parts: Vec<String> = (1..=3).flat_map(part).collect();
    parts.sort();
    let mut want: Vec<String> = all.into_iter().map(|e| e.id).collect();
    want.sort();
    assert_eq!(parts, want);
}

#[test]
fn missing_files_are_reported() {
    let sandbox = replay_project("claude");
    let mut one = event(&sandbox, 1, "Bash", &json!({"command": "ls"}));
    let payload = String::from_utf8(one.payload.clone()).unwrap();
    one.payload = payload.replacen("\"transcript_path\":\"", "\"transcript_path\":\"/nowhere", 1).into_bytes();
    one.project = Some("/was/here".to_owned());
    lines(&sandbox, "events.jsonl", &[one.clone()]);
    let doc = sandbox.run("replay events.jsonl --format json").assert_status(0).json();
    let flags: Vec<&str> = doc["events"][0]["flags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let project = sandbox.project.display();
    assert!(flags.contains(&format!("/was/here no longer exists; using {project}").as_str()), "{flags:?}");
    assert!(flags.contains(&format!("transcript_path /nowhere{project} no longer exists").as_str()), "{flags:?}");
    let text = sandbox.run("replay events.jsonl").assert_status(0);
    assert!(text.stdout.contains("/was/here no longer exists"), "{text}");
    one.agent = "nobody".to_owned();
    lines(&sandbox, "events.jsonl", &[one]);
    let text = sandbox.run("replay events.jsonl").assert_status(0);
    assert!(text.stdout.contains("unknown agent \"nobody\""), "{text}");
}

/// The event is translated, and the other agent's hooks are fired.
#[test]
fn replay_in_another_agent() {
    let sandbox = replay_project("gemini");
    events(&sandbox);
    let doc = sandbox.run("replay events.jsonl --agent gemini --run --yes --format json").assert_status(0).json();
    let all: Vec<_> = doc["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| json!([e["agent"], e["name"], e["subject"], e["after"]["verdict"], e["after"]["runs"][0]["hook"]]))
        .collect();
    let row = |tool: &str, verdict: &str, hook: &str| json!(["gemini", "BeforeTool", tool, verdict, hook]);
    assert_eq!(
        all,
        [
            row("run_shell_command", "deny", "guard.sh"),
            row("run_shell_command", "no_objection", "guard.sh"),
            row("write_file", "no_objection", "second.sh"),
        ]
    );
    let flags = doc["events"][0]["flags"].to_string();
    assert!(!flags.contains("is not read"), "{flags}");
    // If that agent ignores the project's hooks, the output says so: a user of another agent may not know it.
    sandbox.file(
        ".codex/hooks.json",
        "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
    );
    let doc = sandbox.run("replay events.jsonl --agent codex --format json").assert_status(0).json();
    let flags = doc["events"][0]["flags"].to_string();
    assert!(flags.contains(".codex/hooks.json is not read"), "{flags}");
    let rows = stored_events(&sandbox);
    assert!(rows.iter().all(|row| row.agent == "gemini" && row.payload_source == PayloadSource::Edited), "{rows:?}");
}

#[test]
fn consent_says_how_often() {
    let sandbox = replay_project("claude");
    events(&sandbox);
    let guard = "sh hooks/guard.sh";
    let done = sandbox.run("replay events.jsonl --run").assert_status(4).assert_stderr(&[
        guard,
        "for 2 of 3 events",
        "add --yes",
    ]);
    assert_eq!(done.stderr.matches(guard).count(), 1, "{done}");
    done.assert_stderr(&["sh hooks/second.sh", "for 1 of 3 events"]);
    assert!(!sandbox.home.join("state/hookbench/hookbench.db").exists(), "nothing ran, so nothing is kept");
}

/// After a signal, finished runs are kept and running hooks are ended.
#[test]
fn a_signal_ends_it() {
    let sandbox = replay_project("claude");
    events(&sandbox);
    // The first hook ends, the second never does. It reports its start through a pipe.
    sandbox.file("hooks/guard.sh", "grep -q 'rm ' && exit 2\necho $$ > spoken\nexec sleep 3600\n");
    let pipe = sandbox.project.join("spoken");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let args = ["replay", "events.jsonl", "--run", "--yes"].map(str::to_owned);
    let mut child = sandbox.command(&args).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut hook = String::new();
    BufReader::new(std::fs::File::open(&pipe).unwrap()).read_line(&mut hook).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // The hook was killed; the system ends it a little later.
    let is_there = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", hook.trim())).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    while is_there() {
        assert!(Instant::now() < deadline, "the hook is still there");
        std::thread::yield_now();
    }
    let rows = stored_events(&sandbox);
    assert_eq!(rows.iter().map(|row| row.verdict.as_deref()).collect::<Vec<_>>(), [Some("deny")]);
}

#[test]
fn what_cannot_be_replayed() {
    let sandbox = replay_project("claude");
    let all = events(&sandbox);
    sandbox.file("broken.jsonl", format!("{}\n{{\"schema\": \"event/1\", \n", format_event_line(&all[0])));
    sandbox.file("text.txt", "no events in here\n");
    let all = [
        sandbox.run("replay").assert_status(2),
        sandbox.run("replay events.jsonl --yes").assert_status(2),
        sandbox.run("replay events.jsonl --shard 5/4").assert_status(2),
        sandbox.run("replay events.jsonl --agent all").assert_status(2),
        sandbox.run("replay --filter '~v denied'").assert_status(2),
        sandbox.run("replay events.jsonl --baseline git:nowhere").assert_status(5),
        sandbox.run("replay events.jsonl --baseline git:--help").assert_status(5),
        sandbox.run("replay events.jsonl --baseline nowhere").assert_status(5),
        sandbox.run("replay events.jsonl --against nowhere").assert_status(5),
        sandbox.run("replay 127").assert_status(5),
        sandbox.run("replay text.txt").assert_status(5),
        sandbox.run("replay broken.jsonl").assert_status(0),
    ];
    insta::assert_snapshot!("replay_bad_input", outputs(&all));
}

/// A project that its agent does not trust: the answer says why no hook runs, and `--as-trusted` plans as if it did.
#[test]
fn an_untrusted_project_says_why_no_hook_runs() {
    let sandbox = Sandbox::new();
    sandbox.file(
        ".codex/hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh hooks/guard.sh"}]}]}}"#,
    );
    sandbox.file("hooks/guard.sh", "echo no >&2\nexit 2\n");
    let cwd = sandbox.project.to_str().unwrap();
    let payload = json!({
        "session_id": "s", "turn_id": "t", "transcript_path": null, "cwd": cwd, "hook_event_name": "PreToolUse", "model": "m",
        "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c",
    });
    let event = RecordedEvent {
        project: Some(cwd.to_owned()),
        subject: Some("Bash".to_owned()),
        ..RecordedEvent::new("codex", "s", "PreToolUse", payload.to_string().into_bytes())
    };
    lines(&sandbox, "events.jsonl", &[event]);
    let said = sandbox.run("replay events.jsonl").assert_status(0).stdout;
    for part in ["no hook runs for this event", "! 1 event: guard.sh does not run: ~/.codex/config.toml does not mark "]
    {
        assert!(said.contains(part), "{part}:\n{said}");
    }
    let trusted = sandbox.run("replay events.jsonl --as-trusted").assert_status(0).stdout;
    assert!(
        trusted.contains("the verdict is unknown until the hooks run") && !trusted.contains("does not run"),
        "{trusted}"
    );
    let run = sandbox.run("replay events.jsonl --as-trusted --run --yes").assert_status(0).stdout;
    assert!(run.contains("would now be DENIED"), "{run}");
}
