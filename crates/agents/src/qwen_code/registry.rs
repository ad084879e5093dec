//! The registry's rule on duplicates (spec §3): a later entry with the same event, source, identity, matcher and
//! `sequential` is not registered.

use crate::qwen_code::rules;
use std::collections::HashMap;

use serde_json::Value;

use super::handlers::main_value;
use hookbench_base::hook::{HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{Span, stringify, truthy};

/// The agent's name for the origin of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegistrySource {
    Project,
    User,
    System,
    Extensions,
    Session,
}

impl RegistrySource {
    /// Returns the source of a layer.
    pub fn from_layer(layer: Layer) -> RegistrySource {
        match layer {
            Layer::Project => RegistrySource::Project,
            Layer::User => RegistrySource::User,
            Layer::System | Layer::SystemDefaults => RegistrySource::System,
            Layer::Extension => RegistrySource::Extensions,
            _ => RegistrySource::Session,
        }
    }
}

/// The entries so far.
#[derive(Debug, Default)]
pub struct Registry {
    /// The entries by the values that duplicates share; entries with the same key are then compared in full.
    entries: HashMap<RegistryKey, Vec<RegistryEntry>>,
}

/// Event, source, scope, and the texts of identity and matcher.
type RegistryKey = (String, RegistrySource, Option<String>, String, Option<String>);

#[derive(Debug)]
struct RegistryEntry {
    event: String,
    source: RegistrySource,
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
    pub fn register(&mut self, definition: &HookDefinition, group: Span) -> Option<Rejection> {
        let source = RegistrySource::from_layer(definition.provenance.layer);
        let entry = RegistryEntry {
            event: definition.event.clone(),
            source,
            // Each sub-agent and skill has its own registry scope.
            scope: definition.provenance.bundle.clone().filter(|_| source == RegistrySource::Session),
            identity: identity(definition),
            matcher: definition.matcher.clone(),
            sequential: definition.group.get("sequential").cloned(),
            group,
            hook: definition.provenance.span,
            place: format!("{}:{}", definition.provenance.file, definition.provenance.line),
            what: describe(definition),
        };
        let matcher = entry.matcher.as_ref().map(stringify);
        let key = (entry.event.clone(), source, entry.scope.clone(), stringify(&entry.identity), matcher);
        let alike = self.entries.entry(key).or_default();
        if let Some(twin) = alike.iter().find(|e| e.is_duplicate_of(&entry)) {
            let says = format!("{} is already registered ({}); the agent keeps only the first", twin.what, twin.place);
            return Some(Rejection { rung: RungName::Started, rule: rules::REGISTRY_DUPLICATE, message: says });
        }
        alike.push(entry);
        None
    }
}

impl RegistryEntry {
    fn is_duplicate_of(&self, other: &RegistryEntry) -> bool {
        self.event == other.event
            && self.source == other.source
            && self.scope == other.scope
            && js_equal(&self.identity, &other.identity, self.hook == other.hook)
            && equal_options(self.matcher.as_ref(), other.matcher.as_ref(), self.group == other.group)
            && equal_options(self.sequential.as_ref(), other.sequential.as_ref(), self.group == other.group)
    }
}

fn equal_options(a: Option<&Value>, b: Option<&Value>, one_object: bool) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => js_equal(a, b, one_object),
        _ => false,
    }
}

/// Compares like JavaScript's `===`: objects and lists are equal only to themselves.
fn js_equal(a: &Value, b: &Value, one_object: bool) -> bool {
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

fn describe(definition: &HookDefinition) -> String {
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
