//! Translation of the caller's event for the script, and of a changed input on the way back.

use serde_json::{Map, Value};

use super::adapter::{AdaptedEvent, HookAdapter, ScriptRun};
use crate::hook::HookInput;
use crate::port::{MissingEvent, TranslationNote, mapping, same_event, split_patch, translate};

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
