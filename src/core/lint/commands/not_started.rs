//! HW401, HW402, HW415: a command that cannot be started.

use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Looked;

/// What the shell would say, said before.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let start = at.start?;
    let says = format!("this command cannot be started: {}", start.says);
    let found = match start.status? {
        // Another machine may have it.
        127 if start.by_name => Diagnostic::warning("HW415", says).help("install it, or test for it in the script"),
        127 => Diagnostic::error("HW401", says).help("mend the path"),
        126 => Diagnostic::error("HW402", says).help("chmod +x, or name the interpreter before the script"),
        _ => return None,
    };
    Some(found.at(at.handler()))
}
