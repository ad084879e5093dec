//! The store: events are read back as written, filters mean the same in SQL and in memory, and no acknowledged event
//! is lost.
#![allow(clippy::disallowed_methods, reason = "lays files and starts processes")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

#[cfg(unix)]
mod crash;
mod filter_equivalence;
mod impact;
mod impact_session;
mod retention;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use hookbench::core::filter::{Filter, matches, parse};
use hookbench::core::names::RunId;
use hookbench::core::recorded::{
    PayloadSource, RecordedAnswer, RecordedEvent, RecordedOutcome, RecordedRun, RecordedSession, SourceLine,
    parse_event_line,
};
use hookbench::core::run::{CapturedStream, Exit, RunReport, Timing};
use hookbench::store::{EventListRow, ListDirection, NewEvent, OpenMode, Store};

/// The current time for filters that depend on it.
const NOW: i64 = 1_800_000_000_000;

struct StoreDirectory {
    _directory: tempfile::TempDir,
    file: PathBuf,
}

impl StoreDirectory {
    fn new() -> StoreDirectory {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("state/hookbench.db");
        StoreDirectory { _directory: directory, file }
    }

    fn store(&self) -> Store {
        Store::open(&self.file, OpenMode::Write).unwrap()
    }
}

fn event(n: usize) -> RecordedEvent {
    RecordedEvent {
        id: format!("{n:016x}"),
        version: Some("1.2.3".to_owned()),
        project: Some("/p/shop".to_owned()),
        subject: Some("shell".to_owned()),
        at: Some(1_700_000_000_000 + i64::try_from(n).unwrap() * 1000),
        ..RecordedEvent::new("x", "s-1", "Before", format!("{{\"n\":{n},\"command\":\"rm -rf build\"}}").into_bytes())
    }
}

fn run(hook: &str, exit: Exit, millis: u64) -> RecordedRun {
    RecordedRun {
        hook: hook.to_owned(),
        command: Some(format!("sh {hook}")),
        definition: Some("d".to_owned()),
        layer: None,
        stdin: None,
        partial: false,
        report: RunReport {
            timing: Timing { started: Duration::from_millis(1), ended: Duration::from_millis(1 + millis) },
            stdin_read: 7,
            content_type: Some("text/plain".to_owned()),
            stderr: CapturedStream { head: b"\xff cut".to_vec(), tail: Vec::new(), total: 99 },
            ..RunReport::new(RunId(0), exit, b"out".to_vec(), Vec::new())
        },
    }
}

fn add(store: &mut Store, events: &[RecordedEvent]) -> Vec<(i64, bool)> {
    let incoming: Vec<NewEvent<'_>> = events.iter().map(|event| NewEvent::imported(event, Some("what"))).collect();
    store.add(&[], &incoming, false).unwrap().into_iter().map(|added| (added.seq, added.new)).collect()
}

fn filter(text: &str) -> Filter {
    parse(text).unwrap_or_else(|error| panic!("{}", error.with_carets(text)))
}

fn seqs(rows: &[EventListRow]) -> Vec<i64> {
    rows.iter().map(|row| row.seq).collect()
}

