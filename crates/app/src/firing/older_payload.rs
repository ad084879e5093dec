//! Payloads in older formats, and payloads of another agent than the named one.

use serde_json::Value;

use super::input::InputRequest;
use hookbench_core::config::Place;
use hookbench_core::diagnostic::{Code, Diagnostic, Severity};
use hookbench_core::dialects::{self, Agent, Version};
use hookbench_core::hook::HookInput;
use hookbench_core::port::{AgentVersion, translate};

/// The largest input that hooks of older formats accept, in bytes.
const LARGEST_OLDER_INPUT: usize = 10 * 1024 * 1024;

/// Returns the request with a payload in today's format, if its payload is in an older one, and notes about the payload.
pub(super) fn modernize(
    request: &InputRequest,
    place: &Place,
    version_of: &dyn Fn(&'static str) -> Version,
) -> (Option<InputRequest>, Vec<Diagnostic>) {
    let mut notes = Vec::new();
    let Some(payload) = &request.payload else { return (None, notes) };
    let owner = dialects::recognise(payload);
    let Some(older) = dialects::read_older_payload(payload) else {
        notes.extend(other_agent(request, payload));
        return (None, notes);
    };
    let note = |message: String| Diagnostic::new(Code::PayloadOlder, message);
    notes.push(note("the payload is in an older format, which no released agent sends".to_owned()));
    notes.extend(older.notes.into_iter().map(note));
    let wanted = request.agent.and_then(|id| dialects::by_id(id.as_str())).or(owner);
    let mut body = older.body;
    if let (Some(owner), Some(wanted)) = (owner.filter(|owner| !owner.is_released()), wanted)
        && owner != wanted
    {
        match in_other_agent(&body, owner, wanted, place, version_of) {
            Ok(translated) => body = translated,
            Err(why) => notes.push(note(format!("{why}, so the payload is sent with the names of its own format"))),
        }
    }
    let agent = wanted.map(Agent::id).or(request.agent);
    (Some(InputRequest { agent, payload: Some(body), ..request.clone() }), notes)
}

/// The payload as another agent would send it.
fn in_other_agent(
    body: &Value,
    owner: &'static Agent,
    wanted: &'static Agent,
    place: &Place,
    version_of: &dyn Fn(&'static str) -> Version,
) -> Result<Value, String> {
    let side = |dialect: &'static Agent| AgentVersion { dialect, version: version_of(dialect.id().as_str()) };
    let from = side(owner);
    let name = body.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let event =
        dialects::find_event(owner, &from.version, name).ok_or_else(|| format!("the event {name} is unknown"))?;
    let subject = owner.subject(event, body, &from.version);
    let input = HookInput { event: event.name.to_owned(), subject, body: body.clone() };
    let translated = translate(&input, &from, &side(wanted), place).map_err(|missing| missing.text())?;
    // Keys that the translation has invented are added, and listed, by the caller.
    let mut body = translated.input.body;
    if let Some(body) = body.as_object_mut() {
        body.retain(|key, _| !translated.filled.contains(key));
    }
    Ok(body)
}

/// A note about a payload that certainly belongs to another agent than the named one.
fn other_agent(request: &InputRequest, payload: &Value) -> Option<Diagnostic> {
    let named = dialects::by_id(request.agent?.as_str())?;
    let owner = dialects::certain_owner(payload, named)?;
    let says = format!("the payload looks like one of {}, but it is fired in {}", owner.name(), named.name());
    Some(Diagnostic::new(Code::PayloadAgent, says))
}

/// A note about an input that is too large for hooks of older formats. Agents of today have no such limit.
pub(super) fn size_note(body: &Value) -> Option<Diagnostic> {
    let size = body.to_string().len();
    let says = format!("the input has {size} bytes; hooks written for older formats accept {LARGEST_OLDER_INPUT}");
    (size > LARGEST_OLDER_INPUT).then(|| Diagnostic::lowered(Code::PayloadOlder, Severity::Info, says))
}
