//! Answers of the agent that the rules of lint ask for again and again, for many hooks.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::find_event;
use super::rule_caches::{MatchedExamples, MatchedValues, SentExamples, SentKeys, SharedExamples, SimulatedRun};
use super::rule_context::{AgentContext, RuleContext};
use crate::catalogue::catalogue;
use crate::hook::EventSpec;

impl AgentContext<'_> {
    /// The examples of an event, built once.
    pub fn examples(&self, event: &'static EventSpec) -> SharedExamples {
        let build = || self.dialect.examples(event, self.place, self.version).into();
        let mut examples = self.examples.examples.borrow_mut();
        Rc::clone(examples.entry((self.dialect.id(), event.name)).or_insert_with(build))
    }

    /// The keys of the payload of an event, in the spelling of this name. Empty for an unknown event.
    pub fn sent_keys(&self, name: &str) -> SentKeys {
        let key = (self.dialect.id(), name.to_owned());
        if let Some(known) = self.examples.sent_keys.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut keys = BTreeSet::new();
        if let Some(event) = find_event(self.dialect, self.version, name) {
            let fields = event.fields.iter().map(|field| (field.name.to_owned(), Value::Null)).collect();
            let examples = self.examples(event);
            for body in std::iter::once(&Value::Object(fields)).chain(examples.iter().map(|example| &example.body)) {
                let sent = self.dialect.sent_payload(name, body);
                keys.extend(sent.as_object().into_iter().flatten().map(|(key, _)| key.clone()));
            }
        }
        let keys = Rc::new(keys);
        self.examples.sent_keys.borrow_mut().insert(key, Rc::clone(&keys));
        keys
    }

    /// The payloads of an event's examples as the agent sends them, in the spelling of this name.
    pub fn sent_examples(&self, event: &'static EventSpec, name: &str) -> SentExamples {
        let key = (self.dialect.id(), name.to_owned());
        if let Some(known) = self.examples.sent_examples.borrow().get(&key) {
            return Rc::clone(known);
        }
        let examples = self.examples(event);
        let sent: SentExamples =
            examples.iter().map(|example| self.dialect.sent_payload(name, &example.body)).collect();
        self.examples.sent_examples.borrow_mut().insert(key, Rc::clone(&sent));
        sent
    }

    /// Whether a matcher matches a value of its event: the name of a tool, or another text. `None` if that is unknown, or if
    /// the event has nothing to match.
    pub fn matches_value(&self, event: &'static EventSpec, matcher: &str, value: &str) -> Option<bool> {
        let key = (self.dialect.id(), event.name);
        let known = |matches: &HashMap<_, MatchedValues>| matches.get(&key)?.get(matcher)?.get(value).copied();
        if let Some(known) = known(&self.examples.matches.borrow()) {
            return known;
        }
        let subject = event.subject?;
        let is_tool = subject == "tool_name" && catalogue().agent(self.dialect.id().as_str()).is_some();
        let body: Map<String, Value> = if is_tool {
            self.dialect.tool_body(value, json!({})).into_iter().collect()
        } else {
            Map::from_iter([(subject.to_owned(), Value::from(value))])
        };
        let subject = self.dialect.subject(event, &Value::Object(body), self.version);
        let found = self.dialect.matches(event, Some(&Value::from(matcher)), &subject, self.version);
        let mut matches = self.examples.matches.borrow_mut();
        matches.entry(key).or_default().entry(matcher.to_owned()).or_default().insert(value.to_owned(), found);
        found
    }

    /// The examples of an event as a matcher sees them, in the order of [`AgentContext::examples`].
    pub fn matched_examples(&self, event: &'static EventSpec, matcher: Option<&Value>) -> MatchedExamples {
        let key = (self.dialect.id(), event.name, matcher.cloned());
        if let Some(known) = self.examples.matched_examples.borrow().get(&key) {
            return Rc::clone(known);
        }
        let examples = self.examples(event);
        let matched = examples.iter().map(|example| {
            let subject = self.dialect.subject(event, &example.body, self.version);
            let is_match = self.dialect.matches(event, matcher, &subject, self.version);
            (subject, is_match)
        });
        let matched: MatchedExamples = matched.collect();
        self.examples.matched_examples.borrow_mut().insert(key, Rc::clone(&matched));
        matched
    }
}

impl RuleContext<'_> {
    /// An effect of a run of this hook that ends with a status, whatever its command is. `simulate` finds it, once for all hooks
    /// with the same settings.
    pub fn run_effect(&self, effect: &'static str, status: i32, simulate: impl FnOnce() -> bool) -> bool {
        let definition = self.definition;
        let mut handler = definition.raw.clone();
        drop(handler.as_object_mut().and_then(|keys| keys.remove("command")));
        let run = SimulatedRun {
            agent: self.agent.dialect.id(),
            event: self.event.name,
            layer: definition.provenance.layer,
            is_detached: definition.detached,
            matcher: definition.matcher.clone(),
            handler,
            group: definition.group.clone(),
            rejection: definition.rejection.as_ref().map(|rejection| rejection.rule),
            effect,
            status,
        };
        if let Some(known) = self.agent.run_effects.borrow().get(&run) {
            return *known;
        }
        let found = simulate();
        self.agent.run_effects.borrow_mut().insert(run, found);
        found
    }
}
