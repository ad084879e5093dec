//! The use cases of hookbench. A [`Session`] accepts [`Command`]s and absorbs [`Fact`]s, and answers both with
//! [`Job`]s; the [`Driver`] executes the jobs and reports facts back. The command line and the screen are thin
//! front ends of the session.

#![allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]

mod apart;
mod aside;
mod bench;
pub mod check_syntax;
mod command;
mod comparison;
mod consent;
mod contain;
mod convert;
mod copying;
mod demo;
mod doctor;
pub mod document;
mod driver;
mod fact;
mod files;
mod firing_record;
mod fixtures;
mod git;
mod handed;
mod history;
pub mod impact;
mod import;
mod input;
mod install;
mod installed;
pub mod inventory;
mod job;
mod ladder;
pub mod lint;
pub mod live;
mod matching;
mod misread;
mod open;
mod place;
mod prospect;
mod recordings;
mod rehearsal;
mod remembered;
pub mod replay;
mod resolve;
mod say;
mod scratch;
mod session;
mod shelf;
#[cfg(unix)]
mod signals;
mod state_dir;
mod status;
mod subjects;
pub mod suite;
mod tool_name;
mod user_file;

pub use bench::{Bench, ConsentItem, Origin, Ready, RefusedPayload};
pub use command::Command;
pub use comparison::{Cell, ComparedAgent, ComparedEvent, Comparison, Difference};
pub use consent::{Consent, consent_key};
pub use contain::Containment;
pub use convert::{ConvertError, ConvertRequest, Converted, convert};
pub use demo::Demo;
pub use doctor::examine;
pub use driver::Driver;
pub use fact::Fact;
pub use files::{DiskFiles, Looking};
pub use firing_record::{Entry, EntryKind, FiringId, FiringRecord, LiveStream, RunRecord, RunState};
pub use handed::{Handed, Keys, Started};
pub use history::{Decider, Decision, FiredEvent, History, PastRun, gist, what_of};
pub use hookbench_core::script_keys::{ScriptKey, script_keys};
pub use hookbench_system::runner::kill_every_group;
pub use import::{
    Added, ImportError, ImportReport, LISTED, OwnSession, Progress, Sink, SinkError, SkippedLine, SourceReport,
    UNREADABLE, import, import_file, sessions_of,
};
pub use input::{
    BuiltInput, InputError, InputRequest, Setting, build_input, kind_of, misfit, nearest_event, read_payload,
};
pub use install::{EntryChange, InstallError, InstallRequest, InstallWish, Prepared, prepare};
pub use installed::find_installed;
pub use job::Job;
pub use ladder::{Ladder, LadderParts, ladder, ladder_of_file};
pub use matching::{Asked, Better, Kinds, Recorded, Rematch, write_matcher};
pub use open::{LARGEST_SCREEN, OpenRequest, ScriptRequest, screen_size};
pub use place::{PlaceError, make_place};
pub use prospect::Prospect;
pub use recordings::{
    Direction, ExportError, Incoming, Indexed, Keeping, Mode, Purge, Purged, Row, STORE_FILE, SessionRow, Stat, Store,
    StoreFault, Trouble, export, move_aside, now_ms, open_store, recorded_times,
};
pub use rehearsal::{Given, Stage};
pub use remembered::Remembered;
pub use resolve::{Resolved, ResolvedState, Word, resolve_command};
pub use say::{complain, out};
pub use scratch::{Home, Scratch};
pub use session::{
    AgentState, Everywhere, InAgent, LEFT_OUT, LoadedBy, OtherHooks, PINS, Pin, Problems, Session, SessionOptions,
    There, WatchLoop, WatchOptions, find_problems,
};
pub use shelf::{
    Against, Agreed, Edge, EventList, Holding, Keeper, OfEvent, OperatorCount, Pace, Printed, Question, ReplayOrder,
    ReplayResult, Replays, Shelf, ShelfAsk, ShelfCommand, ShelfNews, ShelfWork, Working, at_length, keep_row,
};
#[cfg(unix)]
pub use signals::ending_signals;
pub use state_dir::{StateDir, StoreError, config_file};
pub use status::Status;
pub use subjects::Subjects;
pub use user_file::{Links, Step, Undone, UndoneFile, WriteError, leads_out, steps, undo};
