//! The registry's rule on duplicates (spec §3): a later entry with the same event, source, identity, matcher and
//! `sequential` is not registered.

use std::collections::HashMap;

use serde_json::Value;

use super::handlers::main_value;
use hookbench_base::hook::{HookDefinition, Layer, Refused};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Span, stringify, truthy};

/// The agent's name for the origin of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    Project,
    User,
    System,
    Extensions,
    Session,
}

impl Source {
    /// Returns the source of a layer.
    pub fn of(layer: Layer) -> Source {
        match layer {
            Layer::Project => Source::Project,
            Layer::User => Source::User,
            Layer::System | Layer::SystemDefaults => Source::System,
            Layer::Extension => Source::Extensions,
            _ => Source::Session,
        }
    }
}

/// The entries so far.
#[derive(Debug, Default)]
pub struct Registry {
    /// The entries by the values that duplicates share; entries with the same key are then compared in full.
    entries: HashMap<Key, Vec<Entry>>,
}

/// Event, source, scope, and the texts of identity and matcher.
type Key = (String, Source, Option<String>, String, Option<String>);

#[derive(Debug)]
struct Entry {
    event: String,
    source: Source,
    scope: Option<String>,
    identity: Value,
    matcher: Option<Value>,
    sequential: Option<Value>,
    group: Span,
    hook: Span,
    place: String,
    what: String,
}

impl Registry {
    /// Registers a definition, or returns which one it duplicates. `group` is the position of the object that
    /// contains it.
    pub fn admit(&mut self, definition: &HookDefinition, group: Span) -> Option<Refused> {
        let source = Source::of(definition.from.layer);
        let entry = Entry {
            event: definition.event.clone(),
            source,
            // Each sub-agent and skill has its own registry scope.
            scope: definition.from.bundle.clone().filter(|_| source == Source::Session),
            identity: identity(definition),
            matcher: definition.matcher.clone(),
            sequential: definition.group.get("sequential").cloned(),
            group,
            hook: definition.from.span,
            place: format!("{}:{}", definition.from.file, definition.from.line),
            what: what(definition),
        };
        let matcher = entry.matcher.as_ref().map(stringify);
        let key = (entry.event.clone(), source, entry.scope.clone(), stringify(&entry.identity), matcher);
        let alike = self.entries.entry(key).or_default();
        if let Some(twin) = alike.iter().find(|e| e.same(&entry)) {
            let says = format!("{} is registered already ({}); the agent keeps the first only", twin.what, twin.place);
            return Some(Refused { rung: RungName::Started, rule: "registry.duplicate", says });
        }
        alike.push(entry);
        None
    }
}

impl Entry {
    fn same(&self, other: &Entry) -> bool {
        self.event == other.event
            && self.source == other.source
            && self.scope == other.scope
            && identical(&self.identity, &other.identity, self.hook == other.hook)
            && same_option(self.matcher.as_ref(), other.matcher.as_ref(), self.group == other.group)
            && same_option(self.sequential.as_ref(), other.sequential.as_ref(), self.group == other.group)
    }
}

fn same_option(a: Option<&Value>, b: Option<&Value>, one_object: bool) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => identical(a, b, one_object),
        _ => false,
    }
}

/// Compares like JavaScript's `===`: objects and lists are equal only to themselves.
fn identical(a: &Value, b: &Value, one_object: bool) -> bool {
    match a {
        Value::Object(_) | Value::Array(_) => one_object,
        _ => a == b,
    }
}

/// Returns the hook's name, or the value that it runs.
fn identity(definition: &HookDefinition) -> Value {
    let named = definition.raw.get("name").filter(|n| truthy(n));
    named.or_else(|| main_value(&definition.handler, &definition.raw)).cloned().unwrap_or(Value::Null)
}

fn what(definition: &HookDefinition) -> String {
    match &definition.name {
        Some(name) => format!("a hook named \"{name}\""),
        None => format!("the same {}", definition.handler.kind()),
    }
}

/// Returns the key by which the planner drops duplicates across all sources: `name:command`, or the bare command.
/// `None` if the key is an object, which equals no other.
pub fn plan_key(definition: &HookDefinition) -> Option<Value> {
    let main = main_value(&definition.handler, &definition.raw)?;
    match definition.raw.get("name").filter(|n| truthy(n)) {
        Some(name) => Some(Value::from(format!(
            "{}:{}",
            hookbench_base::text::to_js_string(name),
            hookbench_base::text::to_js_string(main)
        ))),
        None if main.is_array() || main.is_object() => None,
        None => Some(main.clone()),
    }
}
