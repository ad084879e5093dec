//! `cargo bench --bench deciding`: the time that the core takes with a hundred hooks.
//!
//! Budgets are for comparison and never asserted (2 cores, release). The screen plans after every key that changes
//! the payload, so planning must take much less than a frame of 16 ms.
//!
//! | step | budget | measured (two agents) |
//! |---|---|---|
//! | load 100 definitions from 100 KiB of settings | 10 ms | 1.9, 2.2 ms |
//! | plan them | 2 ms | 0.7, 0.6 ms |
//! | fire and decide, with given answers | 10 ms | 2.5, 7.5 ms |
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

#[path = "../support/agent_words.rs"]
mod agent_words;

use std::hint::black_box;
use std::sync::Arc;

use agent_words::AgentVocabulary;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use hookbench::app::{InputRequest, build_input};
use hookbench::core::config::{MemoryFiles, Place};
use hookbench::core::dialects::{self, Agent, Scene, SessionMemory, default_version};
use hookbench::core::firing::{Firing, FiringStep};
use hookbench::core::run::{Exit, RunReport};
use serde_json::{Value, json};

const HOOKS: usize = 100;

/// Hooks with every kind of matcher. All of them match.
fn settings(words: &AgentVocabulary) -> Value {
    let list = format!("{}|{}", words.shell, words.edits);
    let matchers = ["", "*", words.shell, list.as_str(), "^(Bash|run_shell_command)$", "(?!Read).*", ".*"];
    let groups: Vec<Value> = (0..HOOKS)
        .map(|n| {
            json!({
                "matcher": matchers[n % matchers.len()],
                "hooks": [{"type": "command", "command": format!("\"$PROJECT\"/hooks/h{n} --some --arguments"), "timeout": 30 * words.second}],
            })
        })
        .collect();
    json!({"permissions": {"allow": vec!["Bash(git status:*)"; 2000]}, "hooks": {words.tool: groups}})
}

fn scene(dialect: &'static Agent) -> (Scene, MemoryFiles) {
    let place = Place { project: "/hb/project".into(), home: "/hb/home".into(), ..Place::default() };
    let mut files = MemoryFiles::default();
    let words = agent_words::words_of(dialect.id().as_str());
    let settings = serde_json::to_string_pretty(&settings(words)).unwrap();
    files.put(format!("/hb/project/{}", words.settings), &settings);
    for (path, text) in words.reviewed_files("/hb/project", "/hb/home", &settings) {
        files.put(path, text);
    }
    let version = default_version(dialect);
    let request = InputRequest { agent: Some(dialect.id()), event: Some(words.tool.into()), ..InputRequest::default() };
    let version_of = |_| default_version(dialect);
    let input = build_input(&request, &place, &files, &version_of).unwrap().input;
    let loaded = dialect.load(&place, &files, &version);
    assert_eq!(loaded.definitions.len(), HOOKS);
    let memory = SessionMemory::default();
    (Scene { input, loaded, place: Arc::new(place), version, headless: false, memory }, files)
}

/// Fires, and answers every request with the same report.
fn fire(dialect: &'static Agent, scene: Scene) -> usize {
    let answer = r#"{"decision": "allow", "reason": "fine", "systemMessage": "seen"}"#;
    let (mut firing, mut steps) = Firing::start(dialect, scene);
    let mut runs = 0;
    while let Some(step) = steps.pop() {
        if let FiringStep::Launch(request) = step {
            runs += 1;
            steps.extend(firing.report(RunReport::new(request.run, Exit::Code(0), answer, "")));
        }
    }
    runs
}

fn deciding(c: &mut Criterion) {
    for dialect in dialects::ALL.iter().copied() {
        let (scene, files) = scene(dialect);
        let mut group = c.benchmark_group(dialect.id().as_str());
        group.bench_function("load 100", |b| b.iter(|| black_box(dialect.load(&scene.place, &files, &scene.version))));
        group.bench_function("plan 100", |b| b.iter(|| black_box(dialect.plan(&scene))));
        assert!(fire(dialect, scene.clone()) > HOOKS / 2, "most of them fire");
        group.bench_function("fire and decide 100", |b| {
            b.iter_batched(|| scene.clone(), |scene| black_box(fire(dialect, scene)), BatchSize::SmallInput);
        });
        group.finish();
    }
}

criterion_group!(benches, deciding);
criterion_main!(benches);
