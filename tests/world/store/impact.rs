//! The impact of a change of settings equals the result of replaying every event, and counts the right events only.

use hookbench::core::names::AgentId;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hookbench::app::impact::{Impact, ImpactCache, ImpactControl, SettingsChange, impact};
use hookbench::app::replay::{ReplaySummary, ReplayTally, ReplayedEvent, assess, compare};
use hookbench::app::{FiringSetup, InputRequest, make_place};
use hookbench::core::dialects::{self, Scene, SessionMemory, Version};
use hookbench::core::names::RunId;
use hookbench::core::recorded::{PayloadSource, RecordedEvent, RecordedRun, definition_key, digest};
use hookbench::core::run::{Exit, Launch, RunReport};
use hookbench::store::{NewEvent, OpenMode, Store};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A user with two projects and a store.
pub struct ImpactProject {
    directory: tempfile::TempDir,
    pub store: Store,
}

/// The location of a settings file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SettingsLocation {
    Project,
    User,
}

impl ImpactProject {
    pub fn new() -> ImpactProject {
        let directory = tempfile::tempdir().unwrap();
        for name in ["home/.claude", "one/.claude", "two/.claude"] {
            std::fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        let store = Store::open(&directory.path().join("hookbench.db"), OpenMode::Write).unwrap();
        ImpactProject { directory, store }
    }

    pub fn path(&self, name: &str) -> String {
        self.directory.path().canonicalize().unwrap().join(name).display().to_string()
    }

    pub fn write(&self, at: SettingsLocation, settings: Option<&Value>) {
        let directory = if at == SettingsLocation::Project { "one" } else { "home" };
        let file = self.directory.path().join(directory).join(".claude/settings.json");
        match settings {
            Some(settings) => std::fs::write(file, settings.to_string()).unwrap(),
            None => drop(std::fs::remove_file(file)),
        }
    }

    pub fn stage(&self, project: &str, version: Option<&str>) -> FiringSetup {
        let home = self.path("home");
        let version = version.and_then(Version::parse);
        let project = self.path(project);
        FiringSetup::load(Path::new(&project), Some(Path::new(&home)), claude(), version).unwrap()
    }

    fn keep(&mut self, events: &[RecordedEvent]) {
        let incoming: Vec<_> = events.iter().map(|event| NewEvent::imported(event, None)).collect();
        self.store.add(&[], &incoming, false).unwrap();
    }

    /// Changes the store behind its back.
    fn execute_sql(&self, sql: &str) {
        let file = self.directory.path().join("hookbench.db");
        rusqlite::Connection::open(file).unwrap().execute_batch(sql).unwrap();
    }

    /// Makes a change and returns its impact.
    fn change(&self, at: SettingsLocation, after: Option<&Value>) -> Impact {
        let before = self.stage("one", None);
        self.write(at, after);
        let change = self.changed(&before);
        let mut known = ImpactCache::default();
        let found = self.found(&change, &mut known);
        assert_eq!(self.found(&change, &mut known), found, "what was read before says the same");
        found
    }

    fn found(&self, change: &SettingsChange, known: &mut ImpactCache) -> Impact {
        let stop = AtomicBool::new(false);
        let control = ImpactControl { superseded: &stop, on_partial_result: &mut |_| {} };
        impact(change, &self.store, known, control).unwrap().unwrap()
    }

    fn changed(&self, before: &FiringSetup) -> SettingsChange {
        let after = self.stage("one", None);
        let place = make_place(Some(Path::new(&self.path("one"))), Some(Path::new(&self.path("home")))).unwrap();
        SettingsChange {
            dialect: claude(),
            version: before.version.clone(),
            place: Arc::new(place),
            headless: false,
            before: Arc::clone(&before.loaded),
            after: after.loaded,
        }
    }
}

pub fn claude() -> &'static dialects::Agent {
    dialects::by_id("claude").unwrap()
}

