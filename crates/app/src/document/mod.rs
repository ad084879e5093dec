//! The machine-readable documents that others build on: the types are the schema.
//!
//! Field names are stable; what breaks a reader raises the document's `schema` number.

mod basis;
mod convert;
mod doctor;
mod events;
mod explain;
mod firing;
mod firings;
mod hook;
mod import;
mod install;
mod lint;
mod list;
mod matching;
mod recorded;
mod replay;
mod tools;
mod trace;
mod undo;
mod why;

pub use basis::{BasisDoc, basis_doc};
pub use convert::{ConvertDoc, ConvertedDoc, LOSS, NoteDoc, convert_doc};
pub use doctor::{AgentHealthDoc, DoctorDoc, OwnFileDoc, ProgramDoc, ServerDoc, TerminalDoc, doctor_doc};
pub use events::{EventDoc, EventsDoc, KeyDoc, MappingDoc, events_doc};
pub use explain::{ExplainDoc, explain_doc};
pub use firing::{FiringDoc, OutcomeDoc, RunDoc, diagnostic_doc, firing_doc, plan_doc, run_doc, untraced_doc};
pub use firings::{FiringsDoc, MissingDoc, firings_doc, session_doc};
pub use hook::{DiagnosticDoc, PlanHookDoc, SourceDoc, WhyRuleDoc, hook_doc, plan_hooks};
pub use import::{ImportDoc, SessionsDoc, import_doc, sessions_doc};
pub use install::{EntryDoc, InstallDoc, ProblemDoc, StandingDoc, install_doc, standing_doc};
pub use lint::{LintDoc, lint_doc};
pub use list::{ListDoc, list_doc};
pub use matching::{MatchAgentDoc, MatchDoc, MatchValueDoc, match_doc};
pub use recorded::{RecordedDoc, recorded_doc};
pub use replay::{ReplayDoc, ReplayedDoc, SummaryDoc, replayed_doc, summary_doc};
pub use tools::{AgentToolsDoc, RowDoc, ToolDoc, ToolsDoc, tools_doc};
pub use trace::{TraceDoc, trace_docs};
pub use undo::{UndoDoc, UndoListDoc, undo_doc, undo_list_doc};
pub use why::{RungDoc, WhyDoc, why_doc};

use schemars::Schema;

/// The JSON Schema of every document, by the name that stands before the slash in its `schema`.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("firing", schemars::schema_for!(FiringDoc)),
        ("firings", schemars::schema_for!(FiringsDoc)),
        ("list", schemars::schema_for!(ListDoc)),
        ("why", schemars::schema_for!(WhyDoc)),
        ("match", schemars::schema_for!(MatchDoc)),
        ("events", schemars::schema_for!(EventsDoc)),
        ("tools", schemars::schema_for!(ToolsDoc)),
        ("import", schemars::schema_for!(ImportDoc)),
        ("sessions", schemars::schema_for!(SessionsDoc)),
        ("doctor", schemars::schema_for!(DoctorDoc)),
        ("convert", schemars::schema_for!(ConvertDoc)),
        ("install", schemars::schema_for!(InstallDoc)),
        ("undo", schemars::schema_for!(UndoDoc)),
        ("undo-list", schemars::schema_for!(UndoListDoc)),
        ("lint", schemars::schema_for!(LintDoc)),
        ("explain", schemars::schema_for!(ExplainDoc)),
        ("recorded", schemars::schema_for!(RecordedDoc)),
        ("replay", schemars::schema_for!(ReplayDoc)),
        ("test", schemars::schema_for!(crate::suite::TestDoc)),
        ("suite", schemars::schema_for!(crate::suite::SuiteShape)),
    ]
}
