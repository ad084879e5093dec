//! Whether two hooks of an event can fire for the same subject.

use std::collections::{BTreeSet, HashMap};

use crate::dialects::{AgentContext, find_event};
use crate::hook::{EventSpec, HookDefinition, Subject};
use crate::text::stringify;

/// Hooks of an event that can fire for the same subject, found by subject instead of pair by pair.
pub(super) struct HooksThatMeet {
    /// The hooks for each subject, and those with equal matchers; positions in ascending order.
    groups: Vec<Vec<usize>>,
    /// The groups of each hook.
    groups_of: Vec<Vec<usize>>,
}

impl HooksThatMeet {
    /// Sorts the hooks at `positions` of `hooks` into groups.
    pub fn new(
        at: &AgentContext<'_>,
        event: &EventSpec,
        hooks: &[&HookDefinition],
        positions: &[usize],
    ) -> HooksThatMeet {
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); event.subjects.len()];
        let mut known: HashMap<(&str, String), Vec<usize>> = HashMap::new();
        let mut groups_of = Vec::new();
        for (position, hook) in positions.iter().filter_map(|index| hooks.get(*index).copied()).enumerate() {
            // Without a subject all hooks fire together.
            let key = match event.subject {
                Some(_) => (hook.event.as_str(), hook.matcher.as_ref().map(stringify).unwrap_or_default()),
                None => ("", String::new()),
            };
            let of = known.entry(key).or_insert_with(|| {
                groups.push(Vec::new());
                let fires = |(_, name): &(usize, &&str)| fires_for(at, event, hook, name);
                let subjects = event.subjects.iter().enumerate().filter(fires).map(|(subject, _)| subject);
                subjects.chain([groups.len() - 1]).collect()
            });
            for group in of.iter() {
                groups.get_mut(*group).into_iter().for_each(|group| group.push(position));
            }
            groups_of.push(of.clone());
        }
        HooksThatMeet { groups, groups_of }
    }

    /// The positions of the later hooks that can fire together with a hook.
    pub fn after(&self, position: usize) -> BTreeSet<usize> {
        let groups = self.groups_of.get(position).into_iter().flatten().filter_map(|group| self.groups.get(*group));
        groups.flat_map(|group| group.iter().copied().filter(|other| *other > position)).collect()
    }
}

/// Whether a known subject matches both hooks, each in the spelling of its event.
pub(super) fn fire_together(
    at: &AgentContext<'_>,
    event: &EventSpec,
    one: &HookDefinition,
    other: &HookDefinition,
) -> bool {
    if event.subject.is_none() || (one.event == other.event && one.matcher == other.matcher) {
        return true;
    }
    event.subjects.iter().any(|name| fires_for(at, event, one, name) && fires_for(at, event, other, name))
}

/// Whether a hook fires for a known subject, in the spelling of its event.
fn fires_for(at: &AgentContext<'_>, event: &EventSpec, definition: &HookDefinition, name: &str) -> bool {
    let own = find_event(at.dialect, at.version, &definition.event).unwrap_or(event);
    let name = at.dialect.tool_in_matchers(own.name, name);
    let subject = Subject { value: Some(name.to_owned()), aliases: Vec::new() };
    at.dialect.matches(own, definition.matcher.as_ref(), &subject, at.version) == Some(true)
}
