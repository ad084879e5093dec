//! `cargo bench --bench editor`: the time from a keystroke in a settings file to its diagnostics, through the pipes of
//! `hookbench server`.
//!
//! Budgets, for comparison and never asserted: 20 ms with 50 hooks and 20 scripts of some 190 lines, 100 ms with a thousand hooks.
//! The memory after ten thousand edits is printed next to that after a hundred.
#![allow(clippy::disallowed_methods, reason = "measures real files")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]
#![allow(dead_code, reason = "not every bench needs all of the support")]

#[path = "../support/hook_projects.rs"]
mod hook_projects;
#[path = "../support/language_client.rs"]
mod language_client;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use language_client::LanguageClient;
use serde_json::{Value, json};

/// Types a digit into the timeout of the first hook, or deletes it.
fn keystroke(text: &str, is_typed: bool) -> Value {
    let place = language_client::position_of(text, "\"timeout\": ", "\"timeout\": ".len());
    let end = json!({"line": place["line"], "character": place["character"].as_u64().unwrap() + u64::from(!is_typed)});
    json!({"range": {"start": place, "end": end}, "text": if is_typed { "1" } else { "" }})
}

/// The resident memory of the server in MiB, from `/proc`. The process that was started only guards hooks; its child serves.
fn memory(id: u32) -> Option<u64> {
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok()?;
    let status = std::fs::read_to_string(format!("/proc/{}/status", children.split_whitespace().next()?)).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib / 1024)
}

fn measure(name: &str, project: &Path, home: &Path, turns: usize) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
    command.args(["server", "--home"]).arg(home).env("HOME", home);
    let (mut client, _) = LanguageClient::open(command, &[project], json!({}));
    let settings = project.join(".claude/settings.json");
    let text = std::fs::read_to_string(&settings).unwrap();
    client.open_document(&settings, &text);
    let mut times: Vec<f64> = Vec::new();
    for turn in 0..turns {
        let change = keystroke(&text, turn % 2 == 0);
        let start = Instant::now();
        client.edit(&settings, change);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let tenth = |number: usize| times[(times.len() - 1) * number / 10];
    println!("editor, {name:22} median {:6.1} ms   9 of 10 within {:6.1} ms", tenth(5), tenth(9));
    let id = client.id();
    let before = memory(id);
    for turn in 0..10_000 {
        let change = keystroke(&text, turn % 2 == 0);
        // A person waits now and then; a burst that is never waited for fills the queue.
        if turn % 100 == 99 {
            client.edit(&settings, change);
        } else {
            client.change(&settings, change);
        }
    }
    if let Some((before, after)) = before.zip(memory(id)) {
        println!("editor, {name:22} memory {before} MiB after {turns} edits, {after} MiB after 10,000 more");
    }
    assert_eq!(client.shut_down(), 0);
}

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["home", "fifty", "many"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    hook_projects::fifty(&root.join("fifty"));
    hook_projects::many(&root.join("many"));
    measure("50 hooks, 20 scripts", &root.join("fifty"), &root.join("home"), 100);
    measure("a thousand hooks", &root.join("many"), &root.join("home"), 40);
}
