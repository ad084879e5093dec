//! A conversion held against itself: every event that both agents have is planned under both, with everything that is known
//! to occur on it, and who runs here has to run there.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::names::{TOOL, mcp_name, server_of, tokens};
use super::twins::main_of;
use super::{Conversion, Item, Pair, as_written};
use crate::catalogue::catalogue;
use crate::config::{Files, Loaded, Place, WouldBe};
use crate::dialects::{Memory, Scene};
use crate::hook::{EventSpec, HookDefinition, HookInput, Layer};
use crate::names::RungName;
use crate::plan::{Plan, Selection};
use crate::port::{Note, NoteKind, Side, translate};
use crate::text::stringify;

/// What came of planning under both.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Check {
    /// Events that both have.
    pub events: usize,
    /// Of these, how many have no difference.
    pub same: usize,
    /// Moments of these events that were planned: an event with one tool, one source.
    pub moments: usize,
    /// Events that only the first agent has.
    pub only_here: usize,
    pub differences: Vec<Difference>,
    /// What has to happen before the other agent runs them.
    pub waits_for: Vec<String>,
}

/// A hook that does not run as often there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub event: String,
    pub event_there: String,
    /// What it happened with, as the first agent calls it: `tool_name Bash`.
    pub subjects: Vec<String>,
    pub hook: String,
    pub label: String,
    /// How often it runs.
    pub here: usize,
    pub there: usize,
    /// The reasons, of one side and of the other.
    pub says_here: String,
    pub says_there: String,
    /// The loss by which it was to be expected; none: nobody said it.
    pub named: Option<String>,
}

/// The same handler on the same event, however often it is written.
struct Class<'a> {
    items: Vec<&'a Item>,
    /// Ids of definitions, of one side and of the other.
    here: Vec<String>,
    there: Vec<String>,
}

/// Plans under both what `conversion` would make of `loaded`.
pub fn check(pair: &Pair<'_>, loaded: &Loaded, conversion: &Conversion, place: &Place, files: &dyn Files) -> Check {
    let files = WouldBe { files, path: &conversion.path, text: &conversion.after };
    let load = |place: &Place| pair.to.dialect.load(place, &files, &pair.to.version);
    let waits_for = waits_for(&load(place), conversion.layer);
    // Everything but trust is to be seen.
    let all = load(&pair.to.dialect.form().trusted(place));
    let ours = |d: &HookDefinition| is_in(d, conversion.layer);
    let classes = classes(conversion, loaded, &all, &ours);
    let mine: BTreeSet<&str> = conversion.items.iter().map(|item| item.hook.as_str()).collect();
    let here = Arc::new(trusted(loaded, |d| mine.contains(d.id.as_str())));
    let there = Arc::new(trusted(&all, ours));
    let place = Arc::new(place.clone());
    let mut check = Check { waits_for, ..Check::default() };
    for event in pair.from.dialect.events(&pair.from.version) {
        let before = check.differences.len();
        let mut planned = 0;
        for body in bodies(pair, event, &place, conversion) {
            let subject = pair.from.dialect.subject(event, &body, &pair.from.version);
            let input = HookInput { event: event.name.to_owned(), subject, body };
            let Ok(other) = translate(&input, pair.from, pair.to, &place) else { continue };
            // What the other agent has no word for is not the same moment there.
            let lost = |note: &Note| note.kind == NoteKind::Lost && Some(note.key.as_str()) == event.subject;
            if other.notes.iter().any(lost) {
                continue;
            }
            planned += 1;
            let moment = Moment {
                event,
                event_there: other.event,
                subject: shown(event, &input),
                here: plan(pair.from, input, &here, &place),
                there: plan(pair.to, other.input, &there, &place),
            };
            for class in classes.iter().filter(|class| class.items.iter().any(|item| item.event == event.name)) {
                check.compare(class, &moment);
            }
        }
        check.moments += planned;
        match planned {
            0 => check.only_here += 1,
            _ => {
                check.events += 1;
                check.same += usize::from(check.differences.len() == before);
            }
        }
    }
    check
}

fn is_in(definition: &HookDefinition, layer: Layer) -> bool {
    definition.from.layer == layer && definition.from.bundle.is_none()
}

/// Why the agent does not trust what is in a layer.
fn waits_for(loaded: &Loaded, layer: Layer) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let refused = loaded.definitions.iter().filter(|d| is_in(d, layer)).filter_map(|d| d.refused.as_ref());
    for says in refused.filter(|refused| refused.rung == RungName::Trusted).map(|refused| &refused.says) {
        if !out.contains(says) {
            out.push(says.clone());
        }
    }
    out
}

/// One event under both.
struct Moment {
    event: &'static EventSpec,
    event_there: &'static EventSpec,
    subject: String,
    here: Plan,
    there: Plan,
}

impl Check {
    fn compare(&mut self, class: &Class<'_>, moment: &Moment) {
        let (Some((here, says_here)), Some((there, says_there))) =
            (runs(&moment.here, &class.here), runs(&moment.there, &class.there))
        else {
            return;
        };
        let Some(first) = class.items.first() else { return };
        if here == there {
            return;
        }
        let says_there = if class.there.is_empty() { "it is not there".to_owned() } else { says_there };
        let known = self
            .differences
            .iter_mut()
            .find(|d| d.hook == first.hook && d.event == moment.event.name && (d.here, d.there) == (here, there));
        if let Some(known) = known {
            if !known.subjects.contains(&moment.subject) {
                known.subjects.push(moment.subject.clone());
            }
            return;
        }
        self.differences.push(Difference {
            event: moment.event.name.to_owned(),
            event_there: moment.event_there.name.to_owned(),
            subjects: vec![moment.subject.clone()],
            hook: first.hook.clone(),
            label: first.label.clone(),
            here,
            there,
            says_here,
            says_there,
            named: named(&class.items, there > here),
        });
    }
}

