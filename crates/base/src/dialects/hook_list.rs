//! Settings with lists that have one entry for each hook, and scripts that are one hook each.

use serde_json::{Map, Value, json};

use crate::hook::command_label;
use crate::text::edit::{with_yaml, yaml_block};
use crate::text::{
    JsonError, JsonSyntax, Member, Node, NodeValue, SourceId, Span, parse_json, parse_toml, parse_yaml, quote_literal,
    stringify, with_toml,
};

/// The language of a settings file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FileLanguage {
    #[default]
    Json,
    Toml,
    Yaml,
}

impl FileLanguage {
    /// The language of a file by its extension; JSON if that is not known. Markdown begins with YAML.
    pub fn of_path(path: &str) -> FileLanguage {
        match path.rsplit_once('.').map(|(_, extension)| extension) {
            Some("toml") => FileLanguage::Toml,
            Some("yaml" | "yml" | "md") => FileLanguage::Yaml,
            _ => FileLanguage::Json,
        }
    }

    /// Parses a file. `syntax` is that of JSON.
    pub fn parse(self, source: SourceId, text: &str, syntax: JsonSyntax) -> Result<Node, JsonError> {
        match self {
            FileLanguage::Json => parse_json(source, text, syntax),
            FileLanguage::Toml => parse_toml(source, text).map_err(JsonError::from),
            FileLanguage::Yaml => parse_yaml(source, text, 0),
        }
    }

    /// A text with the keys of another one, which replace its own. `None` if a text is not valid, and for JSON.
    pub fn merged(self, text: &str, added: &str) -> Option<String> {
        match self {
            FileLanguage::Json => None,
            FileLanguage::Toml => with_toml(text, added).ok(),
            FileLanguage::Yaml => with_yaml(text, added).ok(),
        }
    }
}

/// A list with one entry for each hook: the matcher is beside the keys of the handler, which has no `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListForm {
    /// The key of the list below `hooks`. Empty if `hooks` is the list.
    pub below: &'static str,
    pub language: FileLanguage,
    /// The key of an entry for its event. Empty if each event has a list under its name.
    pub event: &'static str,
    /// The key of an entry for its matcher.
    pub matcher: &'static str,
    /// The key of a name that only one entry may have. Empty if entries have no name.
    pub name: &'static str,
    /// Whether a matcher with several names is a list of them.
    pub lists_names: bool,
}

/// The line that begins a script of hookbench.
const SCRIPT_START: &str = "#!/bin/sh\n";

impl ListForm {
    /// The list of one entry as which a script is read.
    pub const SCRIPT: ListForm =
        ListForm { below: "", language: FileLanguage::Json, event: "event", matcher: "", name: "", lists_names: false };

    /// Reads a script that is the hook of an event. Its command is what follows the `#!` line.
    pub fn read_script(source: SourceId, text: &str, event: &str) -> Node {
        let start = text.find('\n').filter(|_| text.starts_with("#!")).map_or(0, |line| line + 1);
        let end = start + text.get(start..).unwrap_or_default().trim_end().len();
        let node = |start, end, value| Node { span: Span::new(source, start, end), value };
        let whole = |value| node(0, text.len(), value);
        let member = |key: &str, value| Member { key: key.to_owned(), key_span: Span::new(source, 0, 0), value };
        let command = text.get(start..end).unwrap_or_default().to_owned();
        let entry = vec![
            member("event", node(0, 0, NodeValue::String(event.to_owned()))),
            member("command", node(start, end, NodeValue::String(command))),
        ];
        let hooks = whole(NodeValue::Array(vec![whole(NodeValue::Object(entry))]));
        whole(NodeValue::Object(vec![member("hooks", hooks)]))
    }

    /// The script that runs the command of an entry.
    pub fn script(entry: &Value) -> String {
        format!("{SCRIPT_START}{}\n", entry.get("command").and_then(Value::as_str).unwrap_or_default())
    }

    /// The list of hooks in a file. `None` if the file has none.
    pub fn list(self, root: &Node) -> Option<&Node> {
        let hooks = root.get("hooks")?;
        if self.below.is_empty() { Some(hooks) } else { hooks.get(self.below) }
    }

