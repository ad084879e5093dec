//! HW313: spaces around `|` that are part of the names.

use super::subject::{Matcher, is_name};
use crate::diagnostic::{Diagnostic, Fix};
use crate::text::quoted;

/// Checks for a list that would match more without its spaces.
pub(super) fn look(matcher: &Matcher<'_>) -> Option<Diagnostic> {
    let text = matcher.text;
    let parts: Vec<&str> = text.split('|').map(str::trim).collect();
    let clean = parts.join("|");
    if clean == text {
        return None;
    }
    let lost = |value: &str| matcher.lets(value) == Some(false) && matcher.would(&clean, value) == Some(true);
    let own = parts.iter().filter(|part| is_name(part)).map(|part| matcher.meant(part));
    let dead = own.chain(matcher.known().into_iter().map(str::to_owned)).find(|value| lost(value))?;
    let says = format!("the blanks in \"{text}\" are part of what is compared, so it never matches {dead}");
    let found = Diagnostic::warning("HW313", says).at(matcher.span).help(format!("write {clean}"));
    Some(found.fix(Fix::safe(matcher.span, quoted(&clean))))
}
