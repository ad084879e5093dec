//! Tests of which rows and records are kept, and of the order in which they are dropped.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::storage::{History, HistoryLimits, MAX_ROWS};
use crate::firing::record::{FiringId, FiringRecord, RunRecord, RunState, StreamBuffer};
use hookbench_core::config::{EnvironmentSource, LoadedConfig};
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::dialects::{self, SessionMemory, VersionBasis, default_version};
use hookbench_core::hook::{HookInput, Subject};
use hookbench_core::plan::Plan;
use hookbench_core::run::{Launch, RunId};

const ROOM: HistoryLimits = HistoryLimits { full_records: 3, record_bytes: 1 << 20, rows: 10, row_bytes: 1 << 20 };

fn record(id: u64, command: &str, output: usize) -> FiringRecord {
    let dialect = dialects::ALL[0];
    let body = json!({"tool_name": "Bash", "tool_input": {"command": command}});
    let run = RunRecord {
        run: RunId(0),
        hook: "h1".to_owned(),
        launch: Launch::Refused(String::new()),
        awaited: true,
        pid: None,
        state: RunState::Requested,
        stdout: StreamBuffer { head: vec![b'x'; output], ..StreamBuffer::default() },
        stderr: StreamBuffer::default(),
        script: None,
        expected_failure: None,
        inherited: Vec::new(),
    };
    FiringRecord {
        id: FiringId(id),
        agent: dialect.id(),
        version: default_version(dialect),
        basis: VersionBasis::of(dialect, default_version(dialect)).1,
        input: HookInput {
            event: "PreToolUse".to_owned(),
            subject: Subject { value: Some("Bash".to_owned()), aliases: Vec::new() },
            body,
        },
        filled: Vec::new(),
        loaded: Arc::new(LoadedConfig::default()),
        plan: Plan::default(),
        runs: vec![run],
        ended: Vec::new(),
        outcome: None,
        settled: false,
        cancelled: false,
        superseded: false,
        assumed_run: None,
        auto_fired: false,
        env_source: EnvironmentSource::Shell,
        search_path: None,
        containment: None,
        memory: SessionMemory::default(),
        verification: None,
        diagnostics: Vec::new(),
    }
}

fn settle(history: &mut History, id: u64, verdict: Verdict) {
    let record = history.record_mut(FiringId(id)).unwrap();
    record.outcome = Some(Outcome::without_effect(verdict, "the command does not run"));
    record.settled = true;
    history.outcome_changed(FiringId(id));
}

/// Fires `count` events one after the other, each decided at once.
fn fired(limits: HistoryLimits, count: u64, command: impl Fn(u64) -> String, output: usize) -> History {
    let mut history = History::within(limits);
    for id in 1..=count {
        history.push(record(id, &command(id), output));
        settle(&mut history, id, Verdict::Deny);
    }
    history
}

fn same(_: u64) -> String {
    "ls".to_owned()
}

fn whole(history: &History) -> Vec<u64> {
    history.rows().filter(|run| run.record().is_some()).map(|run| run.id.0).collect()
}

fn ids(history: &History) -> Vec<u64> {
    history.rows().map(|run| run.id.0).collect()
}

#[test]
fn the_newest_are_whole_and_the_oldest_go() {
    let history = fired(ROOM, 25, same, 0);
    assert_eq!(ids(&history), (16..=25).collect::<Vec<_>>());
    assert_eq!(whole(&history), [23, 24, 25]);
    let row = history.get(FiringId(20)).unwrap();
    assert_eq!((row.verdict(), row.event.gist.as_deref()), (Some(Verdict::Deny), Some("ls")));
    assert_eq!(row.event.input().unwrap(), record(20, "ls", 0).input, "it can be fired again");
    for gone in [0, 15, 26] {
        assert!(history.get(FiringId(gone)).is_none(), "{gone}");
    }
}

/// Ordinary events reach the row limit before the byte limit.
#[test]
fn a_hundred_thousand_runs_are_kept() {
    let mut history = History::new(3);
    for id in 1..=MAX_ROWS as u64 + 5 {
        history.push(record(id, &format!("echo {id}"), 10));
        settle(&mut history, id, Verdict::Deny);
    }
    assert_eq!((history.len(), whole(&history).len()), (100_000, 3));
    let oldest = history.recent(MAX_ROWS - 1).unwrap();
    assert_eq!((oldest.id.0, oldest.event.gist.as_deref()), (6, Some("echo 6")));
}

#[test]
fn a_number_leads_to_its_row_and_back() {
    let history = fired(ROOM, 25, same, 0);
    for place in 0..history.len() {
        let id = history.recent(place).unwrap().id;
        assert_eq!((history.place(id), history.get(id).unwrap().id), (Some(place), id));
    }
    assert!(history.recent(history.len()).is_none());
    assert_eq!(history.since(FiringId(24)).map(|run| run.id.0).collect::<Vec<_>>(), [24, 25]);
    assert_eq!(history.since(FiringId(99)).count(), 0);
}