    /// The entries of a file, each with the event that it names. Other items of the list are left out.
    pub fn entries(self, root: &Node) -> impl Iterator<Item = (&str, &Node)> {
        let list = self.list(root);
        let key = self.event;
        let one_list = list.and_then(Node::items).unwrap_or_default().iter();
        let named = one_list.filter_map(move |entry| Some((entry.get(key)?.as_str()?, entry)));
        let events = list.and_then(Node::members).filter(|_| key.is_empty()).unwrap_or_default().iter();
        let grouped = events.flat_map(|event| {
            event.value.items().unwrap_or_default().iter().map(move |entry| (event.key.as_str(), entry))
        });
        named.chain(grouped)
    }

    /// The names of the entries of a list.
    pub fn names(self, list: Option<&Node>) -> Vec<String> {
        let items = list.and_then(Node::items).into_iter().flatten();
        items.filter_map(|entry| entry.get(self.name)?.as_str().map(str::to_owned)).collect()
    }

    /// An entry for each handler of a group. `names` are those that other entries have.
    pub fn new_entries(self, event: &str, group: &Value, names: &mut Vec<String>) -> Vec<Value> {
        let matcher = group.get("matcher").and_then(Value::as_str).map(|matcher| match matcher.split_once('|') {
            Some(_) if self.lists_names => json!(matcher.split('|').collect::<Vec<_>>()),
            _ => Value::from(matcher),
        });
        let handlers = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
        let entry = |handler: &Map<String, Value>| {
            let mut entry = Map::new();
            if !self.name.is_empty() {
                let label = command_label(handler.get("command").and_then(Value::as_str).unwrap_or(event));
                let numbered = (2..).map(|number: u32| format!("{label}-{number}"));
                let free = std::iter::once(label.clone()).chain(numbered).find(|name| !names.contains(name));
                names.extend(free.clone());
                entry.extend(free.map(|name| (self.name.to_owned(), Value::from(name))));
            }
            if !self.event.is_empty() {
                entry.insert(self.event.to_owned(), Value::from(event));
            }
            entry.extend(matcher.clone().map(|matcher| (self.matcher.to_owned(), matcher)));
            let keys = handler.iter().filter(|(key, _)| *key != "type" && *key != self.name);
            entry.extend(keys.map(|(key, value)| (key.clone(), value.clone())));
            Value::Object(entry)
        };
        handlers.filter_map(Value::as_object).map(entry).collect()
    }

    /// The text of a file with these events and their groups.
    pub fn whole_file(self, events: &Map<String, Value>) -> String {
        let mut names = Vec::new();
        let groups = events.iter().flat_map(|(event, groups)| {
            groups.as_array().into_iter().flatten().map(move |group| (event.as_str(), group))
        });
        let mut entries = groups.map(|(event, group)| (event, self.new_entries(event, group, &mut names)));
        if self == ListForm::SCRIPT {
            let first = entries.find_map(|(_, entries)| entries.into_iter().next());
            return first.as_ref().map(ListForm::script).unwrap_or_default();
        }
        let hooks = if self.event.is_empty() {
            let mut lists: Map<String, Value> = Map::new();
            for (event, entries) in entries {
                if let Value::Array(list) = lists.entry(event).or_insert_with(|| json!([])) {
                    list.extend(entries);
                }
            }
            Value::Object(lists)
        } else {
            entries.flat_map(|(_, entries)| entries).collect()
        };
        let hooks = if self.below.is_empty() { hooks } else { json!({ self.below: hooks }) };
        match self.language {
            FileLanguage::Toml => hooks.as_array().into_iter().flatten().map(toml_table).collect::<Vec<_>>().join("\n"),
            FileLanguage::Yaml => yaml_block(&json!({ "hooks": hooks }), 0),
            FileLanguage::Json => format!("{:#}", json!({ "hooks": hooks })),
        }
    }
}

/// An entry as a TOML table. Its values are texts, numbers and flags.
pub fn toml_table(entry: &Value) -> String {
    let line = |(key, value): (&String, &Value)| {
        format!("{key} = {}\n", value.as_str().map_or_else(|| stringify(value), quote_literal))
    };
    let lines: String = entry.as_object().into_iter().flatten().map(line).collect();
    format!("[[hooks]]\n{lines}")
}
