//! HW619: a script that reads keys that its event does not have.

use std::collections::BTreeSet;

use hookbench_script::{Compared, PathKey, Walked};

use super::event_payload::sent_keys;
use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::{ALL, Agent, RuleContext, default_version};
use crate::lint::handler_spans;
use crate::port::sent_path;
use crate::script_keys::{GUESSED_INPUT_KEYS, meant_keys};
use crate::text::{Span, nearest_within};

/// Keys that any event of a subagent may have.
const SUBAGENT_KEYS: [&str; 2] = ["agent_id", "agent_type"];
/// Keys of tool inputs that identify the tool.
const IDENTIFYING_KEYS: [&str; 7] =
    ["command", "file_path", "absolute_path", "content", "new_string", "pattern", "url"];
/// The path of a file in some agents, and an optional directory in others.
const ANOTHER_PATH: &str = "path";
/// Those of them that are never optional.
const NEVER_OPTIONAL: [&str; 3] = ["command", "file_path", "new_string"];

pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some(hook) = HookText::of(at) else { return Vec::new() };
    let Some(walked) = hook.walk(at) else { return Vec::new() };
    let (text, keys) = (&*hook.text, &walked.reads);
    // A script that checks which event it was called for, or that is configured for several, may read keys that
    // this one lacks.
    if keys.is_empty() || text.contains("hook_event_name") || names_an_event(at) {
        return Vec::new();
    }
    let carried = sent_keys(at);
    let reads = |name: &str| keys.iter().any(|key| key.first().is_some_and(|first| first == name));
    let mut found = Vec::new();
    for key in keys {
        // A star is a key that is not known.
        let Some(first) = key.first().filter(|first| *first != "*") else { continue };
        // A script that asks for the key handles its absence.
        let is_asked_for = walked.asks_for.contains(first);
        let is_sent = |path: &Vec<PathKey>| {
            path.first().is_some_and(|first| carried.contains(first) || SUBAGENT_KEYS.contains(&first.as_str()))
        };
        let is_replaced = walked.alternatives.contains(key) && walked.alternatives.iter().any(is_sent);
        if is_asked_for || is_replaced || carried.contains(first.as_str()) || SUBAGENT_KEYS.contains(&first.as_str()) {
            continue;
        }
        let right: Vec<&str> = meant_keys(first).iter().copied().filter(|key| carried.contains(*key)).collect();
        // Also where the intended key exists only in another event.
        let elsewhere = other_event_with(at, first).map(|event| (event, first.as_str()));
        let elsewhere =
            elsewhere.or_else(|| meant_keys(first).iter().find_map(|key| Some((other_event_with(at, key)?, *key))));
        // A library reads the keys of all events for which its scripts are configured, and of all agents.
        if at.is_of_library(first) && (elsewhere.is_some() || is_sent_by_any(first)) {
            continue;
        }
        let inside = std::iter::once(first.as_str()).chain(meant_keys(first).iter().copied());
        let inside = inside.filter(|_| right.is_empty()).find_map(|key| place_in_payload(at, key));
        if right.is_empty() && inside.is_none() && elsewhere.is_none() {
            let near = misspelt(first, &carried).filter(|near| !reads(near));
            let is_alone = !walked.alternatives.contains(key);
            if !is_sent_by_any(first) && (near.is_some() || is_alone) {
                found.push(unknown_key(at, first, near).at(place(at, text, first)).with_cause(format!("`{first}`")));
            }
            continue;
        }
        // A script that also reads the right key handles both.
        if right.iter().any(|key| reads(key)) {
            continue;
        }
        let says =
            format!("this hook reads `{first}`, which {} does not contain in {}", at.event.name, at.agent_name());
        let right = right.first().map(|key| (*key).to_owned()).or(inside);
        let help = match (right, elsewhere) {
            (Some(right), _) => format!("read `{right}` instead"),
            (None, Some((event, key))) if key == first => format!("hook {event} instead, which contains it"),
            (None, Some((event, key))) => format!("hook {event} instead: `{key}` contains it"),
            (None, None) => continue,
        };
        found.push(
            Diagnostic::new(Code::HW619, says)
                .at(place(at, text, first))
                .with_help(help)
                .with_cause(format!("`{first}`")),
        );
    }
    let of_tools = check_other_tools_key(at, &walked, text, &carried)
        .or_else(|| check_guessed_key(at, keys, text, &carried))
        .or_else(|| check_unread_tool(at, keys));
    found.extend(of_tools);
    found
}

/// The keys that lead to a key's value inside another key of the payload, as `tool_call.name`. `None` if it is not inside one.
fn place_in_payload(at: &RuleContext<'_>, key: &str) -> Option<String> {
    let examples = at.agent.examples(at.event);
    let body = examples.iter().map(|example| &example.body).find(|body| body.get(key).is_some())?;
    let keys = sent_path(at.agent.dialect, &at.definition.event, body, key)?;
    (keys.len() > 1).then(|| keys.join("."))
}

