//! `hookbench import`: the report as text and JSON, the destination of the events, and the list of sessions.

use std::fs;
use std::path::{Path, PathBuf};

use hookbench::core::guard::recorded_payload;
use hookbench::core::moderator::mask_secrets;
use hookbench::core::recorded::parse_event_line;
use serde_json::json;

use crate::outputs;
use crate::sandbox::Sandbox;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(fixture(name)).unwrap()
}

/// A project with a session file of each kind that has something to report.
fn project_with_sessions() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file("old/session.jsonl", text("claude-transcript/made.jsonl"))
        .file("old/half", &text("claude-transcript/recorded.jsonl").as_bytes()[..20_000])
        .file("old/payloads", text("payloads/lines.jsonl"))
        .file("old/wide.jsonl", [0xff, 0xfe, b'{', 0])
        .file("old/notes.md", "# notes\n");
    sandbox
}

#[test]
fn import_report() {
    let sandbox = project_with_sessions();
    let import = |line: &str| sandbox.run(&format!("import {line}")).assert_status(0);
    insta::assert_snapshot!(
        "import",
        outputs(&[import("old/half"), import("old"), import("old/session.jsonl --format json")])
    );
}

#[test]
fn the_document_has_the_contract_s_keys() {
    let sandbox = project_with_sessions();
    let document = sandbox.run("import old/session.jsonl --format json").assert_status(0).json();
    assert_eq!(document["schema"], "import/1");
    let source = &document["sources"][0];
    let keys: Vec<&str> = source.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["file", "kind", "sessions", "events", "rebuilt", "recorded", "skipped"]);
    assert_eq!((&source["file"], &source["kind"]), (&json!("old/session.jsonl"), &json!("claude-transcript")));
    assert_eq!(source["skipped"][0], json!({"line": 28, "why": "unknown record type brand-new"}));
}

#[test]
fn events_are_written_as_lines() {
    let sandbox = project_with_sessions();
    let on_stdout = sandbox.run("import old/session.jsonl --to -").assert_status(0);
    let events: Vec<_> = on_stdout.raw.lines().map(|line| parse_event_line(line).unwrap()).collect();
    assert_eq!(events.len(), 18, "{on_stdout}");
    assert!(on_stdout.stderr.contains("18 events, 1 file"), "the report is not lost: {}", on_stdout.stderr);
    let done = sandbox.run("import old/session.jsonl --to events.jsonl").assert_status(0);
    assert!(!done.stdout.contains("nothing was kept"));
    assert_eq!(fs::read_to_string(sandbox.project.join("events.jsonl")).unwrap(), on_stdout.raw);
    // Importing the lines again gives the same lines.
    let again = sandbox.run("import events.jsonl --to -").assert_status(0);
    assert_eq!(again.raw, on_stdout.raw);
}

/// A line over the limit costs only itself, also if the format is told by the lines behind it.
#[test]
fn a_line_that_is_too_long_is_skipped_and_named() {
    let long = format!("{{\"type\":\"user\",\"text\":\"{}\"}}", "x".repeat(17 << 20));
    let lines = text("claude-transcript/made.jsonl");
    let lines: Vec<&str> = lines.lines().collect();
    let sandbox = Sandbox::new();
    sandbox.file("whole.jsonl", lines.join("\n") + "\n");
    let read = |file: &str| sandbox.run(&format!("import {file} --format json --to /dev/null")).assert_status(0).json();
    let whole = read("whole.jsonl")["sources"][0].clone();
    for at in [0, 5, lines.len()] {
        let mut with = lines.clone();
        with.insert(at, &long);
        sandbox.file("long.jsonl", with.join("\n") + "\n");
        let source = &read("long.jsonl")["sources"][0];
        assert_eq!((&source["kind"], &source["events"]), (&whole["kind"], &whole["events"]), "line {}", at + 1);
        let skipped = json!({"line": at + 1, "why": "the line has 18 MiB; hookbench reads up to 16 MiB"});
        assert!(source["skipped"].as_array().unwrap().contains(&skipped), "{source}");
    }
}

#[test]
fn a_file_is_replaced_only_by_a_whole_one() {
    let sandbox = project_with_sessions();
    sandbox.file("kept.jsonl", "precious\n");
    sandbox.run("import old/notes.md --to kept.jsonl").assert_status(5).assert_stderr(&["unknown format"]);
    assert_eq!(fs::read_to_string(sandbox.project.join("kept.jsonl")).unwrap(), "precious\n");
    sandbox.run("import old/half --to old/half").assert_status(2).assert_stderr(&["would also be read"]);
    sandbox.run("import old --to old/new.jsonl").assert_status(2).assert_stderr(&["would also be read"]);
    let left: Vec<_> = fs::read_dir(&sandbox.project).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 2, "nothing half written stays: {left:?}");
}

