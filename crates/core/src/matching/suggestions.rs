//! Suggestions of matchers that match exactly what was meant. Candidates are tested with the agents' own rules on
//! every known name and on slightly changed names.

use serde_json::Value;

use super::known_names::example;
use super::match_table::{ColumnMatches, MatchColumn, MatchTable, MatcherResult};
use crate::catalogue::catalogue;
use crate::convert::equivalent_tools;
use crate::matcher::MatcherKind;

/// Maximum number of names in a suggestion. A matcher that matches more is not meant as a list of names.
const MOST: usize = 8;

hookbench_base::words! {
    /// The benefit of a suggestion.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SuggestionReason {
        /// It matches what was probably meant.
        Meant = "meant" | "suggested fix",
        /// It matches the same names and cannot match others.
        Exact = "exact" | "only these names",
        /// It matches the same tools in every agent.
        Everywhere = "everywhere" | "the same tools in every agent",
    }
    /// The word used in documents.
    fn word;
    /// Explains the benefit to the user.
    fn message;
}

/// A suggested matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub text: String,
    pub reason: SuggestionReason,
}

/// The names that must match in one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct WantedNames {
    names: Vec<String>,
    /// Patterns for several names, such as all tools of a server.
    patterns: Vec<String>,
}

/// Returns matchers that are better than `matcher`, the best first.
pub fn suggest(board: &MatchTable, matcher: &str, answer: &MatcherResult) -> Vec<Suggestion> {
    let (Some(own), Some(said)) = (board.columns.first(), answer.columns.first()) else { return Vec::new() };
    let Some(wanted) = wanted(said) else { return Vec::new() };
    let mut out = Vec::new();
    let same = said.near.is_empty() && said.matching == sorted(own, &wanted.names) && wanted.patterns.is_empty();
    if let Some(text) = own_candidates(own, &wanted).find(|text| exact(own, text, &wanted)) {
        let why = if same { SuggestionReason::Exact } else { SuggestionReason::Meant };
        // If it already matches exactly that, nothing has to change.
        if text != matcher && !exact(own, matcher, &wanted) {
            out.push(Suggestion { text, reason: why });
        }
    }
    out.extend(
        matcher_for_all_agents(board, &wanted)
            .filter(|text| text != matcher)
            .map(|text| Suggestion { text, reason: SuggestionReason::Everywhere }),
    );
    out.dedup_by(|b, a| a.text == b.text);
    out
}

/// Sorts names into the agent's own order.
fn sorted(column: &MatchColumn, names: &[String]) -> Vec<String> {
    column.known().iter().map(|(name, _)| name).filter(|name| names.contains(name)).cloned().collect()
}

/// Returns what was probably meant. `None` if that is nothing, or more than can be listed.
fn wanted(said: &ColumnMatches) -> Option<WantedNames> {
    if matches!(said.reading.kind, MatcherKind::Ignored | MatcherKind::Everything) {
        return None;
    }
    let mut wanted = WantedNames::default();
    let mut add = |name: &String| {
        if !wanted.names.contains(name) {
            wanted.names.push(name.clone());
        }
    };
    for (branch, passing) in said.reading.branches.iter().zip(&said.branches) {
        let near = said.near.iter().find(|near| near.written == branch.text);
        match near {
            Some(near) if near.pattern => wanted.patterns.push(near.replacement.clone()),
            Some(near) => add(&near.replacement),
            None if !passing.whole.is_empty() => passing.whole.iter().for_each(&mut add),
            None if !passing.partial.is_empty() => passing.partial.iter().for_each(&mut add),
            None if branch.text.contains("mcp_") => wanted.patterns.push(branch.text.clone()),
            None => {}
        }
    }
    for near in said.near.iter().filter(|near| !near.pattern) {
        if !said.reading.branches.iter().any(|branch| branch.text == near.written)
            && !wanted.names.contains(&near.replacement)
        {
            wanted.names.push(near.replacement.clone());
        }
    }
    let all = wanted.names.len() + wanted.patterns.len();
    (1..=MOST).contains(&all).then_some(wanted)
}

