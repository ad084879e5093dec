//! Writes the facts of each agent as Rust constants: its events with their examples, and its formats.
#![allow(clippy::disallowed_methods, reason = "a build script reads and writes files")]

#[path = "../base/static_table.rs"]
mod static_table;

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};
use static_table::{FieldKind, TableTypes, static_table};

/// The types of `src/kernel/events.rs` and of `hookbench_base::hook`.
const EVENTS: TableTypes = &[
    (
        "EventTable",
        &[
            ("common", FieldKind::List("PayloadField")),
            ("events", FieldKind::List("EventSpec")),
            ("others", FieldKind::List("EventSpec")),
            ("foreign", FieldKind::List("ForeignEvent")),
            ("examples", FieldKind::List("EventExamples")),
        ],
    ),
    (
        "EventSpec",
        &[
            ("name", FieldKind::Plain),
            ("about", FieldKind::Plain),
            ("subject", FieldKind::Optional),
            ("subjects", FieldKind::Texts),
            ("fields", FieldKind::List("PayloadField")),
            ("honoured_output", FieldKind::Texts),
            ("blockable_action", FieldKind::Optional),
            ("exit_2", FieldKind::Plain),
            ("exit_2_delivers", FieldKind::Plain),
        ],
    ),
    (
        "PayloadField",
        &[
            ("name", FieldKind::Plain),
            ("kind", FieldKind::Plain),
            ("optional", FieldKind::Plain),
            ("values", FieldKind::Texts),
        ],
    ),
    ("ForeignEvent", &[("theirs", FieldKind::Plain), ("ours", FieldKind::Plain)]),
    ("EventExamples", &[("event", FieldKind::Plain), ("examples", FieldKind::List("ExampleText"))]),
    ("ExampleText", &[("label", FieldKind::Plain), ("keys", FieldKind::Json)]),
];

