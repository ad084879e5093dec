//! Telemetry of agents: what `import` says of it, and which verdicts `replay` gives.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

pub fn recording(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/telemetry").join(name)).unwrap()
}

/// Compresses bytes.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
fn a_directory_of_telemetry_says_what_its_events_lack() {
    let sandbox = Sandbox::new();
    let details = recording("claude-details.jsonl");
    // Two files of an exporter, packed and joined, are one file.
    let (first, second) = details.split_at(details.iter().position(|byte| *byte == b'\n').unwrap() + 1);
    sandbox.file("otel/claude.jsonl.gz", [gzip(first), gzip(second)].concat());
    sandbox.file("otel/codex.jsonl", recording("codex.jsonl")).file("otel/gemini.json", recording("gemini.json"));
    let document = sandbox.run("import otel --format json --to /dev/null").assert_status(0).json();
    let counts: Vec<Value> = document["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| {
            json!([
                source["kind"],
                source["events"],
                source["recorded"],
                source["partial"]["events"],
                source["partial"]["gaps"]["cwd is missing"]
            ])
        })
        .collect();
    assert_eq!(
        counts,
        [
            json!(["telemetry", 14, 0, 14, 14]),
            json!(["telemetry", 38, 0, 38, 38]),
            json!(["telemetry", 47, 47, null, null])
        ]
    );
    let says = sandbox.run("import otel/claude.jsonl.gz").assert_status(0);
    for part in [
        "telemetry, 1 session, 14 events, reconstructed",
        "14 partial: cwd is missing 14",
        "tool_input.content is cut 2",
    ] {
        assert!(says.stdout.contains(part), "{part}: {says}");
    }
}

/// A file that ends in the middle of its archive, or of a record, keeps what comes before.
#[test]
fn a_file_that_ends_early_keeps_what_it_has() {
    let sandbox = Sandbox::new();
    let (plain, gemini) = (recording("claude-plain.jsonl"), recording("gemini.json"));
    let packed = gzip(&plain);
    sandbox.file("half.jsonl.gz", &packed[..packed.len() - 9]).file("half.json", &gemini[..gemini.len() - 900]);
    let source = |file: &str| {
        let document = sandbox.run(&format!("import {file} --format json --to /dev/null")).assert_status(0).json();
        document["sources"][0].clone()
    };
    let (archive, text) = (source("half.jsonl.gz"), source("half.json"));
    assert!(archive["events"].as_u64().unwrap() > 0, "{archive}");
    assert!(archive["skipped"][0]["why"].as_str().unwrap().starts_with("reading failed: "), "{archive}");
    assert_eq!((&text["events"], &text["skipped"][0]["why"]), (&json!(46), &json!("the last line is incomplete")));
}

/// Settings with a guard for each tool, and the scripts of these guards.
fn guarded() -> Sandbox {
    let sandbox = Sandbox::for_agent("claude");
    let hook =
        |matcher: &str, command: &str| json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]});
    let hooks = [
        hook("Bash", "sh hooks/command.sh"),
        hook("Write|Edit", "sh hooks/content.sh"),
        hook("Read", "sh hooks/directory.sh"),
        hook("mcp__mem__.*", "grep -q rm && exit 2; exit 0"),
    ];
    sandbox.settings(&json!({"hooks": {"PreToolUse": hooks}}).to_string());
    sandbox.program("jq");
    let script =
        |key: &str, word: &str| format!("value=$(jq -r .{key})\ncase \"$value\" in *{word}*) exit 2;; esac\nexit 0\n");
    sandbox
        .file("hooks/command.sh", script("tool_input.command", "touch"))
        .file("hooks/content.sh", script("tool_input.content", "secret"))
        .file("hooks/directory.sh", script("cwd", "etc"));
    sandbox
}

fn verdicts(sandbox: &Sandbox, file: &str) -> Vec<String> {
    sandbox.file(file, recording(file));
    sandbox.run(&format!("import {file} --to events.jsonl")).assert_status(0);
    verdicts_of(sandbox, "events.jsonl")
}

/// The verdicts on the calls in a file or a directory.
fn verdicts_of(sandbox: &Sandbox, events: &str) -> Vec<String> {
    let replay = format!("replay {events} --as-trusted --run --yes --format json");
    let document = sandbox.run(&replay).assert_status(0).json();
    let events = document["events"].as_array().unwrap().iter().filter(|event| event["name"] == "PreToolUse");
    let verdict = |event: &Value| {
        let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let (after, subject) = (&event["after"], word(&event["subject"]));
        let why =
            if after["verdict"] == "unknown" { format!(": {}", word(&after["agent_does"])) } else { String::new() };
        format!("{subject} {}{why}", word(&after["verdict"]))
    };
    events.map(verdict).collect()
}

#[test]
fn a_verdict_that_hangs_on_a_missing_value_is_unknown() {
    let sandbox = guarded();
    assert_eq!(
        verdicts(&sandbox, "claude-details.jsonl"),
        [
            "Bash deny",
            "Bash no_objection",
            "Bash no_objection",
            "Read unknown: cwd is missing in the record, and directory.sh reads it",
            // An edit has no content, and all of its own keys are known.
            "Edit no_objection",
            "Write unknown: tool_input.content is cut in the record, and content.sh reads it",
            "mcp__mem__put unknown: tool_input.v.deep is missing in the record, and grep -q rm && exit 2; exit 0 reads the whole event",
        ]
    );
    let plain = verdicts(&sandbox, "claude-plain.jsonl");
    assert_eq!(plain[0], "Bash unknown: tool_input is missing in the record, and command.sh reads it");
    assert!(
        plain[6].ends_with("unknown: tool_name is missing in the record, and decides which hooks run"),
        "{}",
        plain[6]
    );
    assert!(plain.iter().all(|line| line.contains(" unknown: ")), "{plain:?}");
}

/// Detailed spans have the whole content, and come first whatever the names of the files are.
#[test]
fn spans_give_a_verdict_where_logs_are_cut() {
    let sandbox = guarded();
    let text = String::from_utf8(recording("claude-traces.jsonl")).unwrap();
    let (logs, spans) = text.trim_end().split_once('\n').unwrap();
    sandbox
        .file("otel/logs.jsonl", logs)
        .file("otel/spans.jsonl", spans)
        .file("both.jsonl", &text)
        .file("logs.jsonl", logs);
    sandbox.run("import otel").assert_status(0);
    let stored = sandbox.run("db export").assert_status(0).stdout;
    sandbox.file("stored.jsonl", stored);
    let writes = |events: &str| -> Vec<String> {
        verdicts_of(&sandbox, events).into_iter().filter(|line| line.starts_with("Write ")).collect()
    };
    let cut = "Write unknown: tool_input.content is cut in the record, and content.sh reads it";
    let missing = "Write unknown: tool_input is missing in the record, and content.sh reads it";
    assert_eq!(writes("logs.jsonl"), [cut, missing]);
    for events in ["both.jsonl", "stored.jsonl"] {
        assert_eq!(writes(events), ["Write no_objection"; 2], "{events}");
    }
}