/// Returns candidates for these names, the simplest first.
fn candidates(wanted: &WantedNames) -> Vec<String> {
    let all: Vec<&str> = wanted.names.iter().chain(&wanted.patterns).map(String::as_str).collect();
    let joined = all.join("|");
    let anchored = match all.as_slice() {
        [one] => format!("^{}$", one.trim_start_matches('^').trim_end_matches('$')),
        _ => format!("^({joined})$"),
    };
    vec![joined, anchored]
}

/// Returns candidates in the form of one agent.
fn own_candidates(column: &MatchColumn, wanted: &WantedNames) -> impl Iterator<Item = String> {
    let names: Vec<&str> = wanted.names.iter().chain(&wanted.patterns).map(String::as_str).collect();
    candidates(wanted).into_iter().chain([column.side.dialect.settings_format().any_of(&names)])
}

/// Whether a text matches exactly these names, out of the known names and slightly changed ones.
fn exact(column: &MatchColumn, text: &str, wanted: &WantedNames) -> bool {
    let is = |name: &str, wanted: bool| column.matches_name(text, name) == Some(wanted);
    let known = matches_known_exactly(column, text, wanted);
    let written = wanted.names.iter().all(|name| is(name, true));
    let nearly = || {
        let near = wanted.names.iter().flat_map(|name| [format!("x{name}"), format!("{name}x")]);
        near.filter(|name| !wanted.names.contains(name)).all(|name| is(&name, false))
    };
    let example = || example(&column.side, column.event);
    let strange = wanted.patterns.is_empty() && example().is_some_and(|name| !is(&name, false));
    let many = wanted.patterns.iter().all(|pattern| {
        let one = pattern.replace(".*", "tool").replace(".+", "tool");
        let plain = one.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        !plain || is(&one, true)
    });
    known && written && !strange && many && nearly()
}

/// Whether a text matches exactly these names, out of the known names.
fn matches_known_exactly(column: &MatchColumn, text: &str, wanted: &WantedNames) -> bool {
    let text = Value::from(text);
    let mut known = column.known().iter();
    known.all(|(name, subject)| column.matches_subject(&text, subject) == Some(wanted.names.contains(name)))
}

/// Returns a matcher for the same tools in every agent.
fn matcher_for_all_agents(board: &MatchTable, wanted: &WantedNames) -> impl Iterator<Item = String> {
    let (own, others) = board.columns.split_first().map_or((None, &[][..]), |(own, others)| (Some(own), others));
    let each = || -> Option<String> {
        let own = own.filter(|own| own.about_tools() && wanted.patterns.is_empty())?;
        let from = catalogue().agent(own.agent().as_str())?;
        let mut all = vec![(own, wanted.clone())];
        for column in others {
            let to = catalogue().agent(column.agent().as_str())?;
            let mut there = WantedNames::default();
            for name in wanted.names.iter().flat_map(|name| equivalent_tools(from, to, name)) {
                if !there.names.contains(&name) {
                    there.names.push(name);
                }
            }
            all.push((column, there));
        }
        let mut union = WantedNames::default();
        for name in all.iter().flat_map(|(_, wanted)| &wanted.names) {
            if !union.names.contains(name) {
                union.names.push(name.clone());
            }
        }
        if others.is_empty() || union.names.len() > 2 * MOST || union.names.len() == wanted.names.len() {
            return None;
        }
        // A tool that only another agent has is treated like an unknown name here.
        let fits =
            |text: &String, (column, wanted): &(&MatchColumn, WantedNames)| matches_known_exactly(column, text, wanted);
        candidates(&union).into_iter().rev().find(|text| all.iter().all(|one| fits(text, one)))
    };
    each().into_iter()
}
