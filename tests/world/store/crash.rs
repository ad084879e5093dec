//! Real processes on one file: killed while writing, several at once, a full disk, missing permissions.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hookbench::store::{self, CaptureRecord, PurgeScope, StoreErrorKind, StoredCooldown, StoredHandoff, move_aside};

use super::*;

/// The order for the helper: `write FILE FROM COUNT`, `try FILE`.
const ORDER: &str = "HOOKBENCH_TEST_STORE";

/// Not a test: other tests start it as a separate process.
#[test]
fn helper() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let words: Vec<&str> = order.split(' ').collect();
    match words.as_slice() {
        ["write", file, from, count] => write_on(Path::new(file), from.parse().unwrap(), count.parse().unwrap()),
        ["try", file] => try_both(Path::new(file)),
        other => panic!("{other:?}"),
    }
}

/// Adds batches and reports each, until it is done or fails.
fn write_on(file: &Path, from: usize, count: usize) {
    let mut store = Store::open(file, OpenMode::Write).unwrap();
    for n in (from..from + count).step_by(10) {
        let events: Vec<RecordedEvent> = (n..n + 10).map(event).collect();
        let incoming: Vec<NewEvent<'_>> = events.iter().map(|event| NewEvent::imported(event, None)).collect();
        match store.add(&[], &incoming, false) {
            Ok(_) => println!("kept {n}"),
            Err(fault) => {
                println!("fault {}", fault.kind);
                return;
            }
        }
    }
    println!("done");
}

fn try_both(file: &Path) {
    match Store::open(file, OpenMode::Read) {
        Ok(store) => println!("read {}", store.count(&Filter::everything(), NOW).unwrap()),
        Err(fault) => println!("read fault {}", fault.kind),
    }
    let written = Store::open(file, OpenMode::Write)
        .and_then(|mut store| store.add(&[], &[NewEvent::imported(&event(1), None)], false));
    match written {
        Ok(_) => println!("written"),
        Err(fault) => println!("write fault {:?}", fault.kind),
    }
}

fn helper_command(order: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "store::crash::helper", "--nocapture"]).env(ORDER, order).stdout(Stdio::piped());
    command
}

fn start(order: &str) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = helper_command(order).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    // The first line follows the test harness's own words.
    (child, lines.map(|line| line.rsplit_once("... ").map_or(line.clone(), |(_, rest)| rest.to_owned())))
}

fn check(file: &Path) {
    let connection = rusqlite::Connection::open(file).unwrap();
    let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(one("PRAGMA integrity_check"), "ok");
    let counted = one("SELECT CAST(sum(events) AS TEXT) FROM kinds");
    assert_eq!(counted, one("SELECT CAST(count(*) AS TEXT) FROM events"), "the numbers of the kinds are exact");
    assert_eq!(counted, one("SELECT CAST(count(*) AS TEXT) FROM payloads"));
}

