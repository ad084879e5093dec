//! HW505: recorded runs that took nearly all of their time limit.

use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;
use crate::lint::after::slow;

pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let limit = at.definition.timeout?;
    let per_tool = at.event.subject == Some("tool_name");
    slow(at.times, limit, per_tool && !at.definition.detached).map(|found| found.at(at.handler()))
}
