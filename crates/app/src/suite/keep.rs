//! Keeps a firing as a case of the project's suite. A case about the same event is brought up to date instead of
//! written a second time.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::expectations::check_expectations;
use super::read::{Case, parse_suite};
use super::run::CaseResult;
use crate::disk::state_dir::StateDir;
use crate::disk::user_file::{self, FileChange, LinkPolicy, WriteError};
use crate::firing::input::build_input;
use crate::firing::record::FiringRecord;
use crate::firing::suite_case::{
    ChosenKeys, DEFAULT_SUITE, NewCase, SuiteAdditionError, addition_to, format_value, full_range,
};
use hookbench_core::config::{Files, Place};
use hookbench_core::dialects::{self, Agent, Version, default_version};
use hookbench_core::port::{AgentVersion, translate};
use hookbench_core::text::edit::{EditSet, TextEdit};
use hookbench_core::text::{Node, NodeValue, SourceId, SourceMap, parse_yaml, stringify};

/// The change that a kept firing makes to the suite.
#[derive(Debug, Clone, PartialEq)]
pub enum KeptFiring {
    /// The suite changes.
    Change(FileChange),
    /// The suite has a case about this event that expects this result.
    Known { case: String },
}

/// Keeps a firing as a case of the project's suite.
///
/// # Errors
/// Returns an error if the firing has not ended or its result was supposed, if the suite has no place for a case, or if
/// its case about this event expects something else that one value cannot correct.
pub fn keep_firing(record: &FiringRecord, place: &Place, files: &dyn Files) -> Result<KeptFiring, SuiteAdditionError> {
    if record.assumed_run.is_some() {
        return Err(SuiteAdditionError("what-if made this result; fire the event again to keep it".to_owned()));
    }
    let new = NewCase::from_firing(record, place)
        .ok_or_else(|| SuiteAdditionError("this firing has no outcome to keep".to_owned()))?;
    let path = place.absolute(&place.project, DEFAULT_SUITE);
    let text = files.read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let cases = parse_suite(Path::new(&path), &text).unwrap_or_default();
    let Some(case) = cases.into_iter().find(|case| is_about(case, record, place, files)) else {
        return addition_to(DEFAULT_SUITE, &[new], place, files).map(KeptFiring::Change);
    };
    let unmet = check_expectations(&case.expect, record);
    if unmet.is_empty() {
        return Ok(KeptFiring::Known { case: case.name });
    }
    let name = case.name.clone();
    let differs = |why: &str| SuiteAdditionError(format!("{DEFAULT_SUITE}: the case {name:?} tests this event; {why}"));
    if case.agents.len() > 1 {
        let messages: Vec<&str> = unmet.iter().map(|one| one.message.as_str()).collect();
        return Err(differs(&format!("it is about several agents: {}", messages.join("; "))));
    }
    let result = CaseResult {
        case: Arc::new(case),
        agent: Some(record.agent),
        name: name.clone(),
        unmet,
        ..CaseResult::default()
    };
    let index = result.case.index;
    let update = updates(&[result], |_| Some(text.clone())).pop().filter(|update| update.remaining.is_empty());
    let after = update.map(|update| update.after).or_else(|| with_expectations(&text, index, &new));
    let after = after.ok_or_else(|| differs("change what it expects by hand"))?.into_bytes();
    let file = place.display_path(&path);
    Ok(KeptFiring::Change(FileChange { file, path, before: Some(text.into_bytes()), after, executable: false }))
}

/// The text of the suite in which a case expects what the new case expects.
fn with_expectations(text: &str, index: usize, new: &NewCase) -> Option<String> {
    let root = parse_yaml(SourceId(0), text, 0).ok()?;
    let node = root.get("cases")?.items()?.get(index)?.get("expect")?;
    let (start, end) = full_range(text, node.span.start, node.span.end);
    let end = start + text.get(start..end)?.trim_end().len();
    let expect = || new.expect.iter();
    let expected = if text.get(start..)?.starts_with('{') {
        stringify(&Value::Object(expect().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()))
    } else {
        let column = text.get(..start)?.rsplit('\n').next()?.len();
        let lines: Vec<String> = expect().map(|(key, value)| format!("{key}: {}", format_value(value, ""))).collect();
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        lines.join(&format!("{line_end}{}", " ".repeat(column)))
    };
    let after = EditSet::from_iter([TextEdit::replace(start, end, expected)]).apply(text).ok()?;
    parse_yaml(SourceId(0), &after, 0).is_ok().then_some(after)
}

/// Whether a case fires the event of this firing in the same agent.
fn is_about(case: &Case, record: &FiringRecord, place: &Place, files: &dyn Files) -> bool {
    let own = case.skip.is_some() || case.headless || case.project.is_some() || !case.stubs.is_empty();
    if own || case.event.payload.is_some() {
        return false;
    }
    let keys = dialects::by_id(record.agent.as_str()).and_then(|agent| chosen_keys(case, agent, record, place, files));
    keys.is_some() && keys == ChosenKeys::of_firing(record, place)
}

/// The event of a case in one of its agents. `None` if the case is about other agents, or if the agent has no such
/// event.
fn chosen_keys(
    case: &Case,
    agent: &'static Agent,
    record: &FiringRecord,
    place: &Place,
    files: &dyn Files,
) -> Option<ChosenKeys> {
    let author = match case.agents.first() {
        None => agent,
        Some(first) => case.agents.iter().any(|one| one.id() == agent.id()).then_some(*first)?,
    };
    let request = case.event.request(author.id());
    let version = |dialect: &'static Agent| -> Version {
        if dialect.id() == agent.id() { record.version.clone() } else { default_version(dialect) }
    };
    let built = build_input(&request, place, files, &|_| version(author)).ok()?;
    if author.id() == agent.id() {
        return ChosenKeys::of(&built.input, agent, &record.version, place);
    }
    let side = |dialect| AgentVersion { dialect, version: version(dialect) };
    let there = translate(&built.input, &side(author), &side(agent), place).ok()?;
    ChosenKeys::of(&there.input, agent, &record.version, place)
}

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
