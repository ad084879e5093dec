//! Values of a script that does not run: known in whole, in part, or not at all.

use std::sync::Arc;

/// A step from a value to one inside it.
pub type PathKey = String;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text of parts.
    Text(Vec<Piece>),
    /// A number, as text.
    Number(String),
    Bool(bool),
    Null,
    Object(Arc<Object>),
    List(Vec<Value>),
    /// The value of the payload at a path; `*` is any item of a list.
    Payload(Vec<PathKey>),
    /// The bytes of stdin.
    Stdin,
    /// The value of a variable of the environment.
    Environment(String),
    /// A function of the script.
    Function(usize),
    /// Anything, made from parts of the payload or not.
    Unknown,
}

/// An object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object {
    pub entries: Vec<(String, Value)>,
    /// Whether it may have other keys, too.
    pub is_open: bool,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Is(String),
    /// The text of a value that is not known.
    Of(Value),
    /// The JSON text of a value.
    Json(Value),
}

impl Value {
    pub fn text(text: impl Into<String>) -> Value {
        Value::Text(vec![Piece::Is(text.into())])
    }

    pub fn empty_object() -> Value {
        Value::Object(Arc::default())
    }

    /// The text, if all of it is known.
    pub fn known_text(&self) -> Option<String> {
        match self {
            Value::Text(pieces) => pieces.iter().try_fold(String::new(), |all, piece| match piece {
                Piece::Is(text) => Some(all + text),
                Piece::Of(_) | Piece::Json(_) => None,
            }),
            Value::Number(number) => Some(number.clone()),
            _ => None,
        }
    }

    /// Whether it is a value of the payload, or a text with one.
    pub(crate) fn is_of_payload(&self) -> bool {
        match self {
            Value::Payload(_) | Value::Stdin => true,
            Value::Text(pieces) => pieces.iter().any(|piece| match piece {
                Piece::Is(_) => false,
                Piece::Of(value) | Piece::Json(value) => value.is_of_payload(),
            }),
            Value::List(items) => items.iter().any(Value::is_of_payload),
            Value::Object(object) => object.entries.iter().any(|(_, value)| value.is_of_payload()),
            _ => false,
        }
    }

    /// The text of a script or a filter. Each unknown value becomes a placeholder.
    pub(crate) fn source_text(&self) -> Option<String> {
        let Value::Text(pieces) = self else { return None };
        let texts = pieces.iter().map(|piece| if let Piece::Is(text) = piece { text.as_str() } else { "unknown" });
        Some(texts.collect())
    }

    /// The text, or its known end if that begins with a slash: a path in a directory that is not known.
    pub(crate) fn path_end(&self) -> Option<String> {
        let end = match self {
            Value::Text(pieces) => match pieces.last() {
                Some(Piece::Is(text)) if text.starts_with('/') => Some(text.clone()),
                _ => None,
            },
            _ => None,
        };
        self.known_text().or(end)
    }

    /// Whether the known end of the text is this one.
    pub fn ends_with(&self, end: &str) -> bool {
        match self {
            Value::Text(pieces) => matches!(pieces.last(), Some(Piece::Is(text)) if text.ends_with(end)),
            _ => false,
        }
    }

    /// The pieces of the value as a text.
    pub fn into_pieces(self) -> Vec<Piece> {
        match self {
            Value::Text(pieces) => pieces,
            Value::Number(number) => vec![Piece::Is(number)],
            other => vec![Piece::Of(other)],
        }
    }

    /// Whether the value counts as true in Python and JavaScript. `None` if that is not known.
    pub fn is_true(&self) -> Option<bool> {
        match self {
            Value::Text(pieces) => {
                let known = pieces.iter().any(|piece| match piece {
                    Piece::Is(text) => !text.is_empty(),
                    Piece::Json(_) => true,
                    Piece::Of(_) => false,
                });
                let empty = pieces.iter().all(|piece| matches!(piece, Piece::Is(text) if text.is_empty()));
                if known { Some(true) } else { empty.then_some(false) }
            }
            Value::Number(number) => number.parse::<f64>().ok().map(|number| number != 0.0),
            Value::Bool(known) => Some(*known),
            Value::Null => Some(false),
            Value::Object(object) if !object.entries.is_empty() => Some(true),
            // The payload is an object with keys.
            Value::Payload(path) if path.is_empty() => Some(true),
            Value::Function(_) => Some(true),
            Value::Object(_)
            | Value::List(_)
            | Value::Payload(_)
            | Value::Stdin
            | Value::Environment(_)
            | Value::Unknown => None,
        }
    }

