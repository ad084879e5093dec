//! Checks a conversion: plans every event that both agents have under both, with every tool and value known to
//! occur on it, and compares which hooks run.

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

/// The result of planning the events under both agents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Check {
    /// Number of events that both agents have.
    pub events: usize,
    /// Number of these events without a difference.
    pub same: usize,
    /// Number of planned cases: one event with one tool or one source each.
    pub moments: usize,
    /// Number of events that only the first agent has.
    pub only_here: usize,
    pub differences: Vec<Difference>,
    /// The approvals that the other agent needs before it runs the hooks.
    pub waits_for: Vec<String>,
}

/// A hook that runs more or less often in the other agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub event: String,
    pub event_there: String,
    /// The subjects of the event, as the first agent names them: `tool_name Bash`.
    pub subjects: Vec<String>,
    pub hook: String,
    pub label: String,
    /// Number of runs in the first agent.
    pub here: usize,
    pub there: usize,
    /// The reasons that the first and the other agent give.
    pub says_here: String,
    pub says_there: String,
    /// The message of the note that announced this loss. `None` if no note did.
    pub named: Option<String>,
}

/// Definitions with the same handler on the same event.
struct Class<'a> {
    items: Vec<&'a Item>,
    /// Definition ids in the first and in the other agent.
    here: Vec<String>,
    there: Vec<String>,
}

/// Plans the events under both agents, with the settings file that `conversion` would write for `loaded`.
pub fn check(pair: &Pair<'_>, loaded: &Loaded, conversion: &Conversion, place: &Place, files: &dyn Files) -> Check {
    let files = WouldBe { files, path: &conversion.path, text: &conversion.after };
    let load = |place: &Place| pair.to.dialect.load(place, &files, &pair.to.version);
    let waits_for = waits_for(&load(place), conversion.layer);
    // Load as trusted, so that missing trust does not hide definitions.
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
            // A subject that the other agent has no word for cannot be compared.
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

/// Returns the reasons for which the agent does not trust the definitions of a layer.
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

/// One event planned under both agents.
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

/// Returns the message of the note that already explains why the hook runs more (or less) often in the other
/// agent.
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

/// Returns how many of these hooks run, and the first reason. `None` if that is unknown.
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

/// Returns only the selected definitions, with refusals for missing trust removed.
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

/// Returns payloads of an event: its examples, and one for each other value known to occur on it.
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

/// Returns the MCP tool that a word of a matcher names; for a word that names a server, one of its tools.
fn tool_of(pair: &Pair<'_>, word: &str) -> Option<String> {
    let agent = catalogue().agent(pair.from.dialect.id())?;
    let (server, call) = server_of(word, agent)?;
    Some(mcp_name(agent, &server, if call.is_empty() { TOOL } else { &call }))
}

/// Formats the subject as `tool_name Bash`.
fn shown(event: &EventSpec, input: &HookInput) -> String {
    match (event.subject, &input.subject.value) {
        (Some(key), Some(value)) => format!("{key} {value}"),
        _ => String::new(),
    }
}
