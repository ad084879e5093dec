//! `cargo bench --bench lint`: the time to lint a project.
//!
//! First `hookbench lint` as a process, on a project with one hook, on the sample project, and on one with 50 hooks and 20
//! shell scripts of some 190 lines. `HOOKBENCH_BEFORE` names another build, which then takes turns with this one; the bench
//! prints the ratio of their processor times. `HOOKBENCH_KEEP` names a directory for the projects, for a comparison with
//! another program.
//!
//! Then the report within a process. Budgets, for comparison and never asserted: the sample project in 50 ms, a thousand
//! hooks in 500 ms; both from the files on disk to the report, for every agent.
#![allow(clippy::disallowed_methods, reason = "measures real files")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::{Criterion, criterion_group, criterion_main};
use hookbench::app::lint::{AllowList, FindingsReport, LintSelection, ReportFilter, lint_project, make_report};
use hookbench::app::{Consent, DiskFiles, Fact, Session, SessionOptions, make_place};
use hookbench::core::dialects;
use serde_json::json;

#[path = "../support/hook_projects.rs"]
mod hook_projects;

use hook_projects::{fifty, many, write_settings};

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

fn one(project: &Path) {
    let hook = json!({"type": "command", "command": "jq -e .tool_input.command >/dev/null || exit 2"});
    write_settings(project, &json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}));
}

/// Runs `hookbench lint` five times in a project, and returns the time on a processor for one, in milliseconds. `bash` adds
/// up what its children took.
fn run_lint(program: &Path, project: &Path, home: &Path) -> f64 {
    let script = r#"TIMEFORMAT='%3U %3S'; time for turn in 1 2 3 4 5; do "$1" lint --project "$2" >/dev/null; done"#;
    let mut command = Command::new("bash");
    command.args(["-c", script, "bash"]).arg(program).arg(project).env("HOME", home);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    let seconds = report.lines().last().unwrap().split(' ').map(|number| number.parse::<f64>().unwrap());
    seconds.sum::<f64>() / 5.0 * 1e3
}

/// Prints the time of each build on each project. The builds take turns.
fn compare_builds(projects: &[(&str, PathBuf)], home: &Path) {
    let mut builds = vec![("now", PathBuf::from(env!("CARGO_BIN_EXE_hookbench")))];
    builds.extend(std::env::var_os("HOOKBENCH_BEFORE").map(|program| ("before", PathBuf::from(program))));
    for (name, project) in projects {
        let mut times = vec![Vec::new(); builds.len()];
        for _ in 0..7 {
            for ((_, program), times) in builds.iter().zip(&mut times) {
                times.push(run_lint(program, project, home));
            }
        }
        let medians = times.iter_mut().map(|times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        let medians: Vec<f64> = medians.collect();
        let shown = builds.iter().zip(&medians).map(|((build, _), median)| format!("{build} {median:6.1} ms"));
        let ratio = medians.get(1).map(|before| format!("ratio {:.2}", medians[0] / before));
        println!("lint, {name:20} {}", shown.chain(ratio).collect::<Vec<_>>().join("   "));
    }
}

fn linting(c: &mut Criterion) {
    let directory = tempfile::tempdir().unwrap();
    let root = std::env::var_os("HOOKBENCH_KEEP").map_or_else(|| directory.path().to_owned(), PathBuf::from);
    std::fs::create_dir_all(&root).unwrap();
    let root = root.canonicalize().unwrap();
    for name in ["home", "one", "fifty", "many"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    one(&root.join("one"));
    fifty(&root.join("fifty"));
    many(&root.join("many"));
    let (home, shop) = (root.join("home"), Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-hooks/shop"));
    let projects = [
        ("one hook", root.join("one")),
        ("the sample project", shop.clone()),
        ("50 hooks, 20 scripts", root.join("fifty")),
    ];
    compare_builds(&projects, &home);
    c.bench_function("the sample project", |b| b.iter(|| lint(&shop, &home)));
    assert_eq!(lint(&root.join("many"), &home).hooks, 1000);
    c.bench_function("a thousand hooks", |b| b.iter(|| lint(&root.join("many"), &home)));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = linting
}
criterion_main!(benches);
