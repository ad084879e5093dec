//! The documents of `undo`.

use serde::Serialize;

use crate::disk::user_file::{UndoStep, UndoneFile, UndoneStep};
use hookbench_core::recorded::format_time;

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
