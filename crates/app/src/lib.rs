//! The use cases of hookbench. A [`Session`] accepts [`Command`]s and absorbs [`Fact`]s, and answers both with
//! [`Job`]s; the [`Driver`] executes the jobs and reports facts back. The command line and the screen are thin
//! front ends of the session.

#![allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]

mod bench;
mod command;
mod comparison;
mod consent;
mod console;
mod containment;
mod convert;
mod copying;
mod demo;
mod doctor;
pub mod document;
mod driver;
mod event_list;
mod exit_status;
mod fact;
mod files;
mod firing_record;
mod git;
mod helper_process;
mod history;
pub mod impact;
mod import;
mod input;
mod install;
mod installed_agents;
pub mod inventory;
mod job;
mod ladder;
mod launch_preview;
pub mod lint;
pub mod live;
mod matching;
mod open_request;
mod pending_containment;
mod place;
mod process_inputs;
mod recorded_secrets;
mod recordings;
pub mod replay;
mod resolve;
mod saved_layout;
mod scratch;
mod session;
#[cfg(unix)]
mod signals;
mod single_firing;
mod state_dir;
mod subjects;
pub mod suite;
pub mod syntax_check;
mod tool_name;
mod unsent_values;
mod user_file;

pub use bench::{Bench, ConsentItem, HookCounts, InvalidPayload, PayloadOrigin};
pub use command::Command;
pub use comparison::{AgentDifference, ComparedAgent, ComparedEvent, Comparison, DifferenceCell};
pub use consent::{Consent, consent_key};
pub use console::{write_stderr, write_stdout};
pub use containment::Containment;
pub use convert::{ConversionResult, ConvertError, ConvertRequest, convert};
pub use demo::Demo;
pub use doctor::examine;
pub use driver::Driver;
pub use event_list::{
    ApprovedCommand, EventListCommand, EventListState, EventListWindow, EventReplay, EventStoreRequest,
    EventStoreResponse, EventStoreState, EventStoreThread, EventStoreWorker, LongJobProgress, OperatorCount,
    OutputChange, PageEdge, ReplayOrder, ReplayPace, ReplayQuestion, ReplayResult, ReplaySelection, ReplayTarget,
    keep_row, run_long_job,
};
pub use exit_status::ExitStatus;
pub use fact::Fact;
pub use files::DiskFiles;
pub use firing_record::{FiringId, FiringRecord, RunRecord, RunState, StreamBuffer, StreamEntry, StreamEntryKind};
pub use history::{Decider, FiredEvent, History, PastDecision, PastRun, gist, recorded_gist};
pub use hookbench_core::script_keys::{ScriptKey, script_keys};
pub use hookbench_system::runner::kill_every_group;
pub use import::{
    AgentSession, ImportCounts, ImportError, ImportProgress, ImportReport, MAX_LISTED, Sink, SinkError, SkippedLine,
    SourceReport, UNREADABLE, import, import_file, sessions_of,
};
pub use input::{
    BuiltInput, FieldSetting, InputError, InputRequest, build_input, field_problem, kind_of, nearest_event,
    read_payload,
};
pub use install::{EntryChange, InstallAction, InstallError, InstallRequest, PreparedInstall, prepare};
pub use installed_agents::find_installed;
pub use job::Job;
pub use ladder::{Ladder, LadderParts, ladder, ladder_of_file};
pub use launch_preview::LaunchPreview;
pub use matching::{MatcherAssessment, MatcherChange, ScoredSuggestion, SubjectCount, SubjectCounts, write_matcher};
pub use open_request::{LARGEST_SCREEN, OpenRequest, ScriptRequest, screen_size};
pub use place::{PlaceError, make_place};
pub use process_inputs::{KeyDifferences, LaunchSummary, ProcessInput};
pub use recordings::{
    EventListRow, ExportError, IndexProgress, ListDirection, NewEvent, OpenMode, PurgeResult, PurgeScope, STORE_FILE,
    SessionRow, Store, StoreError, StoreErrorKind, StoreSink, StoreStats, export, move_aside, now_ms, open_store,
    recorded_times,
};
pub use resolve::{ResolvedCommand, ResolvedState, ResolvedWord, resolve_command};
pub use saved_layout::SavedLayout;
pub use scratch::{Home, ScratchFolders};
pub use session::{
    AgentEvent, AgentState, AutoFire, CrossAgentEvent, LEFT_OUT, OtherHooks, PINS, Pin, PlannedAgentEvent, Problems,
    Session, SessionEffect, SessionOptions, SessionUpdate, WatchOptions,
};
#[cfg(unix)]
pub use signals::ending_signals;
pub use single_firing::{CannedReports, FiringSetup};
pub use state_dir::{StateDir, StateError, config_file};
pub use subjects::SubjectMatches;
pub use user_file::{LinkPolicy, UndoStep, UndoneFile, UndoneStep, WriteError, outside_target, steps, undo};
