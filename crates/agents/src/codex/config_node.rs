//! A value with its source position, from JSON or TOML, so that both formats of hooks are read by the same rules.
//! Integers are distinct from other numbers: to Codex `5.0` is not an integer.

use serde_json::{Map, Value};
use toml_edit::{Document, Item};

use hookbench_base::text::{Node, NodeValue, SourceId, SourceMap, Span};

/// A value with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigNode {
    pub span: Span,
    pub value: ConfigValue,
}

/// The value without its position.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfigValue {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    List(Vec<ConfigNode>),
    Table(Vec<ConfigEntry>),
    /// A TOML date, as written.
    Date(String),
}

/// One key with its value. All duplicates are kept; only JSON can have them.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigEntry {
    pub key: String,
    pub key_span: Span,
    pub value: ConfigNode,
}

impl ConfigNode {
    /// Converts a JSON value; `sources` holds its text.
    pub fn from_json(node: &Node, sources: &SourceMap) -> ConfigNode {
        let value = match &node.value {
            NodeValue::Null => ConfigValue::Null,
            NodeValue::Bool(flag) => ConfigValue::Bool(*flag),
            NodeValue::Number(number) => parse_number(sources.slice(node.span), *number),
            NodeValue::String(text) => ConfigValue::Text(text.clone()),
            NodeValue::Array(items) => {
                ConfigValue::List(items.iter().map(|i| ConfigNode::from_json(i, sources)).collect())
            }
            NodeValue::Object(members) => ConfigValue::Table(
                members
                    .iter()
                    .map(|m| ConfigEntry {
                        key: m.key.clone(),
                        key_span: m.key_span,
                        value: ConfigNode::from_json(&m.value, sources),
                    })
                    .collect(),
            ),
        };
        ConfigNode { span: node.span, value }
    }

    /// Parses a TOML text. Returns the place and the message if it is invalid.
    pub fn from_toml(source: SourceId, text: &str) -> Result<ConfigNode, (Span, String)> {
        match Document::parse(text) {
            Ok(document) => {
                let whole = Span::new(source, 0, text.len());
                Ok(from_item(source, document.as_item(), whole)
                    .unwrap_or(ConfigNode { span: whole, value: ConfigValue::Null }))
            }
            Err(why) => {
                let span = why.span().unwrap_or(0..0);
                let says = why.message().lines().collect::<Vec<_>>().join(", ");
                Err((Span::new(source, span.start, span.end), says))
            }
        }
    }

    /// Returns the value of a key; of duplicates, the last.
    pub fn get(&self, key: &str) -> Option<&ConfigNode> {
        self.entry(key).map(|e| &e.value)
    }

    /// Returns the entry of a key; of duplicates, the last.
    pub fn entry(&self, key: &str) -> Option<&ConfigEntry> {
        self.entries()?.iter().rev().find(|e| e.key == key)
    }

