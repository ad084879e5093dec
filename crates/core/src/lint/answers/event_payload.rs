//! The facts about an event's payload before the event: its keys, and the other events of the same script.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::LazyLock;

use hookbench_script::Walked;

use crate::dialects::{ALL, RuleContext, default_version};

/// The other events for which the same script is configured, with any arguments.
pub(super) fn other_events<'a>(at: &RuleContext<'a>) -> Vec<&'a str> {
    const SHORTEST: usize = 4;
    let handlers = at.agent.handlers;
    let name = at.script.and_then(|script| script.path.rsplit('/').next()).filter(|name| name.len() >= SHORTEST);
    let mut events = handlers.events_of(&at.definition.handler).to_vec();
    events.extend(name.map(|name| handlers.events_naming(name)).unwrap_or_default());
    let mut seen = HashSet::new();
    events.retain(|event| *event != at.definition.event && seen.insert(*event));
    events
}

/// Returns the payload keys of this event, and of every other event with the same handler.
pub(super) fn sent_keys(at: &RuleContext<'_>) -> Rc<BTreeSet<String>> {
    let own = at.agent.sent_keys(at.event.name);
    let others: Vec<_> = other_events(at).into_iter().filter(|event| *event != at.event.name).collect();
    if others.is_empty() {
        return own;
    }
    let others = others.into_iter().flat_map(|event| at.agent.sent_keys(event).iter().cloned().collect::<Vec<_>>());
    Rc::new(others.chain(own.iter().cloned()).collect())
}

/// Keys by which a script can tell agents apart: at least one agent has them, and at least one has not.
static TELLING_KEYS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let keys = |agent: &'static crate::dialects::Agent| {
        let events = agent.events(&default_version(agent));
        events.iter().flat_map(|event| event.fields).map(|field| field.name).collect::<BTreeSet<&'static str>>()
    };
    let of_agents: Vec<BTreeSet<&'static str>> = ALL.iter().map(|agent| keys(agent)).collect();
    let all: BTreeSet<&'static str> = of_agents.iter().flatten().copied().collect();
    all.into_iter().filter(|key| of_agents.iter().any(|keys| !keys.contains(key))).collect()
});

/// Keys of the payload that a script reads to tell agents apart, and whether this event has them.
pub(super) fn known_keys(at: &RuleContext<'_>, walked: &Walked) -> Vec<(String, bool)> {
    let read = walked.reads.iter().filter_map(|path| path.first()).chain(&walked.asks_for);
    let telling: BTreeSet<&String> = read.filter(|key| TELLING_KEYS.contains(key.as_str())).collect();
    if telling.is_empty() {
        return Vec::new();
    }
    let sent = sent_keys(at);
    let always = |key: &str| at.event.fields.iter().any(|field| field.name == key && !field.optional);
    let known = telling.into_iter().filter_map(|key| {
        let there = if always(key) {
            true
        } else if sent.contains(key) {
            return None;
        } else {
            false
        };
        Some((key.clone(), there))
    });
    known.collect()
}
