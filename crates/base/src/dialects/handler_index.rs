//! Hooks by the command that they run, so that a rule finds the other hooks of a command without a search.

use std::collections::HashMap;

use crate::hook::{Handler, HookDefinition};

/// The hooks of a configuration by their handlers.
pub struct HandlerIndex<'a> {
    definitions: &'a [HookDefinition],
    /// By the handler as text.
    by_text: HashMap<String, HookPeers<'a>>,
    /// The events of the hooks whose handlers contain a word.
    events_by_word: HashMap<String, Vec<&'a str>>,
}

/// The hooks that run the same.
#[derive(Default)]
struct HookPeers<'a> {
    definitions: Vec<&'a HookDefinition>,
    events: Vec<&'a str>,
}

impl<'a> HandlerIndex<'a> {
    /// Indexes definitions.
    pub fn new(definitions: &'a [HookDefinition]) -> HandlerIndex<'a> {
        let mut by_text: HashMap<String, HookPeers<'a>> = HashMap::new();
        let mut events_by_word: HashMap<String, Vec<&'a str>> = HashMap::new();
        for definition in definitions {
            let text = definition.handler.text();
            let event = definition.event.as_str();
            for word in text.split(|c| !is_word(c)).filter(|word| !word.is_empty()) {
                match events_by_word.get_mut(word) {
                    Some(events) => add(events, event),
                    None => {
                        events_by_word.insert(word.to_owned(), vec![event]);
                    }
                }
            }
            let peers = by_text.entry(text).or_default();
            peers.definitions.push(definition);
            add(&mut peers.events, event);
        }
        HandlerIndex { definitions, by_text, events_by_word }
    }

    /// The hooks that run the same as a handler.
    pub fn hooks_of(&self, handler: &Handler) -> &[&'a HookDefinition] {
        self.by_text.get(&handler.text()).map_or(&[], |peers| peers.definitions.as_slice())
    }

    /// The events whose hooks run the same as a handler.
    pub fn events_of(&self, handler: &Handler) -> &[&'a str] {
        self.by_text.get(&handler.text()).map_or(&[], |peers| peers.events.as_slice())
    }

    /// The events whose hooks name a file, with any arguments.
    pub fn events_naming(&self, file: &str) -> Vec<&'a str> {
        if file.chars().all(is_word) {
            return self.events_by_word.get(file).cloned().unwrap_or_default();
        }
        let mut events = Vec::new();
        for definition in self.definitions.iter().filter(|definition| definition.handler.text().contains(file)) {
            add(&mut events, definition.event.as_str());
        }
        events
    }
}

fn add<'a>(events: &mut Vec<&'a str>, event: &'a str) {
    if !events.contains(&event) {
        events.push(event);
    }
}

/// Whether a character is usual in a file name.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@')
}
