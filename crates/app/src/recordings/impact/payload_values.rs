//! Reads the values of a payload that plans depend on, without parsing the rest.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A separator that valid JSON never contains unescaped.
const SEPARATOR: char = '\0';

/// The values at some JSON pointers, as text that is equal for equal values.
pub(super) struct PayloadValues {
    pub text: String,
    /// Whether a top-level key of the payload is missing; the agent may fill it in.
    pub has_missing_key: bool,
}

/// Reads the values at the pointers. `None` if the payload cannot be read this way and must be parsed as a whole.
pub(super) fn read(payload: &[u8], pointers: &[&str]) -> Option<PayloadValues> {
    let top: BTreeMap<&str, &RawValue> = serde_json::from_slice(payload).ok()?;
    let (mut text, mut lacks) = (String::new(), false);
    for pointer in pointers {
        let (first, rest) = split_pointer(pointer);
        match (top.get(first), rest) {
            (None, _) => lacks = true,
            (Some(raw), None) => text.push_str(raw.get()),
            (Some(raw), Some(rest)) => {
                let inner: BTreeMap<&str, &RawValue> = serde_json::from_str(raw.get()).ok()?;
                text.push_str(inner.get(rest).map_or("", |raw| raw.get()));
            }
        }
        text.push(SEPARATOR);
    }
    Some(PayloadValues { text, has_missing_key: lacks })
}

/// Rebuilds an object with only these values.
pub(super) fn values(text: &str, pointers: &[&str]) -> Option<Map<String, Value>> {
    let mut body = Map::new();
    for (pointer, value) in pointers.iter().zip(text.split(SEPARATOR)) {
        let (first, rest) = split_pointer(pointer);
        match rest {
            None => {
                body.insert(first.to_owned(), serde_json::from_str(value).ok()?);
            }
            Some(rest) => {
                let inner = body.entry(first).or_insert_with(|| Value::Object(Map::new()));
                if let (Some(inner), false) = (inner.as_object_mut(), value.is_empty()) {
                    inner.insert(rest.to_owned(), serde_json::from_str(value).ok()?);
                }
            }
        }
    }
    Some(body)
}

/// Reduces an object to the values at these pointers and keys.
pub(super) fn reduce(body: &Value, pointers: &[&str], keys: &[&str]) -> Value {
    let mut less = Map::new();
    for key in keys {
        less.extend(body.get(key).map(|value| ((*key).to_owned(), value.clone())));
    }
    for pointer in pointers {
        let Some(value) = body.pointer(pointer) else { continue };
        match split_pointer(pointer) {
            (key, None) => {
                less.insert(key.to_owned(), value.clone());
            }
            (key, Some(rest)) => {
                let inner = less.entry(key).or_insert_with(|| Value::Object(Map::new()));
                inner.as_object_mut().map(|inner| inner.insert(rest.to_owned(), value.clone()));
            }
        }
    }
    Value::Object(less)
}

/// Splits a pointer into a key of the payload and a key inside it; no plan reads deeper.
fn split_pointer(pointer: &str) -> (&str, Option<&str>) {
    let path = pointer.trim_start_matches('/');
    path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)))
}
