//! The machine-readable documents that other programs build on. Their types define the schema.
//!
//! Field names are stable; an incompatible change increments the document's `schema` number.

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
pub use convert::{ConvertDoc, ConvertedDoc, LOSS_CODE, NoteDoc, convert_doc};
pub use doctor::{AgentHealthDoc, DoctorDoc, OwnFileDoc, ProgramDoc, ServerDoc, TerminalDoc, doctor_doc};
pub use events::{EventDoc, EventsDoc, KeyDoc, MappingDoc, events_doc};
pub use explain::{ExplainDoc, explain_doc};
pub use firing::{FiringDoc, OutcomeDoc, RunDoc, diagnostic_doc, firing_doc, plan_doc, run_doc, untraced_doc};
pub use firings::{FiringsDoc, MissingDoc, firings_doc, session_doc};
pub use hook::{DiagnosticDoc, PlanHookDoc, SourceDoc, WhyRuleDoc, hook_doc, plan_hooks};
pub use import::{AgentSessionsDoc, ImportDoc, import_doc, sessions_doc};
pub use install::{EntryDoc, InstallDoc, ProblemDoc, StandingDoc, install_doc, standing_doc};
pub use lint::{LintDoc, lint_doc};
pub use list::{ListDoc, list_doc};
pub use matching::{MatchAgentDoc, MatchDoc, MatchValueDoc, match_doc};
pub use recorded::{RecordedDoc, recorded_doc};
pub use replay::{ReplayDoc, ReplayedDoc, SummaryDoc, replayed_doc, summary_doc};
pub use tools::{AgentToolsDoc, ToolDoc, ToolRowDoc, ToolsDoc, tools_doc};
pub use trace::{TraceDoc, trace_docs};
pub use undo::{UndoDoc, UndoListDoc, undo_doc, undo_list_doc};
pub use why::{RungDoc, WhyDoc, why_doc};

/// The JSON Schema of every document, by the name before the slash in its `schema`. A test generates the files from
/// the types, so that the program is built without the schema generator.
pub const SCHEMAS: [(&str, &str); 20] = [
    ("firing", include_str!("../../../../assets/schema/firing.json")),
    ("firings", include_str!("../../../../assets/schema/firings.json")),
    ("list", include_str!("../../../../assets/schema/list.json")),
    ("why", include_str!("../../../../assets/schema/why.json")),
    ("match", include_str!("../../../../assets/schema/match.json")),
    ("events", include_str!("../../../../assets/schema/events.json")),
    ("tools", include_str!("../../../../assets/schema/tools.json")),
    ("import", include_str!("../../../../assets/schema/import.json")),
    ("sessions", include_str!("../../../../assets/schema/sessions.json")),
    ("doctor", include_str!("../../../../assets/schema/doctor.json")),
    ("convert", include_str!("../../../../assets/schema/convert.json")),
    ("install", include_str!("../../../../assets/schema/install.json")),
    ("undo", include_str!("../../../../assets/schema/undo.json")),
    ("undo-list", include_str!("../../../../assets/schema/undo-list.json")),
    ("lint", include_str!("../../../../assets/schema/lint.json")),
    ("explain", include_str!("../../../../assets/schema/explain.json")),
    ("recorded", include_str!("../../../../assets/schema/recorded.json")),
    ("replay", include_str!("../../../../assets/schema/replay.json")),
    ("test", include_str!("../../../../assets/schema/test.json")),
    ("suite", include_str!("../../../../assets/schema/suite.json")),
];

/// The schemas, generated from the types.
#[cfg(feature = "schema")]
pub fn generated_schemas() -> Vec<(&'static str, schemars::Schema)> {
    use schemars::schema_for;
    vec![
        ("firing", schema_for!(FiringDoc)),
        ("firings", schema_for!(FiringsDoc)),
        ("list", schema_for!(ListDoc)),
        ("why", schema_for!(WhyDoc)),
        ("match", schema_for!(MatchDoc)),
        ("events", schema_for!(EventsDoc)),
        ("tools", schema_for!(ToolsDoc)),
        ("import", schema_for!(ImportDoc)),
        ("sessions", schema_for!(AgentSessionsDoc)),
        ("doctor", schema_for!(DoctorDoc)),
        ("convert", schema_for!(ConvertDoc)),
        ("install", schema_for!(InstallDoc)),
        ("undo", schema_for!(UndoDoc)),
        ("undo-list", schema_for!(UndoListDoc)),
        ("lint", schema_for!(LintDoc)),
        ("explain", schema_for!(ExplainDoc)),
        ("recorded", schema_for!(RecordedDoc)),
        ("replay", schema_for!(ReplayDoc)),
        ("test", schema_for!(crate::suite::TestDoc)),
        ("suite", schema_for!(crate::suite::SuiteShape)),
    ]
}
