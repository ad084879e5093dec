//! `docs/surprises.md`: each row of `tests/tables/surprises.jsonl` is seen again with its command.

use std::fs;
use std::path::{Path, PathBuf};

use hookbench::core::dialects;
use serde::Deserialize;

use crate::pages::{cell, check_generated};
use crate::sandbox::Sandbox;

/// What people expect of an agent, what it does instead, and a command that shows it.
#[derive(Deserialize)]
struct Surprise {
    topic: String,
    agents: Vec<String>,
    expected: String,
    happens: String,
    command: String,
    /// Parts of the output.
    shows: Vec<String>,
    /// The files that the command needs, by their paths in the project or, after `~/`, in the home directory.
    files: std::collections::BTreeMap<String, String>,
}

/// The topics in the order of the page, with their titles.
const TOPICS: [(&str, &str); 4] = [
    ("answers", "Answers of hooks"),
    ("matchers", "Matchers"),
    ("settings", "Settings"),
    ("events", "Events and payloads"),
];

/// The number of rows that the page promises.
const LEAST: usize = 60;

fn surprises() -> Vec<Surprise> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/surprises.jsonl");
    let rows = fs::read_to_string(table).unwrap();
    rows.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{line}: {why}"))).collect()
}

#[test]
fn each_surprise_is_what_its_command_shows() {
    for row in surprises() {
        let sandbox = Sandbox::new();
        for (path, text) in &row.files {
            let path: PathBuf = match path.strip_prefix("~/") {
                Some(rest) => sandbox.home.join(rest),
                None => sandbox.project.join(path),
            };
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let done = sandbox.run(row.command.strip_prefix("hookbench ").unwrap());
        assert!([0, 1].contains(&done.status), "{}: {}", row.command, done.stderr);
        // The spaces between the columns depend on the longest name.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let output = words(&done.raw);
        for part in &row.shows {
            assert!(output.contains(&words(part)), "{}: no {part:?} in\n{}", row.command, done.raw);
        }
    }
}

#[test]
fn the_page_of_surprises_is_up_to_date() {
    let rows = surprises();
    assert!(rows.len() >= LEAST, "only {} rows", rows.len());
    let mut page = String::from(
        "# Look up what surprises people\n\n\
         Hooks of different agents look alike and behave differently. Each row was measured on the version that it names, and \
         its command shows it again; no agent has to be installed. Most of it follows from the rules of an agent, which \
         `hookbench fire`, `match` and `lint` apply to your own hooks.\n\n\
         This page is generated from `tests/tables/surprises.jsonl`: `assets/pictures/make`.\n",
    );
    for (topic, title) in TOPICS {
        page.push_str(&format!("\n## {title}\n\n| You expect | What happens | See it again |\n|---|---|---|\n"));
        for row in rows.iter().filter(|row| row.topic == topic) {
            page.push_str(&format!(
                "| {} | **{}**: {} | {} |\n",
                cell(&row.expected),
                named(&row.agents),
                cell(&row.happens),
                steps(row)
            ));
        }
    }
    let known = |row: &Surprise| TOPICS.iter().any(|(topic, _)| *topic == row.topic);
    assert!(rows.iter().all(known), "a topic has no title");
    check_generated("surprises.md", &page);
}

/// The agents with the versions on which their rules were measured.
fn named(agents: &[String]) -> String {
    let name = |id: &String| {
        let agent = dialects::by_id(id).unwrap_or_else(|| panic!("no agent is called {id}"));
        format!("{} {}", agent.name(), dialects::default_version(agent))
    };
    agents.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The files to write first, and the command.
fn steps(row: &Surprise) -> String {
    let files = row.files.iter().map(|(path, text)| {
        let text = text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>();
        format!("`{path}`: {}<br>", text.iter().map(|line| cell(&format!("`{line}`"))).collect::<Vec<_>>().join(" "))
    });
    files.chain([cell(&format!("`{}`", row.command))]).collect()
}
