//! Payloads recorded from the real agents (`tests/recordings/<agent>/<Event>.jsonl`, with paths and ids replaced):
//! each is recognised, complete and can be fired, and our templates have the same keys.
#![allow(clippy::disallowed_methods, reason = "reads the recordings")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use crate::agent_words;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use hookbench::app::{InputRequest, build_input};
use hookbench::core::config::{MemoryFiles, Place};
use hookbench::core::dialects::{self, Agent, Scene, SessionMemory, default_version, find_event};
use hookbench::core::firing::{Firing, FiringStep};
use hookbench::core::hook::HookInput;
use hookbench::core::plan::Selection;
use hookbench::core::run::{Exit, Launch, RunReport};
use serde_json::{Value, json};

/// A recorded payload.
struct RecordedPayload {
    dialect: &'static Agent,
    /// The event, from the file's name.
    event: String,
    /// `file:line`.
    place: String,
    payload: Value,
}

fn recorded() -> Vec<RecordedPayload> {
    let mut all = Vec::new();
    for dialect in dialects::released() {
        let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(dialect.id().as_str());
        let mut files: Vec<PathBuf> = fs::read_dir(&directory).unwrap().flatten().map(|e| e.path()).collect();
        files.sort();
        for file in files {
            let event = file.file_stem().unwrap().to_str().unwrap().to_owned();
            for (index, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
                let value: Value = serde_json::from_str(line).unwrap();
                // One recorder stored notes beside the payload.
                let payload = value.get("stdin").cloned().unwrap_or(value);
                let place = format!("{}/{event}.jsonl:{}", dialect.id(), index + 1);
                all.push(RecordedPayload { dialect, event: event.clone(), place, payload });
            }
        }
        let recorded = all.iter().filter(|r| r.dialect.id() == dialect.id()).count();
        let least = match dialect.id().as_str() {
            "kimi" | "vibe" => 27,
            "codebuddy" => 26,
            "hermes" => 33,
            "cline" => 9,
            _ => 40,
        };
        assert!(recorded >= least, "{recorded} recordings of {}", dialect.name());
    }
    all
}

fn place() -> Place {
    Place { project: "/hb/project".to_owned(), home: "/hb/home".to_owned(), ..Place::default() }
}

/// A project with one hook on this event.
fn files(dialect: &Agent, event: &str) -> MemoryFiles {
    if dialect.settings_format().script.is_some() {
        let (_, file) = dialect.usual_file_for_event(&place(), event).unwrap();
        let mut files = MemoryFiles::default();
        files.put(file.path, "#!/bin/sh\ntrue\n");
        return files;
    }
    files_of(dialect, &json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "true"}]}]}}))
}

/// A project with these settings, trusted by its user.
fn files_of(dialect: &Agent, settings: &Value) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    let words = agent_words::words_of(dialect.id().as_str());
    let settings = words.in_agent_form(&settings.to_string());
    files.put(words.settings_path("/hb/project"), &settings);
    for (path, text) in words.reviewed_files("/hb/project", "/hb/home", &settings) {
        files.put(path, text);
    }
    files
}

fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n  {}\n", wrong.join("\n  "));
}

#[test]
fn every_payload_is_recognised() {
    let mut wrong = Vec::new();
    for r in recorded() {
        let who = dialects::recognise(&r.payload).map(Agent::id);
        if who != Some(r.dialect.id()) {
            wrong.push(format!("{} is taken for {who:?}", r.place));
        }
        let named = r.payload.get("hook_event_name").and_then(Value::as_str);
        let named = named.or_else(|| r.dialect.event_of(&r.payload).map(|event| event.name));
        if named.map(|name| r.dialect.main_spelling(name)) != Some(r.dialect.main_spelling(&r.event)) {
            wrong.push(format!("{} lies in the wrong file", r.place));
        }
        if find_event(r.dialect, &default_version(r.dialect), &r.event).is_none() {
            wrong.push(format!("{}: {} has no event {}", r.place, r.dialect.name(), r.event));
        }
    }
    none(&wrong);
}

#[test]
fn every_payload_can_be_fired() {
    let all = recorded();
    let wrong = all.iter().filter_map(|r| fire(r, &all).err().map(|why| format!("{}: {why}", r.place)));
    none(&wrong.collect::<Vec<_>>());
}

/// The payload with the keys that hookbench holds.
fn held(recorded: &RecordedPayload) -> Value {
    let RecordedPayload { dialect, event, payload, .. } = recorded;
    dialect.held_payload(event, payload).unwrap_or_else(|| payload.clone())
}

