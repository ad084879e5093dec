//! `cargo bench --bench impact`: what a change of settings comes to for recorded events.
//!
//! Budgets, to be looked at and never asserted: 20,000 distinct keys in 50 ms, a million events in 5 s. `HOOKBENCH_EVENTS`
//! takes another number than a million; the file lies in a temporary folder and goes away.
//!
//! Measured in release on two cores that others kept busy (a load of ten, some eight times slower than alone), the way it was
//! done before in brackets, measured in the same minute: 20,000 subjects that all change 150 to 340 ms (3,400 to 3,800), of
//! 20,000 values a third, read for a change before, 140 to 210 ms (1,950 to 2,700), read for the first time 720 ms.
#![allow(clippy::disallowed_methods, reason = "measures a real file")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use hookbench::app::impact::{Change, Control, Known, impact};
use hookbench::app::{Stage, make_place};
use hookbench::core::dialects::{self, Dialect};
use hookbench::core::recorded::{Made, RecordedEvent};
use hookbench::store::{Incoming, Mode, Store};
use serde_json::{Value, json};

const BATCH: usize = 2_000;
const KEYS: usize = 20_000;

fn main() {
    let many: usize = std::env::var("HOOKBENCH_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["home", "shop/.claude"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    let bash = |handlers: Value| json!({"hooks": {"PreToolUse": [{"matcher": "Bash|tool_.*", "hooks": handlers}]}});
    let plain = bash(json!([{"type": "command", "command": "a.sh"}, {"type": "command", "command": "b.sh"}]));
    let wider = bash(json!([{"type": "command", "command": "a.sh"}, {"type": "command", "command": "c.sh"}]));
    let git = bash(json!([{"type": "command", "command": "a.sh", "if": "Bash(git *)"}]));
    let push = bash(json!([{"type": "command", "command": "a.sh", "if": "Bash(git push *)"}]));
    println!("-- keys that differ in their subjects, two events of each");
    let store = kept(&root.join("subjects.db"), 2 * KEYS, &root, &|n| (format!("tool_{}", n % KEYS), "ls".to_owned()));
    ask(&root, &store, "another hook for all of them", &plain, &wider);
    println!("-- keys that differ in what `if` reads, two events of each");
    let command =
        |n: usize| ["git push origin b", "git status ", "cargo test && echo "][n % 3].to_owned() + &n.to_string();
    let store = kept(&root.join("values.db"), 2 * KEYS, &root, &|n| ("Bash".to_owned(), command(n % KEYS)));
    ask(&root, &store, "another `if`", &git, &push);
    println!("-- {many} events");
    let store =
        kept(&root.join("many.db"), many, &root, &|n| (["Bash", "Edit", "Read"][n % 3].to_owned(), command(n % KEYS)));
    ask(&root, &store, "another hook", &plain, &wider);
    ask(&root, &store, "another `if`", &git, &push);
}

fn dialect() -> &'static dyn Dialect {
    dialects::ALL[0]
}

fn kept(file: &Path, count: usize, root: &Path, of: &dyn Fn(usize) -> (String, String)) -> Store {
    let mut store = Store::open(file, Mode::Write).unwrap();
    let start = Instant::now();
    for from in (0..count).step_by(BATCH) {
        let events: Vec<RecordedEvent> = (from..(from + BATCH).min(count)).map(|n| event(n, root, of(n))).collect();
        let incoming: Vec<Incoming<'_>> = events.iter().map(|event| Incoming::imported(event, None)).collect();
        store.add(&[], &incoming, false).unwrap();
    }
    say(&format!("(kept {count} events, {} kinds)", store.kinds().unwrap().len()), start.elapsed());
    Store::open(file, Mode::Read).unwrap()
}

fn event(n: usize, root: &Path, (tool, command): (String, String)) -> RecordedEvent {
    let project = root.join("shop").display().to_string();
    let filler = "output of something ".repeat(30);
    let payload = json!({"session_id": format!("s-{}", n / 500), "cwd": project, "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": {"command": command, "description": filler}, "n": n});
    RecordedEvent {
        id: format!("{n:016x}"),
        agent: dialect().id().to_owned(),
        version: None,
        session: format!("s-{}", n / 500),
        agent_id: None,
        project: Some(project),
        event: "PreToolUse".to_owned(),
        subject: Some(tool),
        at: Some(1_700_000_000_000 + i64::try_from(n).unwrap() * 400),
        made: Made::Rebuilt,
        origin: None,
        source: None,
        payload: payload.to_string().into_bytes(),
        runs: Vec::new(),
        verdict: None,
        outcome: None,
        diagnostics: Vec::new(),
        marked: false,
        comment: None,
    }
}

/// The better of two times, and when something was first told.
fn ask(root: &Path, store: &Store, what: &str, before: &Value, after: &Value) {
    let (shop, home) = (root.join("shop"), root.join("home"));
    let stage = |settings: &Value| {
        std::fs::write(shop.join(".claude/settings.json"), settings.to_string()).unwrap();
        Stage::set(&shop, Some(&home), dialect(), None).unwrap()
    };
    let (before, after) = (stage(before), stage(after));
    let change = Change {
        dialect: dialect(),
        version: after.version.clone(),
        place: Arc::new(make_place(Some(&shop), Some(&home)).unwrap()),
        headless: false,
        before: before.loaded,
        after: after.loaded,
    };
    let mut best = Duration::MAX;
    // What is read for the first change is there for the second.
    let mut known = Known::default();
    for _ in 0..3 {
        let (start, mut first) = (Instant::now(), None);
        let stop = AtomicBool::new(false);
        let control = Control { superseded: &stop, so_far: &mut |_| first = Some(start.elapsed()) };
        let found = impact(&change, store, &mut known, control).unwrap().unwrap();
        let took = start.elapsed();
        best = best.min(took);
        let summary = &found.summary;
        let words = found.words().unwrap_or_default();
        let rules = summary.rules.len() + summary.more_rules;
        println!("   {took:.1?}: {} events, {rules} rules: {words}; first told {first:?}", summary.events);
    }
    say(what, best);
}

fn say(what: &str, took: Duration) {
    println!("{what:<58} {:>9.1} ms", took.as_secs_f64() * 1e3);
}
