//! `undo`.

use serde::Serialize;

use crate::user_file::{Step, Undone, UndoneFile};
use hookbench_core::recorded::time_text;

/// A step that was taken back.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoDoc {
    /// `undo/2`.
    pub schema: &'static str,
    /// Its files; several that were written together are taken back together.
    pub files: Vec<UndoneDoc>,
}

/// One file of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoneDoc {
    pub file: String,
    /// Whether the file is gone again.
    pub removed: bool,
    /// Whether the right to run it was taken back.
    pub runs_no_more: bool,
    pub diff: String,
}

/// What can be taken back.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoListDoc {
    /// `undo-list/1`.
    pub schema: &'static str,
    /// The newest first: that is the one that `undo` takes back.
    pub steps: Vec<StepDoc>,
}

/// A step that can be taken back.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepDoc {
    /// When it was made.
    pub at: Option<String>,
    pub files: Vec<String>,
}

/// The document of a step that was taken back.
pub fn undo_doc(undone: &Undone) -> UndoDoc {
    let file = |file: &UndoneFile| UndoneDoc {
        file: file.path.display().to_string(),
        removed: file.removed,
        runs_no_more: file.runs_no_more,
        diff: file.diff.clone(),
    };
    UndoDoc { schema: "undo/2", files: undone.files.iter().map(file).collect() }
}

/// The document of what can be taken back.
pub fn undo_list_doc(steps: &[Step]) -> UndoListDoc {
    let step = |step: &Step| StepDoc {
        at: time_text(step.at),
        files: step.files.iter().map(|path| path.display().to_string()).collect(),
    };
    UndoListDoc { schema: "undo-list/1", steps: steps.iter().map(step).collect() }
}
