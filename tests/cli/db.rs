//! `hookbench db`: the store of recorded events.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use hookbench::core::recorded::{Made, RecordedEvent, read_line};
use hookbench::store::{Incoming, Mode, Store};

use crate::sandbox::Sandbox;
use crate::shown;

fn file(sandbox: &Sandbox) -> PathBuf {
    sandbox.home.join("state/hookbench/hookbench.db")
}

fn event(n: i64, session: &str, command: &str) -> RecordedEvent {
    RecordedEvent {
        id: format!("{n:016x}"),
        agent: "x".to_owned(),
        version: None,
        session: session.to_owned(),
        agent_id: None,
        project: None,
        event: "Before".to_owned(),
        subject: Some("shell".to_owned()),
        at: Some(1_700_000_000_000 + n * 1000),
        made: Made::Recorded,
        origin: None,
        source: None,
        payload: format!("{{\"command\":\"{command}\"}}").into_bytes(),
        runs: Vec::new(),
        verdict: (n == 2).then(|| "deny".to_owned()),
        outcome: None,
        diagnostics: Vec::new(),
        marked: n == 1,
        comment: None,
    }
}

#[track_caller]
fn prints(done: &crate::sandbox::Done, parts: &[&str]) {
    for part in parts {
        assert!(done.raw.contains(part), "{part:?} is not printed:\n{done}");
    }
}

fn filled() -> (Sandbox, Vec<RecordedEvent>) {
    let sandbox = Sandbox::new();
    let events = vec![event(1, "s-1", "ls -l"), event(2, "s-1", "rm -rf build"), event(3, "s-2", "make build")];
    let incoming: Vec<Incoming<'_>> = events.iter().map(|event| Incoming::imported(event, None)).collect();
    Store::open(&file(&sandbox), Mode::Write).unwrap().add(&[], &incoming, false).unwrap();
    (sandbox, events)
}

#[test]
fn the_filter_language_for_people() {
    insta::assert_snapshot!("db_filters", shown(&[Sandbox::new().run("db filters").exits(0)]));
}

#[test]
fn events_are_exported_as_lines() {
    let (sandbox, events) = filled();
    let exported = |line: &str| {
        let done = sandbox.run(&format!("db export {line}")).exits(0);
        done.raw.lines().map(|line| read_line(line).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(exported(""), events);
    assert_eq!(exported("--filter 'build !~v deny'"), events[2..]);
    assert_eq!(exported("--filter ~marked --ndjson"), events[..1]);
    let out = sandbox.home.join("out.jsonl");
    prints(&sandbox.run(&format!("db export --filter rm -o {}", out.display())).exits(0), &["1 event in "]);
    assert_eq!(read_line(fs::read_to_string(&out).unwrap().trim()).unwrap(), events[1]);
    assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o600);
    sandbox.run("db export -o /nowhere/at/all").exits(5).says(&["/nowhere/at/all: No such file or directory"]);
}

/// On a terminal control characters are escaped. A file gets the exact bytes.
#[test]
fn an_export_does_nothing_to_a_terminal() {
    let sandbox = Sandbox::new();
    let hostile = event(1, "s-1", "rm \u{202e}\u{9b}2J\u{7f}\u{2028}");
    let incoming = [Incoming::imported(&hostile, None)];
    Store::open(&file(&sandbox), Mode::Write).unwrap().add(&[], &incoming, false).unwrap();
    let harms = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{202e}' | '\u{2028}'));
    let done = sandbox.run("db export").exits(0);
    assert!(!done.raw.contains(harms), "{done}");
    let value = |line: &str| serde_json::from_str::<serde_json::Value>(line.trim()).unwrap();
    let out = sandbox.home.join("out.jsonl");
    sandbox.run(&format!("db export -o {}", out.display())).exits(0);
    let written = fs::read_to_string(&out).unwrap();
    assert_eq!(read_line(written.trim()).unwrap(), hostile);
    assert_eq!(value(&done.raw), value(&written));
}

#[test]
fn a_filter_that_is_none_is_pointed_at() {
    let (sandbox, _) = filled();
    insta::assert_snapshot!(
        "db_bad_filter",
        shown(&[
            sandbox.run("db export --filter '~t shell ~event Stop'").exits(2),
            sandbox.run("db export --filter '(~v denied)'").exits(2),
        ])
    );
}

#[test]
fn what_there_is() {
    let (sandbox, _) = filled();
    let done = sandbox.run("db stat").exits(0);
    prints(&done, &["3 events", "sessions     2", "oldest       2023-11-14T22:13:21.000Z", "indexed 0 %"]);
    prints(&sandbox.run("db reindex").exits(0), &["3 events indexed"]);
    prints(&sandbox.run("db stat").exits(0), &["indexed 100 %"]);
    prints(&sandbox.run("db vacuum").exits(0), &[" before, ", " now"]);
}

#[test]
fn purging_wants_a_word_first() {
    let (sandbox, _) = filled();
    sandbox.run("db purge").exits(2).says(&["--session", "--before", "--all"]);
    sandbox.run("db purge --all --session x").exits(2);
    sandbox.run("db purge --before tuesday").exits(2).says(&["tuesday is no time"]);
    let ask = |line: &str, says: &str| {
        sandbox.run(&format!("db purge {line}")).exits(4).says(&[says, "would be deleted for good", "--yes does it"]);
    };
    ask("--session s-1", "2 events");
    ask("--session s", "0 events");
    ask("--before 2023-11-14T22:13:22Z", "1 event ");
    ask("--all", "3 events");
    prints(&sandbox.run("db purge --session s-1 --yes").exits(0), &["2 events deleted, and 1 session"]);
    prints(&sandbox.run("db purge --before 1d --yes").exits(0), &["1 event deleted, and 1 session"]);
    assert_eq!(sandbox.run("db export").exits(0).raw, "");
}

#[test]
fn a_store_that_cannot_be_used_is_set_aside() {
    let sandbox = Sandbox::new();
    for line in ["stat", "export", "vacuum", "reindex", "purge --all --yes"] {
        sandbox
            .run(&format!("db {line}"))
            .exits(5)
            .says(&["there is none yet", "Import something first: hookbench import"]);
    }
    assert!(!file(&sandbox).exists(), "asking makes none");
    sandbox.run("db set-aside").exits(5).says(&["No such file"]);
    fs::create_dir_all(file(&sandbox).parent().unwrap()).unwrap();
    fs::write(file(&sandbox), "my notes").unwrap();
    sandbox.run("db stat").exits(5).says(&["this file is not a store of hookbench"]);
    prints(&sandbox.run("db set-aside").exits(0), &["hookbench.db.aside-1 now"]);
    assert!(!file(&sandbox).exists());
}

#[test]
fn events_are_listed_marked_and_commented() {
    let (sandbox, _) = filled();
    insta::assert_snapshot!(
        "db_list",
        shown(&[
            sandbox.run("db list --limit 2").exits(0),
            sandbox.run("db mark 2").exits(0),
            sandbox.run("db mark 1 --off").exits(0),
            sandbox.run("db comment 2 'the one that was refused'").exits(0),
            sandbox.run("db list --filter ~marked").exits(0),
            sandbox.run("db list --filter '~c refused' --format json").exits(0),
            sandbox.run("db comment 2").exits(0),
            sandbox.run("db list --filter '~c refused'").exits(0),
            sandbox.run("db mark 9").exits(5),
        ])
    );
}
