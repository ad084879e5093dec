//! `cargo bench --bench impact`: the time to evaluate a change of settings for recorded events.
//!
//! Budgets, for comparison and never asserted: 20,000 distinct keys in 50 ms, a million events in 5 s.
//! `HOOKBENCH_EVENTS` sets another number of events. The store is in a temporary directory that is deleted.
//!
//! Measured in release on two busy cores (a load of twelve, so that a millisecond of work took six or more); in
//! brackets the previous implementation, measured in the same minute: the next change for 20,000 subjects 164 ms
//! (653) and 26 ms of CPU time, another `if` for 20,000 values 29 ms (546). Half of the work for subjects was
//! formatting unused version numbers; that has been removed since, and not measured again. The first reading took 1
//! to 3 s under that load: the screen does it when it opens a project.
#![allow(clippy::disallowed_methods, reason = "measures a real file")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use hookbench::app::impact::{ImpactCache, ImpactControl, SettingsChange, impact};
use hookbench::app::{FiringSetup, make_place};
use hookbench::core::dialects::{self, Agent};
use hookbench::core::recorded::RecordedEvent;
use hookbench::store::{NewEvent, OpenMode, Store};
use serde_json::{Value, json};

const BATCH: usize = 2_000;
const KEYS: usize = 20_000;
const CHANGES: usize = 8;

fn main() {
    let many: usize = std::env::var("HOOKBENCH_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["home", "shop/.claude"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    let bash = |handlers: Value| json!({"hooks": {"PreToolUse": [{"matcher": "Bash|tool_.*", "hooks": handlers}]}});
    let hook = |n: usize| {
        bash(json!([{"type": "command", "command": "a.sh"}, {"type": "command", "command": format!("b{n}.sh")}]))
    };
    let matcher = |n: usize| {
        let matcher = format!("Bash|tool_{}.*", "12345678".get(..n % 8).unwrap_or_default());
        json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": "a.sh"}]}]}})
    };
    let only = |n: usize| {
        let rule =
            format!("Bash(git {} *)", ["push", "status", "pull", "log"][n % 4].to_owned() + ["", "e"][n / 4 % 2]);
        bash(json!([{"type": "command", "command": "a.sh", "if": rule}]))
    };
    println!("{:<44} {:>10} {:>10} {:>10} {:>10}", "a change", "first ms", "next ms", "cpu ms", "aim ms");
    let command =
        |n: usize| ["git push origin b", "git status ", "cargo test && echo "][n % 3].to_owned() + &n.to_string();
    let store = kept(&root.join("subjects.db"), 2 * KEYS, &root, &|n| (format!("tool_{}", n % KEYS), "ls".to_owned()));
    ask(&root, &store, "20,000 subjects, another hook", 50, &hook);
    ask(&root, &store, "20,000 subjects, another matcher", 50, &matcher);
    let store = kept(&root.join("values.db"), 2 * KEYS, &root, &|n| ("Bash".to_owned(), command(n % KEYS)));
    ask(&root, &store, "20,000 values, another `if`", 50, &only);
    let store =
        kept(&root.join("many.db"), many, &root, &|n| (["Bash", "Edit", "Read"][n % 3].to_owned(), command(n % KEYS)));
    ask(&root, &store, &format!("{many} events, another hook"), 5_000, &hook);
    ask(&root, &store, &format!("{many} events, another `if`"), 5_000, &only);
}

fn dialect() -> &'static Agent {
    dialects::ALL[0]
}

fn kept(file: &Path, count: usize, root: &Path, of: &dyn Fn(usize) -> (String, String)) -> Store {
    let mut store = Store::open(file, OpenMode::Write).unwrap();
    let start = Instant::now();
    for from in (0..count).step_by(BATCH) {
        let events: Vec<RecordedEvent> = (from..(from + BATCH).min(count)).map(|n| event(n, root, of(n))).collect();
        let incoming: Vec<NewEvent<'_>> = events.iter().map(|event| NewEvent::imported(event, None)).collect();
        store.add(&[], &incoming, false).unwrap();
    }
    let kinds = store.kinds().unwrap().len();
    println!("-- {count} events of {kinds} kinds, kept in {:.1} s", start.elapsed().as_secs_f64());
    Store::open(file, OpenMode::Read).unwrap()
}

fn event(n: usize, root: &Path, (tool, command): (String, String)) -> RecordedEvent {
    let project = root.join("shop").display().to_string();
    let filler = "output of something ".repeat(30);
    let payload = json!({"session_id": format!("s-{}", n / 500), "cwd": project, "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": {"command": command, "description": filler}, "n": n});
    RecordedEvent {
        id: format!("{n:016x}"),
        project: Some(project),
        subject: Some(tool),
        at: Some(1_700_000_000_000 + i64::try_from(n).unwrap() * 400),
        ..RecordedEvent::new(
            dialect().id().as_str(),
            &format!("s-{}", n / 500),
            "PreToolUse",
            payload.to_string().into_bytes(),
        )
    }
}

/// Makes several changes in turn, as a user does while editing. Reports the time of the first, which reads
/// everything, and of the later ones the best time and their CPU time, which does not depend on other load.
fn ask(root: &Path, store: &Store, what: &str, aim: u32, settings: &dyn Fn(usize) -> Value) {
    let (shop, home) = (root.join("shop"), root.join("home"));
    let stage = |n: usize| {
        std::fs::write(shop.join(".claude/settings.json"), settings(n).to_string()).unwrap();
        FiringSetup::load(&shop, Some(&home), dialect(), None).unwrap()
    };
    let stages: Vec<FiringSetup> = (0..=CHANGES).map(stage).collect();
    let mut known = ImpactCache::default();
    let (mut times, mut cpu) = (Vec::new(), Duration::ZERO);
    for pair in stages.windows(2) {
        let change = SettingsChange {
            dialect: dialect(),
            version: pair[1].version.clone(),
            place: Arc::new(make_place(Some(&shop), Some(&home)).unwrap()),
            headless: false,
            before: Arc::clone(&pair[0].loaded),
            after: Arc::clone(&pair[1].loaded),
        };
        let stop = AtomicBool::new(false);
        let control = ImpactControl { superseded: &stop, on_partial_result: &mut |_| {} };
        let (start, busy) = (Instant::now(), processor());
        let found = impact(&change, store, &mut known, control).unwrap().unwrap();
        if !times.is_empty() {
            cpu += processor().saturating_sub(busy);
        }
        times.push(start.elapsed());
        if found.at_least {
            println!("   partial: {}", found.words().unwrap_or_default());
        }
    }
    let (first, next) = (times[0], times[1..].iter().min().unwrap());
    let cpu = cpu / u32::try_from(times.len() - 1).unwrap();
    println!("{what:<44} {:>10.1} {:>10.1} {:>10.1} {aim:>10}", millis(first), millis(*next), millis(cpu));
}

/// The CPU time of this process so far, with the system's resolution of 10 ms.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse().ok())
        .map(|ticks: u64| Duration::from_millis(ticks * 10))
        .sum()
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
