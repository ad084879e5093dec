//! HW307: a glob or a file name instead of a pattern.

use std::sync::LazyLock;

use regex::Regex;

use super::matcher_context::MatcherContext;
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::text::{ascii_regex, quote_literal};

/// A file extension.
static ENDING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let known = "ts|tsx|js|jsx|mjs|cjs|py|rs|go|rb|java|kt|c|h|cc|cpp|cs|php|swift|json|ya?ml|toml|md|mdx|txt|css|scss|html?|vue|svelte|sql|sh|env|lock|xml|csv";
    ascii_regex(&format!(r"(?:^|[\w*)\]])\\?\.\(?(?:\?:)?(?:{known})(?:\)|\||\$|$)"))
});

/// Checks for `*.ts` and `src/**`, which no tool name contains.
pub(super) fn check_file_name(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    if matcher.tools().is_none() {
        return check_path(matcher, text);
    }
    let file = text.contains('/') || ENDING.as_ref()?.is_match(text);
    if !file || !matcher.matches_nothing() {
        return None;
    }
    let says = format!("\"{text}\" looks like a file, but a matcher is compared with tool names, so it never matches");
    let help = "match the tools that write files, and test the path in the script";
    Some(Diagnostic::new(Code::HW307, says).at(matcher.span).with_help(help))
}

/// Checks for a path on an event whose matchers see only the file name.
fn check_path(matcher: &MatcherContext<'_>, text: &str) -> Option<Diagnostic> {
    let named = matcher.would_match("c.txt", "/a/b/c.txt") == Some(true)
        && matcher.would_match("x.txt", "/a/b/c.txt") == Some(false);
    let (_, name) = text.rsplit_once('/').filter(|(_, name)| named && !name.is_empty())?;
    let says = format!("the matcher is compared with the file name without its directory, so \"{text}\" never matches");
    let help = format!("write {name}, and test the directory in the script");
    Some(
        Diagnostic::new(Code::HW307, says)
            .at(matcher.span)
            .with_help(help)
            .with_fix(Fix::proposal(matcher.span, quote_literal(name))),
    )
}

/// Checks for `mcp__*` and `Edit*`: a star that repeats the letter before it, or nothing.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let text = matcher.text.trim();
    let (letter, meant) = star(text)?;
    let says = match letter {
        Some(letter) => {
            format!(
                "\"{text}\" looks like a glob, but it is a regular expression: * only repeats the \"{letter}\" before it"
            )
        }
        None => {
            format!(
                "\"{text}\" looks like a glob, but it is a regular expression: * has nothing to repeat, so it is invalid"
            )
        }
    };
    let found = Diagnostic::new(Code::HW307, says).at(matcher.span).with_help(format!("write {meant}"));
    Some(found.with_fix(Fix::proposal(matcher.span, quote_literal(&meant))))
}

/// Returns the letter before the first star that follows a letter or nothing, and the text with `.*` instead of
/// `*`.
fn star(text: &str) -> Option<(Option<char>, String)> {
    let chars: Vec<char> = text.chars().collect();
    let mut first = None;
    let mut meant = String::new();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let escaped = at >= 2 && chars.get(at - 2) == Some(&'\\');
        let letter = before.filter(|b| b.is_ascii_alphanumeric() || matches!(b, '_' | '-'));
        // A single star between bars means everything, which is true only if nothing is next to it.
        let alone = before.is_none() && chars.get(at + 1) == Some(&'|');
        if *c == '*' && !alone && (before.is_none() || letter.is_some() && !escaped) {
            first = first.or(Some(letter));
            meant.push('.');
        }
        meant.push(*c);
    }
    // In a character class, a star is literal.
    (!text.contains('[')).then_some(first?).map(|letter| (letter, meant))
}
