//! HW301, HW302: an unknown name that resembles a tool name.

use super::matcher_context::MatcherContext;
use crate::catalogue::{AgentTools, MatchExactness, catalogue};
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::matcher::{WrittenNames, name_words, replace_words};
use crate::text::{nearest_within, quote_literal};

/// Invented tool names without case and separators, and the id of the intended tool in the catalogue.
const INVENTED: [(&str, &str); 37] = [
    ("shell", "shell"),
    ("shellexec", "shell"),
    ("shellcommand", "shell"),
    ("runshell", "shell"),
    ("runcommand", "shell"),
    ("runbash", "shell"),
    ("bashtool", "shell"),
    ("bashcommand", "shell"),
    ("executecommand", "shell"),
    ("executebash", "shell"),
    ("execcommand", "shell"),
    ("terminal", "shell"),
    ("fileedit", "edit_file"),
    ("editfile", "edit_file"),
    ("edittool", "edit_file"),
    ("strreplaceeditor", "edit_file"),
    ("filewrite", "write_file"),
    ("writefile", "write_file"),
    ("writetool", "write_file"),
    ("createfile", "write_file"),
    ("fileread", "read_file"),
    ("readfile", "read_file"),
    ("runterminalcmd", "shell"),
    ("runinterminal", "shell"),
    ("runterminalcommand", "shell"),
    ("writetofile", "write_file"),
    ("replaceinfile", "edit_file"),
    ("applydiff", "edit_file"),
    ("searchreplace", "edit_file"),
    ("searchandreplace", "edit_file"),
    ("replacestringinfile", "edit_file"),
    ("inserteditintofile", "edit_file"),
    ("multiedit", "edit_file"),
    ("strreplace", "edit_file"),
    ("strreplacebasededittool", "edit_file"),
    ("codebasesearch", "grep"),
    ("filesearch", "glob"),
];

/// Checks for a misspelt name. An unknown name that resembles no tool is not reported: it may be a new tool.
pub(super) fn check(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let tools = matcher.tools()?;
    let text = matcher.text.trim();
    let of_servers = matcher.server_tools();
    let (word, near) = name_words(text).into_iter().find_map(|word| {
        // A word of a tool of an MCP server is that server's own.
        if of_servers.iter().any(|tool| tool.contains(word.text)) {
            return None;
        }
        let near = intended_tool(word.text, tools)?;
        let id = matcher.resolve_name(near);
        // A tool can have another name in the matchers of this event.
        let fits = matcher.would_match(near, &id) != Some(false);
        let near = if fits { near } else { matcher.name_in_matchers(near) };
        (matcher.matches(&id) == Some(false)).then_some((word, near))
    })?;
    let name = word.text;
    let agent = matcher.at.agent_name();
    let (code, says) = if near.eq_ignore_ascii_case(name) {
        (Code::HW301, format!("\"{name}\" differs from \"{near}\" in case, so it never matches {near}"))
    } else {
        (Code::HW302, format!("{agent} has no tool named \"{name}\", so it never matches {near}"))
    };
    let found = Diagnostic::new(code, says).at(matcher.span).with_help(format!("write {near} instead"));
    Some(found.with_fix(Fix::proposal(matcher.span, quote_literal(&replace_words(text, [(word, near)])))))
}

/// Checks for a matcher with only other agents' tools, where this agent has no equivalent.
pub(super) fn check_foreign_tools(matcher: &MatcherContext<'_>) -> Option<Diagnostic> {
    let tools = matcher.tools()?;
    let text = matcher.text.trim();
    let written = WrittenNames::of(text);
    let foreign = |name: &str| {
        let none = catalogue().resolve(name, tools).id.is_none() && tools.others.iter().all(|other| other.name != name);
        // Compare with the names that payloads contain: one agent's alias may be the name of another agent's tool.
        catalogue().agents.iter().filter(|_| none).find(|other| other.id != tools.id && other.by_id(name).is_some())
    };
    let owners: Vec<&AgentTools> = written.names.iter().map(|name| foreign(name.text)).collect::<Option<_>>()?;
    let owner = owners.first().filter(|_| written.only_names && matcher.matches_nothing())?;
    let agent = matcher.at.agent_name();
    let says = format!("\"{text}\" is a tool of {}, and {agent} has no such tool, so this hook never runs", owner.name);
    let help = "delete the hook, or match tools of this agent";
    Some(Diagnostic::lowered(Code::HW302, Severity::Warning, says).at(matcher.span).with_help(help))
}

/// Returns the tool that was meant by a name that no agent has: same first letter, at most two letters different.
fn intended_tool<'a>(name: &str, tools: &'a AgentTools) -> Option<&'a str> {
    const SHORTEST: usize = 3;
    let letters = name.chars().count();
    if let Some(tool) = tool_for_invented_name(name, tools) {
        return Some(tool);
    }
    let strange = |agent: &AgentTools| catalogue().resolve(name, agent).exactness == MatchExactness::Unknown;
    let is_own = tools.tools.iter().any(|tool| tool.names().any(|own| own == name));
    if letters < SHORTEST || is_own || !catalogue().agents.iter().all(strange) || catalogue().owner(name, "").is_some()
    {
        return None;
    }
    let same =
        |known: &&str| known.chars().next().zip(name.chars().next()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(&b));
    let known: Vec<&str> = tools.tools.iter().flat_map(|tool| tool.names()).filter(same).collect();
    nearest_within(name, &known, if letters < 6 { 1 } else { 2 })
}

/// Returns the agent's tool for an invented name. `None` if an agent has a tool with that name.
fn tool_for_invented_name<'a>(name: &str, tools: &'a AgentTools) -> Option<&'a str> {
    let folded: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let (_, row) = INVENTED.iter().find(|(known, _)| *known == folded)?;
    let strange = catalogue().resolve(name, tools).exactness == MatchExactness::Unknown;
    tools.tool_for_row(row).filter(|_| strange).map(|tool| tool.id)
}
