//! The tables of an agent's program: its events, tools, payload keys, variables and limits, as sessions show them. One
//! such set is data, and the facts beyond it are new to hookbench.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::hook_log::NotedRun;
use super::new_fact::{FactKind, NewFact};
use crate::model_interface::ModelRequest;
use hookbench_base::catalogue::catalogue;
use hookbench_base::config::Place;
use hookbench_base::dialects::{Agent, Version};
use hookbench_base::text::joined_with_and;

/// Variables that shells set on their own.
pub(super) const OF_SHELLS: [&str; 4] = ["_", "OLDPWD", "PWD", "SHLVL"];
/// Payload values whose keys are those of a tool: a model, a server or a user chooses them.
const OF_TOOLS: [&str; 4] = ["tool_input", "tool_response", "toolArgs", "toolResult"];
/// In place of an event: the keys that every answer may have, outside `hookSpecificOutput`.
pub const EVERY_EVENT: &str = "every event";
/// The part of a limit by which two measurements may differ: a text that is cut may name a file, whose path varies.
const LIMIT_STEPS: u64 = 50;

/// The tables of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramTables {
    /// The version that was asked. Empty if it is unknown.
    #[serde(default)]
    pub version: String,
    /// The day on which it was asked: `2026-11-28`.
    #[serde(default)]
    pub on: String,
    /// The events that the program names or fires.
    #[serde(default)]
    pub events: BTreeSet<String>,
    /// The tools that it offers its model.
    #[serde(default)]
    pub tools: BTreeSet<String>,
    /// The name of a tool in payloads, by the name that the model called.
    #[serde(default)]
    pub called_tools: BTreeMap<String, BTreeSet<String>>,
    /// The variables that it sets for hooks.
    #[serde(default)]
    pub variables: BTreeSet<String>,
    /// The keys of payloads, by event.
    #[serde(default)]
    pub payloads: BTreeMap<String, PayloadKeys>,
    /// The keys that answers may have, by event; of `hookSpecificOutput`, those in it. See [`EVERY_EVENT`].
    #[serde(default)]
    pub answer_keys: BTreeMap<String, BTreeSet<String>>,
    /// The number of characters of a long text that its model is told, by the origin of the text.
    #[serde(default)]
    pub limits: BTreeMap<String, u64>,
}

/// The keys of an event's payloads, joined by dots.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PayloadKeys {
    /// The keys of every payload.
    pub always: BTreeSet<String>,
    /// The keys of some payloads.
    #[serde(default)]
    pub sometimes: BTreeSet<String>,
}

impl PayloadKeys {
    fn of(payload: &Value) -> PayloadKeys {
        let mut always = BTreeSet::new();
        collect_keys("", payload, &mut always);
        PayloadKeys { always, sometimes: BTreeSet::new() }
    }

    fn add(&mut self, other: &PayloadKeys) {
        let both: BTreeSet<String> = self.always.intersection(&other.always).cloned().collect();
        let all = [&self.always, &self.sometimes, &other.always, &other.sometimes].into_iter().flatten();
        self.sometimes = all.filter(|key| !both.contains(*key)).cloned().collect();
        self.always = both;
    }

    fn has(&self, key: &str) -> bool {
        self.always.contains(key) || self.sometimes.contains(key)
    }

    /// The keys of some payload.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.always.iter().chain(&self.sometimes)
    }
}

/// The keys in a value, without those of a tool's input and result.
fn collect_keys(path: &str, value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                if !OF_TOOLS.contains(&key.as_str()) {
                    collect_keys(&path, value, all);
                }
                all.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_keys(&format!("{path}[]"), item, all)),
        _ => {}
    }
}

impl ProgramTables {
    /// The tables that hookbench knows of an agent.
    ///
    /// # Errors
    /// Returns an error if the data is not what this version of hookbench expects.
    pub fn known(dialect: &Agent) -> Result<ProgramTables, serde_json::Error> {
        serde_json::from_str(dialect.headless_format().tables)
    }

    /// The tables that the rules of an agent have for a version: its events, the keys of its payloads, its tools.
    pub fn of_rules(dialect: &Agent, version: &Version) -> ProgramTables {
        let mut tables = ProgramTables::default();
        let place = Place::default();
        for event in dialect.events(version) {
            tables.events.insert(event.name.to_owned());
            let keys = tables.payloads.entry(event.name.to_owned()).or_default();
            keys.sometimes.extend(event.fields.iter().map(|field| field.name.to_owned()));
            for example in dialect.iter_examples(event, &place, version) {
                collect_keys("", &example.body, &mut keys.sometimes);
            }
        }
        for event in dialect.events(version) {
            for pointer in event.honoured_output {
                let own = pointer.strip_prefix("/hookSpecificOutput/").map(|key| (event.name, key));
                let (place, key) = own.unwrap_or((EVERY_EVENT, pointer.trim_start_matches('/')));
                tables.answer_keys.entry(place.to_owned()).or_default().insert(key.replace('/', "."));
            }
        }
        let own = catalogue().agent(dialect.id().as_str());
        for tool in own.iter().flat_map(|own| own.tools) {
            tables.tools.extend(tool.names().map(str::to_owned));
        }
        tables.tools.extend(own.iter().flat_map(|own| own.others).map(|other| other.name.to_owned()));
        tables
    }

