//! Changes of one key of a payload.

use serde_json::{Map, Value};

use crate::hook::PayloadField;

/// A change of one key.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyChange {
    /// The key has another value of the same type.
    Replaced(Value),
    Missing,
    /// The key is added with this value.
    Added(Value),
}

/// One key of a payload and its change.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyProbe {
    pub path: Vec<String>,
    pub change: KeyChange,
}

impl KeyProbe {
    /// Changes a payload. A payload without the key stays as it is, unless the key is added.
    pub fn apply(&self, body: &mut Value) {
        match &self.change {
            KeyChange::Replaced(value) => {
                if let Some(place) = place(body, &self.path) {
                    *place = value.clone();
                }
            }
            KeyChange::Missing => remove(body, &self.path),
            KeyChange::Added(value) => add(body, &self.path, value.clone()),
        }
    }
}

fn place<'a>(body: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(body, |value, key| match value {
        Value::Object(map) => map.get_mut(key),
        Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
        _ => None,
    })
}

fn remove(body: &mut Value, path: &[String]) {
    let Some((last, outer)) = path.split_last() else { return };
    match place(body, outer) {
        Some(Value::Object(map)) => {
            map.shift_remove(last);
        }
        Some(Value::Array(items)) => {
            if let Some(index) = last.parse::<usize>().ok().filter(|index| *index < items.len()) {
                items.remove(index);
            }
        }
        _ => {}
    }
}

/// Adds a key and the objects and lists that lead to it. `*` is the first item of a list.
fn add(value: &mut Value, path: &[String], new: Value) {
    let Some((key, rest)) = path.split_first() else {
        *value = new;
        return;
    };
    if key == "*" || key.parse::<usize>().is_ok() {
        if !value.is_array() {
            *value = Value::Array(vec![Value::Null]);
        }
        if let Some(first) = value.as_array_mut().and_then(|items| items.first_mut()) {
            add(first, rest, new);
        }
        return;
    }
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    if let Value::Object(map) = value {
        add(map.entry(key.clone()).or_insert(Value::Null), rest, new);
    }
}

/// The paths to probe, in the order of the payload: every value that contains no other, and of a list its first item.
pub fn probed_paths(body: &Value) -> Vec<Vec<String>> {
    fn collect(value: &Value, above: &[String], paths: &mut Vec<Vec<String>>) {
        let below = |key: &str| above.iter().cloned().chain([key.to_owned()]).collect::<Vec<String>>();
        match value {
            Value::Object(map) if !map.is_empty() => {
                map.iter().for_each(|(key, value)| collect(value, &below(key), paths));
            }
            Value::Array(items) => match items.first() {
                Some(first) => collect(first, &below("0"), paths),
                None => paths.push(above.to_vec()),
            },
            _ => paths.push(above.to_vec()),
        }
    }
    let mut paths = Vec::new();
    if body.is_object() {
        collect(body, &[], &mut paths);
    }
    paths.retain(|path| !path.is_empty());
    paths
}

/// The text that replaces other texts. No hook expects it.
const OTHER_TEXT: &str = "hookbench-other";

/// Another value of the same type. A key with a closed list of values gets one of them.
pub fn other_value(value: &Value, field: Option<&PayloadField>) -> Value {
    let listed = field.into_iter().flat_map(|field| field.values).find(|other| value.as_str() != Some(**other));
    if let (true, Some(listed)) = (value.is_string(), listed) {
        return Value::from(*listed);
    }
    match value {
        Value::Bool(yes) => Value::from(!yes),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Value::from(whole.wrapping_add(1)),
            None => Value::from(1.5),
        },
        Value::String(text) if text.contains("://") => Value::from("https://example.com/"),
        Value::String(text) if text.starts_with('/') => Value::from(format!("/{OTHER_TEXT}")),
        Value::String(_) | Value::Null => Value::from(OTHER_TEXT),
        Value::Array(_) => Value::Array(vec![Value::from(OTHER_TEXT)]),
        Value::Object(_) => Value::Object(Map::from_iter([("hookbench_other".to_owned(), Value::from(true))])),
    }
}