/// The types of `src/kernel/formats.rs` and of `hookbench_base::dialects`.
const FORMATS: TableTypes = &[
    (
        "AgentFormats",
        &[
            ("agent", FieldKind::Plain),
            ("settings", FieldKind::Object("SettingsFormat")),
            ("live", FieldKind::Object("LiveFormat")),
            ("plugin", FieldKind::OptionalObject("PluginFormat")),
            ("headless", FieldKind::Object("HeadlessFormat")),
            ("verification", FieldKind::Object("VerificationFormat")),
            ("flags", FieldKind::List("AgentFlag")),
            ("log", FieldKind::OptionalObject("LogWords")),
        ],
    ),
    (
        "LogWords",
        &[
            ("kind", FieldKind::Plain),
            ("before", FieldKind::Plain),
            ("lines", FieldKind::Tuples(&[FieldKind::Variant("LineMeaning"), FieldKind::Plain])),
            ("session_file", FieldKind::Plain),
            ("shared_files", FieldKind::Texts),
        ],
    ),
    (
        "SettingsFormat",
        &[
            ("handlers", FieldKind::List("HandlerFormat")),
            ("group", FieldKind::Texts),
            ("other_keys", FieldKind::Texts),
            ("variables", FieldKind::List("AgentVariable")),
            ("settings_above", FieldKind::Variant("SettingsAbove")),
            ("event_directory_moves", FieldKind::Flag),
            ("replaces_text", FieldKind::Flag),
            ("expands_on_load", FieldKind::Flag),
            ("project_hooks_stay", FieldKind::Flag),
            ("has_no_shell", FieldKind::Flag),
            ("windows_shell", FieldKind::Plain),
            ("list", FieldKind::OptionalObject("ListForm")),
            ("script", FieldKind::Optional),
            ("pattern_dialect", FieldKind::Plain),
            ("pattern_prefix", FieldKind::Optional),
            ("strict_keys", FieldKind::Tuples(PAIR)),
            ("surfaces", FieldKind::List("Surface")),
            ("runs_duplicates", FieldKind::Flag),
            ("runs_duplicates_across_bundles", FieldKind::Flag),
            ("reload_action", FieldKind::Optional),
            ("runs_in_order", FieldKind::Flag),
            ("", FieldKind::Rest("SettingsFormat::PLAIN")),
        ],
    ),
    (
        "ListForm",
        &[
            ("below", FieldKind::Plain),
            ("language", FieldKind::Variant("FileLanguage")),
            ("event", FieldKind::Plain),
            ("matcher", FieldKind::Plain),
            ("name", FieldKind::Plain),
            ("lists_names", FieldKind::Flag),
        ],
    ),
    ("HandlerFormat", &[("kind", FieldKind::Plain), ("required", FieldKind::Texts), ("optional", FieldKind::Texts)]),
    ("AgentVariable", &[("name", FieldKind::Plain), ("meaning", FieldKind::Plain)]),
    (
        "Surface",
        &[
            ("name", FieldKind::Plain),
            ("marker_variable", FieldKind::Tuple(PAIR)),
            ("missing_events", FieldKind::Texts),
        ],
    ),
    (
        "LiveFormat",
        &[
            ("renames", FieldKind::Tuples(PAIR)),
            (
                "answers",
                FieldKind::Tuples(&[
                    FieldKind::Plain,
                    FieldKind::Variant("DecisionKind"),
                    FieldKind::Variant("AnswerShape"),
                ]),
            ),
            ("partially_supported", FieldKind::Tuples(&[FieldKind::Plain, FieldKind::Variant("DecisionKind")])),
            ("unsafe_events", FieldKind::Texts),
            ("frequent", FieldKind::Texts),
            ("handoff", FieldKind::Variant("HandoffPoint")),
            ("input", FieldKind::Object("InputKeys")),
            ("required_text", FieldKind::Tuples(PAIR)),
            ("project_variables", FieldKind::Texts),
        ],
    ),
    (
        "InputKeys",
        &[
            ("path", FieldKind::Texts),
            ("command", FieldKind::Texts),
            ("content", FieldKind::Texts),
            ("old", FieldKind::Texts),
            ("new", FieldKind::Texts),
            ("patch", FieldKind::OptionalTuple(PAIR)),
        ],
    ),
    (
        "PluginFormat",
        &[
            ("manifest", FieldKind::Plain),
            ("hooks", FieldKind::Plain),
            ("skills", FieldKind::Plain),
            ("marketplace", FieldKind::Optional),
            ("load", FieldKind::Texts),
            ("note", FieldKind::Optional),
        ],
    ),
    (
        "HeadlessFormat",
        &[
            ("interface", FieldKind::Variant("ModelInterface")),
            ("arguments", FieldKind::Texts),
            ("resume", FieldKind::Texts),
            ("environment", FieldKind::Tuples(PAIR)),
            ("files", FieldKind::Tuples(&[FieldKind::Plain, FieldKind::File])),
            ("settings", FieldKind::Plain),
            ("shell_call", FieldKind::Json),
            ("main_tools", FieldKind::Texts),
            ("probes", FieldKind::Included),
            ("tables", FieldKind::Included),
            ("cache_variable", FieldKind::Optional),
            ("observable", FieldKind::Tuples(&[FieldKind::Plain, FieldKind::Variant("ObservableAction")])),
        ],
    ),
    (
        "VerificationFormat",
        &[
            ("triggers", FieldKind::Tuples(&[FieldKind::Plain, FieldKind::Variant("EventTrigger")])),
            ("unattended_arguments", FieldKind::Texts),
            ("permission_arguments", FieldKind::Texts),
            ("permission_keys", FieldKind::Tuples(PAIR)),
            ("settings", FieldKind::Tuples(&[FieldKind::Plain, FieldKind::Json])),
            ("partial_input", FieldKind::Tuples(&[FieldKind::Plain, FieldKind::Texts])),
            ("model_tools", FieldKind::List("ModelTool")),
            ("read_before", FieldKind::List("ReadBefore")),
            ("harmless_tools", FieldKind::Texts),
            ("service_variables", FieldKind::Texts),
            ("session_keys", FieldKind::Texts),
            ("observer", FieldKind::Tuple(&[FieldKind::Plain, FieldKind::Texts])),
            ("not_run", FieldKind::Tuples(PAIR)),
            ("observes_failures", FieldKind::Flag),
            ("refusals", FieldKind::Texts),
        ],
    ),
    (
        "ModelTool",
        &[
            ("tool", FieldKind::Plain),
            ("model_name", FieldKind::Plain),
            ("key", FieldKind::Plain),
            ("model_key", FieldKind::Optional),
            ("keeps", FieldKind::Texts),
        ],
    ),
    ("ReadBefore", &[("tool", FieldKind::Plain), ("read_tool", FieldKind::Plain), ("path_key", FieldKind::Plain)]),
    (
        "AgentFlag",
        &[
            ("names", FieldKind::Texts),
            ("value", FieldKind::Variant("FlagValue")),
            ("effect", FieldKind::Variant("FlagEffect")),
        ],
    ),
];