/// Whether any agent sends the key on any event.
fn is_sent_by_any(key: &str) -> bool {
    let sends = |dialect: &&'static Agent| {
        let events = dialect.events(&default_version(dialect));
        events.iter().any(|event| event.fields.iter().any(|field| field.name == key))
    };
    ALL.iter().any(sends)
}

/// The finding about a key that no agent sends, and the one that was probably meant.
fn unknown_key(at: &RuleContext<'_>, key: &str, near: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(Code::HW619, format!("this hook reads `{key}`, which {} never sends", at.agent_name()));
    let own: Vec<String> = at.event.fields.iter().map(|field| format!("`{}`", field.name)).collect();
    match near {
        Some(near) => found.with_help(format!("read `{near}` instead")),
        None if own.is_empty() => found,
        None => found.with_help(format!("{} has the keys {}", at.event.name, own.join(", "))),
    }
}

/// The key of which at most two letters differ.
fn misspelt<'a>(key: &str, carried: &'a BTreeSet<String>) -> Option<&'a str> {
    const SHORTEST: usize = 6;
    let carried: Vec<&str> = carried.iter().map(String::as_str).collect();
    nearest_within(key, &carried, if key.len() < 9 { 1 } else { 2 }).filter(|_| key.len() >= SHORTEST)
}

/// Whether the command passes an event name to its script (`log.py --event stop`), so that the script serves
/// several.
fn names_an_event(at: &RuleContext<'_>) -> bool {
    let folded = |text: &str| {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect::<String>()
    };
    let (Some(command), Some(script)) = (at.command(), at.script) else { return false };
    let name = script.path.rsplit('/').next().unwrap_or(&script.path);
    let Some((_, arguments)) = command.split_once(name) else { return false };
    let known: Vec<String> = at.agent.dialect.events(at.agent.version).iter().map(|event| folded(event.name)).collect();
    let words = arguments.split([' ', '=', ':', '\t']).map(folded);
    words.filter(|word| !word.is_empty()).any(|word| known.contains(&word))
}

/// Returns another event of the agent with a non-optional key of this name.
fn other_event_with(at: &RuleContext<'_>, key: &str) -> Option<&'static str> {
    let events = at.agent.dialect.events(at.agent.version);
    let has = |event: &&&'static crate::hook::EventSpec| {
        event.fields.iter().any(|field| field.name == key && !field.optional)
    };
    events.iter().find(has).map(|event| event.name)
}

/// HW619: a key of the input of a tool that the matcher does not match.
fn check_other_tools_key(
    at: &RuleContext<'_>,
    walked: &Walked,
    text: &str,
    carried: &BTreeSet<String>,
) -> Option<Diagnostic> {
    let matcher = at.definition.matcher.as_ref()?.as_str()?;
    if !carried.contains("tool_input") || matcher.is_empty() {
        return None;
    }
    let whole = at.agent;
    let inner: Vec<&str> = walked
        .reads
        .iter()
        .filter(|key| key.first().is_some_and(|first| first == "tool_input"))
        .filter_map(|key| key.get(1).map(String::as_str))
        .collect();
    let (mut mine, mut others): (BTreeSet<&str>, BTreeSet<&str>) = (BTreeSet::new(), BTreeSet::new());
    let mut matched: Vec<&str> = Vec::new();
    let examples = whole.examples(at.event);
    let of_matcher = whole.matched_examples(at.event, at.definition.matcher.as_ref());
    for (example, (subject, is_match)) in examples.iter().zip(of_matcher.iter()) {
        let input = example.body.get("tool_input").and_then(serde_json::Value::as_object);
        let names = input.into_iter().flatten().map(|(key, _)| key.as_str());
        match is_match {
            Some(true) => {
                mine.extend(names);
                matched.extend(subject.value.as_deref());
            }
            Some(false) => others.extend(names),
            None => return None,
        }
    }
    let tool = matched.first()?;
    // A script that asks for the tool has a way for each.
    let names_it =
        |one: &Compared| one.path == ["tool_name"] && one.text.as_deref().is_some_and(|text| matched.contains(&text));
    if walked.compared.iter().any(names_it) {
        return None;
    }
    // The matcher may also match tools without an example.
    let unknown = at
        .event
        .subjects
        .iter()
        .any(|name| !matched.contains(name) && whole.matches_value(at.event, matcher, name) == Some(true));
    if unknown || inner.iter().any(|key| mine.contains(*key)) {
        return None;
    }
    if !mine.iter().any(|key| IDENTIFYING_KEYS.contains(key) || *key == ANOTHER_PATH) {
        return None;
    }
    let known = |key: &str| (others.contains(key) || NEVER_OPTIONAL.contains(&key)) && !at.is_of_library(key);
    let wrong = inner.iter().find(|key| IDENTIFYING_KEYS.contains(key) && known(key) && !mine.contains(**key))?;
    let has: Vec<String> = mine.iter().map(|key| format!("`{key}`")).collect();
    let says =
        format!("this hook reads `tool_input.{wrong}`, but it runs for {tool}, whose input does not have this key");
    let place = place(at, text, wrong);
    Some(
        Diagnostic::new(Code::HW619, says)
            .at(place)
            .with_help(format!("the input of {tool} has the keys {}", has.join(", "))),
    )
}

