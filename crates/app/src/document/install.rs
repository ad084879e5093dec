//! The document of `install` and `uninstall`.

use serde::Serialize;

use super::firings::{BasisDoc, basis_doc};
use crate::disk::user_file::{UndoStep, UndoneFile, UndoneStep};
use crate::setup::install::{EntryChange, FileInstall, PreparedInstall};
use hookbench_core::install::{InstalledEntry, SkipReason};
use hookbench_core::recorded::format_time;

/// The forwarding hooks that are added to an agent's settings or removed from them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstallDoc {
    /// `install/1`.
    pub schema: &'static str,
    /// `install` or `uninstall`.
    pub action: &'static str,
    pub agent: &'static str,
    pub agent_version: String,
    pub basis: BasisDoc,
    /// `user` or `project`.
    pub scope: &'static str,
    /// The settings file, or the first of `files`.
    pub file: String,
    /// The files that have entries or change. Some agents read an event from one file and others from another.
    pub files: Vec<InstallFileDoc>,
    /// The command of every entry.
    pub command: String,
    pub entries: Vec<EntryChange>,
    /// Events of the agent that get no entry.
    pub left_out: Vec<LeftOutDoc>,
    /// Whether a file changes.
    pub changes: bool,
    /// The changes of all files as a patch.
    pub diff: String,
    /// Whether a file is deleted with its last entry, because `install` created it.
    pub removes_file: bool,
    pub written: bool,
    /// The state of the entries in the files of this layer after the change.
    pub standing: Vec<StandingDoc>,
    /// Forwarding hooks of hookbench in other files.
    pub elsewhere: Vec<StandingDoc>,
    pub notes: Vec<String>,
}

/// One settings file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstallFileDoc {
    pub file: String,
    /// The change of the file as a patch; empty if nothing changes.
    pub diff: String,
    /// Whether the file is deleted with its last entry, because `install` created it.
    pub removes_file: bool,
}

/// An event without an entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOutDoc {
    pub event: &'static str,
    /// `unsafe` or `frequent`.
    pub why: &'static str,
    pub says: &'static str,
}

/// An entry as the agent has loaded it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StandingDoc {
    pub event: String,
    pub layer: &'static str,
    pub file: String,
    pub line: u32,
    pub command: String,
    /// The agent's timeout for it.
    pub timeout_ms: Option<f64>,
    /// Null if the entry works.
    pub problem: Option<ProblemDoc>,
}

/// A problem with an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProblemDoc {
    /// `untrusted`, `refused`, `unsafe`, `timeout` or `program`.
    pub kind: &'static str,
    pub says: String,
}

/// Builds the document of a prepared change.
pub fn install_doc(prepared: &PreparedInstall, written: bool) -> InstallDoc {
    InstallDoc {
        schema: "install/1",
        action: if prepared.installs { "install" } else { "uninstall" },
        agent: prepared.dialect.id().as_str(),
        agent_version: prepared.basis.requested.to_string(),
        basis: basis_doc(&prepared.basis),
        scope: prepared.layer.word(),
        file: prepared.files.first().map_or_else(String::new, |file| file.file.clone()),
        files: prepared.files.iter().map(install_file).collect(),
        command: prepared.command.clone(),
        entries: prepared.entries.clone(),
        left_out: prepared.left_out.iter().map(|(event, why)| left_out(event, *why)).collect(),
        changes: prepared.changes(),
        diff: prepared.diff(),
        removes_file: prepared.files.iter().any(|file| file.removes_file),
        written,
        standing: prepared.standings.iter().map(standing_doc).collect(),
        elsewhere: prepared.elsewhere.iter().map(standing_doc).collect(),
        notes: prepared.notes.clone(),
    }
}

fn install_file(file: &FileInstall) -> InstallFileDoc {
    InstallFileDoc { file: file.file.clone(), diff: file.diff.clone(), removes_file: file.removes_file }
}

fn left_out(event: &'static str, why: SkipReason) -> LeftOutDoc {
    let word = match why {
        SkipReason::Unsafe => "unsafe",
        SkipReason::Frequent => "frequent",
    };
    LeftOutDoc { event, why: word, says: why.message() }
}

/// Builds the document of an entry as the agent has loaded it.
pub fn standing_doc(standing: &InstalledEntry) -> StandingDoc {
    StandingDoc {
        event: standing.event.clone(),
        layer: standing.layer.word(),
        file: standing.file.clone(),
        line: standing.line,
        command: standing.command.clone(),
        timeout_ms: standing.timeout.map(|limit| limit.as_secs_f64() * 1000.0),
        problem: standing.problem.as_ref().map(|problem| ProblemDoc { kind: problem.word(), says: problem.message() }),
    }
}

/// A step that was undone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoDoc {
    /// `undo/2`.
    pub schema: &'static str,
    /// Its files; files that were written together are undone together.
    pub files: Vec<UndoneDoc>,
}

/// One file of the step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoneDoc {
    pub file: String,
    /// Whether the file was removed.
    pub removed: bool,
    /// Whether the file is no longer executable.
    pub runs_no_more: bool,
    pub diff: String,
}

/// The steps that can be undone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoListDoc {
    /// `undo-list/1`.
    pub schema: &'static str,
    /// Newest first; `undo` undoes the first one.
    pub steps: Vec<StepDoc>,
}

/// A step that can be undone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepDoc {
    /// The time of the step.
    pub at: Option<String>,
    pub files: Vec<String>,
}

/// Builds the document of a step that was undone.
pub fn undo_doc(undone: &UndoneStep) -> UndoDoc {
    let file = |file: &UndoneFile| UndoneDoc {
        file: file.path.display().to_string(),
        removed: file.removed,
        runs_no_more: file.not_executable,
        diff: file.diff.clone(),
    };
    UndoDoc { schema: "undo/2", files: undone.files.iter().map(file).collect() }
}

/// Builds the document of the steps that can be undone.
pub fn undo_list_doc(steps: &[UndoStep]) -> UndoListDoc {
    let step = |step: &UndoStep| StepDoc {
        at: format_time(step.at),
        files: step.files.iter().map(|path| path.display().to_string()).collect(),
    };
    UndoListDoc { schema: "undo-list/1", steps: steps.iter().map(step).collect() }
}