#[test]
fn output_has_a_budget_of_its_own() {
    let limits = HistoryLimits { record_bytes: 2500, ..ROOM };
    assert_eq!(whole(&fired(limits, 5, same, 1000)), [4, 5]);
    // A record larger than the limit is kept until the next one arrives.
    assert_eq!(whole(&fired(limits, 5, same, 5000)), [5]);
}

#[test]
fn rows_have_a_budget_and_share_what_is_the_same() {
    let limits = HistoryLimits { rows: 1000, row_bytes: 20_000, ..ROOM };
    let long = |id: u64| format!("{id}{}", "x".repeat(2000));
    let different = fired(limits, 100, long, 0);
    assert!(different.len() < 10, "{}", different.len());
    assert_eq!(ids(&different).last(), Some(&100), "the newest stays");
    let alike = fired(limits, 100, |_| long(0), 0);
    assert!(alike.len() > 50, "{}", alike.len());
    let rows: Vec<_> = alike.rows().collect();
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    assert!(Arc::ptr_eq(&first.event, &last.event));
    assert!(Arc::ptr_eq(first.decision.as_ref().unwrap(), last.decision.as_ref().unwrap()));
}

/// Checks that dropped rows are subtracted to the last byte: after many other events, only one row is counted.
#[test]
fn what_goes_is_not_counted_any_more() {
    let one = HistoryLimits { rows: 1, full_records: 1, ..ROOM };
    let mut many = fired(one, 500, |id| format!("echo {id}"), 100);
    // The first decision is no longer counted either.
    settle(&mut many, 500, Verdict::Allow);
    settle(&mut many, 500, Verdict::Deny);
    let few = fired(one, 500, |_| "echo 500".to_owned(), 100);
    assert_eq!(many.counted(), few.counted());
    assert_eq!(many.counted().0, record(1, "", 100).bytes());
}

#[test]
fn what_is_shown_and_what_is_not_over_stays() {
    let mut history = History::within(ROOM);
    history.push(record(1, "sleep", 10));
    for id in 2..=5 {
        history.push(record(id, "ls", 10));
        settle(&mut history, id, Verdict::Allow);
    }
    history.keep_displayed(vec![FiringId(4)]);
    for id in 6..=40 {
        history.push(record(id, "ls", 10));
        settle(&mut history, id, Verdict::Allow);
    }
    assert!(history.record(FiringId(1)).is_some(), "it goes on");
    assert!(history.record(FiringId(4)).is_some(), "it is shown");
    assert_eq!(history.running().map(|f| f.id.0).collect::<Vec<_>>(), [1]);
    assert_eq!(history.len(), 10);
    settle(&mut history, 1, Verdict::Deny);
    history.keep_displayed(Vec::new());
    assert!(history.get(FiringId(1)).is_none() && history.get(FiringId(4)).is_none(), "nobody needs them any more");
    assert_eq!(whole(&history), [40]);
}

#[test]
fn the_run_before_is_of_the_same_event() {
    let mut history = fired(ROOM, 6, |id| if id % 2 == 0 { "ls".to_owned() } else { "rm".to_owned() }, 0);
    let before = |history: &History, id| history.decided_before(FiringId(id)).map(|run| run.id.0);
    assert_eq!((before(&history, 6), before(&history, 5), before(&history, 2)), (Some(4), Some(3), None));
    // A run without a decision has no result to compare with.
    history.push(record(7, "ls", 0));
    history.push(record(8, "ls", 0));
    assert_eq!(before(&history, 8), Some(6));
    let ls = record(9, "ls", 0);
    assert_eq!(history.last_of(ls.agent, &ls.version, &ls.input).map(|run| run.id.0), Some(8));
    let other = record(9, "mv", 0);
    assert!(history.last_of(other.agent, &other.version, &other.input).is_none());
}

#[test]
fn rows_are_found_by_their_words() {
    let mut history = fired(ROOM, 3, same, 0);
    history.push(FiringRecord { assumed_run: Some(RunId(0)), auto_fired: true, ..record(4, "Make It", 0) });
    let has = |id: u64, word: &str| {
        let mut words = String::new();
        history.get(FiringId(id)).unwrap().append_search_text(&mut words);
        words.contains(word)
    };
    for (id, word, want) in [
        (1, "deny", true),
        (1, "pretooluse", true),
        (1, "ls", true),
        (3, "3", true),
        (3, "4", false),
        (1, "running", false),
        (4, "running", true),
        (4, "make", true),
        (4, "suppos", true),
        (4, "auto", true),
        (1, "auto", false),
    ] {
        assert_eq!(has(id, word), want, "{word} in {id}");
    }
    assert_eq!(history.get(FiringId(1)).unwrap().duration, Duration::ZERO);
}
