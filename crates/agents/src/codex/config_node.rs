//! A value with its source position, from JSON or TOML, so that both formats of hooks are read by the same rules.
//! Integers are distinct from other numbers: to Codex `5.0` is not an integer.

use serde_json::{Map, Value};

use hookbench_base::text::{Member, Node, NodeValue, SourceId, SourceMap, Span, parse_toml};

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
        ConfigNode::from_node(node, &|span| sources.slice(span))
    }

    /// Parses a TOML text. Returns the place and the message if it is invalid.
    pub fn from_toml(source: SourceId, text: &str) -> Result<ConfigNode, (Span, String)> {
        let node = parse_toml(source, text).map_err(|why| (why.span, why.message))?;
        Ok(ConfigNode::from_node(&node, &|span| text.get(span.start..span.end).unwrap_or_default()))
    }

    /// Converts a value; `written` returns its text.
    fn from_node<'t>(node: &Node, written: &impl Fn(Span) -> &'t str) -> ConfigNode {
        let value = match &node.value {
            NodeValue::Null => ConfigValue::Null,
            NodeValue::Bool(flag) => ConfigValue::Bool(*flag),
            NodeValue::Number(number) => parse_number(written(node.span), *number),
            // A text has quotes.
            NodeValue::String(text) if written(node.span).starts_with(|c: char| c.is_ascii_digit()) => {
                ConfigValue::Date(text.clone())
            }
            NodeValue::String(text) => ConfigValue::Text(text.clone()),
            NodeValue::Array(items) => {
                ConfigValue::List(items.iter().map(|item| ConfigNode::from_node(item, written)).collect())
            }
            NodeValue::Object(members) => {
                let entry = |member: &Member| ConfigEntry {
                    key: member.key.clone(),
                    key_span: member.key_span,
                    value: ConfigNode::from_node(&member.value, written),
                };
                ConfigValue::Table(members.iter().map(entry).collect())
            }
        };
        ConfigNode { span: node.span, value }
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

/// The number of a text: in TOML, a whole number can have underscores and another base.
fn parse_number(text: &str, number: f64) -> ConfigValue {
    let digits = text.replace('_', "");
    let whole = match digits.split_at_checked(2) {
        Some(("0x", digits)) => i128::from_str_radix(digits, 16),
        Some(("0o", digits)) => i128::from_str_radix(digits, 8),
        Some(("0b", digits)) => i128::from_str_radix(digits, 2),
        _ => digits.parse(),
    };
    whole.map_or(ConfigValue::Float(number), ConfigValue::Integer)
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