#[test]
fn acknowledged_events_survive_a_kill() {
    let place = StoreDirectory::new();
    for round in 0..3 {
        let from = round * 100_000;
        let (mut child, mut lines) = start(&format!("write {} {from} 90000", place.file.display()));
        let mut kept = Vec::new();
        while kept.len() < 40 {
            let line = lines.next().expect("it writes on and on");
            kept.extend(line.strip_prefix("kept ").map(|n| n.parse::<usize>().unwrap()));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Lines printed after the last line read so far count too.
        kept.extend(lines.filter_map(|line| line.strip_prefix("kept ").and_then(|n| n.parse::<usize>().ok())));
        let store = place.store();
        for n in kept.iter().flat_map(|n| *n..*n + 10) {
            let seq = store.find(&event(n).id).unwrap().unwrap_or_else(|| panic!("event {n} is lost"));
            assert_eq!(store.event(seq).unwrap(), Some(event(n)));
        }
        assert_eq!(store.count(&filter(""), NOW).unwrap() % 10, 0, "a batch is there as a whole or not at all");
        drop(store);
        check(&place.file);
    }
}

#[test]
fn several_write_and_others_read_meanwhile() {
    let place = StoreDirectory::new();
    drop(place.store());
    // The two writers have half of their events in common.
    let orders = [0, 500].map(|from| start(&format!("write {} {from} 1000", place.file.display())));
    let reader = Store::open(&place.file, OpenMode::Read).unwrap();
    let mut counts = vec![0];
    for (mut child, lines) in orders {
        let mut last = String::new();
        for line in lines.filter(|line| line.starts_with("kept") || line.starts_with("fault") || line == "done") {
            counts.push(reader.count(&filter("~e before"), NOW).unwrap());
            last = line;
        }
        assert_eq!(last, "done");
        assert!(child.wait().unwrap().success());
    }
    assert!(counts.is_sorted() && counts.iter().all(|count| count % 10 == 0), "{counts:?}");
    assert_eq!(reader.count(&filter("rm"), NOW).unwrap(), 1500);
    check(&place.file);
}

#[test]
fn no_room_is_said_and_nothing_is_lost() {
    let place = StoreDirectory::new();
    drop(place.store());
    // 4000 blocks of 512 or 1024 bytes, depending on the shell.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 4000; exec \"$0\" --exact store::crash::helper --nocapture"]);
    shell.arg(std::env::current_exe().unwrap());
    shell.env(ORDER, format!("write {} 0 900000", place.file.display()));
    let said = String::from_utf8(shell.output().unwrap().stdout).unwrap();
    let last = said.lines().find(|line| line.contains("fault ")).unwrap_or_else(|| panic!("{said}"));
    assert_eq!(last, "fault no space left: the disk is full, or the file must not grow");
    let kept = said.lines().filter(|line| line.contains("kept ")).count() as u64;
    assert!(kept > 5, "{said}");
    let mut store = place.store();
    assert_eq!(store.count(&filter("rm"), NOW).unwrap(), kept * 10);
    assert!(add(&mut store, &[event(1_000_000)])[0].1, "with room it goes on");
    check(&place.file);
}

#[test]
fn a_store_that_may_only_be_read_is_read() {
    let place = StoreDirectory::new();
    add(&mut place.store(), &[event(1), event(2)]);
    let said = as_a_reader(&place);
    assert!(said.contains("read 2\n"), "{said}");
    assert!(said.contains("write fault ReadOnly("), "{said}");
}

/// Returns the output for a user who may only read the store and its directory.
fn as_a_reader(place: &StoreDirectory) -> String {
    let directory = place.file.parent().unwrap();
    let allow = |path: &Path, mode: u32| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    allow(directory.parent().unwrap(), 0o755);
    allow(&place.file, 0o444);
    allow(directory, 0o555);
    let mut command = helper_command(&format!("try {}", place.file.display()));
    if is_root() {
        // Root can write everywhere, so another user runs the program.
        command.uid(65534).gid(65534);
    }
    let said = String::from_utf8(command.output().unwrap().stdout).unwrap();
    allow(directory, 0o755);
    said
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap().stdout;
    id == b"0\n"
}

#[test]
fn only_its_owner_may_read_it() {
    let place = StoreDirectory::new();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let mut store = place.store();
    add(&mut store, &[event(1)]);
    assert_eq!(mode(place.file.parent().unwrap()), 0o700);
    for end in ["", "-wal", "-shm"] {
        let path = PathBuf::from(format!("{}{end}", place.file.display()));
        assert_eq!(mode(&path), 0o600, "{end}");
    }
    drop(store);
    std::fs::set_permissions(&place.file, PermissionsExt::from_mode(0o644)).unwrap();
    drop(place.store());
    assert_eq!(mode(&place.file), 0o600);
}

/// Returns the error if the store cannot be opened in this mode.
fn refused(place: &StoreDirectory, mode: OpenMode) -> String {
    match Store::open(&place.file, mode) {
        Ok(_) => panic!("it was opened"),
        Err(fault) => {
            assert!(fault.kind.help().is_some(), "{fault}");
            fault.kind.to_string()
        }
    }
}

#[test]
fn what_cannot_be_used_is_said_and_left_alone() {
    let place = StoreDirectory::new();
    assert_eq!(refused(&place, OpenMode::Read), "no event has been recorded or imported yet");
    add(&mut place.store(), &[event(1)]);
    let sql = |text: &str| rusqlite::Connection::open(&place.file).unwrap().execute_batch(text).unwrap();
    let newer = store::VERSION + 1;
    sql(&format!("PRAGMA user_version = {newer}"));
    for mode in [OpenMode::Read, OpenMode::Write] {
        let want =
            format!("it was written by a newer hookbench (version {newer}; this one supports {})", store::VERSION);
        assert_eq!(refused(&place, mode), want);
    }
    sql("PRAGMA application_id = 7");
    assert_eq!(refused(&place, OpenMode::Write), "this file is not a store of hookbench");
    std::fs::write(&place.file, "my notes, which are not a database at all").unwrap();
    for mode in [OpenMode::Read, OpenMode::Write] {
        assert_eq!(refused(&place, mode), "this file is not a store of hookbench");
    }
    assert!(std::fs::read_to_string(&place.file).unwrap().starts_with("my notes"), "nothing of it was changed");
}

#[test]
fn a_damaged_store_is_said_and_set_aside_when_asked() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    add(&mut store, &(0..500).map(event).collect::<Vec<_>>());
    store.vacuum().unwrap();
    drop(store);
    let mut bytes = std::fs::read(&place.file).unwrap();
    // Everything but the beginning is overwritten, as after a disk failure.
    bytes[8192..].fill(0xa5);
    std::fs::write(&place.file, &bytes).unwrap();
    let fault = Store::open(&place.file, OpenMode::Write)
        .and_then(|mut store| store.add(&[], &[NewEvent::imported(&event(1), None)], false))
        .unwrap_err();
    assert!(matches!(fault.kind, StoreErrorKind::Damaged(_)), "{fault}");
    assert!(fault.kind.help().is_some_and(|cure| cure.contains("hookbench db set-aside")));
    let aside = move_aside(&place.file).unwrap();
    assert_eq!(std::fs::read(&aside).unwrap(), bytes, "nothing is thrown away");
    add(&mut place.store(), &[event(1)]);
    assert_ne!(move_aside(&place.file).unwrap(), aside);
}

