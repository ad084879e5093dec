//! The machine-readable documents that other programs build on. Their types define the schema.
//!
//! Field names are stable; an incompatible change increments the document's `schema` number.

mod calibrate;
mod convert;
mod diff;
mod doctor;
mod error;
mod events;
mod explain;
mod firing;
mod firings;
mod guard;
mod hook;
mod import;
mod install;
mod lint;
mod list;
mod matching;
mod new_hook;
mod portable;
mod recorded_event;
mod repeat;
mod replay;
mod stats;
mod stress;
mod tools;
mod why;

pub use calibrate::{CalibrateDoc, CalibratedAgentDoc, FailedProbeDoc, ProbeDoc, calibrate_doc};
pub use convert::{ConvertDoc, ConvertedDoc, LOSS_CODE, NoteDoc, convert_doc};
pub use diff::{DiffDoc, DiffSideDoc, diff_doc};
pub use doctor::{AgentHealthDoc, DoctorDoc, ProgramDoc, TerminalDoc, doctor_doc};
pub use error::{FailureDetailDoc, FailureDoc, error_doc};
pub use events::{AgentEventsDoc, EventDoc, EventsDoc, KeyDoc, MappingDoc, events_doc};
pub use explain::{ExplainDoc, TraceDoc, explain_doc, guard_rules_doc, trace_docs};
pub use firing::{FiringDoc, OutcomeDoc, RunDoc, diagnostic_doc, firing_doc, plan_doc, run_doc, untraced_doc};
pub use firings::{
    BasisDoc, FiringsDoc, LeftOutAgentDoc, MissingDoc, basis_doc, firings_doc, left_out_agents, session_doc,
};
pub use guard::{GuardListDoc, GuardTryDoc, guard_list_doc, guard_try_doc};
pub use hook::{DiagnosticDoc, PlanHookDoc, SourceDoc, WhyRuleDoc, hook_doc, plan_hooks};
pub use import::{AgentSessionsDoc, DebugLogDoc, ImportDoc, import_doc, sessions_doc};
pub use install::{
    InstallDoc, InstallFileDoc, ProblemDoc, StandingDoc, UndoDoc, UndoListDoc, install_doc, standing_doc, undo_doc,
    undo_list_doc,
};
pub use lint::{LintDoc, lint_doc};
pub use list::{ListDoc, list_doc};
pub use matching::{MatchAgentDoc, MatchDoc, MatchValueDoc, match_doc};
pub use new_hook::{HookTrialDoc, NewHookDoc, RecipesDoc, new_hook_doc, recipes_doc};
pub use portable::{PortableAnswerDoc, PortableDoc, PortableHookDoc, portable_doc};
pub use recorded_event::{AnswerDoc, MomentDoc, RecordedDoc, RecordedEventDoc, recorded_doc, recorded_event_doc};
pub use repeat::{BareStartDoc, RepeatDoc, RepeatedHookDoc, SpreadDoc, repeat_doc};
pub use replay::{ReplayDoc, ReplayedDoc, replayed_doc};
pub use stats::{BARS, StatsDoc, format_millis, format_share, sparkline, stats_doc};
pub use stress::{CoverageDoc, CoveredKeyDoc, StressDoc, StressRowDoc, StressSummaryDoc, stress_doc};
pub use tools::{AgentToolsDoc, ToolsDoc, tools_doc};
pub use why::{AgentLogDoc, RungDoc, WhyDoc, why_doc};
