//! The two agents of an adapted script, and what passes between them.

use std::cell::RefCell;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::lone_hook::LoneHook;
use crate::config::Place;
use crate::decide::{Outcome, Verdict};
use crate::hook::HookInput;
use crate::port::{AgentVersion, MissingEvent, TranslationNote, mapping, same_event, split_patch, translate};
use crate::run::Exit;

/// An adapter between the agent that runs a hook and the agent that its script was written for.
#[derive(Clone)]
pub struct HookAdapter {
    /// The agent that the script was written for.
    pub script: AgentVersion,
    /// The agent that runs the hook.
    pub caller: AgentVersion,
    /// The event as the script expects it, where its agent has several spellings. `None` for the main one.
    pub spelling: Option<String>,
    pub place: Place,
    /// The hooks that were read so far.
    known_hooks: RefCell<Vec<Arc<LoneHook>>>,
}

impl HookAdapter {
    /// An adapter in a place. `spelling` is the event as the script expects it, or `None` for the main one.
    pub fn new(script: AgentVersion, caller: AgentVersion, spelling: Option<String>, place: Place) -> HookAdapter {
        HookAdapter { script, caller, spelling, place, known_hooks: RefCell::default() }
    }

    /// The only hook of an agent on an event. Its settings are read once, because an agent waits.
    pub(super) fn lone_hook(&self, side: &AgentVersion, event: &str) -> Option<Arc<LoneHook>> {
        let known = self.known_hooks.borrow().iter().find(|hook| hook.is_on(side, event)).cloned();
        known.or_else(|| {
            let hook = Arc::new(LoneHook::on(side, event, &self.place)?);
            self.known_hooks.borrow_mut().push(Arc::clone(&hook));
            Some(hook)
        })
    }
}

/// An event as the script expects it.
#[derive(Debug, Clone, PartialEq)]
pub struct AdaptedEvent {
    pub input: HookInput,
    pub notes: Vec<TranslationNote>,
}

/// One run of the script.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptRun {
    pub event: AdaptedEvent,
    pub exit: Exit,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl ScriptRun {
    /// A run that succeeds and prints nothing.
    pub fn silent(event: AdaptedEvent) -> ScriptRun {
        ScriptRun { event, exit: Exit::Code(0), stdout: Vec::new(), stderr: Vec::new() }
    }

    /// Whether the script succeeded and printed nothing.
    pub fn is_silent(&self) -> bool {
        self.exit == Exit::Code(0) && self.stdout.is_empty() && self.stderr.is_empty()
    }
}

/// The answer for the caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdaptedAnswer {
    pub exit: i32,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// What the caller does not do as the script's agent would have done it, in sentences.
    pub losses: Vec<String>,
}

/// What the script's agent does with all runs of the script, in terms of the caller.
pub(super) struct IntendedEffect {
    pub outcome: Outcome,
    /// Output keys, as JSON pointers with their values, that have no counterpart in an outcome.
    pub other_keys: Vec<(String, Value)>,
    /// The reason why the changed input cannot be translated.
    pub untranslated_input: Option<String>,
    /// The reason why the script's agent cannot use its output.
    pub failure: Option<String>,
}

/// How much an outcome restricts the agent: allowing without a question least, refusing most.
pub(super) fn strictness(outcome: &Outcome) -> u8 {
    match outcome.verdict {
        _ if outcome.blocked || !outcome.continues => 3,
        Verdict::Deny | Verdict::FailedClosed => 3,
        Verdict::Ask => 2,
        Verdict::Allow => 0,
        Verdict::NotRun | Verdict::Unknown | Verdict::FailedOpen | Verdict::NoObjection => 1,
    }
}

/// The keys that describe a tool call.
const CALL: [&str; 4] = ["tool_name", "tool_input", "tool_response", "tool_result"];

/// Translates an event of the caller, as one event for each change of a patch.
pub(super) fn translate_event(adapter: &HookAdapter, input: &HookInput) -> Result<Vec<AdaptedEvent>, MissingEvent> {
    let (caller, script) = (&adapter.caller, &adapter.script);
    let missing =
        || MissingEvent { message: format!("{} has no event {}", caller.dialect.name(), input.event), nearest: None };
    let spec = crate::dialects::find_event(caller.dialect, &caller.version, &input.event).ok_or_else(missing)?;
    if caller.dialect.id() == script.dialect.id() {
        return Ok(vec![AdaptedEvent { input: input.clone(), notes: Vec::new() }]);
    }
    same_event(caller, spec, script)?;
    split_patch(input, caller, script).iter().map(|part| translate_part(adapter, part)).collect()
}

fn translate_part(adapter: &HookAdapter, input: &HookInput) -> Result<AdaptedEvent, MissingEvent> {
    let (caller, script) = (&adapter.caller, &adapter.script);
    let (translated, why) = match translate(input, caller, script, &adapter.place) {
        Ok(translated) => (translated, None),
        // The script's agent has no such tool. A guard that looks at all tools still has to see the call.
        Err(why) => (translate(&without_call(input), caller, script, &adapter.place)?, Some(why)),
    };
    let mut event = AdaptedEvent { input: translated.input, notes: translated.notes };
    if let Some(body) = event.input.body.as_object_mut() {
        if let Some(why) = why {
            let call = CALL.iter().filter_map(|key| Some(((*key).to_owned(), input.body.get(*key)?.clone())));
            body.extend(call);
            let says = format!("{}: the script receives the call as {} sent it", why.message, caller.dialect.name());
            event.notes.push(TranslationNote::lost("tool_name", says));
        }
        // Files of the caller really exist; those that the script's agent would name do not.
        for key in mapping().own.iter().copied() {
            if let Some(path) = input.body.get(key).filter(|_| body.contains_key(key)) {
                body.insert(key.to_owned(), path.clone());
            }
        }
    }
    if let Some(spec) = crate::dialects::find_event(script.dialect, &script.version, &event.input.event) {
        event.input.subject = script.dialect.subject(spec, &event.input.body, &script.version);
    }
    Ok(event)
}

fn without_call(input: &HookInput) -> HookInput {
    let nothing = Map::new();
    let keys = input.body.as_object().unwrap_or(&nothing).iter().filter(|(key, _)| !CALL.contains(&key.as_str()));
    let body = Value::Object(keys.map(|(key, value)| (key.clone(), value.clone())).collect());
    HookInput { body, ..input.clone() }
}

/// Translates the input that the script changed into one for the caller's tool.
///
/// # Errors
/// Returns the reason as a sentence if the caller's tool cannot receive it.
pub(super) fn translate_input(
    adapter: &HookAdapter,
    input: &HookInput,
    run: &ScriptRun,
    changed: Value,
) -> Result<Value, String> {
    let mut event = run.event.input.clone();
    if let Some(body) = event.body.as_object_mut() {
        body.insert("tool_input".to_owned(), changed.clone());
    }
    let is_as_sent = CALL.iter().take(2).all(|key| input.body.get(*key) == run.event.input.body.get(*key));
    let back = match translate(&event, &adapter.script, &adapter.caller, &adapter.place) {
        Ok(back) => back,
        Err(_) if is_as_sent => return Ok(changed),
        Err(why) => return Err(why.text()),
    };
    let same_tool = back.input.body.get("tool_name") == input.body.get("tool_name");
    let there = back.input.body.get("tool_input").filter(|_| same_tool).cloned();
    there.ok_or_else(|| format!("the changed input does not fit the tool of {}", adapter.caller.dialect.name()))
}
