//! Checks a conversion: plans every event that both agents have under both, with every tool and value known to
//! occur on it, and compares which hooks run.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::command::executed_parts;
use super::name_map::{TOOL, is_named, mcp_name, server_of, tokens};
use super::{Conversion, ConversionPair, ConvertedDefinition, NoteCode, original_handler};
use crate::catalogue::catalogue;
use crate::config::{Files, LoadedConfig, Place};
use crate::dialects::Scene;
use crate::hook::{EventSpec, HookDefinition, HookInput, Layer};
use crate::names::RungName;
use crate::plan::{Plan, Selection};
use crate::port::{AgentVersion, TranslationNote, TranslationNoteKind, translate};
use crate::text::stringify;

/// The result of planning the events under both agents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConversionCheck {
    /// Number of events that both agents have.
    pub events: usize,
    /// Number of these events without a difference.
    pub same: usize,
    /// Number of planned cases: one event with one tool or one source each.
    pub planned_cases: usize,
    /// Number of events that only the first agent has.
    pub only_here: usize,
    pub differences: Vec<RunDifference>,
    /// The approvals that the other agent needs before it runs the hooks.
    pub missing_approvals: Vec<String>,
}

/// A hook that does not run equally often in both agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DifferenceDoc"))]
pub struct RunDifference {
    pub event: String,
    pub event_there: String,
    pub subjects: Vec<String>,
    pub hook: String,
    #[serde(rename = "name")]
    pub label: String,
    /// The number of times it runs.
    pub here: usize,
    pub there: usize,
    #[serde(rename = "says_here")]
    pub reason_here: String,
    #[serde(rename = "says_there")]
    pub reason_there: String,
    /// The loss that already explains this difference; null if none does.
    #[serde(rename = "named")]
    pub announced_by: Option<String>,
}

/// Definitions with the same handler on the same event.
struct HandlerClass<'a> {
    items: Vec<&'a ConvertedDefinition>,
    /// Definition ids in the first and in the other agent, those with the matcher of their script.
    here: Vec<String>,
    there: Vec<(String, Option<String>)>,
}

/// Plans the events under both agents, with the settings file that `conversion` would write for `loaded`.
pub fn check(
    pair: &ConversionPair<'_>,
    loaded: &LoadedConfig,
    conversion: &Conversion,
    place: &Place,
    files: &dyn Files,
) -> ConversionCheck {
    let files = conversion.overlay(files);
    let load = |place: &Place| pair.to.dialect.load(place, &files, &pair.to.version);
    let waits_for = missing_approvals(&load(place), conversion.layer);
    // Load as trusted, so that missing trust does not hide definitions.
    let all = load(&place.as_trusted());
    let is_shared = |d: &HookDefinition| conversion.items.iter().any(|item| item.is_shared_with(d));
    let ours = |d: &HookDefinition| is_in(d, conversion.layer) || is_shared(d);
    let classes = classes(pair, conversion, loaded, &all, &ours);
    let mine: BTreeSet<&str> = conversion.items.iter().map(|item| item.hook.as_str()).collect();
    let here = Arc::new(selected(loaded, |d| mine.contains(d.id.as_str())));
    let there = Arc::new(selected(&all, ours));
    let place = Arc::new(place.clone());
    let mut check = ConversionCheck { missing_approvals: waits_for, ..ConversionCheck::default() };
    for event in pair.from.dialect.events(&pair.from.version) {
        let before = check.differences.len();
        let mut planned = 0;
        for body in bodies(pair, event, &place, conversion) {
            let subject = pair.from.dialect.subject(event, &body, &pair.from.version);
            let input = HookInput { event: event.name.to_owned(), subject, body };
            let Ok(other) = translate(&input, pair.from, pair.to, &place) else { continue };
            // A subject that the other agent has no word for cannot be compared.
            let lost = |note: &TranslationNote| {
                note.kind == TranslationNoteKind::Lost && Some(note.key.as_str()) == event.subject
            };
            if other.notes.iter().any(lost) {
                continue;
            }
            planned += 1;
            let moment = PlannedCase {
                event,
                event_there: other.event,
                subject: shown(event, &input),
                name_there: other.input.subject.value.clone(),
                here: plan(pair.from, input, &here, &place),
                there: plan(pair.to, other.input, &there, &place),
            };
            for class in classes.iter().filter(|class| class.items.iter().any(|item| item.event == event.name)) {
                check.compare(class, &moment);
            }
        }
        check.planned_cases += planned;
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
    definition.provenance.layer == layer && definition.provenance.bundle.is_none()
}

/// Returns the reasons for which the agent does not trust the definitions of a layer.
fn missing_approvals(loaded: &LoadedConfig, layer: Layer) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let refused = loaded.definitions.iter().filter(|d| is_in(d, layer)).filter_map(|d| d.rejection.as_ref());
    for says in refused.filter(|refused| refused.rung == RungName::Trusted).map(|refused| &refused.message) {
        if !out.contains(says) {
            out.push(says.clone());
        }
    }
    out
}

