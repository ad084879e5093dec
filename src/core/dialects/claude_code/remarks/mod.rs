//! What this agent alone does otherwise than the author of a hook has probably meant.

mod conditions;
mod permissions;
mod plugins;

pub use permissions::not_lifted;

use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::{Looked, Whole};

/// Remarks on one definition.
pub fn on_one(at: &Looked<'_>) -> Vec<Diagnostic> {
    conditions::look(at)
}

/// Remarks on everything that was loaded.
pub fn on_all(at: &Whole<'_>) -> Vec<Diagnostic> {
    plugins::look(at)
}