/// Fires a payload at one hook without output.
fn fire(recorded: &RecordedPayload, all: &[RecordedPayload]) -> Result<(), String> {
    let RecordedPayload { dialect, event, payload, .. } = recorded;
    let (place, files) = (place(), files(dialect, event));
    let version = default_version(dialect);
    let request = InputRequest { payload: Some(payload.clone()), ..InputRequest::default() };
    let version_of = |id| default_version(dialects::by_id(id).expect("an agent of ALL"));
    let built = build_input(&request, &place, &files, &version_of).map_err(|why| why.to_string())?;
    // Keys that the agent always sends cannot be filled in. Optional keys may be: a recording cannot show whether
    // they were removed.
    let same_event = |r: &&RecordedPayload| r.dialect.id() == dialect.id() && r.event == *event;
    let always = |key: &&String| all.iter().filter(same_event).all(|r| held(r).get(key.as_str()).is_some());
    let made_up = |key: &&String| !all.iter().filter(same_event).any(|r| held(r).get(key.as_str()).is_some());
    if let Some(key) = built.filled.iter().find(|key| always(key) || made_up(key)) {
        return Err(format!("it is complete, and yet \"{key}\" was filled in"));
    }
    // The recorded directory does not exist here.
    let mut given = held(recorded);
    let codes: Vec<&str> = built.diagnostics.iter().map(|d| d.code.as_str()).collect();
    let wanted: Vec<&str> = given.get("cwd").iter().map(|_| "payload/cwd").collect();
    if codes != wanted {
        return Err(format!("expected the diagnostics {wanted:?}, got {codes:?}"));
    }
    if let Some(directory) = given.get_mut("cwd") {
        *directory = Value::from(place.project.as_str());
    }
    for key in &built.filled {
        given[key] = built.input.body[key].clone();
    }
    let given = dialect.sent_payload(event, &given);
    let loaded = dialect.load(&place, &files, &version);
    let memory = SessionMemory::default();
    let scene = Scene { input: built.input, loaded, place: Arc::new(place), version, headless: false, memory };
    let (mut firing, mut steps) = Firing::start(dialect, scene);
    let plan = firing.plan();
    let [entry] = plan.entries.as_slice() else {
        return Err(format!("one hook is configured, and the plan has {}", plan.entries.len()));
    };
    if !matches!(entry.selection, Selection::Fires { .. }) {
        return Err(format!("its hook does not fire: {}", entry.why.message));
    }
    while let Some(step) = steps.pop() {
        match step {
            FiringStep::Launch(request) => {
                let Launch::Process(spec) = &request.launch else {
                    return Err(format!("not a process: {:?}", request.launch));
                };
                let stdin: Value = serde_json::from_slice(&spec.stdin).map_err(|why| why.to_string())?;
                if stdin != given {
                    return Err(format!("the hook is given\n    {stdin}\n  and not\n    {given}"));
                }
                steps.extend(firing.report(RunReport::new(request.run, Exit::Code(0), "", "")));
            }
            FiringStep::Settled(outcome) => {
                return if outcome.agent_does.is_empty() { Err("nobody says what comes of it".into()) } else { Ok(()) };
            }
            FiringStep::Pause | FiringStep::Kill(_) | FiringStep::Read(_) | FiringStep::Decided(_) => {}
        }
    }
    Err("it never settled".to_owned())
}

