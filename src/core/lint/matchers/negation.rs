//! HW317: a negation that is not anchored, and so holds somewhere in every name.

use super::subject::{Matcher, is_name};
use crate::core::diagnostic::{Diagnostic, Fix};
use crate::core::text::quoted;

/// `(?!Bash).*` lets Bash pass: from its second letter on it is something else.
pub(super) fn look(matcher: &Matcher<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    let (_, rest) = text.split_once("(?!")?;
    let inside = rest.split(')').next()?.trim_matches(['^', '$', '(']);
    let inside = inside.strip_prefix("?:").unwrap_or(inside);
    let known = matcher.known();
    let name = |part: &str| Some(matcher.meant(part)).filter(|id| is_name(part) && known.contains(&id.as_str()));
    let passes = inside.split('|').filter_map(name).find(|id| matcher.lets(id) == Some(true))?;
    let says =
        format!("the negation in \"{text}\" is not anchored, so it matches {passes} too, from its second letter on");
    let mut found = Diagnostic::warning("HW317", says).at(matcher.span);
    let end = if text.ends_with(".*") { "$" } else { "" };
    let anchored = format!("^{text}{end}");
    found = found.help(format!("anchor it: {anchored}"));
    if matcher.would(&anchored, &passes) == Some(false) {
        found = found.fix(Fix::proposal(matcher.span, quoted(&anchored)));
    } else {
        found.help = Some("write the negation at the beginning: ^(?!…).*$".to_owned());
    }
    Some(found)
}
