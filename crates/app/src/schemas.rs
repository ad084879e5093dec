//! The JSON Schemas of the documents and of suites.

#[cfg(feature = "schema")]
use crate::document::{
    AgentSessionsDoc, CalibrateDoc, ConvertDoc, DiffDoc, DoctorDoc, EventsDoc, ExplainDoc, FailureDoc, FiringDoc,
    FiringsDoc, GuardListDoc, GuardTryDoc, ImportDoc, InstallDoc, LintDoc, ListDoc, MatchDoc, NewHookDoc, PortableDoc,
    RecipesDoc, RecordedDoc, RecordedEventDoc, RepeatDoc, ReplayDoc, StatsDoc, StressDoc, ToolsDoc, UndoDoc,
    UndoListDoc, WhyDoc,
};

macro_rules! schemas {
    ($($name:literal: $document:ty,)*) => {
        /// The JSON Schema of every document, by the name before the slash in its `schema`. A test generates the files from
        /// the types, so that the program is built without the schema generator.
        pub const SCHEMAS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../assets/schema/", $name, ".json")))),*];

        /// The schemas, generated from the types.
        #[cfg(feature = "schema")]
        pub fn generated_schemas() -> Vec<(&'static str, schemars::Schema)> {
            vec![$(($name, schemars::schema_for!($document))),*]
        }
    };
}

schemas! {
    "firing": FiringDoc,
    "firings": FiringsDoc,
    "list": ListDoc,
    "why": WhyDoc,
    "match": MatchDoc,
    "events": EventsDoc,
    "tools": ToolsDoc,
    "import": ImportDoc,
    "sessions": AgentSessionsDoc,
    "doctor": DoctorDoc,
    "error": FailureDoc,
    "convert": ConvertDoc,
    "portable": PortableDoc,
    "install": InstallDoc,
    "new": NewHookDoc,
    "recipes": RecipesDoc,
    "undo": UndoDoc,
    "undo-list": UndoListDoc,
    "lint": LintDoc,
    "explain": ExplainDoc,
    "recorded": RecordedDoc,
    "recorded-event": RecordedEventDoc,
    "repeat": RepeatDoc,
    "replay": ReplayDoc,
    "replay-row": crate::recordings::replay::ReplayRow,
    "replay-report": crate::recordings::replay::ReplayReportDoc,
    "stats": StatsDoc,
    "diff": DiffDoc,
    "stress": StressDoc,
    "calibrate": CalibrateDoc,
    "guard-list": GuardListDoc,
    "guard-try": GuardTryDoc,
    "test": crate::suite::TestDoc,
    "suite": crate::suite::SuiteShape,
}
