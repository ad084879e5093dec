//! The use cases of hookbench. A [`Session`] accepts [`Command`]s and absorbs [`Fact`]s, and answers both with
//! [`Job`]s; the [`Driver`] executes the jobs and reports facts back. The command line and the screen are thin
//! front ends of the session.
//!
//! A module may use only the modules before it in this order: `disk`, `environment`, `model`, `firing`, `recordings`,
//! `guards`, `analysis`, `live`, `stress`, `calibration`, `verification`, `session`, `execution`, `driver`, `setup`, `views`, `document`, `suite`, `schemas`, `settings_schema`, `shared_page`,
//! `open_request`.

#![allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]

mod analysis;
mod calibration;
mod disk;
pub mod document;
mod driver;
mod environment;
mod execution;
mod firing;
pub mod guards;
pub mod live;
mod model;
mod open_request;
mod recordings;
pub mod schemas;
mod session;
pub mod settings_schema;
mod setup;
mod shared_page;
mod stress;
pub mod suite;
mod verification;
mod views;

pub use analysis::ladder::{Ladder, LadderParts, TrustedCause, ladder, ladder_of_file};
pub use analysis::launch_preview::LaunchPreview;
pub use analysis::matching::{MatcherAssessment, MatcherChange, ScoredSuggestion, write_matcher};
pub use analysis::new_hook::trial::{HookToWrite, HookTrial, TrialPlace, TrialResult};
pub use analysis::new_hook::{NewHook, NewHookError, agents_of_project, installed_version, prepare_hook};
pub use analysis::resolve::{ResolvedCommand, ResolvedState, ResolvedWord, resolve_command};
pub use analysis::subjects::SubjectMatches;
pub use analysis::{lint, syntax_check};
pub use calibration::{
    CalibrationEnd, CalibrationFindings, CalibrationProgress, CalibrationRequest, CalibrationResult, CalibrationStep,
    CalibrationUpdate, DifferentProbe, ObservedDifference, ProbeOutcome, ProbeResult, SESSION_LIMIT,
    SESSIONS_AT_A_TIME, SilentProbe, calibrate, differ_words, read_calibrations, read_findings, store_calibration,
};
pub use disk::copy_size::{allow_large_copies, copy_limit, large_copy_question};
pub use disk::demo::{Demo, remember_tour, tour_is_over};
pub use disk::files::{DiskFiles, io_cause};
pub use disk::program_search::find_on_path;
pub use disk::scratch::{Home, ScratchDirectories, create_owned_directory, remove_abandoned_directories};
pub use disk::state_dir::{StateDir, StateError, config_file};
pub use disk::user_file::{
    LinkPolicy, UndoStep, UndoneFile, UndoneStep, WriteError, next_undo, outside_target, steps, undo, write_all,
};
pub use driver::Driver;
pub use driver::event_list::{EventStoreThread, EventStoreWorker, keep_row, run_long_job};
pub use environment::console::{ExitStatus, discard_typed_input, terminal_size, write_stderr, write_stdout};
pub use environment::hook_environment::ChosenEnvironment;
pub use environment::installed_agents::{Installation, InstalledProgram, find_installed, find_program};
pub use environment::place::{PlaceError, make_place};
pub use environment::saved_layout::SavedLayout;
#[cfg(unix)]
pub use environment::signals::ending_signals;
pub use execution::{bare_command, measure_bare_starts, run_stress, try_hook};
pub use firing::approval::{
    Consent, ConsentCommand, ConsentCommands, ConsentItem, REMEMBERED, commands_by_place, commands_to_approve,
    consent_key, consent_notes, masked_value, shell_quoted, start_line,
};
pub use firing::containment::{Containment, isolation_warning};
pub use firing::history::{Decider, FiredEvent, History, PastDecision, PastRun, gist, is_minor_key, recorded_gist};
pub use firing::input::{
    BuiltInput, FieldSetting, InputError, InputRequest, build_input, field_problem, kind_of, read_payload,
};
pub use firing::record::{
    FiringId, FiringRecord, LEFT_OUT, RunRecord, RunState, StreamBuffer, StreamEntry, StreamEntryKind, is_forwarding,
};
pub use firing::setup::{CannedReports, FiringSetup};
pub use hookbench_core::script_keys::{Grammar, ScriptKey, WordKind, key_paths, read_keys};
pub use hookbench_system::disk::canonical;
pub use hookbench_system::runner::{any_group_is_live, kill_every_group};
pub use hookbench_system::watch::{WatchReport, Watcher, watch};
pub use model::{ConfiguredModel, ModelAccess, ModelHealth, OwnModelAnswer, configured_model, measure_model};
pub use open_request::{LARGEST_SCREEN, OpenRequest, ScriptRequest, screen_size};
pub use recordings::debug_logs::{DebugLogFile, debug_logs, remember_debug_logs};
pub use recordings::demo_day::store_demo_day;
pub use recordings::event_list::{
    ApprovedCommand, EventListCommand, EventListScope, EventReplay, EventStoreRequest, EventStoreResponse,
    LongJobProgress, OperatorCount, OutputChange, PageEdge, ReplayOrder, ReplayPace, ReplayQuestion, ReplayResult,
    ReplaySelection, ReplayTarget,
};
pub use recordings::hook_stats::{ConfiguredHook, HookStats, TimeSummary, hook_stats};
pub use recordings::impact;
pub use recordings::import::{
    AgentSession, ImportCounts, ImportError, ImportProgress, ImportReport, MAX_LISTED, Sink, SinkError, SkippedLine,
    SourceReport, UNREADABLE, import, import_file, sessions_of,
};
pub use recordings::moment::{EventMoment, moment_of};
pub use recordings::run_diff::{PayloadKeyChange, RunDiff, TimeChange, payload_changes};
pub use recordings::run_log::{OpenedRun, RunLogSettings, configured_run_log, log_hint_is_over, remember_log_hint};
pub use recordings::store::{
    EventListRow, ExportError, ExportReport, IndexProgress, ListDirection, NewEvent, OpenMode, PurgeResult, PurgeScope,
    STORE_FILE, SessionRow, Store, StoreError, StoreErrorKind, StoreSink, StoreStats, SubjectCount, SubjectCounts,
    export, move_aside, now_ms, open_store, recorded_times,
};
pub use session::bench::{Bench, BenchPayload, HookCounts, InvalidPayload, PayloadOrigin};
pub use session::command::Command;
pub use session::fact::Fact;
pub use session::job::Job;
pub use session::task::{Task, TaskKind, TaskUpdate};
pub use session::{
    AgentEvent, AgentState, AutoFire, CrossAgentEvent, EventListState, EventListWindow, EventStoreState, HookFacts,
    LogAccount, OtherHooks, PINS, Pin, PlannedAgentEvent, Problems, ScriptText, Session, SessionEffect, SessionOptions,
    SessionSettings, SessionUpdate, StressTest, WatchOptions,
};
pub use setup::convert::{ConversionResult, ConvertError, ConvertRequest, convert};
pub use setup::doctor::{OwnFile, examine};
pub use setup::guard_install::{
    GuardHook, GuardInstall, GuardInstallRequest, InstalledGuard, SkippedGuard, guard_hooks, prepare_guards,
};
pub use setup::install::{
    EntryChange, FileInstall, InstallAction, InstallError, InstallRequest, PreparedInstall, SettingsFileError, prepare,
};
pub use setup::plugin::{PluginInstall, prepare_plugin};
pub use shared_page::{MarkdownWriter, SharedPage};
pub use stress::{
    LintTrial, PayloadFault, StressParts, StressReport, StressRequest, StressUpdate, VariantResult, VariantRow,
    WorldCondition, WorldResult, WorldRow,
};
pub use verification::{VerificationRequest, VerificationUpdate};
pub use views::comparison::{
    AgentDifference, ComparedAgent, ComparedEvent, Comparison, DifferenceCell, DifferenceKind,
};
pub use views::inventory;
pub use views::inventory::{DivergentHook, SharedFile, SharedFileReader, shared_file, shared_files};
pub use views::portability::PortableHook;
pub use views::process_inputs::{KeyDifferences, LaunchSummary, ProcessInput};
pub use views::repeated_firing::{RepeatedHook, TimeSpread, add_firing};
pub use views::theme_colours::{DARK_COLOURS, LIGHT_COLOURS};

/// Replays of recorded events: what is compared, and how the events are fired.
pub mod replay {
    pub use crate::execution::{
        AT_ONCE, ConcurrentReplay, IndexedReplay, ReadyEvent, ReplayError, Replayer, WaitPolicy,
    };
    pub use crate::recordings::replay::*;
}