#[test]
fn a_store_that_another_process_holds_is_said_to_be_busy() {
    let place = StoreDirectory::new();
    let mut store = place.store();
    add(&mut store, &[event(1)]);
    let other = rusqlite::Connection::open(&place.file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let fault = store.add(&[], &[NewEvent::imported(&event(2), None)], false).unwrap_err();
    assert!(matches!(fault.kind, StoreErrorKind::Busy), "{fault}");
    assert_eq!(store.count(&filter(""), NOW).unwrap(), 1, "it can be read meanwhile");
    other.execute_batch("COMMIT").unwrap();
    assert!(add(&mut store, &[event(2)])[0].1);
}

/// A place with a store in the format of version 1.
fn of_version_1() -> StoreDirectory {
    let place = StoreDirectory::new();
    std::fs::create_dir(place.file.parent().unwrap()).unwrap();
    rusqlite::Connection::open(&place.file).unwrap().execute_batch(include_str!("v1.sql")).unwrap();
    place
}

#[test]
fn a_store_of_version_1_is_read() {
    let place = of_version_1();
    // Opening for reading also migrates the store to the newest version.
    assert_eq!(Store::open(&place.file, OpenMode::Read).unwrap().count(&filter("~v deny"), NOW).unwrap(), 1);
    let mut store = place.store();
    let want = RecordedEvent {
        source: Some(SourceLine { file: "/t.jsonl".to_owned(), line: 7 }),
        runs: vec![run("guard.sh", Exit::Code(2), 38)],
        verdict: Some("deny".to_owned()),
        marked: true,
        comment: Some("why?".to_owned()),
        ..event(1)
    };
    assert_eq!(store.event(1).unwrap(), Some(want));
    for text in ["rm", "~marked", "~v deny", "~x 2", "~s>37ms", "~session s-1", "~c why"] {
        assert_eq!(store.count(&filter(text), NOW).unwrap(), 1, "{text}");
    }
    // Events alike still have the same kind. Fields that only version 2 has are stored separately.
    let known = RecordedEvent {
        diagnostics: vec!["HW301".to_owned()],
        runs: vec![RecordedRun { layer: Some("user".to_owned()), ..run("guard.sh", Exit::Code(2), 38) }],
        ..event(3)
    };
    let alike = RecordedEvent { id: "alike".to_owned(), ..store.event(1).unwrap().unwrap() };
    assert_eq!(add(&mut store, &[event(2), known.clone(), alike]), [(2, true), (3, true), (4, true)]);
    assert_eq!(store.event(3).unwrap(), Some(known));
    let kinds: Vec<u64> = store.kinds().unwrap().iter().map(|kind| kind.events).collect();
    assert_eq!(kinds, [2, 1, 1]);
    assert_eq!(store.count(&filter("~l user ~d HW301"), NOW).unwrap(), 1);
    check(&place.file);
}

/// If the store cannot be migrated, an error says so.
#[test]
fn a_store_of_version_1_that_may_only_be_read_is_not_changed() {
    let place = of_version_1();
    let said = as_a_reader(&place);
    let want = format!("read fault it has version 1, and cannot be updated to version {} here\n", store::VERSION);
    assert!(said.contains(&want), "{said}");
}

/// Programs for version 3 wrote runs of the log, but others for this version could not read them.
#[test]
fn a_store_of_version_3_keeps_its_log() {
    let place = StoreDirectory::new();
    std::fs::create_dir(place.file.parent().unwrap()).unwrap();
    rusqlite::Connection::open(&place.file).unwrap().execute_batch(include_str!("v3.sql")).unwrap();
    let store = place.store();
    assert_eq!(store.count(&filter("~fired"), NOW).unwrap(), 1);
    let stat = store.stat().unwrap();
    assert_eq!((stat.events, stat.logged, stat.live), (2, 1, 0));
    let version = rusqlite::Connection::open(&place.file).unwrap();
    let version: i64 = version.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, store::VERSION);
    check(&place.file);
}

