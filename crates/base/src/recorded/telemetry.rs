//! The OpenTelemetry records of an agent: how they become events, and which values they lack.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::event::{PayloadSource, RecordedEvent, RecordedRun};
use super::format::CalledTool;

/// The attributes of a telemetry record, and those of its resource. They are few, and most are never read, so they are a list.
#[derive(Debug, Clone, Default)]
pub struct Attributes {
    own: Vec<(String, Value)>,
    resource: Arc<[(String, Value)]>,
}

impl Attributes {
    /// The attributes of a resource.
    pub fn of_resource(list: Vec<(String, Value)>) -> Attributes {
        Attributes { own: Vec::new(), resource: list.into() }
    }

    /// The attributes of a record with this resource.
    #[must_use]
    pub fn with_own(&self, own: Vec<(String, Value)>) -> Attributes {
        Attributes { own, resource: Arc::clone(&self.resource) }
    }

    /// Adds the attributes of an earlier record. Those of this record are preferred.
    pub fn add_earlier(&mut self, earlier: Attributes) {
        let own = std::mem::replace(&mut self.own, earlier.own);
        self.own.extend(own);
    }

    /// The value of an attribute. Of several, the last counts.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let of = |list: &'_ [(String, Value)]| list.iter().rposition(|(known, _)| known == key);
        let own = of(&self.own).and_then(|index| self.own.get(index));
        let pair = own.or_else(|| self.resource.get(of(&self.resource)?));
        pair.map(|(_, value)| value)
    }
}

/// Reads a run of a hook. `None` if the attributes do not hold all of it.
pub type HookRunReader = fn(&Attributes) -> Option<HookRunRecord>;

/// The spans of a call, beside its log records.
#[derive(Debug, Clone, Copy)]
pub struct CallSpans {
    /// The name of the span of a call.
    pub call: &'static str,
    /// The name of the span inside it that holds the decision on it.
    pub decision: &'static str,
}

/// The records of an agent's telemetry.
pub struct TelemetryFormat {
    /// How the `service.name` of the agent's resources begins.
    pub service: &'static str,
    /// The attribute with the agent's version. `None` if no record names it.
    pub version: Option<&'static str>,
    /// The name of the record of a prompt, and the event that it becomes. Its attribute `prompt` is the prompt. `None` if
    /// no record holds the prompt alone.
    pub prompt: Option<(&'static str, &'static str)>,
    /// The name of the record of a call that is about to run, or that was refused. `None` if the agent writes none.
    pub decision: Option<&'static str>,
    /// The name of the record of a call that has ended. It is a span if an agent has no such log record.
    pub result: &'static str,
    /// The spans of calls, if they hold the input. Of the same call, logs may hold less of it.
    pub spans: Option<CallSpans>,
    /// The attribute with the id of a call. `None` if calls have none.
    pub call_id: Option<&'static str>,
    /// The event before a call, and the event after a call that succeeded. The latter is `None` if no record holds
    /// enough of it.
    pub events: (&'static str, Option<&'static str>),
    /// The keys of a payload before the name of its event, after it, and after those of the call or the prompt, each with
    /// its attribute.
    pub keys: [&'static [(&'static str, &'static str)]; 3],
    /// The keys that hooks receive and records never hold.
    pub lacks: &'static [&'static str],
    /// The keys that hooks of single events receive and records never hold, each after its event and the beginning of the names of
    /// its tools.
    pub event_lacks: &'static [(&'static str, &'static str, &'static str)],
    /// The call in the attributes of its records.
    pub call: fn(&Attributes) -> Option<TelemetryCall>,
    /// The name of the record of a run of a hook, and its reader. `None` if no record holds whole runs.
    pub hook_run: Option<(&'static str, HookRunReader)>,
}

impl TelemetryFormat {
    /// The names of the records that become events.
    pub fn record_names(&self) -> [Option<&'static str>; 6] {
        let (prompt, hook_run) = (self.prompt.map(|(name, _)| name), self.hook_run.map(|(name, _)| name));
        let (call, decision) = (self.spans.map(|spans| spans.call), self.spans.map(|spans| spans.decision));
        [prompt, self.decision, Some(self.result), hook_run, call, decision]
    }
}

/// A tool call in telemetry, as hooks see it.
#[derive(Debug, Clone, PartialEq)]
pub struct TelemetryCall {
    /// The call. Its tool is empty, and its input null, if the records do not hold it.
    pub called: CalledTool,
    /// The result that hooks receive, if the records hold it.
    pub response: Option<Value>,
    pub end: CallOutcome,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// It ran, and hooks received its result.
    Succeeded,
    /// A hook refused it.
    Refused,
    /// It was not made or failed, or no record says how it ended.
    Other,
}

