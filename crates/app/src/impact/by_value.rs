//! The values of a payload that plans read, without reading the rest of it.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// No JSON has it unescaped.
const BETWEEN: char = '\0';

/// What stands at some JSON pointers, as text that is the same for the same values.
pub(super) struct Read {
    pub text: String,
    /// A key of the payload is missing, which the agent may fill in.
    pub lacks: bool,
}

/// Reads them; none: that could not be told, and the whole payload has to be asked.
pub(super) fn read(payload: &[u8], pointers: &[&str]) -> Option<Read> {
    let top: BTreeMap<&str, &RawValue> = serde_json::from_slice(payload).ok()?;
    let (mut text, mut lacks) = (String::new(), false);
    for pointer in pointers {
        let (first, rest) = parted(pointer);
        match (top.get(first), rest) {
            (None, _) => lacks = true,
            (Some(raw), None) => text.push_str(raw.get()),
            (Some(raw), Some(rest)) => {
                let inner: BTreeMap<&str, &RawValue> = serde_json::from_str(raw.get()).ok()?;
                text.push_str(inner.get(rest).map_or("", |raw| raw.get()));
            }
        }
        text.push(BETWEEN);
    }
    Some(Read { text, lacks })
}

/// The same as an object that has these values and no others.
pub(super) fn values(text: &str, pointers: &[&str]) -> Option<Map<String, Value>> {
    let mut body = Map::new();
    for (pointer, value) in pointers.iter().zip(text.split(BETWEEN)) {
        let (first, rest) = parted(pointer);
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

/// The object with what stands at these pointers and at these keys, and nothing else.
pub(super) fn only(body: &Value, pointers: &[&str], keys: &[&str]) -> Value {
    let mut less = Map::new();
    for key in keys {
        less.extend(body.get(key).map(|value| ((*key).to_owned(), value.clone())));
    }
    for pointer in pointers {
        let Some(value) = body.pointer(pointer) else { continue };
        match parted(pointer) {
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

/// The key of the payload, and the key in it: no plan looks further down.
fn parted(pointer: &str) -> (&str, Option<&str>) {
    let path = pointer.trim_start_matches('/');
    path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)))
}
