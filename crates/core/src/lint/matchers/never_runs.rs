//! HW301, HW302, HW319: a matcher on tool names for which its hook never runs, because no tool can have a name that it
//! matches, or because a part of its pattern resembles a part of a tool's name.

use super::matcher_context::MatcherContext;
use crate::catalogue::{AgentTools, MatchExactness, catalogue};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::matcher::{
    WrittenNames, WrittenWord, foreign_character, is_word, name_words, replace_words, without_anchors,
};
use crate::text::{nearest_within, quote_literal};

/// Checks a matcher that matches none of the agent's tools and no tool of a server that it writes out.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let tools = matcher.tools()?;
    let text = matcher.text.trim();
    if !matcher.matches_nothing() {
        return None;
    }
    if let Some(strange) = foreign_character(matcher.pattern()) {
        return Some(check_negation(matcher, text).unwrap_or_else(|| needs_strange(matcher, tools, text, strange)));
    }
    check_anchors(matcher, tools, text).or_else(|| check_part(matcher, tools, text))
}

/// Checks for `!Bash`, which does not exclude anything.
fn check_negation(matcher: &MatcherContext<'_>, text: &str) -> Option<Diagnostic> {
    let start = text.strip_prefix('^').unwrap_or(text);
    let rest = start.strip_prefix('!').or_else(|| start.strip_prefix("not "))?;
    let written = WrittenNames::of(rest);
    let names: Vec<&str> = written.names.iter().map(|name| name.text).collect();
    if names.is_empty() || !written.only_names {
        return None;
    }
    let listed = names.join(" and ");
    let says = format!(
        "\"{text}\" does not exclude {listed}: no tool has a name like the whole text, so this hook never runs"
    );
    let found = Diagnostic::new(Code::HW319, says).at(matcher.span);
    let ids: Vec<String> = names.iter().map(|name| matcher.resolve_name(name)).collect();
    let spelled: Vec<&str> = ids.iter().map(|id| matcher.name_in_matchers(id)).collect();
    let meant = format!("^(?!(?:{})$).*$", spelled.join("|"));
    let excludes = ids.iter().all(|id| matcher.would_match(&meant, id) == Some(false))
        && matcher.ids().any(|id| matcher.would_match(&meant, id) == Some(true));
    Some(if excludes {
        found.with_help(format!("write {meant}")).with_fix(Fix::proposal(matcher.span, quote_literal(&meant)))
    } else {
        found.with_help(format!("delete the matcher, and let the script end with status 0 for {listed}"))
    })
}

/// Reports a matcher that needs a character which no tool name contains.
fn needs_strange(matcher: &MatcherContext<'_>, tools: &AgentTools, text: &str, strange: char) -> Diagnostic {
    let named = own_tools(matcher, tools, text);
    let what = if strange == ' ' { "a space".to_owned() } else { format!("\"{strange}\"") };
    if !named.is_empty() {
        let plain = named.join("|");
        let says = format!("\"{text}\" needs {what}, which no tool name contains, so this hook never runs");
        let found = Diagnostic::new(Code::HW319, says).at(matcher.span).with_help(format!("write {plain}"));
        return found.with_fix(Fix::proposal(matcher.span, quote_literal(&plain)));
    }
    let says = format!(
        "\"{text}\" needs {what}, which no tool name contains, so this hook never runs: a matcher is compared with tool names, not with commands or paths"
    );
    let shell = tools.tool_for_row("shell").map_or("a tool", |tool| matcher.name_in_matchers(tool.id));
    let help = format!("write the tool, such as {shell}, and test its input in the script");
    Diagnostic::new(Code::HW302, says).at(matcher.span).with_help(help)
}

/// The agent's names of the tools that the words of a matcher name, in the spelling of its event.
fn own_tools(matcher: &MatcherContext<'_>, tools: &AgentTools, text: &str) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for word in text.split(|c| !is_word(c)).filter(|word| word.len() > 1) {
        let resolved = catalogue().resolve(word, tools);
        let Some(id) = resolved.tool.map(|tool| tool.id) else { continue };
        let accepted = matcher.would_match(word, id) == Some(true);
        let name = if accepted { word } else { matcher.name_in_matchers(id) };
        if !named.iter().any(|known| known == name) {
            named.push(name.to_owned());
        }
    }
    named
}

