//! Checks for matchers that use a tool name which does not match in this agent, made when settings are loaded.

use std::collections::HashSet;

use serde_json::Value;

use hookbench_base::catalogue::{AgentTools, MatchExactness, ResolvedTool, catalogue};
use hookbench_base::config::LoadedConfig;
use hookbench_base::diagnostic::{Diagnostic, Fix};
use hookbench_base::hook::HookDefinition;
use hookbench_base::text::quote_literal;

/// Reports each name in a matcher that refers to a tool of this agent which the matcher does not match. `fits`
/// tests the matcher of a definition against a tool's id; it returns `None` if the event is not about tools or if
/// the result is unknown.
///
/// A name is not reported if another name in the matcher matches the tool: such a list is meant for several
/// agents. Unknown names are not reported either, because they may belong to an MCP server.
pub fn check_tool_names(loaded: &mut LoadedConfig, agent: &str, fits: impl Fn(&HookDefinition, &str) -> Option<bool>) {
    let mut notes: Vec<Diagnostic> = Vec::new();
    let mut looked = HashSet::new();
    for definition in loaded.definitions.iter().filter(|d| d.is_valid()) {
        let (Some(Value::String(text)), Some(span)) = (&definition.matcher, definition.matcher_span) else { continue };
        // All hooks of one group share this span.
        if !looked.insert(span) {
            continue;
        }
        let dead = unmatched_names(text, agent, |tool| fits(definition, tool)).next();
        notes.extend(dead.map(|dead| {
            let fix = Fix::proposal(span, quote_literal(&replace_name(text, &dead.name, &dead.id)));
            let fix = Fix { safe: dead.code == "HW301", ..fix };
            dead.diagnostic().at(span).with_fix(fix)
        }));
    }
    loaded.notes.extend(notes);
}

/// Returns the matcher with one of its plain names replaced.
fn replace_name(text: &str, name: &str, other: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let mut out = String::with_capacity(text.len() + other.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, from) = rest.split_at(at);
        let (found, after) = from.split_at(from.find(|c| !word(c)).unwrap_or(from.len()));
        out.push_str(before);
        out.push_str(if found == name { other } else { found });
        rest = after;
    }
    out + rest
}

/// A name in a matcher that refers to a tool which the matcher does not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmatchedToolName {
    pub code: &'static str,
    /// The name as written.
    pub name: String,
    /// The tool's id in the agent's payloads.
    pub id: String,
    pub message: String,
}

impl UnmatchedToolName {
    fn diagnostic(self) -> Diagnostic {
        Diagnostic::warning(self.code, self.message).with_help(format!("write {} in its place", self.id))
    }
}

/// Returns every such name in a matcher. `fits` tests the matcher against a tool's id.
pub fn unmatched_names(
    text: &str,
    agent: &str,
    fits: impl Fn(&str) -> Option<bool>,
) -> impl Iterator<Item = UnmatchedToolName> {
    let own = catalogue().agent(agent);
    split_names(text).filter_map(move |name| {
        let own = own?;
        let found = catalogue().resolve(name, own);
        let id = found.id.as_deref().filter(|id| *id != name && fits(id) == Some(false))?;
        let (code, says) = note(text, name, id, own, &found)?;
        Some(UnmatchedToolName { code, name: name.to_owned(), id: id.to_owned(), message: says })
    })
}

/// Returns the plain names in a matcher: alone, in a list, in brackets or between anchors.
fn split_names(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim();
    let text = text.strip_prefix('^').unwrap_or(text);
    let text = text.strip_suffix('$').unwrap_or(text);
    let inner = text.strip_prefix("(?:").or_else(|| text.strip_prefix('('));
    let text = inner.and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    let plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    text.split(['|', ',']).filter(plain).filter(|name| !name.is_empty())
}

fn note(
    text: &str,
    name: &str,
    id: &str,
    own: &AgentTools,
    found: &ResolvedTool<'_>,
) -> Option<(&'static str, String)> {
    let agent = &own.name;
    let of_own = || found.tool.into_iter().flat_map(|tool| tool.names());
    Some(if let Some(known) = of_own().find(|known| known.eq_ignore_ascii_case(name) && *known != name) {
        ("HW301", format!("\"{name}\" differs from \"{known}\" in case, so it never matches {id}"))
    } else {
        match found.exactness {
            MatchExactness::Alias if found.accepted => {
                ("HW315", format!("\"{name}\" stands for {id} as a name, and \"{text}\" is read as a pattern"))
            }
            MatchExactness::Alias | MatchExactness::Loose => match catalogue().owner(name, &own.id) {
                // If the agent itself once had a tool of this name, naming another agent would mislead.
                Some(other) if own.others.iter().all(|gone| gone.name != name) => {
                    ("HW302", format!("\"{name}\" is {}'s name, so it never matches {id}", other.name))
                }
                _ => ("HW302", format!("\"{name}\" is no tool's name in {agent}, so it never matches {id}")),
            },
            MatchExactness::Mcp => ("HW305", format!("MCP tools are called {} in {agent}", own.mcp.form)),
            MatchExactness::Id | MatchExactness::Unknown => return None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names() {
        for (text, want) in [
            ("Bash", vec!["Bash"]),
            ("Edit|Write", vec!["Edit", "Write"]),
            ("^(Edit|Write)$", vec!["Edit", "Write"]),
            ("^(?:Edit)$", vec!["Edit"]),
            ("Edit,Write", vec!["Edit", "Write"]),
            ("Bash(git *)", vec![]),
            ("(?!Bash).*", vec![]),
            ("mcp__.*", vec![]),
            ("Bash|Ed.t", vec!["Bash"]),
            ("|", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(split_names(text).collect::<Vec<_>>(), want, "{text}");
        }
    }
}
