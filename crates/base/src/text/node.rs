//! A JSON value that knows where every part of it stands.

use serde_json::{Map, Number, Value};

use super::source::Span;

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub span: Span,
    pub value: NodeValue,
}

/// The value without its place. Objects keep every member, duplicates too.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeValue {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

/// One `"key": value` of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub key: String,
    pub key_span: Span,
    pub value: Node,
}

impl Node {
    /// The members, when this is an object.
    pub fn members(&self) -> Option<&[Member]> {
        match &self.value {
            NodeValue::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The members that count: of duplicate keys the last one, at the place of the first, as `JSON.parse` does.
    pub fn effective_members(&self) -> Vec<&Member> {
        let mut out: Vec<&Member> = Vec::new();
        for member in self.members().unwrap_or(&[]) {
            match out.iter_mut().find(|m| m.key == member.key) {
                Some(seen) => *seen = member,
                None => out.push(member),
            }
        }
        out
    }

    /// The items, when this is an array.
    pub fn items(&self) -> Option<&[Node]> {
        match &self.value {
            NodeValue::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The member of that name (the last of duplicates, as `JSON.parse` does).
    pub fn member(&self, key: &str) -> Option<&Member> {
        self.members()?.iter().rev().find(|m| m.key == key)
    }

    /// The value of that member.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.member(key).map(|m| &m.value)
    }

    /// The text, when this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            NodeValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// The flag, when this is a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            NodeValue::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    /// The number, when this is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self.value {
            NodeValue::Number(number) => Some(number),
            _ => None,
        }
    }

    /// What people call this kind of value.
    pub fn kind(&self) -> &'static str {
        match self.value {
            NodeValue::Null => "null",
            NodeValue::Bool(_) => "a boolean",
            NodeValue::Number(_) => "a number",
            NodeValue::String(_) => "a string",
            NodeValue::Array(_) => "a list",
            NodeValue::Object(_) => "an object",
        }
    }

    /// The same value without places. Numbers are what JavaScript holds (doubles); whole ones become integers.
    pub fn to_value(&self) -> Value {
        self.with_numbers(&|_, number| number_value(number))
    }

    /// The same value without places, with numbers as they are written in `text`, digit for digit.
    pub fn to_exact(&self, text: &str) -> Value {
        let written = |span: Span| text.get(span.start..span.end)?.parse::<Number>().ok();
        self.with_numbers(&|span, number| written(span).map_or_else(|| number_value(number), Value::Number))
    }

    fn with_numbers(&self, of: &impl Fn(Span, f64) -> Value) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(flag) => Value::Bool(*flag),
            NodeValue::Number(number) => of(self.span, *number),
            NodeValue::String(text) => Value::String(text.clone()),
            NodeValue::Array(items) => Value::Array(items.iter().map(|item| item.with_numbers(of)).collect()),
            NodeValue::Object(members) => {
                let mut map = Map::new();
                for member in members {
                    map.insert(member.key.clone(), member.value.with_numbers(of));
                }
                Value::Object(map)
            }
        }
    }
}

/// The value with every number as JavaScript holds it.
pub fn as_doubles(value: &mut Value) {
    match value {
        Value::Number(number) => *value = number.as_f64().map_or(Value::Null, number_value),
        Value::Array(items) => items.iter_mut().for_each(as_doubles),
        Value::Object(map) => map.values_mut().for_each(as_doubles),
        _ => {}
    }
}

/// A double as a JSON number; whole ones in the safe range become integers. Infinity (from `1e999`) becomes null, as
/// `JSON.stringify` would write it.
fn number_value(number: f64) -> Value {
    const SAFE: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= SAFE {
        #[allow(clippy::cast_possible_truncation, reason = "whole and inside ±2^53, checked above")]
        return Value::from(number as i64);
    }
    // Numbers are equal when their texts are: `1e22` is read as `1e+22`.
    let text = Number::from_f64(number).map(|number| number.to_string());
    text.and_then(|text| text.parse().ok()).map_or(Value::Null, Value::Number)
}
