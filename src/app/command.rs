//! Every user-visible action, as data.

use crate::app::firing_record::FiringId;
use crate::core::run::RunId;

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
    /// Yes: the commands that are listed may run, now and later.
    GiveConsent,
    /// No.
    WithholdConsent,
    /// What a hook that only the agent could run would have answered.
    Answer { firing: FiringId, run: RunId, text: String },
    /// End what is running.
    Cancel,
}
