//! The payload as the selected hook gets it, beside the one on the bench: an agent can send the same event to two hooks
//! with different names and values.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::widgets::escaped;
use hookbench_core::dialects::Agent;

/// The names and values that a hook gets, by the JSON pointers of the payload on the bench.
#[derive(Debug, Clone, PartialEq)]
pub struct SentPayload {
    rows: BTreeMap<String, SentRow>,
}

/// A row of the payload on the bench.
#[derive(Debug, Clone, PartialEq)]
pub enum SentRow {
    Sent(SentValue),
    /// The hook does not get the key.
    NotSent,
}

/// One value as the hook gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct SentValue {
    pub path: Vec<String>,
    pub value: Value,
}

impl SentValue {
    /// The last key of the path.
    pub fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }
}

impl SentPayload {
    /// The payload that a hook under this name of the event gets. `None` if it gets the payload of the bench.
    pub fn of(dialect: &Agent, event: &str, body: &Value) -> Option<SentPayload> {
        let sent = dialect.sent_payload(event, body);
        if sent == *body {
            return None;
        }
        let (held, sent) = (body.as_object()?, sent.as_object()?);
        let mut rows = BTreeMap::new();
        for (key, value) in held {
            let pointer = format!("/{}", escaped(key));
            match sent_member(dialect, event, (held, sent), key) {
                Some((name, as_sent)) => add_rows(&mut rows, pointer, vec![name.clone()], (value, as_sent)),
                None => {
                    rows.insert(pointer, SentRow::NotSent);
                }
            }
        }
        Some(SentPayload { rows })
    }

    /// The row at a pointer.
    pub fn row(&self, pointer: &str) -> Option<&SentRow> {
        self.rows.get(pointer)
    }

    /// The pointer of the payload on the bench that a hook reads under this path.
    pub fn pointer_of(&self, path: &[String]) -> Option<&str> {
        let is_it = |row: &SentRow| matches!(row, SentRow::Sent(sent) if sent.path == path);
        self.rows.iter().find(|(_, sent)| is_it(sent)).map(|(pointer, _)| pointer.as_str())
    }
}

/// The member that the hook gets for a key: the one that is missing without the key, otherwise the one of its name.
fn sent_member<'a>(
    dialect: &Agent,
    event: &str,
    (held, sent): (&Map<String, Value>, &'a Map<String, Value>),
    key: &str,
) -> Option<(&'a String, &'a Value)> {
    let mut rest = held.clone();
    rest.shift_remove(key);
    let rest = dialect.sent_payload(event, &Value::Object(rest));
    sent.iter().find(|(name, _)| rest.get(name.as_str()).is_none()).or_else(|| sent.get_key_value(key))
}

/// Adds a value and those inside it. An agent renames keys and keeps their order.
fn add_rows(rows: &mut BTreeMap<String, SentRow>, pointer: String, path: Vec<String>, (held, sent): (&Value, &Value)) {
    let mut inside = |key: &str, name: &str, values| {
        let path = path.iter().cloned().chain([name.to_owned()]).collect();
        add_rows(rows, format!("{pointer}/{}", escaped(key)), path, values);
    };
    match (held, sent) {
        (Value::Object(held), Value::Object(sent)) if held.len() == sent.len() => {
            held.iter().zip(sent).for_each(|((key, held), (name, sent))| inside(key, name, (held, sent)));
        }
        (Value::Array(held), Value::Array(sent)) => {
            for (index, values) in held.iter().zip(sent).enumerate() {
                inside(&index.to_string(), &index.to_string(), values);
            }
        }
        _ => {}
    }
    rows.insert(pointer, SentRow::Sent(SentValue { path, value: sent.clone() }));
}
