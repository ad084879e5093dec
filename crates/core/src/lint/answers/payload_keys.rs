//! HW619: a script that reads keys that its event does not have.

use std::collections::BTreeSet;

use hookbench_script::PathKey;

use super::event_payload::sent_keys;
use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::{ALL, Agent, RuleContext, default_version};
use crate::lint::handler_spans;
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
        let Some(first) = key.first() else { continue };
        // A script that asks for the key handles its absence.
        let is_asked_for = walked.asks_for.contains(first);
        if is_asked_for || carried.contains(first.as_str()) || SUBAGENT_KEYS.contains(&first.as_str()) {
            continue;
        }
        let right: Vec<&str> = meant_keys(first).iter().copied().filter(|key| carried.contains(*key)).collect();
        // Also where the intended key exists only in another event.
        let elsewhere = other_event_with(at, first).map(|event| (event, first.as_str()));
        let elsewhere =
            elsewhere.or_else(|| meant_keys(first).iter().find_map(|key| Some((other_event_with(at, key)?, *key))));
        // A script that also reads the right key handles both.
        if right.is_empty()
            && elsewhere.is_none()
            && let Some(near) = misspelt(first, &carried).filter(|near| !reads(near))
        {
            let says = format!("this hook reads `{first}`, which {} never sends", at.agent_name());
            let help = format!("read `{near}` instead");
            found.push(Diagnostic::new(Code::HW619, says).at(place(at, text, first)).with_help(help));
            continue;
        }
        if right.iter().any(|key| reads(key)) || (right.is_empty() && elsewhere.is_none()) {
            continue;
        }
        let says =
            format!("this hook reads `{first}`, which {} does not contain in {}", at.event.name, at.agent_name());
        let help = match (right.first(), elsewhere) {
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
    found.extend(
        check_other_tools_key(at, keys, text, &carried).or_else(|| check_guessed_key(at, keys, text, &carried)),
    );
    found
}

/// Returns the key that was probably meant, if no agent has `key`: at most two letters differ.
fn misspelt<'a>(key: &str, carried: &'a BTreeSet<String>) -> Option<&'a str> {
    const SHORTEST: usize = 6;
    let known = |dialect: &&'static Agent| {
        let events = dialect.events(&default_version(dialect));
        events.iter().any(|event| event.fields.iter().any(|field| field.name == key))
    };
    if key.len() < SHORTEST || ALL.iter().any(known) {
        return None;
    }
    let carried: Vec<&str> = carried.iter().map(String::as_str).collect();
    nearest_within(key, &carried, if key.len() < 9 { 1 } else { 2 })
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
    keys: &[Vec<PathKey>],
    text: &str,
    carried: &BTreeSet<String>,
) -> Option<Diagnostic> {
    if !carried.contains("tool_input") || at.definition.matcher.as_ref()?.as_str()?.is_empty() {
        return None;
    }
    let whole = at.agent;
    let inner: Vec<&str> = keys
        .iter()
        .filter(|key| key.first().is_some_and(|first| first == "tool_input"))
        .filter_map(|key| key.get(1).map(String::as_str))
        .collect();
    let mut mine: BTreeSet<String> = BTreeSet::new();
    let mut others: BTreeSet<String> = BTreeSet::new();
    let mut matched: Vec<String> = Vec::new();
    for example in whole.dialect.examples(at.event, whole.place, whole.version) {
        let subject = whole.dialect.subject(at.event, &example.body, whole.version);
        let input = example.body.get("tool_input").and_then(serde_json::Value::as_object);
        let names = input.into_iter().flatten().map(|(key, _)| key.clone());
        match whole.dialect.matches(at.event, at.definition.matcher.as_ref(), &subject, whole.version) {
            Some(true) => {
                mine.extend(names);
                matched.extend(subject.value);
            }
            Some(false) => others.extend(names),
            None => return None,
        }
    }
    let tool = matched.first()?;
    // The matcher may also match tools without an example.
    let unknown = at.event.subjects.iter().any(|name| {
        let subject = crate::hook::Subject { value: Some((*name).to_owned()), aliases: Vec::new() };
        !matched.iter().any(|shown| shown == name)
            && whole.dialect.matches(at.event, at.definition.matcher.as_ref(), &subject, whole.version) == Some(true)
    });
    if unknown || inner.iter().any(|key| mine.contains(*key)) {
        return None;
    }
    let identifies = |key: &String| IDENTIFYING_KEYS.contains(&key.as_str()) || key == ANOTHER_PATH;
    if !mine.iter().any(identifies) {
        return None;
    }
    let known = |key: &str| others.contains(key) || NEVER_OPTIONAL.contains(&key);
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
    let whole = at.agent;
    let mut inputs: Vec<BTreeSet<String>> = Vec::new();
    let mut tool = None;
    for example in whole.dialect.examples(at.event, whole.place, whole.version) {
        let subject = whole.dialect.subject(at.event, &example.body, whole.version);
        if whole.dialect.matches(at.event, at.definition.matcher.as_ref(), &subject, whole.version) == Some(true) {
            let input = example.body.get("tool_input").and_then(serde_json::Value::as_object)?;
            inputs.push(input.keys().cloned().collect());
            tool = tool.or(subject.value);
        }
    }
    let tool = tool?;
    let (wrong, right) = GUESSED_INPUT_KEYS.iter().find(|(wrong, right)| {
        let mistaken = |input: &BTreeSet<String>| input.contains(*right) && !input.contains(*wrong);
        read(wrong) && !read(right) && inputs.iter().all(mistaken)
    })?;
    let says =
        format!("this hook reads `tool_input.{wrong}`, but it runs for {tool}, whose input does not have this key");
    Some(Diagnostic::new(Code::HW619, says).at(place(at, text, wrong)).with_help(format!("read `{right}` instead")))
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
        _ => handler_spans::value_span(at, "command"),
    }
}
