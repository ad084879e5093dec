//! The JSON Schemas of the documents and of suites.

#[cfg(feature = "schema")]
use crate::document::{
    AgentSessionsDoc, CalibrateDoc, ConvertDoc, DiffDoc, DoctorDoc, EventsDoc, ExplainDoc, FailureDoc, FiringDoc,
    FiringsDoc, GuardListDoc, GuardTryDoc, ImportDoc, InstallDoc, LintDoc, ListDoc, MatchDoc, NewHookDoc, PortableDoc,
    RecipesDoc, RecordedDoc, RecordedEventDoc, RepeatDoc, ReplayDoc, StatsDoc, StressDoc, ToolsDoc, UndoDoc,
    UndoListDoc, WhyDoc,
};

/// The JSON Schema of every document, by the name before the slash in its `schema`. A test generates the files from
/// the types, so that the program is built without the schema generator.
pub const SCHEMAS: [(&str, &str); 34] = [
    ("firing", include_str!("../../../assets/schema/firing.json")),
    ("firings", include_str!("../../../assets/schema/firings.json")),
    ("list", include_str!("../../../assets/schema/list.json")),
    ("why", include_str!("../../../assets/schema/why.json")),
    ("match", include_str!("../../../assets/schema/match.json")),
    ("events", include_str!("../../../assets/schema/events.json")),
    ("tools", include_str!("../../../assets/schema/tools.json")),
    ("import", include_str!("../../../assets/schema/import.json")),
    ("sessions", include_str!("../../../assets/schema/sessions.json")),
    ("doctor", include_str!("../../../assets/schema/doctor.json")),
    ("error", include_str!("../../../assets/schema/error.json")),
    ("convert", include_str!("../../../assets/schema/convert.json")),
    ("portable", include_str!("../../../assets/schema/portable.json")),
    ("install", include_str!("../../../assets/schema/install.json")),
    ("new", include_str!("../../../assets/schema/new.json")),
    ("recipes", include_str!("../../../assets/schema/recipes.json")),
    ("undo", include_str!("../../../assets/schema/undo.json")),
    ("undo-list", include_str!("../../../assets/schema/undo-list.json")),
    ("lint", include_str!("../../../assets/schema/lint.json")),
    ("explain", include_str!("../../../assets/schema/explain.json")),
    ("recorded", include_str!("../../../assets/schema/recorded.json")),
    ("recorded-event", include_str!("../../../assets/schema/recorded-event.json")),
    ("repeat", include_str!("../../../assets/schema/repeat.json")),
    ("replay", include_str!("../../../assets/schema/replay.json")),
    ("replay-row", include_str!("../../../assets/schema/replay-row.json")),
    ("replay-report", include_str!("../../../assets/schema/replay-report.json")),
    ("stats", include_str!("../../../assets/schema/stats.json")),
    ("diff", include_str!("../../../assets/schema/diff.json")),
    ("stress", include_str!("../../../assets/schema/stress.json")),
    ("calibrate", include_str!("../../../assets/schema/calibrate.json")),
    ("guard-list", include_str!("../../../assets/schema/guard-list.json")),
    ("guard-try", include_str!("../../../assets/schema/guard-try.json")),
    ("test", include_str!("../../../assets/schema/test.json")),
    ("suite", include_str!("../../../assets/schema/suite.json")),
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
        ("error", schema_for!(FailureDoc)),
        ("convert", schema_for!(ConvertDoc)),
        ("portable", schema_for!(PortableDoc)),
        ("install", schema_for!(InstallDoc)),
        ("new", schema_for!(NewHookDoc)),
        ("recipes", schema_for!(RecipesDoc)),
        ("undo", schema_for!(UndoDoc)),
        ("undo-list", schema_for!(UndoListDoc)),
        ("lint", schema_for!(LintDoc)),
        ("explain", schema_for!(ExplainDoc)),
        ("recorded", schema_for!(RecordedDoc)),
        ("recorded-event", schema_for!(RecordedEventDoc)),
        ("repeat", schema_for!(RepeatDoc)),
        ("replay", schema_for!(ReplayDoc)),
        ("replay-row", schema_for!(crate::recordings::replay::ReplayRow)),
        ("replay-report", schema_for!(crate::recordings::replay::ReplayReportDoc)),
        ("stats", schema_for!(StatsDoc)),
        ("diff", schema_for!(DiffDoc)),
        ("stress", schema_for!(StressDoc)),
        ("calibrate", schema_for!(CalibrateDoc)),
        ("guard-list", schema_for!(GuardListDoc)),
        ("guard-try", schema_for!(GuardTryDoc)),
        ("test", schema_for!(crate::suite::TestDoc)),
        ("suite", schema_for!(crate::suite::SuiteShape)),
    ]
}