/// Two texts.
const PAIR: &[FieldKind] = &[FieldKind::Plain, FieldKind::Plain];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src");
    let out = std::env::var("OUT_DIR").expect("cargo names a directory");
    for entry in fs::read_dir("src").expect("the sources").flatten() {
        let Some(events) = read(&entry.path().join("events.json")) else { continue };
        let examples = read(&entry.path().join("examples.json")).expect("an agent has examples");
        let mut table = EventsFile(&events).table();
        table["examples"] = ExamplesFile { file: &examples, table: &table }.table().into();
        let mut formats = read(&entry.path().join("formats.json")).expect("an agent has formats");
        formats["flags"] = flags(&formats["flags"]).into();
        let name = entry.file_name().into_string().expect("the name of a folder");
        for (file, name, types, table) in
            [(name.clone(), "EVENTS", EVENTS, table), (name + "_formats", "FORMATS", FORMATS, formats)]
        {
            let table = static_table(name, types, &table.to_string());
            fs::write(Path::new(&out).join(file).with_extension("rs"), format!("pub {table}"))
                .expect("the table is written");
        }
    }
}

fn read(path: &Path) -> Option<Value> {
    println!("cargo:rerun-if-changed={}", path.display());
    let text = fs::read_to_string(path).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display())))
}

/// Each flag of groups of flags with one value and effect, whose spellings are separated by blanks.
fn flags(groups: &Value) -> Vec<Value> {
    let mut flags = Vec::new();
    for group in groups.as_array().into_iter().flatten() {
        for names in group["names"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let names: Vec<&str> = names.split(' ').collect();
            flags.push(json!({"names": names, "value": group["value"], "effect": group["effect"]}));
        }
    }
    flags
}

/// The content of an `events.json`.
struct EventsFile<'a>(&'a Value);

impl EventsFile<'_> {
    fn table(&self) -> Value {
        let foreign = self.0["foreign"].as_object().into_iter().flatten();
        let foreign: Vec<Value> = foreign.map(|(theirs, ours)| json!({"theirs": theirs, "ours": ours})).collect();
        json!({
            "common": self.fields(&self.0["common"]), "events": self.events(&self.0["events"]),
            "others": self.events(&self.0["others"]), "foreign": foreign,
        })
    }

    fn events(&self, events: &Value) -> Vec<Value> {
        events.as_array().into_iter().flatten().map(|event| self.event(event)).collect()
    }

    /// An event that is `like` another one has the keys of that one which it does not state.
    fn event(&self, stated: &Value) -> Value {
        let mut event = Map::new();
        let events = self.0["events"].as_array().expect("a list of events");
        let like = events.iter().find(|event| !stated["like"].is_null() && event["name"] == stated["like"]);
        for (key, value) in like.into_iter().chain([stated]).filter_map(Value::as_object).flatten() {
            event.insert(key.clone(), value.clone());
        }
        let stated = |key: &str| event.get(key).or_else(|| self.0.get(key)).unwrap_or(&Value::Null);
        let mut out = json!({
            "name": stated("name"), "about": event.get("about"), "subjects": self.words(stated("subjects")),
            "fields": self.fields(stated("fields")), "honoured_output": self.words(stated("honours")),
            "exit_2": stated("exit_2"), "exit_2_delivers": stated("exit_2_delivers") == true,
        });
        for (key, name) in [("subject", "subject"), ("blockable_action", "blocks")] {
            if let Some(value) = event.get(name) {
                out[key] = value.clone();
            }
        }
        out
    }

    /// Fields are a list, or `@name` of one in `words`. They are written as `name`, `name?`, `name kind` and `name one|two`. The kind of most is a string.
    fn fields(&self, fields: &Value) -> Vec<Value> {
        let texts = self.words(fields);
        let field = |text: &Value| {
            let text = text.as_str().expect("a field is a text");
            let (name, rest) = text.split_once(' ').unwrap_or((text, "string"));
            let values = match rest {
                list if list.starts_with('@') => self.words(&Value::from(list)),
                list if list.contains('|') => list.split_terminator('|').map(Value::from).collect(),
                _ => Vec::new(),
            };
            let kind = if values.is_empty() { rest } else { "string" };
            let optional = name.ends_with('?');
            json!({"name": name.trim_end_matches('?'), "kind": kind, "optional": optional, "values": values})
        };
        texts.iter().map(field).collect()
    }

    /// A list of texts, or `@name` of one in `words`.
    fn words(&self, list: &Value) -> Vec<Value> {
        let named = list.as_str().map(|name| &self.0["words"][name.trim_start_matches('@')]);
        assert!(named.is_none_or(Value::is_array), "`words` has no list {list}");
        named.unwrap_or(list).as_array().cloned().unwrap_or_default()
    }
}