#[test]
fn events_come_back_whole() {
    let place = StoreDirectory::new();
    let ends = [
        Exit::Code(2),
        Exit::Signal(9),
        Exit::TimedOut { after: Duration::from_millis(1500) },
        Exit::FailedToStart { error: "no such file".to_owned() },
        Exit::Cancelled,
        Exit::Http { status: 204 },
        Exit::Answered { by: None },
        Exit::Unanswered,
    ];
    let full = RecordedEvent {
        agent_id: Some("sub-1".to_owned()),
        origin: Some("00".to_owned()),
        source: Some(SourceLine { file: "/t.jsonl".to_owned(), line: 7 }),
        payload: b"\xff\x00 not json".to_vec(),
        runs: ends
            .into_iter()
            .enumerate()
            .map(|(n, exit)| RecordedRun {
                layer: Some("project".to_owned()).filter(|_| n > 3),
                ..run(&format!("h{n}"), exit, n as u64)
            })
            .collect(),
        verdict: Some("deny".to_owned()),
        outcome: Some(RecordedOutcome {
            blocked: true,
            decided_by: vec!["h0".to_owned(), "h1".to_owned()],
            reason: Some("no".to_owned()),
            updated_input: Some(serde_json::json!({"command": "ls", "n": [1, null]})),
            agent_does: "It does not.".to_owned(),
            ..RecordedOutcome::default()
        }),
        diagnostics: vec!["HW301".to_owned(), "HW616".to_owned()],
        marked: true,
        comment: Some("why?".to_owned()),
        ..event(1)
    };
    let bare = RecordedEvent { version: None, project: None, subject: None, at: None, payload: Vec::new(), ..event(2) };
    // An empty text differs from `None`.
    let empty = RecordedEvent { subject: Some(String::new()), version: Some(String::new()), ..event(3) };
    let all = [full, bare, empty];
    let added = add(&mut place.store(), &all);
    assert_eq!(added, [(1, true), (2, true), (3, true)]);
    let store = place.store();
    for (event, (seq, _)) in all.iter().zip(added) {
        assert_eq!(store.event(seq).unwrap().as_ref(), Some(event));
        assert_eq!(store.find(&event.id).unwrap(), Some(seq));
    }
    assert_eq!(store.event(99).unwrap(), None);
    assert_eq!(store.find("none").unwrap(), None);
    // Exported as lines too.
    let mut lines = Vec::new();
    let count = store
        .export(&Filter::everything(), NOW, &mut |line| {
            lines.push(parse_event_line(line.unwrap()).unwrap());
            ControlFlow::Continue(())
        })
        .unwrap();
    let [full, bare, empty] = all;
    assert_eq!((count, lines), (3, vec![bare, full, empty]), "by time, those without one first");
}

#[test]
fn rows_say_what_a_list_shows() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    let told = RecordedEvent {
        runs: vec![run("guard.sh", Exit::Code(2), 38), run("log.sh", Exit::Code(0), 12)],
        verdict: Some("deny".to_owned()),
        agent_id: Some("sub".to_owned()),
        ..event(1)
    };
    add(&mut store, std::slice::from_ref(&told));
    let rows = store.page(&Filter::everything(), NOW, ListDirection::Forward, None, 10).unwrap();
    let row = EventListRow {
        seq: 1,
        id: told.id,
        at: told.at,
        agent: "x".to_owned(),
        session: "s-1".to_owned(),
        project: Some("/p/shop".to_owned()),
        event: "Before".to_owned(),
        subject: Some("shell".to_owned()),
        highlight: Some("what".to_owned()),
        hooks: 2,
        took: Some(Duration::from_millis(38)),
        verdict: Some("deny".to_owned()),
        answer: None,
        payload_source: PayloadSource::Rebuilt,
        sub: true,
        origin: None,
        origin_seq: None,
        marked: false,
        comment: None,
        size: 32,
        redacted: false,
    };
    assert_eq!(rows, [row]);
}

#[test]
fn to_import_twice_changes_nothing() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    let events: Vec<RecordedEvent> = (0..5).map(event).collect();
    assert!(add(&mut store, &events).iter().all(|(_, new)| *new));
    store.mark(2, true).unwrap();
    store.comment(2, Some("mine")).unwrap();
    let changed: Vec<RecordedEvent> = (3..7).map(|n| RecordedEvent { event: "After".to_owned(), ..event(n) }).collect();
    assert_eq!(add(&mut store, &changed), [(4, false), (5, false), (6, true), (7, true)]);
    assert_eq!(store.count(&Filter::everything(), NOW).unwrap(), 7);
    assert_eq!(store.count(&filter("~e After"), NOW).unwrap(), 2);
    let marked = store.event(2).unwrap().unwrap();
    assert_eq!((marked.marked, marked.comment.as_deref()), (true, Some("mine")));
    store.mark(2, false).unwrap();
    store.comment(2, None).unwrap();
    assert_eq!(store.event(2).unwrap().unwrap(), event(1));
    let nobody = store.mark(99, true).unwrap_err().to_string();
    assert!(nobody.ends_with("no event #99"), "{nobody}");
}

