//! `cargo bench --bench lint`: the time to lint a project.
//!
//! Budgets, for comparison and never asserted: the sample project in 50 ms, a thousand hooks in 500 ms; both from
//! the files on disk to the report, for every agent.
#![allow(clippy::disallowed_methods, reason = "measures real files")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::collections::BTreeMap;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use hookbench::app::lint::{AllowList, FindingsReport, LintSelection, ReportFilter, lint_project, make_report};
use hookbench::app::{Consent, DiskFiles, Fact, Session, SessionOptions, make_place};
use hookbench::core::dialects;
use serde_json::{Value, json};

fn lint(project: &Path, home: &Path) -> FindingsReport {
    let place = make_place(Some(project), Some(home)).unwrap();
    let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
    let first = dialects::ALL[0].id();
    let mut session = Session::new(options, place, Box::new(DiskFiles), first, &[], Consent::default());
    for dialect in dialects::ALL {
        let version = session.agent(dialect.id().as_str()).unwrap().version.clone();
        let loaded = dialect.load(session.place(), &DiskFiles, &version);
        session.absorb(Fact::Loaded { agent: dialect.id(), loaded });
    }
    let allows = AllowList::read(session.place(), session.files());
    let choice = LintSelection::default();
    let how = ReportFilter { selection: &choice, allows: &allows, baseline: None, complete: true };
    make_report(lint_project(&session.lint_input(), None, &[], &BTreeMap::new()), &how)
}

/// A thousand hooks in one file, a mistake in every tenth, and a hundred scripts.
fn many(project: &Path) {
    let script =
        |n: usize| format!("#!/bin/sh\n# hook {n}\ninput=$(cat)\ncase \"$input\" in *rm*) exit 2;; esac\nexit 0\n");
    std::fs::create_dir_all(project.join("hooks")).unwrap();
    for n in 0..100 {
        std::fs::write(project.join(format!("hooks/h{n}.sh")), script(n)).unwrap();
    }
    let group = |n: usize| -> Value {
        let matcher = if n.is_multiple_of(10) { "bash" } else { "Bash|Edit" };
        let command = format!("sh \"$CLAUDE_PROJECT_DIR\"/hooks/h{}.sh # {n}", n % 100);
        json!({"matcher": matcher, "hooks": [{"type": "command", "command": command, "timeout": 30}]})
    };
    let groups: Vec<Value> = (0..1000).map(group).collect();
    std::fs::create_dir_all(project.join(".claude")).unwrap();
    let settings = serde_json::to_string_pretty(&json!({"hooks": {"PreToolUse": groups}})).unwrap();
    std::fs::write(project.join(".claude/settings.json"), settings).unwrap();
}

fn linting(c: &mut Criterion) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["home", "many"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-hooks/shop");
    c.bench_function("the sample project", |b| b.iter(|| lint(&shop, &root.join("home"))));
    many(&root.join("many"));
    assert_eq!(lint(&root.join("many"), &root.join("home")).hooks, 1000);
    c.bench_function("a thousand hooks", |b| b.iter(|| lint(&root.join("many"), &root.join("home"))));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = linting
}
criterion_main!(benches);
