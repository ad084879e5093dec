//! HW310: a matcher on an event that has nothing to match.

use crate::diagnostic::Diagnostic;
use crate::dialects::Looked;

/// A matcher that says something, where the event is about nothing. `*` and the empty text say that all is meant.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let (text, span) = at.matcher()?;
    if at.event.subject.is_some() || matches!(text.trim(), "" | "*" | ".*" | "^.*$" | ".+") {
        return None;
    }
    let says = format!("{} has no subject, so {} ignores \"{text}\": this hook always runs", at.event.name, at.agent());
    Some(Diagnostic::warning("HW310", says).at(span).help("remove the matcher, or test for it in the script"))
}
