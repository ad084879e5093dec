//! HW302: a name that is nobody's, and nearly a tool's.

use super::closed::with;
use super::subject::{Matcher, is_word};
use crate::catalogue::{AgentTools, Exactness, catalogue};
use crate::diagnostic::{Diagnostic, Fix};
use crate::text::{nearest_within, quoted};

/// Names that people invent for tools, folded, and the tool by its id in the catalogue.
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

/// A misspelt name. One that nobody knows and nothing is like may be a tool that we do not know: nothing is said of it.
pub(super) fn look(matcher: &Matcher<'_>) -> Option<Diagnostic> {
    let tools = matcher.tools()?;
    let text = matcher.text.trim();
    let (name, near) = text.split(|c| !is_word(c)).find_map(|name| {
        let near = meant(name, tools)?;
        let dead = matcher.lets(&matcher.meant(near)) == Some(false);
        dead.then_some((name, near))
    })?;
    let agent = matcher.at.agent();
    let says = format!("\"{name}\" is no tool's name in {agent}, so it never matches {near}");
    let found = Diagnostic::error("HW302", says).at(matcher.span).help(format!("write {near} in its place"));
    Some(found.fix(Fix::proposal(matcher.span, quoted(&with(text, name, near)))))
}

/// Names of other agents' tools alone, where this agent has no tool that does their work.
pub(super) fn nobody(matcher: &Matcher<'_>) -> Option<Diagnostic> {
    let tools = matcher.tools()?;
    let text = matcher.text.trim();
    let inner = text.trim_start_matches(['^', '(']).trim_end_matches(['$', ')']);
    let foreign = |name: &str| {
        let none = catalogue().resolve(name, tools).id.is_none() && tools.others.iter().all(|other| other.name != name);
        // By the name that its payloads say: what one agent takes for a tool of its own may be another's very tool.
        catalogue().agents.iter().filter(|_| none).find(|other| other.id != tools.id && other.by_id(name).is_some())
    };
    let owners: Vec<&AgentTools> = inner.split('|').map(|name| foreign(name.trim())).collect::<Option<_>>()?;
    let owner = owners.first().filter(|_| matcher.lets_none())?;
    let agent = matcher.at.agent();
    let says =
        format!("\"{text}\" names a tool of {}, and {agent} has none like it, so this hook never runs", owner.name);
    let help = "leave the hook out, or name the tools of this agent that it is for";
    Some(Diagnostic::warning("HW302", says).at(matcher.span).help(help))
}

/// The name that was meant by one that no agent has: it begins with the same letter and is one or two letters away.
fn meant<'a>(name: &str, tools: &'a AgentTools) -> Option<&'a str> {
    const SHORTEST: usize = 3;
    let letters = name.chars().count();
    if let Some(tool) = invented(name, tools) {
        return Some(tool);
    }
    let strange = |agent: &AgentTools| catalogue().resolve(name, agent).exactness == Exactness::Unknown;
    if letters < SHORTEST || !catalogue().agents.iter().all(strange) || catalogue().owner(name, "").is_some() {
        return None;
    }
    let same =
        |known: &&str| known.chars().next().zip(name.chars().next()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(&b));
    let known: Vec<&str> = tools.tools.iter().flat_map(|tool| tool.names()).filter(same).collect();
    nearest_within(name, &known, if letters < 6 { 1 } else { 2 })
}

/// The agent's tool that an invented name stands for. A name that some agent has is none.
fn invented<'a>(name: &str, tools: &'a AgentTools) -> Option<&'a str> {
    let folded: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let (_, row) = INVENTED.iter().find(|(known, _)| *known == folded)?;
    let strange = catalogue().resolve(name, tools).exactness == Exactness::Unknown;
    tools.of_row(row).filter(|_| strange).map(|tool| tool.id.as_str())
}
