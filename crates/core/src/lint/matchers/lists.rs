//! HW312, HW320: a list of names with a separator other than `|`.

use super::matcher_context::{MatcherContext, is_name};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::text::quote_literal;

/// Checks for `Bash,Edit`, `Bash Edit`, `Bash;Edit` and `Bash or Edit`, where the agent reads this as one name or
/// pattern.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    let commas = text.contains(',');
    let separates =
        |c: char| c == '|' || if commas { c == ',' } else { matches!(c, ';' | '&' | '+') || c.is_whitespace() };
    let word = |part: &&str| !part.is_empty() && (commas || !matches!(*part, "or" | "and" | "OR" | "AND"));
    let parts: Vec<&str> = text.split(separates).map(str::trim).filter(word).collect();
    if parts.len() < 2 || !parts.iter().all(|part| is_name(part)) || parts.join("|") == text {
        return None;
    }
    let joined = matcher.at.agent.dialect.settings_format().any_of(&parts);
    let meant: Vec<String> = parts.iter().map(|part| matcher.resolve_name(part)).collect();
    // For other subjects, a name with a space may be a name that the user has chosen.
    let known = matcher.known();
    if !commas && !meant.iter().all(|value| known.contains(&value.as_str())) {
        return None;
    }
    let would = |value: &String| matcher.would_match(&joined, value) == Some(true);
    if meant.iter().any(|value| matcher.matches(value) != Some(false)) || !meant.iter().any(would) {
        return None;
    }
    let agent = matcher.at.agent_name();
    let (code, says) = if commas {
        (
            Code::HW312,
            format!("{agent} does not split names at commas, so \"{text}\" never matches {}", meant.join(" or ")),
        )
    } else {
        (Code::HW320, format!("{agent} reads \"{text}\" as one name, so it never matches {}", meant.join(" or ")))
    };
    let found = Diagnostic::new(code, says).at(matcher.span).with_help(format!("separate names with |: {joined}"));
    Some(found.with_fix(Fix::proposal(matcher.span, quote_literal(&joined))))
}