/// An event of a tool.
fn event(n: usize, project: &str, name: &str, tool: &str, input: &Value) -> RecordedEvent {
    let mut payload = json!({"session_id": "s", "cwd": project, "hook_event_name": name});
    if !tool.is_empty() {
        payload["tool_name"] = tool.into();
        payload["tool_input"] = input.clone();
    }
    RecordedEvent {
        agent: "claude".to_owned(),
        version: None,
        project: Some(project.to_owned()),
        event: name.to_owned(),
        subject: (!tool.is_empty()).then(|| tool.to_owned()),
        payload_source: PayloadSource::Recorded,
        payload: payload.to_string().into_bytes(),
        ..super::event(n)
    }
}

pub fn hook(event: &str, matcher: &str, command: &str) -> Value {
    json!({"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}})
}

fn hook_if(matcher: &str, command: &str, rule: &str) -> Value {
    json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": command, "if": rule}]}]}})
}

/// The counts: newly run, no longer run, verdict changed, unknown, all.
fn counts(summary: &ReplaySummary) -> [usize; 5] {
    [summary.newly_run, summary.no_longer_run, summary.verdict_changed, summary.unknown, summary.events]
}

/// Events of the first project: three shell commands (two with git), two edits, one stop. Of the second: one shell
/// command.
pub fn insert_seven_events(world: &mut ImpactProject) {
    let (one, two) = (world.path("one"), world.path("two"));
    let bash = |command: &str| json!({"command": command});
    let edit = json!({"file_path": format!("{one}/a.rs"), "old_string": "a", "new_string": "b"});
    world.keep(&[
        event(1, &one, "PreToolUse", "Bash", &bash("git push")),
        event(2, &one, "PreToolUse", "Bash", &bash("git status")),
        event(3, &one, "PreToolUse", "Bash", &bash("ls")),
        event(4, &one, "PreToolUse", "Edit", &edit),
        event(5, &format!("{one}/below"), "PreToolUse", "Edit", &edit),
        event(6, &one, "Stop", "", &Value::Null),
        event(7, &two, "PreToolUse", "Bash", &bash("git push")),
    ]);
}

#[test]
fn changes_by_table() {
    use SettingsLocation::{Project, User};
    let bash = hook("PreToolUse", "Bash", "guard.sh");
    let all = hook("PreToolUse", "*", "guard.sh");
    let git = hook_if("Bash", "guard.sh", "Bash(git *)");
    let push = hook_if("Bash", "guard.sh", "Bash(git push)");
    let stop = hook("Stop", "", "stop.sh");
    let off = json!({"disableAllHooks": true, "hooks": bash["hooks"]});
    let other = hook("PreToolUse", "Bash", "other.sh");
    for (what, at, before, after, want) in [
        ("a first hook", Project, None, Some(&bash), [3, 0, 0, 3, 6]),
        ("the file goes", Project, Some(&bash), None, [0, 3, 0, 3, 6]),
        ("the matcher widens", Project, Some(&bash), Some(&all), [2, 0, 0, 2, 6]),
        ("the matcher narrows", Project, Some(&all), Some(&bash), [0, 2, 0, 2, 6]),
        ("a condition", Project, Some(&bash), Some(&git), [0, 1, 0, 1, 6]),
        ("a narrower one", Project, Some(&git), Some(&push), [0, 1, 0, 1, 6]),
        ("another event", Project, Some(&bash), Some(&stop), [1, 3, 0, 4, 6]),
        ("another command", Project, Some(&bash), Some(&other), [3, 3, 0, 3, 6]),
        ("all off", Project, Some(&bash), Some(&off), [0, 3, 0, 3, 6]),
        ("nothing but a name", Project, Some(&bash), Some(&bash), [0, 0, 0, 0, 6]),
        ("everywhere", User, None, Some(&bash), [4, 0, 0, 4, 7]),
        ("everywhere, a condition", User, Some(&git), Some(&push), [0, 1, 0, 1, 7]),
        ("everywhere, gone", User, Some(&all), None, [0, 6, 0, 6, 7]),
    ] {
        let mut world = ImpactProject::new();
        insert_seven_events(&mut world);
        world.write(at, before);
        let found = world.change(at, after);
        assert_eq!(counts(&found.summary), want, "{what}");
        assert!(!found.at_least, "{what}");
        assert_eq!(found.project.is_some(), at == Project, "{what}");
    }
}

#[test]
fn a_rule_lists_its_events() {
    let mut world = ImpactProject::new();
    insert_seven_events(&mut world);
    let found = world.change(SettingsLocation::Project, Some(&hook("PreToolUse", "Bash", "guard.sh")));
    assert_eq!(found.words().unwrap(), "3 gain a hook, 3 unknown until run");
    let [rule] = found.summary.rules.as_slice() else { panic!("{:?}", found.summary.rules) };
    assert_eq!((rule.newly, rule.hook.as_str(), rule.count), (true, "guard.sh", 3));
    assert_eq!(world.store.count(&found.filter(rule), super::NOW).unwrap(), 3);
    let some = Impact { at_least: true, ..found };
    assert_eq!(some.words().unwrap(), "≥ 3 gain a hook, ≥ 3 unknown until run");
}

/// Subjects that match alike are planned once. Only the first are listed by name.
#[test]
fn many_subjects_are_counted_and_some_named() {
    let mut world = ImpactProject::new();
    let one = world.path("one");
    let tool = |n: usize| format!("mcp__x__tool{}", n % 600);
    let events: Vec<_> = (0..601).map(|n| event(n, &one, "PreToolUse", &tool(n), &Value::Null)).collect();
    world.keep(&events);
    let summary = world.change(SettingsLocation::Project, Some(&hook("PreToolUse", "mcp__.*", "guard.sh"))).summary;
    assert_eq!(counts(&summary), [601, 0, 0, 601, 601]);
    assert_eq!((summary.rules.len(), summary.more_rules), (200, 400));
    let first = &summary.rules[0];
    assert_eq!((first.count, first.subject.as_deref()), (2, Some("mcp__x__tool0")), "the most frequent first");
    assert!(summary.rules.iter().all(|rule| rule.why.contains(rule.subject.as_deref().unwrap())), "{first:?}");
}

/// A narrowed condition, and the values read from seven events to evaluate the change.
fn narrowed_condition() -> (ImpactProject, SettingsChange, ImpactCache) {
    let mut world = ImpactProject::new();
    insert_seven_events(&mut world);
    world.write(SettingsLocation::Project, Some(&hook_if("Bash", "guard.sh", "Bash(git *)")));
    let before = world.stage("one", None);
    world.write(SettingsLocation::Project, Some(&hook_if("Bash", "guard.sh", "Bash(git push)")));
    let (change, mut known) = (world.changed(&before), ImpactCache::default());
    assert_eq!(counts(&world.found(&change, &mut known).summary), [0, 1, 0, 1, 6]);
    (world, change, known)
}

#[test]
fn what_is_recorded_later_is_counted_too() {
    let (mut world, change, mut known) = narrowed_condition();
    let one = world.path("one");
    world.keep(&[event(8, &one, "PreToolUse", "Bash", &json!({"command": "git log"}))]);
    assert_eq!(counts(&world.found(&change, &mut known).summary), [0, 2, 0, 2, 7]);
}

/// New events are added to the values that were read before, which are not read again: payloads that are overwritten
/// behind the store's back are still known with their old values.
#[test]
fn what_was_read_before_is_kept_when_something_is_recorded() {
    let (mut world, change, mut known) = narrowed_condition();
    world.execute_sql("UPDATE payloads SET bytes = CAST('{}' AS BLOB)");
    let one = world.path("one");
    let bash = |n: usize, command: &str| event(n, &one, "PreToolUse", "Bash", &json!({"command": command}));
    // One event like another, one with a new value, one of a new kind; then one that is recorded in between.
    world.keep(&[bash(8, "git status"), bash(9, "git log"), event(10, &one, "Stop", "", &Value::Null)]);
    assert_eq!(counts(&world.found(&change, &mut known).summary), [0, 3, 0, 3, 9]);
    world.keep(&[event(11, &one, "PreToolUse", "Write", &json!({"file_path": "/a"})), bash(12, "git log")]);
    assert_eq!(counts(&world.found(&change, &mut known).summary), [0, 4, 0, 4, 11]);
    // If an event was deleted, everything is read again.
    world.execute_sql("DELETE FROM events WHERE seq = 1");
    assert_eq!(counts(&world.found(&change, &mut known).summary), [0, 3, 0, 3, 10]);
}

/// A kind's number may later be reused for another kind.
#[test]
fn what_is_known_of_a_kind_is_not_said_of_another_one() {
    let mut world = ImpactProject::new();
    let one = world.path("one");
    let bash = |n: usize, command: &str| event(n, &one, "PreToolUse", "Bash", &json!({"command": command}));
    world.keep(&[bash(1, "git status"), bash(2, "ls")]);
    let before = world.stage("one", None);
    world.write(SettingsLocation::Project, Some(&hook_if("Bash|Edit", "guard.sh", "Bash(git *)")));
    let (change, mut known) = (world.changed(&before), ImpactCache::default());
    assert_eq!(counts(&world.found(&change, &mut known).summary), [1, 0, 0, 1, 2]);
    world.execute_sql("DELETE FROM events; DELETE FROM kinds");
    let edit = |n: usize| event(n, &one, "PreToolUse", "Edit", &json!({"file_path": "/a"}));
    world.keep(&[edit(3), edit(4)]);
    assert_eq!(counts(&world.found(&change, &mut known).summary), [0, 0, 0, 0, 2]);
    world.execute_sql("DELETE FROM events; DELETE FROM kinds");
    world.keep(&[bash(5, "git log"), bash(6, "git diff")]);
    assert_eq!(counts(&world.found(&change, &mut known).summary), [2, 0, 0, 2, 2]);
}

/// The run of a definition on an event, as it would be recorded.
fn run_of(stage: &FiringSetup, event: &RecordedEvent, exit: i32) -> Vec<RecordedRun> {
    let input = built(stage, event);
    let scene = Scene {
        input,
        loaded: Arc::clone(&stage.loaded),
        place: Arc::new(stage.place.clone()),
        version: stage.version.clone(),
        headless: false,
        memory: SessionMemory::default(),
    };
    let of = |definition: &hookbench::core::hook::HookDefinition| {
        let Launch::Process(spec) = claude().launch(definition, &scene) else { panic!("no process") };
        RecordedRun {
            hook: definition.label(),
            command: Some(definition.handler.text()),
            definition: Some(definition_key("claude", definition)),
            layer: None,
            stdin: Some(digest(&spec.stdin)),
            report: RunReport::new(RunId(0), Exit::Code(exit), Vec::new(), b"no".to_vec()),
            partial: false,
        }
    };
    stage.loaded.definitions.iter().filter(|d| d.event == event.event).map(of).collect()
}

fn built(stage: &FiringSetup, event: &RecordedEvent) -> hookbench::core::hook::HookInput {
    let request = InputRequest {
        agent: Some(AgentId::new("claude")),
        event: Some(event.event.clone()),
        payload: Some(serde_json::from_slice(&event.payload).unwrap()),
        ..InputRequest::default()
    };
    stage.build(&request).unwrap().input
}

#[test]
fn recorded_runs_answer_for_verdicts() {
    let mut world = ImpactProject::new();
    let one = world.path("one");
    let bash = hook("PreToolUse", "Bash", "guard.sh");
    world.write(SettingsLocation::Project, Some(&bash));
    let stage = world.stage("one", None);
    let mut events: Vec<_> =
        (1..=4).map(|n| event(n, &one, "PreToolUse", "Bash", &json!({"command": format!("make {n}")}))).collect();
    // Denied, without objection (which affects only which hooks run), of another input, never run.
    for (n, exit) in [(0, 2), (1, 0), (2, 2)] {
        events[n].runs = run_of(&stage, &events[n], exit);
        events[n].verdict = Some(if exit == 2 { "deny" } else { "no_objection" }.to_owned());
    }
    events[2].runs[0].stdin = Some("another".to_owned());
    world.keep(&events);
    let found = world.change(SettingsLocation::Project, None);
    assert_eq!(counts(&found.summary), [0, 4, 1, 2, 4]);
    assert_eq!(found.words().unwrap(), "4 lose a hook, 1 verdict changes, 2 unknown until run");
    // One rule, with or without recorded reports.
    assert_eq!(found.summary.rules.iter().map(|rule| rule.count).collect::<Vec<_>>(), [4]);
    let back = world.change(SettingsLocation::Project, Some(&bash));
    assert_eq!(counts(&back.summary), [4, 0, 1, 2, 4]);
}

#[test]
fn cancelled_computations_return_nothing() {
    let mut world = ImpactProject::new();
    insert_seven_events(&mut world);
    let before = world.stage("one", None);
    world.write(SettingsLocation::Project, Some(&hook("PreToolUse", "Bash", "guard.sh")));
    let change = world.changed(&before);
    let stop = AtomicBool::new(true);
    let told = RefCell::new(0);
    let mut so_far = |_: Impact| *told.borrow_mut() += 1;
    let control = ImpactControl { superseded: &stop, on_partial_result: &mut so_far };
    assert_eq!(impact(&change, &world.store, &mut ImpactCache::default(), control).unwrap(), None);
    stop.store(false, Ordering::Relaxed);
    let control = ImpactControl { superseded: &stop, on_partial_result: &mut so_far };
    assert!(impact(&change, &world.store, &mut ImpactCache::default(), control).unwrap().is_some());
}

/// Evaluates every event individually, as a replay does.
fn one_by_one(
    world: &ImpactProject,
    events: &[RecordedEvent],
    before: &[(String, Option<String>, FiringSetup)],
) -> ReplaySummary {
    let mut tally = ReplayTally::default();
    for event in events {
        let project = event.project.clone().unwrap();
        let then = before.iter().find(|(p, v, _)| *p == project && *v == event.version);
        let Some((_, version, then)) = then else { continue };
        let name = Path::new(&project).file_name().unwrap().to_str().unwrap();
        let now = world.stage(name, version.as_deref());
        let input = built(&now, event);
        let memory = hookbench::core::dialects::SessionMemory::default;
        let old = assess(then, memory(), input.clone(), &event.runs);
        let new = assess(&now, memory(), input, &event.runs);
        tally.add(&ReplayedEvent {
            origin: event.id.clone(),
            event: None,
            agent: Some(AgentId::new("claude")),
            name: event.event.clone(),
            subject: event.subject.clone(),
            project: None,
            person: None,
            what: None,
            recorded_runs: Vec::new(),
            changes: compare(&old, &new),
            before: Some(old),
            after: Ok(new),
            flags: Vec::new(),
        });
    }
    tally.finish()
}

/// Counts of rules, regardless of the explanation.
fn by_rule(summary: &ReplaySummary) -> std::collections::BTreeMap<(bool, String, String, Option<String>), usize> {
    let mut all = std::collections::BTreeMap::new();
    for rule in &summary.rules {
        let key = (rule.newly, rule.hook.clone(), rule.event.clone(), rule.subject.clone());
        *all.entry(key).or_default() += rule.count;
    }
    all
}

fn any_settings() -> impl Strategy<Value = Option<Value>> {
    let matcher = prop::sample::select(vec!["", "*", "Bash", "Edit|Write", "B.*", "mcp__x__.*", "(", "bash"]);
    let command = prop::sample::select(vec!["a.sh", "b.sh", "c.sh"]);
    let rule = prop::sample::select(vec![
        None,
        Some(""),
        Some("Bash(git *)"),
        Some("Bash(git push)"),
        Some("Edit(*.rs)"),
        Some("Bash"),
        Some("Bash(rm:*)"),
    ]);
    let name = prop::sample::select(vec!["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit"]);
    let hooks = prop::collection::vec((name, matcher, command, rule), 0..4);
    let settings = (hooks, prop::bool::weighted(0.1)).prop_map(|(hooks, off)| {
        let mut all = json!({});
        for (name, matcher, command, rule) in hooks {
            let mut handler = json!({"type": "command", "command": command});
            if let Some(rule) = rule {
                handler["if"] = rule.into();
            }
            let group = json!({"matcher": matcher, "hooks": [handler]});
            if all[name].is_null() {
                all[name] = json!([]);
            }
            all[name].as_array_mut().unwrap().push(group);
        }
        let mut settings = json!({"hooks": all});
        if off {
            settings["disableAllHooks"] = true.into();
        }
        settings
    });
    prop::option::weighted(0.9, settings)
}

type GeneratedEvent = (bool, &'static str, &'static str, &'static str, Option<&'static str>, Option<i32>);

fn any_event() -> impl Strategy<Value = GeneratedEvent> {
    (
        prop::bool::ANY,
        prop::sample::select(vec!["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit"]),
        prop::sample::select(vec!["Bash", "Edit", "mcp__x__y", "Write"]),
        prop::sample::select(vec!["git push", "git status && rm x", "ls", "echo 'git push", "/tmp/x.rs", "a.md"]),
        prop::sample::select(vec![None, Some("2.1.217"), Some("2.1.329")]),
        prop::sample::select(vec![None, None, Some(0), Some(2)]),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// The impact equals the result of replaying every event.
    #[test]
    fn impact_equals_replay_of_each_event(
        mine in any_settings(),
        users in any_settings(),
        after in any_settings(),
        of_user in prop::bool::ANY,
        events in prop::collection::vec(any_event(), 1..24),
    ) {
        let mut world = ImpactProject::new();
        world.write(SettingsLocation::Project, mine.as_ref());
        world.write(SettingsLocation::User, users.as_ref());
        let at = if of_user { SettingsLocation::User } else { SettingsLocation::Project };
        let mut all = Vec::new();
        for (n, (first, name, tool, value, version, exit)) in events.into_iter().enumerate() {
            let project = world.path(if first { "one" } else { "two" });
            let about_tool = name.ends_with("ToolUse");
            let input = match tool {
                "Bash" => json!({"command": value}),
                "Edit" | "Write" => json!({"file_path": value}),
                _ => json!({}),
            };
            let mut event = event(n, &project, name, if about_tool { tool } else { "" }, &input);
            event.version = version.map(str::to_owned);
            if let Some(exit) = exit {
                let stage = world.stage(if first { "one" } else { "two" }, version);
                event.runs = run_of(&stage, &event, exit);
                event.verdict = Some("deny".to_owned());
            }
            all.push(event);
        }
        let (first, later) = all.split_at(all.len() / 2);
        world.keep(first);
        let mut before = Vec::new();
        let changed = if of_user { &users } else { &mine } != &after;
        for project in ["one", "two"] {
            if project == "two" && !(of_user && changed) {
                continue;
            }
            for version in [None, Some("2.1.217"), Some("2.1.329")] {
                before.push((world.path(project), version.map(str::to_owned), world.stage(project, version)));
            }
        }
        // Recorded while the workbench is open: the values of the first events are kept.
        let stage = world.stage("one", None);
        world.write(at, after.as_ref());
        let (change, mut known) = (world.changed(&stage), ImpactCache::default());
        let of_first = world.found(&change, &mut known).summary;
        prop_assert_eq!(counts(&of_first), counts(&one_by_one(&world, first, &before)));
        world.keep(later);
        let found = world.found(&change, &mut known).summary;
        prop_assert_eq!(&found, &world.found(&change, &mut ImpactCache::default()).summary);
        let want = one_by_one(&world, &all, &before);
        prop_assert_eq!(counts(&found), counts(&want));
        prop_assert_eq!(found.same, want.same);
        prop_assert_eq!(by_rule(&found), by_rule(&want));
    }
}
