//! Properties of every code in the catalogue: a fix never stops a hook that ran, and following the help gives the
//! intended result.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use super::{LintSample, apply, create_project, findings, samples, samples_named};
use crate::sandbox::Sandbox;

/// The number of hooks that run for each event: those in effect, without a failed rung in their ladder.
fn running(sample: &LintSample, sandbox: &Sandbox) -> BTreeMap<String, usize> {
    let env: Vec<_> = sample.env.iter().map(|(name, value)| (name.clone(), sandbox.fill_directories(value))).collect();
    let list = sandbox.run_in(&env, &format!("list --agent {} --format json", sample.agent)).json();
    let mut counts = BTreeMap::new();
    let layers = list["agents"].as_array().into_iter().flatten().filter_map(|agent| agent["layers"].as_array());
    let hooks = layers.flatten().filter_map(|layer| layer["hooks"].as_array()).flatten();
    for hook in hooks.filter(|hook| hook["verdict"] == "fires") {
        let id = hook["hook"].as_str().unwrap();
        let why = sandbox.run_in(&env, &format!("why {id} --agent {} --format json", sample.agent)).json();
        let red = |rung: &Value| rung["state"] == "no";
        if !why["rungs"].as_array().unwrap().iter().any(red) {
            *counts.entry(hook["event"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    counts
}

/// After any fix, every hook that ran before still runs, and the fixed finding is gone.
#[test]
fn a_fix_never_stops_a_hook_that_ran() {
    let mut wrong = Vec::new();
    let lint = |sample: &LintSample| sample.run == "lint" && !sample.bad.is_empty();
    for sample in samples().into_iter().chain(samples_named("faulty")).filter(lint) {
        let bad = create_project(&sample, &sample.bad);
        let (_, doc) = findings(&sample, &bad);
        let doc: Value = serde_json::from_str(&doc).unwrap();
        let fixable = |one: &&Value| one["fix"]["edits"].is_array() || one["fix"]["executable"].is_array();
        let fixes: Vec<&Value> = doc["diagnostics"].as_array().unwrap().iter().filter(fixable).collect();
        if fixes.is_empty() {
            continue;
        }
        let before = running(&sample, &bad);
        for one in fixes {
            let sandbox = create_project(&sample, &sample.bad);
            // Positions are the same in every copy of the project, except for its path.
            let same = |other: &&Value| ["code", "file", "line", "column"].iter().all(|key| other[*key] == one[*key]);
            let (_, copy) = findings(&sample, &sandbox);
            let copy: Value = serde_json::from_str(&copy).unwrap();
            let Some(own) = copy["diagnostics"].as_array().unwrap().iter().find(same) else { continue };
            apply(&sandbox, &[&own["fix"]]);
            if sample.exact {
                for file in &sample.good {
                    let text = std::fs::read_to_string(sandbox.project.join(&file.name)).unwrap();
                    assert_eq!(text, sandbox.fill_directories(&file.text), "{}: {}", sample.name, file.name);
                }
            }
            let after = running(&sample, &sandbox);
            let all = |counts: &BTreeMap<String, usize>| counts.values().sum::<usize>();
            // A fix may move a hook to the intended event.
            let lost = before.iter().any(|(event, count)| after.get(event).copied().unwrap_or(0) < *count);
            if all(&after) < all(&before)
                || lost && all(&after) == all(&before) && !own["code"].as_str().unwrap().starts_with("HW2")
            {
                wrong.push(format!(
                    "{}: {} stops a hook: {before:?} becomes {after:?}\n{:#}",
                    sample.name, own["code"], own["fix"]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The verdict of a firing, or the number of hooks that run.
fn effect(sample: &LintSample, sandbox: &Sandbox, doc: &str) -> String {
    let doc: Value = serde_json::from_str(doc).unwrap_or_default();
    if let Some(verdict) = doc["outcome"]["verdict"].as_str() {
        let context = if doc["outcome"]["additional_context"].is_null() { "" } else { ", with context" };
        return format!("{verdict}{context}");
    }
    let counts = running(sample, sandbox);
    let all: Vec<String> = counts.iter().map(|(event, count)| format!("{count} {event}")).collect();
    if all.is_empty() { "nothing runs".to_owned() } else { all.join(", ") }
}

/// The help of each finding, and the project's behaviour before and after: the good side of a sample is the bad side
/// with the help applied. A changed help text shows its effect in this snapshot.
#[test]
fn effect_of_following_every_help() {
    let mut text = String::new();
    for sample in samples().iter().filter(|sample| sample.run == "lint" || sample.run.starts_with("fire")) {
        let bad = create_project(sample, &sample.bad);
        let (_, doc) = findings(sample, &bad);
        let read: Value = serde_json::from_str(&doc).unwrap_or_default();
        let runs = read["runs"].as_array().into_iter().flatten().filter_map(|run| run["diagnostics"].as_array());
        let all = read["diagnostics"].as_array().into_iter().chain(runs).flatten();
        let helps: BTreeSet<String> = all
            .filter(|one| one["code"] == sample.code.as_str())
            .map(|one| bad.rewrite(one["help"].as_str().unwrap_or("(no help)")))
            .collect();
        let good = create_project(sample, &sample.good);
        let (_, good_doc) = findings(sample, &good);
        writeln!(text, "{}", sample.name).unwrap();
        for help in helps {
            writeln!(text, "    help: {help}").unwrap();
        }
        writeln!(text, "    {} -> {}", effect(sample, &bad, &doc), effect(sample, &good, &good_doc)).unwrap();
    }
    insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("lint__what_the_help_of_every_code_comes_to", text);
    });
}
