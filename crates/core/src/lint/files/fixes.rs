//! Fixes for findings of the agents' readers. They work on the text at the finding's span, so they are the same
//! for every agent.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::settings_tree::remove_member;
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::dialects::AgentContext;
use crate::lint::is_toml;
use crate::text::edit::{TextEdit, member_text};
use crate::text::{JsonSyntax, Member, Node, SourceId, Span, parse_json, quote_literal, stringify_pretty};

/// Commas that a fix changes at most: each costs another reading of the file.
const MOST_COMMAS: usize = 32;

/// Keys that belong to a group. All other keys next to them belong to a handler.
const OF_GROUP: [&str; 2] = ["matcher", "sequential"];

/// Adds fixes to findings. Each file is parsed only once.
pub(in crate::lint) fn add_fixes(at: &AgentContext<'_>, found: &mut [Diagnostic]) {
    let mut roots: HashMap<SourceId, Option<Node>> = HashMap::new();
    for one in found.iter_mut().filter(|one| one.fix.is_none() && FIXED.contains(&one.code)) {
        let Some(span) = one.span else { continue };
        if is_toml(at.sources.path(span.source)) {
            one.fix = match one.code {
                Code::HW103 => insert_toml_header(at, span),
                Code::HW207 => switch_on(at, span),
                _ => None,
            };
            continue;
        }
        if one.code == Code::HW101 {
            one.fix = mend_commas(at, span.source);
            continue;
        }
        let root = roots.entry(span.source).or_insert_with(|| {
            let syntax = JsonSyntax { bom: true, ..at.dialect.settings_format().syntax };
            parse_json(span.source, at.sources.text(span.source), syntax).ok()
        });
        one.fix = root.as_ref().and_then(|root| fix_for(at, root, one.code, span));
    }
}

/// The codes with a fix in this module.
const FIXED: [Code; 10] = [
    Code::HW101,
    Code::HW102,
    Code::HW103,
    Code::HW104,
    Code::HW105,
    Code::HW106,
    Code::HW108,
    Code::HW207,
    Code::HW310,
    Code::HW701,
];

fn fix_for(at: &AgentContext<'_>, root: &Node, code: Code, span: Span) -> Option<Fix> {
    match code {
        Code::HW102 => {
            let matcher = find_value(root, span)?;
            if matcher.as_str() == Some("") { remove_value(at, root, span) } else { join_names(matcher) }
        }
        Code::HW103 => {
            let is_in_group =
                find_parent(root, span).is_some_and(|group| group.get("hooks").is_some_and(|own| own.span == span));
            wrap_in_group(find_value(root, span)?, is_in_group)
        }
        Code::HW104 => group_by_event(at, find_value(root, span)?),
        Code::HW105 => {
            let value = find_value(root, span)?;
            rename_command_key(value).or_else(|| unquote_number(value))
        }
        Code::HW106 => fix_type(
            at,
            find_value(root, span).filter(|node| node.members().is_some()).or_else(|| find_parent(root, span))?,
        ),
        Code::HW108 => {
            let index = root.members()?.iter().position(|member| member.key_span == span)?;
            let key = &root.members()?.get(index)?.key;
            // An event is not deleted: it only has to be moved.
            let event = at.dialect.events(at.version).iter().any(|event| event.name == key);
            (!event).then(|| remove_member(at.sources, root, index))
        }
        Code::HW207 => switch_on(at, span).or_else(|| {
            let parent = find_parent_of_key(root, span)?;
            let index = parent.members()?.iter().position(|member| member.key_span == span)?;
            Some(remove_member(at.sources, parent, index))
        }),
        // The member whose value is at the span: an ignored key, or a switch that turns hooks off.
        _ => remove_value(at, root, span),
    }
}

/// Deletes the member whose value is at the span.
fn remove_value(at: &AgentContext<'_>, root: &Node, span: Span) -> Option<Fix> {
    let parent = find_parent(root, span)?;
    let index = parent.members()?.iter().position(|member| member.value.span == span)?;
    Some(remove_member(at.sources, parent, index))
}

/// Returns the value with this span.
fn find_value(node: &Node, span: Span) -> Option<&Node> {
    if node.span == span {
        return Some(node);
    }
    let inside = |node: &&Node| node.span.start <= span.start && span.end <= node.span.end;
    children(node).find(inside).and_then(|child| find_value(child, span))
}

