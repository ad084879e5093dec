//! HW107: a file that looks like hook configuration, and that the agent does not read.

use crate::core::config::NotLoaded;
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Whole;

/// What the agent's reader has come across.
pub(super) fn look(at: &Whole<'_>) -> Vec<Diagnostic> {
    let agent = at.dialect.name();
    let of = |file: &NotLoaded| {
        Diagnostic::warning("HW107", format!("{agent} does not read this file: {}", file.says))
            .in_file(file.file.clone())
            .help("move the hooks into a file that it reads, or delete this one")
    };
    at.loaded.not_loaded.iter().map(of).collect()
}
