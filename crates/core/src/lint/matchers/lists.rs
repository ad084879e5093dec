//! HW312, HW313, HW314, HW319, HW320: names with wrong characters between or around them.

use super::matcher_context::{MatcherContext, is_name};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::matcher::{WrittenNames, alternatives, server_tools_in};
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

/// HW313: spaces around `|` that are part of the names.
/// Checks for a list that would match more without its spaces.
pub(super) fn check_spaces(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text;
    let clean = without_outer_spaces(text);
    if clean == text {
        return None;
    }
    let lost = |value: &str| matcher.matches(value) == Some(false) && matcher.would_match(&clean, value) == Some(true);
    let own = WrittenNames::of(&clean).names.into_iter().map(|name| matcher.resolve_name(name.text));
    let servers = matcher.tools().map(|tools| server_tools_in(&clean, tools)).unwrap_or_default();
    let known = matcher.known().into_iter().map(str::to_owned);
    let dead = own.chain(known).chain(servers).find(|value| lost(value))?;
    let says = format!("the spaces in \"{text}\" are part of the names, so it never matches {dead}");
    let found = Diagnostic::new(Code::HW313, says).at(matcher.span).with_help(format!("write {clean}"));
    Some(found.with_fix(Fix::safe(matcher.span, quote_literal(&clean))))
}

/// The matcher without the spaces at its ends and beside bars, brackets and anchors. No name of a list begins or ends
/// with a space.
fn without_outer_spaces(text: &str) -> String {
    // In a class, a space is a character like any other.
    if text.contains('[') {
        return text.trim().to_owned();
    }
    let beside = |c: char| matches!(c, '|' | '(' | ')' | '^' | '$');
    let mut clean = String::with_capacity(text.len());
    let mut spaces = String::new();
    for c in text.trim().chars() {
        if c == ' ' {
            spaces.push(c);
            continue;
        }
        if !beside(c) && !clean.ends_with(beside) {
            clean.push_str(&spaces);
        }
        spaces.clear();
        clean.push(c);
    }
    clean
}

/// A value that no agent has.
const UNKNOWN_VALUE: &str = "zz-nobody-zz";

/// HW314: a `|` with nothing on one side.
/// Checks for an empty alternative that makes the matcher match everything, or nothing.
pub(super) fn check_empty_alternative(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    let stray = text.starts_with('|') || text.contains("||") || (text.ends_with('|') && !text.ends_with("\\|"));
    if !stray {
        return None;
    }
    let parts: Vec<&str> = alternatives(text).into_iter().filter(|part| !part.trim().is_empty()).collect();
    let clean = parts.join("|");
    let everything = matcher.matches(UNKNOWN_VALUE) == Some(true);
    let says = if clean.is_empty() {
        let what = if everything { "it matches everything" } else { "it never matches" };
        format!("\"{text}\" contains no name, so {what}")
    } else if everything && matcher.would_match(&clean, UNKNOWN_VALUE) == Some(false) {
        format!("one side of a | in \"{text}\" is empty, and an empty pattern matches everything")
    } else {
        let lost =
            |value: &&&str| matcher.matches(value) == Some(false) && matcher.would_match(&clean, value) == Some(true);
        let known = matcher.known();
        let dead = known.iter().find(lost)?;
        format!("one side of a | in \"{text}\" is empty, so it never matches {dead}")
    };
    let found = Diagnostic::new(Code::HW314, says).at(matcher.span);
    if clean.is_empty() {
        return Some(found.with_help("write the names to match, or * for everything"));
    }
    Some(found.with_help(format!("write {clean}")).with_fix(Fix::proposal(matcher.span, quote_literal(&clean))))
}

/// HW319: a pattern between slashes, or an expression instead of a pattern.
/// Checks for `/Bash/` and `tool == "Bash"`, where the characters around the name are part of the pattern.
pub(super) fn check_delimiters(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    let slashes = between_slashes(text).map(str::to_owned);
    let expression = || {
        let speaks = text.contains("==") || text.contains('"') || text.contains('\'') || text.contains('`');
        let names: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        let known: Vec<&str> =
            names.into_iter().filter(|name| is_name(name) && matches_known_value(matcher, name)).collect();
        (speaks && !known.is_empty()).then(|| known.join("|"))
    };
    let named = |inner: String| {
        let known = matcher.known();
        let same = known.iter().find(|id| id.eq_ignore_ascii_case(&inner)).map(|id| (*id).to_owned());
        if matches_known_value(matcher, &inner) { Some(inner) } else { same }
    };
    let plain = slashes.and_then(named).or_else(expression)?;
    let so = match matcher.matches_nothing() {
        true => "it never matches",
        // In `a || b`, the empty alternative between the bars matches everything.
        false if text.contains("==") => "it means something else",
        false => return None,
    };
    let says = format!("\"{text}\" is compared literally, including everything around the name, so {so}");
    let found = Diagnostic::new(Code::HW319, says).at(matcher.span);
    Some(found.with_help(format!("write {plain}")).with_fix(Fix::proposal(matcher.span, quote_literal(&plain))))
}

/// Returns the text between the slashes of a JavaScript pattern.
fn between_slashes(text: &str) -> Option<&str> {
    let (inner, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    (!inner.is_empty() && flags.chars().all(|c| "dgimsuvy".contains(c))).then_some(inner)
}

/// Whether a text would match a known value.
fn matches_known_value(matcher: &MatcherContext<'_>, text: &str) -> bool {
    matcher.known().iter().any(|value| matcher.would_match(text, value) == Some(true))
}
