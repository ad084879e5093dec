//! Writes the events of each agent as Rust constants.
#![allow(clippy::disallowed_methods, reason = "a build script reads and writes files")]

#[path = "../base/static_table.rs"]
mod static_table;

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};
use static_table::{FieldKind, TableTypes, static_table};

/// The types of `src/kernel/events.rs` and of `hookbench_base::hook`.
const TYPES: TableTypes = &[
    (
        "EventTable",
        &[
            ("common", FieldKind::List("PayloadField")),
            ("events", FieldKind::List("EventSpec")),
            ("others", FieldKind::List("EventSpec")),
            ("foreign", FieldKind::List("ForeignEvent")),
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
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src");
    let out = std::env::var("OUT_DIR").expect("cargo names a directory");
    for entry in fs::read_dir("src").expect("the sources").flatten() {
        let path = entry.path().join("events.json");
        let Ok(text) = fs::read_to_string(&path) else { continue };
        println!("cargo:rerun-if-changed={}", path.display());
        let facts: Value = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let table = static_table("EVENTS", TYPES, &EventsFile(&facts).table().to_string());
        let name = entry.file_name().into_string().expect("the name of a folder");
        fs::write(Path::new(&out).join(name).with_extension("rs"), format!("pub {table}"))
            .expect("the table is written");
    }
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

    /// Fields are written as `name`, `name?`, `name kind` and `name one|two`. The kind of most is a string.
    fn fields(&self, fields: &Value) -> Vec<Value> {
        let texts = fields.as_array().into_iter().flatten().map(|field| field.as_str().expect("a field is a text"));
        let field = |text: &str| {
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
        texts.map(field).collect()
    }

    /// A list of texts, or `@name` of one in `words`.
    fn words(&self, list: &Value) -> Vec<Value> {
        let named = list.as_str().map(|name| &self.0["words"][name.trim_start_matches('@')]);
        assert!(named.is_none_or(Value::is_array), "`words` has no list {list}");
        named.unwrap_or(list).as_array().cloned().unwrap_or_default()
    }
}