    /// Adds what the rules know besides. They do not say which keys every payload has.
    #[must_use]
    pub fn with_rules(mut self, rules: ProgramTables) -> ProgramTables {
        self.events.extend(rules.events);
        self.tools.extend(rules.tools);
        for (event, keys) in rules.answer_keys {
            self.answer_keys.entry(event).or_default().extend(keys);
        }
        for (event, keys) in rules.payloads {
            let known = self.payloads.entry(event).or_default();
            let new = keys.sometimes.into_iter().filter(|key| !known.always.contains(key));
            let new: Vec<String> = new.collect();
            known.sometimes.extend(new);
        }
        self
    }

    /// Adds what the run of a hook shows. `given` are the variables that the agent itself was given.
    pub fn add_run(&mut self, run: &NotedRun, given: &BTreeSet<String>) {
        let Some(event) = run.stdin.get("hook_event_name").and_then(Value::as_str) else { return };
        self.events.insert(event.to_owned());
        self.add_payload(event, PayloadKeys::of(&run.stdin));
        let own = |name: &&String| !given.contains(*name) && !OF_SHELLS.contains(&name.as_str());
        self.variables.extend(run.environment.keys().filter(own).cloned());
    }

    fn add_payload(&mut self, event: &str, keys: PayloadKeys) {
        match self.payloads.get_mut(event) {
            Some(known) => known.add(&keys),
            None => drop(self.payloads.insert(event.to_owned(), keys)),
        }
    }

    /// Adds the tools that requests to the model offer.
    pub fn add_requests(&mut self, requests: &[ModelRequest]) {
        self.tools.extend(requests.iter().flat_map(|request| request.tools.iter().cloned()));
    }

    /// Adds other tables of the same program.
    pub fn add(&mut self, other: ProgramTables) {
        self.events.extend(other.events);
        self.tools.extend(other.tools);
        for (called, seen) in other.called_tools {
            self.called_tools.entry(called).or_default().extend(seen);
        }
        for (event, keys) in other.answer_keys {
            self.answer_keys.entry(event).or_default().extend(keys);
        }
        self.variables.extend(other.variables);
        self.limits.extend(other.limits);
        for (event, keys) in other.payloads {
            self.add_payload(&event, keys);
        }
    }

    /// The facts about a program of this version that hookbench does not know. `known` are the tables of its data. An older
    /// program may lack what they have.
    pub fn news(&self, known: &ProgramTables, version: Option<&Version>) -> Vec<NewFact> {
        let mut news = Vec::new();
        if known.version.is_empty() {
            return news;
        }
        let older = known.is_newer_than(version);
        let fact = |kind, name: &str| NewFact { kind, name: name.to_owned(), event: None, detail: None };
        news.extend(self.events.difference(&known.events).map(|name| fact(FactKind::Event, name)));
        for (event, keys) in &self.payloads {
            let Some(before) = known.payloads.get(event) else { continue };
            let of_event = |kind, key: &String| NewFact { event: Some(event.clone()), ..fact(kind, key) };
            let new = keys.all().filter(|key| !before.has(key));
            news.extend(new.map(|key| of_event(FactKind::PayloadKey, key)));
            let gone = before.always.iter().filter(|key| !older && !keys.has(key) && has_parent(keys, key));
            news.extend(gone.map(|key| of_event(FactKind::MissingKey, key)));
        }
        news.extend(self.tools.difference(&known.tools).map(|name| fact(FactKind::Tool, name)));
        for (called, seen) in &self.called_tools {
            let before = known.called_tools.get(called);
            let new = seen.iter().filter(|name| before.is_none_or(|before| !before.contains(*name)));
            let detail = |name: &String| Some(format!("a call of {called} is {name} to hooks"));
            news.extend(new.map(|name| NewFact { detail: detail(name), ..fact(FactKind::ToolName, called) }));
        }
        for (event, keys) in &self.answer_keys {
            let before = known.answer_keys.get(event);
            let new = keys.iter().filter(|key| before.is_none_or(|before| !before.contains(*key)));
            news.extend(new.map(|key| NewFact { event: Some(event.clone()), ..fact(FactKind::AnswerKey, key) }));
        }
        news.extend(self.variables.difference(&known.variables).map(|name| fact(FactKind::Variable, name)));
        for (origin, found) in &self.limits {
            let before = known.limits.get(origin);
            let same = before.is_some_and(|before| before.abs_diff(*found) * LIMIT_STEPS <= *before);
            if !same && !older {
                let before = before.map_or_else(|| "unknown".to_owned(), ToString::to_string);
                let detail = Some(format!("{before} characters before, {found} now"));
                news.push(NewFact { detail, ..fact(FactKind::Limit, origin) });
            }
        }
        news
    }

