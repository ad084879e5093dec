//! The events of an agent and their examples, which its `events.json` and `examples.json` state. `build.rs` writes them as
//! constants.

use crate::shared::missing_keys::fill_missing;
use hookbench_base::config::Place;
use hookbench_base::hook::{EventSpec, ExamplePayload, PayloadField, Subject};
use serde_json::{Value, json};

/// The events of an agent.
pub struct EventTable {
    /// The keys of every payload, which come before those of an event.
    pub common: &'static [PayloadField],
    /// The events of the newest version.
    pub events: &'static [EventSpec],
    /// Events under another name, or as older versions have them.
    pub others: &'static [EventSpec],
    /// Names of other agents' events.
    pub foreign: &'static [ForeignEvent],
    pub examples: &'static [EventExamples],
}

/// The name of another agent's event, and the event that comes nearest.
pub struct ForeignEvent {
    pub theirs: &'static str,
    pub ours: &'static str,
}

/// The examples of an event, the most useful first.
pub struct EventExamples {
    pub event: &'static str,
    pub examples: &'static [ExampleText],
}

/// An example of a payload.
pub struct ExampleText {
    pub label: &'static str,
    /// Its keys as JSON, in the order in which the agent sends them.
    pub keys: &'static str,
}

impl EventTable {
    /// The examples of the event of exactly this name. Each is built when it is reached.
    pub fn examples(&self, event: &str, place: &Place, user_dir: &str) -> impl Iterator<Item = ExamplePayload> + use<> {
        let name = place.project.rsplit('/').next().unwrap_or_default();
        // The project is the last one, so that nothing within its name is replaced.
        let words = [
            ("{user}", user_dir.to_owned()),
            ("{slug}", place.project.replace(|c: char| !c.is_ascii_alphanumeric(), "-")),
            ("{dashed}", place.project.replace('/', "-")),
            ("{name}", name.to_owned()),
            ("{project}", place.project.clone()),
        ];
        let of_event = self.examples.iter().find(|of| of.event == event).map_or(&[][..], |of| of.examples);
        of_event.iter().map(move |example| {
            let mut body = serde_json::from_str(example.keys).unwrap_or_default();
            fill_in(&mut body, &words);
            ExamplePayload { label: example.label.to_owned(), body }
        })
    }

    /// The event of exactly this name.
    pub fn by_name(&self, name: &str) -> Option<&'static EventSpec> {
        self.events.iter().find(|event| event.name == name)
    }

    /// Whether every payload of an event has a key.
    pub fn requires(&self, event: &EventSpec, key: &str) -> bool {
        self.common.iter().chain(event.fields).any(|field| field.name == key && !field.optional)
    }

    /// The missing keys that the agent would have sent, taken from the closest example. Another tool's result is empty.
    pub fn fill(&self, examples: &[ExamplePayload], event: &EventSpec, body: &Value) -> Vec<(String, Value)> {
        fill_missing(event, body, examples, |key| self.requires(event, key), Some(&json!("")))
    }

    /// The event that a user probably meant: another spelling, or the name that another agent uses.
    pub fn suggest(&self, name: &str) -> Option<&'static str> {
        let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "").to_ascii_lowercase();
        let wanted = plain(name);
        let own = self.events.iter().chain(self.others).map(|event| event.name).find(|own| plain(own) == wanted);
        own.or_else(|| self.foreign.iter().find(|foreign| plain(foreign.theirs) == wanted).map(|foreign| foreign.ours))
    }
}

/// The text that matchers are compared with, if it is one key of the payload.
pub fn text_subject(event: &EventSpec, body: &Value) -> Subject {
    let value = event.subject.and_then(|key| body.get(key)).and_then(Value::as_str).map(str::to_owned);
    Subject { value, aliases: Vec::new() }
}

/// Replaces words in every text of a value.
fn fill_in(value: &mut Value, words: &[(&str, String)]) {
    match value {
        Value::String(text) if text.contains('{') => {
            for (word, replacement) in words {
                *text = text.replace(word, replacement);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill_in(item, words)),
        Value::Object(keys) => keys.values_mut().for_each(|value| fill_in(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The static `EVENTS` of an agent's folder.
macro_rules! event_table {
    ($folder:literal) => {
        #[allow(unused_imports, reason = "some agents have no names of others")]
        use crate::kernel::events::{EventExamples, EventTable, ExampleText, ForeignEvent};
        use hookbench_base::hook::{EventSpec, PayloadField};

        include!(concat!(env!("OUT_DIR"), "/", $folder, ".rs"));
    };
}
pub(crate) use event_table;