/// A run of a hook with its whole input.
#[derive(Debug, Clone, PartialEq)]
pub struct HookRunRecord {
    pub event: String,
    /// The payload as the hook read it.
    pub payload: String,
    pub run: RecordedRun,
}

/// A value of a payload that telemetry does not hold, or only in part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PayloadGap {
    pub path: Vec<String>,
    /// Whether a part of the value is there.
    pub is_cut: bool,
    /// Whether the value may have had members.
    pub has_members: bool,
}

impl fmt::Display for PayloadGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}", self.path.join("."), if self.is_cut { "cut" } else { "missing" })
    }
}

impl PayloadGap {
    /// Whether a reader of the value at this path notices the gap.
    pub fn touches(&self, path: &[String]) -> bool {
        self.path.starts_with(path) || path.starts_with(&self.path)
    }
}

/// The text in place of an object or a list deep in an input.
const NESTED: &str = "<nested>";
/// The texts in place of other values.
const PLACEHOLDERS: [&str; 3] = [NESTED, "<REDACTED>", "[REDACTED]"];

/// The values that an event from telemetry lacks. Empty for an event with the bytes that a hook got, and for one from another
/// source, such as a transcript, which holds values that telemetry never holds.
pub fn payload_gaps(event: &RecordedEvent, body: &Value, format: &TelemetryFormat) -> Vec<PayloadGap> {
    let Some(body) = body.as_object() else { return Vec::new() };
    let is_of_other_source = format.lacks.iter().any(|key| body.contains_key(*key));
    if event.payload_source != PayloadSource::Rebuilt || is_of_other_source {
        return Vec::new();
    }
    let own: &[&str] = match event.event.as_str() {
        name if format.prompt.is_some_and(|(_, prompt)| name == prompt) => &["prompt"],
        name if name == format.events.0 => &["tool_name", "tool_input"],
        name if Some(name) == format.events.1 => &["tool_name", "tool_input", "tool_response"],
        _ => &[],
    };
    let tool = body.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let is_of_event = |lack: &&(&str, &str, _)| lack.0 == event.event && tool.starts_with(lack.1);
    let of_event = format.event_lacks.iter().filter(is_of_event).map(|(_, _, key)| key);
    let lacks = format.lacks.iter().chain(of_event).chain(own).filter(|key| !body.contains_key(**key));
    let mut gaps: Vec<PayloadGap> = lacks
        .map(|key| PayloadGap {
            path: vec![(*key).to_owned()],
            is_cut: false,
            has_members: matches!(*key, "tool_input" | "tool_response"),
        })
        .collect();
    for (key, value) in body {
        add_cuts(value, &mut vec![key.into()], &mut gaps);
    }
    gaps
}

fn add_cuts<'a>(value: &'a Value, path: &mut Vec<Cow<'a, str>>, gaps: &mut Vec<PayloadGap>) {
    let whole = |path: &[Cow<'_, str>]| path.iter().map(|key| key.clone().into_owned()).collect();
    let mut member = |key: Cow<'a, str>, value: &'a Value| {
        path.push(key);
        add_cuts(value, path, gaps);
        path.pop();
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| member(key.into(), value)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| member(index.to_string().into(), value));
        }
        Value::String(text) if PLACEHOLDERS.contains(&text.as_str()) => {
            gaps.push(PayloadGap { path: whole(path), is_cut: false, has_members: text == NESTED });
        }
        Value::String(text) if is_cut(text) => {
            gaps.push(PayloadGap { path: whole(path), is_cut: true, has_members: false });
        }
        _ => {}
    }
}

/// Whether a text ends with its whole length, as in `echo …[3005 chars]`, and is shorter than that.
pub fn is_cut(text: &str) -> bool {
    let parts = text.strip_suffix(" chars]").and_then(|text| text.rsplit_once("…["));
    parts.is_some_and(|(kept, length)| length.parse::<usize>().is_ok_and(|length| kept.chars().count() < length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_states_a_length_that_it_does_not_have() {
        for (text, want) in [
            ("abc…[3005 chars]", true),
            ("abc…[3 chars]", false),
            ("see …[9000 chars] above", false),
            ("…[x chars]", false),
            ("", false),
        ] {
            assert_eq!(is_cut(text), want, "{text}");
        }
    }

    #[test]
    fn a_gap_touches_what_is_inside_it_and_around_it() {
        let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
        let gap = PayloadGap { path: path("tool_input.content"), is_cut: true, has_members: false };
        for (read, want) in [
            ("tool_input", true),
            ("tool_input.content", true),
            ("tool_input.content.0", true),
            ("tool_input.x", false),
        ] {
            assert_eq!(gap.touches(&path(read)), want, "{read}");
        }
        assert_eq!(gap.to_string(), "tool_input.content is cut");
    }
}
