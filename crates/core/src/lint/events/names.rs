//! HW201, HW202, HW203: event names that this agent or this version does not have. The agent's reader finds them;
//! this module determines which agent they belong to and what they are called here.

use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::dialects::{ALL, AgentContext, default_version, find_event};
use crate::lint::files::find_parent_of_key;
use crate::lint::is_toml;
use crate::port::mapping;
use crate::text::edit::{JsonLayout, RemovedGap, TextEdit, remove_element};
use crate::text::{JsonSyntax, Node, Span, nearest, parse_json, quote_literal};

/// Distinguishes another agent's event, an event of a newer version and a misspelt name, and proposes the right
/// one.
pub(in crate::lint) fn fix_event_name(at: &AgentContext<'_>, found: &mut Diagnostic) {
    let Some(span) = found.span.filter(|_| found.code == Code::HW201) else { return };
    let written = at.sources.slice(span);
    let name = written.trim_matches(['"', '\'']);
    let agent = at.dialect.name();
    if find_event(at.dialect, &default_version(at.dialect), name).is_some() {
        found.code = Code::HW203;
        found.severity = Severity::Warning;
        return;
    }
    let known: Vec<&'static str> = at.dialect.events(at.version).iter().map(|event| event.name).collect();
    let same = known.iter().copied().find(|event| folded(event) == folded(name));
    // A spelling of this agent whose first letter has the wrong case.
    let same = same.or_else(|| Some(at.dialect.event_by_spelling(&with_small_letter(name))?.name));
    let owner = ALL.iter().find(|other| {
        other.id() != at.dialect.id() && other.events(&default_version(other)).iter().any(|event| event.name == name)
    });
    let old = mapping()
        .row(name)
        .filter(|row| row.canonical != name)
        .and_then(|row| row.events.get(at.dialect.id().as_str()));
    let old = old.filter(|event| same.is_none() && *event != name && known.contains(event));
    if let Some(event) = old {
        found.message =
            format!("{name} is an old name of {event} that {agent} no longer reads, so none of its hooks run");
        found.help = Some(format!("rename it to {event}"));
        if !is_taken(at, span, event) {
            found.fix = renamed(at, span, name, event);
        }
        return;
    }
    if let Some(row) = mapping().row(name).filter(|row| same.is_none() && !row.is_in_released_agent()) {
        found.message =
            format!("{name} belongs to a format that was never released: no agent has it, so none of its hooks run");
        let near = row.nearest.get(at.dialect.id().as_str()).filter(|near| known.contains(near));
        found.help = Some(match near {
            Some(near) => format!("the nearest event of {agent} is {near}, which differs"),
            None => format!("{agent} has no event {}; delete it", row.about),
        });
        return;
    }
    let meant = match owner.filter(|_| same.is_none()) {
        Some(owner) => {
            let row = mapping().row_of(owner.id().as_str(), name);
            let here = row.and_then(|row| {
                row.events.get(at.dialect.id().as_str()).or_else(|| row.nearest.get(at.dialect.id().as_str()))
            });
            let here = here.and_then(|here| known.iter().copied().find(|event| *event == here));
            let here = here.map(|here| at.dialect.event_spelled_like(here, name));
            found.code = Code::HW202;
            let owner = owner.name();
            found.message = match here {
                Some(here) => format!("{name} is an event of {owner}; {agent} calls it {here} and never fires {name}"),
                None => format!("{name} is an event of {owner}; {agent} has no such event, so none of its hooks run"),
            };
            let none = || format!("delete it; `hookbench events` lists the events of {agent}");
            found.help = Some(here.map_or_else(none, |here| format!("rename it to {here}")));
            // A file that several agents read can have the event of each.
            if let Some(here) = here.filter(|here| is_taken(at, span, here)) {
                found.severity = Severity::Info;
                found.help = Some(format!("nothing to do for {agent}: the file has hooks of {here}, too"));
            }
            here
        }
        None if is_git_hook(name) => None,
        None => same
            .or_else(|| with_usual_words(name, &known))
            .or_else(|| nearest(name, &known))
            .map(|event| at.dialect.event_spelled_like(event, name)),
    };
    let Some(meant) = meant else { return };
    if found.code == Code::HW201 {
        let shown = if name.trim() == name { name.to_owned() } else { format!("\"{name}\" (with a space)") };
        found.message = format!("{agent} has no event {shown}, so none of its hooks run; did you mean {meant}?");
        let verb = if is_taken(at, span, meant) { "move its hooks" } else { "rename it" };
        found.help = Some(format!("{verb} to {meant}; event names are case-sensitive"));
    }
    if holds_a_list(at, span) {
        found.fix = if is_taken(at, span, meant) { moved(at, span, meant) } else { renamed(at, span, name, meant) };
    }
}