/// The loss that says already that it runs more often there, or less often.
fn named(items: &[&Item], more: bool) -> Option<String> {
    let says = |item: &&Item, code: &str| match code {
        "matcher.wider" => more,
        "handler.repeated" => true,
        _ => !more && (item.written.is_empty() || code.starts_with("matcher.")),
    };
    items.iter().find_map(|item| {
        let note = item.notes.iter().find(|note| note.loss && says(item, note.code))?;
        Some(note.says.clone())
    })
}

/// How many of these run, and the first reason; none when that is not known.
fn runs(plan: &Plan, hooks: &[String]) -> Option<(usize, String)> {
    let entries = || plan.entries.iter().filter(|entry| hooks.contains(&entry.hook));
    if entries().any(|entry| entry.selection == Selection::Unknown) {
        return None;
    }
    let fires = || entries().filter(|entry| matches!(entry.selection, Selection::Fires { .. }));
    let says = fires().next().or_else(|| entries().next()).map(|entry| entry.why.says.clone());
    Some((fires().count(), says.unwrap_or_default()))
}

fn plan(side: &Side, input: HookInput, loaded: &Arc<Loaded>, place: &Arc<Place>) -> Plan {
    side.dialect.plan(&Scene {
        input,
        loaded: Arc::clone(loaded),
        place: Arc::clone(place),
        version: side.version.clone(),
        headless: false,
        memory: Memory::default(),
    })
}

/// The same, as if everything were trusted, with these definitions alone.
fn trusted(loaded: &Loaded, which: impl Fn(&HookDefinition) -> bool) -> Loaded {
    let mut out = loaded.clone();
    out.definitions.retain(|definition| which(definition));
    for definition in &mut out.definitions {
        definition.refused = definition.refused.take().filter(|refused| refused.rung != RungName::Trusted);
    }
    out
}

fn classes<'a>(
    conversion: &'a Conversion,
    here: &Loaded,
    there: &Loaded,
    ours: &dyn Fn(&HookDefinition) -> bool,
) -> Vec<Class<'a>> {
    let mut out: Vec<(String, Class<'a>)> = Vec::new();
    for item in &conversion.items {
        let Some(definition) = here.definition(&item.hook) else { continue };
        let key = match item.written.first() {
            Some(written) => format!("{} {}", written.event, stringify(&main_of(&written.handler))),
            None => format!("{} {}", item.event, stringify(&as_written(definition, &here.sources))),
        };
        let same = |d: &&HookDefinition| {
            let handler = as_written(d, &there.sources);
            item.written.iter().any(|written| {
                let matcher = d.matcher.as_ref().and_then(Value::as_str).filter(|m| !m.is_empty());
                d.event == written.event
                    && handler.as_object() == Some(&written.handler)
                    && matcher == written.matcher.as_deref().filter(|m| !m.is_empty())
            })
        };
        let found: Vec<String> =
            there.definitions.iter().filter(|d| ours(d)).filter(same).map(|d| d.id.clone()).collect();
        let at = out.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            out.push((key, Class { items: Vec::new(), here: Vec::new(), there: Vec::new() }));
            out.len() - 1
        });
        let Some((_, class)) = out.get_mut(at) else { continue };
        class.items.push(item);
        class.here.push(item.hook.clone());
        class.there.extend(found.into_iter().filter(|id| !class.there.contains(id)).collect::<Vec<_>>());
    }
    out.into_iter().map(|(_, class)| class).collect()
}

/// Payloads of an event: those that are ready, and one for everything else that is known to occur on it.
fn bodies(pair: &Pair<'_>, event: &'static EventSpec, place: &Place, conversion: &Conversion) -> Vec<Value> {
    let dialect = pair.from.dialect;
    let mut bodies: Vec<Value> =
        dialect.examples(event, place, &pair.from.version).into_iter().map(|example| example.body).collect();
    let (Some(key), Some(first)) = (event.subject, bodies.first().cloned()) else { return bodies };
    let mut values: Vec<String> = event.subjects.iter().map(|value| (*value).to_owned()).collect();
    let tools = key == "tool_name";
    if let Some(agent) = catalogue().agent(dialect.id()).filter(|_| tools) {
        values.extend(agent.tools.iter().map(|tool| tool.id.clone()));
    }
    let matchers = conversion.items.iter().filter(|item| item.event == event.name).filter_map(|i| i.matcher.as_deref());
    values.extend(matchers.flat_map(tokens).filter_map(|word| if tools { tool_of(pair, &word) } else { Some(word) }));
    for value in values {
        let seen = bodies.iter().any(|body| body.get(key).and_then(Value::as_str) == Some(&value));
        let mut body = first.clone();
        if let (false, Some(object)) = (seen, body.as_object_mut()) {
            object.insert(key.to_owned(), Value::from(value));
            if tools {
                object.insert("tool_input".to_owned(), json!({}));
                object.shift_remove("tool_response");
            }
            bodies.push(body);
        }
    }
    bodies
}

/// The MCP tool that a word of a matcher is, or one of the server that it is.
fn tool_of(pair: &Pair<'_>, word: &str) -> Option<String> {
    let agent = catalogue().agent(pair.from.dialect.id())?;
    let (server, call) = server_of(word, agent)?;
    Some(mcp_name(agent, &server, if call.is_empty() { TOOL } else { &call }))
}

/// `tool_name Bash`.
fn shown(event: &EventSpec, input: &HookInput) -> String {
    match (event.subject, &input.subject.value) {
        (Some(key), Some(value)) => format!("{key} {value}"),
        _ => String::new(),
    }
}