/// HW619: a guessed key that no matching tool has, where all of them have the right one.
fn check_guessed_key(
    at: &RuleContext<'_>,
    keys: &[Vec<PathKey>],
    text: &str,
    carried: &BTreeSet<String>,
) -> Option<Diagnostic> {
    let matcher = at.definition.matcher.as_ref()?.as_str()?;
    if !carried.contains("tool_input") || matcher.is_empty() || matcher.contains("mcp") {
        return None;
    }
    let read = |name: &str| {
        keys.iter().any(|key| matches!(key.as_slice(), [outer, inner, ..] if outer == "tool_input" && inner == name))
    };
    let inputs = matched_inputs(at);
    let (tool, _) = inputs.first()?;
    let (wrong, right) = GUESSED_INPUT_KEYS.iter().find(|(wrong, right)| {
        let mistaken = |input: &BTreeSet<String>| input.contains(*right) && !input.contains(*wrong);
        read(wrong) && !read(right) && !at.is_of_library(wrong) && inputs.iter().all(|(_, input)| mistaken(input))
    })?;
    let says =
        format!("this hook reads `tool_input.{wrong}`, but it runs for {tool}, whose input does not have this key");
    Some(Diagnostic::new(Code::HW619, says).at(place(at, text, wrong)).with_help(format!("read `{right}` instead")))
}

/// The tools with an example that the matcher matches, each with the keys of its input.
fn matched_inputs(at: &RuleContext<'_>) -> Vec<(String, BTreeSet<String>)> {
    let whole = at.agent;
    let examples = whole.examples(at.event);
    let of_matcher = whole.matched_examples(at.event, at.definition.matcher.as_ref());
    let matched = examples.iter().zip(of_matcher.iter()).filter(|(_, (_, is_match))| *is_match == Some(true));
    let inputs = matched.filter_map(|(example, (subject, _))| {
        let input = example.body.get("tool_input").and_then(serde_json::Value::as_object)?;
        Some((subject.value.clone()?, input.keys().cloned().collect()))
    });
    inputs.collect()
}

/// HW619: a tool that the matcher names, and whose path the script does not read, while it reads that of the others.
fn check_unread_tool(at: &RuleContext<'_>, keys: &[Vec<PathKey>]) -> Option<Diagnostic> {
    let matcher = at.definition.matcher.as_ref()?.as_str()?;
    let inner = |key: &Vec<PathKey>| match key.as_slice() {
        [outer, inner, ..] if outer == "tool_input" => Some(inner.clone()),
        _ => None,
    };
    // A script that keeps the whole input may look at any key.
    let mut of_input = keys.iter().filter(|key| key.first().is_some_and(|first| first == "tool_input"));
    let read: Vec<String> = of_input.clone().filter_map(inner).collect();
    if !of_input.all(|key| key.len() > 1) || !read.iter().any(|key| key.ends_with("_path")) {
        return None;
    }
    let reads_of = |input: &BTreeSet<String>| read.iter().any(|key| input.contains(key));
    let (unread, others): (Vec<_>, Vec<_>) = matched_inputs(at).into_iter().partition(|(_, input)| !reads_of(input));
    let is_other = |tool: &str| others.iter().any(|(other, _)| other == tool);
    let has_path = |input: &BTreeSet<String>| input.iter().any(|key| key.ends_with("_path"));
    let named = |tool: &str| matcher.contains(tool) && !is_other(tool);
    let (tool, input) = unread.iter().find(|(tool, input)| named(tool) && has_path(input))?;
    if others.is_empty() {
        return None;
    }
    let shown: Vec<String> = input.iter().map(|key| format!("`{key}`")).collect();
    let message = format!("this hook runs for {tool}, too, but reads no key of its input");
    let found = Diagnostic::lowered(Code::HW619, Severity::Info, message).at(handler_spans::value_span(at, "matcher"));
    Some(found.with_help(format!("the input of {tool} has the keys {}", shown.join(", "))))
}

/// Returns where a key is read: the place in the script, or the command.
fn place(at: &RuleContext<'_>, text: &str, key: &str) -> Span {
    let reads = |line: &&str| {
        let code = line.trim_start();
        !code.starts_with('#') && !code.starts_with("//") && line.contains(key)
    };
    let exact = |line: &&str| [".", "\"", "'"].iter().any(|before| line.contains(&format!("{before}{key}")));
    let lines: Vec<&str> = text.lines().collect();
    let index = lines.iter().position(|line| reads(line) && exact(line)).or_else(|| lines.iter().position(reads));
    match (at.script, index) {
        (Some(script), Some(index)) => {
            let whole = script.line_span(index);
            let found = script.text.get(whole.start..whole.end).and_then(|line| line.find(key));
            found.map_or(whole, |from| script.span(whole.start + from, whole.start + from + key.len()))
        }
        (Some(script), None) => script.inclusion_with(key).unwrap_or_else(|| handler_spans::value_span(at, "command")),
        (None, _) => handler_spans::value_span(at, "command"),
    }
}