/// Moves the items of a misspelt event to those of the event, in a file that has both. Not in TOML, whose headers repeat.
fn moved(at: &AgentContext<'_>, span: Span, meant: &str) -> Option<Fix> {
    let text = at.sources.text(span.source);
    let syntax = JsonSyntax { bom: true, ..at.dialect.settings_format().syntax };
    let root = parse_json(span.source, text, syntax).ok()?;
    let events = find_parent_of_key(&root, span)?;
    let members = events.members()?;
    let index = members.iter().position(|member| member.key_span == span)?;
    let items: Vec<Value> = members.get(index)?.value.items()?.iter().map(Node::to_value).collect();
    let list = &members.iter().find(|member| member.key == meant)?.value;
    list.items()?;
    let depth = if events.span == root.span { 1 } else { 2 };
    let added = JsonLayout::new(text, Some(&root)).append_items(list, depth, &items);
    let removed = remove_element(text, events, index, RemovedGap::After);
    let edits = removed.iter().cloned().chain(added);
    Some(Fix::new(false, span.source, edits))
}

/// Whether the file of a name has hooks of an event.
fn is_taken(at: &AgentContext<'_>, span: Span, event: &str) -> bool {
    at.loaded.definitions.iter().any(|d| d.event == event && d.provenance.span.source == span.source)
}

/// Whether a name is a hook of git or of another tool and only looks like an agent's event.
fn is_git_hook(name: &str) -> bool {
    let folded = folded(name);
    ["commit", "push", "edit", "write", "merge", "checkout"]
        .iter()
        .any(|what| ["pre", "post"].iter().any(|when| folded == format!("{when}{what}")))
}

/// Whether the event's value is a list, so that renaming the key is enough. In TOML the name is in a table header.
fn holds_a_list(at: &AgentContext<'_>, span: Span) -> bool {
    let text = at.sources.text(span.source);
    let rest = text.get(span.end..).unwrap_or("").trim_start();
    let value = rest.strip_prefix(':').map(str::trim_start);
    is_toml(at.sources.path(span.source)) || value.is_some_and(|value| value.starts_with(['[', '-']))
}

/// Groups several events of another agent in one file as one finding: they were copied together.
pub(in crate::lint) fn group_foreign_events(at: &AgentContext<'_>, found: &mut [Diagnostic]) {
    const BLOCK: usize = 3;
    let foreign =
        |one: &Diagnostic| one.span.filter(|_| matches!(one.code, Code::HW201 | Code::HW202)).map(|span| span.source);
    let sources: Vec<_> = found.iter().filter_map(foreign).collect();
    for one in found.iter_mut() {
        let Some(source) = foreign(one) else { continue };
        if sources.iter().filter(|other| **other == source).count() >= BLOCK {
            one.cause = Some(format!("another agent's events in {}", at.sources.name(source)));
        }
    }
}

/// Words that people write for the words of event names, in lower case.
const OTHER_WORDS: [(&str, &str); 10] = [
    ("call", "use"),
    ("call", ""),
    ("execution", "use"),
    ("execution", ""),
    ("execute", "use"),
    ("invocation", "use"),
    ("invoke", "use"),
    ("run", "use"),
    ("error", "failure"),
    ("begin", "start"),
];

/// Returns the event that has another usual word in the place of one in the name.
fn with_usual_words(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let written = folded(name);
    OTHER_WORDS.iter().filter(|(word, _)| written.contains(word)).find_map(|(word, usual)| {
        let meant = written.replace(word, usual);
        known.iter().copied().find(|event| folded(event) == meant)
    })
}

fn with_small_letter(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}

fn folded(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Renames the event. In TOML, in every table header.
fn renamed(at: &AgentContext<'_>, span: Span, name: &str, meant: &str) -> Option<Fix> {
    let text = at.sources.text(span.source);
    if !is_toml(at.sources.path(span.source)) {
        return Some(Fix::proposal(span, quote_literal(meant)));
    }
    let mut edits = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let header = line.trim_start().starts_with('[');
        if let Some(at) = line.find(&format!("hooks.{name}")).filter(|_| header) {
            let from = start + at + "hooks.".len();
            let end = from + name.len();
            let whole = text.get(end..).is_some_and(|rest| rest.starts_with(['.', ']']));
            edits.extend(whole.then(|| TextEdit::replace(from, end, meant)));
        }
        start += line.len();
    }
    (!edits.is_empty()).then(|| Fix::new(false, span.source, edits))
}
