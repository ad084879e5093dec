//! Every user-visible action, as data.

use crate::analysis::lint::FileChange;
use crate::analysis::new_hook::trial::HookToWrite;
use crate::firing::record::FiringId;
use crate::session::options::SessionSettings;
use hookbench_core::config::EnvironmentSource;
use hookbench_core::names::AgentId;
use hookbench_core::run::RunId;

/// A command that the command line or the screen sends to the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Apply the user's settings.
    Configure(Box<SessionSettings>),
    /// Read all configuration again.
    Reload,
    /// Put another agent on the bench.
    ChooseAgent(AgentId),
    /// Put another event on the bench, with its first template.
    ChooseEvent(String),
    /// Use the template with this index for the current event.
    UseTemplate(usize),
    /// Set one field, given as a dotted path or a JSON pointer, to JSON or text.
    SetField { path: String, text: String },
    /// Replace the whole payload by this text.
    SetPayload(String),
    /// Replace the whole payload by this pasted text.
    PastePayload(String),
    /// Undo the last change of the payload.
    UndoPayload,
    /// Redo the change that was undone.
    RedoPayload,
    /// Run the hooks of the current event.
    Fire,
    /// Start a new session, so that earlier events no longer affect the next one.
    NewSession,
    /// Run the hooks of the current event in every agent that has it.
    FireEverywhere,
    /// Exclude an agent from firing in all agents, or include it again.
    ToggleCompared(AgentId),
    /// Put the event on the bench as that agent has it.
    UseEventOf(AgentId),
    /// Allow the listed commands to run, now and later.
    GiveConsent,
    /// Do not allow the listed commands to run.
    RefuseConsent,
    /// Supply the answer of a hook that only the agent could run.
    Answer { firing: FiringId, run: RunId, text: String },
    /// Let the user's model answer for a hook that only the agent's model could answer. `allowed` is true if the user has
    /// agreed to it now.
    AskModel { firing: FiringId, run: RunId, allowed: bool },
    /// Cancel what is running.
    Cancel,
    /// Pin the event on the bench, or unpin it.
    TogglePin,
    /// Put a pinned event on the bench.
    UsePin(usize),
    /// Turn on or off firing pinned events again whenever a hook's file is saved.
    SetAutoFire(bool),
    /// Turn on or off containment: the next firings run in a copy of the project with a scratch home.
    SetContained(bool),
    /// Treat the project as trusted and its hooks as reviewed, or use the trust that the agents have recorded.
    AssumeTrust(bool),
    /// Run hooks with this environment.
    UseEnvironment(EnvironmentSource),
    /// Put the event of an earlier firing on the bench.
    UsePastRun(FiringId),
    /// Handle the end of an editor in which a file of a hook was open.
    EditorClosed { changed: bool },
    /// Exclude a hook from the next run, or include it again.
    ToggleHook(String),
    /// Decide a finished firing again as if this run had exited with this code and printed this output.
    WhatIf { firing: FiringId, run: RunId, code: i32, stdout: String },
    /// Start a stress test of a hook, in a copy of the project unless `in_place` is set.
    Stress { hook: String, in_place: bool },
    /// Run a hook once, in a copy of the project, and judge its answer with the findings of lint.
    TryHook(String),
    /// Stop the stress test.
    StopStress,
    /// Run the probes of an installed agent, all or the quick ones.
    Calibrate { agent: AgentId, quick: bool },
    /// Stop the calibration.
    StopCalibration,
    /// Read the debug logs that the agent on the bench wrote in this project.
    ReadDebugLogs,
    /// Fire the event on the bench here and in the installed agent, and compare. `insists` allows a tool that can do harm
    /// to run where the agent cannot be isolated.
    Verify { insists: bool },
    /// Write the user's files exactly as they were previewed.
    WriteFiles(Vec<FileChange>),
    /// Write a new hook exactly as previewed, and fire its examples.
    WriteHook(Box<HookToWrite>),
    /// Compute what a change of a matcher would mean for the recorded events, before it is written.
    PreviewMatcher(Box<crate::analysis::matching::MatcherChange>),
    /// Show the patch of an undo of the last change of a user's file.
    ShowUndo,
    /// Undo the last change of a user's file.
    UndoWrite,
    /// A command for the live path.
    Live(crate::live::LiveRequest),
    /// Read the guards' findings, or judge one.
    Guards(crate::guards::GuardsRequest),
    /// A command for the recorded events.
    EventList(crate::recordings::event_list::EventListCommand),
}

impl Command {
    /// The name of the command, without its data.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Configure(_) => "Configure",
            Command::Reload => "Reload",
            Command::ChooseAgent(_) => "ChooseAgent",
            Command::ChooseEvent(_) => "ChooseEvent",
            Command::UseTemplate(_) => "UseTemplate",
            Command::SetField { .. } => "SetField",
            Command::SetPayload(_) => "SetPayload",
            Command::PastePayload(_) => "PastePayload",
            Command::UndoPayload => "UndoPayload",
            Command::RedoPayload => "RedoPayload",
            Command::Fire => "Fire",
            Command::NewSession => "NewSession",
            Command::FireEverywhere => "FireEverywhere",
            Command::ToggleCompared(_) => "ToggleCompared",
            Command::UseEventOf(_) => "UseEventOf",
            Command::GiveConsent => "GiveConsent",
            Command::RefuseConsent => "RefuseConsent",
            Command::Answer { .. } => "Answer",
            Command::AskModel { .. } => "AskModel",
            Command::Cancel => "Cancel",
            Command::TogglePin => "TogglePin",
            Command::UsePin(_) => "UsePin",
            Command::SetAutoFire(_) => "SetAutoFire",
            Command::SetContained(_) => "SetContained",
            Command::AssumeTrust(_) => "AssumeTrust",
            Command::UseEnvironment(_) => "UseEnvironment",
            Command::UsePastRun(_) => "UsePastRun",
            Command::EditorClosed { .. } => "EditorClosed",
            Command::ToggleHook(_) => "ToggleHook",
            Command::WhatIf { .. } => "WhatIf",
            Command::Stress { .. } => "Stress",
            Command::TryHook(_) => "TryHook",
            Command::StopStress => "StopStress",
            Command::Calibrate { .. } => "Calibrate",
            Command::StopCalibration => "StopCalibration",
            Command::ReadDebugLogs => "ReadDebugLogs",
            Command::Verify { .. } => "Verify",
            Command::WriteFiles(_) => "WriteFiles",
            Command::WriteHook(_) => "WriteHook",
            Command::PreviewMatcher(_) => "PreviewMatcher",
            Command::ShowUndo => "ShowUndo",
            Command::UndoWrite => "UndoWrite",
            Command::Live(_) => "Live",
            Command::Guards(_) => "Guards",
            Command::EventList(_) => "EventList",
        }
    }
}
