//! Updates suites: replaces expected values with the actual results. Everything else in the file stays unchanged.

use std::collections::BTreeMap;
use std::path::Path;

use super::run::CaseResult;
use crate::disk::state_dir::StateDir;
use crate::disk::user_file::{self, LinkPolicy, WriteError};
use crate::firing::suite_case::{format_value, full_range};
use hookbench_core::text::edit::{EditSet, TextEdit};
use hookbench_core::text::{Node, NodeValue, SourceId, SourceMap, parse_yaml};

/// The new text of one suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteUpdate {
    pub file: String,
    pub before: String,
    pub after: String,
    /// Unmet expectations that cannot be updated, with their cases.
    pub remaining: Vec<String>,
}

impl SuiteUpdate {
    /// The file as displayed: with the link target, if that is outside the project.
    pub fn shown(&self, project: &Path) -> String {
        user_file::shown(project, &self.file, &self.file)
    }

    /// Replaces the file as a step that can be undone.
    ///
    /// # Errors
    /// Returns an error, and leaves the file unchanged, if its content has changed in the meantime or it cannot be
    /// written.
    pub fn write(&self, state: &StateDir, project: &Path, links: LinkPolicy) -> Result<(), WriteError> {
        user_file::write(state, project, &self.file, Some(self.before.as_bytes()), self.after.as_bytes(), links)
    }
}

/// The updates of all suites with unmet expectations. A file that `read` cannot provide is left out.
pub fn updates(results: &[CaseResult], read: impl Fn(&str) -> Option<String>) -> Vec<SuiteUpdate> {
    let mut by_file: BTreeMap<&str, Vec<&CaseResult>> = BTreeMap::new();
    for result in results.iter().filter(|r| !r.unmet.is_empty()) {
        by_file.entry(&result.case.suite).or_default().push(result);
    }
    let of = |(file, results): (&str, Vec<&CaseResult>)| {
        let before = read(file)?;
        let (after, left) = rewritten(&before, &results);
        Some(SuiteUpdate { file: file.to_owned(), before, after, remaining: left })
    };
    by_file.into_iter().filter_map(of).collect()
}

fn rewritten(text: &str, results: &[&CaseResult]) -> (String, Vec<String>) {
    let mut left = Vec::new();
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut sources = SourceMap::default();
    let node = parse_yaml(sources.add(String::new(), String::new(), text), text, 0).ok();
    let cases = node.as_ref().and_then(|n| n.get("cases")).and_then(Node::items).unwrap_or_default();
    for result in results {
        let case = cases.get(result.case.index);
        for miss in &result.unmet {
            let place = case.and_then(|case| target(case, &miss.key));
            let edit = place.zip(miss.actual.as_ref()).map(|(node, now)| {
                let (start, end) = full_range(text, node.span.start, node.span.end);
                TextEdit::replace(start, end, format_value(now, text.get(start..end).unwrap_or("")))
            });
            match edit {
                // A case has one value for all its agents.
                Some(edit) if edits.iter().any(|e| e.start == edit.start && e.text != edit.text) => {
                    left.push(format!("{}: the agents differ: {}", result.name, miss.message));
                }
                Some(edit) => edits.push(edit),
                None => left.push(format!("{}: {}", result.name, miss.message)),
            }
        }
    }
    // An invalid text must not replace the author's file.
    let after = EditSet::from_iter(edits).apply(text).ok().filter(|after| parse_yaml(SourceId(0), after, 0).is_ok());
    (
        after.unwrap_or_else(|| {
            left.push("the new values cannot be written into this text".to_owned());
            text.to_owned()
        }),
        left,
    )
}

/// The unmet value under `expect`. Of a text with several conditions, only `equals` can be updated.
fn target<'a>(case: &'a Node, key: &str) -> Option<&'a Node> {
    let mut at = case.get("expect")?;
    let mut rest = key;
    while !rest.is_empty() {
        // Names of hooks may contain dots, so the longest matching key is used.
        let members = at.members()?;
        let fits = |m: &&hookbench_core::text::Member| {
            rest.strip_prefix(m.key.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('.'))
        };
        let member = members.iter().filter(fits).max_by_key(|m| m.key.len())?;
        rest = rest.strip_prefix(member.key.as_str())?.trim_start_matches('.');
        at = &member.value;
    }
    match &at.value {
        NodeValue::Object(_) if key.ends_with("updated_input") => Some(at),
        NodeValue::Object(_) => at.get("equals"),
        _ => Some(at),
    }
}