/// The content of an `examples.json`. `events` has the examples of each event by their labels, or the name of an event
/// with the same ones. The label `*` gives one example for each call of `calls`, with that call's values for `$key` and
/// `$this|or-that`.
struct ExamplesFile<'a> {
    file: &'a Value,
    /// The table of `events.json`, which says which keys an event has.
    table: &'a Value,
}

impl ExamplesFile<'_> {
    fn table(&self) -> Vec<Value> {
        let events = self.file["events"].as_object().expect("events by name").iter();
        events.map(|(event, stated)| json!({"event": event, "examples": self.of_event(event, stated)})).collect()
    }

    fn of_event(&self, event: &str, stated: &Value) -> Vec<Value> {
        let like = stated.as_str().map_or(stated, |other| &self.file["events"][other]);
        let mut examples = Vec::new();
        for (label, keys) in like.as_object().unwrap_or_else(|| panic!("{event} has examples by label")) {
            if label != "*" {
                examples.push(json!({"label": label, "keys": self.whole(event, keys)}));
                continue;
            }
            for call in self.file["calls"].as_array().expect("a list of calls") {
                let keys = filled(keys, call).expect("an object");
                examples.push(json!({"label": call["label"], "keys": self.whole(event, &keys)}));
            }
        }
        examples
    }

    /// The keys of an example after those that all payloads have, and of those with a `?` the ones that the event has. An
    /// example that states them itself states all of them.
    fn whole(&self, event: &str, own: &Value) -> Value {
        let own = own.as_object().unwrap_or_else(|| panic!("an example of {event} is an object"));
        let common = self.file["common"].as_object().filter(|_| !own.contains_key("hook_event_name"));
        let mut keys = Map::new();
        for (key, value) in common.into_iter().flatten() {
            let sent = key.strip_suffix('?').map_or(Some(key.as_str()), |key| self.has_key(event, key).then_some(key));
            let value = if value == "$event" { event.into() } else { value.clone() };
            keys.extend(sent.map(|key| (key.to_owned(), value)));
        }
        keys.extend(own.clone());
        Value::Object(keys)
    }

    /// Whether payloads of an event can have a key.
    fn has_key(&self, event: &str, key: &str) -> bool {
        let mut events = self.table["events"].as_array().into_iter().flatten();
        let fields = events.find(|spec| spec["name"] == event).and_then(|spec| spec["fields"].as_array());
        fields.into_iter().flatten().any(|field| field["name"] == key)
    }
}

/// Replaces each text `$key` by that key of a call. A key of an object is left out if the call lacks its value.
fn filled(pattern: &Value, call: &Value) -> Option<Value> {
    if let Value::Object(keys) = pattern {
        let keys = keys.iter().filter_map(|(key, value)| Some((key.clone(), filled(value, call)?)));
        return Some(Value::Object(keys.collect()));
    }
    match pattern.as_str().and_then(|text| text.strip_prefix('$')) {
        Some(names) => names.split('|').find_map(|name| call.get(name)).cloned(),
        None => Some(pattern.clone()),
    }
}