/// Returns the object that has a member value with this span.
fn find_parent(node: &Node, span: Span) -> Option<&Node> {
    if node.members().is_some_and(|members| members.iter().any(|member| member.value.span == span)) {
        return Some(node);
    }
    let inside = |node: &&Node| node.span.start <= span.start && span.end <= node.span.end;
    children(node).find(inside).and_then(|child| find_parent(child, span))
}

/// Returns the object that has a member with its key at this span.
pub(in crate::lint) fn find_parent_of_key(node: &Node, span: Span) -> Option<&Node> {
    if node.members().is_some_and(|members| members.iter().any(|member| member.key_span == span)) {
        return Some(node);
    }
    let inside = |node: &&Node| node.span.start <= span.start && span.end <= node.span.end;
    children(node).find(inside).and_then(|child| find_parent_of_key(child, span))
}

fn children(node: &Node) -> impl Iterator<Item = &Node> {
    let values = node.members().unwrap_or(&[]).iter().map(|member| &member.value);
    values.chain(node.items().unwrap_or(&[]))
}

/// HW207: writes `true` in the place of the `false` that switches hooks off.
fn switch_on(at: &AgentContext<'_>, span: Span) -> Option<Fix> {
    let text = at.sources.text(span.source).get(span.start..span.end)?;
    let edit = TextEdit { start: span.start, end: span.end, text: "true".to_owned() };
    (text == "false").then(|| Fix::new(false, span.source, vec![edit]))
}

/// HW101: removes the commas that are too many and inserts those that are missing before the next line, if the text is
/// valid then.
fn mend_commas(at: &AgentContext<'_>, source: SourceId) -> Option<Fix> {
    let text = at.sources.text(source);
    let syntax = JsonSyntax { bom: true, ..at.dialect.settings_format().syntax };
    let mut mended = text.to_owned();
    let (mut edits, mut inserted) = (Vec::new(), 0);
    while let Err(error) = parse_json(source, &mended, syntax) {
        if edits.len() == MOST_COMMAS {
            return None;
        }
        // All mistakes before this place are fixed, so the text is longer by a comma for each inserted one.
        if error.message.starts_with("a comma ") {
            edits.push(TextEdit::remove(error.at - inserted, error.at - inserted + 1));
            mended.replace_range(error.at..=error.at, " ");
        } else if error.message.starts_with("expected `,`") {
            let before = mended.get(..error.at)?;
            let end = before.trim_end().len();
            before.get(end..).filter(|gap| gap.contains('\n'))?;
            edits.push(TextEdit::insert(end - inserted, ","));
            mended.insert(end, ',');
            inserted += 1;
        } else {
            return None;
        }
    }
    (!edits.is_empty()).then(|| Fix::new(true, source, edits))
}

/// HW104: converts a list of entries with event names into an object of events.
fn group_by_event(at: &AgentContext<'_>, list: &Node) -> Option<Fix> {
    let known = at.dialect.events(at.version);
    let mut events: Map<String, Value> = Map::new();
    for item in list.items().filter(|items| !items.is_empty())? {
        let event = ["event", "on", "hook_event_name"].iter().find_map(|key| item.get(key)?.as_str())?;
        known.iter().find(|spec| spec.name == event)?;
        let mut handler: Map<String, Value> = Map::new();
        handler.insert("type".to_owned(), json!("command"));
        handler.insert("command".to_owned(), json!(item.get("command")?.as_str()?));
        handler.extend(item.get("timeout").map(|limit| ("timeout".to_owned(), limit.to_value())));
        let mut group: Map<String, Value> = Map::new();
        group.extend(item.get("matcher").map(|matcher| ("matcher".to_owned(), matcher.to_value())));
        group.insert("hooks".to_owned(), json!([handler]));
        let groups = events.entry(event).or_insert_with(|| json!([]));
        groups.as_array_mut()?.push(Value::Object(group));
    }
    Some(Fix::proposal(list.span, stringify_pretty(&Value::Object(events))))
}

/// HW105: renames the key to `command`.
fn rename_command_key(handler: &Node) -> Option<Fix> {
    const OTHERS: [&str; 7] = ["cmd", "commands", "comand", "script", "run", "exec", "shell_command"];
    let lacks = handler.get("command").is_none() && handler.get("type").and_then(Node::as_str) == Some("command");
    let member = handler.members().filter(|_| lacks)?.iter().find(|member| OTHERS.contains(&member.key.as_str()))?;
    member.value.as_str().map(|_| Fix::proposal(member.key_span, quote_literal("command")))
}

