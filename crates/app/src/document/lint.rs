//! The document of `lint --format json`.

use serde::Serialize;

use super::firings::LeftOutAgentDoc;
use crate::analysis::lint::{
    AllowedFinding, FileChange, FileEdit, FileFix, Finding, FindingsReport, FixResult, RejectedFix,
};

/// The top level of the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LintDoc {
    /// `lint/1`.
    pub schema: &'static str,
    pub diagnostics: Vec<FindingDoc>,
    /// The number of settings files that were read.
    pub files: usize,
    /// The number of hooks in them.
    pub hooks: usize,
    /// Findings that the user has allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<AllowedDoc>,
    /// With `--baseline`: the comparison with the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineDoc>,
    /// With `--fix`: the fixes. Once they are written, `diagnostics` holds the findings that remain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixes: Option<FixesDoc>,
    /// The agents that are left out, because they are neither installed nor configured. Absent if there are
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Vec<LeftOutAgentDoc>>,
    /// The command line with which an agent is assumed to start: that of `--agent-args`, or the one that loads the plugins of
    /// the project. Absent without arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_with: Option<String>,
}

/// A finding that is allowed and therefore not reported.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AllowedDoc {
    pub code: String,
    pub agent: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub message: String,
    pub reason: String,
}

/// The comparison with a baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BaselineDoc {
    /// Findings of the baseline that are still present.
    pub known: usize,
    /// Findings of the baseline that are no longer present.
    pub gone: usize,
}

/// The result of applying fixes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixesDoc {
    /// Whether the files were written.
    pub written: bool,
    /// The number of fixes applied.
    pub count: usize,
    pub files: Vec<FileChangeDoc>,
    /// Fixes that were not applied.
    pub refused: Vec<RefusedDoc>,
}

/// One file that changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileChangeDoc {
    pub file: String,
    pub diff: String,
    /// Whether the file becomes executable.
    pub executable: bool,
}

/// A fix that was not applied.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefusedDoc {
    pub code: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub why: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingDoc {
    pub code: String,
    /// `error`, `warning` or `info`.
    pub severity: &'static str,
    pub agent: String,
    /// The id of the hook that it is about, as in `plan` and `why`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub end_line: Option<u32>,
    pub end_column: Option<u32>,
    /// Additional information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    pub help: Option<String>,
    /// Text edits that fix it.
    pub fix: Option<FixDoc>,
}

/// A change that fixes a finding; its parts are applied together or not at all.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixDoc {
    /// Whether `lint --fix` applies it; otherwise it is only proposed.
    pub safe: bool,
    pub edits: Vec<EditDoc>,
    /// Files that become executable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executable: Vec<String>,
}

/// One replacement of text in a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditDoc {
    pub file: String,
    /// Byte offsets, counted from 0; `end` is exclusive.
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// Builds the document of a report. `baseline` is true if the findings were compared with a baseline.
pub fn lint_doc(report: &FindingsReport, baseline: bool, fixes: Option<(&FixResult, bool)>) -> LintDoc {
    LintDoc {
        schema: "lint/1",
        diagnostics: report.findings.iter().map(finding).collect(),
        files: report.files,
        hooks: report.hooks,
        allowed: report.allowed.iter().map(allowed).collect(),
        baseline: baseline.then_some(BaselineDoc { known: report.known, gone: report.gone }),
        fixes: fixes.map(|(mended, written)| FixesDoc {
            written,
            count: mended.fixes,
            files: mended.files.iter().map(change).collect(),
            refused: mended.rejected.iter().map(refused).collect(),
        }),
        left_out: None,
        started_with: None,
    }
}

fn line(found: &Finding) -> Option<u32> {
    found.place.map(|(start, _)| start.line)
}

fn allowed(allowed: &AllowedFinding) -> AllowedDoc {
    let found = &allowed.finding;
    AllowedDoc {
        code: found.code.to_string(),
        agent: found.agent_word().to_owned(),
        file: found.file.clone(),
        line: line(found),
        message: found.message.clone(),
        reason: allowed.reason.clone(),
    }
}

pub(super) fn change(file: &FileChange) -> FileChangeDoc {
    FileChangeDoc { file: file.file.clone(), diff: file.diff(), executable: file.executable }
}

fn refused(refused: &RejectedFix) -> RefusedDoc {
    let found = &refused.finding;
    RefusedDoc { code: found.code.to_string(), file: found.file.clone(), line: line(found), why: refused.why.clone() }
}

fn fix(mend: &FileFix) -> FixDoc {
    let edit = |edit: &FileEdit| EditDoc {
        file: edit.file.clone(),
        start: edit.edit.start,
        end: edit.edit.end,
        text: edit.edit.text.clone(),
    };
    FixDoc { safe: mend.safe, edits: mend.edits.iter().map(edit).collect(), executable: mend.executable.clone() }
}

fn finding(found: &Finding) -> FindingDoc {
    FindingDoc {
        code: found.code.to_string(),
        severity: found.severity.word(),
        agent: found.agent_word().to_owned(),
        hook: found.hook.as_ref().map(|hook| hook.id.clone()),
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
