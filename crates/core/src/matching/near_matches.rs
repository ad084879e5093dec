//! Names that a matcher nearly matches, and why it does not.

use serde::Serialize;
use serde_json::{Map, json};

use super::match_table::MatchColumn;
use crate::catalogue::{MatchExactness, catalogue};
use crate::config::{MemoryFiles, Os, Place};
use crate::diagnostic::{Code, CodeFamily, Severity};
use crate::dialects::MachineFacts;
use crate::dialects::shared::matcher_checks::unmatched_names;
use crate::lint::{CommandFacts, LintScope, lint};
use crate::matcher::{MatcherInterpretation, MatcherKind, name_words};
use crate::text::nearest;

/// A name that nearly matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MatchNearDoc"))]
pub struct NearMatch {
    pub written: String,
    // A name, or a pattern for several names.
    #[serde(rename = "meant")]
    pub replacement: String,
    // That of the `lint` rule.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub code: Code,
    #[serde(rename = "says")]
    pub message: String,
    // Whether the replacement is a pattern.
    #[serde(skip)]
    pub pattern: bool,
}

/// Returns all near matches in the order of the matcher.
pub fn near_matches(column: &MatchColumn, matcher: &str, reading: &MatcherInterpretation) -> Vec<NearMatch> {
    if matches!(reading.kind, MatcherKind::Ignored | MatcherKind::Everything) {
        return Vec::new();
    }
    let mut out = if column.about_tools() { tools(column, matcher, reading) } else { Vec::new() };
    for word in name_words(matcher).into_iter().map(|word| word.text).filter(|word| word.len() > 2) {
        if !out.iter().any(|near| near.written == word || near.written == matcher) {
            out.extend(check_spelling(column, matcher, word));
        }
    }
    out
}

fn tools(column: &MatchColumn, matcher: &str, reading: &MatcherInterpretation) -> Vec<NearMatch> {
    if let Some((tool, rest)) = matcher.trim().split_once('(')
        && rest.ends_with(')')
        && column.known().iter().any(|(known, _)| known == tool)
        && column.matches_name(matcher, tool) != Some(true)
    {
        let says = format!("\"{matcher}\" is a permission rule, but a matcher is compared only with the name {tool}");
        let (written, meant) = (matcher.to_owned(), tool.to_owned());
        return vec![NearMatch { code: Code::HW303, written, replacement: meant, message: says, pattern: false }];
    }
    let spelled = |tool: &str| column.name_in_matchers(tool).to_owned();
    let dead = unmatched_names(matcher, column.agent().as_str(), spelled, |tool| column.matches_name(matcher, tool));
    let mut out: Vec<NearMatch> = dead
        .map(|dead| NearMatch {
            code: dead.code,
            written: dead.name,
            replacement: dead.id,
            message: dead.message,
            pattern: false,
        })
        .collect();
    if reading.kind == MatcherKind::Names {
        let branches = reading.branches.iter().filter_map(|branch| check_server_name(column, &branch.text));
        out.extend(branches);
    }
    out
}

/// Checks for `mcp__server` as an exact name and not as a prefix.
fn check_server_name(column: &MatchColumn, name: &str) -> Option<NearMatch> {
    let own = catalogue().agent(column.agent().as_str())?;
    let split = own.mcp.split?;
    let server = name.strip_prefix("mcp")?.strip_prefix(split)?.trim_end_matches('_');
    if server.is_empty() || server.contains(split) {
        return None;
    }
    let meant = format!("mcp{split}{server}{split}.*");
    let says = format!(
        "\"{name}\" is compared with whole names, and no tool has this name; {meant} matches all tools of that server"
    );
    Some(NearMatch { code: Code::HW304, written: name.to_owned(), replacement: meant, message: says, pattern: true })
}

/// Checks for an unknown word that resembles a known name.
fn check_spelling(column: &MatchColumn, matcher: &str, word: &str) -> Option<NearMatch> {
    let known: Vec<&str> = column.known().iter().map(|(name, _)| column.name_in_matchers(name)).collect();
    if known.contains(&word)
        || known.iter().any(|name| name.contains(word) && column.matches_name(matcher, name) == Some(true))
    {
        return None;
    }
    let own = catalogue().agent(column.agent().as_str()).filter(|_| column.about_tools());
    if own.is_some_and(|own| catalogue().resolve(word, own).exactness != MatchExactness::Unknown) {
        return None;
    }
    let meant = nearest(word, &known).filter(|name| column.matches_name(matcher, name) == Some(false))?;
    let case = meant.eq_ignore_ascii_case(word);
    let code = if case { Code::HW301 } else { Code::HW302 };
    let says = if case {
        format!("\"{word}\" differs from \"{meant}\" in case, so it never matches")
    } else {
        format!("\"{word}\" is not a known name; \"{meant}\" is similar")
    };
    Some(NearMatch { code, written: word.to_owned(), replacement: meant.to_owned(), message: says, pattern: false })
}

/// A finding of a `lint` rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MatchFoundDoc"))]
pub struct MatcherFinding {
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub code: Code,
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub severity: Severity,
    pub message: String,
    pub help: Option<String>,
}

/// Returns all findings about a matcher in one agent.
pub fn findings(column: &MatchColumn, matcher: &str) -> Vec<MatcherFinding> {
    if column.present(&json!(matcher)).is_none() {
        return Vec::new();
    }
    let place = Place { project: "/project".to_owned(), home: "/home".to_owned(), os: Os::Linux, ..Place::default() };
    let place = place.as_trusted();
    let dialect = column.side.dialect;
    let Some((_, file)) = dialect.usual_file_for_event(&place, column.event.name) else { return Vec::new() };
    let hook = json!({ "type": "command", "command": "true" });
    let group = json!({ "matcher": matcher, "hooks": [hook] });
    let mut files = MemoryFiles::default();
    files.put(file.path, file.form.whole_file(&Map::from_iter([(column.event.name.to_owned(), json!([group]))])));
    let loaded = dialect.load(&place, &files, &column.side.version);
    let around = MachineFacts::default();
    let scope = LintScope {
        dialect,
        version: &column.side.version,
        place: &place,
        files: &files,
        loaded: &loaded,
        machine: &around,
    };
    let mut found: Vec<MatcherFinding> = lint(scope, &|_| CommandFacts::default())
        .findings
        .into_iter()
        .filter(|d| d.code.family() == Some(CodeFamily::Matchers))
        .map(|d| MatcherFinding { code: d.code, severity: d.severity, message: d.message, help: d.help })
        .collect();
    found.sort_by_key(|found| std::cmp::Reverse(found.severity));
    found
}
