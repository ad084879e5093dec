//! HW705: a handler that is registered several times for one event, so that it runs more than once. HW713: the same under
//! two spellings of the event.

use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::AgentContext;
use crate::hook::{HookDefinition, Layer};
use crate::lint::intersection::HooksThatMeet;
use crate::port::command_of_any_agent;
use crate::text::stringify;

pub(super) fn check(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let form = at.dialect.settings_format();
    if !form.runs_duplicates && !form.runs_duplicates_across_bundles {
        return Vec::new();
    }
    let mut found = Vec::new();
    let events = at.dialect.events(at.version);
    for event in events {
        let mine: Vec<&HookDefinition> = at
            .loaded
            .definitions
            .iter()
            .filter(|d| at.dialect.is_same_event(&d.event, event.name) && d.rejection.is_none())
            .collect();
        let keys: Vec<String> = mine.iter().map(|d| key(at, d)).collect();
        let mut told = vec![false; mine.len()];
        let mut first_of: std::collections::HashMap<&str, Vec<usize>> = std::collections::HashMap::new();
        for (index, key) in keys.iter().enumerate() {
            first_of.entry(key).or_default().push(index);
        }
        let mut groups: Vec<Vec<usize>> = first_of.into_values().filter(|same| same.len() > 1).collect();
        groups.sort();
        for same in groups {
            let bundle = |index: &usize| mine.get(*index).map(|hook| &hook.provenance.bundle);
            if !form.runs_duplicates && same.iter().all(|index| bundle(index) == same.first().and_then(bundle)) {
                continue;
            }
            let meeting = HooksThatMeet::new(at, event, &mine, &same);
            for (position, index) in same.iter().enumerate() {
                let (Some(one), false) = (mine.get(*index), told.get(*index) == Some(&true)) else { continue };
                let others: Vec<usize> = meeting
                    .after(position)
                    .into_iter()
                    .filter_map(|position| same.get(position).copied())
                    .filter(|other| {
                        mine.get(*other).is_some_and(|other| {
                            let twice = form.runs_duplicates || one.provenance.bundle != other.provenance.bundle;
                            // Hooks of two different agents or skills are never active at the same time.
                            let apart = is_in_front_matter(one)
                                && is_in_front_matter(other)
                                && one.provenance.bundle != other.provenance.bundle;
                            twice && !apart
                        })
                    })
                    .collect();
                for other in &others {
                    told.get_mut(*other).into_iter().for_each(|told| *told = true);
                }
                let others: Vec<&HookDefinition> =
                    others.iter().filter_map(|other| mine.get(*other).copied()).collect();
                let (same, spelled): (Vec<_>, Vec<_>) = others.into_iter().partition(|other| other.event == one.event);
                found.extend(repeated(at, one, &same));
                found.extend(spelled_again(one, &spelled));
            }
        }
    }
    found
}

/// HW705: the copies of a hook under the same event.
fn repeated(at: &AgentContext<'_>, one: &HookDefinition, others: &[&HookDefinition]) -> Option<Diagnostic> {
    let last = others.last()?;
    let places: Vec<String> = others.iter().map(|d| format!("{}:{}", d.provenance.file, d.provenance.line)).collect();
    let says = format!(
        "this hook is configured {} times for {}, and {} runs every copy",
        others.len() + 1,
        one.event,
        at.dialect.name()
    );
    let note = format!("also in {}", places.join(", "));
    let keep = if last.provenance.bundle.is_some() || one.provenance.bundle.is_some() {
        "keep the one in the settings, or the one in the other file"
    } else {
        "keep one of them"
    };
    Some(Diagnostic::new(Code::HW705, says).at(one.provenance.span).with_note(note).with_help(keep))
}

/// HW713: the copies of a hook under another spelling of its event.
fn spelled_again(one: &HookDefinition, others: &[&HookDefinition]) -> Option<Diagnostic> {
    let (first, more) = others.split_first()?;
    let place = |d: &HookDefinition| format!("{}:{}", d.provenance.file, d.provenance.line);
    let times = if more.is_empty() { "twice".to_owned() } else { format!("{} times", others.len() + 1) };
    let says =
        format!("this hook is also in {} under {}, so it runs {times} for each event", place(first), first.event);
    let help = format!("keep one of them: {} and {} are one event", one.event, first.event);
    let found = Diagnostic::new(Code::HW713, says).at(one.provenance.span).with_help(help);
    let again: Vec<String> = more.iter().map(|other| place(other)).collect();
    Some(if again.is_empty() { found } else { found.with_note(format!("also in {}", again.join(", "))) })
}

/// Whether a hook is defined in the front matter of an agent or a skill, and active only while that one runs.
fn is_in_front_matter(definition: &HookDefinition) -> bool {
    definition.provenance.layer == Layer::Session && definition.provenance.file.rsplit('.').next() == Some("md")
}

/// Returns the parts of a handler that identify it: everything except its time limit and its descriptions.
fn key(at: &AgentContext<'_>, definition: &HookDefinition) -> String {
    let mut raw = (at.dialect.settings_format().plain_handler)(&definition.raw);
    if let Some(map) = raw.as_object_mut() {
        if let Some(Value::String(command)) = map.get_mut("command") {
            *command = command_of_any_agent(command);
        }
        for part in ["timeout", "statusMessage", "name", "description", "async"] {
            map.shift_remove(part);
        }
    }
    stringify(&raw)
}
