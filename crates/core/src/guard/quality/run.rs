//! Runs the rules of the guard `quality` on changes of files. Only what a change adds counts.

use std::ops::Range;

use super::language::SourceLanguage;
use super::patterns::COUNTED;
use super::{patterns, swallowed_errors};
use crate::guard::event::{ContentChange, GuardEvent, base_name};
use crate::guard::hit::{GuardFinding, is_documentation, is_test, line_at, place_at};
use crate::guard::pattern::SearchedText;
use crate::guard::rule::{Surroundings, ToolKind};

/// Checks the changes of files.
pub fn check(event: &GuardEvent<'_>, around: &dyn Surroundings) -> Vec<GuardFinding> {
    if !event.tool.is_some_and(ToolKind::changes_files) {
        return Vec::new();
    }
    event.changes(around).iter().flat_map(|change| check_change(change, event)).collect()
}

fn check_change(change: &ContentChange, event: &GuardEvent<'_>) -> Vec<GuardFinding> {
    let path = change.absolute.as_str();
    if change.old == change.new || is_documentation(path) {
        return Vec::new();
    }
    let shown = event.shown(path);
    let language =
        if event.tool == Some(ToolKind::Notebook) { SourceLanguage::Python } else { SourceLanguage::of(path) };
    let lower = base_name(path).to_ascii_lowercase();
    let data = [".json", ".toml", ".ini", ".cfg"].iter().any(|extension| lower.ends_with(extension));
    let test = is_test(&shown);
    let texts = (SearchedText::new(&change.old), SearchedText::new(&change.new));
    let mut found = Vec::new();
    let mut add = |rule: &'static str, what: &str, find: &PlaceFinder<'_>| {
        found.extend(added(&shown, &texts, find).map(|(place, line)| GuardFinding::new(rule, &place, what, line)));
    };
    if !data {
        for rule in COUNTED.iter().filter(|rule| !(test && rule.exempts_tests)) {
            add(rule.rule, rule.what, &|text, limit| rule.places(language, text, limit));
        }
        add("CQ-R3", "an error is swallowed", &|text, _| swallowed_errors::places(language, text));
        if !test {
            add("CQ-R5", "a check always succeeds", &|text, _| {
                swallowed_errors::places_unchecked_access(language, text)
            });
        }
    }
    add("CQ-R6", "a secret is in the code", &|text, limit| patterns::places(text, test, limit));
    for finding in &mut found {
        if finding.rule == "CQ-R6" {
            finding.evidence = crate::recorded::redact_text(&finding.evidence).unwrap_or_else(|| "[masked]".to_owned());
        }
    }
    found
}

/// Finds places in a text, in order. It may stop after so many.
type PlaceFinder<'a> = dyn Fn(&SearchedText<'_>, usize) -> Vec<Range<usize>> + 'a;

/// Returns the first place that was not there before, with its line, if there are more places than before.
fn added<'a>(
    shown: &str,
    (old, new): &(SearchedText<'a>, SearchedText<'a>),
    find: &PlaceFinder<'_>,
) -> Option<(String, &'a str)> {
    // In a new file the first place decides, however many follow.
    let limit = if old.text.is_empty() { 1 } else { usize::MAX };
    let after = find(new, limit);
    if after.is_empty() || after.len() <= find(old, usize::MAX).len() {
        return None;
    }
    let known: std::collections::BTreeSet<&str> = old.text.lines().collect();
    let first = after.iter().find(|range| !known.contains(line_at(new.text, range.start)));
    let at = first.or(after.last())?.start;
    // A match may begin with the line break before it.
    let at = if new.text.as_bytes().get(at) == Some(&b'\n') { at + 1 } else { at };
    Some((place_at(shown, new.text, at), line_at(new.text, at)))
}
