//! `lint --format json`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::lint::{FileEdit, Finding, Linted, Mend};

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
    /// What else is to be known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    pub help: Option<String>,
    /// Text edits that mend it.
    pub fix: Option<FixDoc>,
}

/// A change that mends a finding, as a whole or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FixDoc {
    /// `lint --fix` takes it; else it is a proposal.
    pub safe: bool,
    pub edits: Vec<EditDoc>,
    /// Files that are to be made executable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub executable: Vec<String>,
}

/// One place of a file gets another text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EditDoc {
    pub file: String,
    /// Bytes, counted from 0; `end` is the first that stays.
    pub start: usize,
    pub end: usize,
    pub text: String,
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

fn fix(mend: &Mend) -> FixDoc {
    let edit = |edit: &FileEdit| EditDoc {
        file: edit.file.clone(),
        start: edit.start,
        end: edit.end,
        text: edit.text.clone(),
    };
    FixDoc { safe: mend.safe, edits: mend.edits.iter().map(edit).collect(), executable: mend.executable.clone() }
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
        note: found.note.clone(),
        fix: found.fix.as_ref().map(fix),
    }
}
