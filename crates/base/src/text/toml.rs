//! TOML as a [`Node`], so that settings in JSON and in TOML are read by the same rules.

use toml_edit::{Document, Item, Key, Value};

use super::{JsonError, Member, Node, NodeValue, SourceId, Span};

/// The error for a text that is not valid TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TomlError {
    pub span: Span,
    pub message: String,
}

impl From<TomlError> for JsonError {
    fn from(error: TomlError) -> JsonError {
        JsonError { at: error.span.start, message: error.message, help: None }
    }
}

/// Parses a whole text. A date becomes its text, and a table that is only implied has the place of its key.
pub fn parse_toml(source: SourceId, text: &str) -> Result<Node, TomlError> {
    let document = Document::parse(text).map_err(|why| {
        let span = why.span().unwrap_or(0..0);
        let message = why.message().lines().collect::<Vec<_>>().join(", ");
        TomlError { span: Span::new(source, span.start, span.end), message }
    })?;
    let whole = Span::new(source, 0, text.len());
    Ok(from_item(document.as_item(), whole).unwrap_or(Node { span: whole, value: NodeValue::Null }))
}

/// Adds the keys and tables of another text. Its keys at top level replace those of the first text.
pub fn with_toml(own: &str, added: &str) -> Result<String, TomlError> {
    let root = parse_toml(SourceId(0), own)?;
    let tables = added.lines().take_while(|line| !line.starts_with('[')).map(|line| line.len() + 1).sum::<usize>();
    let (keys, tables) = added.split_at_checked(tables).unwrap_or((added, ""));
    let is_replaced = |member: &&Member| keys.lines().any(|line| line.split(['=', ' ']).next() == Some(&member.key));
    let mut kept = own.to_owned();
    for member in root.members().unwrap_or_default().iter().rev().filter(is_replaced) {
        kept.replace_range(member.key_span.start..member.value.span.end, "");
    }
    let end = if kept.is_empty() || kept.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{keys}{kept}{end}{tables}"))
}

/// Converts an item. `around` is the place of an item that is only implied.
fn from_item(item: &Item, around: Span) -> Option<Node> {
    let span = place(item.span(), around);
    let value = match item {
        Item::None => return None,
        Item::Value(value) => return Some(from_value(value, around)),
        Item::Table(table) => {
            let member = |(key, item): (&str, &Item)| {
                let key_span = place(table.key(key).and_then(Key::span), span);
                Some(Member { key: key.to_owned(), key_span, value: from_item(item, key_span)? })
            };
            NodeValue::Object(table.iter().filter_map(member).collect())
        }
        Item::ArrayOfTables(tables) => {
            let table = |table: &toml_edit::Table| from_item(&Item::Table(table.clone()), place(table.span(), span));
            NodeValue::Array(tables.iter().filter_map(table).collect())
        }
    };
    Some(Node { span, value })
}

fn from_value(value: &Value, around: Span) -> Node {
    let span = place(value.span(), around);
    let value = match value {
        Value::String(text) => NodeValue::String(text.value().clone()),
        #[allow(clippy::cast_precision_loss, reason = "a node holds every number as a double")]
        Value::Integer(number) => NodeValue::Number(*number.value() as f64),
        Value::Float(number) => NodeValue::Number(*number.value()),
        Value::Boolean(flag) => NodeValue::Bool(*flag.value()),
        Value::Datetime(date) => NodeValue::String(date.value().to_string()),
        Value::Array(items) => NodeValue::Array(items.iter().map(|item| from_value(item, span)).collect()),
        Value::InlineTable(table) => {
            let member = |(key, value): (&str, &Value)| {
                let key_span = place(table.key(key).and_then(Key::span), span);
                Member { key: key.to_owned(), key_span, value: from_value(value, key_span) }
            };
            NodeValue::Object(table.iter().map(member).collect())
        }
    };
    Node { span, value }
}

fn place(written: Option<std::ops::Range<usize>>, around: Span) -> Span {
    written.map_or(around, |at| Span::new(around.source, at.start, at.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_have_their_places() {
        let text = "a = 1_000\n[[hooks]]\nevent = 'Stop' # c\n\n[x.'y z']\nw = [1.5, {v = true}, 2026-11-29]\n";
        let root = parse_toml(SourceId(0), text).unwrap();
        let slice = |node: &Node| &text[node.span.start..node.span.end];
        let hook = &root.get("hooks").unwrap().items().unwrap()[0];
        assert!(slice(hook).starts_with("[[hooks]]"), "{:?}", slice(hook));
        assert_eq!(slice(hook.get("event").unwrap()), "'Stop'");
        let want =
            json!({"a": 1000, "hooks": [{"event": "Stop"}], "x": {"y z": {"w": [1.5, {"v": true}, "2026-11-29"]}}});
        assert_eq!(root.to_value(), want);
        let error = parse_toml(SourceId(0), "a = 1\n[[b]\n").unwrap_err();
        assert!(error.span.start >= 6 && !error.message.is_empty(), "{error:?}");
    }

    #[test]
    fn a_text_with_the_keys_of_another() {
        let added = "a = 1\nb = 2\n[t.x]\nc = 3\n";
        for (own, want) in [
            ("", json!({"a": 1, "b": 2, "t": {"x": {"c": 3}}})),
            ("a = 'o' # c\nd = 4\n[t.y]\ne = 5", json!({"a": 1, "b": 2, "d": 4, "t": {"x": {"c": 3}, "y": {"e": 5}}})),
        ] {
            let text = with_toml(own, added).unwrap();
            assert_eq!(parse_toml(SourceId(0), &text).unwrap().to_value(), want, "{text}");
        }
        assert!(with_toml("a = ", added).is_err());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text: String) {
            let _ = parse_toml(SourceId(0), &text);
        }
    }
}