/// A change is planned once for all events with the same subject and the same values of the keys that plans read. No
/// other part of a payload may affect the plan.
#[test]
fn plans_rest_on_the_subject_and_on_what_they_read() {
    let mut wrong = Vec::new();
    let mut planned: Vec<(&str, bool, bool)> = Vec::new();
    for recorded in recorded() {
        let payload = held(&recorded);
        let RecordedPayload { dialect, event, place: line, .. } = recorded;
        let version = default_version(dialect);
        let event = find_event(dialect, &version, &event).unwrap();
        let subject = dialect.subject(event, &payload, &version).value;
        let name = subject.clone().unwrap_or_default();
        let start: String = name.chars().take(3).collect();
        let rules = [None, Some("Bash(git *)"), Some("Bash(ls*)"), Some("Write(/*)"), Some(name.as_str())];
        let matchers =
            [None, Some(name.clone()), Some(format!("^{start}.*$")), Some("zzz".to_owned()), Some(".*".to_owned())];
        let groups: Vec<Value> = matchers
            .iter()
            .enumerate()
            .flat_map(|(at, matcher)| rules.iter().enumerate().map(move |(n, rule)| (at * 10 + n, matcher, rule)))
            .map(|(n, matcher, rule)| {
                let mut hook = json!({"type": "command", "command": format!("true {n}")});
                if let Some(rule) = rule {
                    hook["if"] = Value::from(*rule);
                }
                let mut group = json!({"hooks": [hook]});
                if let Some(matcher) = matcher {
                    group["matcher"] = Value::from(matcher.as_str());
                }
                group
            })
            .collect();
        let settings = json!({"hooks": {event.name: groups}});
        let has_settings = dialect.settings_format().script.is_none();
        let files = if has_settings { files_of(dialect, &settings) } else { files(dialect, event.name) };
        let place = place();
        let loaded = dialect.load(&place, &files, &version);
        let reads: Vec<&str> = loaded.definitions.iter().flat_map(|d| dialect.plan_reads(d)).collect();
        // A payload with only the keys that are read, including those of the tool's input.
        let mut brief = json!({"hook_event_name": event.name});
        event.subject.iter().for_each(|key| brief[*key] = payload[*key].clone());
        for pointer in &reads {
            let Some(value) = payload.pointer(pointer) else { continue };
            match pointer.trim_start_matches('/').split_once('/') {
                None => brief[pointer.trim_start_matches('/')] = value.clone(),
                Some((key, inner)) => brief[key][inner] = value.clone(),
            }
        }
        let plan = |body: &Value| {
            let input = HookInput {
                event: event.name.to_owned(),
                subject: dialect.subject(event, body, &version),
                body: body.clone(),
            };
            let (loaded, place, version) = (Arc::clone(&loaded), Arc::new(place.clone()), version.clone());
            let scene = Scene { input, loaded, place, version, headless: false, memory: SessionMemory::default() };
            let plan = dialect.plan(&scene);
            let entries = plan.entries.iter().map(|e| (e.hook.clone(), e.selection.clone(), e.failed_rung));
            (entries.collect::<Vec<_>>(), plan.lost.is_some())
        };
        if dialect.subject(event, &brief, &version).value != subject {
            // The subject depends on the payload, so such events are planned one by one.
            continue;
        }
        let (whole, lost) = plan(&payload);
        if (whole.clone(), lost) != plan(&brief) {
            wrong.push(format!("{line}: planned otherwise without {payload}"));
        }
        let fires = |selection: &Selection| matches!(selection, Selection::Fires { .. });
        let all = |yes: bool| whole.iter().any(|(_, selection, _)| fires(selection) == yes);
        planned.push((dialect.id().as_str(), all(true), all(false)));
    }
    none(&wrong);
    // One key of these hooks makes an agent with a list of them drop all.
    let is_grouped = |dialect: &&Agent| dialect.settings_format().form().list.is_none();
    for dialect in dialects::released().filter(is_grouped) {
        let both = planned.iter().filter(|(agent, fires, falls)| *agent == dialect.id() && *fires && *falls).count();
        assert!(both >= 10, "{}: {both} payloads whose hooks partly fire", dialect.name());
    }
}

/// The first template of an event has the keys that the agent sends, and no others.
#[test]
fn templates_look_like_what_was_recorded() {
    let all = recorded();
    let keys = |value: &Value| value.as_object().into_iter().flatten().map(|(k, _)| k.clone()).collect::<BTreeSet<_>>();
    let mut wrong = Vec::new();
    for dialect in dialects::released() {
        let version = default_version(dialect);
        for event in dialect.events(&version) {
            let recordings: Vec<BTreeSet<String>> = all
                .iter()
                .filter(|r| r.dialect.id() == dialect.id() && dialect.main_spelling(&r.event) == event.name)
                .map(|r| keys(&held(r)))
                .collect();
            let Some(first) = dialect.examples(event, &place(), &version).into_iter().next() else {
                wrong.push(format!("{} {}: no template", dialect.id(), event.name));
                continue;
            };
            if recordings.is_empty() {
                continue;
            }
            let template = keys(&first.body);
            let declared = event.fields.iter().map(|f| f.name.to_owned());
            let always = recordings.iter().skip(1).fold(recordings[0].clone(), |all, one| &all & one);
            let ever: BTreeSet<String> = recordings.iter().flatten().cloned().chain(declared).collect();
            for key in &always - &template {
                wrong.push(format!(
                    "{} {}: \"{key}\" is always sent and not in the template",
                    dialect.id(),
                    event.name
                ));
            }
            for key in &template - &ever {
                wrong.push(format!("{} {}: \"{key}\" of the template was never seen", dialect.id(), event.name));
            }
        }
    }
    none(&wrong);
}

/// Users fire templates first, so each must be recognised, known and complete.
#[test]
fn templates_are_payloads() {
    let mut wrong = Vec::new();
    for dialect in dialects::released() {
        let version = default_version(dialect);
        for event in dialect.events(&version) {
            for example in dialect.examples(event, &place(), &version) {
                let name = format!("{} {} \"{}\"", dialect.id(), event.name, example.label);
                let sent = dialect.sent_payload(event.name, &example.body);
                if dialects::recognise(&sent).map(Agent::id) != Some(dialect.id()) {
                    wrong.push(format!("{name} is not recognised"));
                }
                if example.body.get("hook_event_name").and_then(Value::as_str) != Some(event.name) {
                    wrong.push(format!("{name} names another event"));
                }
                let missing = dialect.missing_keys(event, &example.body, &place(), &version);
                if !missing.is_empty() {
                    let keys: Vec<String> = missing.into_iter().map(|(key, _)| key).collect();
                    wrong.push(format!("{name} lacks {}", keys.join(", ")));
                }
            }
        }
    }
    none(&wrong);
}