#[test]
fn the_same_event_twice_in_a_batch_is_one() {
    let place = StoreDirectory::new();
    assert_eq!(add(&mut place.store(), &[event(1), event(1)]), [(1, true), (1, false)]);
}

#[test]
fn sessions_stand_above_their_events() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    let of = |n: usize, session: &str| RecordedEvent { session: session.to_owned(), ..event(n) };
    let told = RecordedSession {
        agent: "x".to_owned(),
        session: "s-2".to_owned(),
        version: None,
        project: Some("/p".to_owned()),
        title: Some("fix it".to_owned()),
        started: Some(1),
        ended: None,
    };
    let events = [of(1, "s-1"), of(9, "s-1"), of(2, "s-2"), of(3, "s-2"), RecordedEvent { at: None, ..of(4, "s-3") }];
    let incoming: Vec<NewEvent<'_>> = events.iter().map(|event| NewEvent::imported(event, None)).collect();
    store.add(std::slice::from_ref(&told), &incoming, false).unwrap();
    // The end becomes known later, in a report without the title.
    let later = RecordedSession { title: None, ended: Some(5), ..told.clone() };
    store.add(&[later], &[], false).unwrap();
    let sessions = |text: &str| {
        let all = store.sessions(&filter(text), NOW).unwrap();
        all.iter().map(|row| (row.session.session.clone(), row.events, row.last)).collect::<Vec<_>>()
    };
    let (s1, s2) = (("s-1".to_owned(), 2, event(9).at), ("s-2".to_owned(), 2, event(3).at));
    assert_eq!(sessions(""), [s1.clone(), s2, ("s-3".to_owned(), 1, None)]);
    assert_eq!(sessions("~session s-1"), [s1]);
    assert_eq!(sessions("~until 2023-11-14T22:13:22.5Z").len(), 2, "of each the events that pass");
    let row = store.sessions(&filter("~session s-2"), NOW).unwrap().remove(0);
    assert_eq!(row.session, RecordedSession { ended: Some(5), ..told });
}

#[test]
fn pages_follow_one_another_both_ways() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    // Several events at the same time and several without a time, inserted out of order.
    let times = [5, 3, 3, 9, -1, 3, -1, 7];
    let events: Vec<RecordedEvent> = times
        .iter()
        .enumerate()
        .map(|(n, at)| RecordedEvent { at: Some(*at).filter(|at| *at > 0), ..event(n) })
        .collect();
    add(&mut store, &events);
    let order = [5, 7, 2, 3, 6, 1, 8, 4];
    for limit in 1..9 {
        for direction in [ListDirection::Forward, ListDirection::Backward] {
            let (mut all, mut from) = (Vec::new(), None);
            loop {
                let page = store.page(&Filter::everything(), NOW, direction, from, limit).unwrap();
                assert!(page.len() <= limit);
                let Some(last) = page.last() else { break };
                from = Some(last.position());
                all.extend(seqs(&page));
            }
            if direction == ListDirection::Backward {
                all.reverse();
            }
            assert_eq!(all, order, "{limit} {direction:?}");
        }
    }
    for (index, row) in store.page(&filter(""), NOW, ListDirection::Forward, None, 99).unwrap().iter().enumerate() {
        assert_eq!(store.position(&filter(""), NOW, row.position()).unwrap(), index as u64);
    }
    assert_eq!(store.page(&filter(""), NOW, ListDirection::Forward, None, 0).unwrap(), []);
}

#[test]
fn a_search_can_be_stopped_and_the_store_goes_on() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    add(&mut store, &(0..3000).map(event).collect::<Vec<_>>());
    let handle = store.interrupt_handle();
    let mut found = 0;
    let stopped = store.walk(&filter("~b rm"), NOW, ListDirection::Backward, None, &mut |_| {
        found += 1;
        if found == 10 {
            handle.interrupt();
        }
        ControlFlow::Continue(())
    });
    assert_eq!(stopped.unwrap_err().kind.to_string(), "the search was stopped");
    assert!((10..3000).contains(&found), "{found}");
    assert_eq!(store.count(&filter("~b rm"), NOW).unwrap(), 3000);
}

