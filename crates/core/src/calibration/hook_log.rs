//! The notes that the hooks of a probe write about their runs.

use std::collections::BTreeMap;

use serde_json::Value;

use super::probe_files::LOG_FILE;

/// One run of a hook, as its script noted it.
#[derive(Debug, Clone, PartialEq)]
pub struct NotedRun {
    pub hook: String,
    /// The JSON that it read on stdin; a string if that was not JSON.
    pub stdin: Value,
    pub environment: BTreeMap<String, String>,
    /// Whether it came to its end; it does not if the agent kills it.
    pub finished: bool,
    /// How it ended, if its recorder noted it: `exit 2` or `signal 9`.
    pub exit: Option<String>,
}

/// Reads the notes, in the order in which the hooks started. `read` returns the text of a file in the directory of
/// notes.
pub fn read_hook_log(read: impl Fn(&str) -> Option<String>) -> Vec<NotedRun> {
    let log = read(LOG_FILE).unwrap_or_default();
    let lines: Vec<Vec<&str>> = log.lines().map(|line| line.split(' ').collect()).collect();
    let mut runs = Vec::new();
    for line in &lines {
        let ["start", hook, pid] = line.as_slice() else { continue };
        let stdin = read(&format!("{hook}.{pid}.stdin")).unwrap_or_default();
        let environment = read(&format!("{hook}.{pid}.env")).unwrap_or_default();
        runs.push(NotedRun {
            hook: (*hook).to_owned(),
            stdin: serde_json::from_str(&stdin).unwrap_or(Value::String(stdin)),
            environment: environment.lines().filter_map(|line| line.split_once('=')).map(owned).collect(),
            exit: read(&format!("{hook}.{pid}.exit")),
            finished: lines.iter().any(|other| other.as_slice() == ["end", hook, pid]),
        });
    }
    runs
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