    /// Returns all entries if this is a table.
    pub fn entries(&self) -> Option<&[ConfigEntry]> {
        match &self.value {
            ConfigValue::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns the items if this is a list.
    pub fn items(&self) -> Option<&[ConfigNode]> {
        match &self.value {
            ConfigValue::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the text if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            ConfigValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the boolean if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            ConfigValue::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    /// Names this kind of value in messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            ConfigValue::Null => "null",
            ConfigValue::Bool(_) => "a boolean",
            ConfigValue::Integer(_) => "a whole number",
            ConfigValue::Float(_) => "a number with a point or an exponent",
            ConfigValue::Text(_) => "a string",
            ConfigValue::List(_) => "a list",
            ConfigValue::Table(_) => "an object",
            ConfigValue::Date(_) => "a date",
        }
    }

    /// Converts the value to JSON, without positions.
    pub fn to_value(&self) -> Value {
        match &self.value {
            ConfigValue::Null => Value::Null,
            ConfigValue::Bool(flag) => Value::Bool(*flag),
            ConfigValue::Integer(number) => integer(*number),
            ConfigValue::Float(number) => serde_json::Number::from_f64(*number).map_or(Value::Null, Value::Number),
            ConfigValue::Text(text) | ConfigValue::Date(text) => Value::from(text.as_str()),
            ConfigValue::List(items) => items.iter().map(ConfigNode::to_value).collect(),
            ConfigValue::Table(entries) => {
                let pairs = entries.iter().map(|e| (e.key.clone(), e.value.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

fn integer(number: i128) -> Value {
    if let Ok(number) = i64::try_from(number) {
        return Value::from(number);
    }
    // Codex, too, falls back to a double beyond 64 bits.
    #[allow(clippy::cast_precision_loss, reason = "that is what happens to it")]
    let double = || serde_json::Number::from_f64(number as f64).map_or(Value::Null, Value::Number);
    u64::try_from(number).map_or_else(|_| double(), Value::from)
}

fn parse_number(text: &str, number: f64) -> ConfigValue {
    text.parse().map_or(ConfigValue::Float(number), ConfigValue::Integer)
}

/// Converts a TOML item. `around` is the position of tables that are only implied and have none in the text.
fn from_item(source: SourceId, item: &Item, around: Span) -> Option<ConfigNode> {
    let span = item.span().map_or(around, |s| Span::new(source, s.start, s.end));
    let value = match item {
        Item::None => return None,
        Item::Value(value) => return Some(from_value(source, value, around)),
        Item::Table(table) => {
            let entry = |(key, item): (&str, &Item)| {
                let key_span = key_span(source, table.get_key_value(key).map(|(key, _)| key), span);
                Some(ConfigEntry { key: key.to_owned(), key_span, value: from_item(source, item, key_span)? })
            };
            ConfigValue::Table(table.iter().filter_map(entry).collect())
        }
        Item::ArrayOfTables(tables) => ConfigValue::List(
            tables
                .iter()
                .filter_map(|table| {
                    let span = table.span().map_or(span, |s| Span::new(source, s.start, s.end));
                    from_item(source, &Item::Table(table.clone()), span)
                })
                .collect(),
        ),
    };
    Some(ConfigNode { span, value })
}

fn from_value(source: SourceId, value: &toml_edit::Value, around: Span) -> ConfigNode {
    use toml_edit::Value as Toml;
    let span = value.span().map_or(around, |s| Span::new(source, s.start, s.end));
    let value = match value {
        Toml::String(text) => ConfigValue::Text(text.value().clone()),
        Toml::Integer(number) => ConfigValue::Integer(i128::from(*number.value())),
        Toml::Float(number) => ConfigValue::Float(*number.value()),
        Toml::Boolean(flag) => ConfigValue::Bool(*flag.value()),
        Toml::Datetime(date) => ConfigValue::Date(date.value().to_string()),
        Toml::Array(items) => ConfigValue::List(items.iter().map(|item| from_value(source, item, span)).collect()),
        Toml::InlineTable(table) => {
            let entry = |(key, value): (&str, &Toml)| {
                let key_span = key_span(source, table.get_key_value(key).map(|(key, _)| key), span);
                ConfigEntry { key: key.to_owned(), key_span, value: from_value(source, value, key_span) }
            };
            ConfigValue::Table(table.iter().map(entry).collect())
        }
    };
    ConfigNode { span, value }
}

fn key_span(source: SourceId, key: Option<&toml_edit::Key>, around: Span) -> Span {
    key.and_then(toml_edit::Key::span).map_or(around, |s| Span::new(source, s.start, s.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::text::{JsonSyntax, parse_json};
    use serde_json::json;

    #[test]
    fn numbers_are_told_apart() {
        let text = "[5, 5.0, 1e2, -1, -0, 18446744073709551615]";
        let mut sources = SourceMap::default();
        let source = sources.add("a", "/a", text);
        let tree = ConfigNode::from_json(&parse_json(source, text, JsonSyntax::default()).unwrap(), &sources);
        let kinds: Vec<bool> =
            tree.items().unwrap().iter().map(|t| matches!(t.value, ConfigValue::Integer(_))).collect();
        assert_eq!(kinds, [true, false, false, true, true, true]);
        assert_eq!(tree.items().unwrap()[5].to_value(), json!(18_446_744_073_709_551_615_u64));
    }

    #[test]
    fn toml_has_places() {
        let text =
            "a = 1\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\n\n[x.'y z']\nw = [1.5, {v = true}]\n";
        let tree = ConfigNode::from_toml(SourceId(0), text).unwrap();
        let handler = tree.get("hooks").unwrap().get("Stop").unwrap().items().unwrap()[0].get("hooks").unwrap();
        let handler = &handler.items().unwrap()[0];
        assert!(text[handler.span.start..].starts_with("[[hooks.Stop.hooks]]"), "{:?}", handler.span);
        let kind = handler.get("type").unwrap();
        assert_eq!(&text[kind.span.start..kind.span.end], "\"command\"");
        assert_eq!(tree.get("x").unwrap().to_value(), json!({"y z": {"w": [1.5, {"v": true}]}}));
        let (span, says) = ConfigNode::from_toml(SourceId(0), "a = 1\n[[b]\n").unwrap_err();
        assert!(span.start >= 6 && !says.is_empty(), "{span:?} {says}");
    }
}
