//! The normalized fields of an event, with one name each for all agents, for lists and rules. The payload itself
//! is kept too.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::raw_json::{RawObject, decoded_string};
use super::{live_form, native_event};
use crate::catalogue::catalogue;
use crate::dialects::live::InputKeys;
use crate::dialects::{by_id, default_version, find_event};
use crate::port::{PatchChange, mapping, parse_patch};

/// The fields of an event that rules can refer to. `None` if the agent does not send a field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NormalizedEvent {
    /// The tool's agent-independent name in the catalogue.
    pub tool: Option<String>,
    /// The tool's name in the agent.
    pub tool_native: Option<String>,
    pub path: Option<String>,
    /// The other paths, for tools that change several files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more_paths: Vec<String>,
    pub command: Option<String>,
    pub content: Option<String>,
    pub old: Option<String>,
    pub new: Option<String>,
    /// The id that the events before and after a tool share. Generated from the sequence number if the agent sends
    /// none.
    pub call_id: Option<String>,
    pub prompt: Option<String>,
    pub last_message: Option<String>,
    /// The value that matchers of this event are compared with, if it is not a tool.
    pub matcher_value: Option<String>,
    pub agent_id: Option<String>,
    pub agent_type: Option<String>,
    pub permission_mode: Option<String>,
    pub turn: Option<String>,
    pub stop_hook_active: Option<bool>,
    pub transcript_path: Option<String>,
}

/// A payload whose agent nests the call in it, with the keys that hookbench holds. `None` if it names its event or its tool.
fn held_text(provider: &str, payload: &str) -> Option<String> {
    let top = serde_json::from_str::<RawObject<'_>>(payload).ok()?;
    if ["hook_event_name", "tool_name", "toolName", "tool"].iter().any(|key| top.last(key).is_some()) {
        return None;
    }
    let sent: Value = serde_json::from_str(payload).ok()?;
    let dialect = by_id(provider)?;
    Some(dialect.held_payload(dialect.event_of(&sent)?.name, &sent)?.to_string())
}

/// Keys that are used on events without a known subject.
const MATCH_KEYS: &[&str] = &["source", "reason", "trigger", "error"];

impl NormalizedEvent {
    /// Reads a payload, including old spellings. A payload that is not an object has no fields.
    pub fn read(provider: &str, event: &str, seq: u64, payload: &str) -> NormalizedEvent {
        let held = held_text(provider, payload);
        let payload = held.as_deref().unwrap_or(payload);
        let Ok(top) = serde_json::from_str::<RawObject<'_>>(payload) else { return NormalizedEvent::default() };
        let text = |keys: &[&str]| first_text(&top, keys);
        let tool_native = text(&["tool_name", "toolName", "tool"]);
        let call_id = text(&["tool_use_id", "tool_call_id", "callId"]);
        let mut normal = NormalizedEvent {
            tool: tool_native.as_deref().map(|name| canonical(provider, name)),
            call_id: call_id.or_else(|| tool_native.as_ref().map(|_| format!("call-{seq}"))),
            prompt: text(&["prompt"]),
            last_message: first_text(&top, &spellings("last_message", &["final_message"])),
            matcher_value: match_value(provider, event, &top),
            agent_id: text(&["agent_id", "subagent_id", "subagentId"]),
            agent_type: text(&["agent_type", "subagent_name", "subagentName"]),
            permission_mode: text(&["permission_mode"]),
            turn: first_text(&top, &spellings("turn", &[])),
            stop_hook_active: top.last("stop_hook_active").and_then(|value| value.get().parse().ok()),
            transcript_path: text(&["transcript_path"]),
            tool_native,
            ..NormalizedEvent::default()
        };
        let input = ["tool_input", "args", "params"].iter().find_map(|key| top.last(key));
        if let (Some(form), Some(input)) = (live_form(provider), input.and_then(object)) {
            normal.read_input(&form.input, &input);
        }
        normal
    }

    /// Reads the input of a tool. Several texts are one, each in a line.
    fn read_input(&mut self, keys: &InputKeys, input: &RawObject<'_>) {
        let text = |keys: &[&str]| first_text(input, keys);
        if let Some((tool, key)) = keys.patch
            && self.tool_native.as_deref() == Some(tool)
        {
            let patch = text(&[key]).unwrap_or_default();
            return self.read_patch(parse_patch(&patch));
        }
        self.path = text(keys.path);
        let lines = |key: &&&str| serde_json::from_str::<Vec<String>>(input.last(key)?.get()).ok();
        self.command = text(keys.command).or_else(|| Some(keys.command.iter().find_map(|key| lines(&key))?.join("\n")));
        self.content = text(keys.content);
        self.old = text(keys.old);
        self.new = text(keys.new);
    }

    /// Reads the patch of a patch tool. The fields describe its first change.
    fn read_patch(&mut self, changes: Vec<PatchChange>) {
        for (at, change) in changes.into_iter().enumerate() {
            let (path, content, old, new) = match change {
                PatchChange::Write { path, content } => (path, Some(content), None, None),
                PatchChange::Edit { path, old, new } => (path, None, Some(old), Some(new)),
                PatchChange::Delete { path } => (path, None, None, None),
            };
            if at == 0 {
                (self.path, self.content, self.old, self.new) = (Some(path), content, old, new);
            } else if !self.paths().any(|known| known == path) {
                self.more_paths.push(path);
            }
        }
    }

    /// Returns all paths.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.path.iter().chain(&self.more_paths).map(String::as_str)
    }
}

fn object(value: &RawValue) -> Option<RawObject<'_>> {
    serde_json::from_str(value.get()).ok()
}

fn first_text(top: &RawObject<'_>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| top.last(key).and_then(decoded_string))
}

/// Returns the agents' names of a key, and older ones.
fn spellings(canonical: &str, old: &[&'static str]) -> Vec<&'static str> {
    let row = mapping().keys.iter().find(|row| row.canonical == canonical && row.event.is_none());
    let mut all: Vec<&str> = row.into_iter().flat_map(|row| row.keys.words()).collect();
    all.extend(old);
    all
}

/// Returns the tool's name in the catalogue.
fn canonical(provider: &str, native: &str) -> String {
    match catalogue().agent(provider) {
        Some(agent) => catalogue().resolve(native, agent).canonical.to_owned(),
        None => native.to_owned(),
    }
}

/// Returns the value that matchers are compared with on an event without a tool.
fn match_value(provider: &str, event: &str, top: &RawObject<'_>) -> Option<String> {
    let spec = by_id(provider)
        .zip(live_form(provider))
        .and_then(|(dialect, form)| find_event(dialect, &default_version(dialect), &native_event(form, event)));
    match spec.and_then(|spec| spec.subject) {
        Some("tool_name") => None,
        Some(key) => first_text(top, &[key]),
        None => first_text(top, MATCH_KEYS),
    }
}
