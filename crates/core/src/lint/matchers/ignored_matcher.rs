//! HW310: a matcher on an event that ignores matchers.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::hook::Subject;

/// Checks for a matcher other than `*` and the empty text, which mean everything.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let (text, span) = at.matcher()?;
    if at.event.subject.is_some() || matches!(text.trim(), "" | "*" | ".*" | "^.*$" | ".+") {
        return None;
    }
    let (event, agent) = (at.event.name, at.agent_name());
    // Some agents match such an event as an empty text.
    let matcher = at.definition.matcher.as_ref();
    let says = match at.agent.dialect.matches(at.event, matcher, &Subject::default(), at.agent.version) {
        Some(false) => {
            format!("{event} has nothing to match, so in {agent} \"{text}\" never matches: this hook never runs")
        }
        _ => format!("{event} has nothing to match, so {agent} ignores \"{text}\": this hook always runs"),
    };
    Some(Diagnostic::new(Code::HW310, says).at(span).with_help("remove the matcher, or test for it in the script"))
}
