//! `lint --format json`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::app::lint::{Finding, Linted};

/// The whole document.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LintDoc {
    /// `lint/1`.
    pub schema: &'static str,
    pub diagnostics: Vec<FindingDoc>,
    /// Files with settings that were read.
    pub files: usize,
    /// Hooks that they hold.
    pub hooks: usize,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FindingDoc {
    pub code: String,
    /// `error`, `warning` or `info`.
    pub severity: &'static str,
    pub agent: String,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub end_line: Option<u32>,
    pub end_column: Option<u32>,
    pub help: Option<String>,
    /// Text edits that mend it.
    pub fix: Option<Value>,
}

/// The document of some findings.
pub fn lint_doc(linted: &Linted) -> LintDoc {
    LintDoc {
        schema: "lint/1",
        diagnostics: linted.findings.iter().map(finding).collect(),
        files: linted.files,
        hooks: linted.hooks,
    }
}

fn finding(found: &Finding) -> FindingDoc {
    FindingDoc {
        code: found.code.to_owned(),
        severity: found.severity.word(),
        agent: found.agent.to_owned(),
        message: found.message.clone(),
        file: found.file.clone(),
        line: found.place.map(|(start, _)| start.line),
        column: found.place.map(|(start, _)| start.column),
        end_line: found.place.map(|(_, end)| end.line),
        end_column: found.place.map(|(_, end)| end.column),
        help: found.help.clone(),
        fix: None,
    }
}