/// One event planned under both agents.
struct PlannedCase {
    event: &'static EventSpec,
    event_there: &'static EventSpec,
    subject: String,
    /// The value that the other agent compares with matchers.
    name_there: Option<String>,
    here: Plan,
    there: Plan,
}

impl ConversionCheck {
    fn compare(&mut self, class: &HandlerClass<'_>, moment: &PlannedCase) {
        let runs_command = |(_, matcher): &&(String, Option<String>)| {
            let names = matcher.as_deref().zip(moment.name_there.as_deref());
            names.is_none_or(|(matcher, name)| is_named(matcher, name))
        };
        let ids_there: Vec<String> = class.there.iter().filter(runs_command).map(|(id, _)| id.clone()).collect();
        let (Some((here, says_here)), Some((there, says_there))) =
            (runs(&moment.here, &class.here), runs(&moment.there, &ids_there))
        else {
            return;
        };
        let Some(first) = class.items.first() else { return };
        if here == there {
            return;
        }
        let says_there = match (class.there.as_slice(), ids_there.as_slice()) {
            ([], _) => "it has no such hook".to_owned(),
            (_, []) => "its script is for other names".to_owned(),
            _ => says_there,
        };
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
        self.differences.push(RunDifference {
            event: moment.event.name.to_owned(),
            event_there: moment.event_there.name.to_owned(),
            subjects: vec![moment.subject.clone()],
            hook: first.hook.clone(),
            label: first.label.clone(),
            here,
            there,
            reason_here: says_here,
            reason_there: says_there,
            announced_by: announcing_note(&class.items, there > here),
        });
    }
}

/// Returns the message of the note that already explains why the hook runs more (or less) often in the other
/// agent.
fn announcing_note(items: &[&ConvertedDefinition], more: bool) -> Option<String> {
    let says = |item: &&ConvertedDefinition, code: NoteCode| match code {
        NoteCode::MatcherWider => more,
        NoteCode::HandlerRepeated => true,
        NoteCode::FileReplaced => !more,
        _ => !more && (item.written.is_empty() || code.is_about_matcher()),
    };
    items.iter().find_map(|item| {
        let note = item.notes.iter().find(|note| note.loss && says(item, note.code))?;
        Some(note.message.clone())
    })
}

/// Returns how many of these hooks run, and the first reason. `None` if that is unknown.
fn runs(plan: &Plan, hooks: &[String]) -> Option<(usize, String)> {
    let entries = || plan.entries.iter().filter(|entry| hooks.contains(&entry.hook));
    if entries().any(|entry| entry.selection == Selection::Unknown) {
        return None;
    }
    let fires = || entries().filter(|entry| matches!(entry.selection, Selection::Fires { .. }));
    let says = fires().next().or_else(|| entries().next()).map(|entry| entry.why.message.clone());
    Some((fires().count(), says.unwrap_or_default()))
}