#[test]
fn rows_can_be_asked_for_more_while_they_are_handed_out() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    add(&mut store, &(0..3).map(event).collect::<Vec<_>>());
    let mut all = Vec::new();
    store
        .walk(&filter(""), NOW, ListDirection::Forward, None, &mut |row| {
            all.push(store.event(row.seq).unwrap().unwrap().id);
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(all.len(), 3);
}

#[test]
fn the_index_is_filled_behind_and_nothing_is_missing_meanwhile() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    let words =
        |n: usize| RecordedEvent { payload: format!("{{\"text\":\"word{} both\"}}", n % 2).into_bytes(), ..event(n) };
    let count = |store: &Store| {
        ["both", "word1", "wor*", "\"word1 both\"", "text", "!word1"]
            .map(|text| store.count(&filter(text), NOW).unwrap())
    };
    add(&mut store, &(0..1200).map(words).collect::<Vec<_>>());
    assert_eq!((store.index_progress().unwrap().percent(), count(&store)), (0, [1200, 600, 1200, 600, 0, 600]));
    let part = store.continue_index(Duration::ZERO).unwrap();
    assert_eq!((part.done, part.all, part.percent()), (500, 1200, 41));
    assert_eq!(count(&store), [1200, 600, 1200, 600, 0, 600]);
    let whole = store.continue_index(Duration::from_secs(60)).unwrap();
    assert!(whole.complete() && whole.percent() == 100);
    add(&mut store, &(1200..1300).map(words).collect::<Vec<_>>());
    assert!(!store.index_progress().unwrap().complete());
    assert_eq!(count(&store), [1300, 650, 1300, 650, 0, 650]);
    store.clear_index().unwrap();
    assert_eq!((store.index_progress().unwrap().percent(), count(&store)), (0, [1300, 650, 1300, 650, 0, 650]));
    store.continue_index(Duration::from_secs(60)).unwrap();
    assert_eq!(count(&store), [1300, 650, 1300, 650, 0, 650]);
}

#[test]
fn secrets_are_masked_when_that_is_wanted() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    // The hook's outcome has the secret too.
    let outcome =
        RecordedOutcome { reason: Some("no sk-abcdefghijklmnop1234 here".to_owned()), ..RecordedOutcome::default() };
    let secret = RecordedEvent {
        payload: br#"{"command":"curl -u sk-abcdefghijklmnop1234"}"#.to_vec(),
        outcome: Some(outcome),
        ..event(1)
    };
    let plain = event(2);
    let incoming =
        [NewEvent::imported(&secret, Some("curl -u sk-abcdefghijklmnop1234")), NewEvent::imported(&plain, Some("ls"))];
    store.add(&[], &incoming, true).unwrap();
    let kept = store.event(1).unwrap().unwrap();
    assert_eq!(kept.payload, br#"{"command":"curl -u [masked]"}"#);
    assert_eq!(kept.outcome.unwrap().reason.as_deref(), Some("no [masked] here"));
    let rows = store.page(&filter(""), NOW, ListDirection::Forward, None, 9).unwrap();
    let shown: Vec<_> = rows.iter().map(|row| (row.redacted, row.highlight.as_deref(), row.size)).collect();
    assert_eq!(shown, [(true, None, 45), (false, Some("ls"), 32)]);
    drop(store);
    let bytes = std::fs::read(&place.file).unwrap();
    assert!(!bytes.windows(8).any(|window| window == b"sk-abcde"), "it is nowhere in the file");
}

#[test]
fn kinds_say_what_events_have_in_common() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    add(&mut store, &(0..4).map(event).collect::<Vec<_>>());
    add(&mut store, &[RecordedEvent { event: "After".to_owned(), ..event(9) }]);
    let kinds = store.kinds().unwrap();
    let shown: Vec<_> = kinds.iter().map(|kind| (kind.event.as_str(), kind.events)).collect();
    assert_eq!(shown, [("Before", 4), ("After", 1)]);
    // Another process writes, so the cached kinds are outdated.
    add(&mut place.store(), &[event(11)]);
    assert_eq!(store.count(&filter("~e before"), NOW).unwrap(), 5);
}
