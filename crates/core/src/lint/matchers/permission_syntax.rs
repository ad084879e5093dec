//! HW303: a permission rule instead of a matcher.

use super::matcher_context::MatcherContext;
use crate::catalogue::{MatchExactness, catalogue};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::matcher::alternatives;
use crate::text::edit::{TextEdit, member_text};
use crate::text::quote_literal;

/// Checks for `Bash(git *)`: a tool name followed by parentheses that do not contain a list of names.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let tools = matcher.tools()?;
    let text = matcher.text.trim();
    let names_servers = !matcher.server_tools().is_empty();
    let rule = alternatives(text).into_iter().map(str::trim).find(|part| {
        let resolved = |tool: &str| catalogue().resolve(tool, tools).exactness != MatchExactness::Unknown;
        split(part)
            .is_some_and(|(tool, inside)| is_rule(inside) || (!is_group(inside) && !names_servers && resolved(tool)))
    })?;
    let (tool, _) = split(rule)?;
    let tool = matcher.resolve_name(tool);
    let agent = matcher.at.agent_name();
    let says = format!(
        "\"{rule}\" is a permission rule, but a matcher is compared with tool names, so it never matches {tool}"
    );
    let conditional =
        matcher.at.agent.dialect.settings_format().handlers.iter().any(|form| form.optional.contains(&"if"));
    let help = if conditional {
        format!("write {tool} as the matcher, and add \"if\": \"{rule}\" to the hook")
    } else {
        format!("write {tool} as the matcher, and test its input in the script; {agent} has no conditions")
    };
    let mut found = Diagnostic::new(Code::HW303, says).at(matcher.span).with_help(help);
    if rule == text {
        found.fix = Some(fix(matcher, &tool, conditional.then_some(rule)));
    }
    Some(found)
}

/// Splits a permission rule into tool and condition.
fn split(part: &str) -> Option<(&str, &str)> {
    let (tool, rest) = part.split_once('(')?;
    let name = !tool.is_empty() && tool.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    rest.strip_suffix(')').filter(|_| name).map(|inside| (tool, inside))
}

/// Whether the text can only be a permission condition: words, a path, `prefix:*`, or a star that repeats nothing.
fn is_rule(inside: &str) -> bool {
    let rest = inside.strip_prefix("?:").unwrap_or(inside);
    let star = |(at, c): (usize, char)| {
        c == '*'
            && inside
                .get(..at)
                .is_none_or(|before| before.is_empty() || before.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    rest.contains([' ', '/', '~', ':']) || inside.char_indices().any(star)
}

/// Whether the text is a regular expression group: alternatives, or one that begins with `?`.
fn is_group(inside: &str) -> bool {
    inside.starts_with('?')
        || inside.contains(".*")
        || (!inside.is_empty() && inside.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '|')))
}

/// Replaces the matcher with the tool name and, if the agent has conditions, adds the rule to every hook of the
/// group.
fn fix(matcher: &MatcherContext<'_>, tool: &str, rule: Option<&str>) -> Fix {
    let agent = matcher.at.agent;
    let mut edits = vec![TextEdit::replace(matcher.span.start, matcher.span.end, quote_literal(tool))];
    if let Some(rule) = rule {
        let same = agent.loaded.definitions.iter().filter(|d| d.matcher_span == Some(matcher.span));
        for hook in same {
            let span = hook.provenance.span;
            let free = hook.raw.get("if").is_none() && agent.sources.slice(span).starts_with('{');
            let member = format!(" {},", member_text("if", &quote_literal(rule)));
            edits.extend(free.then(|| TextEdit::insert(span.start + 1, member)));
        }
    }
    Fix::new(false, matcher.span.source, edits)
}