fn plan(side: &AgentVersion, input: HookInput, loaded: &Arc<LoadedConfig>, place: &Arc<Place>) -> Plan {
    side.dialect.plan(&Scene::new(input, Arc::clone(loaded), Arc::clone(place), side.version.clone()))
}

/// Returns only the selected definitions.
fn selected(loaded: &LoadedConfig, which: impl Fn(&HookDefinition) -> bool) -> LoadedConfig {
    let mut out = loaded.clone();
    out.definitions.retain(|definition| which(definition));
    out
}

fn classes<'a>(
    pair: &ConversionPair<'_>,
    conversion: &'a Conversion,
    here: &LoadedConfig,
    there: &LoadedConfig,
    ours: &dyn Fn(&HookDefinition) -> bool,
) -> Vec<HandlerClass<'a>> {
    let mut out: Vec<(String, HandlerClass<'a>)> = Vec::new();
    for item in &conversion.items {
        let Some(definition) = here.definition(&item.hook) else { continue };
        let key = match item.written.first() {
            Some(written) => format!("{} {}", written.event, stringify(&executed_parts(&written.handler))),
            None => format!("{} {}", item.event, stringify(&original_handler(pair.from, definition, &here.sources))),
        };
        // A list may name its entries, and a converted hook gets a new name.
        let name = pair.to.dialect.settings_format().list.map_or("", |list| list.name);
        let unnamed = |handler: &Map<String, Value>| {
            let mut handler = handler.clone();
            handler.shift_remove(name);
            handler
        };
        let same = |d: &HookDefinition| {
            let handler = original_handler(pair.to, d, &there.sources).as_object().map(unnamed);
            item.written.iter().find(|written| {
                let matcher = d.matcher.as_ref().and_then(Value::as_str).filter(|m| !m.is_empty());
                let is_same = d.event == written.event
                    && handler == Some(unnamed(&written.handler))
                    && matcher == written.matcher.as_deref().filter(|m| !m.is_empty());
                is_same || written.is_script(d)
            })
        };
        let ours = there.definitions.iter().filter(|d| ours(d));
        let found: Vec<(String, Option<String>)> = ours
            .filter_map(|d| match same(d) {
                Some(written) => Some((d.id.clone(), written.matcher.clone().filter(|_| written.script.is_some()))),
                None => item.is_shared_with(d).then(|| (d.id.clone(), None)),
            })
            .collect();
        let at = out.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            out.push((key, HandlerClass { items: Vec::new(), here: Vec::new(), there: Vec::new() }));
            out.len() - 1
        });
        let Some((_, class)) = out.get_mut(at) else { continue };
        class.items.push(item);
        class.here.push(item.hook.clone());
        class.there.extend(found.into_iter().filter(|one| !class.there.contains(one)).collect::<Vec<_>>());
    }
    out.into_iter().map(|(_, class)| class).collect()
}

/// Returns payloads of an event: its examples, and one for each other value known to occur on it.
fn bodies(pair: &ConversionPair<'_>, event: &'static EventSpec, place: &Place, conversion: &Conversion) -> Vec<Value> {
    let dialect = pair.from.dialect;
    let mut bodies: Vec<Value> =
        dialect.examples(event, place, &pair.from.version).into_iter().map(|example| example.body).collect();
    let (Some(key), Some(first)) = (event.subject, bodies.first().cloned()) else { return bodies };
    let mut values: Vec<String> = event.subjects.iter().map(|value| (*value).to_owned()).collect();
    let tools = key == "tool_name";
    if let Some(agent) = catalogue().agent(dialect.id().as_str()).filter(|_| tools) {
        values.extend(agent.tools.iter().map(|tool| tool.id.to_owned()));
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
fn tool_of(pair: &ConversionPair<'_>, word: &str) -> Option<String> {
    let agent = catalogue().agent(pair.from.dialect.id().as_str())?;
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
