//! Calibration: compares sessions of the installed agent, with known hooks, and the predictions of the rules.
//! Everything here only computes; the caller writes the files, runs the agent and fires the prediction.

mod compare;
mod firings;
mod hook_log;
mod new_fact;
mod probe_files;
mod probe_set;
mod program_tables;
mod survey;

pub use compare::{Difference, PredictedFiring, SessionEvidence, cited_rules, compare_firing, marks_of_outcome};
pub(crate) use compare::{different_values, list_hooks, told_parts, value_text};
pub use firings::{SeenFiring, group_firings};
pub use hook_log::{NotedRun, read_hook_log};
pub use new_fact::{FactKind, NewFact, news_sentence};
pub use probe_files::{KEEPER, LOG_FILE, Probe, ProbeDirectories, ProbeFile, TOOL_OUTPUT, probe_files};
pub use probe_set::{ProbeError, ProbeSet, UnreachableRule, read_probes};
pub use program_tables::{PayloadKeys, ProgramTables};
pub use survey::{Survey, SurveyEvidence, SurveyReading, declared_names};