    /// Whether these tables are those of a newer program.
    fn is_newer_than(&self, version: Option<&Version>) -> bool {
        let asked = Version::parse(&self.version);
        matches!((version, asked), (Some(version), Some(asked)) if *version < asked)
    }

    /// The number of facts of each kind: `33 events, 12 tools and …`.
    pub fn counts(&self) -> String {
        let keys: usize = self.payloads.values().map(|keys| keys.all().count()).sum();
        let counts = [
            (FactKind::Event, self.events.len()),
            (FactKind::PayloadKey, keys),
            (FactKind::Tool, self.tools.len()),
            (FactKind::AnswerKey, self.answer_keys.values().map(BTreeSet::len).sum()),
            (FactKind::Variable, self.variables.len()),
            (FactKind::Limit, self.limits.len()),
        ];
        let some = counts.into_iter().filter(|(_, count)| *count > 0);
        joined_with_and(&some.map(|(kind, count)| kind.count(count)).collect::<Vec<_>>())
    }
}

/// Whether the object that would hold a key is there. A whole object that is missing is named once, by its own key.
fn has_parent(keys: &PayloadKeys, key: &str) -> bool {
    key.rsplit_once('.').is_none_or(|(parent, _)| keys.has(parent.trim_end_matches("[]")))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::super::new_fact::news_sentence;
    use super::*;

    fn run(stdin: Value, variables: &[&str]) -> NotedRun {
        let environment = variables.iter().map(|name| ((*name).to_owned(), String::new())).collect();
        NotedRun { hook: "h".to_owned(), stdin, environment, finished: true, exit: None }
    }

    fn tables(runs: &[NotedRun]) -> ProgramTables {
        let mut tables = ProgramTables::default();
        let given = BTreeSet::from(["HOME".to_owned()]);
        for run in runs {
            tables.add_run(run, &given);
        }
        tables
    }

    #[test]
    fn each_kind_of_news_is_named_once() {
        let payload = |more: Value| {
            let mut payload = json!({ "hook_event_name": "PreToolUse", "cwd": "/p", "tool_input": { "command": "x" } });
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            payload
        };
        let mut known = tables(&[run(payload(json!({ "effort": { "level": 1 } })), &["HOME", "PWD", "MARK"])]);
        known.version = "1.0.0".to_owned();
        known.limits.insert("a reason".to_owned(), 10);
        let now = json!({ "hook_event_name": "Later", "cwd": "/p" });
        let runs =
            [run(payload(json!({ "list": [{ "key": 1 }], "tool_input": { "any": 1 } })), &["NEW"]), run(now, &[])];
        let mut found = tables(&runs);
        found.tools.insert("Monitor".to_owned());
        found.called_tools.insert("Task".to_owned(), BTreeSet::from(["Agent".to_owned()]));
        let answer_keys =
            |words: &[&str]| BTreeMap::from([("Stop".to_owned(), words.iter().map(ToString::to_string).collect())]);
        known.answer_keys = answer_keys(&["reason"]);
        found.answer_keys = answer_keys(&["hint", "reason"]);
        found.limits.insert("a reason".to_owned(), 20);
        for (tables, limit) in [(&mut known, 1_000), (&mut found, 1_020)] {
            tables.limits.insert("a text that names a file".to_owned(), limit);
        }
        let words: Vec<String> = found.news(&known, None).iter().map(NewFact::words).collect();
        let expected = [
            "event Later",
            "key list of PreToolUse",
            "key list[].key of PreToolUse",
            "no key effort in PreToolUse",
            "tool Monitor",
            "name of tool Task (a call of Task is Agent to hooks)",
            "answer key hint of Stop",
            "variable NEW",
            "limit of a reason (10 characters before, 20 now)",
        ];
        assert_eq!(words, expected);
        assert_eq!(
            news_sentence(&found.news(&known, None)).unwrap(),
            "1 event, 2 keys, 1 missing key, 1 tool, 1 tool name, 1 answer key, 1 variable and 1 limit are new to hookbench: event \
             Later, key list of PreToolUse, key list[].key of PreToolUse, no key effort in PreToolUse, tool Monitor, \
             name of tool Task (a call of Task is Agent to hooks), and 3 more"
        );
        assert_eq!(found.news(&found, None), []);
        assert_eq!(news_sentence(&[]), None);
    }

    #[test]
    fn a_key_that_one_payload_lacks_is_not_missing_in_another() {
        let with = json!({ "hook_event_name": "Stop", "a": 1 });
        let without = json!({ "hook_event_name": "Stop" });
        let mut known = tables(&[run(with.clone(), &[]), run(without.clone(), &[])]);
        known.version = "1.0.0".to_owned();
        for payload in [with, without] {
            assert_eq!(tables(&[run(payload, &[])]).news(&known, None), []);
        }
    }
}
