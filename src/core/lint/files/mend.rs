//! Fixes for what readers have found: by the text at its place, so that they are the same for every agent.

use crate::core::diagnostic::{Diagnostic, Edit, Fix};
use crate::core::dialects::Whole;
use crate::core::text::{Member, Node, Span, Syntax, parse_json, quoted};

/// Keys that belong to a group; all others of a handler that stands in its place go with the handler.
const OF_GROUP: [&str; 2] = ["matcher", "sequential"];

/// Gives a finding of a reader its fix.
pub(in crate::core::lint) fn mend(at: &Whole<'_>, found: &mut Diagnostic) {
    let Some(span) = found.span.filter(|_| found.fix.is_none()) else { return };
    found.fix = match found.code {
        "HW102" => node(at, span).and_then(|matcher| joined(&matcher)),
        "HW103" if at.sources.path(span.source).ends_with(".toml") => table(at, span),
        "HW103" => node(at, span).and_then(|group| wrapped(&group)),
        _ => None,
    };
}

/// The JSON at a place.
fn node(at: &Whole<'_>, span: Span) -> Option<Node> {
    let before = " ".repeat(span.start);
    // Blanks before it keep every place what it is in the file.
    let text = format!("{before}{}", at.sources.slice(span));
    parse_json(span.source, &text, Syntax { comments: true, trailing_commas: true, bom: true }).ok()
}

/// A list of names as one matcher.
fn joined(matcher: &Node) -> Option<Fix> {
    let names: Vec<&str> = matcher.items()?.iter().map(Node::as_str).collect::<Option<_>>()?;
    (!names.is_empty()).then(|| Fix::proposal(matcher.span, quoted(&names.join("|"))))
}

/// The list that is missing around a group or a handler, or the group around a handler.
fn wrapped(node: &Node) -> Option<Fix> {
    let members = node.members()?;
    let insert = |at: usize, text: &str| Edit { span: Span::new(node.span.source, at, at), text: text.to_owned() };
    let safe = |edits| Some(Fix { safe: true, edits, executable: Vec::new() });
    if node.get("hooks").is_some_and(|hooks| hooks.items().is_some()) {
        return safe(vec![insert(node.span.start, "["), insert(node.span.end, "]")]);
    }
    if node.get("hooks").is_some() || node.get("type").and_then(Node::as_str).is_none() {
        return None;
    }
    let own = |member: &&Member| OF_GROUP.contains(&member.key.as_str());
    let inner: Vec<usize> = (0..members.len()).filter(|index| !members.get(*index).is_some_and(|m| own(&m))).collect();
    let (first, last) = (*inner.first()?, *inner.last()?);
    let (start, end) = (members.get(first)?.key_span.start, members.get(last)?.value.span.end);
    if last - first + 1 == inner.len() {
        return safe(vec![insert(start, "\"hooks\": [{ "), insert(end, " }]")]);
    }
    // The matcher stands in the midst of the handler: it goes before it.
    let (at, matcher) = members.iter().enumerate().find(|(_, member)| own(member))?;
    let next = members.get(at + 1)?;
    let key = format!("{}: ", quoted(&matcher.key));
    let value = matcher.value.as_str().map(quoted)?;
    let gone =
        Edit { span: Span::new(node.span.source, matcher.key_span.start, next.key_span.start), text: String::new() };
    let alone = members.iter().filter(own).count() == 1;
    alone.then_some(())?;
    safe(vec![insert(start, &format!("{key}{value}, \"hooks\": [{{ ")), gone, insert(end, " }]")])
}

/// The header that is missing before a handler's keys in TOML.
fn table(at: &Whole<'_>, span: Span) -> Option<Fix> {
    let text = at.sources.text(span.source);
    let start = text.get(..=span.start)?.rfind('\n').map_or(0, |at| at + 1);
    let mut place = start;
    let mut event = None;
    for line in text.get(start..)?.split_inclusive('\n') {
        let trimmed = line.trim();
        if let Some(name) = trimmed.strip_prefix("[[hooks.").and_then(|rest| rest.strip_suffix("]]")) {
            if event.is_some() {
                return None;
            }
            event = Some(name.to_owned());
        } else if trimmed.starts_with('[') {
            return None;
        } else if let (Some(event), Some((key, _))) = (&event, trimmed.split_once('=')) {
            if !OF_GROUP.contains(&key.trim()) {
                let header = format!("[[hooks.{event}.hooks]]\n");
                let edits = vec![Edit { span: Span::new(span.source, place, place), text: header }];
                let later = text.get(place..)?.lines().take_while(|line| !line.trim().starts_with('['));
                let matcher =
                    later.filter_map(|line| line.split_once('=')).any(|(key, _)| OF_GROUP.contains(&key.trim()));
                return (!matcher).then_some(Fix { safe: true, edits, executable: Vec::new() });
            }
        }
        place += line.len();
    }
    None
}
