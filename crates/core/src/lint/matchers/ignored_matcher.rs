//! HW310: a matcher on an event that ignores matchers.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;

/// Checks for a matcher other than `*` and the empty text, which mean everything.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let (text, span) = at.matcher()?;
    if at.event.subject.is_some() || matches!(text.trim(), "" | "*" | ".*" | "^.*$" | ".+") {
        return None;
    }
    let says = format!(
        "{} has nothing to match, so {} ignores \"{text}\": this hook always runs",
        at.event.name,
        at.agent_name()
    );
    Some(Diagnostic::new(Code::HW310, says).at(span).with_help("remove the matcher, or test for it in the script"))
}