/// HW105: a number that was written as a text.
fn unquote_number(value: &Node) -> Option<Fix> {
    let text = value.as_str()?.trim();
    let is_number = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()) && !text.starts_with('0');
    is_number.then(|| Fix::proposal(value.span, text))
}

/// HW106: corrects the case of the type, or inserts a missing type.
fn fix_type(at: &AgentContext<'_>, handler: &Node) -> Option<Fix> {
    let Some(kind) = handler.get("type") else {
        let first = handler.get("command").and_then(Node::as_str).and(handler.members()?.first())?;
        let place = Span::new(first.key_span.source, first.key_span.start, first.key_span.start);
        return Some(Fix::proposal(place, "\"type\": \"command\", "));
    };
    let written = kind.as_str()?;
    let known = at.dialect.settings_format().handlers.iter().map(|form| form.kind);
    let meant = known.into_iter().find(|known| known.eq_ignore_ascii_case(written) && *known != written)?;
    Some(Fix::proposal(kind.span, quote_literal(meant)))
}

/// HW102: joins a list of names into one matcher.
fn join_names(matcher: &Node) -> Option<Fix> {
    let names: Vec<&str> = matcher.items()?.iter().map(Node::as_str).collect::<Option<_>>()?;
    (!names.is_empty()).then(|| Fix::proposal(matcher.span, quote_literal(&names.join("|"))))
}

/// HW103: adds the missing list around a group, or around a handler in a group, or the missing group around a handler.
fn wrap_in_group(node: &Node, is_in_group: bool) -> Option<Fix> {
    let members = node.members()?;
    let is_handler = ["type", "command"].iter().any(|key| node.get(key).is_some());
    if is_in_group && is_handler || node.get("hooks").is_some_and(|hooks| hooks.items().is_some()) {
        let list = TextEdit::wrap(node.span.start, node.span.end, "[", "]");
        return Some(Fix::new(true, node.span.source, list));
    }
    let command = node.get("command").and_then(Node::as_str);
    let typed = node.get("type").and_then(Node::as_str);
    if node.get("hooks").is_some() || (typed.is_none() && (command.is_none() || node.get("type").is_some())) {
        return None;
    }
    let kind = if typed.is_none() { "\"type\": \"command\", " } else { "" };
    let own = |member: &&Member| OF_GROUP.contains(&member.key.as_str());
    let inner: Vec<usize> = (0..members.len()).filter(|index| !members.get(*index).is_some_and(|m| own(&m))).collect();
    let (first, last) = (*inner.first()?, *inner.last()?);
    let (start, end) = (members.get(first)?.key_span.start, members.get(last)?.value.span.end);
    if last - first + 1 == inner.len() {
        let group = TextEdit::wrap(start, end, format!("\"hooks\": [{{ {kind}"), " }]");
        return Some(Fix::new(true, node.span.source, group));
    }
    // If the matcher is in the middle of the handler's keys, it is moved before them.
    let (at, matcher) = members.iter().enumerate().find(|(_, member)| own(member))?;
    let next = members.get(at + 1)?;
    let moved = member_text(&matcher.key, &matcher.value.as_str().map(quote_literal)?);
    let gone = TextEdit::remove(matcher.key_span.start, next.key_span.start);
    let group = TextEdit::wrap(start, end, format!("{moved}, \"hooks\": [{{ {kind}"), " }]");
    let alone = members.iter().filter(own).count() == 1;
    alone.then(|| Fix::new(true, node.span.source, group.into_iter().chain([gone])))
}

/// HW103: adds the missing TOML header before a handler's keys.
fn insert_toml_header(at: &AgentContext<'_>, span: Span) -> Option<Fix> {
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
        } else if let (Some(event), Some((key, _))) = (&event, trimmed.split_once('='))
            && !OF_GROUP.contains(&key.trim())
        {
            let header = format!("[[hooks.{event}.hooks]]\n");
            let mut later = text.get(place..)?.lines().take_while(|line| !line.trim().starts_with('['));
            // A matcher after the header would become part of the handler.
            let behind = |line: &str| line.split_once('=').is_some_and(|(key, _)| OF_GROUP.contains(&key.trim()));
            return (!later.any(behind)).then(|| Fix::new(true, span.source, [TextEdit::insert(place, header)]));
        }
        place += line.len();
    }
    None
}
