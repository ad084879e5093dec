//! What this agent alone does otherwise than the author of a hook has probably meant.

mod conditions;

use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Looked;

/// Remarks on one definition.
pub fn on_one(at: &Looked<'_>) -> Vec<Diagnostic> {
    conditions::look(at)
}