/// Checks for `$Bash`: an anchor where no name can begin or end.
fn check_anchors(matcher: &MatcherContext<'_>, tools: &AgentTools, text: &str) -> Option<Diagnostic> {
    let plain = without_anchors(text).filter(|plain| plain != text)?;
    let known = matcher.known();
    let plain = if known.iter().any(|id| matcher.would_match(&plain, id) == Some(true)) {
        plain
    } else {
        Some(own_tools(matcher, tools, text).join("|")).filter(|names| !names.is_empty())?
    };
    let says =
        format!("\"{text}\" asks for letters after the end of a name or before its start, so this hook never runs");
    let found = Diagnostic::new(Code::HW319, says).at(matcher.span).with_help(format!("write {plain}"));
    Some(found.with_fix(Fix::proposal(matcher.span, quote_literal(&plain))))
}

/// Checks for `Notebok.*` and `bash.*`: a part of a tool's name with another spelling.
fn check_part(matcher: &MatcherContext<'_>, tools: &AgentTools, text: &str) -> Option<Diagnostic> {
    // Names of servers are chosen by people.
    if WrittenNames::of(text).only_names || text.contains("mcp") {
        return None;
    }
    let own: Vec<&str> =
        tools.tools.iter().flat_map(|tool| tool.names()).chain(tools.others.iter().map(|other| other.name)).collect();
    let of_server = |word: &str| tools.mcp.prefix().is_empty() && word.contains('-');
    let strange = |word: &WrittenWord<'_>| {
        let is_long = word.text.chars().count() >= SHORTEST && !of_server(word.text);
        is_long && !own.iter().any(|name| name.contains(word.text))
    };
    let (word, near, tool) = name_words(text).into_iter().filter(strange).find_map(|word| {
        intended_parts(matcher, tools, word.text).into_iter().find_map(|near| {
            let fixed = replace_words(text, [(word, near.as_str())]);
            let tool = matcher.ids().find(|id| matcher.would_match(&fixed, id) == Some(true))?;
            Some((word, near, tool))
        })
    })?;
    let fixed = replace_words(text, [(word, near.as_str())]);
    let agent = matcher.at.agent_name();
    let (code, says) = if near.eq_ignore_ascii_case(word.text) {
        (Code::HW301, format!("\"{}\" differs from \"{near}\" in case, so it never matches {tool}", word.text))
    } else {
        (Code::HW302, format!("{agent} has no tool whose name contains \"{}\", so it never matches {tool}", word.text))
    };
    let found = Diagnostic::new(code, says).at(matcher.span).with_help(format!("write {fixed}"));
    Some(found.with_fix(Fix::proposal(matcher.span, quote_literal(&fixed))))
}

/// Shorter words resemble too many others.
const SHORTEST: usize = 4;

/// The parts of tool names that can be meant by a word: in another case, the name that this agent has for another agent's
/// tool, or with another letter.
fn intended_parts(matcher: &MatcherContext<'_>, tools: &AgentTools, word: &str) -> Vec<String> {
    let parts: Vec<&str> = tools.tools.iter().flat_map(|tool| tool.names()).flat_map(parts_of_name).collect();
    let same = parts.iter().find(|part| part.eq_ignore_ascii_case(word)).map(|part| (*part).to_owned());
    let resolved = catalogue().resolve(word, tools);
    let foreign = resolved.id.filter(|_| resolved.exactness != MatchExactness::Unknown);
    let foreign = foreign.map(|id| matcher.name_in_matchers(&id).to_owned());
    let begins = |part: &&str| part.chars().next() == word.chars().next();
    let close: Vec<&str> = parts.iter().copied().filter(begins).collect();
    let limit = if word.chars().count() < 6 { 1 } else { 2 };
    let near = nearest_within(word, &close, limit).map(str::to_owned);
    same.into_iter().chain(foreign).chain(near).collect()
}

/// The name, and the beginnings and ends of it that are whole words: `Notebook` and `Edit` of `NotebookEdit`.
fn parts_of_name(name: &'static str) -> Vec<&'static str> {
    let bytes = name.as_bytes();
    let begins = |at: &usize| {
        let (Some(before), Some(here)) = (bytes.get(at.wrapping_sub(1)), bytes.get(*at)) else { return false };
        *before == b'_' || *before == b'-' || before.is_ascii_lowercase() && here.is_ascii_uppercase()
    };
    let mut parts = vec![name];
    for at in (1..name.len()).filter(begins) {
        parts.extend(name.get(..at).map(|part| part.trim_end_matches(['_', '-'])));
        parts.extend(name.get(at..));
    }
    parts.retain(|part| part.len() >= SHORTEST);
    parts
}