/// Version 2 had no handoffs or cooldowns, and did not store suppressed answers of live events.
#[test]
fn a_store_of_version_2_is_read_and_goes_on() {
    let place = StoreDirectory::new();
    std::fs::create_dir(place.file.parent().unwrap()).unwrap();
    rusqlite::Connection::open(&place.file).unwrap().execute_batch(include_str!("v2.sql")).unwrap();
    let mut store = place.store();
    assert_eq!(store.count(&filter("~v deny ~l user rm"), NOW).unwrap(), 1);
    let old = store.captured_events(0, None, None, 10).unwrap();
    let decided: Vec<_> =
        old.iter().map(|one| (one.live.decision.as_deref(), one.live.suppressed.as_deref())).collect();
    assert_eq!(decided, [(Some("deny"), None)]);
    assert_eq!(store.event(1).unwrap().unwrap().outcome.unwrap().reason.as_deref(), Some("no"));
    assert!(store.cooldowns().unwrap().is_empty() && store.handoffs_since(0).unwrap().is_empty());

    let cooldown = |last_received_ms| StoredCooldown {
        provider: "x".to_owned(),
        provider_ref: "s-1".to_owned(),
        event: "stop".to_owned(),
        last_received_ms,
    };
    let handoff = |created_ms| StoredHandoff {
        provider: "x".to_owned(),
        provider_ref: "s-1".to_owned(),
        project_key: "/p/shop".to_owned(),
        created_ms,
        trigger: "pre_compact".to_owned(),
        json: "{}".to_owned(),
        yaml: "a: b".to_owned(),
    };
    let delivered = CaptureRecord::Delivered { provider: "x", provider_ref: "s-1", created_ms: 10, at_ms: 12 };
    let (first, later) = (cooldown(5), cooldown(7));
    let (told, open) = (handoff(10), handoff(11));
    let all = [
        CaptureRecord::Cooldown(&first),
        CaptureRecord::Cooldown(&later),
        CaptureRecord::Handoff(&told),
        CaptureRecord::Handoff(&open),
        delivered,
    ];
    store.capture(&all).unwrap();
    assert_eq!(store.cooldowns().unwrap(), [cooldown(7)]);
    assert_eq!(store.handoffs_since(9).unwrap(), [handoff(11)]);
    assert!(store.handoffs_since(11).unwrap().is_empty());
    check(&place.file);
    // Purging a session also removes its persisted state.
    store.purge(&PurgeScope::Session("s-1".to_owned())).unwrap();
    assert!(store.cooldowns().unwrap().is_empty() && store.handoffs_since(0).unwrap().is_empty());
}