    /// The value at a key. `None` if it is not there.
    pub fn at(&self, key: &Value) -> Option<Value> {
        let name = key.known_text();
        match (self, name) {
            (Value::Payload(path), Some(name)) => Some(Value::Payload(path.iter().cloned().chain([name]).collect())),
            (Value::Payload(path), None) => {
                Some(Value::Payload(path.iter().cloned().chain(["*".to_owned()]).collect()))
            }
            (Value::Object(object), Some(name)) => {
                let found = object.entries.iter().rev().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.clone()).or(object.is_open.then_some(Value::Unknown))
            }
            (Value::List(items), Some(name)) => match name.parse::<usize>() {
                Ok(index) => items.get(index).cloned(),
                Err(_) => Some(Value::Unknown),
            },
            (Value::Null, _) => None,
            _ => Some(Value::Unknown),
        }
    }

    /// The value with another one at the keys.
    #[must_use]
    pub fn with(&self, keys: &[Value], value: Value) -> Value {
        let Some((key, rest)) = keys.split_first() else { return value };
        let mut object = match self {
            Value::Object(object) => Object::clone(object),
            Value::Null => Object::default(),
            Value::Unknown => Object { entries: Vec::new(), is_open: true },
            // What is stored in the payload or in a list is not followed.
            other => return other.clone(),
        };
        match key.known_text() {
            Some(name) => {
                let inner = self.at(key).unwrap_or_else(Value::empty_object).with(rest, value);
                match object.entries.iter_mut().find(|(known, _)| *known == name) {
                    Some(entry) => entry.1 = inner,
                    None => object.entries.push((name, inner)),
                }
            }
            None => object.is_open = true,
        }
        Value::Object(Arc::new(object))
    }
}

impl Piece {
    /// The text, with texts for the values that are not known.
    pub fn text(&self, unknown: &dyn Fn(&Value) -> String) -> String {
        match self {
            Piece::Is(text) => text.clone(),
            Piece::Of(value) => unknown(value),
            Piece::Json(value) => value.json(unknown).to_string(),
        }
    }
}

impl Value {
    /// The value of a JSON text.
    pub(crate) fn parsed(self) -> Value {
        match &self {
            Value::Stdin => Value::Payload(Vec::new()),
            // What jq printed of the payload is JSON again, or the text that a key holds.
            Value::Payload(_) => self,
            Value::Text(pieces) => match pieces.as_slice() {
                [Piece::Json(value), rest @ ..] if is_blank(rest) => value.clone(),
                [Piece::Of(inner @ (Value::Stdin | Value::Payload(_))), rest @ ..] if is_blank(rest) => {
                    inner.clone().parsed()
                }
                [Piece::Is(text), rest @ ..] if is_blank(rest) => {
                    serde_json::from_str(text).map_or(Value::Unknown, from_json)
                }
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        }
    }

    /// The exit status of a number or a flag.
    pub(crate) fn exit_status(&self) -> Option<i32> {
        if let Value::Bool(value) = self {
            return Some(i32::from(*value));
        }
        let status = self.known_text()?.trim().parse::<i64>().ok()?;
        i32::try_from(status & 255).ok()
    }

    /// Whether the value, or one inside it, is an object that may have more keys, or is not known at all.
    pub fn is_open(&self) -> bool {
        match self {
            Value::Object(object) => object.is_open || object.entries.iter().any(|(_, value)| value.is_open()),
            Value::List(items) => items.iter().any(Value::is_open),
            _ => false,
        }
    }

    /// The value as JSON, with texts for the values that are not known.
    pub fn json(&self, unknown: &dyn Fn(&Value) -> String) -> serde_json::Value {
        match self {
            Value::Text(pieces) => pieces.iter().map(|piece| piece.text(unknown)).collect::<String>().into(),
            Value::Number(number) => serde_json::from_str(number).unwrap_or_else(|_| number.clone().into()),
            Value::Bool(value) => (*value).into(),
            Value::Null => serde_json::Value::Null,
            Value::Object(object) => {
                object.entries.iter().map(|(name, value)| (name.clone(), value.json(unknown))).collect()
            }
            Value::List(items) => items.iter().map(|item| item.json(unknown)).collect(),
            other => unknown(other).into(),
        }
    }
}

/// A text of pieces; a single value stays that value.
pub(crate) fn text_of(mut pieces: Vec<Piece>) -> Value {
    // `$(…)` removes newlines at the end.
    while let Some(Piece::Is(text)) = pieces.last_mut() {
        let trimmed = text.trim_end_matches('\n').len();
        text.truncate(trimmed);
        if !text.is_empty() || pieces.len() == 1 {
            break;
        }
        pieces.pop();
    }
    match pieces.as_slice() {
        [Piece::Of(value)] => value.clone(),
        _ => joined(pieces),
    }
}

/// The text of several pieces. It is not known if it is very long: each `A=$A$A` of a script doubles a text.
pub(crate) fn joined(pieces: Vec<Piece>) -> Value {
    const LONGEST: usize = 1 << 16;
    const MOST_PIECES: usize = 1 << 10;
    let length: usize = pieces.iter().map(|piece| if let Piece::Is(text) = piece { text.len() } else { 0 }).sum();
    if length > LONGEST || pieces.len() > MOST_PIECES { Value::Unknown } else { Value::Text(pieces) }
}

/// The path in the payload whose value, or whose text, the value is.
pub(crate) fn payload_path(value: &Value) -> Option<Vec<PathKey>> {
    match value {
        Value::Payload(path) => Some(path.clone()),
        Value::Text(pieces) => match pieces.as_slice() {
            [Piece::Of(Value::Payload(path)), rest @ ..] if is_blank(rest) => Some(path.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn is_blank(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| matches!(piece, Piece::Is(text) if text.trim().is_empty()))
}

pub(crate) fn from_json(value: serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => Value::Number(number.to_string()),
        serde_json::Value::String(text) => Value::text(text),
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(from_json).collect()),
        serde_json::Value::Object(map) => {
            let entries = map.into_iter().map(|(name, value)| (name, from_json(value))).collect();
            Value::Object(Arc::new(Object { entries, is_open: false }))
        }
    }
}
