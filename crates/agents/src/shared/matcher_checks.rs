//! Checks of matchers when settings are loaded: invalid and slow patterns, and tool names that do not match in this
//! agent.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use hookbench_base::catalogue::{AgentTools, MatchExactness, ResolvedTool, catalogue};
use hookbench_base::config::LoadedConfig;
use hookbench_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use hookbench_base::hook::HookDefinition;
use hookbench_base::matcher::{EcmaPattern, WrittenNames, WrittenWord, replace_words};
use hookbench_base::text::{joined_with_and, quote_literal};

/// Whether a pattern contains `(?i:…)` or `(?-i:…)`, which JavaScript supports only since V8 12.5.
fn has_inline_flags(pattern: &str) -> bool {
    pattern.match_indices("(?").any(|(at, _)| {
        let escaped = pattern.get(..at).unwrap_or("").bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
        let flags = pattern.get(at + 2..).unwrap_or("").trim_start_matches(['i', 'm', 's', '-']);
        let length = pattern.len() - at - 2 - flags.len();
        !escaped && length > 0 && flags.starts_with(':')
    })
}

/// Reports every matcher that does not compile, and every one that could take very long. `pattern` returns the
/// text that the agent would compile for a definition, or `None` if it compiles nothing. `broken` returns the
/// consequence for a matcher that does not compile.
pub fn check_patterns(
    loaded: &mut LoadedConfig,
    broken: fn(&str) -> &'static str,
    pattern: impl Fn(&HookDefinition, &str) -> Option<String>,
) {
    let mut notes: Vec<Diagnostic> = Vec::new();
    let mut seen = HashSet::new();
    for definition in loaded.definitions.iter().filter(|d| d.is_valid()) {
        let (Some(Value::String(text)), Some(span)) = (&definition.matcher, definition.matcher_span) else { continue };
        // All definitions of a group share the group's matcher.
        if !seen.insert(span) {
            continue;
        }
        let Some(compiled) = pattern(definition, text) else { continue };
        let note = match EcmaPattern::new(&compiled) {
            Err(why) => {
                Diagnostic::new(Code::HW308, format!("\"{text}\" is not a valid pattern ({why}), so {}", broken(text)))
                    .with_help(if text == "*" {
                        "delete the matcher, or write .*: both match everything"
                    } else {
                        "close the open bracket, or escape a literal character with a backslash"
                    })
            }
            Ok(pattern) if pattern.is_hazardous() => Diagnostic::new(
                Code::HW316,
                format!("the pattern \"{text}\" can take the agent a very long time"),
            )
            .with_help("remove one of the nested or adjacent repetitions"),
            Ok(_) if has_inline_flags(&compiled) => Diagnostic::lowered(
                Code::HW308, Severity::Warning,
                format!(
                    "\"{text}\" sets flags inside the pattern: Node 23 and later accept it; in earlier ones it is not a valid pattern, and then {}",
                    broken(text)
                ),
            )
            .with_help("write both cases, such as [Bb]ash"),
            Ok(_) => continue,
        };
        notes.push(note.at(span));
    }
    loaded.notes.extend(notes);
}

/// Reports each name in a matcher that refers to a tool of this agent which the matcher does not match. `fits`
/// tests the matcher of a definition against a tool's id; it returns `None` if the event is not about tools or if
/// the result is unknown.
///
/// A name is not reported if another name in the matcher matches the tool: such a list is meant for several
/// agents. Unknown names are not reported either, because they may belong to an MCP server.
pub fn check_tool_names(loaded: &mut LoadedConfig, agent: &str, fits: impl Fn(&HookDefinition, &str) -> Option<bool>) {
    check_spelled_tool_names(loaded, agent, |_, id| id.to_owned(), fits);
}

/// [`check_tool_names`] for an agent in which the name of a tool depends on the event of the definition. `spelled` returns
/// the name with which the event's matchers are compared, from a tool's id.
pub fn check_spelled_tool_names(
    loaded: &mut LoadedConfig,
    agent: &str,
    spelled: impl Fn(&HookDefinition, &str) -> String,
    fits: impl Fn(&HookDefinition, &str) -> Option<bool>,
) {
    let mut notes: Vec<Diagnostic> = Vec::new();
    let mut looked = HashSet::new();
    let written = OnceCell::new();
    for definition in loaded.definitions.iter().filter(|d| d.is_valid()) {
        let (Some(Value::String(text)), Some(span)) = (&definition.matcher, definition.matcher_span) else { continue };
        // All hooks of one group share this span.
        if !looked.insert(span) {
            continue;
        }
        let spelled = |id: &str| spelled(definition, id);
        let mut dead: Vec<UnmatchedToolName> =
            unmatched_names(text, agent, spelled, |tool| fits(definition, tool)).collect();
        let Some(code) = dead.first().map(|first| first.code) else { continue };
        // One fix corrects all names with the same mistake; a matcher that is corrected in part looks correct.
        dead.retain(|name| name.code == code);
        let word = |dead: &'_ UnmatchedToolName| WrittenWord {
            at: dead.at,
            text: text.get(dead.at..dead.at + dead.name.len()).unwrap_or(""),
        };
        let corrected = replace_words(text, dead.iter().map(|dead| (word(dead), dead.id.as_str())));
        dead.dedup_by(|next, name| next.name == name.name);
        // The fix must not lose a name of the files that the matcher matches by the word.
        let is_matched = |name: &str| {
            dead.iter().any(|word| contains_more(name, &word.name)) && fits(definition, name) == Some(true)
        };
        let is_safe =
            code == Code::HW301 && !written.get_or_init(|| written_names(loaded)).iter().any(|name| is_matched(name));
        let fix = Fix { safe: is_safe, ..Fix::proposal(span, quote_literal(&corrected)) };
        notes.push(unmatched_note(code, &dead).at(span).with_fix(fix));
    }
    loaded.notes.extend(notes);
}

