//! The document of `convert`.

use hookbench_core::diagnostic::Code;
use serde::Serialize;
use serde_json::Value;

use super::hook::SourceDoc;
use crate::disk::user_file::FileChange;
use crate::setup::convert::ConversionResult;
use hookbench_core::convert::{ConversionNote, ConvertedDefinition, RunDifference, UnreadKeys};
use hookbench_core::port::AgentVersion;

/// The code of the finding that describes losses.
pub const LOSS_CODE: Code = Code::HW804;

/// The hooks of one agent, converted for another.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvertDoc {
    /// `convert/1`.
    pub schema: &'static str,
    pub from: ConvertSideDoc,
    pub to: ConvertSideDoc,
    /// The requested layer; `project` includes the local settings.
    pub layer: &'static str,
    /// Whether nothing is lost and both agents run the same hooks.
    pub whole: bool,
    pub definitions: Vec<ConvertedDoc>,
    /// Notes about the layer as a whole.
    pub notes: Vec<NoteDoc>,
    /// The other agent's settings file, or the directory in which each of its hooks is a file.
    pub file: String,
    /// The change as a patch; empty if nothing changes.
    pub diff: String,
    /// The files that change.
    pub files: Vec<ConvertedFileDoc>,
    /// Whether they were written.
    pub written: bool,
    pub check: CheckDoc,
    /// Keys of hook output that the other agent does not read: output is not translated.
    pub answers: Vec<UnreadKeys>,
}

/// The change of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvertedFileDoc {
    pub file: String,
    pub diff: String,
}

/// An agent and its version.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvertSideDoc {
    pub agent: String,
    pub version: String,
}

/// One definition and its conversion.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvertedDoc {
    pub hook: String,
    pub name: String,
    pub source: SourceDoc,
    pub event: String,
    pub matcher: Option<String>,
    pub timeout_ms: Option<f64>,
    /// The definitions written for it; empty if it is dropped.
    pub written: Vec<WrittenDoc>,
    pub notes: Vec<NoteDoc>,
}

/// A definition in the other agent's format.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WrittenDoc {
    pub event: String,
    pub matcher: Option<String>,
    pub timeout_ms: Option<f64>,
    /// The handler object.
    pub handler: Value,
    /// The file that is this hook; null if the hook is an entry of the settings file.
    pub file: Option<String>,
    /// Whether it was there already.
    pub already: bool,
}

/// The conversion of one part of a definition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoteDoc {
    /// `dropped`, `changed`, `kept` or `warned`.
    pub kind: &'static str,
    pub code: &'static str,
    /// Whether something is lost.
    pub loss: bool,
    /// The code for `explain` that describes losses; null if nothing is lost.
    pub finding: Option<&'static str>,
    pub says: String,
}

/// The result of planning every event that both agents have under both of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckDoc {
    pub events: usize,
    pub moments: usize,
    pub same: usize,
    /// The number of events that only the first agent has.
    pub only_here: usize,
    pub differences: Vec<RunDifference>,
    /// Steps that are needed before the other agent runs the hooks.
    pub waits_for: Vec<String>,
}

/// Builds the document of a conversion.
pub fn convert_doc(converted: &ConversionResult) -> ConvertDoc {
    let check = &converted.check;
    let side = |side: &AgentVersion| ConvertSideDoc {
        agent: side.dialect.id().to_string(),
        version: side.version.to_string(),
    };
    ConvertDoc {
        schema: "convert/1",
        from: side(&converted.from),
        to: side(&converted.to),
        layer: converted.layer.word(),
        whole: converted.is_lossless(),
        definitions: converted.conversion.items.iter().map(definition).collect(),
        notes: converted.conversion.notes.iter().map(note).collect(),
        file: converted.file.clone(),
        diff: converted.changes.iter().map(FileChange::diff).collect(),
        files: converted.changes.iter().map(changed_file).collect(),
        written: converted.written,
        check: CheckDoc {
            events: check.events,
            moments: check.planned_cases,
            same: check.same,
            only_here: check.only_here,
            differences: check.differences.clone(),
            waits_for: check.missing_approvals.clone(),
        },
        answers: converted.unread.clone(),
    }
}

fn changed_file(change: &FileChange) -> ConvertedFileDoc {
    ConvertedFileDoc { file: change.file.clone(), diff: change.diff() }
}

fn definition(item: &ConvertedDefinition) -> ConvertedDoc {
    let milliseconds = |limit: std::time::Duration| limit.as_secs_f64() * 1000.0;
    let written = item.written.iter().map(|written| WrittenDoc {
        event: written.event.clone(),
        matcher: written.matcher.clone(),
        timeout_ms: item.limit.as_ref().map(|limit| milliseconds(limit.there)),
        handler: Value::Object(written.handler.clone()),
        file: written.file.clone(),
        already: written.exists,
    });
    ConvertedDoc {
        hook: item.hook.clone(),
        name: item.label.clone(),
        source: SourceDoc { layer: item.layer.word(), file: item.file.clone(), line: item.line, column: item.column },
        event: item.event.clone(),
        matcher: item.matcher.clone(),
        timeout_ms: item.limit.as_ref().map(|limit| milliseconds(limit.here)),
        written: written.collect(),
        notes: item.notes.iter().map(note).collect(),
    }
}

fn note(note: &ConversionNote) -> NoteDoc {
    let finding = note.loss.then_some(LOSS_CODE.as_str());
    NoteDoc {
        kind: note.outcome.word(),
        code: note.code.as_str(),
        loss: note.loss,
        finding,
        says: note.message.clone(),
    }
}
