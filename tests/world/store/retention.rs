//! Deletion and retention.

use hookbench::core::recorded::PayloadSource;
use hookbench::store::{LiveData, PurgeResult, PurgeScope, Retention};

use super::*;

fn in_session(n: usize, session: &str) -> RecordedEvent {
    RecordedEvent {
        session: session.to_owned(),
        source: Some(SourceLine { file: format!("{session}.jsonl"), line: 1 }),
        runs: vec![run("guard.sh", Exit::Code(0), 1)],
        comment: Some("kept with it".to_owned()),
        ..event(n)
    }
}

fn count(store: &Store, text: &str) -> u64 {
    store.count(&filter(text), NOW).unwrap()
}

fn rows_of(place: &StoreDirectory, table: &str) -> i64 {
    let connection = rusqlite::Connection::open(&place.file).unwrap();
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn purging_leaves_nothing_behind() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    add(&mut store, &[in_session(1, "a"), in_session(2, "a"), in_session(3, "b")]);
    store.continue_index(Duration::ZERO).unwrap();
    add(&mut store, &[RecordedEvent { at: None, ..in_session(4, "c") }, in_session(5, "c")]);
    assert_eq!(store.purge(&PurgeScope::Session("a".to_owned())).unwrap(), PurgeResult { events: 2, sessions: 1 });
    assert_eq!((count(&store, ""), count(&store, "~h guard"), count(&store, "rm")), (3, 3, 3));
    let before = event(4).at.unwrap();
    assert_eq!(
        store.purge(&PurgeScope::Before(before)).unwrap(),
        PurgeResult { events: 1, sessions: 1 },
        "the third; the one without a time stays"
    );
    assert_eq!((count(&store, ""), count(&store, "rm"), count(&store, "!rm")), (2, 2, 0));
    // Numbers are never reused, so the index knows which ones it has.
    assert_eq!(store.purge(&PurgeScope::All).unwrap(), PurgeResult { events: 2, sessions: 1 });
    for table in ["events", "payloads", "runs", "notes", "sessions", "kinds", "files", "search_docsize"] {
        assert_eq!(rows_of(&place, table), 0, "{table}");
    }
    assert_eq!(add(&mut store, &[in_session(9, "z")]), [(6, true)]);
    assert_eq!((count(&store, "rm"), count(&store, "~e before")), (1, 1));
    drop(store);
    let bytes = std::fs::read(&place.file).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"a.jsonl"), "what was deleted is overwritten");
}

#[test]
fn limits_are_for_what_was_captured_live() {
    let day = 86_400_000;
    let place = StoreDirectory::new();
    let mut store = place.store();
    let live = LiveData { schema_version: 1, ..LiveData::default() };
    let mut put = |n: usize, session: &str, age: i64, captured: bool, marked: bool| {
        let event = RecordedEvent { at: Some(NOW - age * day), marked, comment: None, ..in_session(n, session) };
        let incoming = NewEvent { event: &event, highlight: None, live: captured.then_some(&live) };
        store.add(&[], &[incoming], false).unwrap();
    };
    put(1, "imported", 99, false, false);
    put(2, "old", 40, true, false);
    put(3, "old", 39, true, true);
    put(4, "long", 40, true, false);
    put(5, "long", 1, true, false);
    put(6, "new", 0, true, false);
    let left = |store: &Store| {
        let mut all = seqs(&store.page(&filter(""), NOW, ListDirection::Forward, None, 99).unwrap());
        all.sort_unstable();
        all
    };
    assert_eq!(store.prune(Retention::default(), NOW).unwrap(), PurgeResult { events: 1, sessions: 0 });
    assert_eq!(left(&store), [1, 3, 4, 5, 6], "the session that went on until yesterday is whole");
    // 32 bytes of payload and 8 of output each, and the marked one counts.
    let limits = Retention { days: 30, bytes: 90 };
    assert_eq!(store.prune(limits, NOW).unwrap(), PurgeResult { events: 2, sessions: 1 });
    assert_eq!(left(&store), [1, 3, 6]);
    assert_eq!(store.prune(Retention { days: 0, bytes: 0 }, NOW + 1).unwrap(), PurgeResult { events: 1, sessions: 1 });
    assert_eq!(left(&store), [1, 3]);
    assert_eq!(store.stat().unwrap().live, 1);
}

#[test]
fn limits_are_for_logged_runs_too() {
    let day = 86_400_000;
    let place = StoreDirectory::new();
    let mut store = place.store();
    let mut put = |n: usize, session: &str, age: i64, source: PayloadSource, marked: bool| {
        let at = Some(NOW - age * day);
        let event = RecordedEvent { at, payload_source: source, marked, comment: None, ..in_session(n, session) };
        store.add(&[], &[NewEvent::imported(&event, None)], false).unwrap();
    };
    put(1, "typed", 40, PayloadSource::Synthetic, false);
    put(2, "monday", 40, PayloadSource::Fired, false);
    put(3, "monday", 40, PayloadSource::Fired, true);
    put(4, "today", 0, PayloadSource::Fired, false);
    assert_eq!(store.prune(Retention::default(), NOW).unwrap(), PurgeResult { events: 1, sessions: 0 });
    let kept = seqs(&store.page(&filter(""), NOW, ListDirection::Forward, None, 99).unwrap());
    assert_eq!(kept, [1, 3, 4]);
    assert_eq!(store.prune(Retention { days: 30, bytes: 0 }, NOW).unwrap(), PurgeResult { events: 1, sessions: 1 });
}

#[test]
fn a_vacuum_gives_back_what_was_deleted() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    let big = |n: usize| RecordedEvent { payload: vec![b'x'; 20_000], ..event(n) };
    add(&mut store, &(0..100).map(big).collect::<Vec<_>>());
    store.continue_index(Duration::ZERO).unwrap();
    store.purge(&PurgeScope::All).unwrap();
    let before = store.stat().unwrap();
    assert!(before.free > 1_000_000, "{before:?}");
    store.vacuum().unwrap();
    let after = store.stat().unwrap();
    assert!(after.free == 0 && after.file < 300_000 && after.log == 0, "{after:?}");
    assert_eq!((after.events, after.sessions, after.oldest, after.newest), (0, 0, None, None));
    assert_eq!(add(&mut store, &[event(1)]), [(101, true)]);
}
