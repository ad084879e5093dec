//! Every user-visible action, as data.

use crate::firing_record::FiringId;
use crate::lint::FileChange;
use hookbench_core::run::RunId;

/// What a face may ask of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Read all configuration (again).
    Reload,
    /// Put another agent on the bench.
    ChooseAgent(&'static str),
    /// Put another event on the bench, with its first template.
    ChooseEvent(String),
    /// Take the template of that number for the current event.
    TakeTemplate(usize),
    /// Set one field: a path with dots or a JSON pointer, and JSON or text.
    SetField { path: String, text: String },
    /// Replace the whole payload by this text.
    SetPayload(String),
    /// Take back the last change of the payload.
    UndoPayload,
    /// Make the change that was taken back again.
    RedoPayload,
    /// Run the hooks of the current event.
    Fire,
    /// Forget what earlier events mean for the next one.
    NewSession,
    /// Run the hooks of the current event in every agent that has it.
    FireEverywhere,
    /// Leave an agent out of what is fired everywhere, or take it in again.
    ToggleCompared(&'static str),
    /// Put the event on the bench as it is in that agent.
    TakeThere(&'static str),
    /// Yes: the commands that are listed may run, now and later.
    GiveConsent,
    /// No.
    WithholdConsent,
    /// What a hook that only the agent could run would have answered.
    Answer { firing: FiringId, run: RunId, text: String },
    /// End what is running.
    Cancel,
    /// Pin the event on the bench, or take its pin off.
    TogglePin,
    /// Put a pinned event on the bench.
    UsePin(usize),
    /// Fire pinned events again whenever a hook's files are saved; or no longer.
    ArmAutoFire(bool),
    /// Keep the next firings apart from the project and the home folder; or no longer.
    Contain(bool),
    /// Put the event of an earlier firing on the bench.
    Recall(FiringId),
    /// Leave a hook out of the next run, or take it in again.
    ToggleHook(String),
    /// Decide a finished firing again as if this run had ended so and printed this.
    WhatIf { firing: FiringId, run: RunId, code: i32, stdout: String },
    /// Write files of the user, as they were shown.
    WriteFiles(Vec<FileChange>),
    /// Give a hook, and those that share its group, another matcher: as it was shown, and no other.
    SetMatcher(Box<super::matching::Rematch>),
    /// Find out what a change of a matcher would come to for the recorded events, before it is written.
    Foresee(Box<super::matching::Rematch>),
    /// Take back the last change of a file of the user.
    UndoWrite,
    /// Something about the live path.
    Live(super::live::LiveWish),
    /// Something about recorded events.
    Shelf(super::shelf::ShelfCommand),
}

impl Command {
    /// Its name, without what it carries.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Reload => "Reload",
            Command::ChooseAgent(_) => "ChooseAgent",
            Command::ChooseEvent(_) => "ChooseEvent",
            Command::TakeTemplate(_) => "TakeTemplate",
            Command::SetField { .. } => "SetField",
            Command::SetPayload(_) => "SetPayload",
            Command::UndoPayload => "UndoPayload",
            Command::RedoPayload => "RedoPayload",
            Command::Fire => "Fire",
            Command::NewSession => "NewSession",
            Command::FireEverywhere => "FireEverywhere",
            Command::ToggleCompared(_) => "ToggleCompared",
            Command::TakeThere(_) => "TakeThere",
            Command::GiveConsent => "GiveConsent",
            Command::WithholdConsent => "WithholdConsent",
            Command::Answer { .. } => "Answer",
            Command::Cancel => "Cancel",
            Command::TogglePin => "TogglePin",
            Command::UsePin(_) => "UsePin",
            Command::ArmAutoFire(_) => "ArmAutoFire",
            Command::Contain(_) => "Contain",
            Command::Recall(_) => "Recall",
            Command::ToggleHook(_) => "ToggleHook",
            Command::WhatIf { .. } => "WhatIf",
            Command::WriteFiles(_) => "WriteFiles",
            Command::SetMatcher(_) => "SetMatcher",
            Command::Foresee(_) => "Foresee",
            Command::UndoWrite => "UndoWrite",
            Command::Live(_) => "Live",
            Command::Shelf(_) => "Shelf",
        }
    }
}