/// The names of tools in the files of an agent: those of MCP servers anywhere, and the words of matchers.
fn written_names(loaded: &LoadedConfig) -> BTreeSet<String> {
    let words = |text: &str| -> Vec<String> {
        let is_other = |c: char| !c.is_alphanumeric() && c != '_' && c != '-';
        text.split(is_other).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let of_files = loaded.sources.texts().flat_map(|(_, text)| words(text)).filter(|word| word.starts_with("mcp__"));
    let matchers = loaded.definitions.iter().filter_map(|definition| definition.matcher.as_ref()?.as_str());
    of_files.chain(matchers.flat_map(words)).collect()
}

/// Whether a name has this word, and more than it.
fn contains_more(name: &str, word: &str) -> bool {
    name != word && name.contains(word)
}

/// A name in a matcher that refers to a tool which the matcher does not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmatchedToolName {
    pub code: Code,
    /// The offset of the name in the matcher.
    pub at: usize,
    /// The name as written.
    pub name: String,
    /// The name to write: the tool's id, or its name in the event's spelling.
    pub id: String,
    pub message: String,
}

/// The note about the names of one matcher that have the same mistake.
fn unmatched_note(code: Code, names: &[UnmatchedToolName]) -> Diagnostic {
    let quoted = |text: &dyn Fn(&UnmatchedToolName) -> &str| {
        let all: Vec<String> = names.iter().map(|name| format!("\"{}\"", text(name))).collect();
        joined_with_and(&all)
    };
    let (message, help) = match names {
        [one] => (one.message.clone(), format!("write {} instead", one.id)),
        _ => {
            let message = if code == Code::HW301 {
                let (written, meant) = (quoted(&|name| &name.name), quoted(&|name| &name.id));
                format!("{written} differ from {meant} in case, so they never match")
            } else {
                let others: Vec<String> = names.iter().skip(1).map(|name| format!("\"{}\"", name.name)).collect();
                let first = names.first().map_or("", |first| first.message.as_str());
                format!("{first}; the same holds for {}", joined_with_and(&others))
            };
            let pairs: Vec<String> = names.iter().map(|name| format!("{} for {}", name.id, name.name)).collect();
            (message, format!("write {}", pairs.join(", ")))
        }
    };
    Diagnostic::lowered(code, Severity::Warning, message).with_help(help)
}

/// Returns every such name in a matcher. `spelled` returns the name with which the matcher is compared, from a tool's id;
/// `fits` tests the matcher against a tool's id.
pub fn unmatched_names(
    text: &str,
    agent: &str,
    spelled: impl Fn(&str) -> String,
    fits: impl Fn(&str) -> Option<bool>,
) -> impl Iterator<Item = UnmatchedToolName> {
    let own = catalogue().agent(agent);
    WrittenNames::of(text).names.into_iter().filter_map(move |WrittenWord { at, text: name }| {
        let own = own?;
        let found = catalogue().resolve(name, own);
        let id = found.id.as_deref().filter(|id| fits(id) == Some(false))?;
        let right = Some(spelled(id)).filter(|right| right != name)?;
        let (code, message) =
            if right == id { note(text, name, id, own, &found)? } else { spelling_note(name, &right) };
        Some(UnmatchedToolName { code, at, name: name.to_owned(), id: right, message })
    })
}

/// The note about a name that this event spells in another way.
fn spelling_note(name: &str, right: &str) -> (Code, String) {
    if name.eq_ignore_ascii_case(right) {
        return (Code::HW301, format!("\"{name}\" differs from \"{right}\" in case, so it never matches {right}"));
    }
    (Code::HW302, format!("this event calls the tool \"{right}\", so \"{name}\" never matches it"))
}

fn note(text: &str, name: &str, id: &str, own: &AgentTools, found: &ResolvedTool<'_>) -> Option<(Code, String)> {
    let agent = own.name;
    let of_own = || found.tool.into_iter().flat_map(|tool| tool.names());
    Some(if let Some(known) = of_own().find(|known| known.eq_ignore_ascii_case(name) && *known != name) {
        (Code::HW301, format!("\"{name}\" differs from \"{known}\" in case, so it never matches {id}"))
    } else {
        match found.exactness {
            MatchExactness::Alias if found.accepted => (
                Code::HW315,
                format!("\"{name}\" is an alias of {id} only as a plain name, but \"{text}\" is a pattern"),
            ),
            MatchExactness::Alias | MatchExactness::Loose => match catalogue().owner(name, own.id) {
                // If the agent itself once had a tool of this name, naming another agent would mislead.
                Some(other) if own.others.iter().all(|gone| gone.name != name) => {
                    (Code::HW302, format!("\"{name}\" is {}'s name, so it never matches {id}", other.name))
                }
                _ => (Code::HW302, format!("{agent} has no tool named \"{name}\", so it never matches {id}")),
            },
            MatchExactness::Mcp => (Code::HW305, format!("MCP tools are called {} in {agent}", own.mcp.form)),
            MatchExactness::Id | MatchExactness::Unknown => return None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_inside_a_pattern() {
        for (pattern, want) in [
            ("(?i:bash)", true),
            ("a|(?i-s:b)", true),
            ("(?-i:b)", true),
            ("(?:b)", false),
            ("(?=b)", false),
            (r"\(?i:b)", false),
            (r"\\(?i:b)", true),
            ("i:(b)", false),
        ] {
            assert_eq!(has_inline_flags(pattern), want, "{pattern}");
        }
    }
}
