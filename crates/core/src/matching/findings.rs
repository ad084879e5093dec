//! The findings of the `lint` rules about a matcher: a hook with this matcher is loaded as the only one of a
//! project.

use serde_json::json;

use super::match_table::MatchColumn;
use crate::config::{MemoryFiles, Os, Place};
use crate::diagnostic::{Code, CodeFamily, Severity};
use crate::dialects::MachineFacts;
use crate::hook::Layer;
use crate::lint::{CommandFacts, LintScope, lint};
use crate::text::stringify;

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatcherFinding {
    pub code: Code,
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
    let Some(path) = (dialect.settings_format().layer_file)(&place, Layer::Project) else { return Vec::new() };
    let hook = json!({ "type": "command", "command": "true" });
    let group = json!({ "matcher": matcher, "hooks": [hook] });
    let mut files = MemoryFiles::default();
    files.put(path, stringify(&json!({ "hooks": { column.event.name: [group] } })));
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
