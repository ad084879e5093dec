//! Finds suite files.

use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde_json::Value;

use super::format::ExpectShape;
use super::read::{CASES, Case, CaseEvent, SuiteError, SuiteReader, is_yaml};
use crate::firing::input::read_payload;
use hookbench_core::dialects::{self, Agent, Version};
use hookbench_core::recorded::{RecordedEvent, parse_event_line};
use hookbench_core::text::{Node, SourceId, parse_yaml};

/// Directories with third-party or generated files.
const PASSED_OVER: [&str; 4] = ["node_modules", "target", "vendor", "dist"];

/// The names of suites that are found automatically: `hooks.test.yaml`, `NAME.hooks.test.yaml`.
const ENDINGS: [&str; 2] = ["hooks.test.yaml", "hooks.test.yml"];

/// The files to run: the named files and all suites in named directories, or the suites of the project if none is
/// named. Sorted, without duplicates.
///
/// # Errors
/// Returns an error if a named file does not exist.
pub fn find_suites(named: &[PathBuf], project: &Path) -> Result<Vec<PathBuf>, SuiteError> {
    let mut found = Vec::new();
    if named.is_empty() {
        walk(project, &mut found, is_suite, true);
        // Paths are shown as a user would type them.
        found = found.into_iter().map(|p| p.strip_prefix(project).map(Path::to_owned).unwrap_or(p)).collect();
        if project != Path::new(".") {
            found = found.into_iter().map(|p| project.join(p)).collect();
        }
    }
    for path in named {
        if path.is_dir() {
            let wanted = |p: &Path| is_yaml(p) || p.extension().is_some_and(|e| e == "json" || e == "jsonl");
            walk(path, &mut found, wanted, false);
        } else if path.exists() {
            found.push(path.clone());
        } else {
            let help = Some("without a path, hookbench test runs every hooks.test.yaml of the project".to_owned());
            let message = "the file does not exist".to_owned();
            return Err(SuiteError { file: path.display().to_string(), at: None, message, help });
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The files from which the cases of a suite are made, if known, even if the suite is currently invalid.
pub fn fixtures(suite: &Path) -> Vec<PathBuf> {
    let Some(text) = is_yaml(suite).then(|| hookbench_system::disk::read_text(suite).ok()).flatten() else {
        return Vec::new();
    };
    let Ok(node) = parse_yaml(SourceId(0), &text, 0) else { return Vec::new() };
    let directory = suite.parent().unwrap_or(Path::new(""));
    let cases = node.get("cases").and_then(Node::items).unwrap_or_default();
    let named = cases.iter().filter_map(|case| case.get("from")?.as_str());
    named.map(|from| directory.join(from)).collect()
}

fn is_suite(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    ENDINGS.iter().any(|end| name == *end || name.strip_suffix(end).is_some_and(|start| start.ends_with('.')))
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>, wanted: impl Fn(&Path) -> bool + Copy, pass_over: bool) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        // Links are not followed, so cycles are impossible.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            let foreign = name.starts_with('.') || PASSED_OVER.contains(&name.as_ref());
            if !(pass_over && foreign) {
                walk(&path, found, wanted, pass_over);
            }
        } else if kind.is_file() && wanted(&path) {
            found.push(path);
        }
    }
}

impl SuiteReader<'_> {
    /// Reads one payload, or lines of payloads or recorded events; each becomes a case.
    pub(super) fn payloads(&self) -> Result<Vec<Case>, SuiteError> {
        let whole = read_payload(self.file, self.text.as_bytes());
        let lines: Vec<(u32, &str)> =
            (1..).zip(self.text.lines()).filter(|(_, line)| !line.trim().is_empty()).collect();
        let one_value = serde_json::from_str::<IgnoredAny>(self.text).is_ok();
        if one_value && lines.len() > 1 {
            return self.payload(1, whole.map_err(|why| self.invalid_payload(1, &why.to_string()))?).map(|c| vec![c]);
        }
        let mut cases = Vec::new();
        for (line, text) in lines {
            if cases.len() == CASES {
                return Err(self.invalid_payload(line, &format!("the file has more than {CASES} events; split it")));
            }
            let case = if text.contains("\"event/") && text.contains("\"schema\"") {
                let event = parse_event_line(text).map_err(|why| self.invalid_payload(line, &why.to_string()))?;
                self.recorded(line, &event)?
            } else {
                let value = read_payload(self.file, text.as_bytes());
                self.payload(line, value.map_err(|why| self.invalid_payload(line, &why.to_string()))?)?
            };
            cases.push(Case { index: cases.len(), ..case });
        }
        if cases.is_empty() {
            return Err(self.invalid_payload(1, "the file contains no payload"));
        }
        Ok(cases)
    }

    fn invalid_payload(&self, line: u32, why: &str) -> SuiteError {
        SuiteError { file: self.file.to_owned(), at: Some((line, 1)), message: why.to_owned(), help: None }
    }

    fn payload(&self, line: u32, payload: Value) -> Result<Case, SuiteError> {
        let Some(dialect) = dialects::recognise(&payload) else {
            let help = "give a suite (a file with `cases`), payloads with `hook_event_name`, or recorded events";
            let error = self.invalid_payload(line, "not a payload of a known agent");
            return Err(SuiteError { help: Some(help.to_owned()), ..error });
        };
        let payload = dialects::read_older_payload(&payload).map_or(payload, |older| older.body);
        let event = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or("payload");
        let tool = payload.get("tool_name").and_then(Value::as_str).map(|t| format!(" {t}")).unwrap_or_default();
        Ok(self.case_for(line, format!("line {line}: {event}{tool}"), dialect, payload))
    }

    /// A case for a recorded event. The recorded verdict is expected.
    fn recorded(&self, line: u32, event: &RecordedEvent) -> Result<Case, SuiteError> {
        let Some(dialect) = dialects::by_id(&event.agent) else {
            return Err(self.invalid_payload(line, &format!("unknown agent {:?}", event.agent)));
        };
        let payload =
            read_payload(self.file, &event.payload).map_err(|why| self.invalid_payload(line, &why.to_string()))?;
        let subject = event.subject.as_ref().map(|s| format!(" {s}")).unwrap_or_default();
        let case = self.case_for(line, format!("line {line}: {}{subject}", event.event), dialect, payload);
        let expect = ExpectShape { verdict: event.verdict.clone(), ..ExpectShape::default() };
        Ok(Case { version: event.version.as_deref().and_then(Version::parse), expect, ..case })
    }

    fn case_for(&self, line: u32, name: String, dialect: &'static Agent, payload: Value) -> Case {
        Case {
            suite: self.file.to_owned(),
            line,
            name,
            agents: vec![dialect],
            event: CaseEvent { payload: Some(payload), ..CaseEvent::default() },
            ..Case::default()
        }
    }
}
