//! `hookbench db`: the store of recorded events.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use hookbench::core::recorded::{PayloadSource, RecordedEvent, parse_event_line};
use hookbench::store::{NewEvent, OpenMode, Store};
use serde_json::json;

use crate::outputs;
use crate::sandbox::Sandbox;

fn file(sandbox: &Sandbox) -> PathBuf {
    sandbox.home.join("state/hookbench/hookbench.db")
}

fn event(n: i64, session: &str, command: &str) -> RecordedEvent {
    RecordedEvent {
        id: format!("{n:016x}"),
        subject: Some("shell".to_owned()),
        at: Some(1_700_000_000_000 + n * 1000),
        payload_source: PayloadSource::Recorded,
        verdict: (n == 2).then(|| "deny".to_owned()),
        marked: n == 1,
        ..RecordedEvent::new("x", session, "Before", format!("{{\"command\":\"{command}\"}}").into_bytes())
    }
}

#[track_caller]
fn prints(done: &crate::sandbox::ProgramOutput, parts: &[&str]) {
    for part in parts {
        assert!(done.raw.contains(part), "{part:?} is not printed:\n{done}");
    }
}

fn filled() -> (Sandbox, Vec<RecordedEvent>) {
    let sandbox = Sandbox::new();
    let events = vec![event(1, "s-1", "ls -l"), event(2, "s-1", "rm -rf build"), event(3, "s-2", "make build")];
    let incoming: Vec<NewEvent<'_>> = events.iter().map(|event| NewEvent::imported(event, None)).collect();
    Store::open(&file(&sandbox), OpenMode::Write).unwrap().add(&[], &incoming, false).unwrap();
    (sandbox, events)
}

#[test]
fn the_filter_language_for_people() {
    insta::assert_snapshot!("db_filters", outputs(&[Sandbox::new().run("db filters").assert_status(0)]));
}