#[test]
fn what_cannot_be_imported() {
    let sandbox = project_with_sessions();
    let says = |line: &str, status: i32, says: &[&str]| {
        sandbox.run(&format!("import {line}")).assert_status(status).assert_stderr(says);
    };
    says("old/notes.md", 5, &["old/notes.md", "unknown format"]);
    says("old/gone", 5, &["old/gone: the file does not exist"]);
    says("old/wide.jsonl", 5, &["UTF-16", "save it as UTF-8"]);
    // An archive of another kind, and one that cannot be unpacked.
    sandbox.file("old/packed.jsonl.zst", b"\x28\xb5\x2f\xfd").file("old/packed.jsonl.gz", b"\x1f\x8b\x08\0\0\0\0\0");
    says("old/packed.jsonl.zst", 5, &["it is compressed: unpack it first"]);
    let damaged = "it is gzip, and its first bytes cannot be unpacked: ";
    says("old/packed.jsonl.gz", 5, &["old/packed.jsonl.gz", damaged, "copy the file again"]);
    says("old/half --to nowhere/x", 5, &["nowhere/x: the directory nowhere does not exist"]);
    says("old/half --to - --format json", 2, &["cannot both go to stdout"]);
    says("--to x", 2, &["--to"]);
    says("old/half --agent claude", 2, &["cannot be used with"]);
}

#[test]
fn sessions_of_the_project() {
    let sandbox = Sandbox::new();
    let none = sandbox.run("import").assert_status(0);
    let project = sandbox.project.to_str().unwrap().to_owned();
    let slug: String = project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let lay = |path: String, text: String| {
        let path = sandbox.home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("/home/u/p", &project)).unwrap();
    };
    lay(format!(".claude/projects/{slug}/s1.jsonl"), text("claude-transcript/made.jsonl"));
    lay(".codex/sessions/2026/03/01/rollout-1.jsonl".to_owned(), text("codex-rollout/made.jsonl"));
    lay(".codex/sessions/2026/03/01/rollout-2.jsonl".to_owned(), text("payloads/one.json"));
    let some = sandbox.run("import").assert_status(0);
    for says in ["claude", "Fix the failing test", "codex", "list the files", "2026-03-01 10:00"] {
        assert!(some.stdout.contains(says), "{says}: {some}");
    }
    assert!(none.stdout.contains("No agent sessions found for this project"), "{none}");
    let document = sandbox.run("import --agent codex --format json").assert_status(0).json();
    assert_eq!(document["schema"], "sessions/1");
    assert_eq!(document["sessions"].as_array().unwrap().len(), 1, "{document}");
    assert_eq!(document["sessions"][0]["kind"], "codex-rollout");
    assert_eq!(document["sessions"][0]["started"], "2026-03-01T10:00:01.000Z");
    // A listed file can be imported.
    let file = document["sessions"][0]["file"].as_str().unwrap().to_owned();
    sandbox.run(&format!("import {file}")).assert_status(0);
}

/// One list of masks serves every road on which text leaves an event: import, the store and its export, evidence of
/// guards, and the questions to a model.
#[test]
fn every_road_masks_the_same_secrets() {
    const VALUE: &str = "S3cr3tValue77";
    let commands = [
        format!("mysql -u root -p{VALUE} shop"),
        format!("mysql -p\"{VALUE} x\" -e 'select 1'"),
        format!("sshpass -p {VALUE} ssh host"),
        format!("redis-cli -a {VALUE} ping"),
        format!("curl -u me:{VALUE} https://h"),
        format!("docker login -u me -p {VALUE} r.io"),
        format!("ldapsearch -x -D cn=a -w {VALUE}"),
        format!("mongosh -u me -p {VALUE} db"),
        format!("psql 'host=h password={VALUE} user=me'"),
        format!("smbclient //h/s -U me%{VALUE}"),
        format!("openssl rsa -passin pass:{VALUE} -in k"),
        format!("PGPASSWORD={VALUE} psql -h h"),
        format!("curl -H 'Authorization: Bearer {VALUE}'"),
        format!("git clone https://me:{VALUE}@host/x"),
        format!("tool --token {VALUE}"),
        format!("export GITHUB_TOKEN={VALUE}"),
        format!("echo '{{\"api_key\": \"{VALUE}\"}}'"),
    ];
    let sandbox = Sandbox::new();
    let payload = |command: &String| {
        json!({"session_id": "s", "transcript_path": "/t", "cwd": "/p", "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}})
    };
    let lines = commands.iter().map(|command| payload(command).to_string() + "\n").collect::<String>();
    sandbox.file("payloads.jsonl", lines);
    sandbox.run("import payloads.jsonl --redact").assert_status(0);
    let exported = sandbox.run("db export").assert_status(0).stdout;
    assert_eq!(exported.lines().count(), commands.len(), "{exported}");
    for (line, command) in exported.lines().zip(&commands) {
        assert!(!line.contains(VALUE) && line.contains("[masked]"), "{command}: {line}");
        parse_event_line(line).unwrap();
    }
    for command in &commands {
        for masked in [
            mask_secrets(command, &[]),
            recorded_payload(&payload(command)).unwrap().to_string(),
            mask_secrets(&payload(command).to_string(), &[]),
        ] {
            assert!(!masked.contains(VALUE) && masked.contains("[masked]"), "{command}: {masked}");
        }
    }
}