#[test]
fn events_are_exported_as_lines() {
    let (sandbox, events) = filled();
    let exported = |line: &str| {
        let done = sandbox.run(&format!("db export {line}")).assert_status(0);
        done.raw.lines().map(|line| parse_event_line(line).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(exported(""), events);
    assert_eq!(exported("--filter 'build !~v deny'"), events[2..]);
    assert_eq!(exported("--filter ~marked"), events[..1]);
    let out = sandbox.home.join("out.jsonl");
    prints(
        &sandbox.run(&format!("db export --filter rm -o {}", out.display())).assert_status(0),
        &["1 event written to "],
    );
    assert_eq!(parse_event_line(fs::read_to_string(&out).unwrap().trim()).unwrap(), events[1]);
    assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o600);
    sandbox
        .run("db export -o /nowhere/at/all")
        .assert_status(5)
        .assert_stderr(&["/nowhere/at/all: the directory /nowhere/at does not exist"]);
}

/// On a terminal control characters are escaped. A file gets the exact bytes.
#[test]
fn an_export_is_harmless_to_a_terminal() {
    let sandbox = Sandbox::new();
    let hostile = event(1, "s-1", "rm \u{202e}\u{9b}2J\u{7f}\u{2028}");
    let incoming = [NewEvent::imported(&hostile, None)];
    Store::open(&file(&sandbox), OpenMode::Write).unwrap().add(&[], &incoming, false).unwrap();
    let harms = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{202e}' | '\u{2028}'));
    let done = sandbox.run("db export").assert_status(0);
    assert!(!done.raw.contains(harms), "{done}");
    let value = |line: &str| serde_json::from_str::<serde_json::Value>(line.trim()).unwrap();
    let out = sandbox.home.join("out.jsonl");
    sandbox.run(&format!("db export -o {}", out.display())).assert_status(0);
    let written = fs::read_to_string(&out).unwrap();
    assert_eq!(parse_event_line(written.trim()).unwrap(), hostile);
    assert_eq!(value(&done.raw), value(&written));
}

#[test]
fn an_invalid_filter_is_pointed_at() {
    let (sandbox, _) = filled();
    insta::assert_snapshot!(
        "db_bad_filter",
        outputs(&[
            sandbox.run("db export --filter '~t shell ~event Stop'").assert_status(2),
            sandbox.run("db export --filter '(~v denied)'").assert_status(2),
        ])
    );
}

#[test]
fn stat_and_list() {
    let (sandbox, _) = filled();
    let done = sandbox.run("db stat").assert_status(0);
    prints(&done, &["3 events", "sessions     2", "oldest       2023-11-14T22:13:21.000Z", "0 % indexed"]);
    prints(&sandbox.run("db reindex").assert_status(0), &["3 events indexed"]);
    prints(&sandbox.run("db stat").assert_status(0), &["100 % indexed"]);
    prints(&sandbox.run("db vacuum").assert_status(0), &[" before, ", " now"]);
}

/// Changes the store as another program, or a bug, could.
fn damage(sandbox: &Sandbox, sql: &str) {
    rusqlite::Connection::open(file(sandbox)).unwrap().execute_batch(sql).unwrap();
}

/// One event that cannot be read costs no other: an export leaves it out and says so, a list shows it.
#[test]
fn a_damaged_event_is_left_out_and_named() {
    let (sandbox, events) = filled();
    damage(&sandbox, "UPDATE kinds SET facts = '{' WHERE id = (SELECT kind FROM events WHERE seq = 2)");
    let done = sandbox.run("db export").assert_status(5).assert_stderr(&[
        "event #2 is damaged and left out: its facts cannot be read",
        "1 event is damaged and left out; the others are complete",
        "db set-aside",
    ]);
    let exported: Vec<RecordedEvent> = done.raw.lines().map(|line| parse_event_line(line).unwrap()).collect();
    assert_eq!(exported, [events[0].clone(), events[2].clone()]);
    let listed = sandbox.run("db list").assert_status(0);
    prints(&listed, &["#1 ", "#2 ", "damaged", "its facts cannot be read", "#3 ", "3 events"]);
    sandbox.run("db show 2").assert_status(5).assert_stderr(&["event #2 is damaged", "db export -o FILE"]);
    prints(&sandbox.run("db stat").assert_status(0), &["3 events"]);
    sandbox
        .run("replay --filter ''")
        .assert_status(0)
        .assert_stderr(&["event #2 is damaged (its facts cannot be read)"]);
    sandbox.run("guard try --filter ''").assert_status(0).assert_stderr(&["1 event is damaged and left out"]);
}

/// Whatever page of the file is lost: an export is complete, or says that it is not.
#[test]
fn no_lost_page_makes_an_export_silently_short() {
    let sandbox = Sandbox::new();
    let event = |n| {
        json!({"session_id": "s", "cwd": "/x", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": format!("ls {n}")}})
    };
    let events: Vec<String> = (0..300).map(|n| event(n).to_string()).collect();
    sandbox.file("events.jsonl", events.join("\n"));
    sandbox.run("import events.jsonl").assert_status(0);
    damage(&sandbox, "PRAGMA wal_checkpoint(TRUNCATE)");
    let whole = sandbox.run("db export").assert_status(0).raw;
    assert_eq!(whole.lines().count(), events.len());
    let bytes = fs::read(file(&sandbox)).unwrap();
    let page = match u16::from_be_bytes([bytes[16], bytes[17]]) {
        1 => 65_536,
        size => usize::from(size),
    };
    for lost in 1..bytes.len() / page {
        let mut damaged = bytes.clone();
        damaged[lost * page..(lost + 1) * page].fill(0);
        fs::write(file(&sandbox), damaged).unwrap();
        let done = sandbox.run("db export");
        assert!(done.status != 0 || done.raw == whole, "page {}: {}", lost + 1, done.stderr);
    }
}

/// Every command says which file is wrong and what to do, and shows no SQL.
#[test]
fn a_store_of_another_version_is_named_with_a_cure() {
    for (sql, says, cure) in [
        ("PRAGMA user_version = 99", "it was written by a newer hookbench (version 99;", "Update hookbench"),
        ("PRAGMA user_version = 2", "its tables are not those of its version", "from a backup"),
        ("PRAGMA user_version = 0", "its tables are not those of its version", "from a backup"),
        ("PRAGMA user_version = -1", "its tables are not those of its version", "from a backup"),
        ("PRAGMA application_id = 7", "this file is not a store of hookbench", "db set-aside"),
    ] {
        let (sandbox, _) = filled();
        sandbox.file("events.jsonl", "");
        damage(&sandbox, sql);
        for line in
            ["stat", "list", "show 1", "mark 1", "comment 1 x", "export", "purge --all --yes", "vacuum", "reindex"]
        {
            let done = sandbox.run(&format!("db {line}")).assert_status(5);
            let done = done.assert_stderr(&["<home>/state/hookbench/hookbench.db", says, cure]);
            assert!(!done.stderr.contains("TABLE"), "{sql}: {line}: {done}");
        }
        sandbox.run("replay 1").assert_status(5).assert_stderr(&[says, cure]);
    }
    let (sandbox, _) = filled();
    damage(&sandbox, "DROP TABLE outcomes");
    sandbox.run("db export").assert_status(5).assert_stderr(&["its tables are not those of its version"]);
    let directory = Sandbox::new();
    fs::create_dir_all(file(&directory)).unwrap();
    directory.run("db stat").assert_status(5).assert_stderr(&["this file is not a store of hookbench"]);
}

#[test]
fn purging_needs_confirmation() {
    let (sandbox, _) = filled();
    sandbox.run("db purge").assert_status(2).assert_stderr(&["--session", "--before", "--all"]);
    sandbox.run("db purge --all --session x").assert_status(2);
    sandbox.run("db purge --before tuesday").assert_status(2).assert_stderr(&["tuesday is not a time"]);
    let ask = |line: &str, says: &str| {
        sandbox.run(&format!("db purge {line}")).assert_status(4).assert_stderr(&[
            says,
            "would be deleted permanently",
            "add --yes",
        ]);
    };
    ask("--session s-1", "2 events");
    ask("--session s", "0 events");
    ask("--before 2023-11-14T22:13:22Z", "1 event ");
    ask("--all", "3 events");
    prints(&sandbox.run("db purge --session s-1 --yes").assert_status(0), &["2 events and 1 session deleted"]);
    prints(&sandbox.run("db purge --before 1d --yes").assert_status(0), &["1 event and 1 session deleted"]);
    assert_eq!(sandbox.run("db export").assert_status(0).raw, "");
}

#[test]
fn a_store_that_cannot_be_used_is_set_aside() {
    let sandbox = Sandbox::new();
    for line in ["stat", "export", "vacuum", "reindex", "purge --all --yes"] {
        sandbox.run(&format!("db {line}")).assert_status(5).assert_stderr(&[
            "no event has been recorded or imported yet",
            "import a session with `hookbench import FILE`",
        ]);
    }
    assert!(!file(&sandbox).exists(), "asking makes none");
    sandbox
        .run("db set-aside")
        .assert_status(5)
        .assert_stderr(&["the directory <home>/state/hookbench does not exist"]);
    fs::create_dir_all(file(&sandbox).parent().unwrap()).unwrap();
    fs::write(file(&sandbox), "my notes").unwrap();
    sandbox.run("db stat").assert_status(5).assert_stderr(&["this file is not a store of hookbench"]);
    prints(&sandbox.run("db set-aside").assert_status(0), &["moved to "]);
    assert!(!file(&sandbox).exists());
}

#[test]
fn events_are_listed_marked_and_commented() {
    let (sandbox, _) = filled();
    insta::assert_snapshot!(
        "db_list",
        outputs(&[
            sandbox.run("db list --limit 2").assert_status(0),
            sandbox.run("db mark 2").assert_status(0),
            sandbox.run("db mark 1 --off").assert_status(0),
            sandbox.run("db comment 2 'the one that was refused'").assert_status(0),
            sandbox.run("db list --filter ~marked").assert_status(0),
            sandbox.run("db list --filter '~c refused' --format json").assert_status(0),
            sandbox.run("db comment 2").assert_status(0),
            sandbox.run("db list --filter '~c refused'").assert_status(0),
            sandbox.run("db mark 9").assert_status(2),
        ])
    );
}
